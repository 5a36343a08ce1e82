import type { BlockRef } from "../../domain/BlockRef.js"
import type { Recipe } from "../../domain/Recipe.js"
import type { Chain } from "../Chains.js"
import type { Reading } from "../state/Reading.js"
import type { HttpAnswer } from "./HttpSource.js"

/**
 * The answer of a service outside the chain: a reading, and how to repeat the request.
 *
 * @since 0.1.0
 * @category models
 */
export interface SourceReading<out A> extends Reading<A> {
  readonly recipe: Recipe
}

/**
 * The chain and block of the requesting analysis. A service outside the chain knows no blocks: its answer is as of the
 * time of the request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Asked {
  readonly chain: Chain
  readonly block: BlockRef
}

/**
 * The answer of a web service as a reading at the block of the requesting analysis.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromAnswer = <A>(answer: HttpAnswer<A>, { block }: Asked): SourceReading<A> => ({
  value: answer.value,
  observation: () => answer.observation(block),
  recipe: answer.recipe
})
