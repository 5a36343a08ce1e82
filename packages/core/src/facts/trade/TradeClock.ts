/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import { ChainError } from "../../chain/ChainError.js"
import { type BlockOverride, ChainState, type StateOverride } from "../../chain/state/ChainState.js"
import * as ChainTable from "../../data/ChainTable.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import { Opcodes } from "../../evm/bytecode/Opcodes.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { Proxy } from "../code/Proxy.js"
import * as Getter from "../Getter.js"
import type { Block } from "./SimulatedBlocks.js"

/**
 * Gives simulated blocks that are hours, months or a year apart the numbers that the chain itself would have given them
 * by then, as far as the token's own code reads them. A rule of a token may count blocks since a purchase, or compare
 * how many there were with how long they took; blocks that follow one by one while their time jumps show it a chain
 * that never was.
 */
export interface TradeClock {
  readonly paced: (plan: Plan) => Plan
  /** The number of the block that contracts see now, and seconds a block; none where the code reads no number. */
  readonly counts: Option.Option<{ readonly first: number; readonly pace: number }>
}

/** Blocks, and the state overrides of the first of them. */
export interface Plan {
  readonly overrides: StateOverride
  readonly blocks: ReadonlyArray<Block>
}

/** The clock of each token, made once. */
export class TradeClocks extends Context.Tag("@assay/core/TradeClocks")<
  TradeClocks,
  { readonly of: (token: Address.Address) => Effect.Effect<TradeClock, ChainError> }
>() {}

/** Leaves the code as it is: for blocks that begin now and follow one by one, as their numbers do. */
export const asItIs: TradeClock = { paced: (plan) => plan, counts: Option.none() }

/**
 * The clock of a token. Endpoints fill a gap of block numbers with empty blocks and take 256 of them in all, which is
 * less than an hour of most chains. So where the token's code reads NUMBER, an override replaces that opcode by another
 * one that the code does not use and that a simulated block can set to any value. Code without NUMBER stays as it is.
 * Code with it costs a level more, to read the number that it sees now. Fails where the code could not be read, or uses
 * all such opcodes.
 *
 * Contracts that the token calls see numbers that follow one by one, and a token could detect the change by a hash of
 * its own code.
 *
 * @see https://github.com/ethereum/execution-apis/blob/main/docs-api/docs/ethsimulatev1-notes.mdx
 */
export const make = (
  state: ChainState["Type"],
  proxy: Proxy["Type"],
  token: Address.Address
): Effect.Effect<TradeClock, ChainError> =>
  Effect.gen(function* () {
    const codes = yield* codesOf(state, proxy, token)
    if (!codes.some(({ uses }) => uses.has(Opcodes.NUMBER))) return asItIs
    const standIn = standIns.find(({ opcode }) => codes.every(({ uses }) => !uses.has(opcode)))
    if (standIn === undefined) return yield* noStandIn
    const { value: answer } = yield* state.call({ data: numberCode, gas: callGas })
    const seen = answer._tag === "Returned" ? Getter.uint(answer.data) : Option.none()
    if (Option.isNone(seen)) return yield* noNumber
    const first = Number(seen.value)
    const now = Timestamp.toMillis(state.block.timestamp)
    const pace = first === state.block.number ? paceOf(state.chain) : usualPace
    const asked = codes
      .filter(({ uses }) => uses.has(Opcodes.NUMBER))
      .map(({ address, ...rest }) => [address, withStandIn(rest, standIn.opcode)] as const)
    const overridden = (planned: StateOverride): StateOverride =>
      Object.fromEntries(asked.map(([address, code]) => [address, { ...planned[address], code }] as const))
    return {
      counts: Option.some({ first, pace: pace / 1_000 }),
      paced: (plan) => {
        let number = first
        return {
          overrides: { ...plan.overrides, ...overridden(plan.overrides) },
          blocks: plan.blocks.map(({ block, steps }) => {
            const passed = (block.time ?? 0) * 1_000 - now
            number = Math.max(number + 1, first + Math.floor(passed / pace))
            return { block: { ...block, ...standIn.field(BigInt(number)) }, steps }
          })
        }
      }
    }
  })

/** {@link make} for the tokens of one view of a chain. */
export const layer: Layer.Layer<TradeClocks, never, ChainState | Proxy> = Layer.scoped(
  TradeClocks,
  Effect.gen(function* () {
    const state = yield* ChainState
    const proxy = yield* Proxy
    return {
      of: yield* OncePerKey.make(
        (token: Address.Address) => token,
        (token) => make(state, proxy, token)
      )
    }
  })
)

// NUMBER RETURNDATASIZE MSTORE MSIZE RETURNDATASIZE RETURN, as init code: the number that contracts see, which on some
// second layers is that of the first.
const numberCode: Hex = "0x433d52593df3"
const callGas = 100_000n

interface StandIn {
  readonly opcode: number
  readonly field: (number: bigint) => BlockOverride
}

const standIns: ReadonlyArray<StandIn> = [
  { opcode: Opcodes.PREVRANDAO, field: (number) => ({ prevRandao: Getter.word(number) }) },
  {
    opcode: Opcodes.COINBASE,
    field: (number) => ({ feeRecipient: Address.checksum(`0x${number.toString(16).padStart(40, "0")}`) })
  }
]

interface Asking {
  readonly address: Address.Address
  readonly code: Hex
  readonly parsed: Bytecode.Bytecode
  readonly offsets: ReadonlySet<number>
  readonly uses: ReadonlySet<number>
}

/** The token's own code and what it hands calls on to, as far as it can. */
const codesOf = (
  state: ChainState["Type"],
  proxy: Proxy["Type"],
  token: Address.Address
): Effect.Effect<ReadonlyArray<Asking>, ChainError> =>
  Effect.gen(function* () {
    const own = asking(token, (yield* state.code(token)).value)
    if (!handingOn.some((opcode) => own.uses.has(opcode))) return [own]
    const { value } = yield* proxy.of(token)
    const behind = yield* Together.forEach(
      value.implementations.filter((address) => address !== token),
      (address) => Effect.map(state.code(address), (code) => asking(address, code.value))
    )
    return [own, ...behind]
  })

const handingOn = [Opcodes.DELEGATECALL, Opcodes.CALLCODE]

const asking = (address: Address.Address, code: Hex): Asking => {
  const parsed = Bytecode.parse(code)
  const offsets = Bytecode.offsets(parsed)
  return { address, code, parsed, offsets, uses: new Set([...offsets].map((offset) => parsed.bytes[offset] ?? 0)) }
}

// Only where an instruction can run: the same byte is a letter in a text.
const withStandIn = ({ code, offsets, parsed }: Omit<Asking, "address">, opcode: number): Hex => {
  const digits = [...code]
  const stand = opcode.toString(16)
  for (const offset of offsets) {
    if (parsed.bytes[offset] !== Opcodes.NUMBER) continue
    digits.splice(2 + 2 * offset, 2, ...stand)
  }
  return digits.join("") as Hex
}

// The block time of Ethereum, in milliseconds. Unknown chains count as equally slow, so that no result stands for a
// later time than stated.
const usualPace = 12_000

const paceOf = ({ addressBook, id }: ChainState["Type"]["chain"]): number =>
  Option.getOrElse(
    Option.orElse(
      Option.flatMap(ChainTable.find(id), ({ blockTime }) => blockTime),
      () => Option.flatMap(ChainTable.find(addressBook), ({ blockTime }) => blockTime)
    ),
    () => usualPace
  )

const unsupported = (detail: string) =>
  new ChainError({ reason: "method_unsupported", method: "eth_simulateV1", retryable: false, detail })

const noStandIn = unsupported("the token asks for the number of its block and for all that could stand for it")
const noNumber = unsupported("the endpoint did not tell the number that contracts see")
