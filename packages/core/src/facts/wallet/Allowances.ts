/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState, type Log } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as AddressBook from "../../data/AddressBook.js"
import { type Address, checksum } from "../../domain/Address.js"
import type { Allowance, AllowanceSet } from "../../domain/facts/Allowance.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions } from "../code/Functions.js"
import * as Getter from "../Getter.js"
import * as CoinOperators from "./CoinOperators.js"
import * as DeniedAllowances from "./DeniedAllowances.js"
import * as ItemApprovals from "./ItemApprovals.js"
import { byPlace, keyOf, newest, type Permission, toOthers } from "./Permission.js"
import * as UnannouncedApprovals from "./UnannouncedApprovals.js"

/** What a wallet lets others move. */
export class Allowances extends Context.Tag("@assay/core/Allowances")<
  Allowances,
  {
    readonly of: (wallet: Address) => Effect.Effect<Reading<AllowanceSet>, ChainError>
    /** Who was ever given a permission, newest first, whether it still is in force: known a level earlier. */
    readonly spendersEver: (wallet: Address) => Effect.Effect<ReadonlyArray<Address>, ChainError>
    /**
     * The transaction of the newest event by which a permission in force was given: of those that were announced last, and
     * none of others.
     */
    readonly announcedIn: (wallet: Address, permission: Permission) => Effect.Effect<Option.Option<Hex>, ChainError>
    /** Tokens of the wallet that may give allowances without an event; the set is not complete because of them. */
    readonly unannounced: (wallet: Address) => Effect.Effect<ReadonlyArray<Address>, ChainError>
  }
>() {}

// Spam is what makes a wallet have more of these; the newest of each token are looked at.
const mostPermissions = 1_200

// How many are read one by one, each with an observation of its own; older ones are read many in one call.
const mostAlone = { erc20: 80, operator: 40, coin: 12 } as const

// Coins that name the amount as collections name the item are few.
const mostIndexed = 40

const mostInForce = { erc20: 160, operator: 40, coin: 40 } as const

// A token that makes up allowances makes up many; the most that are examined of one token, so that others get their
// part.
const mostOfAToken = 48

// A transaction for each, and a simulation of those that others sent. Spam makes a wallet have more of them.
const mostAnnounced = 24

// Half of the largest amount: an unlimited allowance stays one after some of it was spent.
const unlimitedFrom = 2n ** 255n

const { functions, topics } = Selectors

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const sources = { state, functions: yield* Functions, flows: yield* CodeReadings }
  const usual = usualSpenders(yield* ChainBook.of(state.chain.addressBook))

  const find = yield* OncePerKey.make(
    (wallet: Address) => wallet,
    Effect.fn("Allowances.find")(function* (wallet: Address) {
      const { coins, received, scan } = yield* Together.all({
        received: Effect.either(state.logs({ topics: [topics.Transfer, null, Getter.word(wallet)] })),
        scan: state.logs({ topics: [[topics.Approval, topics.ApprovalForAll], Getter.word(wallet)] }),
        coins: CoinOperators.named(state, wallet)
      })
      const given = toOthers(scan.value.logs, placeOf, wallet)
      const approvals = given.filter((log) => log.topics[0] === topics.Approval && log.topics.length === 3)
      const operators = given.filter((log) => log.topics[0] === topics.ApprovalForAll)
      return {
        scan,
        indexed: given.filter((log) => log.topics[0] === topics.Approval && log.topics.length === 4),
        erc20: newest(approvals, placeOf, mostPermissions),
        operator: newest(operators, placeOf, mostPermissions),
        items: ItemApprovals.named(scan.value.logs),
        coins,
        received: Either.map(received, ({ value }) => value),
        announced: transactionsOf(given.filter(({ topics }) => topics.length === 3))
      }
    })
  )

  const silent = yield* OncePerKey.make(
    (wallet: Address) => wallet,
    Effect.fn("Allowances.unannounced")(function* (wallet: Address) {
      const { received, scan } = yield* find(wallet)
      const { complete, logs } = yield* received
      const found = yield* UnannouncedApprovals.of(sources, wallet, { approvals: scan.value.logs, received: logs })
      return { ...found, all: found.all && complete }
    })
  )

  const read = Effect.fn("Allowances.of")(function* (wallet: Address) {
    const { announced, coins, erc20, indexed, items, operator, scan } = yield* find(wallet)
    const { approvals, approved, authorised, defaults, operators, unannounced } = yield* Together.all({
      unannounced: Effect.either(silent(wallet)),
      approvals: ask("erc20", wallet, erc20.kept),
      operators: ask("operator", wallet, operator.kept),
      authorised: ask("coin", wallet, coins.authorised),
      defaults: CoinOperators.defaults(state, wallet, coins.coins),
      approved: ItemApprovals.inForce(state, wallet, items.kept)
    })
    const others = Option.match(approved, { onNone: () => new Set<Address>(), onSome: (found) => found.others })
    const further = newest(
      indexed.filter(({ address }) => others.has(address)),
      placeOf,
      mostIndexed
    )
    const known = new Set(coins.authorised.map(keyOf))
    const silentTokens = Either.match(unannounced, { onLeft: () => [], onRight: ({ tokens }) => tokens })
    const { byDefault, unannouncedApprovals, honoured, indexedApprovals } = yield* Together.all({
      byDefault: ask(
        "coin",
        wallet,
        defaults.permissions.filter((permission) => !known.has(keyOf(permission)))
      ),
      honoured: DeniedAllowances.honoured(
        state,
        wallet,
        approvals.denied.flatMap((permission) =>
          Option.match(Option.fromNullable(announced.get(keyOf(permission))), {
            onNone: () => [],
            onSome: (transaction) => [{ ...permission, transaction }]
          })
        )
      ),
      indexedApprovals: ask("erc20", wallet, further.kept),
      // For tokens without events, the most common spenders are checked.
      unannouncedApprovals: ask(
        "erc20",
        wallet,
        silentTokens
          .slice(0, mostUnannounced)
          .flatMap((token) => usual.filter((spender) => spender !== wallet).map((spender) => ({ token, spender })))
      )
    })
    const set: AllowanceSet = {
      allowances: [
        ...approvals.allowances,
        ...indexedApprovals.allowances,
        ...unannouncedApprovals.allowances,
        ...operators.allowances,
        ...authorised.allowances,
        ...byDefault.allowances,
        ...Option.match(approved, { onNone: () => [], onSome: (found) => found.allowances })
      ].sort(byPlace),
      unread: [
        ...approvals.unread,
        ...indexedApprovals.unread,
        ...honoured.unread,
        ...operators.unread,
        ...authorised.unread,
        ...byDefault.unread
      ].sort(byPlace),
      from_block: scan.value.fromBlock,
      to_block: scan.value.toBlock,
      complete:
        scan.value.complete &&
        erc20.all &&
        operator.all &&
        items.all &&
        approvals.all &&
        further.all &&
        indexedApprovals.all &&
        operators.all &&
        honoured.all &&
        coins.all &&
        authorised.all &&
        defaults.all &&
        byDefault.all &&
        Option.isSome(approved) &&
        Option.exists(Either.getRight(unannounced), ({ all, tokens }) => all && tokens.length === 0)
    }
    return { value: set, observation: scan.observation }
  })

  const ask = (kind: Asked, wallet: Address, permissions: ReadonlyArray<Permission>) =>
    Effect.gen(function* () {
      const [each, rest] = yield* Together.all([
        Together.forEach(permissions.slice(0, mostAlone[kind]), (permission) =>
          Effect.map(Effect.either(alone[kind](wallet, permission)), (found) => ({ permission, found }))
        ),
        together(kind, wallet, permissions.slice(mostAlone[kind]))
      ])
      // Anyone can name a wallet in an event of his own token, and let that token waste the node's gas or flood it when
      // it is called. In a batch it can do neither, so a missing answer there is the token's own failure.
      const failed = each.flatMap(({ found, permission }) =>
        Either.isLeft(found) ? [{ ...permission, reason: found.left.reason }] : []
      )
      const second = yield* together(kind, wallet, failed)
      const answers = [
        ...each.flatMap(({ found }) => (Either.isRight(found) ? [found.right] : [])),
        ...Option.getOrElse(second, () => []),
        ...Option.getOrElse(rest, () => [])
      ]
      const known = new Map(answers.map((answer) => [keyOf(answer.permission), answer]))
      const inOrder = permissions.map((permission) => ({ permission, answer: known.get(keyOf(permission)) }))
      // A lost answer keeps its place: no other permission takes it.
      const claimed = inOrder.flatMap(
        ({ answer, permission }): ReadonlyArray<Claimed> =>
          answer === undefined
            ? [{ permission, allowance: Option.none() }]
            : Option.isSome(answer.allowance)
              ? [answer]
              : []
      )
      const told = fewOfEach(claimed).slice(0, mostInForce[kind])
      return {
        allowances: told.flatMap(({ allowance }) => Option.toArray(allowance)),
        denied: inOrder.flatMap(({ answer, permission }) =>
          answer !== undefined && Option.isNone(answer.allowance) && Option.isSome(answer.balance)
            ? [{ ...permission, balance: answer.balance.value }]
            : []
        ),
        unread: Option.isSome(second)
          ? []
          : failed.map(({ reason, spender, token }) => ({
              kind: kind === "coin" ? "operator" : kind,
              token,
              spender,
              reason
            })),
        all: Option.isSome(rest) && told.length === claimed.length
      }
    })

  const alone = {
    erc20: (wallet: Address, permission: Permission) =>
      Effect.map(
        Together.all({
          amount: Getter.read(state, permission.token, functions.allowance, Getter.uint, words(wallet, permission)),
          balance: Getter.read(state, permission.token, functions.balanceOf, Getter.uint, [Getter.word(wallet)]),
          supply: Getter.read(state, permission.token, functions.totalSupply, Getter.uint)
        }),
        ({ amount, balance, supply }) => spending(permission, amount.value, balance.value, supply.value)
      ),
    operator: (wallet: Address, permission: Permission) =>
      Effect.map(
        Getter.read(state, permission.token, functions.isApprovedForAll, Getter.bool, words(wallet, permission)),
        ({ value }) => operating(permission, value, Option.none())
      ),
    coin: (wallet: Address, permission: Permission) =>
      Effect.map(
        Together.all({
          approved: Getter.read(state, permission.token, isOperatorFor, Getter.bool, ofOperator(wallet, permission)),
          balance: Getter.read(state, permission.token, functions.balanceOf, Getter.uint, [Getter.word(wallet)])
        }),
        ({ approved, balance }) => operating(permission, approved.value, balance.value)
      )
  }

  const together = (
    kind: Asked,
    wallet: Address,
    permissions: ReadonlyArray<Permission>
  ): Effect.Effect<Option.Option<ReadonlyArray<Answered>>> =>
    permissions.length === 0
      ? Effect.succeedSome([])
      : Effect.option(
          Effect.map(
            BatchRead.all(
              state,
              permissions.flatMap((permission) => many[kind].reads(wallet, permission)),
              { readsPerCall: BatchRead.hostileReads }
            ),
            ({ value }) => {
              const { answered, count } = many[kind]
              return permissions.map((permission, place) =>
                answered(permission, value.slice(count * place, count * (place + 1)).map(first))
              )
            }
          )
        )

  const spendersEver = (wallet: Address) =>
    Effect.map(find(wallet), ({ coins, erc20, operator }) => [
      ...new Set([...erc20.kept, ...operator.kept, ...coins.authorised].map(({ spender }) => spender))
    ])

  const inForce = yield* OncePerKey.make((wallet: Address) => wallet, read)

  const announcedLast = yield* OncePerKey.make(
    (wallet: Address) => wallet,
    (wallet) =>
      Effect.map(Together.all([find(wallet), inForce(wallet)]), ([{ announced }, { value }]) => {
        const given = new Set(value.allowances.map(keyOf))
        return new Map([...announced].filter(([key]) => given.has(key)).slice(-mostAnnounced))
      })
  )

  return Allowances.of({
    of: inForce,
    spendersEver,
    announcedIn: (wallet, permission) =>
      Effect.map(announcedLast(wallet), (last) => Option.fromNullable(last.get(keyOf(permission)))),
    unannounced: (wallet) => Effect.map(silent(wallet), ({ tokens }) => tokens)
  })
})

/**
 * Finds permissions by their events and reads from each token what is in force at the pinned block: two levels, and a
 * third where a token denies what was announced, knows no owner of the items that its events seem to name, or has
 * operators for everybody.
 */
export const layer: Layer.Layer<Allowances, never, ChainState | CodeReadings | Functions> = Layer.scoped(
  Allowances,
  make
)

/** The most common spenders of a chain. */
const usualSpenders = ({ addresses }: ChainBook.ChainBook): ReadonlyArray<Address> => {
  const listed = Option.match(addresses, {
    onNone: () => [],
    onSome: ({ exchanges, spenders }) => [
      ...spenders.map(({ address }) => address),
      ...exchanges.flatMap((exchange) => (exchange.kind === "uniswap-v2" ? exchange.router : exchange.swapRouter) ?? [])
    ]
  })
  return [...new Set([AddressBook.permit2, ...listed].map(checksum))].slice(0, mostUsual)
}

const mostUsual = 16

const mostUnannounced = 4

const placeOf = ({ address, topics }: Log) => ({ token: Getter.word(address), spender: topics[2] })

const words = (wallet: Address, { spender }: Permission) => [Getter.word(wallet), Getter.word(spender)]

const first = (answer: BatchRead.Answer | undefined): Option.Option<bigint> => Option.fromNullable(answer?.[0])

// https://eips.ethereum.org/EIPS/eip-777
const isOperatorFor = Selectors.selector("isOperatorFor(address,address)")

const ofOperator = (wallet: Address, { spender }: Permission) => [Getter.word(spender), Getter.word(wallet)]

/** Kinds that are read permission by permission. For an ERC-777 coin, the operator comes first. */
type Asked = "erc20" | "operator" | "coin"

/** A permission with its allowance; none where the read was lost. */
interface Claimed {
  readonly permission: Permission
  readonly allowance: Option.Option<Allowance>
}

/** What a token said of one: none where it is not in force. */
interface Answered extends Claimed {
  readonly balance: Option.Option<bigint>
}

const spending = (
  permission: Permission,
  amount: Option.Option<bigint>,
  balance: Option.Option<bigint>,
  supply: Option.Option<bigint>
): Answered => ({
  permission,
  balance,
  allowance: Option.map(
    Option.filter(amount, (units) => units > 0n),
    (units) => ({
      kind: "erc20",
      token: permission.token,
      spender: permission.spender,
      amount: Quantity.make(units),
      // Some tokens keep allowances in fewer bits, and nobody can take more than there is.
      unlimited: units >= unlimitedFrom || Option.exists(supply, (all) => all > 0n && units >= all),
      balance: Option.getOrNull(Option.map(balance, Quantity.make))
    })
  )
})

const operating = (
  permission: Permission,
  approved: Option.Option<boolean>,
  balance: Option.Option<bigint>
): Answered => ({
  permission,
  balance,
  allowance: Option.map(
    Option.filter(approved, (given) => given),
    () => ({
      kind: "operator",
      token: permission.token,
      spender: permission.spender,
      amount: null,
      unlimited: true,
      balance: Option.getOrNull(Option.map(balance, Quantity.make))
    })
  )
})

/** The same, many in one call: `count` reads of each. */
const many: {
  readonly [kind in Asked]: {
    readonly count: number
    readonly reads: (wallet: Address, permission: Permission) => ReadonlyArray<BatchRead.Read>
    readonly answered: (permission: Permission, answers: ReadonlyArray<Option.Option<bigint>>) => Answered
  }
} = {
  erc20: {
    count: 3,
    reads: (wallet, permission) => [
      BatchRead.get(permission.token, functions.allowance, words(wallet, permission)),
      BatchRead.balanceOf(permission.token, wallet),
      BatchRead.get(permission.token, functions.totalSupply)
    ],
    answered: (permission, [amount = Option.none(), balance = Option.none(), supply = Option.none()]) =>
      spending(permission, amount, balance, supply)
  },
  operator: {
    count: 1,
    reads: (wallet, permission) => [
      BatchRead.get(permission.token, functions.isApprovedForAll, words(wallet, permission))
    ],
    answered: (permission, [approved = Option.none()]) => operating(permission, isYes(approved), Option.none())
  },
  coin: {
    count: 2,
    reads: (wallet, permission) => [
      BatchRead.get(permission.token, isOperatorFor, ofOperator(wallet, permission)),
      BatchRead.balanceOf(permission.token, wallet)
    ],
    answered: (permission, [approved = Option.none(), balance = Option.none()]) =>
      operating(permission, isYes(approved), balance)
  }
}

const isYes = (answer: Option.Option<bigint>): Option.Option<boolean> => Option.map(answer, (word) => word === 1n)

const fewOfEach = (claimed: ReadonlyArray<Claimed>): ReadonlyArray<Claimed> => {
  const counts = new Map<Address, number>()
  return claimed.filter(({ permission: { token } }) => {
    const count = (counts.get(token) ?? 0) + 1
    counts.set(token, count)
    return count <= mostOfAToken
  })
}

/** The permissions of which the newest event says that they are of something, with the transaction that it came by. */
const transactionsOf = (approvals: ReadonlyArray<Log>): ReadonlyMap<string, Hex> => {
  const announced = new Map<string, Hex>()
  for (const log of approvals) {
    const spender = Option.flatMap(Option.fromNullable(log.topics[2]), Getter.addressOfWord)
    if (Option.isNone(spender)) continue
    const key = keyOf({ token: log.address, spender: spender.value })
    // The newest last.
    announced.delete(key)
    if (Option.exists(Getter.uint(log.data), (amount) => amount > 0n)) announced.set(key, log.transactionHash)
  }
  return announced
}
