import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import { ChainState, type Log } from "../chain/ChainState.js"
import type { Reading } from "../chain/Reading.js"
import * as Together from "../chain/Together.js"
import type { Address } from "../domain/Address.js"
import type { Allowance, AllowanceSet } from "../domain/facts/Allowance.js"
import * as Quantity from "../domain/Quantity.js"
import * as Selectors from "../evm/Selectors.js"
import * as BatchRead from "./BatchRead.js"
import * as Getter from "./Getter.js"
import * as Memo from "./Memo.js"
import { byPlace, newest, type Permission } from "./Permission.js"

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
    /** Who was ever given a permission, newest first, whether it still is in force: known a level earlier. */
    readonly spendersEver: (wallet: Address) => Effect.Effect<ReadonlyArray<Address>, ChainError>
  }
>() {}

// Spam is what makes a wallet have more of these; the newest are looked at.
const mostPermissions = 1_200

// Those are asked one by one, each with an observation of its own; older ones many in one call.
const mostAlone = { erc20: 80, operator: 40 } as const

const mostInForce = { erc20: 160, operator: 40 } as const

// Half of the largest amount: what was spent since does not make "all of it" a smaller permission.
const unlimitedFrom = 2n ** 255n

const { functions, topics } = Selectors

const make = Effect.gen(function* () {
  const state = yield* ChainState

  const find = yield* Memo.make(
    (wallet: Address) => wallet,
    Effect.fn("Allowances.find")(function* (wallet: Address) {
      const scan = yield* state.logs({ topics: [[topics.Approval, topics.ApprovalForAll], Getter.word(wallet)] })
      // An approval of one NFT has its id as a fourth topic, and ends with the token's next transfer.
      const approvals = scan.value.logs.filter((log) => log.topics[0] === topics.Approval && log.topics.length === 3)
      const operators = scan.value.logs.filter((log) => log.topics[0] === topics.ApprovalForAll)
      return {
        scan,
        erc20: newest(approvals, placeOf, mostPermissions),
        operator: newest(operators, placeOf, mostPermissions)
      }
    })
  )

  const read = Effect.fn("Allowances.of")(function* (wallet: Address) {
    const { erc20, operator, scan } = yield* find(wallet)
    const { approvals, operators } = yield* Together.all({
      approvals: ask("erc20", wallet, erc20.kept),
      operators: ask("operator", wallet, operator.kept)
    })
    const set: AllowanceSet = {
      allowances: [...approvals.allowances, ...operators.allowances].sort(byPlace),
      unread: [...approvals.unread, ...operators.unread].sort(byPlace),
      from_block: scan.value.fromBlock,
      to_block: scan.value.toBlock,
      complete: scan.value.complete && erc20.all && operator.all && approvals.all && operators.all
    }
    return { value: set, observation: scan.observation }
  })

  const ask = (kind: Allowance["kind"], wallet: Address, permissions: ReadonlyArray<Permission>) =>
    Effect.gen(function* () {
      const [each, rest] = yield* Together.all([
        Together.forEach(permissions.slice(0, mostAlone[kind]), (permission) =>
          Effect.map(Effect.either(alone[kind](wallet, permission)), (found) => ({ permission, found }))
        ),
        together(kind, wallet, permissions.slice(mostAlone[kind]))
      ])
      // Anybody can name any wallet in an event of a token of his own, and let that token burn the node's gas or flood
      // it when it is asked. In a batch it can do neither, so that what it does not answer there is its own failure.
      const failed = each.flatMap(({ found, permission }) =>
        Either.isLeft(found) ? [{ ...permission, reason: found.left.reason }] : []
      )
      const second = yield* together(kind, wallet, failed)
      const inForce = [
        ...each.flatMap(({ found }) => (Either.isRight(found) ? Option.toArray(found.right) : [])),
        ...Option.getOrElse(second, () => []),
        ...Option.getOrElse(rest, () => [])
      ]
      return {
        allowances: inForce.slice(0, mostInForce[kind]),
        unread: Option.isSome(second)
          ? []
          : failed.map(({ reason, spender, token }) => ({ kind, token, spender, reason })),
        all: Option.isSome(rest) && inForce.length <= mostInForce[kind]
      }
    })

  const alone = {
    erc20: (wallet: Address, permission: Permission) =>
      Effect.map(
        Together.all({
          amount: Getter.read(state, permission.token, functions.allowance, Getter.uint, words(wallet, permission)),
          balance: Getter.read(state, permission.token, functions.balanceOf, Getter.uint, [Getter.word(wallet)])
        }),
        ({ amount, balance }) => spending(permission, amount.value, balance.value)
      ),
    operator: (wallet: Address, permission: Permission) =>
      Effect.map(
        Getter.read(state, permission.token, functions.isApprovedForAll, Getter.bool, words(wallet, permission)),
        ({ value }) => operating(permission, value)
      )
  }

  const together = (
    kind: Allowance["kind"],
    wallet: Address,
    permissions: ReadonlyArray<Permission>
  ): Effect.Effect<Option.Option<ReadonlyArray<Allowance>>> =>
    permissions.length === 0
      ? Effect.succeedSome([])
      : Effect.option(
          Effect.map(
            BatchRead.all(
              state,
              permissions.flatMap((permission) =>
                kind === "erc20"
                  ? [
                      BatchRead.get(permission.token, functions.allowance, words(wallet, permission)),
                      BatchRead.balanceOf(permission.token, wallet)
                    ]
                  : [BatchRead.get(permission.token, functions.isApprovedForAll, words(wallet, permission))]
              ),
              { readsPerCall: BatchRead.hostileReads }
            ),
            ({ value }) =>
              permissions.flatMap((permission, place) =>
                Option.toArray(
                  kind === "erc20"
                    ? spending(permission, first(value[2 * place]), first(value[2 * place + 1]))
                    : operating(
                        permission,
                        Option.map(first(value[place]), (answer) => answer === 1n)
                      )
                )
              )
          )
        )

  const spendersEver = (wallet: Address) =>
    Effect.map(find(wallet), ({ erc20, operator }) => [
      ...new Set([...erc20.kept, ...operator.kept].map(({ spender }) => spender))
    ])

  return Allowances.of({ of: yield* Memo.make((wallet: Address) => wallet, read), spendersEver })
})

/**
 * Finds permissions by their events and asks each token what is in force at the pinned block: two levels.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Allowances, never, ChainState> = Layer.scoped(Allowances, make)

const placeOf = ({ address, topics }: Log) => ({ token: Getter.word(address), spender: topics[2] })

const words = (wallet: Address, { spender }: Permission) => [Getter.word(wallet), Getter.word(spender)]

const first = (answer: BatchRead.Answer | undefined): Option.Option<bigint> => Option.fromNullable(answer?.[0])

const spending = (
  { spender, token }: Permission,
  amount: Option.Option<bigint>,
  balance: Option.Option<bigint>
): Option.Option<Allowance> =>
  Option.map(
    Option.filter(amount, (units) => units > 0n),
    (units) => ({
      kind: "erc20",
      token,
      spender,
      amount: Quantity.make(units),
      unlimited: units >= unlimitedFrom,
      balance: Option.getOrNull(Option.map(balance, Quantity.make))
    })
  )

const operating = ({ spender, token }: Permission, approved: Option.Option<boolean>): Option.Option<Allowance> =>
  Option.map(
    Option.filter(approved, (given) => given),
    () => ({ kind: "operator", token, spender, amount: null, unlimited: true, balance: null })
  )
