import { type Brand, Schema } from "effect"

/**
 * A moment as RFC 3339 UTC with milliseconds, the only spelling that documents use.
 *
 * @see https://www.rfc-editor.org/rfc/rfc3339
 * @since 0.1.0
 * @category models
 */
export type Timestamp = string & Brand.Brand<"Timestamp">

const pattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/**
 * @since 0.1.0
 * @category schemas
 */
export const Timestamp: Schema.Schema<Timestamp, string> = Schema.String.pipe(
  Schema.filter((text) => pattern.test(text) && !Number.isNaN(Date.parse(text)), {
    identifier: "Timestamp",
    description: "RFC 3339, UTC, milliseconds",
    jsonSchema: { format: "date-time" }
  }),
  Schema.brand("Timestamp")
)

/**
 * @since 0.1.0
 * @category constructors
 */
export const fromMillis = (epochMillis: number): Timestamp => new Date(epochMillis).toISOString() as Timestamp

/**
 * Milliseconds since the epoch.
 *
 * @since 0.1.0
 * @category combinators
 */
export const toMillis = (timestamp: Timestamp): number => Date.parse(timestamp)

/**
 * The last second that a document can name, 9999-12-31T23:59:59Z, since the epoch.
 *
 * @since 0.1.0
 * @category models
 */
export const lastSecond = 253_402_300_799

/**
 * The timestamp of a second since the epoch, the last one that can be written where it comes after that.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromSeconds = (seconds: number): Timestamp => fromMillis(1_000 * Math.min(seconds, lastSecond))

/**
 * Whole seconds since the epoch, as blocks count them.
 *
 * @since 0.1.0
 * @category combinators
 */
export const toSeconds = (timestamp: Timestamp): number => Math.floor(toMillis(timestamp) / 1_000)

/**
 * The UTC day, `YYYY-MM-DD`, that a moment falls on.
 *
 * @since 0.1.0
 * @category combinators
 */
export const dayOf = (epochMillis: number): string => new Date(epochMillis).toISOString().slice(0, 10)

/**
 * Milliseconds since the epoch at the next 00:00:00Z after a moment.
 *
 * @since 0.1.0
 * @category combinators
 */
export const nextDay = (epochMillis: number): number => (Math.floor(epochMillis / 86_400_000) + 1) * 86_400_000
