import { Effect, Option, Schema } from "effect"
import { ChainState } from "../../chain/state/ChainState.js"
import * as SafeSingletons from "../../data/SafeSingletons.js"
import { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as KnownRuntime from "../../evm/bytecode/KnownRuntime.js"
import * as ProxyPattern from "../../evm/patterns/ProxyPattern.js"
import { Functions } from "../../facts/code/Functions.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether all code of the contract, its own and its implementations, is a build published by OpenZeppelin, Safe,
 * Uniswap, Circle or WETH. It is about what the code does and not about who controls it.
 */
export const knownGoodCode = Check.make({
  id: "contract.known-good-code",
  code: "C-10",
  version: 1,
  targets: ["token", "contract"],
  claim: "All code is a known published build",
  polarity: "protective",
  severity: "info",
  dimension: "code",
  value: Schema.Struct({
    builds: Schema.Array(Schema.Struct({ address: Address, name: Schema.String, source: Schema.String })),
    others: Schema.Array(Address)
  }),
  run: (target) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const [own, { value }] = yield* Together.all([state.code(target.address), (yield* Functions).of(target.address)])
      const parts = [
        // The code of a minimal proxy is only the address of its implementation.
        ...(Option.isSome(ProxyPattern.fromCode(own.value)) ? [] : [{ address: target.address, code: own.value }]),
        ...value.logics.filter(({ address }) => address !== target.address)
      ]
      const named = parts.map(({ address, code }) => ({ address, build: buildOf(code) }))
      const builds = named.flatMap(({ address, build }) =>
        Option.toArray(build).map(({ name, source }) => ({ address, name, source }))
      )
      const others = named.flatMap(({ address, build }) => (Option.isNone(build) ? [address] : []))
      const seen = { value: { builds, others }, observation: own.observation() }
      if (others.length > 0)
        return [Check.refuted({ ...seen, detail: `the code at ${Phrases.few(others)} is not a known build` })]
      if (!value.resolved || builds.length === 0)
        return [Phrases.unknown("inconclusive", "not all of the implementation code was found", seen)]
      return [
        Check.confirmed({ ...seen, detail: Phrases.few(builds.map(({ name, source }) => `${name} of ${source}`)) })
      ]
    })
})

const buildOf = (code: Hex): Option.Option<{ readonly name: string; readonly source: string }> =>
  Option.orElse(KnownRuntime.identify(code), () =>
    Option.map(SafeSingletons.findByCodeHash(Bytecode.hash(code)), ({ l2, version }) => ({
      name: l2 ? "SafeL2" : "Safe",
      source: `Safe ${version}`
    }))
  )
