import { Effect, Schema } from "effect"
import { Quantity } from "../../../domain/Quantity.js"
import { Token } from "../../../facts/market/Token.js"
import * as Check from "../../Check.js"

/**
 * Whether name, symbol, decimals and total supply of an ERC-20 token can be read.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 */
export const metadataReadable = Check.make({
  id: "token.metadata-readable",
  code: "M-01",
  version: 1,
  targets: ["token"],
  claim: "Name, symbol, decimals and supply can be read",
  polarity: "neutral",
  severity: "info",
  dimension: "identity",
  tolerance: { kind: "relative", amount: 0.1 },
  value: Schema.Struct({
    name: Schema.NullOr(Schema.String),
    symbol: Schema.NullOr(Schema.String),
    decimals: Schema.NullOr(Schema.NonNegativeInt),
    total_supply: Schema.NullOr(Quantity)
  }),
  run: (target) =>
    Effect.gen(function* () {
      const token = yield* Token
      const { observation, value } = yield* token.of(target.address)
      if (value.standard === "none") return Check.notApplicable
      const { decimals, name, symbol, total_supply } = value
      // Collections have no decimals, and an ERC-1155 one need not have a supply.
      const asked =
        value.standard === "erc20" || value.standard === "erc4626"
          ? { name, symbol, decimals, total_supply }
          : { name, symbol }
      const absent = Object.entries(asked).flatMap(([getter, answer]) => (answer === null ? [getter] : []))
      const verdict = absent.length === 0 ? Check.confirmed : Check.refuted
      return [
        verdict({
          value: { name, symbol, decimals, total_supply },
          detail: absent.length === 0 ? "all metadata getters return a value" : `could not read ${absent.join(", ")}`,
          observation: observation()
        })
      ]
    })
})
