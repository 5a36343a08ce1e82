/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"

/**
 * What implements a token: code on the chain (`code`), the chain itself (`chain`), or nothing that is known (`unknown`): it
 * has the address and the code of a token that the chain implements, and the factory of such tokens does not know it.
 */
export type Implementer = "code" | "chain" | "unknown"

/**
 * The addresses that Tempo reserves for itself: each TIP-20 token has this prefix, and the factory alone puts code there.
 *
 * @see https://docs.tempo.xyz/protocol/tip20/spec
 */
const prefix = "0x20c000000000000000000000"

/** The factory of TIP-20 tokens. */
export const factory = Address.checksum("0x20fc000000000000000000000000000000000000")

/** The registry of transfer policies (TIP-403). */
export const registry = Address.checksum("0x403c000000000000000000000000000000000000")

/** The exchange for TIP-20 tokens that Tempo implements itself. */
export const exchange = Address.checksum("0xdec0000000000000000000000000000000000000")

/** Whether an address is one at which a token can stand that the chain implements: 96 bits that nobody can choose. */
export const mayBeAt = (address: Address.Address): boolean => address.toLowerCase().startsWith(prefix)

/**
 * What implements the token at an address. Without a read where the address is another one.
 *
 * The chain's id decides nothing. No contract can pretend: 96 bits of the token's address and all of the factory's are fixed,
 * no contract can be created with code that begins with 0xef (EIP-3541), and an EVM that does not implement the factory
 * itself stops at that byte, so that the factory cannot answer. What answers there is the chain.
 *
 * @see https://eips.ethereum.org/EIPS/eip-3541
 */
export const of = (state: ChainState["Type"], address: Address.Address): Effect.Effect<Implementer, ChainError> =>
  mayBeAt(address) ? Effect.map(recognised(state, address), ({ value }) => value) : Effect.succeed("code" as const)

/** The same with the read that shows it: the answer of the factory. */
export const recognised = (
  state: ChainState["Type"],
  address: Address.Address
): Effect.Effect<Reading<Implementer>, ChainError> =>
  Effect.map(
    Together.all([
      state.code(address),
      state.code(factory),
      Getter.read(state, factory, Selectors.selector("isTIP20(address)"), Getter.bool, [Getter.word(address)])
    ]),
    ([own, makers, known]): Reading<Implementer> => ({
      value:
        own.value !== reserved
          ? "code"
          : makers.value === reserved && Option.contains(known.value, true)
            ? "chain"
            : "unknown",
      observation: own.value === reserved ? known.observation : own.observation
    })
  )

/** The whole code of what the chain implements, a byte that EIP-3541 keeps from every contract. */
const reserved = "0xef"
