// A server that answers stored documents as the API does, without its rules: `node http-peers.mjs <fastify|hono|node> <db>`.
// It looks up the key by the hash of its secret and the document by the key and the path, and prints its port.
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { serve } from "@hono/node-server"
import Database from "better-sqlite3"
import Fastify from "fastify"
import { Hono } from "hono"

const [kind, filename] = process.argv.slice(2)
const db = new Database(filename, { readonly: true })
const keyOf = db.prepare("SELECT id, state FROM peer_key WHERE hash = ?")
const documentOf = db.prepare("SELECT body FROM peer_document WHERE key_id = ? AND path = ?")
const compress = promisify(gzip)
const type = "application/json"
const routes = ["/api/v1/executions/:id", "/api/v1/watches/:id", "/api/v1/usage", "/api/v1/watches"]

/** The document of a request; undefined without a key that is accepted or without a document. */
const find = (authorization, path) => {
  const hash = createHash("sha256")
    .update((authorization ?? "").replace(/^Bearer /, ""))
    .digest("hex")
  const key = keyOf.get(hash)
  return key?.state === "active" ? documentOf.get(key.id, path)?.body : undefined
}
const wantsGzip = (accepted) => accepted?.includes("gzip") === true

const servers = {
  fastify: async () => {
    const app = Fastify()
    for (const route of routes)
      app.get(route, async (request, reply) => {
        const body = find(request.headers.authorization, request.url)
        if (body === undefined) return reply.code(404).send()
        reply.type(type)
        if (!wantsGzip(request.headers["accept-encoding"])) return body
        reply.header("content-encoding", "gzip")
        return compress(body)
      })
    await app.listen({ port: 0, host: "127.0.0.1" })
    return app.server.address().port
  },
  hono: () => {
    const app = new Hono()
    for (const route of routes)
      app.get(route, async (context) => {
        const body = find(context.req.header("authorization"), context.req.path)
        if (body === undefined) return context.notFound()
        if (!wantsGzip(context.req.header("accept-encoding"))) return context.body(body, 200, { "content-type": type })
        return context.body(await compress(body), 200, { "content-type": type, "content-encoding": "gzip" })
      })
    return new Promise((resolve) => {
      serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve(port))
    })
  },
  node: () => {
    const server = createServer(async ({ headers, url }, response) => {
      const body = find(headers.authorization, url)
      if (body === undefined) return response.writeHead(404).end()
      const coding = wantsGzip(headers["accept-encoding"]) ? { "content-encoding": "gzip" } : {}
      const bytes = "content-encoding" in coding ? await compress(body) : Buffer.from(body)
      response.writeHead(200, { "content-type": type, "content-length": bytes.length, ...coding }).end(bytes)
    })
    return new Promise((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve(server.address().port))
    })
  }
}

console.log(`http://127.0.0.1:${await servers[kind]()}`)
