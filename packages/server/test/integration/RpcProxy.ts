import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

export interface Call {
  readonly id: number
  readonly method: string
}

export interface Reply {
  readonly status: number
  readonly headers?: Record<string, string> | undefined
  readonly body: string
}

/** What an endpoint answers to the text of a request. */
export type Behaviour = (body: string) => Promise<Reply>

/** An endpoint with a secret in its URL, and with the set behaviour, now and later. */
export class RpcProxy {
  readonly server: Server
  readonly url: string
  behaviour: Behaviour

  private constructor(server: Server, url: string, behaviour: Behaviour) {
    this.server = server
    this.url = url
    this.behaviour = behaviour
  }

  static async start(behaviour: Behaviour): Promise<RpcProxy> {
    const server = createServer(async (request, response) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { body, headers, status } = await proxy
        .behaviour(Buffer.concat(chunks).toString())
        .catch((): Reply => ({ status: 599, body: "the test's proxy failed" }))
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const proxy = new RpcProxy(server, `http://127.0.0.1:${port}/${secret}`, behaviour)
    return proxy
  }

  stop(): void {
    this.server.closeAllConnections()
    this.server.close()
  }
}

/** What the URLs of proxies hold and nothing else may. */
export const secret = "hunter2"

/** Passes every request on. */
export const forward =
  (target: string): Behaviour =>
  async (body) => {
    const answer = await fetch(target, { method: "POST", headers: { "content-type": "application/json" }, body })
    return { status: answer.status, body: await answer.text() }
  }

/** Passes every request on, a while later. */
export const slowly =
  (target: string, millis: number): Behaviour =>
  async (body) => {
    await new Promise((resolve) => setTimeout(resolve, millis))
    return forward(target)(body)
  }

/** Never answers. */
export const silence: Behaviour = () => new Promise(() => {})

/** Passes on all but one method, which the endpoint does not know. */
export const without =
  (target: string, method: string): Behaviour =>
  async (body) => {
    const parsed = JSON.parse(body) as Call | ReadonlyArray<Call>
    const calls = Array.isArray(parsed) ? (parsed as ReadonlyArray<Call>) : [parsed as Call]
    const refused = calls
      .filter((call) => call.method === method)
      .map(({ id }) => ({
        jsonrpc: "2.0",
        id,
        error: { code: -32_601, message: `the method ${method} does not exist/is not available` }
      }))
    const kept = calls.filter((call) => call.method !== method)
    const answered = kept.length === 0 ? [] : JSON.parse((await forward(target)(JSON.stringify(kept))).body)
    const all = [...answered, ...refused]
    return { status: 200, body: JSON.stringify(Array.isArray(parsed) ? all : all[0]) }
  }
