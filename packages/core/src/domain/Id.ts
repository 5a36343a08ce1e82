import { Clock, Effect, Random, Schema } from "effect"
import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import { encodeTime, incrementBase32, TIME_LEN, ulid } from "ulid"

const prefixed = <const P extends string>(prefix: P, title: string) =>
  Schema.TemplateLiteral(`${prefix}_` as const, Schema.String).pipe(
    Schema.filter((text) => ULID.test(text.slice(prefix.length + 1)), {
      identifier: title,
      jsonSchema: { pattern: `^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$` }
    })
  )

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/

/**
 * @since 0.1.0
 * @category schemas
 */
export const ExecutionId = prefixed("exe", "ExecutionId")
/**
 * @since 0.1.0
 * @category models
 */
export type ExecutionId = typeof ExecutionId.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const KeyId = prefixed("key", "KeyId")
/**
 * @since 0.1.0
 * @category models
 */
export type KeyId = typeof KeyId.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const WatchId = prefixed("wat", "WatchId")
/**
 * @since 0.1.0
 * @category models
 */
export type WatchId = typeof WatchId.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const RunId = prefixed("run", "RunId")
/**
 * @since 0.1.0
 * @category models
 */
export type RunId = typeof RunId.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const EventId = prefixed("evt", "EventId")
/**
 * @since 0.1.0
 * @category models
 */
export type EventId = typeof EventId.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const WebhookId = prefixed("whk", "WebhookId")
/**
 * @since 0.1.0
 * @category models
 */
export type WebhookId = typeof WebhookId.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const DeliveryId = prefixed("dlv", "DeliveryId")
/**
 * @since 0.1.0
 * @category models
 */
export type DeliveryId = typeof DeliveryId.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const InvitationId = prefixed("inv", "InvitationId")
/**
 * @since 0.1.0
 * @category models
 */
export type InvitationId = typeof InvitationId.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const RequestId = prefixed("req", "RequestId")
/**
 * @since 0.1.0
 * @category models
 */
export type RequestId = typeof RequestId.Type

/**
 * Makes a new id, `<prefix>_<ULID>`: sortable by creation time, unique without coordination, not a secret.
 *
 * @see https://github.com/ulid/spec
 * @since 0.1.0
 * @category constructors
 */
export const make = <const P extends "exe" | "key" | "wat" | "run" | "evt" | "whk" | "dlv" | "inv" | "req">(
  prefix: P
): Effect.Effect<`${P}_${string}`> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const randoms = yield* Effect.replicateEffect(Random.next, 16)
    let index = 0
    return `${prefix}_${ulid(now, () => randoms[index++] ?? 0)}` as const
  })

/**
 * Makes ids as `make` does, at once and thousands a second: `now` in epoch milliseconds, and behind it a number that is
 * counted up from a random start.
 *
 * @since 0.1.0
 * @category constructors
 */
export const sequence = (prefix: "req"): Effect.Effect<(now: number) => RequestId> =>
  Effect.map(make(prefix), (first) => {
    let count = first.slice(prefix.length + 1 + TIME_LEN)
    return (now) => {
      count = incrementBase32(count)
      return `${prefix}_${encodeTime(now, TIME_LEN)}${count}`
    }
  })

/**
 * The id of what there is at most once of a subject, e.g. an event of a key and a day: made twice it is the same.
 *
 * @since 0.1.0
 * @category constructors
 */
export const derive = <const P extends "evt" | "dlv">(
  prefix: P,
  ...subject: readonly [string, ...ReadonlyArray<string>]
): `${P}_${string}` => {
  const digest = BigInt(Hash.sha256(OxHex.fromString(subject.join("\n"))))
  const letters = Array.from({ length: 26 }, (_, index) => crockford[Number((digest >> BigInt(5 * index)) & 31n)])
  return `${prefix}_${letters.join("")}`
}

// The alphabet of ULIDs.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
