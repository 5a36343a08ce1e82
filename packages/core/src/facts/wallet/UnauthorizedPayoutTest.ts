/** @internal */

import { Effect, Option } from "effect"
import * as OxHex from "ox/Hex"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import { Opcodes } from "../../evm/bytecode/Opcodes.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"

/**
 * Whether an account takes what nobody signed for signed, by which coins let themselves be taken.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1271
 */
export const takesAnySignature = (
  state: ChainState["Type"],
  account: Address.Address
): Effect.Effect<Reading.Reading<boolean>, ChainError> =>
  Effect.gen(function* () {
    const answers = yield* Together.forEach(signatures, (signature) =>
      state.call({ to: account, data: Getter.calldata(isValidSignature, [hash, Getter.word(64n), ...signature]) })
    )
    const taken = answers.find(
      ({ value }) => value._tag === "Returned" && value.data === Getter.leftAligned(isValidSignature)
    )
    const { observation } = taken ?? (answers[0] as (typeof answers)[number])
    return { value: taken !== undefined, observation }
  })

/**
 * The function by which an account paid a stranger who called it without a valid signature, or after he had made
 * himself its owner. Only known payment functions of accounts are tried. None where it paid by none of them, which says
 * nothing of others, or where it was not tried.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7579
 * @see https://eips.ethereum.org/EIPS/eip-7821
 */
export const paysBy = (
  state: ChainState["Type"],
  account: Address.Address
): Effect.Effect<Option.Option<Reading.Reading<Hex>>> => {
  const data = asking(account)
  const call = Effect.flatMap(
    payerOf(state),
    Option.match({
      onNone: () => state.call({ data, gas: trialGas }),
      onSome: (from) => state.call({ from, data, value: given, gas: trialGas })
    })
  )
  return Effect.match(call, {
    onFailure: () => Option.none(),
    onSuccess: (reading) =>
      Option.map(
        Option.fromNullable(
          reading.value._tag === "Returned" && OxHex.size(reading.value.data) === 32 * (requests.length + 1)
            ? firstPaid(reading.value.data)
            : undefined
        ),
        (selector) => Reading.map(reading, () => selector)
      )
  })
}

/** Who has enough to pay with on a chain: the contract that wraps its coin. */
export const payerOf = (state: ChainState["Type"]): Effect.Effect<Option.Option<Address.Address>> =>
  Effect.map(ChainBook.of(state.chain.addressBook), ({ addresses }) =>
    Option.map(addresses, ({ wrappedNative }) => Address.checksum(wrappedNative.address))
  )

const { isValidSignature } = Selectors.functions

// A hash that nobody would sign.
const hash = Getter.word(BigInt(`0x${"a55a".repeat(16)}`))

// Nothing at all, and what no key ever signs with, of which the address is zero: as that of an owner who was never set.
const signatures: ReadonlyArray<ReadonlyArray<Hex>> = [
  [Getter.word(0n)],
  [65n, 0n, 0n, 0n].map((word) => Getter.word(word))
]

// What the account is given before, so that one that has nothing can pay.
const given = 10n

const trialGas = 12_000_000n

const gasOfRequest = OxHex.fromNumber(400_000, { size: 3 })

/**
 * A call that demands one wei. `payees` are the words that become the caller, in their lower or in their upper bytes.
 */
interface Request {
  readonly selector: Hex
  readonly args: ReadonlyArray<bigint>
  readonly payees: ReadonlyArray<number>
  readonly packed?: true
}

// One call: the receiver, one wei, no data.
const calls = [0x20n, 1n, 0x20n, 0n, 1n, 0x60n, 0n]

// A point of the curve (https://www.secg.org/sec2-v2.pdf, 2.4.1), so that it is the signature of some key that nobody has.
const someSignature = [
  65n,
  0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  1n,
  27n << 248n
] as const

const payments: ReadonlyArray<Request> = [
  { selector: Selectors.selector("execute(address,uint256,bytes)"), args: [0n, 1n, 0x60n, 0n], payees: [0] },
  { selector: Selectors.selector("execute((address,uint256,bytes)[])"), args: calls, payees: [3] },
  { selector: Selectors.selector("executeBatch((address,uint256,bytes)[])"), args: calls, payees: [3] },
  {
    selector: Selectors.selector("executeBatch(address[],uint256[],bytes[])"),
    args: [0x60n, 0xa0n, 0xe0n, 1n, 0n, 1n, 1n, 1n, 0x20n, 0n],
    payees: [4]
  },
  {
    selector: Selectors.selector("execute(bytes32,bytes)"),
    args: [1n << 248n, 0x40n, BigInt(32 * calls.length), ...calls],
    payees: [6]
  },
  {
    selector: Selectors.selector("execute(bytes32,bytes)"),
    args: [0n, 0x40n, 52n, 0n, 1n << 96n],
    payees: [3],
    packed: true
  },
  {
    selector: Selectors.selector("execute((address,uint256,bytes)[],bytes)"),
    args: [0x40n, BigInt(32 * (calls.length + 1)), ...calls.slice(1), ...someSignature],
    payees: [4]
  }
]

// Of an account that nobody has made his own yet, whoever comes first is the owner.
const appointments: ReadonlyArray<Request> = ["initialize(address)", "init(address)"].map((signature) => ({
  selector: Selectors.selector(signature),
  args: [0n],
  payees: [0]
}))

const requests = [...payments, ...appointments, ...payments]

const firstPaid = (data: Hex): Hex | undefined => {
  const balances = Array.from({ length: requests.length + 1 }, (_, place) =>
    BigInt(`0x${data.slice(2 + 64 * place, 66 + 64 * place)}`)
  )
  return requests.find((_, place) => (balances[place + 1] ?? 0n) > (balances[place] ?? 0n))?.selector
}

/**
 * Init code that pays its value to an account and then demands one wei from it in every way. In place of code it
 * returns its own balance before the first attempt and after each.
 */
const asking = (account: Address.Address): Hex => {
  const told = requests.map(({ args, selector }) => OxHex.toBytes(Getter.calldata(selector, args.map(Getter.word))))
  const code = (start: number): ReadonlyArray<number> => {
    let from = start
    const asked = requests.flatMap(({ packed, payees }, place) => {
      const data = told[place] ?? new Uint8Array()
      const copied = [...push2(data.length), ...push2(from), Opcodes.PUSH0, Opcodes.CODECOPY]
      from += data.length
      return [
        ...copied,
        ...payees.flatMap((word) => [
          Opcodes.ADDRESS,
          ...(packed === undefined ? [] : [Opcodes.PUSH1, 96, Opcodes.SHL]),
          ...push2(4 + 32 * word),
          Opcodes.MSTORE
        ]),
        ...[Opcodes.PUSH0, Opcodes.PUSH0, ...push2(data.length), Opcodes.PUSH0, Opcodes.PUSH0],
        ...[...push(account), ...push(gasOfRequest), Opcodes.CALL, Opcodes.POP],
        ...balanceAt(place + 1)
      ]
    })
    return [
      ...[...Array<number>(4).fill(Opcodes.PUSH0), Opcodes.CALLVALUE, ...push(account)],
      ...[Opcodes.GAS, Opcodes.CALL, Opcodes.POP],
      ...balanceAt(0),
      ...asked,
      ...[...push2(32 * (requests.length + 1)), ...push2(results), Opcodes.RETURN]
    ]
  }
  // The size of the code does not depend on the offset of the calldata behind it.
  return OxHex.fromBytes(Uint8Array.from([...code(code(0).length), ...told.flatMap((data) => [...data])]))
}

// Behind the longest of the requests.
const results = 0x400

const push = (bytes: Hex): ReadonlyArray<number> => [Opcodes.PUSH0 + OxHex.size(bytes), ...OxHex.toBytes(bytes)]

const push2 = (value: number): ReadonlyArray<number> => push(OxHex.fromNumber(value, { size: 2 }))

const balanceAt = (place: number): ReadonlyArray<number> => [
  Opcodes.SELFBALANCE,
  ...push2(results + 32 * place),
  Opcodes.MSTORE
]
