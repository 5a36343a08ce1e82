import { Effect, Either, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { Address } from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { Circumstance } from "../../evm/expression/Circumstance.js"
import * as Erc20 from "../../evm/token/Erc20.js"
import { Functions } from "../../facts/code/Functions.js"
import * as Check from "../Check.js"

/**
 * What of a transfer may be otherwise in every transaction, so that whatever trades were simulated, those of a buyer may
 * end differently.
 *
 * @since 0.1.0
 * @category models
 */
export const ofEachTrade: ReadonlySet<Circumstance> = new Set(["gas", "fees", "proposer", "chance", "code"])

/**
 * The same, with what other trades and other contracts change.
 *
 * @since 0.1.0
 * @category models
 */
export const ofAnyKind: ReadonlySet<Circumstance> = new Set([...ofEachTrade, "wealth", "answer"])

/**
 * What simulated trades refute of a token, unless its transfers decide by something that no simulation shows all sides of:
 * then it is unknown. What was confirmed stays so.
 *
 * @since 0.1.0
 * @category combinators
 */
export const settled = <V>(
  token: Address,
  kinds: ReadonlySet<Circumstance>,
  verdict: Check.Verdict<V>
): Effect.Effect<Check.Verdict<V>, never, Functions> => {
  if (verdict._tag !== "Refuted") return Effect.succeed(verdict)
  const observation = Option.getOrUndefined(verdict.observation)
  const undecided = (reason: UnknownReason, detail: string) => Check.unknown(reason, detail, { observation })
  return Effect.map(Effect.either(decisive(token)), (read) => {
    if (Either.isLeft(read))
      return undecided(read.left.reason, "trades are not all that decides, and the code that does could not be read")
    const met = [...kinds].filter((kind) => read.right.has(kind))
    return met.length === 0
      ? verdict
      : undecided(
          "inconclusive",
          `trades do not show all of it: a transfer also goes by ${met.map((kind) => words[kind]).join(", ")}`
        )
  })
}

/** What the transfers of a token decide by. */
const decisive = (token: Address): Effect.Effect<ReadonlySet<Circumstance>, ChainError, Functions> =>
  Effect.gen(function* () {
    const functions = yield* Functions
    const { value } = yield* functions.of(token)
    const transfers = value.logics.flatMap(({ flow }) =>
      Erc20.transfers.flatMap(({ selector }) => Erc20.functionOf(flow, selector) ?? [])
    )
    return new Set(transfers.flatMap(({ circumstances }) => circumstances ?? []))
  })

const words: { readonly [kind in Circumstance]: string } = {
  gas: "the gas that is left",
  fees: "what is paid for gas",
  proposer: "who proposes the block",
  chance: "chance",
  code: "what code an account has",
  wealth: "the ether of an account",
  answer: "what another contract answers"
}
