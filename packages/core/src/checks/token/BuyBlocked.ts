import { Effect, Schema } from "effect"
import type { Observation } from "../../domain/Evidence.js"
import type { TradeOutcome } from "../../domain/facts/TradeOutcome.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

/**
 * How many fresh accounts tried to buy, how many were refused, and who is: `everyone`; those who are not its owner, as
 * before a launch (`not_launched`); those who want more than a tiny amount (`over_a_size`); contracts (`contracts`);
 * null where nobody is, or where it was not shown. It is `complete` where all was tried that tells them apart: contracts,
 * and whether the pool can send to the owner; and where whoever was refused was told why.
 */
const BuyBlockedValue = Schema.Struct({
  complete: Schema.Boolean,
  purchases: Schema.NonNegativeInt,
  refused: Schema.NonNegativeInt,
  refuses: Schema.NullOr(Schema.Literal("everyone", "not_launched", "over_a_size", "contracts")),
  reason: Schema.NullOr(Schema.String)
})

/**
 * E-02: whether fresh accounts cannot buy the token.
 *
 * - Confirmed: every fresh account was refused a usual amount, in blocks as a person meets them, while the control token
 *   was traded. Its value tells a token that is not open yet, or limited to tiny amounts, from one that nobody can buy.
 * - Refuted: a fresh account bought. That larger amounts or contracts are refused is told in the value.
 * - Unknown: no simulation in blocks, no control to compare with, or no pool with reserves.
 *
 * It does not apply where the address book knows no exchange, nor to what is no fungible token.
 *
 * @since 0.1.0
 * @category models
 */
export const buyBlocked = Check.make({
  id: "trade.buy-blocked",
  code: "E-02",
  version: 2,
  targets: ["token"],
  claim: "Fresh accounts cannot buy the token",
  polarity: "risk",
  severity: "medium",
  dimension: "exit",
  value: BuyBlockedValue,
  run: (target) =>
    Tradeable.judged(target, "no known exchange has liquidity of it to buy", (reading) =>
      Effect.succeed(judge(reading.value, reading.observation()))
    )
})

const judge = (outcome: TradeOutcome, observation: Observation): Check.Verdict<typeof BuyBlockedValue.Type> => {
  const runs = Tradeable.ordinary(outcome)
  if (runs.length === 0) return Tradeable.notInBlocks(outcome, observation)
  const refused = runs.filter(({ buy }) => buy.state !== "ok")
  const reason = Tradeable.words(refused, "buy")
  const tried = outcome.runs.filter(
    ({ control, environment }) => environment.method !== "simulate_v1" && control !== "failed"
  )
  const complete = (["override", "constructor"] as const).every((method) =>
    tried.some(({ environment }) => environment.method === method && environment.begins === "now")
  )
  const value = { purchases: runs.length, refused: refused.length, reason }
  const said = reason === null ? "" : `: ${reason}`
  const at = outcome.pool
  if (refused.length < runs.length) {
    const contracts = tried.filter(({ buy }) => buy.state !== "ok")
    const refuses = refused.length > 0 ? "over_a_size" : contracts.length > 0 ? "contracts" : null
    return Check.refuted({
      value: { ...value, complete: refused.length === 0 ? complete : reason !== null, refuses },
      detail:
        refuses === null
          ? `${runs.length} fresh accounts bought`
          : refuses === "contracts"
            ? `${runs.length} fresh accounts bought; contracts could not`
            : `${runs.length - refused.length} of ${runs.length} fresh accounts bought, larger purchases were refused${said}`,
      observation,
      at
    })
  }
  // A balance that cannot be read, or a purchase that gave nothing, is no refusal; nor is one in a pool that has nothing.
  if (refused.some(({ buy }) => buy.state === "not_reached" || buy.state === "worthless")) {
    return Check.unknown("inconclusive", `a purchase could not be measured${said}`, { observation })
  }
  if (runs.some(({ control }) => control === "failed")) return Tradeable.noControl(observation)
  if (runs.some(({ control }) => control !== "ok")) {
    return Check.unknown("inconclusive", `could not be bought, and nothing known to be good is there to compare with`, {
      observation
    })
  }
  const tiny = outcome.runs.some(
    ({ buy, environment }) =>
      environment.method === "simulate_v1" && environment.sells === "at_once" && buy.state === "ok"
  )
  const refuses = tiny ? "over_a_size" : outcome.owner_receives === true ? "not_launched" : "everyone"
  const isKnown = tiny || outcome.owner_receives !== null
  return Check.confirmed({
    value: { ...value, complete: isKnown && reason !== null, refuses: isKnown ? refuses : null },
    detail: `${spoken[refuses]}${said}`,
    observation,
    at
  })
}

const spoken = {
  everyone: "no fresh account could buy",
  not_launched: "no fresh account could buy; the pool can send to the owner, as before a launch",
  over_a_size: "no fresh account could buy more than a tiny amount"
} as const
