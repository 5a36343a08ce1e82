import { Effect, Either, Option } from "effect"
import type { ChainError } from "../../../chain/ChainError.js"
import type { Address } from "../../../domain/Address.js"
import type { UnknownReason } from "../../../domain/Evidence.js"
import type { Circumstance } from "../../../evm/expression/Circumstance.js"
import * as TradeCircumstances from "../../../evm/token/TradeCircumstances.js"
import { Functions } from "../../../facts/code/Functions.js"
import { SettledFunctions } from "../../../facts/trade/SettledFunctions.js"
import { TradeMoments } from "../../../facts/trade/TradeMoments.js"
import * as Check from "../../Check.js"

/**
 * Conditions of a transfer that can differ in every transaction, so that a buyer's trade may end differently from any
 * simulated trade.
 */
export const ofEachTrade: ReadonlySet<Circumstance> = new Set(["gas", "fees", "proposer", "chance", "code"])

/**
 * The same conditions, and those that other trades and other contracts change, though they may decide nothing, such as
 * how much of its own tokens the contract swaps.
 */
export const ofAnyKind: ReadonlySet<Circumstance> = new Set([...ofEachTrade, "wealth", "answer"])

/**
 * Turns a refuted verdict of simulated trades into unknown where the token's transfers depend on a condition that
 * simulation cannot cover, or may change at a moment that was not simulated. Other verdicts stay the same.
 */
export const settled = <V>(
  token: Address,
  kinds: ReadonlySet<Circumstance>,
  verdict: Check.Verdict<V>
): Effect.Effect<Check.Verdict<V>, never, Functions | SettledFunctions | TradeMoments> =>
  Effect.flatMap(settledNow(token, kinds, verdict), (now) =>
    now._tag === "Refuted" ? settledLater(token, now) : Effect.succeed(now)
  )

/** Turns a verdict into unknown where trades may change at a moment that was not simulated. */
export const settledLater = <V>(
  token: Address,
  verdict: Check.Decided<V>
): Effect.Effect<Check.Verdict<V>, never, TradeMoments> =>
  Effect.gen(function* () {
    const moments = yield* TradeMoments
    const observation = Option.getOrUndefined(verdict.observation)
    return Either.match(yield* Effect.either(moments.of(token)), {
      onLeft: ({ reason }): Check.Verdict<V> =>
        Check.unknown(reason, "the moments at which trades may change could not be read", { observation }),
      onRight: ({ gap }) =>
        Option.match(gap, {
          onNone: () => verdict,
          onSome: (detail) => Check.unknown("inconclusive", detail, { observation })
        })
    })
  })

const settledNow = <V>(
  token: Address,
  kinds: ReadonlySet<Circumstance>,
  verdict: Check.Verdict<V>
): Effect.Effect<Check.Verdict<V>, never, Functions | SettledFunctions> => {
  if (verdict._tag !== "Refuted") return Effect.succeed(verdict)
  const observation = Option.getOrUndefined(verdict.observation)
  const undecided = (reason: UnknownReason, detail: string) => Check.unknown(reason, detail, { observation })
  const metBy = ({ any, deciding }: TradeCircumstances.TradeCircumstances): ReadonlyArray<Circumstance> => [
    ...new Set([...[...kinds].filter((kind) => any.has(kind)), ...deciding])
  ]
  const read = Effect.flatMap(decisive(token), (found) =>
    metBy(found).length === 0 ? Effect.succeed([]) : Effect.map(decisiveForGood(token), metBy)
  )
  return Effect.map(Effect.either(read), (read) => {
    if (Either.isLeft(read))
      return undecided(
        read.left.reason,
        "the trades succeeded, but the code that may treat other trades differently could not be read"
      )
    const met = read.right
    return met.length === 0
      ? verdict
      : undecided(
          "inconclusive",
          `simulated trades do not cover all cases: trades also depend on ${met.map((kind) => words[kind]).join(", ")}`
        )
  })
}

/** The conditions that the trades of a token depend on. */
const decisive = (token: Address): Effect.Effect<TradeCircumstances.TradeCircumstances, ChainError, Functions> =>
  Effect.gen(function* () {
    const { value } = yield* (yield* Functions).of(token)
    return union(value.logics.map(({ flow }) => TradeCircumstances.of(flow)))
  })

/** The same, without what only a caller who is gone, or a variable that nobody can set any more, could bring about. */
const decisiveForGood = (
  token: Address
): Effect.Effect<TradeCircumstances.TradeCircumstances, ChainError, SettledFunctions> =>
  Effect.gen(function* () {
    const settled = yield* (yield* SettledFunctions).of(token)
    return union(settled.map(({ flow, functionOf }) => TradeCircumstances.of(flow, functionOf)))
  })

const union = (each: ReadonlyArray<TradeCircumstances.TradeCircumstances>): TradeCircumstances.TradeCircumstances => ({
  any: new Set(each.flatMap(({ any }) => [...any])),
  deciding: new Set(each.flatMap(({ deciding }) => [...deciding]))
})

const words: { readonly [kind in Circumstance]: string } = {
  gas: "the remaining gas",
  fees: "the gas price",
  proposer: "the block proposer",
  chance: "block randomness",
  code: "the code of an account",
  wealth: "the native balance of an account",
  holding: "how many tokens an account holds that takes no part",
  answer: "the return value of another contract"
}
