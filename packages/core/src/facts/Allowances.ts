import { Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import { ChainState, type Log } from "../chain/ChainState.js"
import type { Reading } from "../chain/Reading.js"
import type { Address } from "../domain/Address.js"
import type { Allowance, AllowanceSet, UnreadAllowance } from "../domain/facts/Allowance.js"
import * as Quantity from "../domain/Quantity.js"
import * as Selectors from "../evm/Selectors.js"
import * as Getter from "./Getter.js"
import * as Memo from "./Memo.js"

/**
 * What a wallet lets others move.
 *
 * @since 0.1.0
 * @category services
 */
export class Allowances extends Context.Tag("@assay/core/Allowances")<
  Allowances,
  {
    readonly of: (wallet: Address) => Effect.Effect<Reading<AllowanceSet>, ChainError>
  }
>() {}

interface Permission {
  readonly token: Address
  readonly spender: Address
}

// A wallet that was sprayed with worthless tokens can have any number of these; the newest are looked at.
const mostPermissions = 200

// Half of the largest amount: what was spent since does not make "all of it" a smaller permission.
const unlimitedFrom = 2n ** 255n

const { functions, topics } = Selectors

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const read = Effect.fn("Allowances.of")(function* (wallet: Address) {
    const owner = Getter.word(wallet)
    const { approvals, operators } = yield* Effect.all(
      {
        approvals: state.logs({ topics: [topics.Approval, owner] }),
        operators: state.logs({ topics: [topics.ApprovalForAll, owner] })
      },
      { concurrency: "unbounded" }
    )
    // An approval of one NFT has its id as a fourth topic, and ends with the token's next transfer.
    const granted = newest(approvals.value.logs.filter((log) => log.topics.length === 3))
    const appointed = newest(operators.value.logs)
    // Anybody can name any wallet in an event of a token of his own, and let that token fail when it is asked: each
    // answer stands for itself.
    const ask = (
      kind: Allowance["kind"],
      permissions: ReadonlyArray<Permission>,
      read: (wallet: Address, permission: Permission) => Effect.Effect<Option.Option<Allowance>, ChainError>
    ) =>
      Effect.forEach(
        permissions,
        (permission) =>
          Effect.match(read(wallet, permission), {
            onSuccess: (found) => ({ allowances: Option.toArray(found), unread: [] }),
            onFailure: ({ reason }) => ({ allowances: [], unread: [{ kind, ...permission, reason }] })
          }),
        { concurrency: "unbounded" }
      )
    const answers = yield* Effect.map(
      Effect.all([ask("erc20", granted.kept, erc20), ask("operator", appointed.kept, operator)], {
        concurrency: "unbounded"
      }),
      (lists) => lists.flat()
    )
    const set: AllowanceSet = {
      allowances: answers.flatMap((answer) => answer.allowances).sort(byPlace),
      unread: answers.flatMap((answer): ReadonlyArray<UnreadAllowance> => answer.unread).sort(byPlace),
      from_block: Math.max(approvals.value.fromBlock, operators.value.fromBlock),
      to_block: Math.min(approvals.value.toBlock, operators.value.toBlock),
      complete: approvals.value.complete && operators.value.complete && granted.all && appointed.all
    }
    return { value: set, observation: approvals.observation }
  })

  const erc20 = (wallet: Address, { spender, token }: Permission) =>
    Effect.map(
      Effect.all(
        {
          amount: Getter.read(state, token, functions.allowance, Getter.uint, [
            Getter.word(wallet),
            Getter.word(spender)
          ]),
          balance: Getter.read(state, token, functions.balanceOf, Getter.uint, [Getter.word(wallet)])
        },
        { concurrency: "unbounded" }
      ),
      ({ amount, balance }): Option.Option<Allowance> =>
        Option.map(
          Option.filter(amount.value, (units) => units > 0n),
          (units) => ({
            kind: "erc20",
            token,
            spender,
            amount: Quantity.make(units),
            unlimited: units >= unlimitedFrom,
            balance: Option.getOrNull(Option.map(balance.value, Quantity.make))
          })
        )
    )

  const operator = (wallet: Address, { spender, token }: Permission) =>
    Effect.map(
      Getter.read(state, token, functions.isApprovedForAll, Getter.bool, [Getter.word(wallet), Getter.word(spender)]),
      ({ value }): Option.Option<Allowance> =>
        Option.map(
          Option.filter(value, (approved) => approved),
          () => ({ kind: "operator", token, spender, amount: null, unlimited: true, balance: null })
        )
    )

  return Allowances.of({ of: yield* Memo.make((wallet: Address) => wallet, read) })
})

/**
 * Finds permissions by their events and asks each token what is in force at the pinned block: two levels.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Allowances, never, ChainState> = Layer.scoped(Allowances, make)

const newest = (logs: ReadonlyArray<Log>): { readonly kept: ReadonlyArray<Permission>; readonly all: boolean } => {
  const found = new Map<string, Permission>()
  for (const { address, topics } of [...logs].reverse()) {
    const spender = Option.flatMap(Option.fromNullable(topics[2]), Getter.addressOfWord)
    if (Option.isSome(spender)) found.set(`${address} ${spender.value}`, { token: address, spender: spender.value })
  }
  const kept = [...found.values()].slice(0, mostPermissions)
  return { kept, all: kept.length === found.size }
}

const byPlace = (
  a: Pick<Allowance, "kind" | "token" | "spender">,
  b: Pick<Allowance, "kind" | "token" | "spender">
): number => (`${a.kind}${a.token}${a.spender}` < `${b.kind}${b.token}${b.spender}` ? -1 : 1)
