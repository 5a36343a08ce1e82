import { Effect, Option, Schema } from "effect"
import type { Observation } from "../../domain/Evidence.js"
import type { TradeOutcome, TradeRun } from "../../domain/facts/TradeOutcome.js"
import * as Pools from "../../facts/Pools.js"
import * as Trade from "../../facts/Trade.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

/**
 * How the sales of fresh accounts ended: how many were tried after a purchase that went through, how many of them were
 * blocked, and the words of the token.
 */
const HoneypotValue = Schema.Struct({
  sales: Schema.NonNegativeInt,
  blocked: Schema.NonNegativeInt,
  reason: Schema.NullOr(Schema.String)
})

/**
 * E-03: whether what is bought cannot be sold.
 *
 * Only `simulate_v1` decides, for it alone has accounts without code whose sale comes in a later block than their
 * purchase. The other methods run in one block from a contract: an anti-bot rule fails there and harms nobody, and a
 * token can let through exactly what looks like them. So where `simulate_v1` is not to be had the claim stays unknown,
 * whatever the others saw, and losing it can never turn one decision into the other.
 *
 * - Confirmed: two fresh accounts bought in two sizes, neither could sell, and the control token was sold.
 * - Refuted: at least one account bought, and all that bought could sell.
 * - Unknown: the control was not sold, nobody could buy, the accounts disagree, or a Uniswap V3 pool refused a token
 *   with a tax, as it does with all of them. Also where no known exchange has a pool with reserves: a trap whose pool
 *   was emptied must not look better than before.
 *
 * It does not apply where the address book knows no exchange, nor to what is no fungible token.
 *
 * @since 0.1.0
 * @category models
 */
export const honeypot = Check.make({
  id: "trade.honeypot",
  code: "E-03",
  version: 1,
  targets: ["token"],
  claim: "The token can be bought and not sold",
  polarity: "risk",
  severity: "critical",
  dimension: "exit",
  value: HoneypotValue,
  run: (target) =>
    Effect.gen(function* () {
      const pools = yield* Pools.Pools
      if (!pools.covered || !(yield* Tradeable.fungible(target.address))) return Check.notApplicable
      const trade = yield* Trade.Trade
      const traded = yield* trade.of(target.address)
      if (Option.isSome(traded)) return [judge(traded.value.value, traded.value.observation())]
      const none = yield* pools.of(target.address)
      return [
        Check.unknown("inconclusive", "no known exchange has a pool of it to sell into", {
          observation: none.observation()
        })
      ]
    })
})

const judge = (outcome: TradeOutcome, observation: Observation): Check.Verdict<typeof HoneypotValue.Type> => {
  const runs = outcome.runs.filter((run) => run.method === "simulate_v1")
  if (runs.length === 0) {
    const missing = outcome.unavailable.find((row) => row.method === "simulate_v1")
    return Check.unknown(
      missing?.reason ?? "inconclusive",
      `no simulation in blocks: ${missing?.detail ?? "not run"}${hint(outcome)}`,
      { observation }
    )
  }
  if (runs.some((run) => run.control === "failed")) {
    return Check.unknown("inconclusive", "a token known to be good could not be traded either", { observation })
  }
  const tried = runs.filter((run) => run.buy.state === "ok" && run.sell.state !== "not_reached")
  const blocked = tried.filter((run) => run.sell.state !== "ok")
  const reason = blocked.map((run) => run.sell.error).find((error) => error !== null) ?? null
  const value = { sales: tried.length, blocked: blocked.length, reason }
  if (tried.length === 0) {
    return Check.unknown("inconclusive", `nothing to sell: ${whyNot(runs)}`, { observation })
  }
  if (blocked.length === 0) {
    return Check.refuted({
      value,
      detail: `${tried.length} fresh accounts bought and sold${differing(outcome, "ok")}`,
      observation,
      at: outcome.pool
    })
  }
  if (blocked.some((run) => run.sell.state === "underpaid")) {
    return Check.unknown("inconclusive", "the pool takes no token that arrives with a tax; no other way was tried", {
      observation
    })
  }
  if (blocked.length < tried.length) {
    return Check.unknown("conflicting_sources", `${blocked.length} of ${tried.length} fresh accounts could not sell`, {
      observation
    })
  }
  if (tried.length < 2) {
    return Check.unknown("inconclusive", "only one account could buy, and it could not sell", { observation })
  }
  return runs.every((run) => run.control === "ok")
    ? Check.confirmed({
        value,
        detail: `${tried.length} fresh accounts bought and could not sell${reason === null ? "" : `: ${reason}`}${differing(outcome, "blocked")}`,
        observation,
        at: outcome.pool
      })
    : Check.unknown("inconclusive", "could not be sold, and no token known to be good is there to compare with", {
        observation
      })
}

const whyNot = (runs: ReadonlyArray<TradeRun>): string =>
  runs.map((run) => run.buy.error ?? run.sell.error).find((error) => error !== null) ?? "the purchase gave nothing"

const others = (outcome: TradeOutcome) =>
  outcome.runs.filter((run) => run.method !== "simulate_v1" && run.buy.state === "ok")

const sold = (runs: ReadonlyArray<TradeRun>) => runs.filter((run) => run.sell.state === "ok").length

const hint = (outcome: TradeOutcome): string => {
  const runs = others(outcome)
  return runs.length === 0 ? "" : `; ${sold(runs)} of ${runs.length} simulated contracts could sell at once`
}

const differing = (outcome: TradeOutcome, seen: "ok" | "blocked"): string => {
  const runs = others(outcome)
  const agreeing = seen === "ok" ? sold(runs) : runs.length - sold(runs)
  return agreeing === runs.length ? "" : hint(outcome)
}
