import { readFileSync } from "node:fs"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { SharedSandbox } from "@assay/sandbox"
import { getRequestListener, serve } from "@hono/node-server"
import expressOf from "express"
import Fastify from "fastify"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Assay, open } from "../src/Assay.js"
import * as express from "../src/express.js"
import * as fastify from "../src/fastify.js"
import * as hono from "../src/hono.js"

/** A framework that listens, and how it is stopped. */
interface Running {
  readonly origin: string
  readonly stop: () => Promise<unknown>
}

const ofServer = (server: Server): Running => ({
  origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  stop: () =>
    new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })
})

const listen = (listener: RequestListener): Promise<Running> =>
  new Promise((resolve) => {
    const server = createServer(listener)
    server.listen(0, "127.0.0.1", () => resolve(ofServer(server)))
  })

/**
 * What Next does with the file of a route, without Next, which is larger than this repository: it calls the function of the
 * method with a web request, for every path below the folder.
 */
const asNext = async (): Promise<Running> => {
  const route = (await import("../src/next.js")) as { readonly [method: string]: unknown }
  // `next build` loads it too.
  assert.notProperty(globalThis, "assay")
  return listen(
    getRequestListener((request) => {
      const handle = route[request.method] as ((request: Request) => Promise<Response>) | undefined
      const { pathname } = new URL(request.url)
      if (pathname !== "/risk" && !pathname.startsWith("/risk/"))
        return new Response("The page of this program", { status: pathname === "/" ? 200 : 404 })
      return handle === undefined ? new Response(null, { status: 405 }) : handle(request)
    })
  )
}

const frameworks: { readonly [name: string]: (assay: Assay) => Promise<Running> } = {
  Express: (assay) => listen(express.mount(assay)),
  Fastify: async (assay) => {
    const app = fastify.mount(assay)
    return { origin: await app.listen({ host: "127.0.0.1", port: 0 }), stop: () => app.close() }
  },
  Hono: (assay) =>
    new Promise((resolve) => {
      const server = serve(
        { ...hono.mount(assay), fetch: hono.mount(assay).fetch, hostname: "127.0.0.1", port: 0 },
        () => resolve(ofServer(server as Server))
      )
    }),
  Next: asNext
}

describe("docs/guides/mount-the-server.md", () => {
  const guide = readFileSync(new URL("../../../docs/guides/mount-the-server.md", import.meta.url), "utf8")

  for (const file of [
    "mounted/src/Assay.ts",
    "mounted/src/express.ts",
    "mounted/src/fastify.ts",
    "mounted/src/hono.ts",
    "mounted/src/next.ts",
    "custom-storage/src/main.ts"
  ])
    it(`shows examples/${file} as it runs`, () => {
      assert.include(guide, `\`\`\`ts\n${readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")}\`\`\``)
    })
})

describe("examples/mounted", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let assay: Assay
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    process.env.RPC_URL = sandbox.url
    assay = await open(sandbox.url)
  })
  afterAll(async () => {
    delete process.env.RPC_URL
    const kept = globalThis as { assay?: Promise<Assay> }
    await (await kept.assay)?.close()
    delete kept.assay
    await assay.close()
  })

  it("a body that Express or Fastify has read gets an answer that says so", async () => {
    const behindParser = expressOf().use(expressOf.json()).use("/risk", assay.node)
    const fastified = Fastify({ forceCloseConnections: true })
    fastified.all("/risk/*", (request, reply) => {
      reply.hijack()
      assay.node(request.raw, reply.raw)
    })
    const express = await listen(behindParser)
    const fastify = { origin: await fastified.listen({ host: "127.0.0.1", port: 0 }), stop: () => fastified.close() }
    for (const { origin, stop } of [express, fastify])
      try {
        const answer = await fetch(`${origin}/risk/api/v1/keys`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ label: "late" })
        })
        assert.strictEqual(answer.status, 500)
        assert.isNull(answer.headers.get("retry-after"))
        const problem = (await answer.json()) as { readonly [member: string]: unknown }
        assert.deepInclude(problem, { code: "misconfigured", retryable: false })
        assert.include(String(problem.detail), "mount the handler before what parses bodies")
      } finally {
        await stop()
      }
  })

  for (const [name, run] of Object.entries(frameworks))
    it(`${name} serves the API below /risk, and everything else itself`, async () => {
      const { origin, stop } = await run(assay)
      try {
        const send = (path: string, init: RequestInit = {}, key = "") =>
          fetch(`${origin}${path}`, {
            ...init,
            headers: {
              ...(init.body === undefined ? {} : { "content-type": "application/json" }),
              ...(key === "" ? {} : { authorization: `Bearer ${key}` })
            }
          })
        const post = (body: object) => ({ method: "POST", body: JSON.stringify(body) })

        assert.strictEqual(await (await send("/")).text(), "The page of this program")
        for (const path of ["/elsewhere", "/api/v1/limits", "/riskier"]) {
          const beside = await send(path)
          assert.strictEqual(beside.status, 404, path)
          assert.notInclude(beside.headers.get("content-type"), "problem", path)
        }

        const created = await send("/risk/api/v1/keys", post({ label: name }))
        assert.strictEqual(created.status, 201)
        const { key } = (await created.json()) as { key: string }
        const self = await send(created.headers.get("location") ?? "", {}, key)
        assert.strictEqual(((await self.json()) as { label: string }).label, name)

        const { address } = sandbox.targets.honeypot
        const report = await send(`/risk/api/v1/token/${address}?view=report`, {}, key)
        assert.strictEqual(report.status, 200)
        const verdict = (await report.json()) as object
        assert.nestedPropertyVal(verdict, "verdict.level", "critical")
        const again = await send(report.headers.get("content-location") ?? "", {}, key)
        assert.deepStrictEqual(await again.json(), verdict)

        const refused = await send("/risk/api/v1/token/0x1", {}, key)
        const { type } = (await refused.json()) as { type: string }
        assert.strictEqual(type, "/risk/api/v1/problems/validation-failed")
        assert.strictEqual(((await (await send(type)).json()) as { type: string }).type, type)

        const document = (await (await send("/risk/api/v1/openapi.json")).json()) as { servers: ReadonlyArray<object> }
        assert.nestedPropertyVal(document, "servers[0].url", "/risk")
        assert.strictEqual((await send("/risk/api/v1/docs")).status, 200)

        // A watch that is checked by hand, and what its stream of events says of it.
        const options = { notify_unchanged: true }
        const watch = await send("/risk/api/v1/watches", post({ target: "token", address, options }), key)
        assert.strictEqual(watch.status, 201, await watch.clone().text())
        const stream = await send("/risk/api/v1/events/stream", {}, key)
        assert.strictEqual(stream.headers.get("content-type"), "text/event-stream")
        const checked = await send(`${watch.headers.get("location")}/run`, { method: "POST" }, key)
        assert.strictEqual(checked.status, 202, await checked.clone().text())
        const text = await until(stream, '"changes_url"')
        assert.include(text, "event: watch.checked")
        assert.match(text, /"changes_url":"\/risk\/api\/v1\/executions\//)
      } finally {
        await stop()
      }
    })
})

/** The text of a stream up to where it has this, and then the stream is left. */
const until = async ({ body }: Response, wanted: string): Promise<string> => {
  let text = ""
  const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as never).getReader()
  while (!text.includes(wanted)) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
  }
  await reader.cancel()
  return text
}
