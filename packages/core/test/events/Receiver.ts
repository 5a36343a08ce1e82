import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { Effect, type Scope } from "effect"

/** A message as the receiver got it. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** What a receiver does with a message. */
export type Behaviour = (response: ServerResponse, received: Received) => void

export interface Receiver {
  readonly port: number
  readonly received: ReadonlyArray<Received>
  readonly connections: () => { readonly open: number; readonly made: number }
  /** What it does from now on. */
  readonly become: (behaviour: Behaviour) => void
}

/** Answers with a status and nothing else. */
export const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(code, headers).end()
  }

const start =
  (create: (listener: RequestListener) => Server) =>
  (behaviour: Behaviour, host = "127.0.0.1"): Effect.Effect<Receiver, never, Scope.Scope> =>
    Effect.map(
      Effect.acquireRelease(
        Effect.async<Receiver & { readonly server: Server }>((resume) => {
          const received: Array<Received> = []
          let current = behaviour
          let open = 0
          let made = 0
          const server = create((request, response) => {
            const chunks: Array<Buffer> = []
            request.on("data", (chunk: Buffer) => chunks.push(chunk))
            request.on("end", () => {
              const { headers, method = "", url = "" } = request
              const message = { method, path: url, headers, body: Buffer.concat(chunks).toString() }
              received.push(message)
              current(response, message)
            })
          })
          server.on("connection", (socket) => {
            open++
            made++
            socket.on("close", () => open--)
          })
          server.listen(0, host, () => {
            const address = server.address()
            resume(
              Effect.succeed({
                port: typeof address === "object" && address !== null ? address.port : 0,
                received,
                connections: () => ({ open, made }),
                become: (next: Behaviour) => {
                  current = next
                },
                server
              })
            )
          })
        }),
        ({ server }) =>
          Effect.async<void>((resume) => {
            server.close(() => resume(Effect.void))
            server.closeAllConnections()
          })
      ),
      (receiver): Receiver => receiver
    )

/** A receiver of webhooks on a free port of this machine. */
export const plain = start(createServer)

// Made for these tests, and for nothing else: a certificate of hooks.example that signs itself.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgg3+YfiqN/oOjwdPk
35LQ/tbr92GARa7cRVh++ogwZZOhRANCAAQrto2L7jSsWWyw3C8rhXCHGT/twK6Q
5RFS+YYWMmUc6qiUcY7Kxx7cPvAf+Igloz2xqCeaw/WETkjSfJHXpPo8
-----END PRIVATE KEY-----
`

export const certificate = `-----BEGIN CERTIFICATE-----
MIIBbTCCAROgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1ob29rcy5l
eGFtcGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAYMRYwFAYD
VQQDDA1ob29rcy5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEK7aN
i+40rFlssNwvK4Vwhxk/7cCukOURUvmGFjJlHOqolHGOysce3D7wH/iIJaM9sagn
msP1hE5I0nyR16T6PKNMMEowGAYDVR0RBBEwD4INaG9va3MuZXhhbXBsZTAPBgNV
HRMBAf8EBTADAQH/MB0GA1UdDgQWBBRLVgQSQ2fHaHBWNJ6liEH2HVmn6DAKBggq
hkjOPQQDAgNIADBFAiAbwYYACBlZ7wRBf1xAzS/r5dIFiQBSjSCbtg6P01ib0gIh
AOobSEDK8c1sZNQBLPK/03GetbI/pjMN2oiSei8gljGQ
-----END CERTIFICATE-----
`

/** The same behind TLS, as `hooks.example`. */
export const secure = start((listener) => createSecureServer({ key, cert: certificate }, listener))
