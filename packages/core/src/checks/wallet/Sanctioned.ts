import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import { Sanctions } from "../../facts/wallet/Sanctions.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the wallet is on the sanctions list of the chain's on-chain oracle. A refuted claim does not cover other
 * lists, nor entries that are not on the chain yet.
 *
 * @see https://go.chainalysis.com/chainalysis-oracle-docs.html
 */
export const sanctioned = Check.make({
  id: "wallet.sanctioned",
  code: "W-08",
  version: 1,
  targets: ["wallet"],
  claim: "The wallet is on a sanctions list",
  polarity: "risk",
  severity: "critical",
  dimension: "counterparty",
  value: Schema.Struct({ oracle: Address }),
  run: (target) =>
    Effect.gen(function* () {
      const found = yield* (yield* Sanctions).of(target.address)
      if (Option.isNone(found)) return Check.notApplicable
      const { observation, value } = found.value
      const seen = { value: { oracle: value.oracle }, observation: observation(), at: value.oracle }
      switch (value.answer) {
        case "listed":
          return [Check.confirmed({ ...seen, detail: `the sanctions oracle ${value.oracle} lists the wallet` })]
        case "not_listed":
          return [Check.refuted({ ...seen, detail: `the sanctions oracle ${value.oracle} does not list the wallet` })]
        case "unreliable":
          return [
            Phrases.unknown(
              "inconclusive",
              `the sanctions oracle ${value.oracle} gives no or wrong answers for known accounts`,
              {
                observation: seen.observation
              }
            )
          ]
      }
    })
})
