/** @internal */

import { Option } from "effect"
import * as Code from "../../data/TradeSimulator.js"
import { checksum } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import { Opcodes } from "../../evm/bytecode/Opcodes.js"
import type * as JsonRpc from "../rpc/JsonRpc.js"
import * as RpcValue from "../rpc/RpcValue.js"
import type { CallRequest } from "./ChainState.js"

const zero = checksum(`0x${"0".repeat(40)}`)

// The last 20 bytes of the Keccak-256 of "assay slot lens" and of "assay slot readers": nobody has their keys.
const slotLens = checksum("0x496eaE67Da46D5efceCbae40e7FD67E0b1BeC490")
const slotReaders = checksum("0x38f7c44B4BE0243cF0fF951aeFA0c6398bbC9722")

// As much as the other calls of many reads are given.
const gas = 15_000_000n

/** A plain read that can be answered beside others in one `eth_call`. */
export type LensRead =
  | { readonly kind: "code" | "balance"; readonly account: Hex }
  | { readonly kind: "call"; readonly account: Hex; readonly data: Hex }
  | { readonly kind: "slot"; readonly account: Hex; readonly slot: Hex }

/**
 * Whether a lens can answer a read: precompiles are read by plain calls, and so is the zero address, where the lens has
 * its code.
 */
export const isReadable = (read: LensRead): boolean =>
  /^0x[0-9a-f]{40}$/i.test(read.account) &&
  BigInt(read.account) > lastPrecompile &&
  (read.kind !== "call" || (read.data.length - 2) / 2 <= longestData)

// Chains have precompiles of their own up to here, Moonbeam and Arbitrum for two.
const lastPrecompile = 0xffffn

const longestData = 255

/**
 * The `eth_call` that answers reads of code, balances and calls. The lens is called by the zero address and is the code
 * of the zero address, so that a contract that it calls sees the sender and the origin of a call without a sender.
 */
export const ofState = (reads: ReadonlyArray<LensRead>): CallRequest => ({
  from: zero,
  to: zero,
  data: `0x${reads.map(written).join("")}`,
  gas,
  overrides: { [zero]: { code: Code.stateLens } }
})

const written = (read: LensRead): string => {
  const account = read.account.slice(2).toLowerCase()
  if (read.kind !== "call") return `${read.kind === "code" ? "00" : "01"}${account}`
  return `02${account}${((read.data.length - 2) / 2).toString(16).padStart(2, "0")}${read.data.slice(2)}`
}

/**
 * A call without a sender that answers its sender and its origin, ORed. Where that is zero, a plain call comes from the
 * zero address as the calls of a lens do.
 */
export const ofSender: CallRequest = {
  to: slotLens,
  gas,
  // CALLER ORIGIN OR PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN
  overrides: { [slotLens]: { code: "0x33321760005260206000f3" } }
}

/**
 * What the reads of {@link ofState} were answered, in their order and in the notation of JSON-RPC. None for a read that
 * has to be made plainly.
 */
export const stateAnswers = (
  reads: ReadonlyArray<LensRead>,
  data: Hex
): ReadonlyArray<Option.Option<JsonRpc.RpcAnswer>> => {
  const take = taker(data)
  let isOver = false
  return reads.map(({ kind }) => {
    const status = isOver ? Option.none<string>() : take(1)
    const bytes = Option.flatMap(status, (byte) => {
      if (kind === "balance") return take(32)
      return byte === "00" ? Option.none() : Option.flatMap(take(3), (size) => take(Number.parseInt(size, 16)))
    })
    // Only a call may have a byte without any bytes after it.
    if (Option.isNone(bytes) && !(kind === "call" && Option.contains(status, "00"))) isOver = true
    return Option.flatMap(Option.all([status, bytes]), ([byte, found]): Option.Option<JsonRpc.RpcAnswer> => {
      if (kind === "balance") return Option.some(result(RpcValue.quantity(BigInt(`0x${found}`))))
      // Of an account that delegates, nodes differ in what they show: https://eips.ethereum.org/EIPS/eip-7702
      if (kind === "code") return found.startsWith("ef") ? Option.none() : Option.some(result(`0x${found}`))
      if (byte === "01") return Option.some(result(`0x${found}`))
      // Nodes put the data of a revert into errors of many shapes, and some leave it out.
      return byte === "02" && found === "" ? Option.some({ _tag: "Reverted", data: "0x" }) : Option.none()
    })
  })
}

const result = (value: Hex): JsonRpc.RpcAnswer => ({ _tag: "Result", result: value })

/**
 * The `eth_call` that answers reads of storage, with the order in which it does. The code of each account is replaced
 * while its storage stays: none of its code runs.
 */
export const ofSlots = (accounts: ReadonlyArray<AccountSlots>): CallRequest => ({
  from: slotReaders,
  to: slotLens,
  data: `0x${accounts
    .map(
      ({ account, slots }) =>
        `${account.slice(2).toLowerCase()}${slots.length.toString(16).padStart(2, "0")}${slots
          .map((slot) => RpcValue.word(slot).slice(2))
          .join("")}`
    )
    .join("")}`,
  gas,
  overrides: {
    [slotLens]: { code: Code.slotLens },
    ...Object.fromEntries(accounts.map(({ account }) => [account, { code: Code.slotReader }]))
  }
})

/** Slots of one account, at most {@link mostSlots}. */
export interface AccountSlots {
  readonly account: Hex
  readonly slots: ReadonlyArray<Hex>
}

/** How many slots of one account one call reads. */
export const mostSlots = 255

/** The words of the slots of {@link ofSlots}, in their order. None for an account that has to be read plainly. */
export const slotAnswers = (
  accounts: ReadonlyArray<AccountSlots>,
  data: Hex
): ReadonlyArray<Option.Option<ReadonlyArray<Hex>>> => {
  const take = taker(data)
  return accounts.map(({ slots }) =>
    Option.flatMap(Option.all([take(1), take(32 * slots.length)]), ([ran, words]) =>
      ran === "01"
        ? Option.some(slots.map((_, place): Hex => `0x${words.slice(64 * place, 64 * (place + 1))}`))
        : Option.none()
    )
  )
}

const taker = (data: Hex) => {
  let at = 2
  return (bytes: number): Option.Option<string> => {
    const end = at + 2 * bytes
    if (data.length < end) return Option.none()
    const part = data.slice(at, end)
    at = end
    return Option.some(part)
  }
}

/**
 * Whether a call of this code is answered by a lens as it is plainly, whatever the code is: it runs no other code, and
 * reads neither the gas nor the code or balance of another account, the only differences between the two. Only what can
 * run counts, so neither metadata nor data does. An opcode that is not known here is one that may differ.
 */
export const isSelfContained = (code: Hex): boolean => {
  if (code.startsWith("0xef")) return false
  const bytecode = Bytecode.parse(code)
  const offsets = Bytecode.offsets(bytecode)
  const at = (offset: number): number | undefined => (offsets.has(offset) ? bytecode.bytes[offset] : undefined)
  for (const offset of offsets) {
    const opcode = bytecode.bytes[offset] ?? Opcodes.STOP
    const isOwnBalance = opcode === Opcodes.BALANCE && at(offset - 1) === Opcodes.ADDRESS
    if (!isOwnBalance && !harmless.has(opcode)) return false
  }
  return true
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, step) => first + step)

// All but BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, GAS, SELFDESTRUCT, creations, and calls of other accounts.
// https://ethereum.github.io/execution-specs/src/ethereum/forks/prague/vm/instructions/__init__.py.html
const harmless: ReadonlySet<number> = new Set([
  ...range(0x00, 0x0b),
  ...range(0x10, 0x1d),
  0x20,
  0x30,
  ...range(0x32, 0x3a),
  0x3d,
  0x3e,
  ...range(0x40, 0x48),
  ...range(0x50, 0x59),
  0x5b,
  ...range(0x5e, 0xa4),
  0xf3,
  0xfd,
  0xfe
])
