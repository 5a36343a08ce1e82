import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Either, Fiber, Layer, type Scope, TestClock } from "effect"
import * as Endpoint from "../../../src/chain/rpc/Endpoint.js"
import * as Transport from "../../../src/chain/rpc/Transport.js"
import { type FakeNode, fakeNode, type Refusal, standard } from "../FakeNode.js"

const transport = Transport.layerHttpClient().pipe(Layer.provide(FetchHttpClient.layer))

const test = (title: string, body: () => Effect.Effect<unknown, unknown, Transport.Transport | Scope.Scope>) =>
  it.scoped(title, () => Effect.provide(body(), transport))

const endpointOf = (node: FakeNode, options: Endpoint.EndpointOptions = {}) =>
  Effect.flatMap(Transport.Transport, (transport) => Endpoint.make(transport, node.url, 31_337, options))

const balance = { method: "eth_getBalance", params: ["0x01", "latest"] }

const reasons = (answers: ReadonlyArray<Either.Either<unknown, { readonly reason: string }>>) =>
  answers.map(Either.match({ onLeft: ({ reason }) => reason, onRight: () => "answered" }))

/** Makes the fake node answer `refusals` in turn, then as it should, and reports when each request arrived. */
const flaky = (refusals: ReadonlyArray<Refusal>) =>
  Effect.gen(function* () {
    let served = 0
    const waiting: Array<() => void> = []
    const node = yield* fakeNode(standard(), {
      refuse: () => {
        const refusal = refusals[served++]
        for (const wake of waiting.splice(0)) wake()
        return refusal
      }
    })
    const arrivals = (count: number) =>
      Effect.promise(async () => {
        while (served < count) await new Promise<void>((resolve) => waiting.push(resolve))
      })
    return { node, arrivals }
  })

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** The client learns of an answer some turns after the server gave it; only then does it start to wait. */
const untilItSleepsFor = (duration: Duration.DurationInput) =>
  Effect.gen(function* () {
    const clock = yield* TestClock.testClock()
    const wanted = Duration.toMillis(duration)
    while (![...(yield* clock.sleeps)].includes(wanted)) yield* turn
  })

/** Moves the time on until an effect has ended. */
const meanwhile = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.raceFirst(effect, Effect.forever(Effect.zipRight(turn, TestClock.adjust("100 millis"))))

const untilIn = (duration: Duration.DurationInput): Endpoint.Meter => ({
  ...Endpoint.unmetered,
  // The test clock begins at 0.
  turn: { ...Endpoint.unmetered.turn, until: Duration.toMillis(duration) }
})

const meterOf = (budget: number) => {
  let taken = 0
  let sent = 0
  const meter: Endpoint.Meter = {
    ...Endpoint.unmetered,
    take: (calls) => {
      if (taken + calls > budget) return false
      taken += calls
      return true
    },
    sent: (requests) => {
      sent += requests
    }
  }
  return { meter, sent: () => sent }
}

describe("Endpoint", () => {
  test("repeats a constructor alone where a batch timed out, so that it takes no other call with it", () =>
    Effect.gen(function* () {
      const constructs = ({ method, params }: { readonly method: string; readonly params: ReadonlyArray<unknown> }) =>
        method === "eth_call" && !("to" in (params[0] as object))
      const node = yield* fakeNode(standard(), { refuse: (calls) => (calls.some(constructs) ? "hang" : undefined) })
      const endpoint = yield* endpointOf(node, { retryDelay: 0 })
      const calls = [
        ...Array.from({ length: 16 }, () => balance),
        { method: "eth_call", params: [{ data: "0x00" }, "latest"] }
      ]
      const answers = yield* meanwhile(endpoint.send(calls, Endpoint.unmetered))
      assert.deepStrictEqual(reasons(answers), [...Array.from({ length: 16 }, () => "answered"), "rpc_error"])
      assert.deepStrictEqual(
        node.requests.map((calls) => calls.length).sort((a, b) => b - a),
        [17, ...Array.from({ length: 8 }, () => 2), 1]
      )
    }))

  test("retries temporary faults, later each time, and no more often than configured", () =>
    Effect.gen(function* () {
      const { arrivals, node } = yield* flaky([
        { status: 503, body: "" },
        { status: 500, body: "" },
        { status: 502, body: "" }
      ])
      const endpoint = yield* endpointOf(node)
      const sending = yield* Effect.fork(endpoint.send([balance], Endpoint.unmetered))
      yield* arrivals(1)
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(node.requests.length, 1)
      yield* Effect.forEach([2, 3], (count) =>
        Effect.gen(function* () {
          // A timer of the request's own timeout sleeps too, so it is time that is moved, never counted.
          const moving = yield* Effect.fork(Effect.forever(Effect.zipRight(turn, TestClock.adjust("50 millis"))))
          yield* arrivals(count)
          yield* Fiber.interrupt(moving)
        })
      )
      assert.deepStrictEqual(reasons(yield* sending), ["rpc_error"])
      assert.strictEqual(node.requests.length, 3)
    }))

  test("waits as long as the endpoint demands, and gives up where that is too long", () =>
    Effect.gen(function* () {
      const patient = yield* flaky([{ status: 429, body: "", headers: { "retry-after": "3" } }])
      const endpoint = yield* endpointOf(patient.node, { retryDelay: 0 })
      const sending = yield* Effect.fork(endpoint.send([balance], Endpoint.unmetered))
      yield* patient.arrivals(1)
      yield* untilItSleepsFor("3 seconds")
      yield* TestClock.adjust("2999 millis")
      assert.strictEqual(patient.node.requests.length, 1)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(reasons(yield* sending), ["answered"])

      const greedy = yield* flaky([{ status: 429, body: "", headers: { "retry-after": "3600" } }])
      const other = yield* endpointOf(greedy.node, { retryDelay: 0 })
      assert.deepStrictEqual(reasons(yield* other.send([balance], untilIn("180 seconds"))), ["rate_limited"])
      assert.strictEqual(greedy.node.requests.length, 1)
    }))

  test("sends what is refused for its rate again until the reader's time is over, at no cost to its budget", () =>
    Effect.gen(function* () {
      const tooMany = { error: { code: -32005, message: "rate limit" } }
      let refusals = 12
      const node = yield* fakeNode((call) => (refusals-- > 0 ? tooMany : standard()(call)))
      const endpoint = yield* endpointOf(node)
      const { meter } = meterOf(0)
      assert.deepStrictEqual(reasons(yield* meanwhile(endpoint.send([balance], meter))), ["answered"])
      refusals = Number.POSITIVE_INFINITY
      const late = { ...meter, turn: { ...meter.turn, until: (yield* Clock.currentTimeMillis) + 60_000 } }
      const before = yield* Clock.currentTimeMillis
      assert.deepStrictEqual(reasons(yield* meanwhile(endpoint.send([balance], late))), ["rate_limited"])
      assert.isAtLeast((yield* Clock.currentTimeMillis) - before, 60_000)
    }))

  test("tries again only the calls that failed", () =>
    Effect.gen(function* () {
      let busy = true
      const node = yield* fakeNode((call) => {
        if (call.method !== "eth_getCode" || !busy) return standard()(call)
        busy = false
        return { error: { code: -32005, message: "rate limit" } }
      })
      const endpoint = yield* endpointOf(node, { retryDelay: 0 })
      const code = { method: "eth_getCode", params: ["0x01", "latest"] }
      const unknown = { method: "eth_foo", params: [] }
      const answers = yield* meanwhile(endpoint.send([balance, code, unknown], Endpoint.unmetered))
      assert.deepStrictEqual(reasons(answers), ["answered", "answered", "method_unsupported"])
      assert.deepStrictEqual(
        node.requests.map((calls) => calls.map(({ method }) => method)),
        [["eth_getBalance", "eth_getCode", "eth_foo"], ["eth_getCode"]]
      )
    }))

  test("never retries past the reader's budget", () =>
    Effect.gen(function* () {
      const { node } = yield* flaky(Array.from({ length: 9 }, () => ({ status: 503, body: "" })))
      const endpoint = yield* endpointOf(node, { retryDelay: 0, retries: 9 })
      const { meter, sent } = meterOf(3)
      assert.deepStrictEqual(reasons(yield* endpoint.send([balance, balance], meter)), ["rpc_error", "rpc_error"])
      assert.strictEqual(sent(), 2)
    }))

  test("finds what a full node can do, with one probe", () =>
    Effect.gen(function* () {
      const node = yield* fakeNode(standard())
      const endpoint = yield* endpointOf(node)
      const { capabilities } = yield* endpoint.probe
      for (const [name, shown] of Object.entries(capabilities)) assert.deepStrictEqual(shown, Either.right(true), name)
      const asked = node.requests.length
      yield* endpoint.probe
      yield* TestClock.adjust("9 minutes")
      yield* endpoint.probe
      assert.strictEqual(node.requests.length, asked)
      yield* TestClock.adjust("1 minute")
      yield* endpoint.probe
      assert.strictEqual(node.requests.length, 2 * asked)
    }))

  test("claims nothing of what it could not find out, and finds out again soon", () =>
    Effect.gen(function* () {
      let busy = true
      const node = yield* fakeNode((call) =>
        call.method === "eth_simulateV1" && busy
          ? { error: { code: 429, message: "too many requests" } }
          : standard()(call)
      )
      const endpoint = yield* endpointOf(node, { retryDelay: 0, patience: "20 seconds" })
      const before = yield* meanwhile(endpoint.probe)
      assert.deepStrictEqual(reasons([before.capabilities.simulateV1]), ["rate_limited"])
      assert.deepStrictEqual(before.capabilities.codeOverride, Either.right(true))
      busy = false
      yield* TestClock.adjust("30 seconds")
      const after = yield* meanwhile(endpoint.probe)
      assert.deepStrictEqual(after.capabilities.simulateV1, Either.right(true))
    }))

  test("repeats probes that are refused for their rate until they are answered", () =>
    Effect.gen(function* () {
      let refusals = 20
      const node = yield* fakeNode(standard(), {
        refuse: () => (refusals-- > 0 ? { status: 429, body: "" } : undefined)
      })
      const endpoint = yield* endpointOf(node)
      const { capabilities } = yield* meanwhile(endpoint.probe)
      for (const [name, shown] of Object.entries(capabilities)) assert.deepStrictEqual(shown, Either.right(true), name)
    }))

  test("says nothing at all of what a dead endpoint can do", () =>
    Effect.gen(function* () {
      const { node } = yield* flaky(Array.from({ length: 99 }, () => ({ status: 503, body: "" })))
      const endpoint = yield* endpointOf(node, { retryDelay: 0 })
      assert.strictEqual((yield* Effect.flip(endpoint.probe)).kind, "outage")
    }))

  test("halves a batch of which the endpoint answers only a part, and remembers what it takes", () =>
    Effect.gen(function* () {
      // As geth does: answers until they are too long together.
      const node = yield* fakeNode(standard(), {
        refuse: (calls, isBatch) =>
          !isBatch || calls.length <= 3
            ? undefined
            : {
                status: 200,
                body: JSON.stringify(
                  calls.map((_, index) =>
                    index < 2
                      ? { jsonrpc: "2.0", id: index + 1, result: "0x5" }
                      : { jsonrpc: "2.0", id: index + 1, error: { code: -32003, message: "response too large" } }
                  )
                )
              }
      })
      const endpoint = yield* endpointOf(node, { retryDelay: 0 })
      const many = Array.from({ length: 24 }, (_, index) => ({ ...balance, params: [`0x${index}`, "latest"] }))
      assert.deepStrictEqual(new Set(reasons(yield* endpoint.send(many, Endpoint.unmetered))), new Set(["answered"]))
      node.forget()
      assert.deepStrictEqual(new Set(reasons(yield* endpoint.send(many, Endpoint.unmetered))), new Set(["answered"]))
      assert.isAtMost(Math.max(...node.requests.map((calls) => calls.length)), 3)
    }))

  for (const [what, said] of [
    ["null", { result: null }],
    ["an odd answer", { result: "latest" }],
    ["an unknown block", { error: { code: -32001, message: "Unknown block number" } }],
    ["an internal error", { error: { code: -32603, message: "Internal error" } }]
  ] as const)
    for (const method of ["eth_chainId", "eth_getBlockByNumber"])
      test(`retries where ${method} is answered by ${what} once`, () =>
        Effect.gen(function* () {
          const odd = new Set<string>()
          const node = yield* fakeNode((call) => {
            if (call.method !== method || odd.has(method)) return standard()(call)
            odd.add(method)
            return said
          })
          const endpoint = yield* endpointOf(node, { retryDelay: 0 })
          assert.strictEqual((yield* endpoint.probe).head.number, 1_000)
        }))
})
