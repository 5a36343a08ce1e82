import { Schema } from "effect"

/**
 * A part of a list, newest first; `next_cursor` is opaque, null at the end.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Page = <A, I, R>(item: Schema.Schema<A, I, R>) =>
  Schema.Struct({ data: Schema.Array(item), next_cursor: Schema.NullOr(Schema.String) })

/**
 * @since 0.1.0
 * @category models
 */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly next_cursor: string | null
}
