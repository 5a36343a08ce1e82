import { Analyzer, Checks, Executions, Quota, Storage } from "@assay/core"
import { Documents, ScriptedAnalyzer } from "@assay/core/testing"
import { describe, layer } from "@effect/vitest"
import { Effect, Layer, Ref, TestClock } from "effect"
import { assert } from "vitest"
import { assertProblem, codesOf, json } from "../Problems.js"
import * as TestServer from "../TestServer.js"

const { createKey, send, target } = TestServer

/** The API over an analyser that has the rules of all checks. */
const withRules = TestServer.over(
  Layer.merge(
    TestServer.executions,
    Layer.effect(
      Analyzer.Analyzer,
      Effect.map(Analyzer.Analyzer, (analyzer) => ({
        ...analyzer,
        ruleset: Effect.succeed({
          rules: Checks.all.map(Checks.rule),
          optional: Checks.optional.map(({ id }) => id),
          version: "0"
        })
      }))
    ).pipe(Layer.provide(TestServer.analyzer))
  )
)

const unknown = "wat_01JD0000000000000000000000"

const create = (key: string, body: object = {}) =>
  send("/api/v1/watches", { key, ...json({ target: "token", address: target.works, ...body }) })

/** A key with a watch. */
const newWatch = (body: object = {}) =>
  Effect.gen(function* () {
    const key = yield* createKey
    const created = yield* create(key, body)
    return {
      key,
      watch: created.json,
      etag: created.headers.get("etag") ?? "",
      path: `/api/v1/watches/${created.json.id}`
    }
  })

describe("watches", () => {
  layer(withRules)("made", (it) => {
    it.effect("a watch of two members has every default, is active at once, and is the same when it is read", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const created = yield* create(key)
        assert.strictEqual(created.status, 201, created.text)
        const { created_at, id, next_due_at, updated_at, warnings, ...rest } = created.json
        assert.match(id, /^wat_[0-9A-HJKMNP-TV-Z]{26}$/)
        assert.strictEqual(created.headers.get("location"), `/api/v1/watches/${id}`)
        assert.strictEqual(updated_at, created_at)
        assert.isAtLeast(Date.parse(next_due_at), Date.parse(created_at))
        assert.isAtMost(Date.parse(next_due_at), Date.parse(created_at) + 60_000)
        assert.deepStrictEqual(rest, {
          target: "token",
          address: "0x1000000000000000000000000000000000000001",
          label: "",
          interval_seconds: 3_600,
          chain: { id: 31_337, name: "sandbox" },
          state: "active",
          state_reason: null,
          running: false,
          last_checked_at: null,
          last_error: null,
          last_error_code: null,
          last_success_at: null,
          last_changed_at: null,
          consecutive_failures: 0,
          units_per_check: 1,
          units_per_day: 24,
          counts: { checks: 0, changes: 0, failures: 0 },
          skipped_runs: { overlap: 0, downtime: 0, quota: 0 },
          options: { min_severity: "low", ignore: [], thresholds: {}, verify: true, notify_unchanged: false }
        })
        assert.deepStrictEqual(
          warnings.map(({ code }: Record<string, string>) => code),
          ["no_webhook"]
        )
        const one = yield* send(`/api/v1/watches/${id}`, { key })
        assert.deepStrictEqual(one.json, { ...created.json, last_result: null })
        for (const { headers } of [created, one]) assert.match(headers.get("etag") ?? "", /^"1\.[\w-]{16}"$/)
        const list = yield* send("/api/v1/watches", { key })
        assert.deepStrictEqual(list.json, { data: [created.json], next_cursor: null })
        const self = yield* send("/api/v1/keys/self", { key })
        assert.strictEqual(self.json.counts.watches, 1)
      })
    )

    it.effect("everything that can be said of a watch is kept", () =>
      Effect.gen(function* () {
        const options = {
          min_severity: "high",
          ignore: ["token.mintable", "facts.account"],
          thresholds: { "facts.risk": 2.5 },
          verify: false,
          notify_unchanged: true
        }
        const said = { label: "my wallet ✓", interval_seconds: 900, chain: "sandbox", options, paused: true }
        const { watch } = yield* newWatch({ ...said, target: "wallet" })
        assert.deepInclude(watch, { target: "wallet", label: "my wallet ✓", interval_seconds: 900, state: "paused" })
        assert.isNull(watch.next_due_at)
        assert.deepStrictEqual(watch.options, options)
        const { watch: some } = yield* newWatch({
          chain: "31337",
          options: { verify: false },
          label: null,
          paused: null
        })
        assert.deepInclude(some, { label: "", state: "active" })
        assert.deepInclude(some.options, { verify: false, min_severity: "low" })
      })
    )

    const bodies: ReadonlyArray<readonly [string, object | string, ReadonlyArray<string>]> = [
      ["nothing", {}, ["#/address required", "#/target required"]],
      ["an unknown kind", { target: "nft", address: target.works }, ["#/target not_allowed"]],
      ["899 seconds", { interval_seconds: 899 }, ["#/interval_seconds below_minimum"]],
      ["no seconds", { interval_seconds: 0 }, ["#/interval_seconds below_minimum"]],
      ["31 days", { interval_seconds: 2_592_001 }, ["#/interval_seconds above_maximum"]],
      ["half seconds", { interval_seconds: 900.5 }, ["#/interval_seconds wrong_type"]],
      ["an interval in words", { interval_seconds: "3600" }, ["#/interval_seconds wrong_type"]],
      ["a mistyped interval", { interval: 900 }, ["#/interval unknown_field"]],
      ["a wrong checksum", { address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee" }, ["#/address bad_checksum"]],
      ["a name", { address: "vitalik.eth" }, ["#/address bad_address"]],
      ["a chain that is not read", { chain: "mainnet" }, ["#/chain unsupported_chain"]],
      ["a chain in a number", { chain: 31_337 }, ["#/chain wrong_type"]],
      ["101 characters", { label: "a".repeat(101) }, ["#/label too_long"]],
      ["a control character", { label: "a\u0000b" }, ["#/label not_allowed"]],
      ["half a character", { label: "\ud800" }, ["#/label not_allowed"]],
      ["a word for a switch", { paused: "false" }, ["#/paused wrong_type"]],
      ["an unknown option", { options: { severity: "high" } }, ["#/options/severity unknown_field"]],
      ["an unknown grade", { options: { min_severity: "severe" } }, ["#/options/min_severity not_allowed"]],
      ["a negative threshold", { options: { thresholds: { x: -1 } } }, ["#/options/thresholds/x below_minimum"]],
      [
        "a threshold beyond all numbers",
        `{"target":"token","address":"${target.works}","options":{"thresholds":{"x":1e999}}}`,
        ["#/options/thresholds/x wrong_type"]
      ],
      [
        "much to ignore",
        { options: { ignore: Array.from({ length: 101 }, () => "x") } },
        ["#/options/ignore too_long"]
      ],
      [
        "faults everywhere",
        { target: 1, chain: "5", interval_seconds: 1, options: { ignore: [1], verify: 1 }, x: null },
        [
          "#/chain unsupported_chain",
          "#/interval_seconds below_minimum",
          "#/options/ignore/0 wrong_type",
          "#/options/verify wrong_type",
          "#/target not_allowed",
          "#/x unknown_field"
        ]
      ]
    ]
    for (const [title, body, expected] of bodies)
      it.effect(`a body of ${title} is refused with every violation, and makes nothing`, () =>
        Effect.gen(function* () {
          const key = yield* createKey
          const sent =
            typeof body === "string" || title === "nothing" ? body : { target: "token", address: target.works, ...body }
          const refused = yield* send("/api/v1/watches", { key, ...json(sent) })
          assertProblem(refused, 422, "validation_failed")
          assert.deepStrictEqual([...codesOf(refused)].sort(), expected)
          assert.deepStrictEqual((yield* send("/api/v1/watches", { key })).json.data, [])
        })
      )

    it.effect(
      "options that would do nothing are refused, each with what there is instead, and make and change nothing",
      () =>
        Effect.gen(function* () {
          const { key, path, watch } = yield* newWatch({ target: "wallet" })
          const options = {
            ignore: ["token.mintable", "token.mintible"],
            thresholds: { "facts.risk": 1, "trade.taxed": 100, "token.mint/able": 1 }
          }
          for (const refused of [
            yield* create(key, { target: "wallet", options }),
            yield* send(path, { key, ...json({ label: "other", options }, "PATCH") })
          ]) {
            assertProblem(refused, 422, "validation_failed")
            assert.deepStrictEqual(codesOf(refused), [
              "#/options/ignore/1 not_allowed",
              "#/options/thresholds/trade.taxed not_allowed",
              "#/options/thresholds/token.mint~1able not_allowed"
            ])
            assert.strictEqual(refused.json.errors[1].detail, "What has a threshold on a wallet: facts.risk.")
          }
          assert.deepStrictEqual((yield* send("/api/v1/watches", { key })).json.data, [watch])
          const token = yield* create(key, { options: { thresholds: { "trade.taxed": 100, "liquidity.thin": 0.05 } } })
          assert.strictEqual(token.status, 201, token.text)
        })
    )

    it.effect("an interval is never put right, and the answer says what it may be", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        for (const [interval_seconds, limit] of [
          [60, 900],
          [9_999_999, 2_592_000]
        ] as const) {
          const refused = yield* create(key, { interval_seconds })
          assert.strictEqual(refused.json.errors[0].limit, limit)
        }
        for (const interval_seconds of [900, 2_592_000])
          assert.strictEqual((yield* create(key, { interval_seconds })).json.interval_seconds, interval_seconds)
      })
    )

    it.effect("a key has fifty, and one that is removed makes room", () =>
      Effect.gen(function* () {
        const { key, path } = yield* newWatch({ paused: true })
        for (let index = 1; index < 50; index++) assert.strictEqual((yield* create(key, { paused: true })).status, 201)
        const refused = yield* create(key)
        assertProblem(refused, 409, "watch_limit_reached")
        assert.strictEqual(refused.json.limit, 50)
        const removed = yield* send(path, { key, method: "DELETE" })
        assert.strictEqual(removed.status, 204)
        assert.strictEqual(removed.text, "")
        assertProblem(yield* send(path, { key }), 404, "not_found")
        assertProblem(yield* send(path, { key, method: "DELETE" }), 404, "not_found")
        assert.strictEqual((yield* create(key, { paused: true })).status, 201)
      })
    )
  })

  layer(TestServer.layer())("listed", (it) => {
    it.effect("who removes what a page shows misses nothing of the next", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        for (let index = 0; index < 5; index++) yield* create(key)
        const sizes: Array<number> = []
        let cursor = ""
        do {
          const page = yield* send(`/api/v1/watches?limit=2${cursor}`, { key })
          sizes.push(page.json.data.length)
          for (const { id } of page.json.data)
            assert.strictEqual((yield* send(`/api/v1/watches/${id}`, { key, method: "DELETE" })).status, 204)
          cursor = page.json.next_cursor === null ? "" : `&cursor=${page.json.next_cursor}`
        } while (cursor !== "")
        assert.deepStrictEqual(sizes, [2, 2, 1])
        assert.deepStrictEqual((yield* send("/api/v1/watches", { key })).json.data, [])
      })
    )

    it.effect("the newest comes first, page by page, and by state, kind, address and whether it fails", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const ids: Array<string> = []
        for (const body of [{ paused: true }, { target: "wallet" }, { address: target.busy }]) {
          yield* TestClock.adjust("1 second")
          ids.unshift((yield* create(key, body)).json.id)
        }
        const [third, second, first] = ids
        const idsOf = (query: string) =>
          Effect.map(send(`/api/v1/watches?${query}`, { key }), (answer) =>
            answer.json.data.map(({ id }: Record<string, string>) => id)
          )
        assert.deepStrictEqual(yield* idsOf("limit=100"), ids)
        const page = yield* send("/api/v1/watches?limit=2", { key })
        assert.deepStrictEqual(
          page.json.data.map(({ id }: Record<string, string>) => id),
          [third, second]
        )
        assert.deepStrictEqual(yield* idsOf(`cursor=${encodeURIComponent(page.json.next_cursor)}`), [first])
        assert.deepStrictEqual(yield* idsOf("state=paused"), [first])
        assert.deepStrictEqual(yield* idsOf("state=active&target=wallet"), [second])
        assert.deepStrictEqual(yield* idsOf(`address=${target.busy.toUpperCase().replace("X", "x")}`), [third])
        assert.deepStrictEqual(yield* idsOf("failing=true"), [])
        assert.deepStrictEqual(yield* idsOf("failing=false"), ids)
        assert.deepStrictEqual((yield* send("/api/v1/watches", { key: yield* createKey })).json.data, [])
        assertProblem(yield* send("/api/v1/watches?cursor=x", { key }), 400, "malformed_request")
      })
    )

    const queries: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["state=on", ["state not_allowed"]],
      ["failing=yes", ["failing wrong_type"]],
      ["target=nft&limit=0&label=x", ["label unknown_field", "limit below_minimum", "target not_allowed"]]
    ]
    for (const [query, expected] of queries)
      it.effect(`?${query} is refused with every violation`, () =>
        Effect.gen(function* () {
          const refused = yield* send(`/api/v1/watches?${query}`, { key: yield* createKey })
          assertProblem(refused, 422, "validation_failed")
          assert.deepStrictEqual([...codesOf(refused)].sort(), expected)
        })
      )
  })

  layer(withRules)("changed", (it) => {
    it.effect("what is not named stays, in the options too, and only a change makes another version", () =>
      Effect.gen(function* () {
        const { etag, key, path, watch } = yield* newWatch({
          label: "a",
          options: { verify: false, ignore: ["token.mintable"] }
        })
        const change = (body: object) => send(path, { key, ...json(body, "PATCH") })
        const same = yield* change({})
        assert.strictEqual(same.status, 200)
        assert.deepStrictEqual(same.json, watch)
        assert.strictEqual(same.headers.get("etag"), etag)
        yield* TestClock.adjust("1 second")
        const renamed = yield* change({ label: "", options: { min_severity: "high" } })
        assert.strictEqual(renamed.json.label, "")
        assert.deepStrictEqual(renamed.json.options, { ...watch.options, min_severity: "high" })
        assert.notStrictEqual(renamed.headers.get("etag"), etag)
        assert.isAbove(Date.parse(renamed.json.updated_at), Date.parse(watch.updated_at))
        const slower = yield* change({ interval_seconds: 86_400 })
        assert.deepInclude(slower.json, { interval_seconds: 86_400, units_per_day: 1 })
      })
    )

    it.effect("with If-Match it changes only what the caller has read", () =>
      Effect.gen(function* () {
        const { etag, key, path } = yield* newWatch()
        const change = (label: string, match: string) =>
          send(path, {
            key,
            method: "PATCH",
            headers: { "content-type": "application/json", "if-match": match },
            body: JSON.stringify({ label })
          })
        const first = yield* change("one", etag)
        assert.strictEqual(first.status, 200)
        assertProblem(yield* change("two", etag), 412, "precondition_failed")
        assertProblem(yield* change("two", `W/${first.headers.get("etag")}`), 412, "precondition_failed")
        assertProblem(yield* change("two", '"sha256:00"'), 412, "precondition_failed")
        assertProblem(yield* change("two", "1"), 400, "malformed_request")
        assert.strictEqual((yield* send(path, { key })).json.label, "one")
        assert.strictEqual((yield* change("two", `${etag}, ${first.headers.get("etag")}`)).json.label, "two")
        assert.strictEqual((yield* change("three", "*")).json.label, "three")
      })
    )

    it.effect("If-None-Match saves the body until something changes", () =>
      Effect.gen(function* () {
        const { key, path } = yield* newWatch()
        const change = [
          send("/api/v1/webhooks", { key, ...json({ url: "https://hooks.example/" }) }),
          send(`${path}/pause`, { key, method: "POST" })
        ]
        for (const happens of change) {
          const etag = (yield* send(path, { key })).headers.get("etag") ?? ""
          const known = send(path, { key, headers: { "if-none-match": etag } })
          const saved = yield* known
          assert.strictEqual(saved.status, 304)
          assert.strictEqual(saved.text, "")
          assert.strictEqual(saved.headers.get("etag"), etag)
          yield* happens
          assert.strictEqual((yield* known).status, 200)
        }
      })
    )

    const patches: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
      [{ interval_seconds: 60 }, ["#/interval_seconds below_minimum"]],
      [{ label: null }, ["#/label required"]],
      [{ options: null }, ["#/options required"]],
      [{ options: { verify: null } }, ["#/options/verify required"]],
      [{ address: target.works, target: "token" }, ["#/address unknown_field", "#/target unknown_field"]],
      [{ state: "paused" }, ["#/state unknown_field"]]
    ]
    for (const [body, expected] of patches)
      it.effect(`a change of ${JSON.stringify(body).slice(0, 60)} is refused`, () =>
        Effect.gen(function* () {
          const { key, path } = yield* newWatch()
          const refused = yield* send(path, { key, ...json(body, "PATCH") })
          assertProblem(refused, 422, "validation_failed")
          assert.deepStrictEqual([...codesOf(refused)].sort(), expected)
        })
      )

    it.effect("pausing and resuming can be repeated, and a repetition changes nothing", () =>
      Effect.gen(function* () {
        const { key, path } = yield* newWatch()
        for (const [verb, state] of [
          ["pause", "paused"],
          ["resume", "active"]
        ] as const) {
          const first = yield* send(`${path}/${verb}`, { key, method: "POST" })
          assert.strictEqual(first.status, 200)
          assert.strictEqual(first.json.state, state)
          assert.strictEqual(first.json.next_due_at === null, state === "paused")
          yield* TestClock.adjust("1 second")
          const again = yield* send(`${path}/${verb}`, { key, method: "POST" })
          assert.deepStrictEqual(again.json, first.json)
          assert.strictEqual(again.headers.get("etag"), first.headers.get("etag"))
        }
      })
    )
  })

  layer(TestServer.layer())("asked", (it) => {
    it.effect("a member where none is known is refused, also where a request needs no body", () =>
      Effect.gen(function* () {
        const { key, path } = yield* newWatch()
        for (const verb of ["pause", "resume", "run"]) {
          const refused = yield* send(`${path}/${verb}`, { key, ...json({ until: "tomorrow" }) })
          assertProblem(refused, 422, "validation_failed")
          assert.deepStrictEqual(codesOf(refused), ["#/until unknown_field"])
          assertProblem(yield* send(`${path}/${verb}`, { key, ...json("{") }), 400, "malformed_request")
        }
        assert.deepInclude((yield* send(path, { key })).json, { state: "active", running: false })
        for (const body of [
          { key, ...json({}) },
          { key, ...json("") },
          { key, method: "POST" }
        ])
          assert.strictEqual((yield* send(`${path}/pause`, body)).status, 200)
      })
    )
  })

  layer(TestServer.layer())("owned", (it) => {
    it.effect("what another key owns, what nobody owns and what is no id are not found", () =>
      Effect.gen(function* () {
        const { key, path, watch } = yield* newWatch()
        const routes = [
          ["GET", ""],
          ["PATCH", ""],
          ["POST", "/pause"],
          ["POST", "/resume"],
          ["POST", "/run"],
          ["GET", "/runs"],
          ["GET", "/changes"],
          ["DELETE", ""]
        ] as const
        const ask = (asker: string, id: string, [method, rest]: (typeof routes)[number]) =>
          send(`/api/v1/watches/${id}${rest}`, {
            key: asker,
            ...(method === "PATCH" ? json({ label: "x" }, method) : { method })
          })
        const other = yield* createKey
        for (const route of routes) {
          assertProblem(yield* ask(other, watch.id, route), 404, "not_found")
          for (const id of [unknown, "wat_1", "exe_01JD0000000000000000000000"])
            assertProblem(yield* ask(key, id, route), 404, "not_found")
        }
        const unconditional = yield* send(path, {
          key: other,
          method: "PATCH",
          headers: { "content-type": "application/json", "if-match": '"sha256:00"' },
          body: "{}"
        })
        assertProblem(unconditional, 404, "not_found")
        assert.deepStrictEqual((yield* send(path, { key })).json, { ...watch, last_result: null })
      })
    )

    it.effect("what a key's watches will need is in its usage, and too much of it is warned of, not refused", () =>
      Effect.gen(function* () {
        const { key, watch } = yield* newWatch({ interval_seconds: 900 })
        const usage = yield* send("/api/v1/usage", { key })
        assert.deepInclude(usage.json, { daily_quota: 50, used: 0, remaining: 50 })
        assert.deepInclude(usage.json.forecast, { watch_units_per_day: 96, over_quota: true })
        assert.include(
          watch.warnings.map(({ code }: Record<string, string>) => code),
          "over_quota"
        )
        const none = yield* send("/api/v1/usage", { key: yield* createKey })
        assert.deepInclude(none.json.forecast, { watch_units_per_day: 0, exhausts_at: null, over_quota: false })
      })
    )
  })

  const state = Effect.runSync(Ref.make<"confirmed" | "refuted">("refuted"))

  const scripted = ScriptedAnalyzer.layer(({ address, chain, kind }) =>
    Effect.map(Ref.get(state), (now) =>
      Documents.analysis(
        { kind, address, chain: { id: chain.id, name: chain.name } },
        [Documents.evidence("token.mintable", now)],
        now === "refuted" ? 21_000_000 : 21_000_001
      )
    )
  )

  const useCases = Layer.provideMerge(
    Executions.layer().pipe(Layer.provide(Quota.layer()), Layer.provide(Storage.layerMemory)),
    scripted
  )

  layer(TestServer.over(useCases, { scheduling: { state: "on", concurrency: 32, perKey: 2 } }))("checked", (it) => {
    /** Looks again after a while of a clock that only the test moves, until the answer is as expected. */
    const eventually = (path: string, key: string, expected: (document: TestServer.Answer["json"]) => boolean) =>
      Effect.zipRight(TestClock.adjust("1 second"), send(path, { key })).pipe(
        Effect.repeat({ until: (answer) => expected(answer.json), times: 300 }),
        Effect.map((answer) => answer.json)
      )

    it.effect("the first check is the base, a check by hand finds the change, and the log reports it once", () =>
      Effect.gen(function* () {
        yield* Ref.set(state, "refuted")
        const { key, path, watch } = yield* newWatch({ options: { verify: false } })
        const checked = yield* eventually(path, key, ({ counts }) => counts.checks === 1)
        assert.deepInclude(checked, { last_error: null, running: false, state: "active" })
        assert.isNotNull(checked.last_checked_at)
        assert.strictEqual(checked.last_result.change_report.status, "baseline")
        assert.deepInclude(checked.last_result, { summary: null, summary_status: "skipped" })

        yield* Ref.set(state, "confirmed")
        const asked = yield* send(`${path}/run`, { key, method: "POST" })
        assert.strictEqual(asked.status, 202, asked.text)
        assert.deepInclude(asked.json, { trigger: "manual", status: "running" })
        const changed = yield* eventually(path, key, ({ counts }) => counts.checks === 2)
        assert.strictEqual(changed.counts.changes, 1)
        assert.strictEqual(changed.last_result.change_report.status, "changed")

        const tooSoon = yield* send(`${path}/run`, { key, method: "POST" })
        assertProblem(tooSoon, 429, "rate_limited")
        assert.deepStrictEqual(tooSoon.json.violated_policies, ["manual-runs"])
        assert.isAtMost(tooSoon.json.retry_after_seconds, 60)

        const runs = yield* send(`${path}/runs`, { key })
        assert.deepStrictEqual(
          runs.json.data.map((run: Record<string, unknown>) => [run.trigger, run.status, run.change_status, run.units]),
          [
            ["manual", "succeeded", "changed", 1],
            ["schedule", "succeeded", "baseline", 1]
          ]
        )
        const [newest] = runs.json.data
        const page = yield* send(`${path}/runs?limit=1`, { key })
        const rest = yield* send(`${path}/runs?cursor=${encodeURIComponent(page.json.next_cursor)}`, { key })
        assert.deepStrictEqual([...page.json.data, ...rest.json.data], runs.json.data)
        assertProblem(yield* send(`${path}/runs?cursor=x`, { key }), 400, "malformed_request")

        const changes = yield* send(`${path}/changes`, { key })
        assert.strictEqual(changes.json.data.length, 1)
        const [{ change_report, ...run }] = changes.json.data
        assert.deepStrictEqual(run, newest)
        assert.strictEqual(change_report.head.execution_id, newest.execution_id)
        const base = change_report.base.execution_id
        const report = yield* send(`/api/v1/executions/${newest.execution_id}/changes?base=${base}`, { key })
        assert.deepStrictEqual(report.json.changes, change_report.changes)
        const html = { key, headers: { accept: "text/html" } }
        for (const query of [`?base=${base}`, ""]) {
          const compared = yield* send(`/api/v1/executions/${newest.execution_id}/changes${query}`, html)
          assert.strictEqual(compared.status, 200)
          assert.match(
            compared.text,
            /^<!doctype html>[\s\S]*>Before<[\s\S]*>Now<[\s\S]*What changed[\s\S]*Decided otherwise/
          )
          assert.notMatch(compared.text, /<script|https?:\/\/[^"]*\.(?:js|css)/)
        }
        const drawn = yield* send(path, html)
        assert.strictEqual(drawn.headers.get("content-type"), "text/html; charset=utf-8")
        assert.match(drawn.text, /aria-label="Score of 2 checks; [^"]*; 1 with changes"/)
        assert.match(drawn.text, /What changed[\s\S]*decided otherwise/)
        assert.strictEqual((yield* send(path, { key })).json.id, watch.id)
        assertProblem(yield* send(path, { key: yield* createKey, headers: html.headers }), 404, "not_found")
        assertProblem(yield* send(path, { key, headers: { accept: "image/png" } }), 406, "not_acceptable")
        // There is nothing before the first check.
        const alone = yield* send(`/api/v1/executions/${base}/changes`, html)
        assert.match(alone.text, /^<!doctype html>/)
        assert.notMatch(alone.text, />Before<|What changed/)

        const events = yield* send("/api/v1/events", { key })
        assert.deepStrictEqual(
          events.json.data.map(({ type }: Record<string, string>) => type),
          ["watch.changed"]
        )
        const [event] = events.json.data
        assert.deepInclude(event.data, {
          watch_id: watch.id,
          execution_id: newest.execution_id,
          base_execution_id: runs.json.data[1].execution_id,
          changes_url: `/api/v1/executions/${newest.execution_id}/changes`
        })
        const usage = yield* send("/api/v1/usage", { key })
        assert.deepInclude(usage.json, { used: 2, reserved: 0 })
        assert.deepStrictEqual(usage.json.by_kind, { token: 0, wallet: 0, contract: 0, watch: 2 })
        const stubs = yield* send(`/api/v1/executions?watch_id=${watch.id}`, { key })
        assert.deepStrictEqual(
          stubs.json.data.map((stub: Record<string, string>) => stub.execution_id),
          runs.json.data.map(({ execution_id }: Record<string, string>) => execution_id)
        )
      })
    )
  })
})
