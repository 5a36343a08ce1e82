import { describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assert } from "vitest"
import * as Compression from "../../../src/http/edge/Compression.js"
import { json } from "../../Problems.js"
import * as TestServer from "../../TestServer.js"

const { createKey, send, sendRaw, target } = TestServer

const cases: ReadonlyArray<readonly [string | undefined, Compression.Coding | undefined]> = [
  [undefined, undefined],
  ["", undefined],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["br", "br"],
  ["gzip, deflate, br", "br"],
  ["BR;Q=0.5, GZIP;Q=0.8", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["gzip;q=0, br;q=0", undefined],
  ["*", "br"],
  ["br;q=0, *", "gzip"],
  ["*;q=0", undefined],
  ["identity, gzip;q=0.5", undefined],
  ["identity;q=0.5, gzip;q=0.5", "gzip"],
  ["deflate, zstd", undefined],
  ["gzip;q=much", undefined]
]

describe("Compression", () => {
  for (const [header, coding] of cases)
    it(`answers Accept-Encoding ${JSON.stringify(header)} with ${coding ?? "plain bytes"}`, () => {
      assert.strictEqual(Compression.preferred(header), coding)
    })

  layer(TestServer.layer())("over a socket", (it) => {
    const document = "/api/v1/openapi.json"
    const as = (coding: string) => ({ headers: { "accept-encoding": coding } })

    it.effect("the same document arrives in the coding that the client prefers, smaller, and plain without one", () =>
      Effect.gen(function* () {
        const plain = yield* send(document)
        assert.isNull(plain.headers.get("content-encoding"))
        for (const coding of ["gzip", "br"] as const) {
          const answer = yield* send(document, as(coding))
          assert.strictEqual(answer.headers.get("content-encoding"), coding)
          assert.strictEqual(answer.text, plain.text)
          assert.isBelow(Number(answer.headers.get("content-length")), plain.text.length / 4)
        }
        for (const coding of ["gzip", "br", "identity"])
          assert.strictEqual((yield* send(document, as(coding))).headers.get("vary"), "Accept-Encoding")
        const raw = yield* sendRaw("GET /api/v1/evidence-rules HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert.isNull(raw.headers.get("content-encoding"))
      })
    )

    it.effect("a small body and an event stream stay as they are", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const small = yield* send("/api/v1/keys/self", { key, ...as("gzip") })
        assert.isNull(small.headers.get("content-encoding"))
        const origin = yield* TestServer.base
        const stream = yield* Effect.promise(async () => {
          const stop = new AbortController()
          const headers = { authorization: `Bearer ${key}`, "accept-encoding": "gzip, br" }
          const response = await fetch(`${origin}/api/v1/events/stream`, { headers, signal: stop.signal })
          const first = await response.body?.getReader().read()
          stop.abort()
          return { headers: response.headers, first: Buffer.from(first?.value ?? []).toString() }
        })
        assert.isNull(stream.headers.get("content-encoding"))
        assert.strictEqual(stream.first, ":\n\n")
      })
    )

    it.effect("each coding of a result has an ETag of its own, and each is known again in any coding", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const made = yield* send(`/api/v1/token/${target.works}?include=recipes`, { key })
        const path = `/api/v1/executions/${made.json.execution_id}?include=recipes`
        const tags = new Map<string, string>()
        for (const coding of ["identity", "gzip", "br"]) {
          const answer = yield* send(path, { key, ...as(coding) })
          assert.strictEqual(answer.text, made.text)
          tags.set(coding, answer.headers.get("etag") ?? "")
        }
        assert.strictEqual(new Set(tags.values()).size, 3)
        for (const tag of tags.values())
          for (const coding of tags.keys()) {
            const headers = { "accept-encoding": coding, "if-none-match": `"other", W/${tag}` }
            const answer = yield* send(path, { key, headers })
            assert.strictEqual(answer.status, 304, `${tag} ${coding}`)
            assert.strictEqual(answer.headers.get("etag"), tag)
            assert.include(answer.headers.get("vary"), "Accept-Encoding")
          }
      })
    )

    it.effect("an edit names the version that it saw, in whatever coding", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        const body = { target: "token", address: target.works, label: "é".repeat(100) }
        const made = yield* send("/api/v1/watches", { key, ...json(body) })
        const path = `/api/v1/watches/${made.json.id}`
        for (const coding of ["gzip", "br"]) {
          const { etag, ...seen } = yield* Effect.map(send(path, { key, ...as(coding) }), ({ headers, text }) => ({
            etag: headers.get("etag") ?? "",
            coding: headers.get("content-encoding"),
            bytes: Buffer.byteLength(text)
          }))
          assert.strictEqual(seen.coding, seen.bytes < Compression.minimumBytes ? null : coding)
          const patch = json({ label: coding.padEnd(100, "é") })
          const edit = {
            key,
            ...patch,
            method: "PATCH",
            headers: { "content-type": "application/json", "if-match": etag }
          }
          assert.strictEqual((yield* send(path, edit)).status, 200)
          assert.strictEqual((yield* send(path, edit)).status, 412)
        }
      })
    )
  })
})
