import { Option, Schema } from "effect"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"
import * as Opinion from "./Opinion.js"

/**
 * whether another service flags the account.
 *
 * - Confirmed: it does; `accusations` lists its flags by the names of the service.
 * - Refuted: every flag of the service is negative.
 * - Unknown: no flag is positive and some have no answer, or the service did not answer.
 *
 * It does not apply where the service does not cover the chain.
 */
export const secondOpinionFlagged = Check.make({
  id: "opinion.flagged",
  code: "X-01c",
  version: 1,
  targets: ["wallet"],
  claim: "Another service flags the account",
  polarity: "risk",
  severity: "high",
  dimension: "counterparty",
  value: Schema.Struct({ by: Schema.String, accusations: Schema.Array(Schema.String) }),
  run: (target) =>
    Opinion.ask({
      page: (service, at) => service.accountPage(at, target.address),
      question: (service, at) => service.account(at, target.address),
      judge: (said, quoted, name) => {
        const all = Object.entries(said).sort(([a], [b]) => (a < b ? -1 : 1))
        const accusations = all.flatMap(([accusation, is]) => (Option.contains(is, true) ? [accusation] : []))
        const value = { by: name, accusations }
        if (accusations.length > 0)
          return Check.confirmed({
            ...quoted,
            value,
            detail: `${name} flags the account for ${Phrases.few(accusations)} (${accusations.length} of ${all.length} flags)`
          })
        const silent = all.filter(([, is]) => Option.isNone(is)).length
        return silent > 0 || all.length === 0
          ? Phrases.unknown("inconclusive", `${name} has no answer for ${silent} of ${all.length} flags`, quoted)
          : Check.refuted({ ...quoted, value, detail: `${name} answers no to all ${all.length} flags` })
      }
    })
})
