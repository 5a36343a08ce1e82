import { Schema } from "effect"

/**
 * A chain that this deployment serves. `name` and `id` are what requests may call it; `currency` is the symbol of its
 * native currency and `explorer` where its links point to, each null where none is known; `default` is the one that is
 * read where a request names none. Its endpoints are nobody's business.
 */
export const ListedChain = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  currency: Schema.NullOr(Schema.String),
  explorer: Schema.NullOr(Schema.String),
  default: Schema.Boolean
}).annotations({ identifier: "ListedChain" })

export interface ListedChain extends Schema.Schema.Type<typeof ListedChain> {}
