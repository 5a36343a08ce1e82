import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Chains, Sources } from "@assay/core"
import { Sandbox, SharedSandbox } from "@assay/sandbox"
import { Deployment, OutboundProxies, ServerConfig } from "@assay/server"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Option, Redacted, type Scope } from "effect"
import * as ForwardProxy from "../ForwardProxy.js"
import * as TestServer from "../TestServer.js"

const key = "hunter2"

interface Heard {
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** Everything outside the chain, on one port of this machine. */
const outside = (answer: (heard: Heard) => { readonly status?: number; readonly body: unknown }) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const heard: Array<Heard> = []
      const server = createServer(async (request, response) => {
        const chunks: Array<Buffer> = []
        for await (const chunk of request) chunks.push(chunk as Buffer)
        const one = { url: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() }
        heard.push(one)
        const { body, status } = answer(one)
        response.writeHead(status ?? 200, { "content-type": "application/json" }).end(JSON.stringify(body))
      }).listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

const sandbox = Effect.promise(() => SharedSandbox.take())

/** The whole process of a server that reads the sandbox, and its configured sources. */
const deployment = (
  chain: { readonly url: string },
  settings: Pick<ServerConfig.ServerConfig["Type"], "sources" | "summaries"> &
    Partial<Pick<ServerConfig.ServerConfig["Type"], "proxies">>
) =>
  Deployment.layer.pipe(
    Layer.provide(
      Layer.succeed(ServerConfig.ServerConfig, {
        ...TestServer.config,
        ...settings,
        endpoints: Redacted.make(new Map()),
        chains: Redacted.make<readonly [Chains.Chain]>([
          Chains.make({ id: Sandbox.chainId, name: "sandbox", endpoints: [chain.url], addressBook: 1 })
        ])
      })
    )
  )

const model = (url: string): ServerConfig.Summaries => ({
  provider: "openai",
  model: "a-model",
  url: Option.some(`${url}/v1`),
  key: Option.some(Redacted.make(key)),
  timeoutSeconds: 20,
  maxOutputTokens: 500,
  tokensPerDay: 1_000_000
})

const nowhere = Sources.none

/** A model that says one true thing of its input, or what it is made to say. */
const speaking =
  (said?: string) =>
  ({ body }: Heard) => {
    const [, user] = JSON.parse(body).messages
    const data = JSON.parse(user.content.slice(user.content.indexOf("{")))
    const unknown = data.evidence.find(({ state }: { state: string }) => state === "unknown")
    const confirmed = data.evidence.find(({ state }: { state: string }) => state === "confirmed")
    const item = unknown ?? confirmed
    const content = JSON.stringify({
      level: data.risk.level,
      score: data.risk.score,
      sentences: [
        {
          text: said ?? (unknown ? "One thing could not be decided." : "One thing was confirmed."),
          evidence: [{ id: item.id, state: item.state }]
        }
      ]
    })
    return { body: { choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] } }
  }

const analysed = (path: string) =>
  Effect.gen(function* () {
    const key = yield* TestServer.createKey
    const { json, status, text } = yield* TestServer.send(`/api/v1/${path}`, { key })
    assert.strictEqual(status, 200, text)
    return { json, text, key }
  })

const run = <A>(effect: Effect.Effect<A, unknown, Scope.Scope>) => Effect.scoped(Effect.orDie(effect))

describe("what a server reads outside the chain", () => {
  it.live("a written summary is stored with the result, only where it is wished for", () =>
    run(
      Effect.gen(function* () {
        const chain = yield* sandbox
        const llm = yield* outside(speaking())
        yield* Effect.gen(function* () {
          const token = chain.targets.mintable.address
          const told = yield* analysed(`token/${token}?summary=true`)
          assert.deepInclude(told.json, { summary_status: "generated", summary_reason: null })
          assert.match(told.json.summary, /^One thing (?:could not be decided|was confirmed)\. \[[a-z-]+\.[a-z0-9-]+/)
          const kept = yield* TestServer.send(`/api/v1/executions/${told.json.execution_id}`, { key: told.key })
          assert.strictEqual(kept.json.summary, told.json.summary)
          assert.strictEqual(llm.heard.length, 1)
          assert.strictEqual(llm.heard[0]?.headers.authorization, `Bearer ${key}`)
          const plain = yield* TestServer.send(`/api/v1/token/${token}?summary=false`, { key: told.key })
          assert.deepInclude(plain.json, { summary: null, summary_status: "skipped", summary_reason: "not_requested" })
          assert.strictEqual(plain.json.content_hash, told.json.content_hash)
          assert.strictEqual(llm.heard.length, 1)
          assert.notInclude(told.text + kept.text, key)
        }).pipe(Effect.provide(deployment(chain, { sources: nowhere, summaries: Option.some(model(llm.url)) })))
      })
    )
  )

  it.live("a text that the evidence does not bear out is not shown, and the analysis costs what it costs", () =>
    run(
      Effect.gen(function* () {
        const chain = yield* sandbox
        const llm = yield* outside(speaking("This token is safe, see https://evil.example."))
        yield* Effect.gen(function* () {
          const { json } = yield* analysed(`token/${chain.targets.mintable.address}`)
          assert.deepInclude(json, { summary: null, summary_status: "skipped", summary_reason: "rejected", units: 1 })
        }).pipe(Effect.provide(deployment(chain, { sources: nowhere, summaries: Option.some(model(llm.url)) })))
      })
    )
  )

  it.live("configured sources are queried, their failures are unknown, and no key is shown", () =>
    run(
      Effect.gen(function* () {
        const chain = yield* sandbox
        const web = yield* outside(({ url }) =>
          url.startsWith("/sourcify/")
            ? { status: 404, body: { match: null, creationMatch: null, runtimeMatch: null } }
            : url.startsWith("/etherscan") && url.includes("action=getcontractcreation")
              ? { body: { status: "0", message: "No data found", result: null } }
              : url.startsWith("/etherscan")
                ? { body: { status: "1", message: "OK", result: [{ SourceCode: "contract A {}", ABI: "[]" }] } }
                : { status: 503, body: {} }
        )
        const sources: Sources.Sources = {
          sourcify: Option.some(`${web.url}/sourcify`),
          etherscan: Option.some({ key: Redacted.make(key), url: `${web.url}/etherscan` }),
          signatures: Option.none(),
          fourByte: Option.none(),
          goplus: Option.some(`${web.url}/goplus`)
        }
        yield* Effect.gen(function* () {
          const { json, text } = yield* analysed(`token/${chain.targets.plain.address}`)
          assert.notInclude(text, key)
          const states = new Map<string, string>(
            json.evidence.map(({ id, state }: { id: string; state: string }) => [id, state])
          )
          assert.strictEqual(states.get("contract.verified"), "confirmed")
          assert.strictEqual(states.get("contract.creation-record"), "refuted")
          assert.strictEqual(states.get("opinion.honeypot"), "unknown")
          assert.isFalse(states.has("contract.function-names"))
          assert.strictEqual(json.status, "partial")
          const listed = new Map<string, string>(
            json.sources.map(({ name, status }: { name: string; status: string }) => [name, status])
          )
          assert.deepStrictEqual(
            [listed.get("Sourcify"), listed.get("Etherscan"), listed.get("GoPlus")],
            ["ok", "ok", "failed"]
          )
          assert.isTrue(web.heard.some(({ url }) => url.includes(`apikey=${key}`)))
          assert.deepInclude(json, { summary: null, summary_status: "never_configured", summary_reason: null })
          const rules = yield* TestServer.send("/api/v1/evidence-rules")
          assert.include(rules.text, '"contract.verified"')
          assert.notInclude(rules.text, '"contract.function-names"')
        }).pipe(Effect.provide(deployment(chain, { sources, summaries: Option.none() })))
      })
    )
  )

  it.live(
    "sources and models are reached through the proxy of the settings, and the endpoint of this machine directly",
    () =>
      run(
        Effect.gen(function* () {
          const chain = yield* sandbox
          const web = yield* outside((heard) =>
            heard.url.startsWith("/sourcify/")
              ? { status: 404, body: { match: null, creationMatch: null, runtimeMatch: null } }
              : speaking()(heard)
          )
          const port = Number(new URL(web.url).port)
          const proxy = yield* Effect.acquireRelease(
            Effect.promise(() => ForwardProxy.open({ "sourcify.test:80": port, "model.test:80": port })),
            ({ close }) => Effect.sync(close)
          )
          const http = Option.some(Either.getOrThrow(OutboundProxies.parse(proxy.url)))
          const sources = { ...nowhere, sourcify: Option.some("http://sourcify.test/sourcify") }
          yield* Effect.gen(function* () {
            const { json } = yield* analysed(`token/${chain.targets.mintable.address}?summary=true`)
            assert.strictEqual(json.summary_status, "generated")
            const states = json.evidence.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`)
            assert.include(states, "contract.verified refuted")
            const hosts = new Set(proxy.seen.map((asked) => new URL(asked.split(" ")[1] ?? "").host))
            assert.deepStrictEqual([...hosts].sort(), ["model.test", "sourcify.test"])
          }).pipe(
            Effect.provide(
              deployment(chain, {
                sources,
                summaries: Option.some(model("http://model.test")),
                proxies: { ...OutboundProxies.none, http }
              })
            )
          )
        })
      )
  )
})
