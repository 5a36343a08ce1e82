import { Option } from "effect"
import type { Caller } from "../domain/Caller.js"
import type { KeyRecord } from "../storage/KeyStore.js"

/**
 * The units per UTC day of each plan, by its name.
 *
 * @since 0.1.0
 * @category models
 */
export type Plans = ReadonlyMap<string, number>

/**
 * No plans.
 *
 * @since 0.1.0
 * @category constructors
 */
export const none: Plans = new Map()

/**
 * Whether a text may be the name of a plan: 1 to 32 lower case letters, digits and hyphens, a letter first. `none` is what
 * the command calls a key without a plan.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isName = (text: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(text) && text !== "none"

/**
 * The units of the plan of a key; none where it has no plan, or one that is not there: then its own quota holds.
 *
 * @since 0.1.0
 * @category combinators
 */
export const unitsOf = (plans: Plans, { plan }: Pick<KeyRecord, "plan">): Option.Option<number> =>
  Option.flatMapNullable(plan, (name) => plans.get(name))

/**
 * The units of a key per UTC day.
 *
 * @since 0.1.0
 * @category combinators
 */
export const quotaOf = (plans: Plans, record: Pick<KeyRecord, "plan" | "dailyQuota">): number =>
  Option.getOrElse(unitsOf(plans, record), () => record.dailyQuota)

/**
 * A key as a caller. Limits of a source are for keys that anybody can make: one that its operator gave a plan is not counted
 * there.
 *
 * @since 0.1.0
 * @category combinators
 */
export const callerOf = (plans: Plans, record: KeyRecord): Caller => ({
  id: record.id,
  dailyQuota: quotaOf(plans, record),
  source: Option.isSome(unitsOf(plans, record)) ? Option.none() : record.source
})
