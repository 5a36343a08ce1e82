import { FetchHttpClient, type HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, type Layer, Redacted, Schema, TestClock } from "effect"
import type { ChainError } from "../../../src/chain/ChainError.js"
import * as HttpSource from "../../../src/chain/sources/HttpSource.js"
import * as CanonicalJson from "../../../src/domain/CanonicalJson.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Timestamp from "../../../src/domain/Timestamp.js"
import * as FakeService from "./FakeService.js"

const Said = Schema.Struct({ said: Schema.String })

const decode: HttpSource.Decode<string> = (body, status) =>
  Either.mapBoth(Schema.decodeUnknownEither(Said)(body), {
    onLeft: () => ({ reason: "source_unavailable" as const, detail: "not as documented" }),
    onRight: ({ said }) => `${status} ${said}`
  })

const block = { number: 1, hash: `0x${"b1".repeat(32)}` as Hex, timestamp: Timestamp.fromMillis(0) }

const says =
  (said: string): FakeService.Behaviour =>
  () => ({ body: { said } })

/** Neither paces nor waits, so that only tests with a clock of their own depend on time. */
const source = (options: HttpSource.HttpSourceOptions = {}) =>
  HttpSource.make("the service", { perSecond: Number.POSITIVE_INFINITY, retryDelay: 0, ...options })

const outcome = <A>(answer: Effect.Effect<HttpSource.HttpAnswer<A>, ChainError>) =>
  Effect.map(
    Effect.either(answer),
    Either.match({ onLeft: ({ detail, reason }) => `${reason}: ${detail}`, onRight: ({ value }) => value })
  )

const clients: ReadonlyArray<readonly [string, Layer.Layer<HttpClient.HttpClient>]> = [
  ["fetch", FetchHttpClient.layer],
  ["undici", NodeHttpClient.layerUndici]
]

for (const [name, client] of clients)
  describe(`HttpSource over ${name}`, () => {
    it.scoped(
      "gives the answer, with the hashes of the URL and of the canonical body, and how to repeat the request",
      () =>
        Effect.gen(function* () {
          const service = yield* FakeService.start(() => ({ body: '{ "z": [1.0], "said" : "ünïcode" }' }))
          const url = `${service.url}/v2/x?fields=a.b`
          const { observation, recipe, value } = yield* (yield* source()).get({ url }, decode)
          assert.strictEqual(value, "200 ünïcode")
          assert.deepStrictEqual(observation(block), {
            method: "GET",
            params_hash: CanonicalJson.hash([url]),
            block_hash: block.hash,
            answer_hash: CanonicalJson.hash({ said: "ünïcode", z: [1] })
          })
          assert.deepStrictEqual(recipe, { method: "GET", params_hash: CanonicalJson.hash([url]), params: [url] })
          assert.deepInclude(service.requests[0], { method: "GET", path: "/v2/x", query: { fields: "a.b" } })
        }).pipe(Effect.provide(client))
    )

    it.scoped("sends secrets with the query and shows them to nobody, failures included", () =>
      Effect.gen(function* () {
        const service = yield* FakeService.start(says("yes"))
        const asking = yield* source()
        const secrets = { apikey: Redacted.make("hunter2") }
        const answer = yield* asking.get({ url: `${service.url}/a?x=1`, secrets }, decode)
        assert.deepStrictEqual(service.requests[0]?.query, { x: "1", apikey: "hunter2" })
        assert.notInclude(JSON.stringify([answer, answer.observation(block)]), "hunter2")
        service.become(() => ({ body: { said: 1, echo: "hunter2" } }))
        const error = yield* Effect.flip(asking.get({ url: `${service.url}/b`, secrets }, decode))
        assert.notInclude(JSON.stringify(error), "hunter2")
        service.become(() => "reset")
        const broken = yield* Effect.flip(asking.get({ url: `${service.url}/c`, secrets }, decode))
        assert.notInclude(`${JSON.stringify(broken)} ${broken.message} ${broken.stack}`, "hunter2")
      }).pipe(Effect.provide(client))
    )

    it.scoped("sends no trace headers to the service", () =>
      Effect.gen(function* () {
        const service = yield* FakeService.start(says("yes"))
        yield* Effect.withSpan((yield* source()).get({ url: service.url }, decode), "ours")
        const { headers } = service.requests[0] ?? { headers: {} }
        assert.notProperty(headers, "traceparent")
        assert.notProperty(headers, "b3")
      }).pipe(Effect.provide(client))
    )

    it.scoped("takes a 404 with JSON for an answer", () =>
      Effect.gen(function* () {
        const service = yield* FakeService.start(() => ({ status: 404, body: { said: "no" } }))
        assert.strictEqual(yield* outcome((yield* source()).get({ url: service.url }, decode)), "404 no")
      }).pipe(Effect.provide(client))
    )

    const faults: ReadonlyArray<readonly [string, FakeService.Behaviour, string, number]> = [
      ["an answer that is no JSON", () => ({ body: "<html>" }), "source_unavailable: its answer (200) is no JSON", 1],
      ["an empty answer", () => ({ body: "" }), "source_unavailable: its answer (200) is no JSON", 1],
      [
        "an answer nested without end",
        () => ({ body: `{"said":${"[".repeat(100_000)}${"]".repeat(100_000)}}` }),
        "source_unavailable: its answer (200) is no JSON",
        1
      ],
      ["another answer than documented", () => ({ body: { say: 1 } }), "source_unavailable: not as documented", 1],
      [
        "more than it may say",
        () => ({ body: { said: "x".repeat(2_000) } }),
        "source_unavailable: it could not be reached, or answered too much",
        2
      ],
      ["a broken connection", () => "reset", "source_unavailable: it could not be reached, or answered too much", 2],
      ["a server error", () => ({ status: 503, body: { said: "x" } }), "source_unavailable: it answered 503", 2],
      ["a refusal", () => ({ status: 403, body: { said: "x" } }), "source_unavailable: it answered 403", 1],
      ["too many requests", () => ({ status: 429, body: { said: "x" } }), "rate_limited: it answered 429", 1]
    ]
    for (const [what, behaviour, expected, requests] of faults)
      it.scoped(`${what} is no answer, after ${requests} requests`, () =>
        Effect.gen(function* () {
          const service = yield* FakeService.start(behaviour)
          const asking = yield* source({ maxBodyBytes: what.includes("nested") ? 1_000_000 : 1_000 })
          assert.strictEqual(yield* outcome(asking.get({ url: service.url }, decode)), expected)
          assert.strictEqual(service.requests.length, requests)
        }).pipe(Effect.provide(client))
      )

    it.scoped("follows no redirect", () =>
      Effect.gen(function* () {
        const elsewhere = yield* FakeService.start(says("elsewhere"))
        const service = yield* FakeService.start(() => ({
          status: 302,
          headers: { location: elsewhere.url },
          body: { said: "here" }
        }))
        const told = yield* outcome((yield* source()).get({ url: service.url }, decode))
        assert.match(told, /^source_unavailable: /)
        assert.deepStrictEqual(elsewhere.requests, [])
      }).pipe(Effect.provide(client))
    )

    it.scoped("gives up on silence, after one retry", () =>
      Effect.gen(function* () {
        const service = yield* FakeService.start(() => "hang")
        const asking = yield* source({ timeout: "3 seconds" })
        const answer = yield* Effect.fork(outcome(asking.get({ url: service.url }, decode)))
        for (const asked of [1, 2]) {
          while (service.requests.length < asked) yield* Effect.promise(() => new Promise(setImmediate))
          yield* TestClock.adjust("3 seconds")
        }
        assert.strictEqual(yield* Fiber.join(answer), "source_unavailable: it did not answer in time")
        assert.strictEqual(service.requests.length, 2)
      }).pipe(Effect.provide(client))
    )
  })

describe("HttpSource", () => {
  it.scoped("shares one request among concurrent callers, and with those of the next minute", () =>
    Effect.gen(function* () {
      const service = yield* FakeService.start(says("yes"))
      const asking = yield* source()
      const url = `${service.url}/same`
      const ask = outcome(asking.get({ url }, decode))
      assert.deepStrictEqual(yield* Effect.all([ask, ask, ask], { concurrency: "unbounded" }), [
        "200 yes",
        "200 yes",
        "200 yes"
      ])
      service.become(says("no"))
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* ask, "200 yes")
      assert.strictEqual(service.requests.length, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* ask, "200 no")
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.scoped("does not keep a failure, but leaves alone for a while what could not be read", () =>
    Effect.gen(function* () {
      const service = yield* FakeService.start(() => ({ status: 500, body: "" }))
      const asking = yield* source({ retries: 0, rest: "10 seconds" })
      const ask = (path: string) => outcome(asking.get({ url: `${service.url}${path}` }, decode))
      assert.strictEqual(yield* ask("/a"), "source_unavailable: it answered 500")
      service.become(says("back"))
      assert.strictEqual(yield* ask("/b"), "source_unavailable: it answered 500")
      assert.strictEqual(service.requests.length, 1)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual([yield* ask("/a"), yield* ask("/b")], ["200 back", "200 back"])
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.scoped("waits as long as a service demands when it takes no more requests, in words or by its status", () =>
    Effect.gen(function* () {
      const service = yield* FakeService.start(() => ({ status: 429, headers: { "retry-after": "120" }, body: "" }))
      const asking = yield* source()
      const ask = (path: string) => outcome(asking.get({ url: `${service.url}${path}` }, decode))
      assert.strictEqual(yield* ask("/a"), "rate_limited: it answered 429")
      service.become(says("back"))
      yield* TestClock.adjust("119 seconds")
      assert.strictEqual(yield* ask("/a"), "rate_limited: it answered 429")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* ask("/a"), "200 back")
      const inWords = asking.get({ url: `${service.url}/c` }, () =>
        Either.left({ reason: "rate_limited" as const, detail: "it says so" })
      )
      assert.strictEqual(yield* outcome(inWords), "rate_limited: it says so")
      assert.strictEqual(yield* ask("/d"), "rate_limited: it says so")
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.scoped("sends no faster than it may, and refuses who would wait too long for a turn", () =>
    Effect.gen(function* () {
      const service = yield* FakeService.start(says("yes"))
      const asking = yield* source({ perSecond: 1, timeout: "2 seconds", concurrency: 10 })
      const asks = [1, 2, 3, 4, 5].map((id) => outcome(asking.get({ url: `${service.url}/${id}` }, decode)))
      const all = yield* Effect.fork(Effect.all(asks, { concurrency: "unbounded" }))
      for (const sent of [1, 2, 3]) {
        while (service.requests.length < sent) yield* Effect.promise(() => new Promise(setImmediate))
        assert.strictEqual(service.requests.length, sent)
        yield* TestClock.adjust("1 second")
      }
      const refused = "rate_limited: too much was asked of it at once"
      assert.deepStrictEqual(yield* Fiber.join(all), ["200 yes", "200 yes", "200 yes", refused, refused])
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.scoped("lets nobody wait again for what another was just seen not to answer", () =>
    Effect.gen(function* () {
      const service = yield* FakeService.start(() => "hang")
      const asking = yield* source({ concurrency: 1, retries: 0, timeout: "3 seconds" })
      const asks = [1, 2, 3, 4].map((id) => outcome(asking.get({ url: `${service.url}/${id}` }, decode)))
      const all = yield* Effect.fork(Effect.all(asks, { concurrency: "unbounded" }))
      while (service.requests.length === 0) yield* Effect.promise(() => new Promise(setImmediate))
      yield* TestClock.adjust("3 seconds")
      const silence = "source_unavailable: it did not answer in time"
      assert.deepStrictEqual(yield* Fiber.join(all), [silence, silence, silence, silence])
      assert.strictEqual(service.requests.length, 1)
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.scoped("goes on for the others when one caller goes away", () =>
    Effect.gen(function* () {
      const service = yield* FakeService.start(says("yes"))
      const asking = yield* source()
      const ask = outcome(asking.get({ url: service.url }, decode))
      const first = yield* Effect.fork(ask)
      const second = yield* Effect.fork(ask)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* Fiber.join(second), "200 yes")
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})
