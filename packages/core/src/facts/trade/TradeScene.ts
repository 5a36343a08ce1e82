/** @internal */

import * as BlockUse from "../../chain/state/BlockUse.js"
import type { BlockOverride, ChainState } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import type { BlockRef } from "../../domain/BlockRef.js"
import type { Hex } from "../../domain/Hex.js"
import * as SceneSeed from "../../domain/SceneSeed.js"

/**
 * What simulated trades of one token pretend, the same for the same block and token, so that the same analysis gives
 * the same bytes.
 */
export interface TradeScene {
  /** A fresh account without a known private key. Even ones begin with a low digit, odd ones with a high one. */
  readonly account: (index: number) => Address.Address
  /** Fields of a block that begins some seconds after the pinned one, as a proposer would fill them in. */
  readonly block: (seconds: number) => BlockOverride
  /** The same without a base fee and a fee recipient, as simulations leave them. */
  readonly blockWithoutFees: (seconds: number) => BlockOverride
}

/** The scene of a token at the pinned block. */
export const make = ({ block }: Pick<ChainState["Type"], "block">, token: Address.Address): TradeScene => {
  const account = (index: number): Address.Address => accountOf(block, token, index)
  const feeRecipient = account(SceneSeed.accounts.feeRecipient)
  const prevRandao = (seconds: number): Hex =>
    BlockUse.derive(block, `random ${seconds}`, (blockHash) => SceneSeed.prevRandao({ blockHash }, seconds))
  const timeAt = (seconds: number): number => BlockUse.secondsAfter(block, seconds)
  return {
    account,
    block: (seconds) => ({ feeRecipient, baseFeePerGas, prevRandao: prevRandao(seconds), time: timeAt(seconds) }),
    blockWithoutFees: (seconds) => ({
      feeRecipient: Address.zero,
      baseFeePerGas: 0n,
      prevRandao: prevRandao(seconds),
      time: timeAt(seconds)
    })
  }
}

/** An account of the scene of a token. */
export const accountOf = (block: BlockRef, token: Address.Address, index: number): Address.Address =>
  Address.checksum(
    BlockUse.derive(block, `account ${token} ${index}`, (blockHash) => SceneSeed.account({ token, blockHash }, index))
  )

/** Storage words of an account of the scene, by slots that follow from the account. */
export const wordsOf = (
  block: BlockRef,
  token: Address.Address,
  index: number,
  of: (account: Address.Address) => { readonly [slot: string]: Hex }
): { readonly [slot: string]: Hex } =>
  Object.fromEntries(
    Object.values(of(accountOf(block, token, index))).map((word, place) => {
      const slotAt = (blockHash: Hex) => Object.keys(of(SceneSeed.account({ token, blockHash }, index)))[place] as Hex
      return [BlockUse.derive(block, `slot ${place} of account ${token} ${index}`, slotAt), word] as const
    })
  )

/** The gas price of a transaction, in wei. Tokens that read it do so to recognise simulations, where it is zero. */
export const gasPrice = 2_000_000_000n

const baseFeePerGas = 1_000_000_000n

/** What an account owns that is to spend some native coin, in wei: enough for the gas, and no round number. */
export const purse = (owner: Hex, spends: bigint): bigint => 2n * spends + 10n ** 18n + SceneSeed.tailOf(owner)

/**
 * The same of an account that has hardly more than its trades and their gas take, as most people do: a token can read a
 * seller's ether balance, and simulated sellers are often rich.
 */
export const smallPurse = (owner: Hex, spends: bigint): bigint => spends + 5n * 10n ** 16n + SceneSeed.tailOf(owner)

/**
 * Bounds of gas: of a trade's leg, which routers and taxes that are swapped at once stay far below, of one through a hook, which
 * may have a walk over all ticks to do, of a plain call, and of a call that does all legs, which has to stay below 2^24.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7825
 */
export const gas = {
  leg: 2_000_000n,
  hooked: 8_000_000n,
  plain: 1_000_000n,
  view: 300_000n,
  trip: 15_000_000n
} as const

/**
 * How much is traded, in millionths of the pool's quote side: what no limit forbids, what hardly moves the price, ten times
 * that, and what those buy who then are among the largest holders.
 */
export const sizes = { tiny: 10n, small: 1_000n, large: 10_000n, huge: 100_000n } as const

/** Seconds of a day, a month and a year, by which a trap may be delayed. */
export const delays = { hour: 3_600, day: 86_400, month: 30 * 86_400, year: 365 * 86_400 } as const

/**
 * How many blocks there are in some seconds where one takes two; chains with slower blocks are looked at further ahead.
 */
export const blocksIn = (seconds: number): number => Math.floor(seconds / 2)
