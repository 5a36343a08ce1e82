/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as AddressBook from "../../data/AddressBook.js"
import type { Address } from "../../domain/Address.js"
import type { AccountCode, AccountKind } from "../../domain/facts/AccountCode.js"
import * as HexString from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import { isPrecompile } from "../../evm/expression/Precompile.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"

/** The code and the kind of an account. */
export class Code extends Context.Tag("@assay/core/Code")<
  Code,
  {
    readonly of: (address: Address) => Effect.Effect<Reading<AccountCode>, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const read = Effect.fn("Code.of")(function* (address: Address) {
    const { balance, code, nonce } = yield* Together.all({
      code: state.code(address),
      nonce: state.nonce(address),
      balance: state.balance(address)
    })
    const delegate = Bytecode.delegate(code.value)
    const kind: AccountKind = Option.isSome(delegate)
      ? "delegated_eoa"
      : !Bytecode.isEmpty(code.value)
        ? "contract"
        : isPrecompile(BigInt(address))
          ? "precompile"
          : nonce.value > 0 || balance.value > 0n
            ? "eoa"
            : "empty"
    const account: AccountCode = {
      address,
      kind,
      code_hash: Bytecode.isEmpty(code.value) ? null : Bytecode.hash(code.value),
      code_size: HexString.size(code.value),
      delegate: Option.getOrNull(delegate),
      nonce: nonce.value,
      balance: Quantity.make(balance.value)
    }
    return { value: account, observation: code.observation }
  })
  return Code.of({ of: yield* OncePerKey.make((address: Address) => address, read) })
})

/** Reads code, nonce and balance in one level. */
export const layer: Layer.Layer<Code, never, ChainState> = Layer.scoped(Code, make)

/** Whether nobody has the key of an address, wherever it stands, so that a power it holds is held by nobody. */
export const isDead = (address: Address): boolean =>
  isPrecompile(BigInt(address)) ||
  AddressBook.burnAddresses.some((burnt) => burnt.toLowerCase() === address.toLowerCase())
