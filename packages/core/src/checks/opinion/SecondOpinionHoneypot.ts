import { Option, Schema } from "effect"
import * as Check from "../Check.js"
import * as Opinion from "./Opinion.js"

/**
 * whether another service says that the token can be bought and not sold. It is repeated, not checked: what this
 * engine found out itself is `trade.honeypot`.
 *
 * - Confirmed, refuted: it says yes, or no.
 * - Unknown: it says nothing, or could not be asked.
 *
 * It does not apply where the service does not cover the chain.
 *
 * @since 0.1.0
 * @category models
 */
export const secondOpinionHoneypot = Check.make({
  id: "opinion.honeypot",
  code: "X-01a",
  version: 1,
  targets: ["token"],
  claim: "Another service calls the token a honeypot",
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
          onNone: () => Check.unknown("inconclusive", `${name} does not say`, quoted),
          onSome: (yes) =>
            yes
              ? Check.confirmed({ ...quoted, value: { by: name }, detail: `${name} says that it cannot be sold` })
              : Check.refuted({ ...quoted, value: { by: name }, detail: `${name} says that it can be sold` })
        })
    })
})
