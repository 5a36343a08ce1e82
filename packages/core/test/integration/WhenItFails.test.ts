import { readFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import {
  Cause,
  Clock,
  Deferred,
  type Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  Option,
  Redacted,
  Schema,
  type Scope,
  TestClock,
  TestContext
} from "effect"
import { assert, describe, it } from "vitest"
import * as Analyzer from "../../src/analysis/Analyzer.js"
import * as Failure from "../../src/analysis/Failure.js"
import * as ChainAccess from "../../src/chain/ChainAccess.js"
import * as ChainBook from "../../src/chain/ChainBook.js"
import * as Chains from "../../src/chain/Chains.js"
import * as Transport from "../../src/chain/rpc/Transport.js"
import * as VerifiedSource from "../../src/chain/sources/VerifiedSource.js"
import * as Check from "../../src/checks/Check.js"
import * as Checks from "../../src/checks/Checks.js"
import * as Address from "../../src/domain/Address.js"
import { Evidence } from "../../src/domain/Evidence.js"
import type { TargetKind } from "../../src/domain/Target.js"
import * as Evmole from "../../src/evm/bytecode/Evmole.js"
import * as KeyStore from "../../src/storage/KeyStore.js"
import * as Storage from "../../src/storage/Storage.js"
import * as StorageFault from "../../src/testing/StorageFault.js"
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

/** How long an endpoint is waited for that gives no answer; the others are, for as long as a busy machine takes. */
const soon = "500 millis"

/** A port that nothing listens on. */
const closed = Effect.scoped(replying(200, json, ""))

interface Reading {
  readonly deadline?: number | undefined
  readonly timeout?: Duration.DurationInput | undefined
  readonly chainId?: number | undefined
  readonly kind?: TargetKind | undefined
  readonly block?: number | undefined
  readonly client?: Layer.Layer<HttpClient.HttpClient> | undefined
}

/** Analyses over these endpoints as an embedder does. */
const analyzed = (
  urls: readonly [string, ...Array<string>],
  { block, chainId, client, deadline, kind, timeout }: Reading = {}
) =>
  Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
    analyzer.analyze({
      kind: kind ?? "contract",
      address,
      chain: Chains.make({
        id: chainId ?? 31_337,
        name: "ethereum",
        endpoints: urls.map(withSecrets) as [string, ...Array<string>]
      }),
      block: Option.fromNullable(block),
      deadline
    })
  ).pipe(
    Effect.provide(Analyzer.layer(Checks.all)),
    Effect.provide(
      ChainAccess.layerJsonRpc({
        retryDelay: 0,
        patience: 0,
        timeout: timeout ?? "20 seconds",
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

/** The item of a claim, of an analysis over an endpoint that works. */
const claimed = (check: Check.Any, sources: ReadonlyArray<VerifiedSource.Registry> = []) =>
  Effect.gen(function* () {
    const url = yield* node()
    const now = yield* Clock.currentTimeMillis
    const { evidence } = yield* Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
      analyzer.analyze({
        kind: "contract",
        address,
        chain: Chains.make({ id: 31_337, name: "ethereum", endpoints: [url] }),
        deadline: now + 60_000
      })
    ).pipe(
      Effect.provide(Analyzer.layer([...Checks.all, ...Checks.verifiedSource, check as typeof mine])),
      Effect.provide(VerifiedSource.layer(sources.map((source) => Effect.succeed(source)))),
      Effect.provide(ChainAccess.layerJsonRpc()),
      Effect.provide(FetchHttpClient.layer)
    )
    return evidence
  })

const mine = Check.make({
  id: "acme.rich",
  code: "X-01",
  version: 1,
  targets: ["contract"],
  claim: "The contract is rich",
  polarity: "neutral",
  severity: "info",
  dimension: "identity",
  value: Schema.Unknown,
  run: () => Effect.succeed([])
})

/** What is said of the claim of such a check. */
const saying = (run: Effect.Effect<never>) =>
  Effect.map(claimed({ ...mine, run: () => run }), (evidence) => evidence.find(({ id }) => id === mine.id))

const declared = (changes: Record<string, unknown>) =>
  Effect.provide(Analyzer.Analyzer, Analyzer.layer([...Checks.all, { ...mine, ...changes } as typeof mine])).pipe(
    Effect.provide(ChainAccess.layerJsonRpc()),
    Effect.provide(FetchHttpClient.layer)
  )

const over = (transport: Transport.Transport["Type"]) =>
  Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
    analyzer.analyze({
      kind: "contract",
      address,
      chain: Chains.make({ id: 1, name: "ethereum", endpoints: ["wallet://browser"] })
    })
  ).pipe(
    Effect.provide(Analyzer.layer(Checks.all)),
    Effect.provide(ChainAccess.layerTransport({ retryDelay: 0 })),
    Effect.provide(Layer.succeed(Transport.Transport, transport))
  )

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
    (url) => analyzed([url], { timeout: soon })
  ),
  "it stops in the middle of an answer": Effect.flatMap(
    listening((_, response) => void response.writeHead(200, json).write("{")),
    (url) => analyzed([url], { timeout: soon })
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
  ),
  "nothing is read before the deadline": late((begun) =>
    Effect.flatMap(
      listening(() => Deferred.unsafeDone(begun, Exit.void)),
      (url) => analyzed([url], { deadline: 60_000, timeout: "5 minutes" })
    )
  ),
  "a transport throws": over({
    post: () => {
      throw new Error("nothing is connected to https://rpc.example/keyinpath.")
    }
  }),
  "a transport rejects": over({ post: () => Effect.promise(() => Promise.reject(new Error("the user said no"))) }),
  "a transport gives no reply": over({ post: () => Effect.succeed({ result: "0x1" } as never) }),
  "two checks have one id": Effect.provide(Analyzer.Analyzer, Analyzer.layer([mine, mine])).pipe(
    Effect.provide(ChainAccess.layerJsonRpc()),
    Effect.provide(FetchHttpClient.layer)
  ),
  "a check has the id of a built-in one": declared({ id: "address.kind" }),
  "a check has a malformed id": declared({ id: "Rich" }),
  "a check has a version that is no number": declared({ version: Number.NaN }),
  "a check has an unknown severity": declared({ severity: "grave" }),
  "a check has an unknown dimension": declared({ dimension: "wealth" }),
  "a check throws": saying(Effect.dieSync(() => JSON.parse("{"))),
  "a check gives what is no list": saying(Effect.succeed("yes") as never),
  "a check never ends": late((begun) => saying(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))),
  "a source rejects": Effect.map(
    claimed(mine, [
      {
        name: "Acme registry",
        page: () => "https://registry.example",
        look: () => Effect.promise(() => Promise.reject(new Error("no"))),
        creation: () => Effect.succeedNone
      }
    ]),
    (evidence) => evidence.find(({ id }) => id === "contract.verified")
  ),
  "a store is away": stored(Option.some({ call: 1, kind: "fails", moment: "before" })),
  "a store is lost in the middle of a write": stored(Option.some({ call: 1, kind: "fails", moment: "after" })),
  "a bundle leaves out the WebAssembly of evmole": Effect.provideService(declared({}), Evmole.Loader, () =>
    Promise.reject(new Error("no such file"))
  ),
  "a page does not serve the file of a chain": Effect.provideService(
    over({ post: () => Effect.never }),
    ChainBook.Loader,
    () => Promise.reject(new Error("no such file"))
  )
}

/** What becomes of it where a minute passes after it has begun. */
function late<A, E, R>(of: (begun: Deferred.Deferred<void>) => Effect.Effect<A, E, R>) {
  return Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const fiber = yield* Effect.fork(of(begun))
    yield* Deferred.await(begun)
    return yield* Effect.raceFirst(
      Fiber.join(fiber),
      Effect.forever(
        Effect.zipRight(
          Effect.promise(() => new Promise(setImmediate)),
          TestClock.adjust("1 minute")
        )
      )
    )
  }).pipe(Effect.provide(TestContext.TestContext))
}

function stored(fault: Option.Option<StorageFault.Fault>) {
  return Effect.gen(function* () {
    const { arm } = yield* StorageFault.StorageFault
    yield* arm(fault)
    return yield* (yield* KeyStore.KeyStore).find("key_00000000000000000000000000")
  }).pipe(Effect.provide(StorageFault.layer), Effect.provide(Storage.layerMemory))
}

const document = new URL("../../../../docs/guides/when-it-fails.md", import.meta.url)

/** The rows of the document's tables: what goes wrong, the code, and the sentence. */
const rows = [...readFileSync(document, "utf8").matchAll(/^\| (.+?) \| `(\w+)`(, retry)? \| (.+) \|$/gm)].map(
  ([, what = "", code = "", retry, sentence = ""]) => ({ what, code, retryable: retry !== undefined, sentence })
)

/** What an embedder gets: the item of a claim, the failure, or the defect where a mistake of the program is one. */
const outcome = (exit: Exit.Exit<unknown, unknown>): Evidence | Failure.Failure => {
  if (Exit.isSuccess(exit)) return exit.value as Evidence
  const [first] = [...Cause.failures(exit.cause), ...Cause.defects(exit.cause)]
  return first as Failure.Failure
}

const isItem = Schema.is(Evidence)

describe("docs/guides/when-it-fails.md", () => {
  it("names every case once", () => {
    assert.deepStrictEqual(rows.map(({ what }) => what).sort(), Object.keys(cases).sort())
  })

  for (const [what, when] of Object.entries(cases))
    it(`says what an embedder gets where ${what}, and no part of a URL's secrets`, async () => {
      const exit = await Effect.runPromiseExit(Effect.scoped(when))
      const failure = outcome(exit)
      const { code, details, message, retryable } = isItem(failure)
        ? { code: String(failure.reason), details: {}, message: failure.detail, retryable: false }
        : Failure.describe(failure)
      assert.deepStrictEqual(
        { what, code, retryable, sentence: message },
        rows.find((row) => row.what === what)
      )
      const said = [JSON.stringify([failure, details, exit]), inspect(failure, { depth: 9 }), String(failure)].join()
      for (const secret of secrets) assert.notInclude(said, secret)
    })
})
