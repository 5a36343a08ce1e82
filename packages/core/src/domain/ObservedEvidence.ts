import { Option, Schema } from "effect"
import type { AnalysisResult } from "./AnalysisResult.js"
import { Evidence } from "./Evidence.js"
import { Recipe } from "./Recipe.js"

/**
 * One item of evidence with the recipe of its observation, null where it has no observation or where the recipe was not
 * kept.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ObservedEvidence = Schema.Struct({
  ...Evidence.fields,
  recipe: Schema.NullOr(Recipe)
}).annotations({ identifier: "ObservedEvidence" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ObservedEvidence extends Schema.Schema.Type<typeof ObservedEvidence> {}

/**
 * The item of a result with this id.
 *
 * @since 0.1.0
 * @category combinators
 */
export const find = (
  { evidence, recipes }: Pick<AnalysisResult, "evidence" | "recipes">,
  id: string
): Option.Option<ObservedEvidence> =>
  Option.map(
    Option.fromNullable(evidence.find((item) => item.id === id)),
    (item): ObservedEvidence => ({
      ...item,
      recipe:
        recipes.find(
          ({ method, params_hash }) =>
            method === item.observation?.method && params_hash === item.observation.params_hash
        ) ?? null
    })
  )
