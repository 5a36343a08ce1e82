/** @internal */

import { Option } from "effect"
import type { Page } from "../domain/Page.js"

/** At most `limit` items, after the last item of the page before. */
interface Request<Id> {
  readonly limit: number
  readonly before: Option.Option<Id>
}

/**
 * A page of what is stored in order, the last one first; empty if `before` is not among it. `find` returns undefined
 * for an item that the list does not show.
 */
export const page = <Id extends string, A>(
  ids: Iterable<Id>,
  request: Request<Id>,
  find: (id: Id) => A | undefined
): Page<A> => {
  const all = Array.from(ids)
  const end = Option.match(request.before, { onNone: () => all.length, onSome: (id) => Math.max(0, all.indexOf(id)) })
  const found: Array<readonly [Id, A]> = []
  for (const id of all.slice(0, end).reverse()) {
    const item = find(id)
    if (item !== undefined) found.push([id, item])
    if (found.length > request.limit) break
  }
  const shown = found.slice(0, request.limit)
  return {
    data: shown.map(([, item]) => item),
    next_cursor: found.length > request.limit ? (shown.at(-1)?.[0] ?? null) : null
  }
}
