import { Effect, Either, Encoding, Schema } from "effect"

/**
 * The opaque text of a position in a list.
 *
 * @since 0.1.0
 * @category constructors
 */
export const encode = (place: string): string => Encoding.encodeBase64Url(place)

/**
 * The position of a cursor, if it belongs to this kind of list.
 *
 * @since 0.1.0
 * @category combinators
 */
export const decode =
  <A extends string>(place: Schema.Schema<A>) =>
  (cursor: string): Effect.Effect<A, BadCursor> =>
    Either.match(Encoding.decodeBase64UrlString(cursor), {
      onLeft: () => new BadCursor(),
      onRight: (text) => (Schema.is(place)(text) ? Effect.succeed(text) : new BadCursor())
    })

/**
 * The cursor was not made by a list of this service.
 *
 * @since 0.1.0
 * @category errors
 */
export class BadCursor extends Schema.TaggedError<BadCursor>()("BadCursor", {}) {}
