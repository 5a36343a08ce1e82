import { readFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import { Cause, Effect, Exit, Layer, Option, Redacted, type Scope } from "effect"
import { assert, describe, it } from "vitest"
import * as Analyzer from "../../src/analysis/Analyzer.js"
import * as Failure from "../../src/analysis/Failure.js"
import * as ChainAccess from "../../src/chain/ChainAccess.js"
import * as Chains from "../../src/chain/Chains.js"
import * as Checks from "../../src/checks/Checks.js"
import * as Address from "../../src/domain/Address.js"
import type { TargetKind } from "../../src/domain/Target.js"
import { fakeNode, standard } from "../chain/FakeNode.js"

const address = Address.checksum("0x00000000000000000000000000000000000a11ce")

/** What no error may hold, wherever an endpoint's URL has it. */
const secrets = ["hunter2", "keyinpath", "keyinquery", "keyinheader"]

const withSecrets = (url: string): string =>
  `${url.replace("://", "://someone:hunter2@")}/v3/keyinpath?apikey=keyinquery`

const listening = (listener: RequestListener): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(listener)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.async<void>((done) => {
          server.close(() => done(Effect.void))
          server.closeAllConnections()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

const replying = (status: number, headers: Record<string, string>, body: string) =>
  listening((_, response) => void response.writeHead(status, headers).end(body))

const json = { "content-type": "application/json" }

/** A port that nothing listens on. */
const closed = Effect.scoped(replying(200, json, ""))

interface Reading {
  readonly chainId?: number | undefined
  readonly kind?: TargetKind | undefined
  readonly block?: number | undefined
  readonly client?: Layer.Layer<HttpClient.HttpClient> | undefined
}

/** Analyses over these endpoints as an embedder does. */
const analyzed = (urls: readonly [string, ...Array<string>], { block, chainId, client, kind }: Reading = {}) =>
  Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
    analyzer.analyze({
      kind: kind ?? "contract",
      address,
      chain: Chains.make({
        id: chainId ?? 31_337,
        name: "ethereum",
        endpoints: urls.map(withSecrets) as [string, ...Array<string>]
      }),
      block: Option.fromNullable(block)
    })
  ).pipe(
    Effect.provide(Analyzer.layer(Checks.all)),
    Effect.provide(
      ChainAccess.layerJsonRpc({
        retryDelay: 0,
        patience: 0,
        timeout: "500 millis",
        headersOf: () => ({ "x-key": Redacted.make("keyinheader") })
      })
    ),
    Effect.provide(client ?? FetchHttpClient.layer)
  )

const replied = (status: number, headers: Record<string, string>, body: string) =>
  Effect.flatMap(replying(status, headers, body), (url) => analyzed([url]))

const unresolved = Layer.scoped(
  HttpClient.HttpClient,
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(
        () =>
          new Undici.Agent({
            connect: {
              lookup: (_host, _options, found) =>
                found(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }), "", 4)
            }
          })
      ),
      (agent) => Effect.promise(() => agent.destroy())
    ),
    NodeHttpClient.makeUndici
  )
)

const closedUrl = Effect.map(closed, (url) => url)

const node = (say: Parameters<typeof fakeNode>[0] = standard()) => Effect.map(fakeNode(say), ({ url }) => url)

const typed = (text: string) =>
  Effect.flatMap(
    Effect.suspend(() => Address.parse(text)),
    () => Effect.void
  )

/** What goes wrong, as the document names it, and what an embedder's program does then. */
const cases: { readonly [what: string]: Effect.Effect<unknown, unknown, Scope.Scope> } = {
  "nothing listens at its port": Effect.flatMap(closedUrl, (url) => analyzed([url])),
  "its host name is unknown": analyzed(["http://rpc.nowhere.example"], { client: unresolved }),
  "it closes the connection": Effect.flatMap(
    listening((request) => void request.socket.destroy()),
    (url) => analyzed([url])
  ),
  "it speaks no TLS": Effect.flatMap(replying(200, json, "{}"), (url) => analyzed([url.replace("http:", "https:")])),
  "it never answers": Effect.flatMap(
    listening(() => undefined),
    (url) => analyzed([url])
  ),
  "it stops in the middle of an answer": Effect.flatMap(
    listening((_, response) => void response.writeHead(200, json).write("{")),
    (url) => analyzed([url])
  ),
  "it serves another chain": Effect.flatMap(node(), (url) => analyzed([url], { chainId: 1 })),
  "it requires a key": replied(401, json, "{}"),
  "it requires a key, and says so in JSON-RPC": replied(
    401,
    json,
    JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32600, message: "Must be authenticated!" } })
  ),
  "it refuses the key": replied(403, { "content-type": "text/plain" }, "Forbidden"),
  "it limits the rate for ever": replied(429, {}, ""),
  "its path is wrong": replied(404, { "content-type": "text/html" }, "<h1>Not found</h1>"),
  "it fails": replied(500, { "content-type": "text/html" }, "<h1>Sorry</h1>"),
  "it redirects": replied(301, { location: "http://127.0.0.1:1/" }, ""),
  "it answers a web page": replied(200, { "content-type": "text/html; charset=utf-8" }, "<h1>Welcome</h1>"),
  "it answers half of a JSON document": replied(200, json, '{"jsonrpc":"2.0","id":1,"result":"0x'),
  "it answers nothing": replied(200, json, ""),
  "it answers a list without our calls": replied(200, json, "[]"),
  "it answers what it calls gzip and is none": replied(200, { ...json, "content-encoding": "gzip" }, "\u001f\u008bno"),
  "it answers every call with an error": Effect.flatMap(
    node(() => ({ error: { code: -32000, message: "project keyinpath is suspended." } })),
    (url) => analyzed([url])
  ),
  "it is behind the block": Effect.flatMap(node(), (url) => analyzed([url], { block: 5_000 })),
  "it keeps no old blocks": Effect.flatMap(
    node((call) =>
      call.method === "eth_getBlockByNumber" && call.params[0] === "0x7" ? { result: null } : standard()(call)
    ),
    (url) => analyzed([url], { block: 7 })
  ),
  "its URL is of another protocol": analyzed(["ws://127.0.0.1:1"]),
  "its URL is none": Effect.try({
    try: () => Chains.make({ id: 1, endpoints: ["https://", "rpc.example/v3/keyinpath"] }),
    catch: (error) => error
  }),
  "two endpoints fail": Effect.flatMap(Effect.all([node(), closedUrl]), ([other, gone]) =>
    analyzed([other, gone], { chainId: 1 })
  ),
  "a name in place of an address": typed("vitalik.eth"),
  "an address with a wrong checksum": typed("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee"),
  "a wallet, analysed as a token": Effect.flatMap(
    node((call) => (call.method === "eth_getCode" ? { result: "0x" } : standard()(call))),
    (url) => analyzed([url], { kind: "token" })
  ),
  "a chain that is not configured": Effect.flatMap(Chains.Chains, (chains) => chains.find(Option.some("base"))).pipe(
    Effect.provide(Chains.layer([Chains.make({ id: 1, endpoints: ["http://127.0.0.1:1"] })]))
  )
}

const document = new URL("../../../../docs/guides/when-it-fails.md", import.meta.url)

/** The rows of the document's tables: what goes wrong, the code, and the sentence. */
const rows = [...readFileSync(document, "utf8").matchAll(/^\| (.+?) \| `(\w+)`(, retry)? \| (.+) \|$/gm)].map(
  ([, what = "", code = "", retry, sentence = ""]) => ({ what, code, retryable: retry !== undefined, sentence })
)

/** What an embedder gets: the failure, or the defect where a mistake of the program is one. */
const outcome = (exit: Exit.Exit<unknown, unknown>): Failure.Failure => {
  const failed = Exit.isFailure(exit) ? exit.cause : Cause.fail("it did not fail")
  const [first] = [...Cause.failures(failed), ...Cause.defects(failed)]
  return first as Failure.Failure
}

describe("docs/guides/when-it-fails.md", () => {
  it("names every case once", () => {
    assert.deepStrictEqual(rows.map(({ what }) => what).sort(), Object.keys(cases).sort())
  })

  for (const [what, when] of Object.entries(cases))
    it(`says what an embedder gets where ${what}, and no part of a URL's secrets`, async () => {
      const exit = await Effect.runPromiseExit(Effect.scoped(when))
      const failure = outcome(exit)
      const { code, details, message, retryable } = Failure.describe(failure)
      assert.deepStrictEqual(
        { what, code, retryable, sentence: message },
        rows.find((row) => row.what === what)
      )
      const said = [JSON.stringify([failure, details, exit]), inspect(failure, { depth: 9 }), String(failure)].join()
      for (const secret of secrets) assert.notInclude(said, secret)
    })
})
