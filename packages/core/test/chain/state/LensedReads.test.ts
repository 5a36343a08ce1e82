import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Either, Layer, Option } from "effect"
import * as ChainAccess from "../../../src/chain/ChainAccess.js"
import * as Pace from "../../../src/chain/rpc/Pace.js"
import * as Transport from "../../../src/chain/rpc/Transport.js"
import type { Hex } from "../../../src/domain/Hex.js"
import { chainOf, word } from "../FakeNode.js"
import { account, answerTop, placed } from "./PlacedCodes.js"

const honest: ReadonlyArray<Hex> = [
  `0x602a${answerTop}`,
  // Adds 1 to slot 0 and answers it.
  `0x60005460010180600055${answerTop}`,
  `0x3031${answerTop}`,
  "0x60006000fd"
]

// Each has another answer where its caller has code, the zero address has, or the gas is not that of a plain call.
const lying: ReadonlyArray<Hex> = [
  `0x333b${answerTop}`,
  `0x333f${answerTop}`,
  `0x60003b${answerTop}`,
  `0x5a${answerTop}`,
  `0x60006000600060006000335af1${answerTop}`
]

const codes = [...honest, ...lying]

/** Hands calldata on to the account in slot 5, and returns what that returned. */
const forwarding: Hex = "0x365f5f375f5f365f6005545af43d5f5f3e3d5ff3"

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: unknown
}

type Change = (call: Call, answer: Answer) => Answer

// CALLER ORIGIN OR, with which a lens finds out who a call comes from that names nobody.
const callerOrOrigin = "0x333217"

const isLens = ({ method, params }: Call) => method === "eth_call" && params[2] !== undefined

/** A lens of slots replaces the code of many accounts, one of the rest that of one. */
const readsBy = ({ params }: Call) =>
  Object.keys(params[2] as object).length > 1 ? ("eth_getStorageAt" as const) : ("eth_getCode" as const)

const each = <A>(one: A | ReadonlyArray<A>): ReadonlyArray<A> => [one].flat() as ReadonlyArray<A>

/** A fresh chain with codes, read through a transport that may change answers. */
const setUpWith = Effect.fnUntraced(function* (codes: ReadonlyArray<Hex>) {
  const node = yield* placed(codes, { slot: 2n, value: 9n })
  let change: Change = (_, answer) => answer
  const changing = Layer.effect(
    Transport.Transport,
    Effect.map(Transport.Transport, ({ post }) => ({
      post: (url: string, body: string) =>
        Effect.map(post(url, body), (reply) => {
          const calls = each<Call>(JSON.parse(body))
          const answers: Answer | ReadonlyArray<Answer> = JSON.parse(reply.body)
          const changed = each(answers).map((answer) => {
            const call = calls.find(({ id }) => id === answer.id)
            return call === undefined ? answer : change(call, answer)
          })
          return { ...reply, body: JSON.stringify(Array.isArray(answers) ? changed : changed[0]) }
        })
    }))
  ).pipe(Layer.provide(Transport.layerHttpClient()), Layer.provide(FetchHttpClient.layer))
  const accessWith = (options: ChainAccess.AccessOptions) =>
    Effect.map(
      Layer.build(
        Layer.provide(ChainAccess.layerTransport({ retryDelay: 0, pace: Pace.unlimited, ...options }), changing)
      ),
      Context.get(ChainAccess.ChainAccess)
    )
  const learning = yield* accessWith({})
  const plain = yield* accessWith({ lenses: "differs" })
  /** Everything that a lens can read, at a block of its own analysis. */
  const read = (access: ChainAccess.ChainAccess["Type"], maxCalls = 1_000) =>
    Effect.gen(function* () {
      const state = yield* access.pin({ chain: chainOf(node.url), block: Option.none(), maxCalls })
      const reads = codes.flatMap((_, index) => [
        state.code(account(index)),
        state.balance(account(index)),
        state.storage(account(index), "0x2"),
        state.storage(account(index), "0x99"),
        state.call({ to: account(index), data: "0x12345678" })
      ])
      const answers = yield* Effect.all(
        [...reads, state.call({ to: account(500), data: "0x12345678" })].map((one) =>
          Effect.either<unknown, unknown, never>(one)
        ),
        { concurrency: "unbounded" }
      )
      return { answers: answers.map(Either.map(shown)), spending: yield* state.spending }
    })
  return {
    /** The answers of an engine that learns what lenses can do. */
    learn: Effect.suspend(() => read(learning)),
    plainly: Effect.map(
      Effect.suspend(() => read(plain)),
      ({ answers }) => answers
    ),
    within: (maxCalls: number) => read(learning, maxCalls),
    /** Has a proxy hand calls on to the code of an index. */
    upgrade: (proxy: number, logic: number) =>
      Effect.promise(() => node.rpc("anvil_setStorageAt", [account(proxy), word(5n), word(BigInt(account(logic)))])),
    changeBy: (next: Change) => {
      change = next
    }
  }
})

const setUp = setUpWith(codes)

const shown = (reading: unknown) => {
  const { observation, value } = reading as { readonly value: unknown; readonly observation: () => object }
  return { value, ...observation() }
}

const reads = 5 * codes.length + 1

describe("LensedReads", () => {
  it.scoped("gives what plain reads give, to the observation, also of contracts that lie to a caller with code", () =>
    Effect.gen(function* () {
      const { learn, plainly } = yield* setUp
      const expected = yield* plainly
      const first = yield* learn
      const second = yield* learn
      assert.isTrue(expected.every(Either.isRight))
      assert.deepStrictEqual(first.answers, expected)
      assert.deepStrictEqual(second.answers, expected)
      // All reads and three calls to compare them with; then two lenses, and the contracts that could lie to them.
      assert.deepStrictEqual(first.spending, { requests: 1, calls: reads + 3, levels: 1 })
      assert.deepStrictEqual(second.spending, { requests: 1, calls: 2 + lying.length, levels: 1 })
    })
  )

  it.scoped(
    "believes a lens of a proxy only where the code that its slot names cannot detect one, before and after an upgrade",
    () =>
      Effect.gen(function* () {
        const { changeBy, learn, plainly, upgrade } = yield* setUpWith([...codes, ...codes.map(() => forwarding)])
        for (const logic of codes.keys()) yield* upgrade(codes.length + logic, logic)
        const detecting = 2 * lying.length
        // Also while it is not known yet which slot it is, and when it is.
        const calls: Array<number> = []
        for (let run = 0; run < 4; run++) {
          const { answers, spending } = yield* learn
          assert.deepStrictEqual(answers, yield* plainly)
          assert.strictEqual(spending.levels, 1)
          calls.push(spending.calls)
        }
        // A frame of a proxy can write, so that counter is sent plainly behind one.
        assert.deepStrictEqual(calls.slice(-2), [2 + detecting + 1, 2 + detecting + 1])
        // What was honest lies now, and the other way around.
        for (const logic of codes.keys()) yield* upgrade(codes.length + logic, codes.length - 1 - logic)
        for (let run = 0; run < 3; run++) assert.deepStrictEqual((yield* learn).answers, yield* plainly)
        // Nor is a proxy believed where what would show it got lost.
        for (const method of ["eth_getCode", "eth_getStorageAt"] as const) {
          changeBy((call, answer) => (isLens(call) && readsBy(call) === method ? { ...answer, result: "0x" } : answer))
          assert.deepStrictEqual((yield* learn).answers, yield* plainly)
        }
      })
  )

  it.scoped("sends plainly what a lens that was believed does not answer, in the same level", () =>
    Effect.gen(function* () {
      const { changeBy, learn, plainly } = yield* setUp
      const expected = yield* plainly
      yield* learn
      const changes: ReadonlyArray<Change> = [
        (call, answer) => (isLens(call) ? { ...answer, result: "0x" } : answer),
        (_, { id }) => ({ id, error: { code: -32000, message: "out of gas" } })
      ]
      for (const change of changes) {
        changeBy((call, answer) => (isLens(call) ? change(call, answer) : answer))
        const { answers, spending } = yield* learn
        assert.deepStrictEqual(answers, expected)
        assert.strictEqual(spending.levels, 1)
      }
    })
  )

  const differing: ReadonlyArray<readonly [string, Change]> = [
    [
      "storage is lost under the code of a lens",
      (call, answer) =>
        isLens(call)
          ? { ...answer, result: String(answer.result).replaceAll(word(9n).slice(2), word(0n).slice(2)) }
          : answer
    ],
    [
      "contracts see other balances than the endpoint says",
      (call, answer) => (call.method === "eth_getBalance" ? { ...answer, result: `${answer.result}0` } : answer)
    ],
    [
      "a call without a sender has one",
      (call, answer) =>
        JSON.stringify(call.params).includes(callerOrOrigin) ? { ...answer, result: word(1n) } : answer
    ],
    ["no lens is answered", (call, answer) => (isLens(call) ? { ...answer, result: "0x" } : answer)]
  ]

  for (const [where, change] of differing) {
    it.scoped(`believes no lens where ${where}, and stops trying`, () =>
      Effect.gen(function* () {
        const { changeBy, learn, plainly } = yield* setUp
        changeBy(change)
        const expected = yield* plainly
        const calls: Array<number> = []
        for (let run = 0; run < 10; run++) {
          const { answers, spending } = yield* learn
          assert.deepStrictEqual(answers, expected)
          calls.push(spending.calls)
        }
        const last = calls.at(-1) ?? 0
        assert.isAtMost(last, reads)
        assert.strictEqual(calls.at(-2), last)
      })
    )
  }

  it.scoped("counts a lens once, however many reads it answers, and needs room for it", () =>
    Effect.gen(function* () {
      const { learn, within } = yield* setUp
      yield* learn
      const { answers, spending } = yield* within(reads + 3)
      assert.isTrue(answers.every(Either.isRight))
      assert.strictEqual(spending.calls, 2 + lying.length)
      const tight = yield* within(reads)
      assert.isTrue(tight.answers.every(Either.isRight))
      assert.strictEqual(tight.spending.calls, reads)
    })
  )
})
