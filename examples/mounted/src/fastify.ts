import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import type { Assay } from "./Assay.js"

export const mount = (assay: Assay) => {
  const app = Fastify({ forceCloseConnections: true })
  app.get("/", () => "The page of this program")
  app.register(async (risk) => {
    const handle = (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack()
      assay.node(request.raw, reply.raw)
    }
    // In here alone: Fastify leaves bodies unread, and Assay reads them.
    risk.removeAllContentTypeParsers()
    risk.addContentTypeParser("*", (_request, _body, done) => done(null))
    risk.all("/risk", handle)
    risk.all("/risk/*", handle)
  })
  return app
}
