import { once } from "node:events"
import { createServer, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"

/** Passes every request on to a server as it is, with a key, since the conformance scenarios know of none. */
export class KeyProxy {
  readonly server: Server
  readonly origin: string

  private constructor(server: Server, origin: string) {
    this.server = server
    this.origin = origin
  }

  static async start(options: { readonly origin: string; readonly key: string }): Promise<KeyProxy> {
    const { hostname, port } = new URL(options.origin)
    const server = createServer((asked, answer) => {
      const headers = { ...asked.headers, authorization: `Bearer ${options.key}` }
      const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, (answered) => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers)
        answer.flushHeaders()
        answered.pipe(answer)
      })
      passed.on("error", () => answer.destroy())
      answer.on("close", () => passed.destroy())
      asked.pipe(passed)
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    return new KeyProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  }

  stop(): void {
    this.server.closeAllConnections()
    this.server.close()
  }
}
