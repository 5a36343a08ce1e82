/** @internal */

/**
 * How a number of a value is compared.
 *
 * - `exact`: any difference counts. `reading`: the number describes the measurement or changes with every block, and is
 *   not reported by itself.
 * - `relative` and `absolute`: a change of less than `amount` (a fraction of the earlier number, or its own unit) is
 *   noise, unless the rule of its check or a watch sets another amount in the same unit.
 *
 * `worse` is the direction that is bad for a holder, whatever the claim.
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
 * Every number in the values of this package's checks, by member name. A name means the same in every value.
 */
const measures: ReadonlyMap<string, Measure> = new Map<string, Measure>([
  // Quantities: they move with every trade and transfer.
  ["total_supply", tenth],
  ["supply_cap", exact],
  ["amount", tenth],
  ["balance", reading],
  ["token_allowance", reading],
  ["reserve_token", tenth],
  ["reserve_quote", tenth],
  ["lp_total_supply", tenth],
  ["lp_burned", tenth],
  ["depth_usd", { ...tenth, worse: "falling" }],
  ["market_value_usd", tenth],
  // Fractions, in basis points.
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
  ["withdrawn_bps", { ...points(2), worse: "rising" }],
  ["ending_bps", points(2)],
  ["weight_bps", points(5)],
  // Settings, not measurements.
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
  // Past events: each time and place is distinct.
  ["changes", exact],
  ["last_block", exact],
  ["block", exact],
  // The extent and time of the measurement. A recent event ages by itself.
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
  // The number of pools; another check reports which.
  ["pools", reading],
  ["purchases", reading],
  ["refused", reading],
  ["sales", reading],
  ["blocked", reading],
  ["tried", reading],
  // Data from the contract, which can hold any number.
  ["reason", reading],
  ["first_saw", reading],
  ["second_saw", reading]
])

/** The measure of a member; undefined for an unknown name. */
export const find = (name: string): Measure | undefined => measures.get(name)

/** Whether a member can change while its list member stays the same, so that it is not part of the key. */
export const isMeasured = (name: string): boolean => {
  const measure = measures.get(name)
  return measure !== undefined && measure.unit !== "exact"
}

/** Lists that are worse for a holder as they grow, whatever the claim. */
const worseAsTheyGrow: ReadonlySet<string> = new Set(["at_once", "modules", "others"])

/** Lists that are better for a holder as they grow. */
const betterAsTheyGrow: ReadonlySet<string> = new Set(["pools"])

/** 1 where a rise is worse for a holder, -1 where a fall is, 0 where the claim decides. */
export const harmOfRising = (name: string): -1 | 0 | 1 => {
  if (worseAsTheyGrow.has(name)) return 1
  if (betterAsTheyGrow.has(name)) return -1
  const measure = measures.get(name)
  if (measure === undefined || measure.unit === "reading" || measure.worse === undefined) return 0
  return measure.worse === "rising" ? 1 : -1
}
