import { Option, Schema } from "effect"
import * as Check from "../Check.js"
import * as Opinion from "./Opinion.js"

/**
 * whether another service accuses the account of something.
 *
 * - Confirmed: it does; `accusations` names of what, in its own words.
 * - Refuted: it denies every accusation that it knows.
 * - Unknown: it makes none and says nothing of some, or could not be asked.
 *
 * It does not apply where the service does not cover the chain.
 *
 * @since 0.1.0
 * @category models
 */
export const secondOpinionFlagged = Check.make({
  id: "opinion.flagged",
  code: "X-01c",
  version: 1,
  targets: ["wallet"],
  claim: "Another service accuses the account",
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
          return Check.confirmed({ ...quoted, value, detail: `${name} says: ${accusations.join(", ")}` })
        const silent = all.filter(([, is]) => Option.isNone(is)).length
        return silent > 0 || all.length === 0
          ? Check.unknown("inconclusive", `${name} does not say (${silent} of ${all.length})`, quoted)
          : Check.refuted({ ...quoted, value, detail: `${name} knows of nothing` })
      }
    })
})
