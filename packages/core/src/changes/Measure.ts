/** @internal */

/**
 * How a number of a value is compared.
 *
 * - `exact`: each value is its own. `reading`: it tells how something was found out, or moves with every block, and is no
 *   news on its own.
 * - `relative` and `absolute`: what moved less than `amount` (a part of the earlier number, or its own unit) is noise,
 *   unless the rule of its check or a watch says otherwise in the same unit.
 *
 * `worse` says where the move itself is good or bad for a holder, whatever claim the number stands in.
 *
 * @since 0.1.0
 * @category models
 */
export type Measure =
  | { readonly unit: "exact"; readonly worse?: "rising" | "falling" }
  | { readonly unit: "reading" }
  | { readonly unit: "relative" | "absolute"; readonly amount: number; readonly worse?: "rising" | "falling" }

const exact: Measure = { unit: "exact" }
const reading: Measure = { unit: "reading" }
const tenth = { unit: "relative", amount: 0.1 } as const
const points = (amount: number) => ({ unit: "absolute", amount: 100 * amount }) as const

/**
 * Every number that a check of this package can say, by the name of its member. A name means the same in every value.
 */
const measures: ReadonlyMap<string, Measure> = new Map<string, Measure>([
  // Quantities: they move with every trade and transfer.
  ["total_supply", tenth],
  ["amount", tenth],
  ["balance", reading],
  ["token_allowance", reading],
  ["reserve_token", tenth],
  ["reserve_quote", tenth],
  ["lp_total_supply", tenth],
  ["lp_burned", tenth],
  ["depth_usd", { ...tenth, worse: "falling" }],
  ["market_value_usd", tenth],
  // Parts, in basis points.
  ["buy_tax_bps", { ...points(0.5), worse: "rising" }],
  ["sell_tax_bps", { ...points(0.5), worse: "rising" }],
  ["transfer_tax_bps", { ...points(0.5), worse: "rising" }],
  ["max_reachable_tax_bps", { ...points(0.5), worse: "rising" }],
  ["sold_bps", { ...points(0.5), worse: "falling" }],
  ["refused_bps", points(0.5)],
  ["burned_bps", { ...points(1), worse: "falling" }],
  ["locked_bps", { ...points(1), worse: "falling" }],
  ["top_1_bps", { ...points(2), worse: "rising" }],
  ["top_10_bps", { ...points(2), worse: "rising" }],
  ["share_bps", points(2)],
  ["handed_bps", points(2)],
  ["ending_bps", points(2)],
  ["weight_bps", points(5)],
  // What is set, and not measured.
  ["threshold", { unit: "exact", worse: "falling" }],
  ["delay_seconds", { unit: "exact", worse: "falling" }],
  ["until", { unit: "exact", worse: "falling" }],
  ["threshold_before", exact],
  ["signers", exact],
  ["decimals", exact],
  ["fee_bps", exact],
  ["delay", { unit: "exact", worse: "falling" }],
  ["period", { unit: "exact", worse: "falling" }],
  ["expires_at", exact],
  // What has happened: each time and place is one of its own.
  ["changes", exact],
  ["last_block", exact],
  ["block", exact],
  // How much was looked at, and when. What was recent becomes less so on its own.
  ["recent", reading],
  ["after_block", reading],
  ["by_block", reading],
  ["from_block", reading],
  ["to_block", reading],
  ["since_block", reading],
  ["seen_from_block", reading],
  ["seen_to_block", reading],
  ["nonce", reading],
  ["checked", reading],
  ["compared", reading],
  ["left_out", reading],
  // The number of pools; which ones they are is told by another check.
  ["pools", reading],
  ["purchases", reading],
  ["refused", reading],
  ["sales", reading],
  ["blocked", reading],
  ["tried", reading],
  // A call's own words, which can hold any number.
  ["reason", reading],
  ["first_saw", reading],
  ["second_saw", reading]
])

/**
 * How a member is compared; undefined where nothing is said of its name.
 *
 * @since 0.1.0
 * @category combinators
 */
export const find = (name: string): Measure | undefined => measures.get(name)

/**
 * Whether a member can move without being another thing, so that it does not tell members of a list apart.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isMeasured = (name: string): boolean => {
  const measure = measures.get(name)
  return measure !== undefined && measure.unit !== "exact"
}

/** Lists that make a holder less safe as they grow, whatever claim they stand in. */
const worseAsTheyGrow: ReadonlySet<string> = new Set(["at_once", "modules", "others"])

/** Lists whose growth is better for a holder than their shrinking. */
const betterAsTheyGrow: ReadonlySet<string> = new Set(["pools"])

/**
 * 1 where more of it is worse for a holder, -1 where less of it is, 0 where its claim decides that.
 *
 * @since 0.1.0
 * @category combinators
 */
export const harmOfRising = (name: string): -1 | 0 | 1 => {
  if (worseAsTheyGrow.has(name)) return 1
  if (betterAsTheyGrow.has(name)) return -1
  const measure = measures.get(name)
  if (measure === undefined || measure.unit === "reading" || measure.worse === undefined) return 0
  return measure.worse === "rising" ? 1 : -1
}
