import { Effect, Option } from "effect"
import type { Address } from "../../domain/Address.js"
import * as Amount from "../../domain/Amount.js"
import type { Exposure, WalletPortfolio } from "../../domain/facts/WalletPortfolio.js"
import { Portfolio } from "../../facts/wallet/Portfolio.js"

/** The portfolio of a wallet, for the detail of an item; none where it could not be read. */
export const of = (wallet: Address): Effect.Effect<Option.Option<WalletPortfolio>, never, Portfolio> =>
  Effect.flatMap(Portfolio, (portfolio) => Effect.option(Effect.map(portfolio.of(wallet), ({ value }) => value)))

/**
 * The amount of a token that a spender can take now, such as "; 12.5 USDC at risk, about 0.0041 WETH"; empty where it
 * is zero or unknown.
 */
export const sentence = (
  portfolio: Option.Option<WalletPortfolio>,
  { by, spender, token }: Pick<Exposure, "token" | "spender" | "by">
): string =>
  Option.getOrElse(
    Option.gen(function* () {
      const { at_risk, holdings, unit } = yield* portfolio
      const { amount, value } = yield* Option.fromNullable(
        at_risk.find((each) => each.by === by && each.token === token && each.spender === spender)
      )
      const holding = holdings.find(({ address }) => address === token)
      const listed = Option.all({
        symbol: Option.fromNullable(holding?.symbol),
        decimals: Option.fromNullable(holding?.decimals)
      })
      const taken = Option.match(listed, {
        onNone: () => `${amount} units`,
        onSome: (coin) => Amount.inWords(amount, coin)
      })
      return `; ${taken} at risk${value === null || unit === null ? "" : `, about ${Amount.inWords(value, unit)}`}`
    }),
    () => ""
  )

/** The total over all tokens, each counted once however many spenders can take it. */
export const total = (portfolio: Option.Option<WalletPortfolio>): string =>
  Option.getOrElse(
    Option.gen(function* () {
      const { at_risk, unit } = yield* portfolio
      const coin = yield* Option.fromNullable(unit)
      const worths = new Map<Address, bigint>()
      for (const { token, value } of at_risk) {
        const worth = value === null ? 0n : BigInt(value)
        if (worth > (worths.get(token) ?? 0n)) worths.set(token, worth)
      }
      const sum = [...worths.values()].reduce((all, worth) => all + worth, 0n)
      return sum === 0n ? "" : `; tokens worth about ${Amount.inWords(sum.toString(), coin)} can be taken now`
    }),
    () => ""
  )
