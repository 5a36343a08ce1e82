import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Received } from "./WebhookReceiver.js"

/** An endpoint that keeps what it is sent and gives the set answer, now, later or never. */
export class FickleReceiver {
  readonly received: Array<Received> = []
  /** Which status it answers, when it does. */
  answer: () => Promise<number>
  origin = ""
  readonly #server: Server

  private constructor(answer: () => Promise<number>) {
    this.answer = answer
    this.#server = createServer(async (request, response) => {
      const chunks: Array<Buffer> = []
      // What is cut off in the middle has not arrived.
      const isWhole = await (async () => {
        for await (const chunk of request) chunks.push(chunk as Buffer)
        return true
      })().catch(() => false)
      if (!isWhole) return
      this.received.push({
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString()
      })
      response.writeHead(await this.answer()).end()
    })
  }

  static async start(answer: () => Promise<number>): Promise<FickleReceiver> {
    const receiver = new FickleReceiver(answer)
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

export const accept = async (): Promise<number> => 204

export const neverAnswer = (): Promise<number> => new Promise(() => {})
