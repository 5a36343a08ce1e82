import { connect } from "node:net"
import { describe, layer } from "@effect/vitest"
import { Effect, HashMap, Layer, Logger, Option } from "effect"
import { assert } from "vitest"
import * as Host from "../../../src/Host.js"
import { assertProblem, json } from "../../Problems.js"
import * as TestServer from "../../TestServer.js"

const { send, sendRaw } = TestServer

const hosts = (...texts: ReadonlyArray<string>) => Option.some(texts.map((text) => Option.getOrThrow(Host.parse(text))))

const ask = (target: string, fields: string) => sendRaw(`GET ${target} HTTP/1.1\r\n${fields}connection: close\r\n\r\n`)

/** What a browser does for a page of `origin` that wants a key. */
const createFrom = (host: string, origin: string) =>
  sendRaw(
    `POST /api/v1/keys HTTP/1.1\r\nhost: ${host}\r\norigin: ${origin}\r\ncontent-type: application/json\r\ncontent-length: 13\r\nconnection: close\r\n\r\n{"label":"a"}`
  )

describe("Edge", () => {
  layer(TestServer.layer({ allowedHosts: Option.some(Host.loopback) }))("the names of this machine", (it) => {
    for (const host of ["localhost", "LOCALHOST:8787", "127.0.0.1:1", "[::1]:8787", "localhost."])
      it.effect(`Host: ${host} is answered`, () =>
        Effect.gen(function* () {
          assert.strictEqual((yield* ask("/api/v1/limits", `host: ${host}\r\n`)).status, 200)
        })
      )

    for (const host of [
      "rebound.example:8787",
      "localhost.rebound.example",
      "127.0.0.1.nip.example",
      "",
      "a@localhost"
    ])
      it.effect(`Host: ${host || "(empty)"} is refused as misdirected`, () =>
        Effect.gen(function* () {
          assertProblem(yield* ask("/api/v1/limits", `host: ${host}\r\n`), 421, "misdirected_request")
        })
      )

    it.effect("the host of an absolute request target counts in place of the header", () =>
      Effect.gen(function* () {
        const foreign = yield* ask("http://rebound.example/api/v1/limits", "host: localhost\r\n")
        assertProblem(foreign, 421, "misdirected_request")
        assert.strictEqual((yield* ask("http://localhost/api/v1/limits", "host: rebound.example\r\n")).status, 200)
      })
    )

    it.effect("a probe that knows only an address learns the health", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* ask("/api/v1/health/live", "host: 10.0.0.7:8787\r\n")).status, 200)
        assert.strictEqual((yield* ask("/api/v1/health/ready", "host: pod\r\n")).status, 200)
      })
    )
  })

  layer(TestServer.layer())("a first request that is given up", (it) => {
    for (const line of ["GET /api/v1/docs", "GET /api/v1/openapi.json", "POST /api/v1/mcp"])
      it.effect(`leaves ${line} to the requests after it`, () =>
        Effect.gen(function* () {
          const [key, base] = [yield* TestServer.createKey, yield* TestServer.base]
          const head = `${line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: 0\r\n`
          yield* Effect.promise(
            () =>
              new Promise<void>((resolve) => {
                const socket = connect(Number(new URL(base).port), "127.0.0.1", () => {
                  socket.write(`${head}\r\n`, () => setTimeout(() => socket.destroy(), 3))
                })
                socket.on("close", () => resolve())
              })
          )
          const { status } = yield* TestServer.sendRaw(`${head}connection: close\r\n\r\n`)
          assert.strictEqual(status, line.startsWith("GET") ? 200 : 400)
        })
      )
  })

  layer(TestServer.layer())("any host", (it) => {
    for (const host of ["a b", "a@b", "127.0.0.1:99999", "[::1", "@"])
      it.effect(`Host: ${host} is malformed, on the route of agents too`, () =>
        Effect.gen(function* () {
          assertProblem(yield* ask("/api/v1/limits", `host: ${host}\r\n`), 400, "malformed_request")
          const key = yield* TestServer.createKey
          const lines = ["host: [::1", `authorization: Bearer ${key}`, "connection: close", "content-length: 0", "", ""]
          const absolute = `POST http://localhost/api/v1/mcp HTTP/1.1\r\n${lines.join("\r\n")}`
          assert.isBelow((yield* TestServer.sendRaw(absolute)).status, 500)
        })
      )
  })

  layer(TestServer.layer({ allowedHosts: hosts("assay.example:443", "other.example") }))("allowed hosts", (it) => {
    it.effect("a host with a port allows that port, one without allows every port", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* ask("/api/v1/limits", "host: assay.example:443\r\n")).status, 200)
        assertProblem(yield* ask("/api/v1/limits", "host: assay.example\r\n"), 421, "misdirected_request")
        assert.strictEqual((yield* ask("/api/v1/limits", "host: other.example:8080\r\n")).status, 200)
        assertProblem(yield* ask("/api/v1/limits", "host: localhost\r\n"), 421, "misdirected_request")
      })
    )
  })

  layer(TestServer.layer())("web pages", (it) => {
    it.effect("a page of another origin cannot create a key where limits per source are off", () =>
      Effect.gen(function* () {
        for (const origin of [
          "https://evil.example",
          "http://localhost:3000",
          "http://127.0.0.1:3000",
          "null",
          "file://"
        ])
          assertProblem(yield* createFrom("127.0.0.1:8787", origin), 403, "origin_forbidden")
      })
    )

    it.effect("a page of the server itself, and a program that is no browser, can create a key", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* createFrom("127.0.0.1:8787", "http://127.0.0.1:8787")).status, 201)
        assert.strictEqual((yield* createFrom("assay.example", "https://assay.example:443")).status, 201)
        assert.strictEqual((yield* send("/api/v1/keys", json({ label: "a" }))).status, 201)
      })
    )

    it.effect("a header that is there twice is refused where it decides", () =>
      Effect.gen(function* () {
        const twice = [
          "host: a\r\nhost: b\r\n",
          "host: a\r\nauthorization: Bearer a\r\nAuthorization: Bearer b\r\n",
          "host: a\r\nHOST: a\r\n"
        ]
        for (const fields of twice) assertProblem(yield* ask("/api/v1/usage", fields), 400, "malformed_request")
      })
    )
  })

  layer(TestServer.layer({ perSource: true }))("limits per source", (it) => {
    it.effect("a page of another origin may create keys where they are counted", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* createFrom("assay.example", "https://app.example")).status, 201)
      })
    )
  })

  const lines: Array<HashMap.HashMap<string, unknown>> = []
  const logger = Logger.add(
    Logger.make(({ annotations }) => {
      if (HashMap.has(annotations, "route")) lines.push(annotations)
    })
  )
  layer(Layer.provide(TestServer.layer({ trustedProxies: ["127.0.0.1"] }), logger))("the log", (it) => {
    it.effect("names the client of new keys and refused strangers, and of nobody else", () =>
      Effect.gen(function* () {
        lines.length = 0
        const headers = { "x-forwarded-for": "192.0.2.7" }
        const { json: created } = yield* send("/api/v1/keys", {
          ...json({ label: "a" }),
          headers: { "content-type": "application/json", ...headers }
        })
        yield* send("/api/v1/usage", { key: "guess", headers })
        yield* send("/api/v1/usage", { key: created.key, headers })
        assert.deepStrictEqual(
          lines.map((line) => [HashMap.unsafeGet(line, "status"), Option.getOrUndefined(HashMap.get(line, "client"))]),
          [
            [201, "192.0.2.7"],
            [401, "192.0.2.7"],
            [200, undefined]
          ]
        )
      })
    )
  })
})
