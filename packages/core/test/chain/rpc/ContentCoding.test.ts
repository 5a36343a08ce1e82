import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { FetchHttpClient, type HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import * as JsonRpc from "../../../src/chain/rpc/JsonRpc.js"
import * as Transport from "../../../src/chain/rpc/Transport.js"
import * as HttpSource from "../../../src/chain/sources/HttpSource.js"
import * as FakeService from "../sources/FakeService.js"

const maxBodyBytes = 50_000
const result = `0x${"ab".repeat(5_000)}`
const plain = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result }))

const codings: ReadonlyArray<readonly [name: string, header: string | undefined, body: Uint8Array]> = [
  ["gzip", "gzip", gzipSync(plain)],
  ["gzip in another case", "GZip", gzipSync(plain)],
  ["gzip by its old name", "x-gzip", gzipSync(plain)],
  ["br", "br", brotliCompressSync(plain)],
  ["deflate", "deflate", deflateSync(plain)],
  ["deflate without its wrapper", "deflate", deflateRawSync(plain)],
  ["several codings", "deflate, gzip, br", brotliCompressSync(gzipSync(deflateSync(plain)))],
  ["several codings and none", "identity, gzip", gzipSync(plain)],
  ["nothing", "identity", plain],
  ["nothing that has a name", undefined, plain],
  ["gzip without saying so", undefined, gzipSync(plain)],
  ["deflate without saying so", undefined, deflateSync(plain)]
]

const clients = [
  ["undici's client, which undoes nothing", NodeHttpClient.layerUndici],
  ["fetch, which undoes what it knows", FetchHttpClient.layer]
] as const

const call: JsonRpc.RpcCall = { method: "eth_getCode", params: [] }

const sent = (reply: FakeService.Reply, calls: ReadonlyArray<JsonRpc.RpcCall> = [call]) =>
  Effect.gen(function* () {
    const service = yield* FakeService.start(() => reply)
    const transport = yield* Transport.Transport
    const answers = yield* JsonRpc.exchange(transport, service.url, calls)
    return { answers, service }
  })

const coded = (header: string | undefined, body: Uint8Array): FakeService.Reply => ({
  headers: header === undefined ? {} : { "content-encoding": header },
  body
})

const over = (client: Layer.Layer<HttpClient.HttpClient>) =>
  Effect.provide(Layer.provide(Transport.layerHttpClient({ maxBodyBytes }), client))

const outcome = Either.match({
  onLeft: ({ detail }: JsonRpc.Fault) => detail,
  onRight: (answer: JsonRpc.RpcAnswer) => (answer._tag === "Result" ? answer.result : "reverted")
})

describe("ContentCoding", () => {
  for (const [name, client] of clients) {
    describe(`over ${name}`, () => {
      it.scoped.each(codings)("reads an answer compressed by %s", ([, header, body]) =>
        Effect.gen(function* () {
          const { answers, service } = yield* sent(coded(header, body))
          assert.deepStrictEqual(answers.map(outcome), [result])
          assert.strictEqual(service.requests[0]?.headers["accept-encoding"], "gzip, br, deflate")
        }).pipe(over(client))
      )

      it.scoped("reads no more of a compressed answer than of a plain one", () =>
        Effect.gen(function* () {
          const large = Buffer.alloc(4_000_000, 0x20)
          for (const [header, body] of [
            ["gzip", gzipSync(large)],
            ["br", brotliCompressSync(large)],
            ["deflate", deflateSync(large)],
            ["gzip, gzip", gzipSync(gzipSync(large))]
          ] as const) {
            assert.isBelow(body.byteLength, maxBodyBytes)
            const { answers } = yield* sent(coded(header, body))
            assert.deepStrictEqual(answers.map(outcome), ["the answer was too large to read"], header)
          }
        }).pipe(over(client))
      )

      it.scoped("takes an answer that is cut off for none, and a batch of them for too large", () =>
        Effect.gen(function* () {
          for (const [header, whole] of [
            ["gzip", gzipSync(plain)],
            ["br", brotliCompressSync(plain)],
            ["deflate", deflateSync(plain)],
            ["deflate", deflateRawSync(plain)]
          ] as const) {
            const cut = coded(header, whole.subarray(0, Math.floor(whole.byteLength / 2)))
            const { answers } = yield* sent(cut)
            assert.isTrue(answers.every(Either.isLeft), header)
            const { answers: several } = yield* sent(cut, [call, call])
            assert.isTrue(several.every(Either.isLeft), header)
          }
        }).pipe(over(client))
      )

      it.scoped("keeps a limit of the rate one, whatever its body is compressed by", () =>
        Effect.gen(function* () {
          const { answers } = yield* sent({ ...coded("br", gzipSync(plain).subarray(0, 20)), status: 429 })
          const reasons = answers.map(Either.match({ onLeft: ({ reason }) => reason, onRight: () => "answered" }))
          // fetch fails on the body, and has no status then.
          assert.include(["rate_limited", "rpc_error"], reasons[0])
        }).pipe(over(client))
      )
    })
  }

  it.scoped("says what an answer that it cannot undo is compressed by", () =>
    Effect.gen(function* () {
      const zstd = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x89, 0x00, 0x00])
      const details = []
      for (const [header, body] of [
        ["zstd", zstd],
        ["gzip", brotliCompressSync(plain)],
        ["gzip, gzip, gzip, gzip", gzipSync(gzipSync(gzipSync(gzipSync(plain))))],
        ["\u00e9vil <coding>", zstd]
      ] as const) {
        const { answers } = yield* sent(coded(header, body))
        details.push(...answers.map(outcome))
      }
      assert.deepStrictEqual(details, [
        "the answer could not be decompressed: it is compressed by zstd, which was not asked for",
        "the answer could not be decompressed: it is cut off or not compressed as it says",
        "the answer could not be decompressed: it is compressed too often",
        "the answer could not be decompressed: it is compressed in an unknown way"
      ])
    }).pipe(over(NodeHttpClient.layerUndici))
  )

  for (const [name, client] of clients) {
    it.scopedLive(`reads compressed answers of optional sources over ${name}, bounded as plain ones`, () =>
      Effect.gen(function* () {
        const body = Buffer.from(JSON.stringify({ known: "x".repeat(1_000) }))
        const replies: { readonly [path: string]: FakeService.Reply } = {
          "/gzip": coded("gzip", gzipSync(body)),
          "/br": coded("br", brotliCompressSync(body)),
          "/deflate": coded("deflate", deflateRawSync(body)),
          "/unsaid": coded(undefined, gzipSync(body)),
          "/large": coded("br", brotliCompressSync(Buffer.from(JSON.stringify({ known: "x".repeat(5_000_000) }))))
        }
        const service = yield* FakeService.start(({ path }) => replies[path] ?? { body: {} })
        const source = yield* HttpSource.make("a service", { retries: 0, perSecond: 1_000 })
        const read = (path: string) =>
          Effect.either(source.get({ url: `${service.url}${path}` }, (found) => Either.right(found)))
        for (const path of ["/gzip", "/br", "/deflate", "/unsaid"]) {
          const answer = yield* read(path)
          assert.deepStrictEqual(
            Either.map(answer, ({ value }) => value),
            Either.right(JSON.parse(body.toString())),
            path
          )
        }
        assert.isTrue(Either.isLeft(yield* read("/large")))
        assert.strictEqual(service.requests[0]?.headers["accept-encoding"], "gzip, br, deflate")
      }).pipe(Effect.provide(client))
    )
  }

  it("reads the chain without importing a module of Node, which a browser does not have", () => {
    const folder = fileURLToPath(new URL("../../../src/chain", import.meta.url))
    const importing = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && /from "node:/.test(readFileSync(`${folder}/${file}`, "utf8"))
    )
    assert.deepStrictEqual(importing, [])
  })
})
