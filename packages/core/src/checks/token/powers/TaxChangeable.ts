import { Effect, Option, Schema } from "effect"
import type { ChainError } from "../../../chain/ChainError.js"
import type { Severity } from "../../../domain/Evidence.js"
import type { Counterfactual } from "../../../domain/facts/CounterfactualSet.js"
import type { Target } from "../../../domain/Target.js"
import * as Power from "../../../facts/powers/Power.js"
import { Powers } from "../../../facts/powers/Powers.js"
import * as Check from "../../Check.js"
import * as PowerClaim from "./PowerClaim.js"

const TaxChangeableValue = Schema.Struct({
  ...PowerClaim.value.fields,
  max_reachable_tax_bps: Schema.NullOr(Schema.NonNegativeInt)
})

/**
 * Whether a privileged account can change the transfer tax: the share of a transfer that does not arrive.
 * `max_reachable_tax_bps` is the highest tax that simulation measured on transfers, sales and purchases, null where it
 * measured none.
 *
 * - Confirmed: a function that checks its caller sets a number that transfers compute with, or changed the tax in
 *   simulation. The severity is high, unless the code bounds the only number that is set and simulation shows that the
 *   tax can reach no more than 10 % (medium) or 5 % (low).
 * - Unknown: the code bounds the tax, but the simulation that measures the bound failed.
 * - Refuted, otherwise unknown, and not applicable as for token.pausable.
 */
export const taxChangeable = Check.make({
  id: "token.tax-changeable",
  code: "K-05",
  version: 2,
  targets: ["token"],
  claim: "The transfer tax can be changed",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  tolerance: { kind: "absolute", amount: 50 },
  value: TaxChangeableValue,
  run: PowerClaim.run({
    power: "tax",
    does: "changes the transfer tax",
    describe: (target, decision) =>
      Effect.gen(function* () {
        const common = PowerClaim.valueOf(decision)
        const none = { value: { ...common, max_reachable_tax_bps: null } }
        if (decision._tag === "none") return none
        const rows = decision.shown.map((reading) => reading.value)
        const measured = rows.flatMap((row) => row.worst_tax_bps ?? [])
        const most = measured.length === 0 ? null : Math.max(...measured)
        const value = { ...common, max_reachable_tax_bps: most }
        if (!(yield* isBounded(target, decision.power))) return { value }
        const [lost] = decision.lost
        if (lost !== undefined)
          return {
            ...none,
            unmeasured: { reason: lost.reason, detail: `the maximum tax could not be measured: ${lost.detail}` }
          }
        return { value, severity: Option.getOrUndefined(Option.flatMap(Option.fromNullable(rows[0]), gradeOf)) }
      })
  })
})

/** Whether only one function sets the tax, with one number, and compares that number with constants only. */
const isBounded = ({ address }: Target, power: Power.HeldPower): Effect.Effect<boolean, ChainError, Powers> =>
  Effect.gen(function* () {
    const powers = yield* Powers
    const [lever, ...others] = power.levers
    if (lever === undefined || others.length > 0 || !Power.isProven(lever)) return false
    const values = new Set(lever.writes.flatMap(({ change }) => change.amount.map((origin) => JSON.stringify(origin))))
    const gates = (yield* powers.inCode(address)).flatMap(({ logic }) =>
      logic.flow.functions.flatMap((entry) => (entry.selector === lever.selector ? entry.gates : []))
    )
    const comparing = gates.filter((gate) => gate.compares)
    return (
      values.size === 1 &&
      comparing.some((gate) => gate.about.includes("argument")) &&
      comparing.every((gate) => gate.reads.length === 0)
    )
  })

/** The tax at the largest value that the function may accept, scaled from the largest value that it accepted. */
const gradeOf = (row: Counterfactual): Option.Option<Severity> => {
  const { after, largest_value, refused_from, worst_tax_bps } = row
  const isWhole = [after.transfer, after.sale, after.purchase].every((state) => state === "moved")
  if (!isWhole || worst_tax_bps === null || largest_value === null || refused_from === null) return Option.none()
  if (worst_tax_bps === 0 || BigInt(largest_value) === 0n) return Option.none()
  const bound = Number((BigInt(worst_tax_bps) * (BigInt(refused_from) - 1n)) / BigInt(largest_value))
  return Option.some(bound > 1_000 ? "high" : bound > 500 ? "medium" : "low")
}
