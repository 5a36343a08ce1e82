import { StorageFault } from "@assay/core/testing"
import { describe, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { assert } from "vitest"
import { assertProblem, json } from "../Problems.js"
import * as TestServer from "../TestServer.js"

const { createKey, send, target } = TestServer

describe("a store that is away", () => {
  layer(TestServer.layer())("for one call", (it) => {
    it.effect("is a problem that says to come back, wherever a route first needs it, and gives nothing away", () =>
      Effect.gen(function* () {
        const fault = yield* StorageFault.StorageFault
        const key = yield* createKey
        const post = (path: string, body: object) => send(path, { key, ...json(body) })
        const webhook = (yield* post("/api/v1/webhooks", { url: "https://hooks.example/" })).json
        const watch = (yield* post("/api/v1/watches", { target: "token", address: target.works })).json
        const watchPath = `/api/v1/watches/${watch.id}`
        const webhookPath = `/api/v1/webhooks/${webhook.id}`
        const routes: ReadonlyArray<readonly [string, RequestInit]> = [
          ["/api/v1/watches", {}],
          [watchPath, {}],
          [watchPath, json({ label: "x" }, "PATCH")],
          [`${watchPath}/pause`, { method: "POST" }],
          [`${watchPath}/resume`, { method: "POST" }],
          [`${watchPath}/runs`, {}],
          [`${watchPath}/changes`, {}],
          [`${watchPath}/run`, { method: "POST" }],
          ["/api/v1/events", {}],
          ["/api/v1/events?wait=30", {}],
          ["/api/v1/events/stream", {}],
          ["/api/v1/webhooks", {}],
          ["/api/v1/webhooks", json({ url: "https://hooks.example/" })],
          [webhookPath, {}],
          [webhookPath, json({ label: "x" }, "PATCH")],
          [`${webhookPath}/rotate-secret`, { method: "POST" }],
          [`${webhookPath}/test`, { method: "POST" }],
          [`${webhookPath}/deliveries`, {}],
          [webhookPath, { method: "DELETE" }],
          [watchPath, { method: "DELETE" }],
          ["/api/v1/usage", {}]
        ]
        for (const [path, init] of routes) {
          // The first call is that of the authentication.
          yield* fault.arm(Option.some({ call: 2, kind: "fails", moment: "before" }))
          const refused = yield* send(path, { key, ...init })
          assertProblem(refused, 503, "storage_unavailable")
          assert.notInclude(refused.text, "StorageFault")
        }
        yield* fault.arm(Option.none())
        assert.deepStrictEqual((yield* send(watchPath, { key })).json, { ...watch, last_result: null })
        const { secret: _, ...shown } = webhook
        assert.deepStrictEqual((yield* send(webhookPath, { key })).json, shown)
        // A commit that lost its answer, and what fails after a commit: no sentence may promise that nothing changed.
        const writes: ReadonlyArray<readonly [string, RequestInit, RegExp]> = [
          ["/api/v1/keys", json({ label: "x" }), /request another one/],
          ["/api/v1/watches", json({ target: "token", address: target.works }), /GET \/api\/v1\/watches before/],
          ["/api/v1/webhooks", json({ url: "https://hooks.example/" }), /GET \/api\/v1\/webhooks before/],
          [watchPath, json({ label: "y" }, "PATCH"), /Read what it changes before/],
          [`${watchPath}/pause`, { method: "POST" }, /changes nothing twice/],
          [`${watchPath}/run`, { method: "POST" }, /Read the runs of the watch before/],
          [`${webhookPath}/rotate-secret`, { method: "POST" }, /Repeat the request/],
          [`${webhookPath}/test`, { method: "POST" }, /Read the deliveries of the webhook before/],
          [webhookPath, { method: "DELETE" }, /404 not_found means that it was/],
          ["/api/v1/keys/self", json({ label: "y" }, "PATCH"), /Read what it changes before/],
          ["/api/v1/keys/self/rotate", { method: "POST" }, /Repeat the request with the same key/],
          ["/api/v1/keys/self", { method: "DELETE" }, /401 key_revoked means that it was/]
        ]
        for (const [path, init, advice] of writes) {
          yield* fault.arm(Option.none())
          const own = yield* createKey
          // The request for a watch is repeated after a wait, and the clock of this test stands still.
          const first = path === "/api/v1/keys" ? 1 : path === "/api/v1/watches" ? 3 : 2
          for (let call = first; call <= 4; call++) {
            yield* fault.arm(Option.some({ call, kind: "fails", moment: "after" }))
            const refused = yield* send(path, { key: path.startsWith("/api/v1/keys/self") ? own : key, ...init })
            if (call > first && refused.status !== 503) break
            assertProblem(refused, 503, "storage_unavailable")
            assert.match(refused.json.detail, advice, path)
            assert.notMatch(refused.json.detail, /nothing was changed|no data changed/i, path)
          }
        }
        yield* fault.arm(Option.some({ call: 2, kind: "fails", moment: "before" }))
        assert.include((yield* send("/api/v1/usage", { key })).json.detail, "Nothing was changed.")
      })
    )
  })
})
