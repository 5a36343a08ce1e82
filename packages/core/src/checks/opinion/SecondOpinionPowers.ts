import { Option, Schema } from "effect"
import { type Opinions, type TokenClaim, tokenClaims } from "../../chain/sources/SecondOpinion.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"
import * as Opinion from "./Opinion.js"

const powers = tokenClaims.filter((claim) => claim !== "honeypot")

const Power = Schema.Literal(...tokenClaims)

/**
 * which powers over the token another service reports. They take no points: this engine checks each of them
 * itself, and a power must not count twice.
 *
 * - Confirmed: it reports at least one; `affirms` lists them.
 * - Refuted: it denies every one.
 * - Unknown: it reports none and has no answer for some (`silent`), or did not respond.
 *
 * It does not apply where the service does not cover the chain.
 */
export const secondOpinionPowers = Check.make({
  id: "opinion.powers",
  code: "X-01b",
  version: 1,
  targets: ["token"],
  claim: "Another service reports powers over the token",
  polarity: "risk",
  severity: "info",
  dimension: "counterparty",
  value: Schema.Struct({
    by: Schema.String,
    affirms: Schema.Array(Power),
    denies: Schema.Array(Power),
    silent: Schema.Array(Power)
  }),
  run: (target) =>
    Opinion.ask({
      page: (service, at) => service.tokenPage(at, target.address),
      question: (service, at) => service.token(at, target.address),
      judge: (said, quoted, name) => {
        const { affirms, denies, silent } = sorted(said)
        const value = { by: name, affirms, denies, silent }
        if (affirms.length > 0)
          return Check.confirmed({
            ...quoted,
            value,
            detail: `${name} reports ${affirms.length} of ${powers.length} powers: ${Phrases.few(affirms)}`
          })
        return silent.length > 0
          ? Phrases.unknown(
              "inconclusive",
              `${name} has no answer for ${silent.length} of ${powers.length} powers: ${Phrases.few(silent)}`,
              quoted
            )
          : Check.refuted({ ...quoted, value, detail: `${name} denies all ${denies.length} powers` })
      }
    })
})

const sorted = (said: Opinions<TokenClaim>) => ({
  affirms: powers.filter((claim) => Option.contains(said[claim], true)),
  denies: powers.filter((claim) => Option.contains(said[claim], false)),
  silent: powers.filter((claim) => Option.isNone(said[claim]))
})
