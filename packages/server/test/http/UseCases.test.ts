import { Analyzer, Entropy, ExecutionStore, Executions, Invitations, KeyStore, Quota, Storage } from "@assay/core"
import { describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Redacted, Ref, TestClock } from "effect"
import { assert } from "vitest"
import * as TestServer from "../TestServer.js"

const { createKey, send, target } = TestServer

const count = Effect.runSync(Ref.make(0))
const started = Effect.runSync(Deferred.make<void>())
const joined = Effect.runSync(Deferred.make<void>())
const gate = Effect.runSync(Deferred.make<void>())

/** Analyses that wait at the gate where the address says so. */
const analyzer = Layer.succeed(Analyzer.Analyzer, {
  analyzeMany: () => Effect.die("not scripted"),
  verify: () => Effect.die("not scripted"),
  analyze: (request) =>
    Effect.gen(function* () {
      yield* Ref.update(count, (before) => before + 1)
      if (request.address.toLowerCase() === target.mismatch)
        return yield* new Analyzer.TargetMismatch({
          detected: "empty",
          target: { ...request, chain: { id: request.chain.id, name: request.chain.name } }
        })
      if (request.address.toLowerCase() === target.slow) {
        yield* Deferred.succeed(started, undefined)
        yield* Deferred.await(gate)
      }
      const { engine_version, evidence, facts, recipes, ruleset_version, sources, warnings } = TestServer.result(
        request,
        TestServer.executionId
      )
      return {
        target: { kind: request.kind, address: request.address, chain: { id: 31_337, name: "sandbox" } },
        status: "complete" as const,
        block: TestServer.report.head.block,
        content_hash: TestServer.contentHash,
        engine_version,
        ruleset_version,
        evidence,
        facts,
        recipes,
        sources,
        warnings
      }
    }),
  ruleset: Effect.succeed({ rules: [], optional: [], version: "0" }),
  engineVersion: "0"
})

const kept = Effect.runSync(Effect.scoped(Layer.build(ExecutionStore.layerMemory)))

/** The memory store, which says when an execution was joined. */
const executionStore = Layer.effect(
  ExecutionStore.ExecutionStore,
  Effect.map(ExecutionStore.ExecutionStore, (store) => ({
    ...store,
    begin: (request) =>
      Effect.tap(store.begin(request), ({ _tag }) =>
        _tag === "Joined" ? Deferred.succeed(joined, undefined) : Effect.void
      )
  }))
).pipe(Layer.provide(Layer.succeedContext(kept)))

const useCases = Layer.provideMerge(
  Executions.layer().pipe(
    Layer.provide(Quota.layer()),
    Layer.provide(executionStore),
    Layer.provide(Storage.layerMemory)
  ),
  analyzer
)

describe("the API over the real use-cases", () => {
  layer(TestServer.over(useCases, { limits: { ...TestServer.config.limits, dailyQuota: 2 } }))("metered", (it) => {
    it.effect("a call that joins a running execution gets its result and is charged nothing", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const before = yield* Ref.get(count)
        const call = send(`/api/v1/token/${target.slow}`, { key })
        const first = yield* Effect.fork(call)
        yield* Deferred.await(started)
        const second = yield* Effect.fork(call)
        const lists = Effect.map(send("/api/v1/executions", { key }), ({ json }) => json.data)
        const [stub] = yield* lists
        assert.strictEqual(stub.status, "running")
        const running = yield* send(`/api/v1/executions/${stub.execution_id}`, { key })
        assert.strictEqual(running.headers.get("retry-after"), "2")
        assert.isNull(running.headers.get("etag"))
        yield* Deferred.await(joined)
        yield* Deferred.succeed(gate, undefined)
        const owner = yield* first
        // Who joined looks again every second of a clock that only the test moves.
        const joiner = yield* Effect.raceFirst(Fiber.join(second), Effect.forever(TestClock.adjust("1 second")))
        const answers = [owner, joiner]
        for (const { json, status } of answers) {
          assert.strictEqual(status, 200)
          assert.strictEqual(json.execution_id, stub.execution_id)
        }
        const charged = answers.map(({ headers }) => headers.get("units-charged"))
        assert.deepStrictEqual(charged, ["1", "0"])
        assert.strictEqual(yield* Ref.get(count), before + 1)
      })
    )

    it.effect("the quota is spent by results alone, and its end is a problem that says when it returns", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        assert.strictEqual((yield* send(`/api/v1/token/${target.mismatch}`, { key })).json.code, "target_mismatch")
        assert.strictEqual((yield* send("/api/v1/token/x", { key })).status, 422)
        for (const remaining of [1, 0]) {
          const answer = yield* send(`/api/v1/wallet/${target.works}`, { key })
          assert.strictEqual(answer.status, 200)
          assert.include(answer.headers.get("ratelimit") ?? "", `"daily";r=${remaining};`)
        }
        const refused = yield* send(`/api/v1/wallet/${target.works}`, { key })
        assert.strictEqual(refused.status, 429)
        assert.strictEqual(refused.json.code, "quota_exceeded")
        assert.deepStrictEqual(refused.json.violated_policies, ["daily"])
        assert.strictEqual(refused.headers.get("units-charged"), "0")
        assert.strictEqual(refused.headers.get("retry-after"), String(refused.json.retry_after_seconds))
        const usage = yield* send("/api/v1/usage", { key })
        assert.deepInclude(usage.json, { used: 2, reserved: 0, remaining: 0, daily_quota: 2 })
        const { json } = yield* send("/api/v1/executions?target=wallet", { key })
        assert.strictEqual(json.data.length, 2)
      })
    )

    it.effect(
      "a request that is repeated with its Idempotency-Key is charged once, and another one with it is refused",
      () =>
        Effect.gen(function* () {
          const key = yield* createKey
          const ask = (path: string, name: string) =>
            send(`/api/v1/${path}`, { key, headers: { "idempotency-key": name } })
          const longest = "k".repeat(255)
          const first = yield* ask(`token/${target.works}`, longest)
          const again = yield* ask(`token/${target.works}?chain=31337`, longest)
          const charged = [first, again].map(({ headers }) => headers.get("units-charged"))
          assert.deepStrictEqual(charged, ["1", "0"])
          assert.deepStrictEqual(again.json, { ...first.json, units: 0 })
          for (const path of [`wallet/${target.works}`, `token/${target.works}?summary=false`]) {
            const refused = yield* ask(path, longest)
            assert.deepStrictEqual([refused.status, refused.json.code], [422, "idempotency_key_reused"])
            assert.strictEqual(refused.headers.get("units-charged"), "0")
          }
          for (const [name, code] of [
            [`${longest}k`, "too_long"],
            ["caf\u00e9", "not_allowed"],
            ["", "too_short"]
          ] as const) {
            const refused = yield* ask(`token/${target.works}`, name)
            assert.deepStrictEqual([refused.status, refused.json.code], [422, "validation_failed"])
            assert.deepInclude(refused.json.errors[0], { header: "Idempotency-Key", code })
          }
          // Elsewhere it means nothing.
          assert.strictEqual((yield* ask("usage", longest)).status, 200)
          assert.deepInclude((yield* send("/api/v1/usage", { key })).json, { used: 1, reserved: 0 })
        })
    )

    it.effect("an execution past its retention is gone for its owner, and was never there for anybody else", () =>
      Effect.gen(function* () {
        const [key, stranger] = [yield* createKey, yield* createKey]
        const path = `/api/v1/token/${target.works}`
        const old = (yield* send(path, { key })).json.execution_id
        const recent = (yield* send(path, { key })).json.execution_id
        yield* (yield* Effect.provide(ExecutionStore.ExecutionStore, kept)).remove([old], 0)
        const paths = [
          `/api/v1/executions/${old}`,
          `/api/v1/executions/${old}/changes`,
          `/api/v1/executions/${recent}/changes?base=${old}`,
          `${path}?compare_to=${old}`
        ]
        for (const asked of paths) {
          const mine = yield* send(asked, { key })
          assert.deepStrictEqual([mine.status, mine.json.code, mine.json.retryable], [410, "execution_expired", false])
          const theirs = yield* send(asked, { key: stranger })
          assert.deepStrictEqual([theirs.status, theirs.json.code], [404, "not_found"])
        }
        assert.deepInclude((yield* send("/api/v1/usage", { key })).json, { used: 2, reserved: 0 })
      })
    )

    it.effect("the ledger of a day has its units, one of them given back, and refuses what is no day", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const { execution_id } = (yield* send(`/api/v1/token/${target.works}`, { key })).json
        yield* send(`/api/v1/token/${target.mismatch}`, { key })
        const { data, next_cursor } = (yield* send("/api/v1/usage/ledger", { key })).json
        assert.isNull(next_cursor)
        assert.deepStrictEqual(
          data.map(({ kind, state }: { readonly kind: string; readonly state: string }) => `${kind} ${state}`).sort(),
          ["token committed", "token released"]
        )
        assert.include(JSON.stringify(data), execution_id)
        const today = data[0].at.slice(0, 10)
        assert.deepStrictEqual((yield* send(`/api/v1/usage/ledger?day=${today}`, { key })).json.data, data)
        assert.deepStrictEqual((yield* send("/api/v1/usage/ledger?day=2001-02-28", { key })).json.data, [])
        for (const day of ["2026-02-30", "2026-2-3", "today", ""]) {
          const refused = (yield* send(`/api/v1/usage/ledger?day=${day}`, { key })).json
          assert.deepStrictEqual([refused.status, refused.errors[0].parameter], [422, "day"], day)
        }
        assert.strictEqual((yield* send("/api/v1/usage/ledger?cursor=x", { key })).status, 400)
      })
    )

    it.effect("a list goes on where its cursor says", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        for (const kind of ["token", "contract"]) yield* send(`/api/v1/${kind}/${target.works}`, { key })
        const first = yield* send("/api/v1/executions?limit=1", { key })
        const second = yield* send(`/api/v1/executions?limit=1&cursor=${encodeURIComponent(first.json.next_cursor)}`, {
          key
        })
        assert.notStrictEqual(first.json.data[0].execution_id, second.json.data[0].execution_id)
        assert.isNull(second.json.next_cursor)
        const [newest, oldest] = [first.json.data[0].execution_id, second.json.data[0].execution_id]
        const compared = yield* send(`/api/v1/executions/${newest}/changes?base=${oldest}`, { key })
        assert.strictEqual(compared.json.code, "not_comparable")
      })
    )
  })

  layer(TestServer.over(useCases, { keys: { ...TestServer.config.keys, creation: "closed" } }))("closed", (it) => {
    it.effect("gives no key to whoever requests one, says so in a problem, and stores nothing", () =>
      Effect.gen(function* () {
        const refused = yield* send("/api/v1/keys", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ label: "test" })
        })
        assert.deepStrictEqual(
          [refused.status, refused.json.code, refused.json.retryable],
          [403, "key_creation_closed", false]
        )
        assert.strictEqual((yield* send(refused.json.type)).status, 200)
        assert.deepStrictEqual((yield* (yield* KeyStore.KeyStore).list({ limit: 1, before: Option.none() })).data, [])
        const page = (yield* send("/api/v1/welcome")).text
        assert.notInclude(page, "curl -s $API/keys")
        assert.include(page, "From the operator of this server")
      })
    )
  })

  layer(TestServer.over(useCases, { perSource: true, keys: { ...TestServer.config.keys, creation: "invite" } }))(
    "by invitation",
    (it) => {
      const create = (members: object) =>
        send("/api/v1/keys", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ label: "test", ...members })
        })

      it.effect("slows down who tries invitations, and no invitation that is good", () =>
        Effect.gen(function* () {
          const { secret } = yield* Invitations.make({ label: "many", plan: Option.none(), uses: 9, days: 1 }).pipe(
            Effect.provide(Entropy.layer)
          )
          for (let tried = 0; tried < 30; tried++) {
            const refused = yield* create({ invitation: `asi_${"0".repeat(32)}` })
            assert.deepStrictEqual([refused.status, refused.json.code], [403, "invitation_refused"])
          }
          assert.deepStrictEqual((yield* create({ invitation: "one more" })).json.violated_policies, [
            "authentication-failures"
          ])
          // More than a source creates in an hour without an invitation.
          for (let made = 0; made < 6; made++)
            assert.strictEqual((yield* create({ invitation: Redacted.value(secret) })).status, 201)
          assert.strictEqual((yield* create({ invitation: "x".repeat(201) })).status, 422)
          const page = (yield* send("/api/v1/welcome")).text
          assert.include(page, "&quot;invitation&quot;:&quot;asi_…&quot;")
        })
      )
    }
  )
})
