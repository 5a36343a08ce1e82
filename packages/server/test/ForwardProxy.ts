import { once } from "node:events"
import { createServer, request as send } from "node:http"
import { type AddressInfo, connect } from "node:net"

/** The HTTP proxy of a network in which nothing else reaches the outside. */
export interface ForwardProxy {
  readonly url: string
  /** What it received: `POST http://rpc.test/` of a request, `CONNECT rpc.test:443` of a tunnel. */
  readonly seen: Array<string>
  readonly close: () => void
}

/**
 * Opens one that knows these hosts, as `host:port` with the port of this machine that stands for each of them. Others get
 * 502, and who does not send `credentials` gets 407.
 */
export const open = async (hosts: Readonly<Record<string, number>>, credentials?: string): Promise<ForwardProxy> => {
  const seen: Array<string> = []
  const isRefused = (header: string | undefined) =>
    credentials !== undefined && header !== `Basic ${Buffer.from(credentials).toString("base64")}`
  const server = createServer((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`)
    const { headers, method } = incoming
    if (isRefused(headers["proxy-authorization"])) return response.writeHead(407).end()
    const { hostname, pathname, port, search } = new URL(incoming.url ?? "", "http://nowhere.test")
    const local = hosts[`${hostname}:${port === "" ? 80 : port}`]
    if (local === undefined) return response.writeHead(502).end("<p>no such host</p>")
    const outgoing = send({ host: "127.0.0.1", port: local, method, path: pathname + search, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on("error", () => response.writeHead(502).end())
    return incoming.pipe(outgoing)
  })
  server.on("connect", (incoming, socket) => {
    seen.push(`CONNECT ${incoming.url}`)
    socket.on("error", () => {})
    if (isRefused(incoming.headers["proxy-authorization"])) return socket.end("HTTP/1.1 407 no\r\n\r\n")
    const local = hosts[incoming.url ?? ""]
    if (local === undefined) return socket.end("HTTP/1.1 502 no\r\n\r\n")
    const tunnel = connect(local, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 connected\r\n\r\n")
      tunnel.pipe(socket)
      socket.pipe(tunnel)
    })
    return tunnel.on("error", () => socket.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
