/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { Reading } from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { Code } from "../code/Code.js"
import { WalletTransfers } from "./WalletTransfers.js"

/** How much a wallet has done, and between which blocks its history shows it. */
export class WalletActivity extends Context.Tag("@assay/core/WalletActivity")<
  WalletActivity,
  {
    readonly of: (wallet: Address) => Effect.Effect<Reading<Activity>, ChainError>
  }
>() {}

/**
 * The number of transactions that it sent (for a contract, of contracts that it made), and the oldest and newest block
 * in which a token moved from or to it. It may be older and may have done more since, also where `complete` says that
 * every block was searched: native coin leaves no event.
 */
export interface Activity {
  readonly nonce: number
  readonly seenFrom: Option.Option<number>
  readonly seenTo: Option.Option<number>
  readonly unread: Option.Option<ChainError>
  readonly complete: boolean
}

const make = Effect.gen(function* () {
  const code = yield* Code
  const transfers = yield* WalletTransfers
  const read = Effect.fn("WalletActivity.of")(function* (wallet: Address) {
    const { account, history } = yield* Together.all({
      account: code.of(wallet),
      history: Effect.either(transfers.of(wallet))
    })
    const lists = Either.isRight(history) ? [history.right.sent, history.right.received] : []
    const blocks = lists.flatMap(({ value }) => value.transfers.map(({ block }) => block))
    const bound = (choose: (a: number, b: number) => number) =>
      blocks.length === 0 ? Option.none() : Option.some(blocks.reduce((a, b) => choose(a, b)))
    const activity: Activity = {
      nonce: account.value.nonce,
      seenFrom: bound(Math.min),
      seenTo: bound(Math.max),
      unread: Either.getLeft(history),
      complete: lists.length > 0 && lists.every(({ value }) => value.complete)
    }
    const [decisive = account] = lists.filter(({ value }) => value.transfers.length > 0)
    return { value: activity, observation: (account.value.nonce > 0 ? account : decisive).observation }
  })
  return WalletActivity.of({ of: yield* OncePerKey.make((wallet: Address) => wallet, read) })
})

/** Reads nothing of its own: the account and its transfers, in their one level. */
export const layer: Layer.Layer<WalletActivity, never, Code | WalletTransfers> = Layer.scoped(WalletActivity, make)
