import { Option, Schema } from "effect"

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

/**
 * The part of a list, newest first, from an item on, by its id. `next_cursor` is the id of the first that is not in it,
 * so that items already shown may be gone when the next part is requested. Where `from` itself is gone, its id gives
 * its place: an id begins with the time at which it was made.
 *
 * @since 0.1.0
 * @category combinators
 */
export const partOf = <A, Id extends string>(
  all: ReadonlyArray<A>,
  idOf: (item: A) => Id,
  request: { readonly limit: number; readonly from: Option.Option<Id> }
): Page<A> => {
  const left = Option.match(request.from, { onNone: () => all, onSome: (place) => startingAt(all, idOf, place) })
  const next = left[request.limit]
  return { data: left.slice(0, request.limit), next_cursor: next === undefined ? null : idOf(next) }
}

const startingAt = <A, Id extends string>(
  all: ReadonlyArray<A>,
  idOf: (item: A) => Id,
  place: Id
): ReadonlyArray<A> => {
  const index = all.findIndex((item) => idOf(item) === place)
  return index === -1 ? all.filter((item) => idOf(item) < place) : all.slice(index)
}
