import { Array as Arrays, Effect, Either, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Count from "../../domain/Count.js"
import * as Facts from "../../facts/wallet/Frozen.js"
import { HeldTransfers, type TriedTransfer } from "../../facts/wallet/HeldTransfers.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether a token does not let the wallet move what it holds: the issuer of a well-known token has frozen the wallet, or a
 * token refuses a simulated transfer. It is graver where the token accepts the transfer of another holder, and where the
 * transfer policy of a token that the chain implements does not let the wallet send.
 *
 * @see https://github.com/circlefin/stablecoin-evm/blob/master/contracts/v1/Blacklistable.sol
 */
export const frozen = Check.make({
  id: "wallet.frozen",
  code: "W-15",
  version: 2,
  targets: ["wallet"],
  claim: "A token does not let the wallet move its balance",
  polarity: "risk",
  severity: "high",
  dimension: "account",
  value: Schema.Struct({
    tokens: Schema.Array(Schema.Struct({ address: Address, symbol: Schema.NullOr(Schema.String) })),
    tried: Schema.NonNegativeInt,
    complete: Schema.Boolean
  }),
  run: (target) =>
    Effect.gen(function* () {
      const [asked, { left, tried, unread }] = yield* Together.all([
        Effect.flatMap(Facts.Frozen, (facts) => facts.of(target.address)),
        Effect.flatMap(HeldTransfers, (facts) => facts.of(target.address))
      ])
      const said = asked.flatMap(({ isFrozen, symbol, token }) =>
        Either.isRight(isFrozen) ? [{ address: token, symbol, reading: isFrozen.right }] : []
      )
      const lost = asked.flatMap(({ isFrozen, symbol }) =>
        Either.isLeft(isFrozen) ? [{ symbol, error: isFrozen.left }] : []
      )
      const complete = lost.length === 0 && left === 0 && Option.isNone(unread)
      const freezing = said.filter(({ reading }) => reading.value)
      const refusing = tried.filter(
        ({ outcome, token }) => outcome !== "moved" && !freezing.some(({ address }) => address === token)
      )
      const [first, refused] = [freezing[0], refusing[0]]
      const observation = first?.reading.observation ?? refused?.observation
      if (observation !== undefined)
        return [
          Check.confirmed({
            value: {
              tokens: [
                ...freezing.map(({ address, symbol }) => ({ address, symbol })),
                ...refusing.map(({ symbol, token }) => ({ address: token, symbol: Option.getOrNull(symbol) }))
              ],
              tried: tried.length,
              complete
            },
            severity: first !== undefined || refusing.some(({ outcome }) => outcome !== "refused") ? "high" : "medium",
            detail: [
              ...(first === undefined
                ? []
                : [
                    `${Phrases.few(freezing.map(({ symbol }) => symbol))} cannot be sent or received by the wallet (${freezing.length} of ${Count.of(asked.length, "token")} that can freeze)`
                  ]),
              ...refusals(refusing, tried.length)
            ].join("; "),
            observation: observation(),
            at: first?.address ?? refused?.token
          })
        ]
      const [silent] = lost
      if (silent !== undefined)
        return [
          Phrases.unknown(
            silent.error.reason,
            `the freeze status in ${silent.symbol} was not read (${silent.error.detail})`
          )
        ]
      if (Option.isSome(unread))
        return [
          Phrases.unknown(unread.value.reason, `not all tokens of the wallet could be tried (${unread.value.detail})`)
        ]
      if (left > 0)
        return [
          Phrases.unknown(
            "inconclusive",
            `${Count.of(left, "further token")} of the wallet ${left === 1 ? "was" : "were"} not tried`
          )
        ]
      const any = said[0]?.reading.observation ?? tried[0]?.observation
      if (any === undefined) return Check.notApplicable
      return [
        Check.refuted({
          value: { tokens: [], tried: tried.length, complete },
          detail: [
            ...(said.length === 0
              ? []
              : [
                  `not frozen by any of ${Count.of(said.length, "token")} that can freeze: ${Phrases.few(said.map(({ symbol }) => symbol))}`
                ]),
            ...(tried.length === 0
              ? []
              : [`simulation: ${tried.length} of ${Count.of(tried.length, "held token")} can be transferred`])
          ].join("; "),
          observation: any()
        })
      ]
    })
})

/** The tokens that refused, by how grave that is. */
const refusals = (refusing: ReadonlyArray<TriedTransfer>, tried: number): ReadonlyArray<string> => {
  const [others, forbidden] = Arrays.partition(refusing, ({ outcome }) => outcome === "forbidden")
  const [toAnybody, toWallet] = Arrays.partition(others, ({ outcome }) => outcome === "refused_to_wallet")
  const named = (some: ReadonlyArray<TriedTransfer>): string =>
    `${Phrases.few(some.map(({ symbol, token }) => Option.getOrElse(symbol, () => token)))} (${some.length} of ${Count.of(tried, "held token")} tried)`
  return [
    ...(forbidden.length === 0 ? [] : [`the transfer policy does not let the wallet send ${named(forbidden)}`]),
    ...(toWallet.length === 0
      ? []
      : [`simulation: a transfer fails for the wallet, and succeeds for another holder, in ${named(toWallet)}`]),
    ...(toAnybody.length === 0
      ? []
      : [`simulation: a transfer of the wallet fails in ${named(toAnybody)}; no other holder was seen to transfer`])
  ]
}
