/** @internal */

import { Effect, Option } from "effect"
import type { ChainState } from "../../chain/state/ChainState.js"
import type * as Address from "../../domain/Address.js"
import type { PoolVault } from "../../domain/facts/PoolVault.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as KnownRuntime from "../../evm/bytecode/KnownRuntime.js"
import * as Together from "../../runtime/Together.js"
import type { Holding } from "./ExchangeCandidates.js"

/**
 * What may be a larger market of a token than its pools that were proved: contracts that hold more of it, and why there may be more
 * such contracts; none where there are not.
 */
export interface Unproved {
  readonly vaults: ReadonlyArray<PoolVault>
  readonly gap: Option.Option<string>
}

/**
 * The holders of a token that are no proved pool: `looked` with the code that was read of them, `beyond` the next largest, none where
 * they are not known. `gap` is why events may name more pools.
 */
export interface Holders {
  readonly looked: ReadonlyArray<Holding>
  readonly codeOf: (address: Address.Address) => Option.Option<Hex>
  readonly beyond: Option.Option<ReadonlyArray<Holding>>
  readonly gap: Option.Option<string>
}

/** Holders beyond those that are looked at in any case, and of which the code is read. */
const mostBeyond = 224

/**
 * A contract that holds more of the token than the pools counts, unless its code is a published build of something else. An account
 * without code is no market, so that only the code of further holders is read, and only where they hold more. Where it was not
 * read of all of them, a market may be among them. Where the transfers were not all read, further holders are not known: that counts
 * only beside events of pools that were not all read either.
 */
export const of =
  (state: ChainState["Type"], { beyond, codeOf, gap, looked }: Holders) =>
  (held: bigint): Effect.Effect<Unproved> => {
    const isMore = ([, amount]: Holding) => amount > held
    const near = looked.filter(isMore).map((holding): Read => [holding, codeOf(holding[0])])
    const further = Option.getOrElse(beyond, () => []).filter(isMore)
    return Effect.map(
      Together.forEach(further.slice(0, mostBeyond), (holding) =>
        Effect.map(
          Effect.option(state.code(holding[0])),
          (code): Read => [holding, Option.map(code, ({ value }) => value)]
        )
      ),
      (read) => {
        const contracts = read.filter(([, code]) => Option.exists(code, (each) => isOpen(each) || isPool(each)))
        const unread =
          [...near, ...read].filter(([, code]) => Option.isNone(code)).length + further.length - read.length
        return {
          vaults: [...near.filter(([, code]) => Option.exists(code, isOpen)), ...contracts].map(([holding]) =>
            vaultOf(holding)
          ),
          gap:
            unread > 0
              ? Option.some(`not looked at: ${unread} holders with more of the token than its pools`)
              : Option.filter(gap, () => Option.isNone(beyond) || contracts.length > 0)
        }
      }
    )
  }

/** A holder with its code, none where that was not read. */
type Read = readonly [Holding, Option.Option<Hex>]

const isOpen = (code: Hex): boolean => Bytecode.isContract(code) && Option.isNone(KnownRuntime.identify(code))

// Who holds less than those that are looked at, is not read as a pool.
const isPool = (code: Hex): boolean => Option.exists(KnownRuntime.identify(code), ({ name }) => pools.has(name))

const pools: ReadonlySet<string> = new Set(["UniswapV2Pair", "UniswapV3Pool", "PoolManager"])

const vaultOf = ([vault, amount]: Holding): PoolVault => ({
  exchange: "a contract of unknown code",
  vault,
  amount: Quantity.make(amount)
})
