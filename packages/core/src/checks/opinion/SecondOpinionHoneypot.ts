import { Option, Schema } from "effect"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"
import * as Opinion from "./Opinion.js"

/**
 * whether another service reports that the token can be bought but not sold. This engine only repeats the answer;
 * its own result is `trade.honeypot`.
 *
 * - Confirmed, refuted: the answer is yes, or no.
 * - Unknown: the service has no answer, or did not respond.
 *
 * It does not apply where the service does not cover the chain.
 */
export const secondOpinionHoneypot = Check.make({
  id: "opinion.honeypot",
  code: "X-01a",
  version: 1,
  targets: ["token"],
  claim: "Another service reports the token as a honeypot",
  polarity: "risk",
  severity: "high",
  dimension: "counterparty",
  value: Schema.Struct({ by: Schema.String }),
  run: (target) =>
    Opinion.ask({
      page: (service, at) => service.tokenPage(at, target.address),
      question: (service, at) => service.token(at, target.address),
      judge: ({ honeypot }, quoted, name) =>
        Option.match(honeypot, {
          onNone: () => Phrases.unknown("inconclusive", `${name} has no answer for this token`, quoted),
          onSome: (yes) =>
            yes
              ? Check.confirmed({
                  ...quoted,
                  value: { by: name },
                  detail: `${name} reports that the token cannot be sold`
                })
              : Check.refuted({ ...quoted, value: { by: name }, detail: `${name} reports that the token can be sold` })
        })
    })
})
