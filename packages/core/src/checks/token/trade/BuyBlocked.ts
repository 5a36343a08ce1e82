import { Effect, Option, Schema } from "effect"
import type { Observation } from "../../../domain/Evidence.js"
import type { TradeOutcome } from "../../../domain/facts/TradeOutcome.js"
import * as Check from "../../Check.js"
import * as Tradeable from "./Tradeable.js"

/**
 * How many fresh accounts tried to buy, how many failed (both null where the code alone decides), and which accounts
 * the token refuses: `everyone`; all but the owner, as before a launch (`not_launched`); purchases above a tiny amount
 * (`over_a_size`); contracts (`contracts`); null where it refuses none, or where the simulations do not show it.
 * `complete` is true where all simulations that distinguish these ran (contracts, and a transfer from the pool to the
 * owner), and failed purchases had an error message.
 */
const BuyBlockedValue = Schema.Struct({
  complete: Schema.Boolean,
  purchases: Schema.NullOr(Schema.NonNegativeInt),
  refused: Schema.NullOr(Schema.NonNegativeInt),
  refuses: Schema.NullOr(Schema.Literal("everyone", "not_launched", "over_a_size", "contracts")),
  reason: Schema.NullOr(Schema.String)
})

/**
 * E-02: whether fresh accounts cannot buy the token.
 *
 * - Confirmed: in block simulation, no fresh account could buy a usual amount, while the control token traded. The
 *   value separates a token before launch, or limited to tiny amounts, from one that no account can buy.
 * - Refuted: a fresh account bought. The value says whether larger amounts or contracts are refused. Also where the code
 *   proves that no rule of the token stops a transfer ({@link ProvenByCode}).
 * - Unknown: no block simulation, no control token, or no pool with reserves.
 *
 * Where the address book has no exchange, only the code can decide. It does not apply to non-fungible tokens.
 */
export const buyBlocked = Check.make({
  id: "trade.buy-blocked",
  code: "E-02",
  version: 3,
  targets: ["token"],
  claim: "Fresh accounts cannot buy the token",
  polarity: "risk",
  severity: "medium",
  dimension: "exit",
  value: BuyBlockedValue,
  run: (target) =>
    Tradeable.judged(target, {
      without: "no pool with liquidity found on the known exchanges",
      proven: {
        value: { complete: false, purchases: null, refused: null, refuses: null, reason: null },
        isExact: false
      },
      // Who refuses purchases may wait for a pool of his own.
      simulated: Option.none(),
      judge: (reading) => Effect.succeed(judge(reading.value, reading.observation()))
    })
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
  const said = Tradeable.quoted(reason)
  const at = outcome.pool
  if (refused.length < runs.length) {
    const contracts = tried.filter(({ buy }) => buy.state !== "ok")
    const refuses = refused.length > 0 ? "over_a_size" : contracts.length > 0 ? "contracts" : null
    return Check.refuted({
      value: { ...value, complete: refused.length === 0 ? complete : reason !== null, refuses },
      detail:
        refuses === null
          ? `${runs.length} of ${runs.length} fresh accounts bought`
          : refuses === "contracts"
            ? `${runs.length} of ${runs.length} fresh accounts bought; contracts could not buy`
            : `${runs.length - refused.length} of ${runs.length} fresh accounts bought; larger purchases failed${said}`,
      observation,
      at
    })
  }
  // An unreadable balance, a purchase of nothing, or a purchase in an empty pool is not a refusal.
  if (refused.some(({ buy }) => buy.state === "not_reached" || buy.state === "worthless")) {
    return Check.unknown("inconclusive", `the result of a purchase could not be measured${said}`, { observation })
  }
  if (runs.some(({ control }) => control === "failed")) return Tradeable.noControl(observation)
  if (runs.some(({ control }) => control !== "ok")) {
    return Check.unknown("inconclusive", "purchases failed, but there was no control token to compare with", {
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
  not_launched: "no fresh account could buy; the pool can transfer to the owner, as before a launch",
  over_a_size: "no fresh account could buy more than a tiny amount"
} as const
