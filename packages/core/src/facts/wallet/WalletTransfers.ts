/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState, type Log, type LogScan } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"

/**
 * The events by which tokens said that they moved from or to a wallet. Any contract can say so of any wallet: an event
 * shows what a history displays, not what the wallet did.
 */
export class WalletTransfers extends Context.Tag("@assay/core/WalletTransfers")<
  WalletTransfers,
  {
    readonly of: (wallet: Address) => Effect.Effect<TransferHistory, ChainError>
  }
>() {}

/** Sent and received transfers, each newest first. `complete` says of each that every block was searched. */
export interface TransferHistory {
  readonly sent: Reading.Reading<TransferList>
  readonly received: Reading.Reading<TransferList>
}

/** The transfers of one direction in `fromBlock` to `toBlock`. */
export interface TransferList {
  readonly transfers: ReadonlyArray<Transfer>
  readonly fromBlock: number
  readonly toBlock: number
  readonly complete: boolean
}

/** One transfer. `amount` is none of a transfer that names an item of a collection instead. */
export interface Transfer {
  readonly token: Address
  readonly counterparty: Address
  readonly amount: Option.Option<bigint>
  readonly block: number
  readonly transaction: Hex
}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const read = Effect.fn("WalletTransfers.of")(function* (wallet: Address) {
    const { Transfer } = Selectors.topics
    return yield* Together.all({
      sent: Effect.map(state.logs({ topics: [Transfer, Getter.word(wallet)] }), (scan) => Reading.map(scan, listed(2))),
      received: Effect.map(state.logs({ topics: [Transfer, null, Getter.word(wallet)] }), (scan) =>
        Reading.map(scan, listed(1))
      )
    })
  })
  return WalletTransfers.of({ of: yield* OncePerKey.make((wallet: Address) => wallet, read) })
})

/** Scans for both directions in one level. */
export const layer: Layer.Layer<WalletTransfers, never, ChainState> = Layer.scoped(WalletTransfers, make)

const listed =
  (place: 1 | 2) =>
  ({ complete, fromBlock, logs, toBlock }: LogScan): TransferList => ({
    transfers: logs
      .flatMap((log) => Option.toArray(transfer(log, place)))
      .reverse()
      .slice(0, mostTransfers),
    fromBlock,
    toBlock,
    complete: complete && logs.length <= mostTransfers
  })

const transfer = (
  { address, blockNumber, data, topics, transactionHash }: Log,
  place: 1 | 2
): Option.Option<Transfer> =>
  Option.map(Option.flatMap(Option.fromNullable(topics[place]), Getter.addressOfWord), (counterparty) => ({
    token: address,
    counterparty,
    amount: topics.length === 3 ? Getter.uint(data) : Option.none(),
    block: blockNumber,
    transaction: transactionHash
  }))

// Some wallets have millions; the newest are looked at.
const mostTransfers = 20_000
