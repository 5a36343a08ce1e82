import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect, Option, type Scope } from "effect"
import type { Chain } from "../../src/chain/Chains.js"
import type { Hex } from "../../src/domain/Hex.js"

/** A call as the fake node got it. */
export interface Got {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** What the fake node says to a call: members of the JSON-RPC item (`result` or `error`), or nothing at all. */
export type Said = { readonly result: unknown } | { readonly error: unknown } | "absent"

/** What the fake node does with a whole HTTP request instead of answering its calls. */
export interface Refusal {
  readonly status: number
  readonly body: string
  readonly headers?: Record<string, string>
}

export interface FakeNode {
  readonly url: string
  /** The calls of each HTTP request, in the order of arrival. */
  readonly requests: Array<ReadonlyArray<Got>>
  /** Request headers, in the order of arrival. */
  readonly headers: Array<IncomingMessage["headers"]>
  /** Requests that the client gave up before they were answered. */
  readonly aborted: () => number
  /** Forgets what has arrived so far. */
  readonly forget: () => void
}

export const hashOf = (number: number, fork = 0): Hex =>
  `0x${fork.toString(16).padStart(4, "0")}${number.toString(16).padStart(60, "0")}`

export const blockOf = (number: number, fork = 0) => ({
  number: `0x${number.toString(16)}`,
  hash: hashOf(number, fork),
  parentHash: hashOf(Math.max(0, number - 1), fork),
  timestamp: `0x${(1_700_000_000 + number).toString(16)}`,
  // No event, so that nothing more is read of it.
  logsBloom: `0x${"00".repeat(256)}`,
  transactions: []
})

/** A block that may have any event by its bloom filter. */
export const fullBlockOf = (number: number) => ({ ...blockOf(number), logsBloom: `0x${"ff".repeat(256)}` })

/** A full-featured node at block 1000: every account holds 5 wei and has the code 0x6001. */
export const standard =
  (options: { readonly head?: number; readonly chainId?: string; readonly fork?: number } = {}) =>
  ({ method, params }: Got): Said => {
    const head = options.head ?? 1_000
    const [first, second, third, fourth] = params
    switch (method) {
      case "eth_chainId":
        return { result: options.chainId ?? "0x7a69" }
      case "eth_blockNumber":
        return { result: `0x${head.toString(16)}` }
      case "eth_getBlockByNumber": {
        const number = first === "latest" ? head : Number(first)
        return { result: number > head ? null : blockOf(number, options.fork) }
      }
      case "eth_getBlockByHash": {
        const number = Number(`0x${String(first).slice(6)}`)
        return {
          result: first === hashOf(number, options.fork) && number <= head ? blockOf(number, options.fork) : null
        }
      }
      case "eth_getBalance":
        return isKnown(second, head, options.fork) ? { result: "0x5" } : notFound
      case "eth_getTransactionCount":
        return { result: "0x3" }
      case "eth_getCode":
        return isKnown(second, head, options.fork) ? { result: "0x6001" } : notFound
      case "eth_getStorageAt":
        return isKnown(third, head, options.fork) ? { result: "0x2a" } : notFound
      case "eth_getLogs":
        return { result: [] }
      case "eth_call":
        // The probes' own programs, evaluated by hand; any other call returns a word of 1.
        if (fourth !== undefined) return { result: word(0x7000000n + 0x77000000n + 7n) }
        if (third !== undefined) return { result: word(0x11n) }
        return isKnown(second, head, options.fork) ? { result: word(1n) } : notFound
      case "eth_simulateV1":
        return { result: [{ calls: [{ status: "0x1", gasUsed: "0x5208", returnData: word(1n), logs: [] }] }] }
      default:
        return { error: { code: -32601, message: "Method not found" } }
    }
  }

export const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`

const notFound: Said = { error: { code: -32000, message: "header not found" } }

const isKnown = (at: unknown, head: number, fork = 0): boolean => {
  if (typeof at !== "object" || at === null) return true
  const { blockHash } = at as { readonly blockHash?: string }
  return (
    blockHash !== undefined &&
    blockHash === hashOf(Number(`0x${blockHash.slice(6)}`), fork) &&
    Number(`0x${blockHash.slice(6)}`) <= head
  )
}

/** Starts a node on a free port of this machine that answers by `say`, or refuses whole requests by `refuse`. */
export const fakeNode = (
  say: (call: Got) => Said,
  options: {
    readonly refuse?: (calls: ReadonlyArray<Got>, isBatch: boolean) => Refusal | "hang" | undefined
  } = {}
): Effect.Effect<FakeNode, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<FakeNode & { readonly stop: Effect.Effect<void> }>((resume) => {
        const requests: FakeNode["requests"] = []
        const headers: FakeNode["headers"] = []
        let aborted = 0
        const answer = (body: string, request: IncomingMessage, response: ServerResponse) => {
          const json = JSON.parse(body) as (Got & { id: number }) | Array<Got & { id: number }>
          const isBatch = Array.isArray(json)
          const calls = isBatch ? json : [json]
          requests.push(calls.map(({ method, params }) => ({ method, params })))
          headers.push(request.headers)
          const refusal = options.refuse?.(calls, isBatch)
          if (refusal === "hang") {
            response.on("close", () => {
              if (!response.writableEnded) aborted++
            })
            return
          }
          if (refusal !== undefined) {
            response.writeHead(refusal.status, refusal.headers).end(refusal.body)
            return
          }
          const items = calls.flatMap((call) => {
            const said = say(call)
            return said === "absent" ? [] : [{ jsonrpc: "2.0", id: call.id, ...said }]
          })
          // Any order is allowed in a batch.
          response.setHeader("content-type", "application/json")
          response.end(JSON.stringify(isBatch ? items.reverse() : (items[0] ?? {})))
        }
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => answer(Buffer.concat(chunks).toString(), request, response))
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          resume(
            Effect.succeed({
              url: `http://127.0.0.1:${port}`,
              requests,
              headers,
              aborted: () => aborted,
              forget: () => {
                requests.length = 0
                headers.length = 0
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
    (node) => node
  )

export const chainOf = (...endpoints: readonly [string, ...Array<string>]): Chain => ({
  id: 31_337,
  name: "sandbox",
  shortName: "sandbox",
  endpoints,
  explorer: Option.none(),
  addressBook: 1
})
