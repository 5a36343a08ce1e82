/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"
import { type Transfer, WalletTransfers } from "./WalletTransfers.js"

/**
 * Counterparties in a wallet's history that imitate others, so that the owner copies the wrong address from it.
 *
 * @see https://arxiv.org/abs/2501.16681
 */
export class Poisoning extends Context.Tag("@assay/core/Poisoning")<
  Poisoning,
  {
    readonly of: (wallet: Address.Address) => Effect.Effect<Reading<PoisonedHistory>, ChainError>
  }
>() {}

/**
 * The look-alikes that were found, newest first; a lower bound unless `complete`. `unread` is why one could not be
 * decided.
 */
export interface PoisonedHistory {
  readonly twins: ReadonlyArray<Twin>
  readonly unread: Option.Option<ChainError>
  readonly complete: boolean
}

/**
 * An address that looks like `original`, an earlier counterparty of the wallet, and that never moved anything of value:
 * only transfers of zero (`zero_value`), less than a thousandth of what `original` moved in the same token (`dust`), or
 * a token that imitates the one that `original` moved (`counterfeit`).
 */
export interface Twin {
  readonly address: Address.Address
  readonly original: Address.Address
  readonly form: "zero_value" | "dust" | "counterfeit"
  readonly token: Address.Address
  readonly block: number
}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const transfers = yield* WalletTransfers
  const symbolOf = (token: Address.Address) =>
    Effect.map(Getter.read(state, token, Selectors.functions.symbol, Getter.text), ({ value }) =>
      Option.map(value, (symbol) => symbol.normalize("NFKC").toLowerCase())
    )
  /**
   * The transactions that the wallet signed itself, of those by which something left it: nobody else can plant such a one.
   * `lost` are those who got something of which that could not be read.
   */
  const signedBy = (wallet: Address.Address, sent: ReadonlyArray<Transfer>) =>
    Effect.map(
      Together.forEach(sent.slice(0, mostSent), ({ counterparty, transaction }) =>
        Effect.map(Effect.either(state.receipt(transaction)), (receipt) => ({ counterparty, receipt, transaction }))
      ),
      (found) => ({
        own: new Set(
          found.flatMap(({ receipt, transaction }) =>
            Either.isRight(receipt) && Option.exists(receipt.right.value, ({ from }) => from === wallet)
              ? [transaction]
              : []
          )
        ),
        lost: new Set(found.flatMap(({ counterparty, receipt }) => (Either.isLeft(receipt) ? [counterparty] : []))),
        error: Option.fromNullable(found.flatMap(({ receipt }) => (Either.isLeft(receipt) ? [receipt.left] : []))[0])
      })
    )
  const isCounterfeit = ({ copies, genuine }: LookAlike) =>
    Effect.map(
      Together.all([Together.forEach(copies, symbolOf), Together.forEach(genuine, symbolOf)]),
      ([pretended, real]) =>
        pretended.some((copy) =>
          real.some((symbol) => Option.getOrElse(Option.zipWith(copy, symbol, looksLike), () => false))
        )
    )
  const read = Effect.fn("Poisoning.of")(function* (wallet: Address.Address) {
    const { received, sent } = yield* transfers.of(wallet)
    const all = [...sent.value.transfers, ...received.value.transfers]
    const suspects = new Set(lookAlikes(all, wallet, new Set()).map(({ twin }) => twin.address))
    const moved = yield* signedBy(
      wallet,
      sent.value.transfers.filter(
        ({ amount, counterparty }) => suspects.has(counterparty) && Option.exists(amount, (units) => units > 0n)
      )
    )
    const pairs = lookAlikes(all, wallet, moved.own)
    const judged = yield* Together.forEach(pairs.slice(0, mostTwins), (pair) =>
      Effect.either(
        moved.lost.has(pair.twin.address)
          ? Option.match(moved.error, { onNone: () => Effect.succeed([]), onSome: Effect.fail })
          : Effect.map(pair.copies.length === 0 ? Effect.succeed(true) : isCounterfeit(pair), (isTwin) =>
              isTwin ? [pair.twin] : []
            )
      )
    )
    const twins = judged.flatMap((each) => (Either.isRight(each) ? each.right : []))
    const history: PoisonedHistory = {
      twins,
      unread: Option.map(Option.fromNullable(judged.find(Either.isLeft)), ({ left }) => left),
      complete: sent.value.complete && received.value.complete && pairs.length <= mostTwins
    }
    const isSent = twins.some((twin) =>
      sent.value.transfers.some(({ block, counterparty }) => counterparty === twin.address && block === twin.block)
    )
    return { value: history, observation: isSent ? sent.observation : received.observation }
  })
  return Poisoning.of({ of: yield* OncePerKey.make((wallet: Address.Address) => wallet, read) })
})

/** Compares the counterparties of the history, and reads symbols of tokens where they decide: in one more level. */
export const layer: Layer.Layer<Poisoning, never, ChainState | WalletTransfers> = Layer.scoped(Poisoning, make)

/**
 * A look-alike and its original. If there are `copies`, it counts only if one of them has the symbol of a token of
 * `genuine`.
 */
interface LookAlike {
  readonly twin: Twin
  readonly copies: ReadonlyArray<Address.Address>
  readonly genuine: ReadonlyArray<Address.Address>
}

// So many digits of an address are shown by wallets that shorten it, at its beginning and at its end.
const shown = 3

// More of one look are not needed to show that they are made on purpose. The oldest are kept: the original is among
// them.
const mostOfALook = 16

const mostTwins = 32

const mostTokens = 4

// One of each look-alike decides; a wallet that pays one often signs all of it.
const mostSent = 64

// What is less than this part of what the original moved is only there to be seen.
const worth = 1_000n

/** Letters of other scripts can be drawn like any letter of ours, and a genuine symbol seldom has one. */
const looksLike = (copy: string, genuine: string): boolean => {
  const [drawn, meant] = [[...copy], [...genuine]]
  return drawn.length === meant.length && drawn.every((letter, place) => letter === meant[place] || letter > "\u007f")
}

const lookOf = (address: Address.Address): string => {
  const digits = address.slice(2).toLowerCase()
  return digits.slice(0, shown) + digits.slice(-shown)
}

interface Counterparty {
  readonly address: Address.Address
  /** Newest first. */
  readonly transfers: Array<Transfer>
  since: number
}

/** `own` are the transactions of the wallet itself: transfers in those were not planted by others. */
const lookAlikes = (
  all: ReadonlyArray<Transfer>,
  wallet: Address.Address,
  own: ReadonlySet<Hex>
): ReadonlyArray<LookAlike> => {
  const counterparties = new Map<Address.Address, Counterparty>()
  for (const transfer of all) {
    const address = transfer.counterparty
    if (address === wallet || address === Address.zero) continue
    const known = counterparties.get(address)
    if (known === undefined) counterparties.set(address, { address, transfers: [transfer], since: transfer.block })
    else {
      known.transfers.push(transfer)
      known.since = Math.min(known.since, transfer.block)
    }
  }
  const looks = new Map<string, Array<Counterparty>>()
  for (const counterparty of counterparties.values()) {
    const look = lookOf(counterparty.address)
    const known = looks.get(look)
    if (known === undefined) looks.set(look, [counterparty])
    else known.push(counterparty)
  }
  return [...looks.values()]
    .flatMap((alike) => {
      const oldest = alike.sort((a, b) => a.since - b.since || byAddress(a, b)).slice(0, mostOfALook)
      return oldest.flatMap((later, place) => {
        const before = oldest.slice(0, place)
        return [
          ...before.flatMap((earlier) => Option.toArray(lookAlike(later, earlier, own))).slice(0, 1),
          ...before.flatMap((earlier) => Option.toArray(planted(earlier, later, own)))
        ]
      })
    })
    .filter(({ twin }, place, pairs) => pairs.findIndex((other) => other.twin.address === twin.address) === place)
    .sort((a, b) => b.twin.block - a.twin.block || byAddress(a.twin, b.twin))
}

const byAddress = (a: { readonly address: string }, b: { readonly address: string }): number =>
  a.address < b.address ? -1 : a.address > b.address ? 1 : 0

/**
 * An imitation that came before its original, as where the original was paid in native coin until then. It only made
 * transfers of zero; a small amount before a large one may be the owner's own trial.
 */
const planted = (earlier: Counterparty, later: Counterparty, own: ReadonlySet<Hex>): Option.Option<LookAlike> =>
  earlier.transfers.every(({ amount }) => Option.contains(amount, 0n)) ? lookAlike(earlier, later, own) : Option.none()

const lookAlike = (later: Counterparty, earlier: Counterparty, own: ReadonlySet<Hex>): Option.Option<LookAlike> => {
  const largest = new Map<Address.Address, bigint>()
  for (const { amount, token } of earlier.transfers) {
    const moved = Option.getOrElse(amount, () => 0n)
    if (moved > (largest.get(token) ?? 0n)) largest.set(token, moved)
  }
  if (largest.size === 0) return Option.none()
  const amounts = new Set(largest.values())
  const found = later.transfers.flatMap(({ amount, block, token, transaction }) => {
    if (Option.isNone(amount) || (amount.value > 0n && own.has(transaction))) return []
    const genuine = largest.get(token)
    const form: Twin["form"] | undefined =
      amount.value === 0n
        ? "zero_value"
        : genuine === undefined
          ? "counterfeit"
          : amount.value * worth <= genuine
            ? "dust"
            : undefined
    // A strange token that moved the very amount that the original did was made for this.
    const isShown = form !== "counterfeit" || amounts.has(amount.value)
    return form === undefined ? [] : [{ form, token, block, isShown }]
  })
  const told = found.find(({ isShown }) => isShown) ?? found[0]
  if (told === undefined) return Option.none()
  const { block, form, isShown, token } = told
  return Option.some({
    twin: { address: later.address, original: earlier.address, form, token, block },
    copies: isShown ? [] : [...new Set(found.map((each) => each.token))].slice(0, mostTokens),
    genuine: [...largest.keys()].slice(0, mostTokens)
  })
}
