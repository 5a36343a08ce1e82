import { Schema } from "effect"
import { BlockRef } from "./BlockRef.js"
import { Evidence } from "./Evidence.js"
import { Facts } from "./Facts.js"
import { Recipe } from "./Recipe.js"
import { Source } from "./Source.js"
import { Target } from "./Target.js"
import { Warning } from "./Warning.js"

/**
 * What the engine found about a target at one block, before it is metered, compared or kept.
 * `partial` means that some evidence is unknown because a source failed. `content_hash` is `sha256:` over the RFC 8785
 * JSON of everything that is not volatile: the same chain state and ruleset give the same hash. `recipes` are the
 * parameters behind the observations of the evidence, so that a reader can make them again.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Analysis = Schema.Struct({
  target: Target,
  status: Schema.Literal("complete", "partial"),
  block: BlockRef,
  engine_version: Schema.String,
  ruleset_version: Schema.String,
  content_hash: Schema.String,
  evidence: Schema.Array(Evidence),
  facts: Facts,
  recipes: Schema.Array(Recipe),
  sources: Schema.Array(Source),
  warnings: Schema.Array(Warning)
}).annotations({ identifier: "Analysis" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Analysis extends Schema.Schema.Type<typeof Analysis> {}
