import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, TestClock } from "effect"
import * as Analyzer from "../../src/analysis/Analyzer.js"
import { ChainAccess, layerJsonRpc } from "../../src/chain/ChainAccess.js"
import { ChainError } from "../../src/chain/ChainError.js"
import type { Chain } from "../../src/chain/Chains.js"
import type { ChainState } from "../../src/chain/state/ChainState.js"
import * as Checks from "../../src/checks/Checks.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import { chainOf, fakeNode, standard } from "../chain/FakeNode.js"
import { erc20, inert, target } from "../checks/Scripted.js"

const chain: Chain = {
  id: 31_337,
  name: "scripted",
  shortName: "scripted",
  endpoints: ["http://127.0.0.1:1"],
  explorer: Option.none(),
  addressBook: 31_337
}

const unreached = new ChainError({
  reason: "source_unavailable",
  method: "eth_getBlockByNumber",
  retryable: true,
  detail: "no other endpoint"
})

/** A chain at a head that a test moves; whether another endpoint is to be had is decided there too. */
const over = (sky: { head: number; other: Option.Option<number>; pins: number }) =>
  Analyzer.layer(Checks.all).pipe(
    Layer.provide(
      Layer.succeed(ChainAccess, {
        pin: ({ apartFrom }) =>
          Effect.suspend((): Effect.Effect<ChainState["Type"], ChainError> => {
            sky.pins++
            const number = apartFrom === undefined ? Option.some(sky.head) : sky.other
            const state = ScriptedChain.make({ accounts: { [target]: { code: inert, calls: erc20 } }, chain })
            return Option.match(number, {
              onNone: () => Effect.fail(unreached),
              onSome: (head) =>
                Effect.succeed({
                  ...state,
                  block: { ...state.block, number: head, hash: `0x${head.toString(16).padStart(64, "0")}` as const }
                })
            })
          })
      })
    )
  )

const analyze = (apartFrom?: Analyzer.AnalyzeRequest["apartFrom"]) =>
  Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
    analyzer.analyze({ kind: "token", address: target, chain, apartFrom })
  )

describe("an analysis that is to be independent of another one", () => {
  it.effect("is read from an endpoint that the other one did not use, where that one has seen its block", () => {
    const sky = { head: 100, other: Option.some(101), pins: 0 }
    return Effect.gen(function* () {
      const first = yield* analyze()
      const second = yield* analyze({ analysis: first, waitSeconds: 30 })
      assert.deepStrictEqual([first.block.number, second.block.number], [100, 101])
      assert.strictEqual(sky.pins, 2)
    }).pipe(Effect.provide(over(sky)))
  })

  it.effect("waits for a later block where the other endpoint is behind", () => {
    const sky = { head: 100, other: Option.some(99), pins: 0 }
    return Effect.gen(function* () {
      const first = yield* analyze()
      const waiting = yield* Effect.fork(analyze({ analysis: first, waitSeconds: 30 }))
      yield* TestClock.adjust("12 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
      sky.head = 101
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(waiting)).block.number, 101)
    }).pipe(Effect.provide(over(sky)))
  })

  it.effect("is not to be had where the chain stands still for as long as it may wait", () => {
    const sky = { head: 100, other: Option.some(99), pins: 0 }
    return Effect.gen(function* () {
      const first = yield* analyze()
      const waiting = yield* Effect.fork(Effect.flip(analyze({ analysis: first, waitSeconds: 30 })))
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "UpstreamUnavailable")
    }).pipe(Effect.provide(over(sky)))
  })
})

describe("a view apart from another one", () => {
  it.scoped("is read from endpoints that the other one was not read from, and from none where there is no other", () =>
    Effect.gen(function* () {
      const access = yield* ChainAccess
      const [one, two] = [yield* fakeNode(standard()), yield* fakeNode(standard({ head: 1_001 }))]
      const pin = { block: Option.none(), maxCalls: 100 }
      const both = chainOf(one.url, two.url)
      const first = yield* access.pin({ ...pin, chain: both })
      two.forget()
      one.forget()
      const second = yield* access.pin({ ...pin, chain: both, apartFrom: first })
      assert.strictEqual(second.block.number, 1_001)
      assert.deepStrictEqual(one.requests, [])
      const alone = yield* access.pin({ ...pin, chain: chainOf(one.url) })
      const error = yield* Effect.flip(access.pin({ ...pin, chain: chainOf(one.url), apartFrom: alone }))
      assert.strictEqual(error.reason, "source_unavailable")
    }).pipe(Effect.provide(layerJsonRpc({ retryDelay: 0 })), Effect.provide(FetchHttpClient.layer))
  )
})
