/** @internal */

import { HostUnresolved, type Resolver } from "@assay/core/events/Resolver"
import { type WebhookTransport, WebhookUnanswered } from "@assay/core/events/WebhookTransport"
import { type Context, Effect, Option } from "effect"
import type { SeededRandom } from "./SeededRandom.js"
import type { Time } from "./WorldTime.js"

/**
 * The endpoints of all webhooks: they answer, fail, are gone, demand a wait, hang, or take a message and lose the
 * answer. `calm` makes them reliable.
 */
export interface Receivers {
  readonly transport: Context.Tag.Service<typeof WebhookTransport>
  readonly resolver: Context.Tag.Service<typeof Resolver>
  readonly calm: () => void
}

type Mood = "well" | "failing" | "gone" | "busy" | "hanging" | "refusing" | "forgetful" | "nowhere" | "inside"

const moods: readonly [Mood, ...Array<Mood>] = [
  "failing",
  "failing",
  "gone",
  "busy",
  "hanging",
  "refusing",
  "forgetful",
  "nowhere",
  "inside"
]

/**
 * `onMessage` sees everything that is sent, `onSent` where it goes, `onAccepted` what was answered with 2xx, before the answer can be lost.
 */
export const make = (
  time: Time,
  random: SeededRandom,
  world: {
    readonly onMessage: (text: string) => void
    readonly onSent: (url: string, event: string) => void
    readonly onAccepted: (url: string, event: string) => void
  }
): Receivers => {
  const states = new Map<string, { readonly mood: Mood; readonly until: number }>()
  let isCalm = false

  const moodOf = (host: string): Mood => {
    if (isCalm) return "well"
    const state = states.get(host)
    if (state !== undefined && state.until > time.now()) return state.mood
    const mood = random.chance(0.6) ? "well" : random.pick(moods)
    states.set(host, { mood, until: time.now() + random.wait(mood === "well" ? 20 * hour : 8 * hour) })
    return mood
  }
  const answer = (status: number) => Effect.succeed({ status, retryAfter: Option.none() })

  return {
    transport: {
      post: ({ url }, { body, headers }) =>
        Effect.suspend(() => {
          world.onMessage(JSON.stringify({ body, headers }))
          world.onSent(url, headers["webhook-id"] ?? "")
          const mood = moodOf(new URL(url).host)
          const accept = Effect.sync(() => world.onAccepted(url, headers["webhook-id"] ?? ""))
          const unanswered = (reason: WebhookUnanswered["reason"]) => new WebhookUnanswered({ reason })
          const latency = Effect.sleep(random.between(5, 900))
          switch (mood) {
            case "failing":
              return Effect.zipRight(latency, answer(random.pick([500, 502, 404, 301])))
            case "gone":
              return Effect.zipRight(latency, answer(410))
            case "busy":
              return Effect.zipRight(
                latency,
                Effect.sync(() => ({
                  status: 429,
                  retryAfter: Option.some(random.pick(["120", "999999", "-5", "soon"]))
                }))
              )
            case "hanging":
              return Effect.zipRight(Effect.sleep(15_000), unanswered("timeout"))
            case "refusing":
              return unanswered(random.pick(["connection", "tls"]))
            case "forgetful":
              return Effect.zipRight(Effect.zipRight(latency, accept), unanswered("timeout"))
            default:
              return Effect.zipRight(Effect.zipRight(latency, accept), answer(random.pick([200, 204])))
          }
        })
    },
    resolver: {
      resolve: (host) =>
        Effect.suspend(() => {
          const mood = moodOf(host)
          if (mood === "nowhere") return new HostUnresolved()
          return Effect.succeed([mood === "inside" ? "10.0.0.7" : "93.184.216.34"])
        })
    },
    calm: () => {
      isCalm = true
    }
  }
}

const hour = 3_600_000
