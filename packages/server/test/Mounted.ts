import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { type Address, type Analyzer, type Event, EventStore, Id, type StorageError, Timestamp } from "@assay/core"
import { ScriptedAnalyzer } from "@assay/core/testing"
import { Deployment, type Server, ServerConfig } from "@assay/server"
import { Clock, Effect, Layer, Logger, type Scope } from "effect"
import * as TestServer from "./TestServer.js"

/** The whole service with nothing outside of this process, for a program that serves it itself. */
export const services = (
  options: Partial<ServerConfig.Options> = {},
  analyzer: Layer.Layer<Analyzer.Analyzer> = ScriptedAnalyzer.layerConfirming
): Layer.Layer<Server.Requirements | EventStore.EventStore, unknown> =>
  Deployment.layerServices({ analyzer }).pipe(
    Layer.provideMerge(
      ServerConfig.layerOf({
        chains: [TestServer.chain],
        scheduling: { state: "off" },
        graceSeconds: 1,
        ...options
      })
    ),
    Layer.provide(Logger.remove(Logger.defaultLogger))
  )

/** Sends a request to a handler, in this process or over a socket. */
export type Send = (
  path: string,
  init?: RequestInit & { readonly key?: string | undefined }
) => Effect.Effect<TestServer.Answer>

const answered = async (response: Response): Promise<TestServer.Answer> => {
  const text = await response.text()
  const json = text !== "" && /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : undefined
  return { status: response.status, headers: response.headers, text, json }
}

/** A request as a test writes it, with a key where it has one. */
export const requestOf = (
  url: string,
  { key, ...init }: RequestInit & { readonly key?: string | undefined } = {}
): Request => {
  const headers = new Headers(init.headers)
  if (key !== undefined) headers.set("authorization", `Bearer ${key}`)
  return new Request(url, { ...init, headers, redirect: "manual" })
}

/** Sends to a web-standard handler. */
export const toWeb =
  (handler: (request: Request) => Promise<Response>): Send =>
  (path, init) =>
    Effect.promise(async () => answered(await handler(requestOf(`http://app.example${path}`, init))))

/** Serves with a server of Node, as a program does that mounts a handler, and gives its origin. */
export const listening = (listener: RequestListener): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(listener)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.async<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

/** Sends over a socket. */
export const toOrigin =
  (origin: string): Send =>
  (path, init) =>
    Effect.promise(async () => answered(await fetch(requestOf(`${origin}${path}`, init))))

/** A new key, with its id. */
export const createKey = (send: Send, base: string) =>
  Effect.gen(function* () {
    const created = yield* send(`${base}/api/v1/keys`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ label: "test" })
    })
    const key = created.json.key as string
    const self = yield* send(`${base}/api/v1/keys/self`, { key })
    return { created, key, id: self.json.id as Id.KeyId }
  })

/** Appends a change of a watch to the log of a key, with the link that the core writes. */
export const tellChange = (keyId: Id.KeyId): Effect.Effect<void, StorageError.StorageError, EventStore.EventStore> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const body: Event.EventBody = {
      type: "watch.changed",
      data: {
        watch_id: "wat_01JD0000000000000000000001",
        label: "",
        target: "token",
        address: TestServer.target.works as string as Address.Address,
        chain: { id: 31_337, name: "sandbox" },
        execution_id: TestServer.executionId,
        base_execution_id: null,
        max_severity: "high",
        counts: { high: 1 },
        score_before: 80,
        score_after: 40,
        changes: [],
        changes_url: `/api/v1/executions/${TestServer.executionId}/changes`
      }
    }
    const id = yield* Id.make("evt")
    const log = yield* EventStore.EventStore
    yield* log.append([{ id, keyId, timestamp: Timestamp.fromMillis(now), body, only: null }], now)
  })
