import { Effect, Layer } from "effect"
import { Transport } from "../chain/rpc/Transport.js"

/**
 * Puts a tape before the transport that is given: each JSON-RPC call is answered once by its endpoint and from then on
 * with the same words. For tests that send the same reads to a chain that stands still many times; put `RpcFault`
 * before it, so that what is recorded is whole. Only answers are kept, never a failed request.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Transport, never, Transport> = Layer.effect(
  Transport,
  Effect.map(Transport, (transport) => {
    const tape = new Map<string, object>()
    return {
      post: (url, body) =>
        Effect.suspend(() => {
          const json = JSON.parse(body) as Item | ReadonlyArray<Item>
          const items = "method" in json ? [json] : json
          // An engine says the same in the same words, so that no canonical form is needed.
          const keyOf = (item: Item) => `${url} ${item.method} ${JSON.stringify(item.params)}`
          const replay = () => {
            const answers = items.map((item) => ({ ...tape.get(keyOf(item)), id: item.id }))
            return { status: 200, headers: {}, body: JSON.stringify("method" in json ? answers[0] : answers) }
          }
          if (items.every((item) => tape.has(keyOf(item)))) return Effect.succeed(replay())
          return Effect.tap(transport.post(url, body), (reply) =>
            Effect.sync(() => {
              if (reply.status !== 200) return
              const answers = JSON.parse(reply.body) as Answer | ReadonlyArray<Answer>
              for (const answer of "id" in answers ? [answers] : answers) {
                const asked = items.find(({ id }) => id === answer.id)
                if (asked !== undefined) tape.set(keyOf(asked), answer)
              }
            })
          )
        })
    }
  })
)

interface Item {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

interface Answer {
  readonly id: unknown
}
