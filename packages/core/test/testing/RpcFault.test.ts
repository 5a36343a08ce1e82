import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Option } from "effect"
import * as Draw from "../../../../test/Draw.js"
import * as ChainAccess from "../../src/chain/ChainAccess.js"
import * as Pace from "../../src/chain/rpc/Pace.js"
import * as Transport from "../../src/chain/rpc/Transport.js"
import * as Address from "../../src/domain/Address.js"
import * as RpcFault from "../../src/testing/RpcFault.js"
import * as RpcTape from "../../src/testing/RpcTape.js"
import { anvil } from "../chain/Anvil.js"
import { chainOf, fakeNode, standard, word } from "../chain/FakeNode.js"

const http = Layer.provide(Transport.layerHttpClient(), FetchHttpClient.layer)
const injected = Layer.provide(RpcFault.layer, http)
/** The same for hundreds of equal reads of a chain that stands still: each is sent once. */
const taped = RpcFault.layer.pipe(Layer.provide(RpcTape.layer), Layer.provide(http))

/** A fresh engine each time, so that probes and heads are read, and can be failed, again. */
const fresh = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, ChainAccess.layerTransport({ retries: 0, retryDelay: 0, patience: 0, pace: Pace.unlimited }))

// Past the precompiles.
const account = (index: number) => Address.checksum(`0x${(0x10000 + index).toString(16).padStart(40, "0")}`)

/** Ten readings over three dependent levels; each gives its value or the reason why it has none. */
const survey = (url: string) =>
  Effect.gen(function* () {
    const access = yield* ChainAccess.ChainAccess
    const state = yield* access.pin({ chain: chainOf(url), block: Option.none(), maxCalls: 200 })
    const said = <A, E extends { readonly reason: string }>(effect: Effect.Effect<{ readonly value: A }, E>) =>
      Effect.map(
        Effect.either(effect),
        Either.match({
          onLeft: ({ reason }): string => `unknown: ${reason}`,
          onRight: ({ value }): string =>
            JSON.stringify(value, (_, member) => (typeof member === "bigint" ? member.toString() : member))
        })
      )
    const pretend = { [account(9)]: { code: "0x433d52593df3" as const } }
    const readings: ReadonlyArray<Effect.Effect<string>> = [
      said(state.code(account(1))),
      said(state.storage(account(1), "0x0")),
      said(state.call({ to: account(1), data: "0x01" })),
      said(state.call({ data: "0x60206000fd" })),
      said(state.call({ to: account(9), overrides: pretend })),
      said(state.simulate({ blocks: [{ overrides: pretend, calls: [{ to: account(9) }] }] })),
      said(state.logs({ topics: [word(1n)] })),
      Effect.zipRight(state.code(account(2)), said(state.nonce(account(2)))).pipe(
        Effect.orElseSucceed(() => "unknown")
      ),
      state.balance(account(3)).pipe(
        Effect.zipRight(state.balance(account(4))),
        Effect.zipRight(said(state.balance(account(5)))),
        Effect.orElseSucceed(() => "unknown")
      ),
      Effect.match(state.stillCanonical, { onFailure: ({ reason }) => `unknown: ${reason}`, onSuccess: String })
    ]
    return yield* Effect.all(readings, { concurrency: "unbounded" })
  }).pipe(Effect.scoped)

describe("RpcFault", () => {
  it.scoped(
    "fails each single call in turn, in each way: what it took becomes unknown, and nothing becomes untrue",
    () =>
      Effect.gen(function* () {
        const node = yield* anvil
        yield* Effect.promise(() => node.rpc("anvil_mine", ["0x3"]))
        const faults = yield* RpcFault.RpcFault
        const truth = yield* fresh(survey(node.url))
        assert.isFalse(
          truth.some((said) => said.startsWith("unknown")),
          truth.join()
        )
        const keys = [...new Set((yield* faults.seen).map(({ key }) => key))]
        // 10 of the probe and the head (its eth_call by hash and the reads of the survey among them), 13 of the survey.
        assert.isAtLeast(keys.length, 20)
        let unknowns = 0
        const cases = Draw.portion(RpcFault.kinds.flatMap((kind) => keys.map((key) => ({ kind, key }))))
        for (const { key, kind } of cases) {
          yield* faults.replace([{ when: (call) => call.key === key, kind }])
          const said = yield* Effect.either(fresh(survey(node.url)))
          if (Either.isLeft(said)) {
            unknowns++
            continue
          }
          said.right.forEach((reading, index) => {
            if (reading.startsWith("unknown")) unknowns++
            else assert.strictEqual(reading, truth[index], `${kind} of ${key}`)
          })
        }
        assert.isAbove(unknowns, cases.length / 3)
        yield* faults.replace([])
        assert.deepStrictEqual(yield* fresh(survey(node.url)), truth)
      }).pipe(Effect.provide(taped))
  )

  it.scoped("fails one item of a batch and leaves the others", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      const faults = yield* RpcFault.RpcFault
      const access = yield* ChainAccess.ChainAccess
      const state = yield* access.pin({ chain: chainOf(node.url), block: Option.none(), maxCalls: 200 })
      yield* faults.forget
      yield* faults.replace([
        { when: ({ method, params }) => method === "eth_getBalance" && params[0] === account(1), kind: "pruned" }
      ])
      const [failed, read] = yield* Effect.all([Effect.flip(state.balance(account(1))), state.balance(account(2))], {
        concurrency: "unbounded"
      })
      assert.strictEqual(failed.reason, "archive_required")
      assert.strictEqual(read.value, 5n)
      assert.strictEqual(yield* faults.requests, 1)
      assert.deepStrictEqual(
        (yield* faults.seen).map(({ method, nth }) => [method, nth]),
        [
          ["eth_getBalance", 1],
          ["eth_getBalance", 1]
        ]
      )
    }).pipe(
      Effect.provide(ChainAccess.layerTransport({ retryDelay: 0, pace: Pace.unlimited })),
      Effect.provide(injected)
    )
  )

  it.scoped("fails only the given sending, so that a retry can be seen to help", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      const faults = yield* RpcFault.RpcFault
      const access = yield* ChainAccess.ChainAccess
      for (const kind of ["timeout", "http_429", "http_503", "rate_limited", "absent", "wrong_id"] as const) {
        const state = yield* access.pin({ chain: chainOf(node.url), block: Option.none(), maxCalls: 200 })
        yield* faults.forget
        yield* faults.replace([{ when: ({ nth }) => nth === 1, kind }])
        assert.strictEqual((yield* state.balance(account(1))).value, 5n, kind)
        assert.deepStrictEqual(yield* Effect.map(faults.seen, (seen) => seen.map(({ nth }) => nth)), [1, 2], kind)
        assert.deepStrictEqual(yield* state.spending, { requests: 2, calls: 2, levels: 1 }, kind)
        yield* faults.replace([])
      }
    }).pipe(
      Effect.provide(ChainAccess.layerTransport({ retryDelay: 0, pace: Pace.unlimited })),
      Effect.provide(injected)
    )
  )

  it.scoped("shows an endpoint of another chain, and one that ignores overrides", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      const faults = yield* RpcFault.RpcFault
      yield* faults.replace([{ when: ({ method }) => method === "eth_chainId", kind: "wrong_chain" }])
      const error = yield* Effect.flip(fresh(survey(node.url)))
      assert.include(error.detail, "serves chain 23294")
      yield* faults.replace([
        { when: ({ method, params }) => method === "eth_call" && params.length > 2, kind: "blank" }
      ])
      const said = yield* fresh(survey(node.url))
      assert.strictEqual(said[4], "unknown: method_unsupported")
    }).pipe(Effect.provide(injected))
  )
})
