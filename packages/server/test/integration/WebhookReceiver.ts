import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"

/** A message as it came. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An endpoint on this machine that keeps what it is sent. */
export class WebhookReceiver {
  readonly #server: Server
  readonly received: Array<Received> = []
  /** What it answers from now on. */
  status = 204
  origin = ""

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text
      })
      request.on("end", () => {
        this.received.push({ path: request.url ?? "", headers: request.headers, body })
        response.writeHead(this.status).end()
      })
    })
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver()
    receiver.#server.listen(0, "127.0.0.1")
    await once(receiver.#server, "listening")
    receiver.origin = `http://127.0.0.1:${(receiver.#server.address() as AddressInfo).port}`
    return receiver
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
