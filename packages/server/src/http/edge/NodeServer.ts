import { IncomingMessage, Server, type ServerOptions, ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type * as Id from "@assay/core/domain/Id"
import type { Problem } from "../../api/Problem.js"
import * as Problems from "../representation/Problems.js"
import * as Edge from "./Edge.js"
import type { Front } from "./Front.js"

/**
 * A Node server for the API. Requests that Node's parser refuses also get a problem. On close, new requests get
 * `draining` for `drainMillis` (none), then the port closes; requests in flight have `graceMillis` from the beginning
 * to finish, connections are not kept alive, and unfinished requests get `draining`. `requestId` makes the ids of
 * requests that do not reach the application; `closing` completes when the close begins, so that streams end. `front`
 * sees each request before the application, if there is one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly graceMillis: number
  readonly drainMillis?: number | undefined
  readonly requestId: () => Id.RequestId
  readonly closing?: (() => void) | undefined
  readonly front?: Front["Type"] | undefined
}): Server => {
  const server = new FrontedServer(options.front, {
    // Above the limits of the API, so that the application can refuse slightly larger requests with a problem.
    maxHeaderSize: Edge.maxHeaderBytes + 2 * Edge.maxTargetBytes,
    requireHostHeader: false,
    headersTimeout: 20_000,
    requestTimeout: 60_000
  })
  const open = new Set<ServerResponse>()

  const receive = (_: IncomingMessage, response: ServerResponse) => {
    // No other listener: the application is not mounted yet, or is unmounted.
    if (server.listenerCount("request") === 1) return refuse(response)
    open.add(response)
    response.once("close", () => open.delete(response))
  }
  server.on("request", receive)
  // An unknown Expect header is no reason to refuse a request.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  // Node writes it into the middle of a response that waits for an earlier one to be sent; whoever pipelines has sent the body.
  server.on("checkContinue", (request, response) => {
    if (response.socket !== null) response.writeContinue()
    server.emit("request", request, response)
  })
  server.on("connect", (_, socket) =>
    write(socket, problem("method_not_allowed", "CONNECT is not allowed."), {
      allow: "GET, HEAD, POST, PATCH, DELETE, OPTIONS"
    })
  )
  server.on("clientError", (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
    write(socket, refusalOf(error), {})
  })

  const refuse = (response: ServerResponse): void => {
    const refused = problem("draining", "This process is shutting down and starts nothing new.")
    response.writeHead(refused.status, { ...fieldsOf(refused), connection: "close" }).end(JSON.stringify(refused))
  }

  const problem = (
    code: "draining" | "headers_too_large" | "malformed_request" | "method_not_allowed" | "uri_too_long",
    detail: string
  ): Problem =>
    Problems.make(code, options.requestId(), { detail, ...(code === "draining" ? { retryAfterSeconds: 5 } : {}) })

  const refusalOf = (error: NodeJS.ErrnoException & { rawPacket?: Buffer }): Problem => {
    if (error.code === "HPE_HEADER_OVERFLOW") {
      // The packet that exceeds the limit is usually the first and begins with the request line.
      const packet = error.rawPacket?.toString("latin1") ?? ""
      return /^[A-Z]+ /.test(packet) && packet.replace(/\r\n.*/s, "").length > Edge.maxTargetBytes
        ? problem("uri_too_long", `A request target has at most ${Edge.maxTargetBytes} bytes.`)
        : problem("headers_too_large", `Header fields have at most ${Edge.maxHeaderBytes} bytes together.`)
    }
    return error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? problem("malformed_request", "The request was not sent to its end in time.")
      : problem("malformed_request", "This is not a valid HTTP request.")
  }

  const close = server.close.bind(server)
  server.close = (callback) => {
    options.closing?.()
    server.removeAllListeners("request")
    server.on("request", receive)
    server.keepAliveTimeout = 1
    for (const response of open) if (!response.headersSent) response.setHeader("connection", "close")
    let cut: NodeJS.Timeout | undefined
    const deadline = setTimeout(() => {
      for (const response of open) if (!response.headersSent) refuse(response)
      cut = setTimeout(() => server.closeAllConnections(), lastWordsMillis)
    }, options.graceMillis)
    const end = () =>
      close((error) => {
        clearTimeout(deadline)
        clearTimeout(cut)
        callback?.(error)
      })
    if (options.drainMillis === undefined) end()
    else setTimeout(end, options.drainMillis)
    return server
  }
  return server
}

/** Node emits `request` to every listener, so one that answers has to keep the request from the others. */
class FrontedServer extends Server {
  readonly front: Front["Type"] | undefined

  constructor(front: Front["Type"] | undefined, options: ServerOptions) {
    super(options)
    this.front = front
  }

  override emit(event: string, ...parts: ReadonlyArray<unknown>): boolean {
    const [request, response] = parts
    return (event === "request" &&
      // One listener is ours, another one the application.
      this.listenerCount("request") > 1 &&
      request instanceof IncomingMessage &&
      response instanceof ServerResponse &&
      this.front?.answer?.(request, response)) === true
      ? true
      : super.emit(event, ...parts)
  }
}

/** How long the response to a refused request may take to be sent. */
const lastWordsMillis = 250

const fieldsOf = (problem: Problem): Record<string, string> => ({
  "content-type": "application/problem+json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "access-control-allow-origin": "*",
  "request-id": problem.request_id,
  ...Problems.headers(problem)
})

const write = (socket: Duplex, problem: Problem, more: Record<string, string>): void => {
  const body = JSON.stringify(problem)
  const fields = {
    ...fieldsOf(problem),
    ...more,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close"
  }
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${Object.entries(fields)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}\r\n${body}`
  )
}
