import type { BlockRef } from "../domain/BlockRef.js"
import type { Recipe } from "../domain/Recipe.js"
import type { Chain } from "./Chains.js"
import type { HttpAnswer } from "./HttpSource.js"
import type { Reading } from "./Reading.js"

/**
 * What a service outside the chain said: a reading, and how to ask it again.
 *
 * @since 0.1.0
 * @category models
 */
export interface SourceReading<out A> extends Reading<A> {
  readonly recipe: Recipe
}

/**
 * The chain that is asked about, and the block at which it is asked. A service outside the chain knows no blocks: what it
 * says is of the time of asking.
 *
 * @since 0.1.0
 * @category models
 */
export interface Asked {
  readonly chain: Chain
  readonly block: BlockRef
}

/**
 * An answer of a web service as a reading at the block of the one who asked.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromAnswer = <A>(answer: HttpAnswer<A>, { block }: Asked): SourceReading<A> => ({
  value: answer.value,
  observation: () => answer.observation(block),
  recipe: answer.recipe
})
