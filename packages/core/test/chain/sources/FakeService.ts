import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect, type Scope } from "effect"

/** What the service does with a request: an answer, or none at all. */
export type Behaviour = (request: Heard) => Reply | "hang" | "reset"

/** A request as the service got it; `query` is decoded. */
export interface Heard {
  readonly method: string
  readonly path: string
  readonly query: { readonly [name: string]: string }
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  /** Text and bytes as they are, anything else as JSON. */
  readonly body: unknown
}

export interface FakeService {
  readonly url: string
  readonly requests: Array<Heard>
  /** What it does from now on. */
  readonly become: (behaviour: Behaviour) => void
}

/** A web service on a free port of this machine. */
export const start = (behaviour: Behaviour): Effect.Effect<FakeService, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<FakeService & { readonly stop: Effect.Effect<void> }>((resume) => {
        const requests: Array<Heard> = []
        let current = behaviour
        const answer = (request: IncomingMessage, body: string, response: ServerResponse) => {
          const url = new URL(request.url ?? "/", "http://127.0.0.1")
          const heard: Heard = {
            method: request.method ?? "",
            path: url.pathname,
            query: Object.fromEntries(url.searchParams),
            headers: request.headers,
            body
          }
          requests.push(heard)
          const reply = current(heard)
          if (reply === "hang") return
          if (reply === "reset") return request.socket.destroy()
          response
            .writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers })
            .end(
              typeof reply.body === "string" || reply.body instanceof Uint8Array
                ? reply.body
                : JSON.stringify(reply.body)
            )
        }
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => answer(request, Buffer.concat(chunks).toString(), response))
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          resume(
            Effect.succeed({
              url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
              requests,
              become: (next: Behaviour) => {
                current = next
              },
              stop: Effect.async<void>((done) => {
                server.close(() => done(Effect.void))
                server.closeAllConnections()
              })
            })
          )
        })
      }),
      ({ stop }) => stop
    ),
    (service) => service
  )
