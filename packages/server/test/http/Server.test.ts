import { createHash } from "node:crypto"
import { describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assert } from "vitest"
import { assertProblem, codesOf, json } from "../Problems.js"
import * as TestServer from "../TestServer.js"

const { createKey, send, sendRaw, target } = TestServer

const id = (prefix: string) => `${prefix}_01JD0000000000000000000000`

describe("Server", () => {
  layer(TestServer.layer())("keys", (it) => {
    it.effect("a new key is exactly the five members and opens the API", () =>
      Effect.gen(function* () {
        const created = yield* send("/api/v1/keys", json({ label: "  my bot  " }))
        assert.strictEqual(created.status, 201)
        assert.strictEqual(created.headers.get("location"), "/api/v1/keys/self")
        assert.deepStrictEqual(Object.keys(created.json), ["key", "hint", "label", "daily_quota", "note"])
        assert.match(created.json.key, /^asy_[0-9A-Za-z]{38}$/)
        assert.strictEqual(created.json.label, "my bot")
        assert.strictEqual(created.json.daily_quota, 50)
        const self = yield* send("/api/v1/keys/self", { key: created.json.key })
        assert.strictEqual(self.status, 200)
        assert.strictEqual(self.json.label, "my bot")
        assert.strictEqual(self.json.hint, created.json.hint)
        assert.isFalse(self.text.includes(created.json.key))
      })
    )

    it.effect("a key that its owner revokes is refused from the response on, and no other key is", () =>
      Effect.gen(function* () {
        const [key, other] = [yield* createKey, yield* createKey]
        const revoked = yield* send("/api/v1/keys/self", { key, method: "DELETE" })
        assert.deepStrictEqual([revoked.status, revoked.text], [204, ""])
        for (const path of ["/api/v1/keys/self", "/api/v1/usage", "/api/v1/watches"])
          assertProblem(yield* send(path, { key }), 401, "key_revoked")
        assertProblem(yield* send("/api/v1/keys/self", { key, method: "DELETE" }), 401, "key_revoked")
        assert.strictEqual((yield* send("/api/v1/keys/self", { key: other })).status, 200)
      })
    )

    it.effect("a key is named anew by its owner, under the rules of a new one", () =>
      Effect.gen(function* () {
        const [key, other] = [yield* createKey, yield* createKey]
        const changed = yield* send("/api/v1/keys/self", { key, ...json({ label: "  renamed " }, "PATCH") })
        assert.deepStrictEqual([changed.status, changed.json.label], [200, "renamed"])
        assert.strictEqual((yield* send("/api/v1/keys/self", { key })).json.label, "renamed")
        assert.strictEqual((yield* send("/api/v1/keys/self", { key: other })).json.label, "test")
        for (const body of [{}, { label: null }])
          assert.strictEqual((yield* send("/api/v1/keys/self", { key, ...json(body, "PATCH") })).json.label, "renamed")
        for (const [body, code] of [
          [{ label: " " }, "#/label too_short"],
          [{ label: "a".repeat(101) }, "#/label too_long"],
          [{ daily_quota: 1_000 }, "#/daily_quota unknown_field"]
        ] as const) {
          const refused = yield* send("/api/v1/keys/self", { key, ...json(body, "PATCH") })
          assertProblem(refused, 422, "validation_failed")
          assert.deepStrictEqual(codesOf(refused), [code])
        }
      })
    )

    it.effect("a rotated key keeps what it has, and both of its secrets open the API until the overlap ends", () =>
      Effect.gen(function* () {
        const [key, other] = [yield* createKey, yield* createKey]
        yield* send(`/api/v1/token/${target.works}`, { key })
        const before = yield* send("/api/v1/keys/self", { key })
        const rotated = yield* send("/api/v1/keys/self/rotate", { key, ...json({ overlap_seconds: 3_600 }) })
        assert.strictEqual(rotated.status, 201)
        assert.strictEqual(rotated.headers.get("location"), "/api/v1/keys/self")
        assert.deepStrictEqual(Object.keys(rotated.json), ["key", "hint", "label", "daily_quota", "note"])
        assert.notStrictEqual(rotated.json.key, key)
        for (const secret of [key, rotated.json.key]) {
          const self = yield* send("/api/v1/keys/self", { key: secret })
          assert.deepStrictEqual([self.json.id, self.json.hint], [before.json.id, rotated.json.hint])
          assert.strictEqual(self.json.rotating_until, "1970-01-01T01:00:00.000Z")
          assert.lengthOf((yield* send("/api/v1/executions", { key: secret })).json.data, 1)
        }
        const events = yield* send("/api/v1/events?types=key.rotated", { key: rotated.json.key })
        assert.deepStrictEqual(
          events.json.data.map(({ data }: { readonly data: unknown }) => data),
          [{ hint: rotated.json.hint, old_ends_at: "1970-01-01T01:00:00.000Z" }]
        )
        assert.notInclude(events.text, rotated.json.key)

        const again = yield* send("/api/v1/keys/self/rotate", {
          key: rotated.json.key,
          ...json({ overlap_seconds: 0 })
        })
        assert.strictEqual(again.status, 201)
        assertProblem(yield* send("/api/v1/usage", { key: rotated.json.key }), 401, "key_expired")
        assertProblem(yield* send("/api/v1/usage", { key }), 401, "invalid_key")
        const self = yield* send("/api/v1/keys/self", { key: again.json.key })
        assert.deepStrictEqual([self.json.id, self.json.rotating_until], [before.json.id, null])
        assert.strictEqual((yield* send("/api/v1/keys/self", { key: other })).json.rotating_until, null)
      })
    )

    it.effect("a rotation without a body has an overlap of a day, and no longer one than a week is possible", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const refused = yield* send("/api/v1/keys/self/rotate", { key, ...json({ overlap_seconds: 604_801 }) })
        assertProblem(refused, 422, "validation_failed")
        assert.deepStrictEqual(codesOf(refused), ["#/overlap_seconds above_maximum"])
        const rotated = yield* send("/api/v1/keys/self/rotate", { key, method: "POST" })
        assert.strictEqual(rotated.status, 201)
        assert.strictEqual((yield* send("/api/v1/keys/self", { key })).json.rotating_until, "1970-01-02T00:00:00.000Z")
      })
    )

    it.effect("a null member counts as absent where it is optional", () =>
      Effect.gen(function* () {
        const created = yield* send("/api/v1/keys", json({ label: "x", expires_in_seconds: null }))
        assert.strictEqual(created.status, 201)
      })
    )

    const bodies: ReadonlyArray<readonly [string, unknown, ReadonlyArray<string>]> = [
      ["nothing", {}, ["#/label required"]],
      ["null", { label: null }, ["#/label required"]],
      ["a number", { label: 5 }, ["#/label wrong_type"]],
      ["spaces", { label: "   " }, ["#/label too_short"]],
      ["101 characters", { label: "a".repeat(101) }, ["#/label too_long"]],
      ["a control character", { label: "a\u0007b" }, ["#/label not_allowed"]],
      ["a character that reverses the text", { label: "a\u202eb" }, ["#/label not_allowed"]],
      ["an isolate of direction", { label: "a\u2066b" }, ["#/label not_allowed"]],
      ["a character without width", { label: "a\u200bb" }, ["#/label not_allowed"]],
      ["a line separator", { label: "a\u2028b" }, ["#/label not_allowed"]],
      ["an unknown member", { label: "a", lable: "b" }, ["#/lable unknown_field"]],
      ["a member that needs escapes", { label: "a", "a/b~c d": 1 }, ["#/a~1b~0c%20d unknown_field"]],
      ["a member with half a surrogate pair", '{"label":"a","\\ud800":1}', ["#/%EF%BF%BD unknown_field"]],
      [
        "a member whose 100th and 101st units are a pair",
        { label: "a", [`${"b".repeat(99)}\u{1f600}`]: 1 },
        [`#/${"b".repeat(99)} unknown_field`]
      ],
      ["a label with half a surrogate pair", '{"label":"\\ud800"}', ["#/label not_allowed"]],
      ["__proto__", '{"label":"a","__proto__":{}}', ["#/__proto__ unknown_field"]],
      ["a short life", { label: "a", expires_in_seconds: 3_599 }, ["#/expires_in_seconds below_minimum"]],
      ["a long life", { label: "a", expires_in_seconds: 31_536_001 }, ["#/expires_in_seconds above_maximum"]],
      ["half a second", { label: "a", expires_in_seconds: 4000.5 }, ["#/expires_in_seconds wrong_type"]],
      ["a life in words", { label: "a", expires_in_seconds: "4000" }, ["#/expires_in_seconds wrong_type"]],
      ["an array", [], ["# wrong_type"]],
      ["a string", '"label"', ["# wrong_type"]],
      [
        "three faults",
        { label: "", expires_in_seconds: 1, x: 1 },
        ["#/expires_in_seconds below_minimum", "#/label too_short", "#/x unknown_field"]
      ]
    ]
    for (const [title, body, expected] of bodies)
      it.effect(`a body of ${title} is refused with every violation`, () =>
        Effect.gen(function* () {
          const answer = yield* send("/api/v1/keys", json(body))
          assertProblem(answer, 422, "validation_failed")
          assert.deepStrictEqual([...codesOf(answer)].sort(), expected)
        })
      )

    it.effect("a violation says the bound that was broken", () =>
      Effect.gen(function* () {
        const answer = yield* send("/api/v1/keys", json({ label: "a", expires_in_seconds: 1 }))
        assert.deepStrictEqual(answer.json.errors, [
          { pointer: "#/expires_in_seconds", code: "below_minimum", detail: "Minimum is 3600.", limit: 3_600 }
        ])
      })
    )

    const unreadable: ReadonlyArray<readonly [string, RequestInit, number, string]> = [
      ["text that is no JSON", json("{label"), 400, "malformed_request"],
      ["an empty body that is called JSON", json(""), 400, "malformed_request"],
      ["bytes that are no UTF-8", { ...json({}), body: Buffer.from([0x22, 0xff, 0x22]) }, 400, "malformed_request"],
      ["a form", { method: "POST", body: new URLSearchParams({ label: "a" }) }, 415, "unsupported_media_type"],
      ["plain text", { method: "POST", body: '{"label":"a"}' }, 415, "unsupported_media_type"],
      [
        "another charset",
        { ...json({ label: "a" }), headers: { "content-type": "application/json; charset=latin1" } },
        415,
        "unsupported_media_type"
      ],
      [
        "a compressed body",
        { ...json({ label: "a" }), headers: { "content-type": "application/json", "content-encoding": "gzip" } },
        415,
        "unsupported_media_type"
      ],
      ["more than 64 KiB", json({ label: "a".repeat(65 * 1024) }), 413, "payload_too_large"]
    ]
    for (const [title, init, status, code] of unreadable)
      it.effect(`${title} is refused as ${code}`, () =>
        Effect.gen(function* () {
          assertProblem(yield* send("/api/v1/keys", init), status, code)
        })
      )

    it.effect("a chunked body is measured as it comes", () =>
      Effect.gen(function* () {
        const chunk = "a".repeat(8_192)
        const body = `${"2000\r\n"}${chunk}\r\n`.repeat(9)
        const answer = yield* sendRaw(
          `POST /api/v1/keys HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${body}0\r\n\r\n`
        )
        assertProblem(answer, 413, "payload_too_large")
      })
    )

    it.effect("a body of several megabytes is refused before it has been sent", () =>
      Effect.gen(function* () {
        const answer = yield* sendRaw(
          "POST /api/v1/keys HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 50000000\r\n\r\n{"
        )
        assertProblem(answer, 413, "payload_too_large")
      })
    )

    it.effect("exactly 64 KiB are read", () =>
      Effect.gen(function* () {
        const frame = '{"label":""}'.length
        const answer = yield* send("/api/v1/keys", json({ label: "a".repeat(64 * 1024 - frame) }))
        assertProblem(answer, 422, "validation_failed")
      })
    )
  })

  layer(TestServer.layer())("authentication", (it) => {
    const guarded = [
      `/api/v1/token/${target.works}`,
      `/api/v1/wallet/${target.works}`,
      `/api/v1/contract/${target.works}`,
      "/api/v1/executions",
      `/api/v1/executions/${TestServer.executionId}`,
      `/api/v1/executions/${TestServer.executionId}/changes`,
      `/api/v1/executions/${TestServer.executionId}/recipes`,
      `/api/v1/executions/${TestServer.executionId}/evidence/token.mintable`,
      "/api/v1/keys/self",
      "/api/v1/usage",
      "/api/v1/watches",
      `/api/v1/watches/${id("wat")}`,
      `/api/v1/watches/${id("wat")}/runs`,
      `/api/v1/watches/${id("wat")}/changes`,
      "/api/v1/events",
      "/api/v1/events/stream",
      "/api/v1/webhooks",
      `/api/v1/webhooks/${id("whk")}`,
      `/api/v1/webhooks/${id("whk")}/deliveries`
    ]
    for (const path of guarded)
      it.effect(`${path} wants a key`, () =>
        Effect.gen(function* () {
          const answer = yield* send(path)
          assertProblem(answer, 401, "authentication_required")
          assert.strictEqual(answer.headers.get("www-authenticate"), 'Bearer realm="api"')
        })
      )

    it.effect("the key counts only behind the word Bearer, in any case", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        for (const header of [`Wibble ${key}`, key, `Basic ${key}`, `Bearer${key}`, "Bearer", `Bearer ${key} x`]) {
          const answer = yield* send("/api/v1/usage", { headers: { authorization: header } })
          assertProblem(answer, 401, "authentication_required")
        }
        for (const header of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`])
          assert.strictEqual((yield* send("/api/v1/usage", { headers: { authorization: header } })).status, 200)
      })
    )

    it.effect("a key in the query opens nothing and is an unknown parameter", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        assertProblem(yield* send(`/api/v1/usage?key=${key}`), 401, "authentication_required")
        assertProblem(yield* send(`/api/v1/usage?api_key=${key}`, { key }), 422, "validation_failed")
      })
    )

    it.effect("an unknown, a mistyped and a malformed key are the same to a caller", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const last = key.at(-1) === "a" ? "b" : "a"
        for (const wrong of ["x", `${key.slice(0, -1)}${last}`, `asy_${"0".repeat(38)}`]) {
          const answer = yield* send("/api/v1/usage", { key: wrong })
          assertProblem(answer, 401, "invalid_key")
          assert.strictEqual(answer.headers.get("www-authenticate"), 'Bearer realm="api", error="invalid_token"')
          assert.isFalse(answer.text.includes(wrong.slice(4, 20)) && wrong.length > 4)
        }
      })
    )

    it.effect("open routes need no key", () =>
      Effect.gen(function* () {
        for (const path of [
          "welcome",
          "chains",
          "limits",
          "problems",
          "evidence-rules",
          "openapi.json",
          "docs",
          "health/live",
          "health/ready"
        ])
          assert.strictEqual((yield* send(`/api/v1/${path}`)).status, 200, path)
      })
    )

    it.effect("a caller without a key does not learn what else is wrong with the request", () =>
      Effect.gen(function* () {
        assertProblem(yield* send("/api/v1/token/nonsense?x=1"), 401, "authentication_required")
      })
    )
  })

  layer(TestServer.layer())("routing", (it) => {
    it.effect("an unknown route is 404 with and without a key", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        for (const path of [
          "/index.html",
          "/api/v1",
          "/api/v1/",
          "/api/v1/usage/",
          "/api/v2/usage",
          "/api/v1/Usage",
          "/api/v1/token",
          "/api/v1/token/",
          `/api/v1/token/${target.works}/x`,
          "/metrics",
          "/api/v1/watch",
          "/api/v1/events/stream/x",
          "/api/v1/webhooks/",
          "//api/v1/usage"
        ]) {
          assertProblem(yield* send(path), 404, "not_found")
          assertProblem(yield* send(path, { key }), 404, "not_found")
        }
      })
    )

    it.effect("a wrong method is 405 with Allow, before authentication", () =>
      Effect.gen(function* () {
        const cases = [
          ["DELETE", "/api/v1/keys", "POST, OPTIONS"],
          ["GET", "/api/v1/keys", "POST, OPTIONS"],
          ["POST", "/api/v1/usage", "GET, HEAD, OPTIONS"],
          ["PUT", `/api/v1/token/${target.works}`, "GET, OPTIONS"],
          ["POST", "/api/v1/docs", "GET, HEAD, OPTIONS"],
          ["PATCH", "/api/v1/executions/x", "GET, HEAD, OPTIONS"],
          ["PUT", "/api/v1/watches/x", "GET, PATCH, DELETE, HEAD, OPTIONS"],
          ["GET", "/api/v1/watches/x/run", "POST, OPTIONS"],
          // A stream that nobody reads would hold one of the few that a key may have.
          ["HEAD", "/api/v1/events/stream", "GET, OPTIONS"],
          ["PUT", "/api/v1/webhooks/x", "GET, PATCH, DELETE, HEAD, OPTIONS"]
        ] as const
        for (const [method, path, allow] of cases) {
          const answer = yield* send(path, { method })
          if (method !== "HEAD") assertProblem(answer, 405, "method_not_allowed")
          assert.strictEqual(answer.status, 405)
          assert.strictEqual(answer.headers.get("allow"), allow)
        }
      })
    )

    it.effect("HEAD starts no metered work and answers elsewhere without a body", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const metered = yield* send(`/api/v1/token/${target.works}`, { key, method: "HEAD" })
        assert.strictEqual(metered.status, 405)
        assert.strictEqual(metered.headers.get("allow"), "GET, OPTIONS")
        assert.deepStrictEqual((yield* send("/api/v1/executions", { key })).json.data, [])
        const free = yield* send("/api/v1/usage", { key, method: "HEAD" })
        assert.strictEqual(free.status, 200)
        assert.strictEqual(free.text, "")
      })
    )

    it.effect("a browser may send requests from any origin", () =>
      Effect.gen(function* () {
        const preflight = yield* send(`/api/v1/token/${target.works}`, {
          method: "OPTIONS",
          headers: { origin: "https://example.com", "access-control-request-method": "GET" }
        })
        assert.strictEqual(preflight.status, 204)
        assert.strictEqual(preflight.headers.get("access-control-allow-origin"), "*")
        assert.strictEqual(preflight.headers.get("access-control-allow-methods"), "GET, OPTIONS")
        assert.include(preflight.headers.get("access-control-allow-headers") ?? "", "Authorization")
        assert.isNull(preflight.headers.get("access-control-allow-credentials"))
        const exposed = preflight.headers.get("access-control-expose-headers") ?? ""
        for (const name of ["Request-Id", "RateLimit", "RateLimit-Policy", "Units-Charged", "Retry-After", "ETag"])
          assert.include(exposed, name)
        assertProblem(yield* send("/api/v1/nothing", { method: "OPTIONS" }), 404, "not_found")
      })
    )

    it.effect("a URL past 4 KiB is 414 and headers past 16 KiB are 431, also where the parser gives up", () =>
      Effect.gen(function* () {
        const line = (length: number) =>
          `GET /api/v1/limits?x=${"a".repeat(length)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`
        const field = (length: number) =>
          `GET /api/v1/limits HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx: ${"a".repeat(length)}\r\n\r\n`
        assertProblem(yield* sendRaw(line(4_097)), 414, "uri_too_long")
        assertProblem(yield* sendRaw(line(200_000)), 414, "uri_too_long")
        assertProblem(yield* sendRaw(field(16_500)), 431, "headers_too_large")
        assertProblem(yield* sendRaw(field(200_000)), 431, "headers_too_large")
      })
    )

    it.effect("what is no HTTP is 400, and no error has another shape", () =>
      Effect.gen(function* () {
        for (const bytes of [
          "nonsense\r\n\r\n",
          "GET /api/v1/limits HTTP/1.1\r\nhost x\r\n\r\n",
          "GET /api/v1/limits HTTP/1.1\r\nconnection: close\r\n\r\n",
          "GET /api/v1/%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
          "GET /api/v1/token/%ff HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
          "POST /api/v1/keys HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n"
        ])
          assertProblem(yield* sendRaw(bytes), 400, "malformed_request")
        assertProblem(yield* sendRaw("CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n"), 405, "method_not_allowed")
      })
    )

    it.effect("the absolute form that proxies send is understood", () =>
      Effect.gen(function* () {
        const answer = yield* sendRaw(
          "GET http://example.com/api/v1/limits HTTP/1.1\r\nhost: example.com\r\nconnection: close\r\n\r\n"
        )
        assert.strictEqual(answer.status, 200)
      })
    )

    it.effect("nobody chooses the id of its own request", () =>
      Effect.gen(function* () {
        const answer = yield* send("/api/v1/nothing", { headers: { "request-id": "mine" } })
        assertProblem(answer, 404, "not_found")
      })
    )
  })

  layer(TestServer.layer())("analyses", (it) => {
    it.effect("a result is charged, kept, listed and comparable", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const answer = yield* send(`/api/v1/token/${target.works}`, { key })
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers.get("units-charged"), "1")
        const id = answer.json.execution_id
        const again = yield* send(`/api/v1/executions/${id}`, { key })
        assert.deepStrictEqual(again.json, answer.json)
        assert.isNull(again.headers.get("units-charged"))
        const list = yield* send("/api/v1/executions?target=token&limit=1", { key })
        assert.deepStrictEqual(
          list.json.data.map((stub: Record<string, string>) => stub.execution_id),
          [id]
        )
        assert.deepStrictEqual((yield* send("/api/v1/executions?target=wallet", { key })).json.data, [])
        const changes = yield* send(`/api/v1/executions/${id}/changes`, { key })
        assert.strictEqual(changes.json.head.execution_id, id)
      })
    )

    it.effect("a result has its recipes and observations only on request, and each item has them", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const light = yield* send(`/api/v1/token/${target.works}`, { key })
        const full = yield* send(`/api/v1/token/${target.works}?include=recipes`, { key })
        assert.notProperty(light.json, "recipes")
        for (const item of light.json.evidence) assert.notProperty(item, "observation")
        assert.isNotEmpty(full.json.recipes)
        for (const item of full.json.evidence) assert.isNotNull(item.observation)

        const path = `/api/v1/executions/${full.json.execution_id}`
        const kept = yield* send(`${path}?include=recipes`, { key })
        assert.deepStrictEqual(kept.json, full.json)
        const { execution_id, ...rest } = (yield* send(path, { key })).json
        assert.deepStrictEqual({ ...rest, execution_id: light.json.execution_id }, light.json)
        assert.strictEqual(execution_id, full.json.execution_id)

        const [item] = full.json.evidence
        for (const id of [item.id, encodeURIComponent(item.id)])
          assert.deepStrictEqual((yield* send(`${path}/evidence/${id}`, { key })).json, {
            ...item,
            recipe: full.json.recipes[0]
          })
        assertProblem(yield* send(`${path}/evidence/token.other`, { key }), 404, "not_found")
        assert.deepStrictEqual((yield* send(`${path}/recipes`, { key })).json, {
          recipes: full.json.recipes,
          shared: []
        })
      })
    )

    it.effect("the light and the full form of a result have different ETags", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const { json: document } = yield* send(`/api/v1/token/${target.works}`, { key })
        const path = `/api/v1/executions/${document.execution_id}`
        const light = (yield* send(path, { key })).headers.get("etag") ?? ""
        const full = (yield* send(`${path}?include=recipes`, { key })).headers.get("etag") ?? ""
        assert.notStrictEqual(light, full)
        const ask = (query: string, etag: string) =>
          Effect.map(send(`${path}${query}`, { key, headers: { "if-none-match": etag } }), ({ status }) => status)
        assert.strictEqual(yield* ask("", light), 304)
        assert.strictEqual(yield* ask("", full), 200)
        assert.strictEqual(yield* ask("?include=recipes", full), 304)
        assert.strictEqual(yield* ask("?include=recipes", light), 200)
      })
    )

    it.effect("a result comes as a report by `view=report`, and as text by the Accept header, from one execution", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const fresh = yield* send(`/api/v1/token/${target.works}?view=report`, { key })
        assert.strictEqual(fresh.headers.get("units-charged"), "1")
        assert.isAtMost(fresh.text.length, 3_072)
        const where = fresh.headers.get("content-location") ?? ""
        const stored = yield* send(where, { key })
        assert.deepStrictEqual(stored.json, fresh.json)
        const path = where.replace("?view=report", "")
        const { json: result } = yield* send(path, { key, headers: { accept: "*/*" } })
        assert.strictEqual(fresh.json.verdict.level, result.facts.risk?.level ?? "unknown")
        assert.strictEqual(fresh.json.as_of.block, result.block.number)
        const cases = [
          ["text/markdown", "# Token"],
          ["text/plain", "Token"],
          ["text/html,application/xhtml+xml,*/*;q=0.8", "<!doctype html>"]
        ] as const
        const tags = new Set([stored.headers.get("etag")])
        for (const [accept, begin] of cases) {
          const answer = yield* send(path, { key, headers: { accept } })
          assert.strictEqual(answer.headers.get("content-type"), `${accept.split(",")[0]}; charset=utf-8`)
          assert.isTrue(answer.text.startsWith(begin), answer.text.slice(0, 40))
          assert.strictEqual(
            answer.headers.get("vary"),
            Buffer.byteLength(answer.text) < 1_024 ? "Accept" : "Accept, Accept-Encoding"
          )
          assert.include(answer.text, target.works)
          const etag = answer.headers.get("etag") ?? ""
          tags.add(etag)
          const again = yield* send(path, { key, headers: { accept, "if-none-match": etag } })
          assert.strictEqual(again.status, 304)
        }
        assert.strictEqual(tags.size, 4)
        const odd = yield* send(`${path}?view=summary`, { key })
        assertProblem(odd, 422, "validation_failed")
        const refused = yield* send(path, { key, headers: { accept: "application/xml" } })
        assertProblem(refused, 406, "not_acceptable")
      })
    )

    it.effect("what another key owns is not found", () =>
      Effect.gen(function* () {
        const [mine, other] = [yield* createKey, yield* createKey]
        const { json: document } = yield* send(`/api/v1/token/${target.works}`, { key: mine })
        const [item] = document.evidence
        for (const path of ["", "/changes", "/recipes", `/evidence/${item.id}`].map(
          (part) => `${document.execution_id}${part}`
        ))
          assertProblem(yield* send(`/api/v1/executions/${path}`, { key: other }), 404, "not_found")
        assert.deepStrictEqual((yield* send("/api/v1/executions", { key: other })).json.data, [])
      })
    )

    it.effect("an id that cannot be one is not found", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        for (const id of ["x", "exe_1", TestServer.executionId.toLowerCase(), TestServer.executionId])
          assertProblem(yield* send(`/api/v1/executions/${id}`, { key }), 404, "not_found")
      })
    )

    const refusals: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["token/0x12", ["address bad_address"]],
      ["token/vitalik.eth", ["address bad_address"]],
      [`token/${"a".repeat(300)}`, ["address bad_address"]],
      ["wallet/0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD1", ["address bad_address"]],
      ["wallet/0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee", ["address bad_checksum"]],
      [`contract/${target.works}?chain=1`, ["chain unsupported_chain"]],
      [`contract/${target.works}?chain=`, ["chain unsupported_chain"]],
      [`contract/${target.works}?chain=31337&chain=31337`, ["chain wrong_type"]],
      [`token/${target.works}?summary=yes`, ["summary wrong_type"]],
      [`token/${target.works}?compare_to=latest`, ["compare_to not_allowed"]],
      [`token/${target.works}?sumary=true`, ["sumary unknown_field"]],
      [`token/${target.works}?Chain=31337`, ["Chain unknown_field"]],
      [
        "token/0x12?chain=5&summary=1&compare_to=exe_1&x=",
        [
          "address bad_address",
          "chain unsupported_chain",
          "compare_to not_allowed",
          "summary wrong_type",
          "x unknown_field"
        ]
      ],
      ["executions?limit=0", ["limit below_minimum"]],
      ["executions?limit=101", ["limit above_maximum"]],
      ["executions?limit=1e1", ["limit wrong_type"]],
      ["executions?limit=1.5", ["limit wrong_type"]],
      ["executions?target=nft", ["target not_allowed"]],
      ["executions?since=yesterday", ["since wrong_type"]],
      ["executions?since=2026-02-30", ["since wrong_type"]],
      ["executions?watch_id=exe_1", ["watch_id not_allowed"]],
      ["executions?address=0x1&chain=9", ["address bad_address", "chain unsupported_chain"]],
      [`executions/${TestServer.executionId}/changes?base=first`, ["base not_allowed"]],
      [`executions/${TestServer.executionId}?include=everything`, ["include not_allowed"]],
      [`executions/${TestServer.executionId}/recipes?include=recipes`, ["include unknown_field"]],
      ["usage?day=today", ["day unknown_field"]],
      ["limits?x=1", ["x unknown_field"]],
      ["keys/self?x=1", ["x unknown_field"]]
    ]
    for (const [path, expected] of refusals)
      it.effect(`/${path.slice(0, 80)} is refused with every violation`, () =>
        Effect.gen(function* () {
          const answer = yield* send(`/api/v1/${path}`, { key: yield* createKey })
          assertProblem(answer, 422, "validation_failed")
          assert.deepStrictEqual([...codesOf(answer)].sort(), expected)
          for (const item of answer.json.errors) assert.isAbove(item.detail.length, 0)
        })
      )

    it.effect("every spelling of an address is the same address", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const spelled = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
        for (const text of [spelled, spelled.toLowerCase(), `0x${spelled.slice(2).toUpperCase()}`])
          assert.strictEqual((yield* send(`/api/v1/wallet/${text}`, { key })).json.address, spelled)
      })
    )

    it.effect("a cursor that no list made is malformed", () =>
      Effect.gen(function* () {
        assertProblem(yield* send("/api/v1/executions?cursor=x", { key: yield* createKey }), 400, "malformed_request")
      })
    )

    const failures = [
      [target.mismatch, 422, "target_mismatch", { detected: "eoa" }],
      [target.unreadable, 502, "upstream_unavailable", { sources_failed: [{ name: "rpc", reason: "rpc_error" }] }],
      [target.defect, 500, "internal_error", {}],
      [target.failed, 500, "internal_error", {}],
      [target.busy, 429, "concurrency_exceeded", { violated_policies: ["concurrency"] }],
      [target.exhausted, 429, "quota_exceeded", { violated_policies: ["daily"], retry_after_seconds: 86_400 }],
      [target.draining, 503, "draining", {}],
      [target.lost, 503, "execution_lost", { retryable: true, retry_after_seconds: 1 }]
    ] as const
    for (const [address, status, code, members] of failures)
      it.effect(`${code} (${status}) charges nothing and gives nothing away`, () =>
        Effect.gen(function* () {
          const answer = yield* send(`/api/v1/contract/${address}`, { key: yield* createKey })
          assertProblem(answer, status, code)
          assert.strictEqual(answer.headers.get("units-charged"), "0")
          assert.isNotNull(answer.headers.get("ratelimit"))
          for (const [name, value] of Object.entries(members)) assert.deepStrictEqual(answer.json[name], value)
          for (const secret of ["secret", "127.0.0.1", "SELECT", "Error:", ".ts:"])
            assert.isFalse(answer.text.includes(secret))
        })
      )

    it.effect("storage_unavailable (503) says neither that a unit was charged nor that none was", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const path = `/api/v1/contract/${target.unstored}`
        const answer = yield* send(path, { key })
        assertProblem(answer, 503, "storage_unavailable")
        assert.isNull(answer.headers.get("units-charged"))
        assert.include(
          answer.json.detail,
          "It is not known whether the request was carried out. Look at GET /api/v1/executions"
        )
        assert.notInclude(answer.text, "SELECT")
        const named = yield* send(path, { key, headers: { "idempotency-key": "a" } })
        assert.include(named.json.detail, "Repeat it with the same Idempotency-Key")
      })
    )

    it.effect("a client that stops waiting learns where the result will be", () =>
      Effect.gen(function* () {
        const answer = yield* send(`/api/v1/token/${target.slow}`, { key: yield* createKey })
        assertProblem(answer, 504, "deadline_exceeded")
        assert.strictEqual(answer.headers.get("units-charged"), "1", "the execution goes on with its unit")
        assert.match(answer.json.execution_id, /^exe_/)
        assert.include(answer.json.detail, answer.json.execution_id)
      })
    )
  })

  layer(TestServer.layer())("representations", (it) => {
    it.effect("the content hash is the ETag, and If-None-Match saves the body", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const { json: document } = yield* send(`/api/v1/token/${target.works}`, { key })
        const path = `/api/v1/executions/${document.execution_id}`
        const etag = `"${document.content_hash}"`
        assert.strictEqual((yield* send(path, { key })).headers.get("etag"), etag)
        for (const header of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
          const answer = yield* send(path, { key, headers: { "if-none-match": header } })
          assert.strictEqual(answer.status, 304, header)
          assert.strictEqual(answer.text, "")
          assert.strictEqual(answer.headers.get("etag"), etag)
        }
        assert.strictEqual((yield* send(path, { key, headers: { "if-none-match": '"other"' } })).status, 200)
      })
    )

    it.effect("changes come as JSON, Markdown, text or a page, as the caller accepts", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const { json: document } = yield* send(`/api/v1/token/${target.works}`, { key })
        const path = `/api/v1/executions/${document.execution_id}/changes`
        const cases = [
          ["*/*", "application/json"],
          ["text/markdown", "text/markdown; charset=utf-8"],
          ["text/plain, text/markdown;q=0.5", "text/plain; charset=utf-8"],
          ["text/*", "text/markdown; charset=utf-8"],
          ["text/plain;q=0.1, application/json;q=0.2", "application/json"],
          ["application/json;q=0, */*", "text/markdown; charset=utf-8"],
          ["text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8"]
        ] as const
        for (const [accept, type] of cases) {
          // What is large enough to be compressed varies with that too.
          const answer = yield* send(path, { key, headers: { accept, "accept-encoding": "identity" } })
          assert.strictEqual(answer.status, 200)
          assert.strictEqual(answer.headers.get("content-type"), type)
          assert.match(answer.headers.get("vary") ?? "", type.startsWith("text/html") ? /^Accept\b/ : /^Accept$/)
        }
        const refused = yield* send(path, { key, headers: { accept: "application/xml, image/png" } })
        assertProblem(refused, 406, "not_acceptable")
        assert.deepStrictEqual(refused.json.acceptable, [
          "application/json",
          "text/markdown",
          "text/plain",
          "text/html"
        ])
      })
    )

    it.effect("an analysis that the caller could not read is not started", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const answer = yield* send(`/api/v1/token/${target.works}`, { key, headers: { accept: "image/png" } })
        assertProblem(answer, 406, "not_acceptable")
        assert.deepStrictEqual((yield* send("/api/v1/executions", { key })).json.data, [])
      })
    )

    it.effect("the root leads to a page that says how to begin, has no script, and loads nothing", () =>
      Effect.gen(function* () {
        const root = yield* send("/")
        assert.strictEqual(root.status, 303)
        assert.strictEqual(root.headers.get("location"), "/api/v1/welcome")
        const { headers, text } = yield* send("/api/v1/welcome")
        assert.match(headers.get("content-type") ?? "", /^text\/html/)
        assert.match(
          headers.get("content-security-policy") ?? "",
          /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/
        )
        const [, style = ""] = /<style>(.*)<\/style>/.exec(text) ?? []
        const hash = createHash("sha256").update(style).digest("base64")
        assert.include(headers.get("content-security-policy"), hash)
        assert.include(text, '<meta name="viewport" content="width=device-width, initial-scale=1">')
        assert.include(style, "prefers-color-scheme:dark")
        assert.notMatch(text, /<script|<link|<img|<iframe|\son\w+=|\sstyle=|url\(|@import/i)
        for (const [, href = ""] of text.matchAll(/href="([^"]*)"/g))
          assert.strictEqual((yield* send(href)).status, 200, href)
        assert.match(text, /KEY=\$\(curl/)
        assert.include(text, "sandbox (31337)")
        assert.notInclude(text, "secret-path")
        // Nothing to try where nothing was provided.
        assert.notInclude(text, "<details")
      })
    )

    it.effect(
      "the page names the host that the reader has called, and repeats nothing else that a Host header says",
      () =>
        Effect.gen(function* () {
          const page = (host: string) =>
            Effect.map(
              sendRaw(`GET /api/v1/welcome HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`),
              ({ text }) => /API=(\S+)/.exec(text)?.[1]
            )
          assert.strictEqual(yield* page("127.0.0.1:8787"), "http://127.0.0.1:8787/api/v1")
          assert.strictEqual(yield* page("[::1]:8787"), "http://[::1]:8787/api/v1")
          assert.strictEqual(yield* page("assay.example"), "https://assay.example/api/v1")
          assert.strictEqual(yield* page("$(reboot)"), "https://this-server.example/api/v1")
          assert.strictEqual(yield* page("<b>"), "https://this-server.example/api/v1")
        })
    )

    it.effect("the list of chains says what is served, and no endpoint", () =>
      Effect.gen(function* () {
        const { json, text } = yield* send("/api/v1/chains")
        assert.deepStrictEqual(json, {
          data: [{ id: 31_337, name: "sandbox", currency: "ETH", explorer: null, default: true }],
          next_cursor: null
        })
        assert.notInclude(text, "127.0.0.1")
      })
    )

    it.effect("an address without a kind is analysed as what it is, for the same unit and in the same forms", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        for (const [address, kind] of [
          [target.works, "token"],
          [target.wallet, "wallet"]
        ] as const) {
          const answer = yield* send(`/api/v1/address/${address}`, { key })
          assert.strictEqual(answer.status, 200)
          assert.strictEqual(answer.json.target, kind)
          assert.strictEqual(answer.headers.get("units-charged"), "1")
          const report = yield* send(`/api/v1/address/${address}`, { key, headers: { accept: "text/plain" } })
          assert.match(report.headers.get("content-type") ?? "", /^text\/plain/)
          assert.match(report.headers.get("content-location") ?? "", /^\/api\/v1\/executions\/exe_/)
        }
        assertProblem(yield* send(`/api/v1/address/${target.unreadable}`, { key }), 502, "upstream_unavailable")
        assertProblem(yield* send("/api/v1/address/0x12", { key }), 422, "validation_failed")
        assertProblem(yield* send(`/api/v1/address/${target.works}?chain=9`, { key }), 422, "validation_failed")
        assertProblem(yield* send(`/api/v1/address/${target.works}?kind=token`, { key }), 422, "validation_failed")
        assertProblem(yield* send(`/api/v1/address/${target.works}`), 401, "authentication_required")
        const head = yield* send(`/api/v1/address/${target.works}`, { key, method: "HEAD" })
        assert.strictEqual(head.status, 405)
      })
    )

    it.effect("the documentation page loads nothing from elsewhere, and its policy forbids it", () =>
      Effect.gen(function* () {
        const { headers, text } = yield* send("/api/v1/docs")
        assert.match(headers.get("content-type") ?? "", /^text\/html/)
        assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'/)
        assert.notMatch(headers.get("content-security-policy") ?? "", /https?:/)
        const markup = text.replaceAll(/<script[^>]*>[\s\S]*?<\/script>|<style>[\s\S]*?<\/style>/g, "")
        assert.notMatch(markup, /(?:src|href)\s*=/i)
        assert.notMatch(text, /<(?:script|link|img|iframe)[^>]*\s(?:src|href)\s*=\s*["']?(?:https?:)?\/\//i)
      })
    )
  })

  layer(TestServer.layer({ limits: { ...TestServer.config.limits, burstPerMinute: 2 } }))("bursts", (it) => {
    it.effect("the burst limit comes before validation and leaves other keys and free routes alone", () =>
      Effect.gen(function* () {
        const [key, other] = [yield* createKey, yield* createKey]
        const first = yield* send("/api/v1/token/x", { key })
        assertProblem(first, 422, "validation_failed")
        assert.strictEqual(first.headers.get("ratelimit-policy"), '"daily";q=50;w=86400, "burst";q=2;w=60')
        assert.strictEqual(first.headers.get("ratelimit"), '"daily";r=50;t=86400, "burst";r=1;t=30')
        yield* send("/api/v1/token/x", { key })
        const refused = yield* send("/api/v1/token/x", { key })
        assertProblem(refused, 429, "rate_limited")
        assert.deepStrictEqual(refused.json.violated_policies, ["burst"])
        assert.strictEqual(refused.json.retry_after_seconds, 30)
        assert.strictEqual(refused.headers.get("ratelimit"), '"daily";r=50;t=86400, "burst";r=0;t=60')
        assert.strictEqual(refused.headers.get("units-charged"), "0")
        assertProblem(yield* send("/api/v1/token/x", { key: other }), 422, "validation_failed")
        const free = yield* send("/api/v1/usage", { key })
        assert.strictEqual(free.status, 200)
        assert.include(free.headers.get("ratelimit-policy") ?? "", '"burst";q=20;w=60')
      })
    )
  })

  const shared = { ...TestServer.config.limits, burstPerMinute: 5, processes: 2 }
  layer(TestServer.layer({ limits: shared }))("bursts at one of two processes", (it) => {
    it.effect("have the share of that process, which is what the header fields and the list of limits say", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const answers = yield* Effect.replicateEffect(send("/api/v1/token/x", { key }), 4)
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [422, 422, 422, 429]
        )
        assert.include(answers[0]?.headers.get("ratelimit-policy") ?? "", '"burst";q=3;w=60')
        assert.include(answers[2]?.headers.get("ratelimit") ?? "", '"burst";r=0;')
        const { json } = yield* send("/api/v1/limits")
        const named = (name: string) => json.data.find((limit: { readonly name: string }) => limit.name === name)
        assert.deepInclude(named("burst_metered"), {
          value: 3,
          description: "Requests that start analyses; the share of each of 2 processes."
        })
        assert.deepInclude(named("burst_other"), { value: 25 })
      })
    )
  })

  layer(TestServer.layer({ perSource: true, trustedProxies: ["127.0.0.1"] }))("sources", (it) => {
    const from = (address: string) => ({ "x-forwarded-for": address })

    it.effect("one source makes five keys an hour, refused ones not counted", () =>
      Effect.gen(function* () {
        const create = (address: string, label = "a") =>
          send("/api/v1/keys", {
            method: "POST",
            headers: { "content-type": "application/json", ...from(address) },
            body: JSON.stringify({ label })
          })
        for (let index = 0; index < 5; index++) {
          assertProblem(yield* create("2001:db8:1:2::1", ""), 422, "validation_failed")
          assert.strictEqual((yield* create(`2001:db8:1:2::${index}`)).status, 201)
        }
        const refused = yield* create("2001:db8:1:2:ffff::9")
        assertProblem(refused, 429, "rate_limited")
        assert.deepStrictEqual(refused.json.violated_policies, ["keys-per-hour"])
        assert.strictEqual(refused.json.retry_after_seconds, 3_600)
        assert.strictEqual((yield* create("2001:db8:1:3::1")).status, 201)
      })
    )

    it.effect("a source that keeps failing must wait, and a key that works still passes", () =>
      Effect.gen(function* () {
        const { json: created } = yield* send("/api/v1/keys", {
          method: "POST",
          headers: { "content-type": "application/json", ...from("192.0.2.7") },
          body: JSON.stringify({ label: "a" })
        })
        for (let index = 0; index < 30; index++)
          assertProblem(yield* send("/api/v1/usage", { key: "guess", headers: from("192.0.2.7") }), 401, "invalid_key")
        const refused = yield* send("/api/v1/usage", { key: "guess", headers: from("192.0.2.7") })
        assertProblem(refused, 429, "rate_limited")
        assert.deepStrictEqual(refused.json.violated_policies, ["authentication-failures"])
        assert.strictEqual((yield* send("/api/v1/usage", { key: created.key, headers: from("192.0.2.7") })).status, 200)
        assertProblem(yield* send("/api/v1/usage", { key: "guess", headers: from("192.0.2.8") }), 401, "invalid_key")
      })
    )
  })
})
