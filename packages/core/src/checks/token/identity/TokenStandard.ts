import { Effect, Schema } from "effect"
import * as TokenProfile from "../../../domain/facts/TokenProfile.js"
import { Token } from "../../../facts/market/Token.js"
import * as Check from "../../Check.js"

/**
 * Whether the contract behaves as a token: by the results of its functions, not by ERC-165 claims.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 */
export const tokenStandard = Check.make({
  id: "token.standard",
  code: "A-05",
  version: 1,
  targets: ["token"],
  claim: "The contract implements a token standard",
  polarity: "neutral",
  severity: "info",
  dimension: "identity",
  value: Schema.Struct({ standard: TokenProfile.TokenStandard }),
  run: (target) =>
    Effect.gen(function* () {
      const token = yield* Token
      const { observation, value } = yield* token.of(target.address)
      const verdict = value.standard === "none" ? Check.refuted : Check.confirmed
      return [
        verdict({
          value: { standard: value.standard },
          detail:
            value.standard === "none"
              ? "the contract implements no known token standard"
              : `the contract behaves as ${value.standard}`,
          observation: observation()
        })
      ]
    })
})
