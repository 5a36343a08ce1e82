import { Option, Schema } from "effect"
import { type Opinions, type TokenClaim, tokenClaims } from "../../chain/SecondOpinion.js"
import * as Check from "../Check.js"
import * as Opinion from "./Opinion.js"

const powers = tokenClaims.filter((claim) => claim !== "honeypot")

const Power = Schema.Literal(...tokenClaims)

/**
 * which powers over the token another service ascribes to somebody. They take no points here: this engine looks for
 * each of them itself, and a power is not to be counted twice.
 *
 * - Confirmed: it ascribes at least one; `affirms` names them.
 * - Refuted: it denies every one.
 * - Unknown: it affirms none and says nothing of some (`silent`), or could not be asked.
 *
 * It does not apply where the service does not cover the chain.
 *
 * @since 0.1.0
 * @category models
 */
export const secondOpinionPowers = Check.make({
  id: "opinion.powers",
  code: "X-01b",
  version: 1,
  targets: ["token"],
  claim: "Another service ascribes powers over the token to somebody",
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
          return Check.confirmed({ ...quoted, value, detail: `${name} says: ${affirms.join(", ")}` })
        return silent.length > 0
          ? Check.unknown("inconclusive", `${name} does not say: ${silent.join(", ")}`, quoted)
          : Check.refuted({ ...quoted, value, detail: `${name} denies: ${denies.join(", ")}` })
      }
    })
})

const sorted = (said: Opinions<TokenClaim>) => ({
  affirms: powers.filter((claim) => Option.contains(said[claim], true)),
  denies: powers.filter((claim) => Option.contains(said[claim], false)),
  silent: powers.filter((claim) => Option.isNone(said[claim]))
})
