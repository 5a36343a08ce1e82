import { Schema } from "effect"
import { AnalysisResult } from "./AnalysisResult.js"
import { Evidence } from "./Evidence.js"
import { Facts } from "./Facts.js"
import { Allowance, AllowanceSet } from "./facts/Allowance.js"
import { Permit2Allowance, Permit2AllowanceSet } from "./facts/Permit2Allowance.js"
import { TradeOutcome } from "./facts/TradeOutcome.js"
import { Risk, RiskCap } from "./Risk.js"

/**
 * A result as it is served: the light form unless the full one was requested. The light form has the same conclusions
 * and leaves out how they were observed: `recipes`, the `observation` of each item, `facts.trade.runs`, the simulated
 * trades that the `trade.*` items sum up, `evidence_ids` of `facts.risk.caps`, which its signals repeat, and the
 * `balance` of each allowance, which is in `facts.portfolio.holdings`. An `AnalysisResult` is its full form.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ResultView = Schema.Struct({
  ...AnalysisResult.fields,
  evidence: Schema.Array(
    Schema.Struct({
      ...Evidence.fields,
      observation: Schema.optionalWith(Evidence.fields.observation, { exact: true })
    }).annotations({ identifier: "EvidenceView" })
  ),
  facts: Schema.Struct({
    ...Facts.fields,
    risk: Schema.NullOr(
      Schema.Struct({
        ...Risk.fields,
        caps: Schema.Array(
          Schema.Struct({
            ...RiskCap.fields,
            evidence_ids: Schema.optionalWith(RiskCap.fields.evidence_ids, { exact: true })
          }).annotations({ identifier: "RiskCapView" })
        )
      }).annotations({ identifier: "RiskView" })
    ),
    allowances: Schema.NullOr(
      Schema.Struct({
        ...AllowanceSet.fields,
        allowances: Schema.Array(
          Schema.Struct({
            ...Allowance.fields,
            balance: Schema.optionalWith(Allowance.fields.balance, { exact: true })
          }).annotations({ identifier: "AllowanceView" })
        )
      }).annotations({ identifier: "AllowanceSetView" })
    ),
    permit2: Schema.NullOr(
      Schema.Struct({
        ...Permit2AllowanceSet.fields,
        allowances: Schema.Array(
          Schema.Struct({
            ...Permit2Allowance.fields,
            balance: Schema.optionalWith(Permit2Allowance.fields.balance, { exact: true })
          }).annotations({ identifier: "Permit2AllowanceView" })
        )
      }).annotations({ identifier: "Permit2AllowanceSetView" })
    ),
    trade: Schema.NullOr(
      Schema.Struct({
        ...TradeOutcome.fields,
        runs: Schema.optionalWith(TradeOutcome.fields.runs, { exact: true })
      }).annotations({ identifier: "TradeOutcomeView" })
    )
  }).annotations({ identifier: "FactsView" }),
  recipes: Schema.optionalWith(AnalysisResult.fields.recipes, { exact: true })
}).annotations({
  identifier: "ResultView",
  description:
    "A result. `recipes`, the `observation` of each item, `facts.trade.runs`, `evidence_ids` of `facts.risk.caps` and the `balance` of each allowance are there only with `include=recipes`."
})

/**
 * @since 0.1.0
 * @category models
 */
export interface ResultView extends Schema.Schema.Type<typeof ResultView> {}

/**
 * The light form of a result.
 *
 * @since 0.1.0
 * @category combinators
 */
export const light = ({ evidence, facts, recipes: _, ...result }: AnalysisResult): ResultView => ({
  ...result,
  evidence: evidence.map(({ observation: _, ...item }) => item),
  facts: {
    ...facts,
    risk: facts.risk && { ...facts.risk, caps: facts.risk.caps.map(({ evidence_ids: _, ...cap }) => cap) },
    allowances: facts.allowances && {
      ...facts.allowances,
      allowances: facts.allowances.allowances.map(({ balance: _, ...allowance }) => allowance)
    },
    permit2: facts.permit2 && {
      ...facts.permit2,
      allowances: facts.permit2.allowances.map(({ balance: _, ...allowance }) => allowance)
    },
    trade: facts.trade && withoutRuns(facts.trade)
  }
})

const withoutRuns = ({ runs: _, ...trade }: TradeOutcome): NonNullable<ResultView["facts"]["trade"]> => trade

/**
 * The light form of a result as JSON text. Throws where the text is no JSON of a result.
 *
 * @since 0.1.0
 * @category combinators
 */
export const lightText = (text: string): string => {
  const result: AnalysisResult = JSON.parse(text)
  return JSON.stringify(light(result))
}
