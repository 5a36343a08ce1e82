import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import { Hex } from "../../domain/Hex.js"
import * as Metadata from "../../evm/bytecode/Metadata.js"
import { Functions } from "../../facts/code/Functions.js"
import * as HostileText from "../../facts/HostileText.js"
import * as Check from "../Check.js"

/**
 * Whether the code that answers for the contract carries the record that compilers leave behind it. Anybody can write
 * such a record, so it names a compiler and proves none.
 *
 * @see https://docs.soliditylang.org/en/latest/metadata.html#encoding-of-the-metadata-hash-in-the-bytecode
 * @since 0.1.0
 * @category models
 */
export const compiler = Check.make({
  id: "contract.compiler",
  code: "C-02",
  version: 1,
  targets: ["token", "contract"],
  claim: "The code names the compiler that made it",
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
      if (without.length > 0) return [Check.refuted({ ...seen, detail: `no record behind ${without.join(", ")}` })]
      if (records.length === 0)
        return [Check.unknown("inconclusive", "the code that answers for it was not found", seen)]
      return [
        Check.confirmed({
          ...seen,
          detail: records
            .map(({ address, compiler, version }) => `${address}: ${compiler} ${version ?? "of no named version"}`)
            .join(", ")
        })
      ]
    })
})
