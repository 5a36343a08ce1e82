import type * as Id from "@assay/core/domain/Id"
import { createMcpHandler, type Server } from "@modelcontextprotocol/server"
import { Effect, type Runtime } from "effect"
import type { ApiExchange } from "./ApiExchange.js"
import * as Envelope from "./Envelope.js"
import type { McpExtension } from "./McpExtension.js"
import * as McpServer from "./McpServer.js"
import * as Tools from "./Tools.js"

/** Ends a call that waits, by the caller, session and id of its request. */
export type Cancellations = Map<string, () => void>

/**
 * Answers one POST by a server of its own. `requestId` is also the id of the session of a client that initialises.
 * Nothing is kept under it: it distinguishes the requests of one client from those of another, so that a cancellation
 * finds its call.
 */
export const handle = async (options: {
  readonly request: Request
  readonly body: unknown
  readonly exchange: ApiExchange
  readonly runtime: Runtime.Runtime<never>
  readonly cancellations: Cancellations
  readonly extension: McpExtension["Type"]
  readonly caller: string
  readonly requestId: Id.RequestId
}): Promise<Response> => {
  const { body, cancellations, caller, request } = options
  const given = request.headers.get("mcp-session-id") ?? ""
  const messages = (Array.isArray(body) ? body : [body]) as ReadonlyArray<Message | null>
  const keyOf = (id: unknown) => JSON.stringify([caller, given, id])
  // Without a session an id is not of one client alone: a call is cancelled by closing its stream.
  const held = messages.filter((message) => !Envelope.isIn(message))
  for (const message of held)
    if (message?.method === "notifications/cancelled") cancellations.get(keyOf(message.params?.requestId))?.()

  const servers = new Set<Server>()
  const handler = createMcpHandler(
    () => {
      const server = McpServer.make({
        exchange: options.exchange,
        offer: Tools.ofServer,
        requestId: Effect.succeed(options.requestId),
        runtime: options.runtime
      })
      options.extension.extend(server)
      servers.add(server)
      return server
    },
    // What changes is known by watches and events: no stream waits for it here.
    // A stream of changes is acknowledged with none, and ends: watches and events say what changes.
    { responseMode: "sse" }
  )
  const close = () => {
    for (const server of servers) void server.close()
    void handler.close()
  }
  const keys = held.flatMap((message) => (message?.id === undefined ? [] : [keyOf(message.id)]))
  for (const key of keys) cancellations.set(key, close)
  const end = () => {
    for (const key of keys) cancellations.delete(key)
    close()
  }
  const response = await handler.fetch(request, { parsedBody: body })
  const headers = new Headers(response.headers)
  if (messages.some((message) => message?.method === "initialize")) headers.set("mcp-session-id", options.requestId)
  if (response.body === null) end()
  return new Response(response.body === null ? null : ending(response.body, end), { status: response.status, headers })
}

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: { readonly requestId?: unknown }
}

/** The same stream, which says when it is over or nobody reads it any more. */
const ending = (body: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await reader.read()
      if (!done) return controller.enqueue(value)
      end()
      controller.close()
    },
    cancel: (reason) => {
      end()
      return reader.cancel(reason)
    }
  })
}
