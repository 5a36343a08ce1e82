import { Context, Effect, Either, Layer, Option } from "effect"
import * as OxHex from "ox/Hex"
import { ChainError } from "../chain/ChainError.js"
import { ChainState } from "../chain/ChainState.js"
import type { Reading } from "../chain/Reading.js"
import * as Together from "../chain/Together.js"
import * as AddressBook from "../data/AddressBook.js"
import * as KnownCode from "../data/KnownCode.js"
import * as KnownDelegates from "../data/KnownDelegates.js"
import * as Address from "../domain/Address.js"
import type { Hex } from "../domain/Hex.js"
import * as Bytecode from "../evm/Bytecode.js"
import { Opcodes } from "../evm/Opcodes.js"
import * as Sweep from "../evm/Sweep.js"
import * as Drivers from "./Drivers.js"
import { Flows } from "./Flows.js"
import * as Getter from "./Getter.js"
import * as Memo from "./Memo.js"

/**
 * Whose code an account runs by an EIP-7702 delegation, and what that code does with what the account receives; none
 * where it has not delegated.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7702
 * @since 0.1.0
 * @category services
 */
export class Delegation extends Context.Tag("@assay/core/Delegation")<
  Delegation,
  {
    readonly of: (account: Address.Address) => Effect.Effect<Reading<Option.Option<Delegate>>, ChainError>
  }
>() {}

/**
 * The contract whose code the account runs.
 *
 * - `reported`: somebody found that it steals. `forwards`: it hands on what the account receives, as was tried at the
 *   pinned block or (not `tried`) as its code says.
 * - `open`: whoever calls it makes it pay. `keyed`: an account that is written into the code does, whosever the wallet is.
 * - `published`: a wallet's maker publishes it. `unknown`: none of these.
 *
 * @since 0.1.0
 * @category models
 */
export interface Delegate {
  readonly address: Address.Address
  readonly label: Option.Option<string>
  readonly kind: "reported" | "forwards" | "open" | "keyed" | "published" | "unknown"
  readonly tried: boolean
  /** Whether any code stands at its address now. */
  readonly stands: boolean
}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const flows = yield* Flows
  const payer = Option.map(AddressBook.forChain(state.chain.addressBook), ({ wrappedNative }) =>
    Address.checksum(wrappedNative.address)
  )

  const forwards = (account: Address.Address): Effect.Effect<boolean, ChainError> =>
    Option.match(payer, {
      // Nobody is known who has enough to pay with; the code alone has to tell.
      onNone: () => Effect.succeed(false),
      onSome: (from) =>
        Effect.flatMap(state.call({ from, data: payment(account), value: paid, gas: trialGas }), ({ value }) =>
          Option.match(value._tag === "Returned" ? balances(value.data) : Option.none(), {
            onNone: () =>
              new ChainError({
                reason: "method_unsupported",
                method: "eth_call",
                retryable: false,
                detail: "a payment from a call without a recipient was not tried"
              }),
            // Who refuses what it is paid keeps nothing from anybody.
            onSome: ({ after, before, succeeded }) => Effect.succeed(succeeded && after < before + paid)
          })
        )
    })

  /** Whether one of some accounts is a key, and not an entry point that asks for the account's own. */
  const someKey = (accounts: ReadonlyArray<Address.Address>) =>
    Effect.map(
      Together.forEach(accounts, (account) => state.code(account)),
      (codes) => codes.some(({ value }) => !Bytecode.isContract(value))
    )

  const read = Effect.fn("Delegation.of")(function* (account: Address.Address) {
    const { observation, value: code } = yield* state.code(account)
    const found = Bytecode.delegate(code)
    if (Option.isNone(found)) return { value: Option.none(), observation }
    const address = found.value
    const answer = (
      delegate: Omit<Delegate, "address" | "stands"> & Partial<Delegate>
    ): Reading<Option.Option<Delegate>> => ({
      value: Option.some({ address, stands: true, ...delegate }),
      observation
    })
    const reported = KnownCode.findDelegate(address)
    if (Option.isSome(reported))
      return answer({ label: Option.some(reported.value.name), kind: "reported", tried: false })
    const here = KnownDelegates.find(state.chain.addressBook, address)
    if (Option.isSome(here)) return answer({ label: here, kind: "published", tried: false })
    const { behind, trial } = yield* Together.all({
      behind: state.code(address),
      trial: Effect.either(forwards(account))
    })
    const label = KnownDelegates.findByCodeHash(Bytecode.hash(behind.value))
    if (Option.isSome(label)) return answer({ label, kind: "published", tried: false })
    if (Either.getOrElse(trial, () => false)) return answer({ label, kind: "forwards", tried: true })
    if (yield* Sweep.handsOnValue(behind.value)) return answer({ label, kind: "forwards", tried: false })
    // The code of an account that has delegated itself is no code to run: https://eips.ethereum.org/EIPS/eip-7702
    const stands = Bytecode.isContract(behind.value)
    const driven = stands ? Drivers.of([yield* flows.of(behind.value)]) : ({ kind: "unclear" } as const)
    if (driven.kind === "anybody") return answer({ label, kind: "open", tried: false })
    if (driven.kind === "constant" && (yield* someKey(driven.accounts)))
      return answer({ label, kind: "keyed", tried: false })
    // Not knowing what becomes of a payment is not knowing whether it is stolen.
    yield* trial
    // Its maker names the address and no chain; where nothing stands there the account runs nothing of his.
    const named = Bytecode.isEmpty(behind.value) ? Option.none<string>() : KnownDelegates.findOnAnyChain(address)
    return answer({ label: named, kind: Option.isSome(named) ? "published" : "unknown", tried: false, stands })
  })

  return Delegation.of({ of: yield* Memo.make((account: Address.Address) => account, read) })
})

/**
 * Reads the account's code, and in one more level its delegate's, while it tries what becomes of a payment.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Delegation, never, ChainState | Flows> = Layer.scoped(Delegation, make)

// More than anybody lets go by; who has it is the contract that wraps the coin.
const paid = 10n ** 18n

const trialGas = 3_000_000n

/**
 * Init code that pays an account what it was given, and returns where code would be the account's balance before, whether
 * it took the payment, and its balance after.
 */
const payment = (account: Address.Address): Hex => {
  const balance = [...push(Opcodes.PUSH20, account), Opcodes.BALANCE]
  const keepAt = (offset: number) => [...push(Opcodes.PUSH1, OxHex.fromNumber(offset, { size: 1 })), Opcodes.MSTORE]
  return OxHex.fromBytes(
    Uint8Array.from([
      ...balance,
      ...keepAt(0),
      ...Array<number>(4).fill(Opcodes.PUSH0),
      Opcodes.CALLVALUE,
      ...push(Opcodes.PUSH20, account),
      Opcodes.GAS,
      Opcodes.CALL,
      ...keepAt(32),
      ...balance,
      ...keepAt(64),
      ...push(Opcodes.PUSH1, OxHex.fromNumber(96, { size: 1 })),
      Opcodes.PUSH0,
      Opcodes.RETURN
    ])
  )
}

const push = (opcode: number, bytes: Hex): ReadonlyArray<number> => [opcode, ...OxHex.toBytes(bytes)]

const balances = (data: Hex) =>
  OxHex.size(data) === 96
    ? Option.all({
        before: Option.map(Getter.wordAt(data, 0), BigInt),
        succeeded: Option.map(Getter.wordAt(data, 32), (word) => BigInt(word) === 1n),
        after: Option.map(Getter.wordAt(data, 64), BigInt)
      })
    : Option.none()
