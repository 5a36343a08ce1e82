import { Infrastructure } from "@assay/sandbox"
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import type { Holding } from "../../../src/facts/market/ExchangeCandidates.js"
import * as UnprovedHolders from "../../../src/facts/market/UnprovedHolders.js"
import * as Adversaries from "../Adversaries.js"
import { pinned, Running, running } from "../SandboxState.js"

const { addresses } = Infrastructure

const strangers = Adversaries.strangers(225).map((account): Holding => [Address.checksum(account), 50n])

const beside = (beyond: ReadonlyArray<Holding>, gap: Option.Option<string> = Option.none(), isDeaf = false) =>
  Effect.gen(function* () {
    const state = yield* ChainState
    const code = () =>
      Effect.fail(
        new ChainError({ reason: "source_unavailable", method: "eth_getCode", retryable: true, detail: "no answer" })
      )
    return yield* UnprovedHolders.of(isDeaf ? { ...state, code } : state, {
      looked: [],
      codeOf: () => Option.none(),
      beyond: Option.some(beyond),
      gap
    })(40n)
  }).pipe(Effect.provide(pinned()))

const missed = Option.some("not all events that name its pools could be read")

layer(running)("beyond the holders that are looked at in any case", (it) => {
  it.effect(
    "a contract that holds more than the pools may be the market, unless it is a published build of no pool",
    () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const [contract, pair] = [Address.checksum(targets.plain.address), Address.checksum(targets.plain.pair ?? "0x")]
        const coin = Address.checksum(addresses.weth)
        const { gap, vaults } = yield* beside([
          [contract, 60n],
          [coin, 55n],
          [pair, 50n],
          [Address.checksum(targets.honeypot.address), 40n]
        ])
        assert.deepStrictEqual(
          vaults.map(({ amount, vault }) => [vault, String(amount)] as const),
          [
            [contract, "60"],
            [pair, "50"]
          ]
        )
        assert.isTrue(Option.isNone(gap))
      })
  )

  it.effect("accounts without code are no market, also where not all events of pools could be read", () =>
    Effect.gen(function* () {
      const { gap, vaults } = yield* beside(strangers.slice(0, 40), missed)
      assert.deepStrictEqual([vaults, gap], [[], Option.none()])
    })
  )

  it.effect(
    "those with more than the pools are a gap where they are too many, or where their code was not to be had",
    () =>
      Effect.gen(function* () {
        const many = yield* beside(strangers)
        assert.include(Option.getOrNull(many.gap), "not looked at: 1 holders")
        const deaf = yield* beside(strangers.slice(0, 3), Option.none(), true)
        assert.include(Option.getOrNull(deaf.gap), "not looked at: 3 holders")
      })
  )
})
