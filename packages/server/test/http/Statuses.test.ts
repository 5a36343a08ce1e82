import { existsSync, readFileSync } from "node:fs"
import { ExecutionStore, Executions, type Id, KeyStore } from "@assay/core"
import { StorageFault } from "@assay/core/testing"
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { assert } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as Host from "../../src/Host.js"
import * as Contract from "../Contract.js"
import { json } from "../Problems.js"
import * as TestServer from "../TestServer.js"

/*
 * Every code that the document lists for an operation is reached here by a request to that operation, or named below: with
 * the test that reaches it at that operation, or, where one place of the server gives a code to all operations, with the test
 * of that place. A code that is neither reached nor named fails, and so does a name that is not needed any more.
 */

/** What one place gives to all operations, in a state that takes a server of its own; by the test of that place. */
const everywhere: { readonly [code: string]: string } = {
  // The socket, before any route.
  draining: "http/edge/NodeServer.test.ts",
  // A defect, whatever route it is in: here it is that of the storage, and so at each operation that needs the storage.
  internal_error: "http/Server.test.ts",
  // What reads a body, in a program that has read it already.
  misconfigured: "http/Mounted.test.ts"
}

/** What one operation sends in a state that takes a server of its own, by the test that reaches it at that operation. */
const elsewhere: { readonly [operationAndCode: string]: string } = {
  "events.read cursor_expired": "http/Events.test.ts",
  "events.stream concurrency_exceeded": "http/Events.test.ts",
  "events.stream cursor_expired": "http/Events.test.ts",
  "keys.create invitation_refused": "http/UseCases.test.ts",
  "keys.create key_creation_closed": "http/UseCases.test.ts"
}

interface Listed {
  readonly method: string
  readonly template: string
  readonly operationId: string
  readonly isOpen: boolean
  readonly codes: ReadonlySet<string>
}

const snake = (schema: string): string =>
  schema
    .replace(/Problem$/, "")
    .replaceAll(/[A-Z]/g, (letter, at: number) => `${at === 0 ? "" : "_"}${letter.toLowerCase()}`)

const operations: ReadonlyArray<Listed> = Object.entries(Contract.document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    template,
    operationId: operation.operationId,
    isOpen: operation.security.length === 0,
    codes: new Set(
      [...JSON.stringify(operation.responses).matchAll(/components\/schemas\/(\w+Problem)"/g)].map(([, name]) =>
        snake(name ?? "")
      )
    )
  }))
)
const guarded = operations.filter(({ isOpen }) => !isOpen)
/** The operations that run an analysis: four routes, and one that takes a body. */
const starting = operations.filter(
  ({ operationId }) => operationId.startsWith("analyses.") || operationId === "executions.start"
)
const named = (operationId: string): Listed =>
  operations.find((one) => one.operationId === operationId) ?? assert.fail(`no operation ${operationId}`)

const unknown = "01JD0000000000000000000000"
const pathOf = (template: string): string =>
  template
    .replace("{address}", TestServer.target.works)
    .replace("{execution_id}", `exe_${unknown}`)
    .replace("{watch_id}", `wat_${unknown}`)
    .replace("{webhook_id}", `whk_${unknown}`)
    .replace("{delivery_id}", `dlv_${unknown}`)
    .replace("{evidence_id}", "token.other")
    .replace("{slug}", "nothing")

type Init = Parameters<typeof TestServer.send>[1]

/** The codes that were received, each at its operation; one that is not listed there fails. */
class Reached {
  readonly #pairs = new Set<string>()

  note = ({ codes, operationId }: Listed, { json: body }: TestServer.Answer): void => {
    if (body?.code === undefined) return
    assert.isTrue(codes.has(body.code), `${operationId} does not list ${body.code}`)
    this.#pairs.add(`${operationId} ${body.code}`)
  }

  has = ({ operationId }: Listed, code: string): boolean => this.#pairs.has(`${operationId} ${code}`)

  /** Sends a request to an operation. */
  send = (one: Listed, init: Init = {}, path = pathOf(one.template)) =>
    Effect.tap(TestServer.send(path, { method: one.method, ...init }), (answer) => this.note(one, answer))

  /** Sends what no client of HTTP sends. */
  raw = (one: Listed, head: string, method = one.method, path = pathOf(one.template)) =>
    Effect.map(TestServer.sendRaw(`${method} ${path} HTTP/1.1\r\nconnection: close\r\n${head}\r\n\r\n`), (answer) =>
      this.note(one, answer)
    )

  /** Starts an analysis of an address. */
  start = (one: Listed, key: string, address: string, members: object = {}, headers: Record<string, string> = {}) => {
    const query = new URLSearchParams(members as Record<string, string>).toString()
    const body = json({ target: "token", address, ...members })
    return one.method === "POST"
      ? this.send(one, { key, ...body, headers: { ...body.headers, prefer: "wait=5", ...headers } })
      : this.send(one, { key, headers }, `${one.template.replace("{address}", address)}?${query}`)
  }
}

const limits = { ...TestServer.config.limits, burstPerMinute: 100_000 }
const label = json({ label: "test" })

/** What the edge, the authentication and the validation refuse, and what the storage does not answer. */
const refusals = (reached: Reached) =>
  Effect.gen(function* () {
    const { raw, send } = reached
    const fault = yield* StorageFault.StorageFault
    const key = yield* TestServer.createKey
    const states = yield* refusedKeys
    for (const one of operations) {
      const path = pathOf(one.template)
      const hasBody = one.method === "POST" || one.method === "PATCH"
      yield* raw(one, "host: localhost\r\nhost: localhost")
      yield* raw(one, "host: rebound.example")
      yield* raw(one, "host: localhost", "PUT")
      yield* raw(one, `host: localhost\r\nx: ${"a".repeat(17_000)}`)
      yield* raw(one, "host: localhost", one.method, `${path}?x=${"a".repeat(4_100)}`)
      yield* send(one, { key, headers: { accept: "image/png" } })
      yield* send(one, { key }, `${path}?mistyped=1`)
      if (hasBody) {
        yield* send(one, { key, body: "{}", headers: { "content-type": "text/plain" } })
        yield* send(one, { key, ...json({ label: "a".repeat(70_000) }, one.method) })
      }
      if (/\{(?:execution|watch|webhook)_id\}|\{slug\}/.test(one.template))
        yield* send(one, one.method === "PATCH" ? { key, ...json({}, "PATCH") } : { key })
      if (one.isOpen) continue
      yield* send(one)
      for (const refused of ["nonsense", ...states]) yield* send(one, { key: refused })
    }
    for (const kind of ["fails", "crashes"] as const)
      for (const one of [named("keys.create"), ...guarded]) {
        yield* fault.arm(Option.some({ call: 1, kind, moment: "before" }))
        yield* send(one, one.isOpen ? label : { key })
      }
    yield* fault.arm(Option.none())
  })

/** Keys that were good: revoked, past the end of a rotation, and disabled. */
const refusedKeys = Effect.gen(function* () {
  const [revoked, expired, disabled] = [
    yield* TestServer.createKey,
    yield* TestServer.createKey,
    yield* TestServer.createKey
  ]
  yield* TestServer.send("/api/v1/keys/self", { key: revoked, method: "DELETE" })
  yield* TestServer.send("/api/v1/keys/self/rotate", { key: expired, ...json({ overlap_seconds: 0 }) })
  const { json: self } = yield* TestServer.send("/api/v1/keys/self", { key: disabled })
  yield* (yield* KeyStore.KeyStore).change(self.id, { state: "disabled" })
  return [revoked, expired, disabled]
})

/** What operations send by themselves. */
const own = (reached: Reached) =>
  Effect.gen(function* () {
    const { send, start } = reached
    const key = yield* TestServer.createKey
    const { works: _, ...failing } = TestServer.target
    for (const one of starting) for (const address of Object.values(failing)) yield* start(one, key, address)

    const foreign = { origin: "https://evil.example" }
    yield* send(named("keys.create"), { ...label, headers: { ...label.headers, ...foreign } })
    const message = json({ jsonrpc: "2.0", id: 1, method: "ping" })
    for (const more of [foreign, { accept: "text/plain" }])
      yield* send(named("mcp.exchange"), { key, ...message, headers: { ...message.headers, ...more } })

    const watch = { target: "token", address: TestServer.target.works, paused: true }
    const makeWatch = send(named("watches.create"), { key, ...json(watch) })
    const { json: made } = yield* makeWatch
    const stale = json({ label: "x" }, "PATCH")
    const headers = { ...stale.headers, "if-match": '"stale"' }
    yield* send(named("watches.change"), { key, ...stale, headers }, `/api/v1/watches/${made.id}`)
    yield* Effect.replicateEffect(makeWatch, 50)

    const inside = { url: "https://router.inside.example/" }
    yield* send(named("webhooks.create"), { key, ...json(inside) })
    const makeWebhook = send(named("webhooks.create"), { key, ...json({ url: "https://hooks.example/" }) })
    const { json: webhook } = yield* makeWebhook
    yield* send(named("webhooks.change"), { key, ...json(inside, "PATCH") }, `/api/v1/webhooks/${webhook.id}`)
    yield* Effect.replicateEffect(makeWebhook, 5)

    const other = yield* TestServer.createKey
    for (const [operationId, bodies] of [
      ["watches.create", [watch, { ...watch, label: "x" }]],
      ["webhooks.create", [{ url: "https://hooks.example/" }, { url: "https://hooks.example/b" }]]
    ] as const)
      for (const body of bodies) {
        const init = json(body)
        yield* send(named(operationId), { key: other, ...init, headers: { ...init.headers, "idempotency-key": "a" } })
      }
  })

/** What is refused once the limits of a key and of a source are spent. */
const spent = (reached: Reached) =>
  Effect.gen(function* () {
    const key = yield* TestServer.createKey
    yield* TestServer.send(`/api/v1/token/${TestServer.target.works}`, { key })
    yield* Effect.replicateEffect(TestServer.send("/api/v1/usage", { key }), 10)
    for (const one of guarded) yield* reached.send(one, { key })
    yield* reached.send(named("keys.create"), label)
  })

/** What is refused because of an earlier execution: one that is gone, of something else, or of another key. */
const earlier = (reached: Reached) =>
  Effect.gen(function* () {
    const { send, start } = reached
    const key = yield* TestServer.createKey
    const { wallet, works } = TestServer.target
    const made = Effect.map(
      TestServer.send(`/api/v1/wallet/${wallet}`, { key }),
      ({ json: result }): Id.ExecutionId => result.execution_id
    )
    const [gone, kept] = [yield* made, yield* made]
    yield* (yield* ExecutionStore.ExecutionStore).remove([gone], 0)
    for (const one of starting) {
      for (const base of [gone, kept, `exe_${unknown}`]) yield* start(one, key, works, { compare_to: base })
      const repeated = { "idempotency-key": one.operationId }
      yield* start(one, key, works, {}, repeated)
      yield* start(one, key, works, { summary: false }, repeated)
    }
    for (const operationId of ["get", "recipes", "evidence", "changes"]) {
      const one = named(`executions.${operationId}`)
      yield* send(one, { key }, pathOf(one.template).replace(`exe_${unknown}`, gone))
    }
    const { json: token } = yield* TestServer.send(`/api/v1/token/${works}`, { key })
    yield* send(named("executions.changes"), { key }, `/api/v1/executions/${token.execution_id}/changes?base=${kept}`)
  })

describe.runIf(Tier.landing)("every operation", () => {
  it.effect(
    "refuses with each code that the document lists for it; else a test is named that reaches the code there, or at the one place that gives it to all operations",
    () =>
      Effect.gen(function* () {
        const reached = new Reached()
        yield* Effect.provide(
          Effect.zipRight(refusals(reached), own(reached)),
          TestServer.layer({ limits, allowedHosts: Option.some(Host.loopback) })
        )
        yield* Effect.provide(
          spent(reached),
          TestServer.layer({ perSource: true, limits: { ...limits, burstPerMinute: 1, keysPerSourceHour: 1 } })
        )
        yield* Effect.provide(
          earlier(reached),
          TestServer.over(Layer.provideMerge(Executions.layer(), TestServer.atOnce), { limits })
        )

        const missing = operations.flatMap((one) =>
          [...one.codes].filter((code) => !reached.has(one, code)).map((code) => [one.operationId, code] as const)
        )
        const needed = new Set(missing.flatMap(([operationId, code]) => [`${operationId} ${code}`, code]))
        assert.deepStrictEqual(
          missing
            .map(([operationId, code]) => [`${operationId} ${code}`, code] as const)
            .filter(([pair, code]) => elsewhere[pair] === undefined && everywhere[code] === undefined)
            .map(([pair]) => pair),
          [],
          "neither reached nor named"
        )
        for (const [name, file] of Object.entries({ ...everywhere, ...elsewhere })) {
          assert.isTrue(needed.has(name), `${name} is listed no more, or reached here`)
          const at = new URL(`../${file}`, import.meta.url)
          const code = name.slice(name.indexOf(" ") + 1)
          assert.isTrue(existsSync(at) && readFileSync(at, "utf8").includes(`"${code}"`), `${file} reaches no ${code}`)
        }
      })
  )
})
