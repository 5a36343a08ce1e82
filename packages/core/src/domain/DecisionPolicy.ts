import { Schema } from "effect"

/**
 * A level that a policy can name, least first.
 *
 * @since 0.1.0
 * @category schemas
 */
export const DecidedLevel = Schema.Literal("low", "medium", "high", "critical").annotations({
  identifier: "DecidedLevel"
})

/**
 * @since 0.1.0
 * @category models
 */
export type DecidedLevel = typeof DecidedLevel.Type

/**
 * From which level on a target is blocked, and from which on a person has to look at it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const DecisionPolicy = Schema.Struct({ block_from: DecidedLevel, review_from: DecidedLevel }).annotations({
  identifier: "DecisionPolicy"
})

/**
 * @since 0.1.0
 * @category models
 */
export interface DecisionPolicy extends Schema.Schema.Type<typeof DecisionPolicy> {}

/**
 * What a caller chose of a policy.
 *
 * @since 0.1.0
 * @category models
 */
export interface Chosen {
  readonly block_from?: DecidedLevel | undefined
  readonly review_from?: DecidedLevel | undefined
}

/**
 * The policy with what a caller chose of it, and the rest of {@link standard}.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (chosen: Chosen): DecisionPolicy => ({
  block_from: chosen.block_from ?? standard.block_from,
  review_from: chosen.review_from ?? standard.review_from
})

/**
 * What has been shown to harm is blocked, and whatever others could do at once is looked at by a person: record 41 says why.
 *
 * @since 0.1.0
 * @category constructors
 */
export const standard: DecisionPolicy = { block_from: "critical", review_from: "medium" }
