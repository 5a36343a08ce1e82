import { describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assert } from "vitest"
import { assertProblem, json } from "../Problems.js"
import * as TestServer from "../TestServer.js"

const { createKey, send, target } = TestServer

const kinds = {
  "/api/v1/watches": [
    { target: "token", address: target.works, label: "mine" },
    { label: "mine", address: target.works.toUpperCase().replace("0X", "0x"), target: "token" },
    { target: "token", address: target.works, label: "other" }
  ],
  "/api/v1/webhooks": [
    { url: "https://hooks.example/a", label: "mine" },
    { label: "mine", url: "https://hooks.example/a" },
    { url: "https://hooks.example/b", label: "mine" }
  ]
} as const

describe("a request with an Idempotency-Key", () => {
  for (const [path, [body, same, other]] of Object.entries(kinds))
    layer(TestServer.layer())(path, (it) => {
      const make = (key: string, asked: object, name: string) => {
        const init = json(asked)
        return send(path, { key, ...init, headers: { ...init.headers, "idempotency-key": name } })
      }
      const listed = (key: string) => Effect.map(send(path, { key }), (answer) => answer.json.data.length as number)

      it.effect("answers again as it did, and makes nothing more", () =>
        Effect.gen(function* () {
          const key = yield* createKey
          const first = yield* make(key, body, "order 1")
          assert.strictEqual(first.status, 201, first.text)
          for (const asked of [body, same]) {
            const again = yield* make(key, asked, "order 1")
            assert.strictEqual(again.status, 201, again.text)
            assert.strictEqual(again.headers.get("location"), first.headers.get("location"))
            assert.deepStrictEqual(again.json, first.json)
          }
          assert.strictEqual(yield* listed(key), 1)
          assert.notStrictEqual((yield* make(key, body, "order 2")).json.id, first.json.id)
          assert.notStrictEqual((yield* make(yield* createKey, body, "order 1")).json.id, first.json.id)
        })
      )

      it.effect("is refused for another body, and for a name that is none", () =>
        Effect.gen(function* () {
          const key = yield* createKey
          yield* make(key, body, "order 1")
          assertProblem(yield* make(key, other, "order 1"), 422, "idempotency_key_reused")
          assertProblem(yield* make(key, body, "x".repeat(256)), 422, "validation_failed")
          assert.strictEqual(yield* listed(key), 1)
        })
      )

      it.effect("makes one thing of twenty that arrive at once, and answers all with it", () =>
        Effect.gen(function* () {
          const key = yield* createKey
          const all = yield* Effect.replicateEffect(make(key, body, "order 1"), 20, { concurrency: "unbounded" })
          for (const { json: made, status, text } of all) {
            assert.strictEqual(status, 201, text)
            assert.deepStrictEqual(made, all[0]?.json)
          }
          assert.strictEqual(yield* listed(key), 1)
        })
      )

      it.effect("binds nothing where it was refused, and is free again once what it made is removed", () =>
        Effect.gen(function* () {
          const key = yield* createKey
          assert.strictEqual((yield* make(key, { ...body, nonsense: 1 }, "order 1")).status, 422)
          const first = yield* make(key, body, "order 1")
          assert.strictEqual(first.status, 201, first.text)
          yield* send(`${path}/${first.json.id}`, { key, method: "DELETE" })
          assert.strictEqual((yield* make(key, body, "order 1")).status, 201)
          assert.strictEqual(yield* listed(key), 1)
        })
      )
    })

  layer(TestServer.layer())("", (it) => {
    const named = (body: object) => {
      const init = json(body)
      return { ...init, headers: { ...init.headers, "idempotency-key": "a" } }
    }

    it.effect("answers with a watch as it is now, and with the secret that signs now", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const watch = yield* send("/api/v1/watches", { key, ...named({ target: "token", address: target.works }) })
        yield* send(`/api/v1/watches/${watch.json.id}/pause`, { key, method: "POST" })
        const again = yield* send("/api/v1/watches", { key, ...named({ target: "token", address: target.works }) })
        assert.deepStrictEqual([again.json.id, again.json.state], [watch.json.id, "paused"])
        const url = "https://hooks.example/"
        const webhook = yield* send("/api/v1/webhooks", { key, ...named({ url }) })
        const { secret } = (yield* send(`/api/v1/webhooks/${webhook.json.id}/rotate-secret`, { key, method: "POST" }))
          .json
        assert.strictEqual((yield* send("/api/v1/webhooks", { key, ...named({ url }) })).json.secret, secret)
      })
    )

    it.effect("makes another API key each time: a secret that is stored nowhere cannot be answered again", () =>
      Effect.gen(function* () {
        const [one, two] = [
          yield* send("/api/v1/keys", named({ label: "a" })),
          yield* send("/api/v1/keys", named({ label: "a" }))
        ]
        assert.deepStrictEqual([one.status, two.status], [201, 201])
        assert.notStrictEqual(one.json.key, two.json.key)
      })
    )
  })
})
