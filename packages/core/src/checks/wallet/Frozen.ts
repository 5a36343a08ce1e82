import { Effect, Either, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Count from "../../domain/Count.js"
import * as Facts from "../../facts/wallet/Frozen.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the issuer of a well-known token has frozen the wallet.
 *
 * @see https://github.com/circlefin/stablecoin-evm/blob/master/contracts/v1/Blacklistable.sol
 * @since 0.1.0
 * @category models
 */
export const frozen = Check.make({
  id: "wallet.frozen",
  code: "W-15",
  version: 1,
  targets: ["wallet"],
  claim: "A token issuer has frozen the wallet",
  polarity: "risk",
  severity: "high",
  dimension: "account",
  value: Schema.Struct({
    tokens: Schema.Array(Schema.Struct({ address: Address, symbol: Schema.String })),
    complete: Schema.Boolean
  }),
  run: (target) =>
    Effect.gen(function* () {
      const asked = yield* (yield* Facts.Frozen).of(target.address)
      const said = asked.flatMap(({ isFrozen, symbol, token }) =>
        Either.isRight(isFrozen) ? [{ address: token, symbol, reading: isFrozen.right }] : []
      )
      const lost = asked.flatMap(({ isFrozen, symbol }) =>
        Either.isLeft(isFrozen) ? [{ symbol, error: isFrozen.left }] : []
      )
      const complete = lost.length === 0
      const freezing = said.filter(({ reading }) => reading.value)
      const [first] = freezing
      if (first !== undefined)
        return [
          Check.confirmed({
            value: { tokens: freezing.map(({ address, symbol }) => ({ address, symbol })), complete },
            detail: `${Phrases.few(freezing.map(({ symbol }) => symbol))} cannot be sent or received by the wallet (${freezing.length} of ${Count.of(asked.length, "token")} that can freeze)`,
            observation: first.reading.observation(),
            at: first.address
          })
        ]
      const [unread] = lost
      if (unread !== undefined)
        return [
          Phrases.unknown(
            unread.error.reason,
            `the freeze status in ${unread.symbol} was not read (${unread.error.detail})`
          )
        ]
      const [any] = said
      if (any === undefined) return Check.notApplicable
      return [
        Check.refuted({
          value: { tokens: [], complete },
          detail: `not frozen by any of ${Count.of(said.length, "token")} that can freeze: ${Phrases.few(said.map(({ symbol }) => symbol))}`,
          observation: any.reading.observation()
        })
      ]
    })
})
