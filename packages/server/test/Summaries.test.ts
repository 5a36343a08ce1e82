import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Executions, Quota, Storage } from "@assay/core"
import { Documents, ScriptedAnalyzer } from "@assay/core/testing"
import type { ServerConfig } from "@assay/server"
import { FetchHttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import * as Summaries from "../src/Summaries.js"
import * as TestServer from "./TestServer.js"

/** A model on this machine that says what is confirmed, in the wire format of the requested path. */
const model = Effect.acquireRelease(
  Effect.promise(async () => {
    const asked: Array<{ readonly path: string; readonly key: unknown; readonly body: string }> = []
    const server = createServer(async (request, response) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      asked.push({
        path: request.url ?? "",
        key: request.headers.authorization ?? request.headers["x-api-key"],
        body
      })
      const level = /\\"level\\":\\"(\w+)\\"/.exec(body)?.[1]
      const score = Number(/\\"score\\":(\d+)/.exec(body)?.[1])
      const draft = {
        level,
        score,
        sentences: [{ text: "It was confirmed.", evidence: [{ id: "token.mintable", state: "confirmed" }] }]
      }
      const answer = request.url?.startsWith("/v1/messages")
        ? { content: [{ type: "tool_use", input: draft }], stop_reason: "tool_use" }
        : { choices: [{ message: { content: JSON.stringify(draft) }, finish_reason: "stop" }] }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    return { server, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const settings = (provider: ServerConfig.Summaries["provider"], url: string): Option.Option<ServerConfig.Summaries> =>
  Option.some({
    provider,
    model: "a-model",
    url: Option.some(url),
    key: Option.some(Redacted.make("hunter2")),
    timeoutSeconds: 20,
    maxOutputTokens: 500,
    tokensPerDay: 100_000
  })

const server = (summaries: Option.Option<ServerConfig.Summaries>) =>
  TestServer.over(
    Executions.layerSummarising().pipe(
      Layer.provideMerge(ScriptedAnalyzer.layerConfirming),
      Layer.provide(Quota.layer()),
      Layer.provide(Storage.layerMemory),
      Layer.provide(Summaries.layer(summaries)),
      Layer.provide(FetchHttpClient.layer)
    )
  )

const path = (query: string) => `/api/v1/token/${Documents.address(7)}${query}`

describe("summaries over HTTP", () => {
  for (const [provider, base, asking, key] of [
    ["openai", "/v1", "/v1/chat/completions", "Bearer hunter2"],
    ["anthropic", "", "/v1/messages", "hunter2"]
  ] as const)
    it.scoped(`are written by a model of ${provider} by default and where they are wished for, and kept`, () =>
      Effect.gen(function* () {
        const llm = yield* model
        yield* Effect.gen(function* () {
          const caller = yield* TestServer.createKey
          for (const query of ["", "?summary=true"]) {
            const { json, text } = yield* TestServer.send(path(query), { key: caller })
            assert.deepInclude(json, {
              summary: "It was confirmed. [token.mintable]",
              summary_status: "generated",
              summary_reason: null
            })
            assert.notInclude(text, "hunter2")
            const kept = yield* TestServer.send(`/api/v1/executions/${json.execution_id}`, { key: caller })
            assert.strictEqual(kept.json.summary, json.summary)
          }
          const plain = yield* TestServer.send(path("?summary=false"), { key: caller })
          assert.deepInclude(plain.json, { summary: null, summary_status: "skipped", summary_reason: "not_requested" })
        }).pipe(Effect.provide(server(settings(provider, `${llm.url}${base}`))))
        assert.deepStrictEqual(
          llm.asked.map(({ key, path }) => [path, key]),
          [
            [asking, key],
            [asking, key]
          ]
        )
        // The model does not learn who the caller is.
        assert.notInclude(llm.asked.map(({ body }) => body).join(), "asy_")
      })
    )

  it.scoped("are never configured where nothing is set, and skipped where nobody wishes for one", () =>
    Effect.gen(function* () {
      const caller = yield* TestServer.createKey
      const wished = yield* TestServer.send(path("?summary=true"), { key: caller })
      assert.deepInclude(wished.json, { summary: null, summary_status: "never_configured", summary_reason: null })
      const plain = yield* TestServer.send(path("?summary=false"), { key: caller })
      assert.deepInclude(plain.json, { summary: null, summary_status: "skipped", summary_reason: "not_requested" })
    }).pipe(Effect.provide(server(Option.none())))
  )

  it.scoped("that cannot be written leave the result as it is", () =>
    Effect.gen(function* () {
      const caller = yield* TestServer.createKey
      const { json, status } = yield* TestServer.send(path(""), { key: caller })
      assert.strictEqual(status, 200)
      assert.deepInclude(json, {
        status: "complete",
        units: 1,
        summary: null,
        summary_status: "skipped",
        summary_reason: "provider_error"
      })
    }).pipe(Effect.provide(server(settings("openai", "http://127.0.0.1:1/v1"))))
  )

  it.scoped("of a provider's own API are set up without a request to it", () =>
    Effect.asVoid(
      Layer.build(
        Summaries.layer(Option.map(settings("openai", ""), (all) => ({ ...all, url: Option.none() }))).pipe(
          Layer.provide(FetchHttpClient.layer)
        )
      )
    )
  )
})
