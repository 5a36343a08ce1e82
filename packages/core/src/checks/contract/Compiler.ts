import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import { Hex } from "../../domain/Hex.js"
import * as Metadata from "../../evm/bytecode/Metadata.js"
import { Functions } from "../../facts/code/Functions.js"
import * as HostileText from "../../facts/HostileText.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the code that the contract executes ends with compiler metadata. Any deployer can append such metadata, so it
 * is a claim and no proof.
 *
 * @see https://docs.soliditylang.org/en/latest/metadata.html#encoding-of-the-metadata-hash-in-the-bytecode
 */
export const compiler = Check.make({
  id: "contract.compiler",
  code: "C-02",
  version: 1,
  targets: ["token", "contract"],
  claim: "The bytecode contains compiler metadata",
  polarity: "neutral",
  severity: "info",
  dimension: "code",
  value: Schema.Struct({
    records: Schema.Array(
      Schema.Struct({
        address: Address,
        compiler: Schema.Literal("solc", "vyper"),
        version: Schema.NullOr(Schema.String),
        metadata: Schema.NullOr(Schema.Struct({ kind: Schema.Literal("ipfs", "bzzr0", "bzzr1"), hash: Hex }))
      })
    ),
    without: Schema.Array(Address)
  }),
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* Functions).of(target.address)
      const read = value.logics.map(({ address, code }) => ({ address, record: Metadata.decode(code) }))
      const records = read.flatMap(({ address, record }) =>
        Option.toArray(record).map((found) => ({
          address,
          compiler: found.compiler,
          version: Option.getOrNull(Option.map(found.version, HostileText.clean)),
          metadata: Option.getOrNull(found.source)
        }))
      )
      const without = read.flatMap(({ address, record }) => (Option.isNone(record) ? [address] : []))
      const seen = { value: { records, without }, observation: observation() }
      if (without.length > 0)
        return [Check.refuted({ ...seen, detail: `no compiler metadata in the code at ${Phrases.few(without)}` })]
      if (records.length === 0) return [Phrases.unknown("inconclusive", "the implementation code was not found", seen)]
      return [
        Check.confirmed({
          ...seen,
          detail: Phrases.few(
            records.map(({ address, compiler, version }) => `${address}: ${compiler} ${version ?? "(no version)"}`)
          )
        })
      ]
    })
})
