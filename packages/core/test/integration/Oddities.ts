import { Transport } from "@assay/core"
import { Effect, Layer } from "effect"
import * as World from "./World.js"

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

type Answer = { readonly id: number } & Readonly<Record<string, unknown>>

/** A way to the chain on which each request is looked at, and its answers changed. */
const over = (
  change: () => (calls: ReadonlyArray<Call>) => {
    readonly sent: ReadonlyArray<Call>
    readonly answered: (answer: Answer) => Answer
  }
): World.Wire =>
  Layer.provide(
    Layer.effect(
      Transport.Transport,
      Effect.map(Transport.Transport, ({ post }) => {
        const changed = change()
        return {
          post: (url: string, body: string) => {
            const asked = JSON.parse(body) as Call | ReadonlyArray<Call>
            const calls = Array.isArray(asked) ? (asked as ReadonlyArray<Call>) : [asked as Call]
            const { answered, sent } = changed(calls)
            return Effect.map(post(url, JSON.stringify(Array.isArray(asked) ? sent : sent[0])), (reply) => {
              const answers = JSON.parse(reply.body) as Answer | ReadonlyArray<Answer>
              const after = Array.isArray(answers)
                ? (answers as ReadonlyArray<Answer>).map(answered)
                : answered(answers as Answer)
              return { ...reply, body: JSON.stringify(after) }
            })
          }
        }
      })
    ),
    World.http
  )

const error = (answer: Answer, said: object): Answer => ({ jsonrpc: "2.0", id: answer.id, error: said })

/** Refuses some calls, each time with the next of these errors. */
export const refusing = (isRefused: (call: Call) => boolean, errors: ReadonlyArray<object>): World.Wire =>
  over(() => {
    let refused = 0
    return (calls) => {
      const ids = new Set(calls.filter(isRefused).map(({ id }) => id))
      return {
        sent: calls,
        answered: (answer) => (ids.has(answer.id) ? error(answer, errors[refused++ % errors.length] ?? {}) : answer)
      }
    }
  })

/**
 * Two nodes behind one address, of which one is some blocks behind. It says so for a requested block, and answers with
 * the events that it has.
 */
export const lagging = (blocks: number): World.Wire =>
  over(() => {
    let requests = 0
    return (calls) => {
      const isScan = calls.some(({ method }) => method === "eth_getLogs")
      const isBehind = isScan && requests++ % 2 === 0
      const missing = new Set(
        isBehind ? calls.filter(({ method }) => method === "eth_getBlockByHash").map(({ id }) => id) : []
      )
      return {
        sent: isBehind ? calls.map((call) => shortened(call, blocks)) : calls,
        answered: (answer) => (missing.has(answer.id) ? { ...answer, result: null } : answer)
      }
    }
  })

const shortened = (call: Call, blocks: number): Call => {
  if (call.method !== "eth_getLogs") return call
  const filter = call.params[0] as { readonly fromBlock?: string; readonly toBlock?: string }
  if (filter.fromBlock === undefined) return call
  const last = Math.max(Number(filter.fromBlock), Number(filter.toBlock) - blocks)
  return { ...call, params: [{ ...filter, toBlock: `0x${last.toString(16)}` }] }
}

/** The first answer to each of the questions that an analysis begins with is null, the second is of another type. */
export const hesitating: World.Wire = over(() => {
  const seen = new Map<string, number>()
  return (calls) => {
    const odd = new Map<number, unknown>()
    for (const { id, method } of calls) {
      if (method !== "eth_chainId" && method !== "eth_getBlockByNumber") continue
      const times = (seen.get(method) ?? 0) + 1
      seen.set(method, times)
      if (times <= 2) odd.set(id, times === 1 ? null : 7)
    }
    return {
      sent: calls,
      answered: (answer) => (odd.has(answer.id) ? { ...answer, result: odd.get(answer.id) } : answer)
    }
  }
})
