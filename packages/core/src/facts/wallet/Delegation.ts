/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import * as OxHex from "ox/Hex"
import { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as KnownCode from "../../data/KnownCode.js"
import * as KnownDelegates from "../../data/KnownDelegates.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import { Opcodes } from "../../evm/bytecode/Opcodes.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Sweep from "../../evm/patterns/Sweep.js"
import type { FunctionFlow, StorageFlow } from "../../evm/summary/StorageFlow.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { CodeReadings } from "../code/CodeReadings.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Getter from "../Getter.js"
import * as PayoutAuthorities from "./PayoutAuthorities.js"
import * as UnauthorizedPayoutTest from "./UnauthorizedPayoutTest.js"

/**
 * The delegate of an account by EIP-7702, and what its code does with what the account receives; none where it has not
 * delegated.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7702
 */
export class Delegation extends Context.Tag("@assay/core/Delegation")<
  Delegation,
  {
    readonly of: (account: Address.Address) => Effect.Effect<Reading<Option.Option<Delegate>>, ChainError>
  }
>() {}

/**
 * The contract that the account delegates to.
 *
 * - `reported`: a source reports that it steals. `forwards`: it sends on what the account receives, as was tried at the
 *   pinned block or (not `tried`) as its code says.
 * - `open`: any caller can make it pay, or it accepts an invalid signature, as its code says or as was tried. `keyed`:
 *   an account that is a constant of the code can make it pay, for every wallet, or (`stored`) another one that the
 *   wallet's own storage names.
 * - `published`: a wallet's maker publishes it. `unknown`: none of these.
 */
export interface Delegate {
  readonly address: Address.Address
  readonly label: Option.Option<string>
  readonly kind: "reported" | "forwards" | "open" | "keyed" | "published" | "unknown"
  readonly tried: boolean
  /** The function by which it is open. */
  readonly by: Option.Option<FunctionFlow["selector"]>
  readonly stored: boolean
  /** Whether its address has code now. */
  readonly stands: boolean
  /** Whether its code restricts who can make the account pay, to accounts that not just anybody can become. */
  readonly restricted: boolean
}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const flows = yield* CodeReadings
  const payer = yield* UnauthorizedPayoutTest.payerOf(state)

  const forwards = (account: Address.Address): Effect.Effect<boolean, ChainError> =>
    Option.match(payer, {
      // No known account has enough to pay with, so the code alone decides.
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
            // An account that refuses a payment takes nothing.
            onSome: ({ after, before, succeeded }) => Effect.succeed(succeeded && after < before + paid)
          })
        )
    })

  /**
   * Whether one of some accounts is a key, and not an entry point that is still to be deployed: a key has a balance or
   * has signed before.
   */
  const someKey = (accounts: ReadonlyArray<Address.Address>) =>
    Effect.map(
      Together.forEach(accounts, (account) =>
        Together.all({ code: state.code(account), nonce: state.nonce(account), balance: state.balance(account) })
      ),
      (found) =>
        found.some(
          ({ balance, code, nonce }) =>
            !Bytecode.isContract(code.value) && (!Bytecode.isEmpty(code.value) || nonce.value > 0 || balance.value > 0n)
        )
    )

  /** Others than the account itself that its storage lets make it pay. */
  const appointed = (account: Address.Address, flows: ReadonlyArray<StorageFlow>) =>
    Effect.map(
      Together.forEach(
        PayoutAuthorities.appointments(flows)
          .flatMap(({ field, slot }) =>
            Option.toArray(Option.map(StoredVariable.slotOf(slot), (place) => ({ field, place })))
          )
          .slice(0, mostAppointments),
        ({ field, place }) =>
          Effect.map(state.storage(account, place), ({ value }) => StoredVariable.accountIn(value, field))
      ),
      (found) => found.filter((other) => other !== Address.zero && other !== account)
    )

  const read = Effect.fn("Delegation.of")(function* (account: Address.Address) {
    const { observation, value: code } = yield* state.code(account)
    const found = Bytecode.delegate(code)
    if (Option.isNone(found)) return { value: Option.none(), observation }
    const address = found.value
    const answer = (
      delegate: Omit<Delegate, "address" | "stands" | "by" | "stored" | "restricted"> & Partial<Delegate>
    ): Reading<Option.Option<Delegate>> => ({
      value: Option.some({ address, stands: true, by: Option.none(), stored: false, restricted: true, ...delegate }),
      observation
    })
    const reported = KnownCode.findDelegate(address)
    if (Option.isSome(reported))
      return answer({ label: Option.some(reported.value.name), kind: "reported", tried: false })
    const here = KnownDelegates.find(state.chain.addressBook, address)
    if (Option.isSome(here)) return answer({ label: here, kind: "published", tried: false })
    const { behind, paying, signing, trial } = yield* Together.all({
      behind: state.code(address),
      trial: Effect.either(forwards(account)),
      paying: UnauthorizedPayoutTest.paysBy(state, account),
      signing: Effect.either(UnauthorizedPayoutTest.takesAnySignature(state, account))
    })
    const label = KnownDelegates.findByCodeHash(Bytecode.hash(behind.value))
    if (Option.isSome(label)) return answer({ label, kind: "published", tried: false })
    if (Either.getOrElse(trial, () => false)) return answer({ label, kind: "forwards", tried: true })
    if (yield* Sweep.handsOnValue(behind.value)) return answer({ label, kind: "forwards", tried: false })
    // The code of an account that has delegated itself is no code to run: https://eips.ethereum.org/EIPS/eip-7702
    const stands = Bytecode.isContract(behind.value)
    const run = stands ? [yield* flows.of(behind.value)] : []
    const driven = PayoutAuthorities.of(run)
    if (driven.kind === "anybody")
      return answer({ label, kind: "open", tried: false, by: Option.some(driven.selector) })
    if (stands && Option.isSome(paying))
      return answer({ label, kind: "open", tried: true, by: Option.some(paying.value.value) })
    if (stands && Either.isRight(signing) && signing.right.value)
      return answer({ label, kind: "open", tried: true, by: Option.some(Selectors.functions.isValidSignature) })
    if (driven.kind === "constant" && (yield* someKey(driven.accounts)))
      return answer({ label, kind: "keyed", tried: false })
    if (yield* someKey(yield* appointed(account, run)))
      return answer({ label, kind: "keyed", tried: false, stored: true })
    // Not knowing what becomes of a payment is not knowing whether it is stolen.
    yield* trial
    yield* signing
    // Its maker names the address and no chain; where nothing stands there the account runs nothing of his.
    const named = Bytecode.isEmpty(behind.value) ? Option.none<string>() : KnownDelegates.findOnAnyChain(address)
    const restricted = !stands || PayoutAuthorities.areRestricted(run)
    return answer({
      label: named,
      kind: Option.isSome(named) ? "published" : "unknown",
      tried: false,
      stands,
      restricted
    })
  })

  return Delegation.of({ of: yield* OncePerKey.make((account: Address.Address) => account, read) })
})

/**
 * Reads the account's code, and in one more level its delegate's, while it tries what becomes of a payment and what a
 * stranger can have the account do.
 */
export const layer: Layer.Layer<Delegation, never, ChainState | CodeReadings> = Layer.scoped(Delegation, make)

// Accounts have few variables that name who commands them.
const mostAppointments = 8

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
