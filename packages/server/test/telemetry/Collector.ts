import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"

/** A span as OTLP has it in JSON, with times in nanoseconds. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: { readonly code?: number }
  readonly resource: Readonly<Record<string, unknown>>
}

interface Pair {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Receives traces by OTLP over HTTP, as a collector does. */
export class Collector {
  readonly #server: Server
  readonly spans: Array<Span> = []
  /** Everything that came, as it came. */
  readonly bodies: Array<string> = []
  readonly headers: Array<IncomingHttpHeaders> = []
  readonly paths: Array<string> = []
  /** What it answers from now on. */
  status = 200
  origin = ""

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text
      })
      request.on("end", () => {
        this.paths.push(request.url ?? "")
        this.headers.push(request.headers)
        this.bodies.push(body)
        if (this.status === 200) this.spans.push(...spansIn(body))
        response.writeHead(this.status, { "content-type": "application/json" }).end("{}")
      })
    }).listen(0, "127.0.0.1")
  }

  static async start(): Promise<Collector> {
    const collector = new Collector()
    await once(collector.#server, "listening")
    collector.origin = `http://127.0.0.1:${(collector.#server.address() as AddressInfo).port}`
    return collector
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

export const spansIn = (body: string): ReadonlyArray<Span> => {
  const { resourceSpans } = JSON.parse(body)
  return resourceSpans.flatMap(({ resource, scopeSpans }: never) =>
    (scopeSpans as ReadonlyArray<{ readonly spans: ReadonlyArray<Record<string, never>> }>).flatMap(({ spans }) =>
      spans.map(({ attributes, endTimeUnixNano, startTimeUnixNano, ...span }) => ({
        ...span,
        start: BigInt(startTimeUnixNano as unknown as string),
        end: BigInt(endTimeUnixNano as unknown as string),
        attributes: valuesOf(attributes as unknown as ReadonlyArray<Pair>),
        resource: valuesOf((resource as { readonly attributes: ReadonlyArray<Pair> }).attributes)
      }))
    )
  ) as ReadonlyArray<Span>
}

const valuesOf = (pairs: ReadonlyArray<Pair>): Record<string, unknown> =>
  Object.fromEntries(
    pairs.map(({ key, value }) => [key, "intValue" in value ? Number(value.intValue) : Object.values(value)[0]])
  )
