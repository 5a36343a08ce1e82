/** @internal */

import { Effect, Option } from "effect"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { Allowance } from "../../domain/facts/Allowance.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as BatchRead from "../BatchRead.js"
import * as Getter from "../Getter.js"
import { keyOf, type Permission } from "./Permission.js"

/** An item of a collection for which an approval was once announced. */
export interface Item {
  readonly token: Address
  readonly id: Hex
}

// Each is two reads; the newest are looked at.
const mostItems = 120

/**
 * The items that `Approval` events with an id name, each once, newest first. `all` says that none was left out.
 *
 * @see https://eips.ethereum.org/EIPS/eip-721
 */
export const named = (logs: ReadonlyArray<Log>): { readonly kept: ReadonlyArray<Item>; readonly all: boolean } => {
  const found = new Map<string, Item>()
  for (const { address, topics } of [...logs].reverse()) {
    const id = topics[3]
    if (topics[0] === Selectors.topics.Approval && id !== undefined)
      found.set(`${address} ${id}`, { token: address, id })
  }
  const kept = [...found.values()].slice(0, mostItems)
  return { kept, all: kept.length === found.size }
}

/**
 * Who may move items, by collection and spender. Tokens in `others` have no owner for any item in their events: they
 * may be coins, with an amount where the events of a collection have the item.
 */
export interface Approved {
  readonly allowances: ReadonlyArray<Allowance>
  readonly others: ReadonlySet<Address>
}

/**
 * Who may move items that the wallet has now; none where the reads failed. Events are not enough: a transfer ends an
 * approval without an event.
 */
export const inForce = (
  state: ChainState["Type"],
  wallet: Address,
  items: ReadonlyArray<Item>
): Effect.Effect<Option.Option<Approved>> =>
  items.length === 0
    ? Effect.succeedSome({ allowances: [], others: new Set() })
    : Effect.option(
        Effect.map(
          BatchRead.all(
            state,
            items.flatMap(({ id, token }) => [
              BatchRead.get(token, Selectors.functions.ownerOf, [id]),
              BatchRead.get(token, getApproved, [id])
            ]),
            { readsPerCall: BatchRead.hostileReads }
          ),
          ({ value }) => {
            const counts = new Map<string, Permission & { readonly count: bigint }>()
            const others = new Set(items.map(({ token }) => token))
            items.forEach(({ token }, place) => {
              const owner = accountIn(value[2 * place])
              if (Option.isSome(owner)) others.delete(token)
              const spender = accountIn(value[2 * place + 1])
              // What a wallet lets itself move it may move anyway.
              if (Option.isNone(spender) || spender.value === wallet || !Option.contains(owner, wallet)) return
              const permission = { token, spender: spender.value }
              const key = keyOf(permission)
              counts.set(key, { ...permission, count: (counts.get(key)?.count ?? 0n) + 1n })
            })
            const allowances = [...counts.values()].map(
              ({ count, spender, token }): Allowance => ({
                kind: "items",
                token,
                spender,
                amount: Quantity.make(count),
                unlimited: false,
                balance: null
              })
            )
            return { allowances, others }
          }
        )
      )

const getApproved = Selectors.selector("getApproved(uint256)")

const accountIn = (answer: BatchRead.Answer | undefined): Option.Option<Address> =>
  Option.flatMap(Option.fromNullable(answer?.[0]), (word) => Getter.storedAddress(Getter.word(word)))
