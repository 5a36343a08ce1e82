/** @internal */

import { Array as Arrays, Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { type CallOutcome, ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import * as SceneSeed from "../../domain/SceneSeed.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions } from "../code/Functions.js"
import * as Getter from "../Getter.js"
import * as NativeToken from "../native/NativeToken.js"
import { transferData } from "../trade/RouterCalls.js"
import * as TradeScene from "../trade/TradeScene.js"
import { Portfolio } from "./Portfolio.js"
import { type Transfer, type TransferHistory, WalletTransfers } from "./WalletTransfers.js"

/**
 * Whether tokens that a wallet holds let it transfer them, by one simulated transfer of a small part of each balance to an
 * account without history. Tried are listed tokens and those that the wallet acquired in a transaction of its own: what
 * others sent to it may be spam.
 */
export class HeldTransfers extends Context.Tag("@assay/core/HeldTransfers")<
  HeldTransfers,
  {
    readonly of: (wallet: Address.Address) => Effect.Effect<TriedTransfers>
  }
>() {}

/**
 * The transfers that were tried. `left` counts the tokens beyond the first twenty. `unread` is why there may be other tokens, or
 * why transfers were not tried; none where all were.
 */
export interface TriedTransfers {
  readonly tried: ReadonlyArray<TriedTransfer>
  readonly left: number
  readonly unread: Option.Option<Pick<ChainError, "reason" | "detail">>
}

/**
 * One transfer. `moved`: the token accepted it. `refused`: it failed, returned false, or credited nothing; `refused_to_wallet`:
 * and the token accepted the same transfer of another holder; `forbidden`: and the chain implements the token, with a transfer
 * policy that does not let the wallet send.
 */
export interface TriedTransfer {
  readonly token: Address.Address
  readonly symbol: Option.Option<string>
  readonly outcome: "moved" | "refused" | "refused_to_wallet" | "forbidden"
  readonly observation: Reading<unknown>["observation"]
}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const portfolio = yield* Portfolio
  const transfers = yield* WalletTransfers
  const functions = yield* Functions
  const flows = yield* CodeReadings

  /** The tokens that the wallet received in transactions of its own. */
  const acquired = (wallet: Address.Address, { received }: TransferHistory) =>
    Effect.gen(function* () {
      const coins = Arrays.dedupeWith(
        received.value.transfers.filter(({ amount }) => Option.exists(amount, (units) => units > 0n)),
        (a, b) => a.token === b.token && a.transaction === b.transaction
      )
      const newest = Object.values(Arrays.groupBy(coins, ({ token }) => token)).flatMap((each) =>
        each.slice(0, receiptsOfToken)
      )
      const read = yield* Together.forEach(newest.slice(0, mostReceipts), ({ token, transaction }) =>
        Effect.map(Effect.either(state.receipt(transaction)), (receipt) => ({ receipt, token }))
      )
      const own = read.flatMap(({ receipt, token }) =>
        Either.isRight(receipt) && Option.exists(receipt.right.value, ({ from }) => from === wallet) ? [token] : []
      )
      const lost = read.flatMap(({ receipt }) => (Either.isLeft(receipt) ? [receipt.left] : []))
      const isCut = newest.length > mostReceipts || !received.value.complete
      return {
        tokens: Arrays.dedupe(own),
        unread: Option.orElse(Option.fromNullable(lost[0]), () => (isCut ? Option.some(notSearched) : Option.none()))
      }
    })

  const held = (wallet: Address.Address) =>
    Effect.gen(function* () {
      const [assets, history] = yield* Together.all([
        Effect.either(portfolio.of(wallet)),
        Effect.either(transfers.of(wallet))
      ])
      const own = Either.isRight(history)
        ? yield* acquired(wallet, history.right)
        : { tokens: [], unread: Option.some(history.left) }
      const listed = Either.match(assets, {
        onLeft: () => [],
        onRight: ({ value }) =>
          value.holdings.flatMap(({ address, balance, symbol }) =>
            symbol === null ? [] : [{ token: address, symbol: Option.some(symbol), balance: BigInt(balance) }]
          )
      })
      const others = own.tokens.filter((token) => !listed.some((entry) => entry.token === token))
      const balances = yield* Effect.either(
        BatchRead.all(
          state,
          others.map((token) => BatchRead.balanceOf(token, wallet)),
          { readsPerCall: BatchRead.hostileReads }
        )
      )
      const found = Either.isLeft(balances)
        ? []
        : others.flatMap((token, place) => {
            const [balance = 0n] = balances.right.value[place] ?? []
            return balance === 0n ? [] : [{ token, symbol: Option.none<string>(), balance }]
          })
      const all: ReadonlyArray<Held> = [...listed, ...found].map((each) => ({
        ...each,
        other: Option.flatMap(Either.getRight(history), (read) => otherHolder(read, wallet, each.token))
      }))
      return {
        all,
        unread: Option.firstSomeOf<Pick<ChainError, "reason" | "detail">>([
          Either.getLeft(assets),
          own.unread,
          others.length === 0 ? Option.none() : Either.getLeft(balances)
        ])
      }
    })

  /** An account that nobody has dealt with, so that no rule of a token knows it: another one for each sender. */
  const strangerTo = (sender: Address.Address): Address.Address =>
    TradeScene.accountOf(state.block, sender, SceneSeed.accounts.buyer)

  /** What a token does with the transfer of the wallet, and with that of another holder where there is one. */
  const simulated = (wallet: Address.Address, all: ReadonlyArray<Held>) => {
    const senders = all.flatMap((each) => [...Option.toArray(each.other), wallet].map((from) => ({ each, from })))
    const calls = senders.flatMap(({ each: { balance, token }, from }) => {
      const to = strangerTo(from)
      const shown = { from: to, to: token, gas, data: Getter.calldata(balanceOf, [Getter.word(to)]) }
      return [shown, { from, to: token, gas, data: transferData(to, partOf(balance)) }, shown]
    })
    return Effect.map(state.simulate({ blocks: [{ calls }] }), ({ observation, value: [found = []] }) => {
      const accepted = senders.map((sender, place) => {
        const [before, moved, after] = found.slice(3 * place, 3 * place + 3)
        const isMoved =
          moved !== undefined && isAccepted(moved.outcome) && amountIn(after?.outcome) > amountIn(before?.outcome)
        return { ...sender, isMoved }
      })
      return all.map((each) => {
        const isBy = (isOwn: boolean): boolean =>
          accepted.some((one) => one.each === each && one.isMoved && (one.from === wallet) === isOwn)
        return { each, byOther: isBy(false), byWallet: isBy(true), observation }
      })
    })
  }

  /** The same where no endpoint simulates; whether something arrived is not seen. */
  const called = (wallet: Address.Address, all: ReadonlyArray<Held>) =>
    Together.forEach(all, (each) => {
      const by = (from: Address.Address) =>
        state.call({ from, to: each.token, gas, data: transferData(strangerTo(from), partOf(each.balance)) })
      return Effect.map(
        Together.all([by(wallet), Together.forEach(Option.toArray(each.other), by)]),
        ([own, others]) => ({
          each,
          byWallet: isAccepted(own.value),
          byOther: others.some(({ value }) => isAccepted(value)),
          observation: own.observation
        })
      )
    })

  /** Whether the code of a token moves a balance in `transfer` at all: debts and votes are no assets to send. */
  const isMovable = (token: Address.Address): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      const resolved = yield* Effect.either(functions.of(token))
      if (Either.isLeft(resolved) || !resolved.right.value.resolved) return true
      const found = yield* Effect.forEach(resolved.right.value.logics, ({ code }) => flows.of(code))
      return found.some(
        (flow) =>
          flow.completeness.gaps.includes("control_flow") ||
          flow.functions.some(
            ({ calls, selector, writes }) =>
              (selector === transfer || selector === "fallback") && writes.length + calls.length > 0
          )
      )
    })

  /** The read that shows that the transfer policy of a token of the chain itself does not let the wallet send. */
  const forbidding = (
    wallet: Address.Address,
    token: Address.Address
  ): Effect.Effect<Option.Option<Reading<unknown>["observation"]>> =>
    Effect.match(NativeToken.admits(state, token, wallet), {
      onFailure: () => Option.none(),
      onSuccess: Option.filterMap(({ observation, value: { sends } }) =>
        sends ? Option.none() : Option.some(observation)
      )
    })

  const read = Effect.fn("HeldTransfers.of")(function* (wallet: Address.Address) {
    const { all, unread } = yield* held(wallet)
    const first = all.slice(0, mostTried)
    if (first.length === 0) return { tried: [], left: 0, unread }
    const found = yield* Effect.either(
      Effect.catchIf(
        simulated(wallet, first),
        ({ reason }) => reason === "method_unsupported",
        () => called(wallet, first)
      )
    )
    if (Either.isLeft(found)) return { tried: [], left: all.length, unread: Option.some(found.left) }
    const tried = yield* Together.forEach(found.right, ({ byOther, byWallet, each, observation }) =>
      Effect.map(
        Together.all([
          byWallet || byOther ? Effect.succeed(true) : isMovable(each.token),
          byWallet ? Effect.succeedNone : forbidding(wallet, each.token)
        ]),
        ([movable, forbidden]): ReadonlyArray<TriedTransfer> => {
          const common = { token: each.token, symbol: each.symbol }
          if (Option.isSome(forbidden)) return [{ ...common, outcome: "forbidden", observation: forbidden.value }]
          const outcome = byWallet ? "moved" : byOther ? "refused_to_wallet" : "refused"
          return movable ? [{ ...common, outcome, observation }] : []
        }
      )
    )
    return { tried: tried.flat(), left: all.length - first.length, unread }
  })

  return HeldTransfers.of({ of: yield* OncePerKey.make((wallet: Address.Address) => wallet, read) })
})

/**
 * Reads who signed the transactions by which tokens came, and simulates one transfer of each token that counts, all in one
 * request: two levels after the portfolio.
 */
export const layer: Layer.Layer<
  HeldTransfers,
  never,
  ChainState | CodeReadings | Functions | Portfolio | WalletTransfers
> = Layer.scoped(HeldTransfers, make)

// Listed ones first, then the newest.
const mostTried = 20

interface Held {
  readonly token: Address.Address
  readonly symbol: Option.Option<string>
  readonly balance: bigint
  readonly other: Option.Option<Address.Address>
}

const { balanceOf, transfer } = Selectors.functions

// Little enough for limits of an amount, and for other holders to have.
const parts = 100n

const gas = 300_000n

// One token may have come as spam before it was bought, or after.
const receiptsOfToken = 2

const mostReceipts = 60

const notSearched = { reason: "log_range_limited", detail: "not all received tokens were looked at" } as const

// In units: a hundredth, or one.
const partOf = (balance: bigint): bigint => (balance / parts > 0n ? balance / parts : 1n)

/** Another account that dealt with the wallet in a token, and so may hold some. */
const otherHolder = (
  { received, sent }: TransferHistory,
  wallet: Address.Address,
  token: Address.Address
): Option.Option<Address.Address> => {
  const isOther = (each: Transfer): boolean =>
    each.token === token && each.counterparty !== wallet && each.counterparty !== Address.zero
  return Option.map(
    Option.fromNullable(received.value.transfers.find(isOther) ?? sent.value.transfers.find(isOther)),
    ({ counterparty }) => counterparty
  )
}

/** Tokens that return nothing accept what they do not refuse: https://eips.ethereum.org/EIPS/eip-20 */
const isAccepted = (outcome: CallOutcome): boolean =>
  outcome._tag === "Returned" && (outcome.data === "0x" || Option.getOrElse(Getter.bool(outcome.data), () => false))

const amountIn = (outcome: CallOutcome | undefined): bigint =>
  outcome?._tag === "Returned" ? Option.getOrElse(Getter.uint(outcome.data), () => 0n) : 0n
