import { EventStore } from "@assay/core"
import { describe, layer } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { assert } from "vitest"
import { assertProblem, codesOf, json } from "../Problems.js"
import * as TestServer from "../TestServer.js"

const { createKey, send } = TestServer

const url = "https://hooks.example/assay?token=abc"
const unknown = "whk_01JD0000000000000000000000"
const unknownDelivery = "dlv_01JD0000000000000000000000"

const create = (key: string, body: object = {}) => send("/api/v1/webhooks", { key, ...json({ url, ...body }) })

const newWatch = (key: string) =>
  Effect.map(
    send("/api/v1/watches", { key, ...json({ target: "token", address: TestServer.target.works }) }),
    (created): string => created.json.id
  )

/** A key with an endpoint. */
const newWebhook = Effect.gen(function* () {
  const key = yield* createKey
  const { json: webhook } = yield* create(key)
  return { key, webhook, path: `/api/v1/webhooks/${webhook.id}` }
})

describe("webhooks", () => {
  layer(TestServer.layer())("made", (it) => {
    it.effect("an endpoint receives changes where it names no types, and its secret is shown this once", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const created = yield* create(key)
        assert.strictEqual(created.status, 201)
        assert.strictEqual(created.headers.get("location"), `/api/v1/webhooks/${created.json.id}`)
        const { created_at, id, secret, ...rest } = created.json
        assert.match(id, /^whk_[0-9A-HJKMNP-TV-Z]{26}$/)
        assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
        assert.match(created_at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
        assert.deepStrictEqual(rest, {
          url,
          label: null,
          event_types: ["watch.changed"],
          watch_ids: null,
          min_severity: null,
          state: "enabled",
          disabled_reason: null,
          failing_since: null,
          last_success_at: null
        })
        const { secret: _, ...shown } = created.json
        const one = yield* send(created.headers.get("location") ?? "", { key })
        assert.deepStrictEqual(one.json, shown)
        const all = yield* send("/api/v1/webhooks", { key })
        assert.deepStrictEqual(all.json, { data: [shown], next_cursor: null })
        const self = yield* send("/api/v1/keys/self", { key })
        assert.strictEqual(self.json.counts.webhooks, 1)
      })
    )

    it.effect("null counts as absent when it is made, and clears when it is changed", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const watch_ids = [yield* newWatch(key)]
        const created = yield* create(key, { label: "mine", watch_ids, min_severity: "high", event_types: null })
        assert.deepInclude(created.json, { label: "mine", min_severity: "high", event_types: ["watch.changed"] })
        assert.deepStrictEqual(created.json.watch_ids, watch_ids)
        const change = (body: object) => send(`/api/v1/webhooks/${created.json.id}`, { key, ...json(body, "PATCH") })
        const kept = yield* change({})
        const { secret: _, ...shown } = created.json
        assert.deepStrictEqual(kept.json, shown)
        const renamed = yield* change({ label: "ours", event_types: ["quota.exhausted"] })
        assert.deepStrictEqual(renamed.json, { ...shown, label: "ours", event_types: ["quota.exhausted"] })
        const cleared = yield* change({ label: null, watch_ids: null, min_severity: null })
        assert.deepInclude(cleared.json, { label: null, watch_ids: null, min_severity: null })
        for (const member of ["url", "event_types", "state"]) {
          const refused = yield* change({ [member]: null })
          assertProblem(refused, 422, "validation_failed")
          assert.deepStrictEqual(codesOf(refused), [`#/${member} required`])
        }
      })
    )

    it.effect("a watch that is nobody's, or another's, is refused at its place, when made and when changed", () =>
      Effect.gen(function* () {
        const { key, path } = yield* newWebhook
        const own = yield* newWatch(key)
        const foreign = yield* newWatch(yield* createKey)
        const watch_ids = ["wat_01JD0000000000000000000000", own, foreign]
        const expected = ["#/watch_ids/0 not_allowed", "#/watch_ids/2 not_allowed"]
        for (const refused of [
          yield* create(key, { watch_ids }),
          yield* send(path, { key, ...json({ watch_ids }, "PATCH") })
        ]) {
          assertProblem(refused, 422, "validation_failed")
          assert.deepStrictEqual(codesOf(refused), expected)
        }
        const changed = yield* send(path, { key, ...json({ watch_ids: [own] }, "PATCH") })
        assert.deepStrictEqual(changed.json.watch_ids, [own])
        assert.strictEqual((yield* send(`/api/v1/watches/${own}`, { key, method: "DELETE" })).status, 204)
        const kept = yield* send(path, { key, ...json({ label: "kept", watch_ids: [own] }, "PATCH") })
        assert.deepInclude(kept.json, { label: "kept", state: "enabled" })
        assert.deepStrictEqual(kept.json.watch_ids, [own])
      })
    )

    it.effect("an invalid URL is reported with everything else that is wrong", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        for (const no of ["nowhere", "ftp://hooks.example/", "https://me:mine@hooks.example/"]) {
          const refused = yield* create(key, { url: no, event_types: ["nothing"], secret: "whsec_" })
          assertProblem(refused, 422, "validation_failed")
          assert.sameMembers(Array.from(codesOf(refused)), [
            "#/event_types/0 not_allowed",
            "#/secret unknown_field",
            "#/url bad_url"
          ])
        }
      })
    )

    it.effect("a name of the own network gets the answer of a name that does not exist", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const [inside, nowhere] = yield* Effect.forEach(["inside", "nowhere"], (name) =>
          create(key, { url: `https://router.${name}.example/` })
        )
        for (const refused of [inside, nowhere])
          if (refused !== undefined) assertProblem(refused, 422, "webhook_url_forbidden")
        assert.strictEqual(inside?.json.detail, nowhere?.json.detail)
      })
    )

    it.effect("a port that is not the one of the scheme is a bad URL", () =>
      Effect.gen(function* () {
        const refused = yield* create(yield* createKey, { url: "https://hooks.example:8443/" })
        assertProblem(refused, 422, "validation_failed")
        assert.deepStrictEqual(codesOf(refused), ["#/url bad_url"])
      })
    )

    it.effect("the list has pages as every list has", () =>
      Effect.gen(function* () {
        const { key, webhook } = yield* newWebhook
        const { json: second } = yield* create(key)
        const first = yield* send("/api/v1/webhooks?limit=1", { key })
        assert.deepStrictEqual([first.json.data.length, first.json.data[0]?.id], [1, second.id])
        const next = yield* send(`/api/v1/webhooks?limit=1&cursor=${first.json.next_cursor}`, { key })
        assert.deepStrictEqual([next.json.data[0]?.id, next.json.next_cursor], [webhook.id, null])
        assertProblem(yield* send("/api/v1/webhooks?cursor=none", { key }), 400, "malformed_request")
        assertProblem(yield* send("/api/v1/webhooks?limit=0", { key }), 422, "validation_failed")
      })
    )

    it.effect("its owner switches it off and on, and it says who did", () =>
      Effect.gen(function* () {
        const { key, path } = yield* newWebhook
        const off = yield* send(path, { key, ...json({ state: "disabled" }, "PATCH") })
        assert.deepInclude(off.json, { state: "disabled", disabled_reason: "by_owner" })
        const on = yield* send(path, { key, ...json({ state: "enabled" }, "PATCH") })
        assert.deepInclude(on.json, { state: "enabled", disabled_reason: null })
      })
    )

    it.effect("a key has five, and one that is removed makes room", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const first = yield* create(key)
        for (let index = 0; index < 4; index++) assert.strictEqual((yield* create(key)).status, 201)
        const refused = yield* create(key)
        assertProblem(refused, 409, "webhook_limit_reached")
        assert.strictEqual(refused.json.limit, 5)
        const path = `/api/v1/webhooks/${first.json.id}`
        const removed = yield* send(path, { key, method: "DELETE" })
        assert.strictEqual(removed.status, 204)
        assert.strictEqual(removed.text, "")
        assertProblem(yield* send(path, { key, method: "DELETE" }), 404, "not_found")
        assertProblem(yield* send(path, { key }), 404, "not_found")
        assert.strictEqual((yield* create(key)).status, 201)
      })
    )

    it.effect("another secret is shown once, and the body that says for how long may be absent", () =>
      Effect.gen(function* () {
        const { key, path, webhook } = yield* newWebhook
        const rotate = `${path}/rotate-secret`
        const secrets = [webhook.secret]
        for (const body of [{}, json({}), json({ overlap_seconds: null }), json({ overlap_seconds: 0 })]) {
          const rotated = yield* send(rotate, { key, method: "POST", ...body })
          assert.strictEqual(rotated.status, 200, rotated.text)
          assert.strictEqual(rotated.json.id, webhook.id)
          secrets.push(rotated.json.secret)
        }
        assert.strictEqual(new Set(secrets).size, 5)
        for (const [overlap, code] of [
          [-1, "below_minimum"],
          [604_801, "above_maximum"],
          [1.5, "wrong_type"],
          ["1", "wrong_type"]
        ] as const) {
          const refused = yield* send(rotate, { key, ...json({ overlap_seconds: overlap }) })
          assertProblem(refused, 422, "validation_failed")
          assert.deepStrictEqual(codesOf(refused), [`#/overlap_seconds ${code}`])
        }
      })
    )

    const bodies: ReadonlyArray<readonly [string, object, ReadonlyArray<string>]> = [
      ["nothing", { url: null }, ["#/url required"]],
      ["a number for a URL", { url: 5 }, ["#/url wrong_type"]],
      ["a long URL", { url: `https://hooks.example/${"a".repeat(2_048)}` }, ["#/url too_long"]],
      ["text that is no URL", { url: "hooks.example" }, ["#/url bad_url"]],
      ["a URL of another scheme", { url: "ftp://hooks.example/" }, ["#/url bad_url"]],
      ["an http URL", { url: "http://hooks.example/" }, ["#/url bad_url"]],
      ["a URL with a password", { url: "https://user:secret@hooks.example/" }, ["#/url bad_url"]],
      ["no types", { event_types: [] }, ["#/event_types too_short"]],
      ["an unknown type", { event_types: ["watch.changed", "watch.change"] }, ["#/event_types/1 not_allowed"]],
      ["types in one text", { event_types: "watch.changed" }, ["#/event_types wrong_type"]],
      ["no watches", { watch_ids: [] }, ["#/watch_ids too_short"]],
      ["what is no watch", { watch_ids: ["whk_1"] }, ["#/watch_ids/0 not_allowed"]],
      ["another grade", { min_severity: "severe" }, ["#/min_severity not_allowed"]],
      ["a long label", { label: "a".repeat(101) }, ["#/label too_long"]],
      ["a label of two lines", { label: "a\nb" }, ["#/label not_allowed"]],
      [
        "three faults",
        { min_severity: 1, events: [], state: "enabled" },
        ["#/events unknown_field", "#/min_severity not_allowed", "#/state unknown_field"]
      ]
    ]
    for (const [title, body, expected] of bodies)
      it.effect(`a body of ${title} is refused with every violation`, () =>
        Effect.gen(function* () {
          const { key, path } = yield* newWebhook
          const refused = yield* create(key, body)
          assertProblem(refused, 422, "validation_failed")
          assert.deepStrictEqual([...codesOf(refused)].sort(), expected)
          assert.notInclude(refused.text, "secret")
          if ("state" in body) return
          const change = yield* send(path, { key, ...json(body, "PATCH") })
          assertProblem(change, 422, "validation_failed")
          assert.deepStrictEqual([...codesOf(change)].sort(), expected)
        })
      )

    for (const [title, host] of [
      ["inside the network", "api.inside.example"],
      ["of nobody", "a.nowhere.example"],
      ["by its private address", "10.0.0.1"],
      ["by an address of this machine", "[::ffff:127.0.0.1]"],
      ["by an address in one number", "2130706433"],
      ["where clouds keep credentials", "169.254.169.254"]
    ] as const)
      it.effect(`a host ${title} is not called, when made and when changed`, () =>
        Effect.gen(function* () {
          const { key, path, webhook } = yield* newWebhook
          assertProblem(yield* create(key, { url: `https://${host}/` }), 422, "webhook_url_forbidden")
          const change = yield* send(path, { key, ...json({ url: `https://${host}/` }, "PATCH") })
          assertProblem(change, 422, "webhook_url_forbidden")
          assert.strictEqual((yield* send(path, { key })).json.url, webhook.url)
        })
      )
  })

  layer(TestServer.layer())("deliveries", (it) => {
    it.effect("a test is one event for this endpoint alone, that can be sent again", () =>
      Effect.gen(function* () {
        const { key, path, webhook } = yield* newWebhook
        const { json: other } = yield* create(key, { event_types: ["test.ping"] })
        const tested = yield* send(`${path}/test`, { key, method: "POST" })
        assert.strictEqual(tested.status, 202)
        assert.deepInclude(tested.json, { type: "test.ping", sequence: 1 })
        assert.strictEqual(tested.json.data.webhook_id, webhook.id)
        assert.deepStrictEqual((yield* send("/api/v1/events", { key })).json.data, [tested.json])
        const list = yield* send(`${path}/deliveries`, { key })
        assert.strictEqual(list.json.data.length, 1)
        const [delivery] = list.json.data
        assert.deepInclude(delivery, { event_id: tested.json.id, attempt: 0, status: "pending", at: null })
        assert.deepStrictEqual((yield* send(`/api/v1/webhooks/${other.id}/deliveries`, { key })).json.data, [])
        const again = yield* send(`${path}/deliveries/${delivery.id}/retry`, { key, method: "POST" })
        assert.strictEqual(again.status, 202)
        assert.deepInclude(again.json, { id: delivery.id, status: "pending" })
      })
    )

    it.effect("a disabled endpoint drops pending deliveries, and still gets those sent on request", () =>
      Effect.gen(function* () {
        const { key, path } = yield* newWebhook
        yield* send(`${path}/test`, { key, method: "POST" })
        yield* send(path, { key, ...json({ state: "disabled" }, "PATCH") })
        const [dropped] = (yield* send(`${path}/deliveries`, { key })).json.data
        assert.deepInclude(dropped, { status: "dropped", next_attempt_at: null })
        const again = yield* send(`${path}/deliveries/${dropped.id}/retry`, { key, method: "POST" })
        assert.strictEqual(again.status, 202)
        assert.deepInclude(again.json, { id: dropped.id, status: "pending" })
        assert.strictEqual((yield* send(`${path}/test`, { key, method: "POST" })).status, 202)
        const list = yield* send(`${path}/deliveries`, { key })
        assert.deepStrictEqual(
          list.json.data.map(({ status }: { readonly status: string }) => status),
          ["pending", "pending"]
        )
      })
    )

    it.effect("tests and retries of one webhook are limited, and refused with the time to wait", () =>
      Effect.gen(function* () {
        const { key, path } = yield* newWebhook
        for (let index = 0; index < 5; index++)
          assert.strictEqual((yield* send(`${path}/test`, { key, method: "POST" })).status, 202)
        const refused = yield* send(`${path}/test`, { key, method: "POST" })
        assertProblem(refused, 429, "rate_limited")
        assert.deepStrictEqual(refused.json.violated_policies, ["webhook-messages-endpoint"])
        assert.strictEqual(refused.json.retry_after_seconds, 60)
        assert.strictEqual((yield* send(`${path}/deliveries`, { key })).json.data.length, 5)
      })
    )

    it.effect("the newest delivery comes first, page by page", () =>
      Effect.gen(function* () {
        const { key, path } = yield* newWebhook
        const ids: Array<string> = []
        for (let index = 0; index < 3; index++)
          ids.unshift((yield* send(`${path}/test`, { key, method: "POST" })).json.id)
        const first = yield* send(`${path}/deliveries?limit=2`, { key })
        const cursor = encodeURIComponent(first.json.next_cursor)
        const second = yield* send(`${path}/deliveries?limit=2&cursor=${cursor}`, { key })
        assert.isNull(second.json.next_cursor)
        const told = [...first.json.data, ...second.json.data].map((delivery) => delivery.event_id)
        assert.deepStrictEqual(told, ids)
        assertProblem(yield* send(`${path}/deliveries?cursor=x`, { key }), 400, "malformed_request")
        assertProblem(yield* send(`${path}/deliveries?limit=0`, { key }), 422, "validation_failed")
      })
    )
  })

  layer(TestServer.layer())("owned", (it) => {
    it.effect("what another key owns, what nobody owns and what is no id are not found", () =>
      Effect.gen(function* () {
        const mine = yield* newWebhook
        const { json: event } = yield* send(`${mine.path}/test`, { key: mine.key, method: "POST" })
        const [delivery] = (yield* send(`${mine.path}/deliveries`, { key: mine.key })).json.data
        assert.strictEqual(delivery.event_id, event.id)
        const routes = (webhook: string, sent: string) => [
          ["GET", webhook],
          ["PATCH", webhook],
          ["DELETE", webhook],
          ["POST", `${webhook}/rotate-secret`],
          ["POST", `${webhook}/test`],
          ["GET", `${webhook}/deliveries`],
          ["POST", `${webhook}/deliveries/${sent}/retry`]
        ]
        const other = yield* createKey
        const ask = (key: string, method: string | undefined, path: string | undefined) =>
          send(`/api/v1/webhooks/${path}`, {
            key,
            ...(method === "PATCH" ? json({ label: "x" }, method) : { method: method ?? "" })
          })
        for (const [method, path] of routes(mine.webhook.id, delivery.id))
          assertProblem(yield* ask(other, method, path), 404, "not_found")
        for (const id of [unknown, "whk_1", "wat_01JD0000000000000000000000"])
          for (const [method, path] of routes(id, unknownDelivery))
            assertProblem(yield* ask(mine.key, method, path), 404, "not_found")
        for (const id of [unknownDelivery, "dlv_1"])
          assertProblem(
            yield* send(`${mine.path}/deliveries/${id}/retry`, { key: mine.key, method: "POST" }),
            404,
            "not_found"
          )
        assert.strictEqual((yield* send(mine.path, { key: mine.key })).json.url, url)
        assert.deepStrictEqual((yield* send("/api/v1/webhooks", { key: other })).json.data, [])
      })
    )

    it.effect("retention takes deliveries with their events", () =>
      Effect.gen(function* () {
        const { key, path } = yield* newWebhook
        yield* send(`${path}/test`, { key, method: "POST" })
        const log = yield* EventStore.EventStore
        yield* log.prune((yield* Clock.currentTimeMillis) + 1, 100)
        assert.deepStrictEqual((yield* send(`${path}/deliveries`, { key })).json.data, [])
      })
    )
  })

  layer(TestServer.layer({ webhookUrls: { allowPrivate: true, allowHttp: true, ports: Option.none() } }))(
    "at home",
    (it) => {
      it.effect("an operator may allow http, and hosts of the own network", () =>
        Effect.gen(function* () {
          const key = yield* createKey
          for (const allowed of ["http://hooks.example/", "http://127.0.0.1:9000/x", "https://api.inside.example/"])
            assert.strictEqual((yield* create(key, { url: allowed })).status, 201, allowed)
          for (const forbidden of ["169.254.169.254", "100.100.100.200", "[fd00:ec2::254]", "[::ffff:100.100.100.200]"])
            assertProblem(yield* create(key, { url: `http://${forbidden}/` }), 422, "webhook_url_forbidden")
        })
      )
    }
  )
})
