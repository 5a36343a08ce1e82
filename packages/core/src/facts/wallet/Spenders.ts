/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as AddressBook from "../../data/AddressBook.js"
import * as KnownCode from "../../data/KnownCode.js"
import * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { AccountKind } from "../../domain/facts/AccountCode.js"
import type { UpgradePath } from "../../domain/facts/ProxyStructure.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { Code, isDead } from "../code/Code.js"
import { Proxy } from "../code/Proxy.js"
import { Control } from "../control/Control.js"
import { Allowances } from "./Allowances.js"
import type { Permission } from "./Permission.js"
import { Permit2Allowances } from "./Permit2Allowances.js"
import { type Pulling, Pulls } from "./Pulls.js"

/** Who may move what a wallet has, and what they are. */
export class Spenders extends Context.Tag("@assay/core/Spenders")<
  Spenders,
  {
    readonly of: (wallet: Address.Address) => Effect.Effect<Reading<SpenderSet>, ChainError>
  }
>() {}

/**
 * Whoever holds a permission that is in force: an ERC-20 allowance, all of a collection, or a Permit2 allowance. Of those
 * in `unread` it is not known whether they are; a lower bound unless `complete`.
 */
export interface SpenderSet {
  readonly spenders: ReadonlyArray<Spender>
  readonly unread: ReadonlyArray<Permission & { readonly reason: UnknownReason }>
  readonly complete: boolean
}

/**
 * A spender with the tokens that it may move, those that it may move only once Permit2 itself may (`later`), those of which
 * the wallet has nothing now (`idle`), and its profile, or why that was not read.
 */
export interface Spender {
  readonly address: Address.Address
  readonly tokens: ReadonlyArray<Address.Address>
  readonly later: ReadonlySet<Address.Address>
  readonly idle: ReadonlySet<Address.Address>
  readonly profile: Either.Either<Reading<SpenderProfile>, ChainError>
}

/**
 * What a spender is. `label` names one that is well known; `report` names the source that reports it for theft;
 * `controller` is who can replace its code, none where nobody can, or where `upgrade` is `unknown`. `pulls` says from
 * which accounts it takes tokens, as its code shows: none for keys, for well-known contracts, and for code that can be
 * replaced at any time.
 */
export interface SpenderProfile {
  readonly kind: AccountKind
  readonly label: Option.Option<string>
  readonly report: Option.Option<string>
  readonly upgrade: UpgradePath
  readonly controller: Option.Option<Controller.Controller>
  readonly pulls: Option.Option<Pulling>
}

// Reading what a code does takes up to a good part of a second; of the others it is not known.
const mostFollowed = 24

// Their code is read before it is known whether their permission is in force, which saves a level.
const mostAhead = 160

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const allowances = yield* Allowances
  const permit2 = yield* Permit2Allowances
  const code = yield* Code
  const proxy = yield* Proxy
  const control = yield* Control
  const pulls = yield* Pulls
  const labels = wellKnown(yield* ChainBook.of(state.chain.addressBook))

  const inspect = yield* OncePerKey.make(
    (spender: Address.Address) => spender,
    Effect.fn("Spenders.inspect")(function* (spender: Address.Address) {
      const known = Option.fromNullable(labels.get(spender))
      const runtime = yield* state.code(spender)
      const report = Option.map(KnownCode.findDelegate(spender), ({ source }) => source)
      // A label only counts where the contract is deployed.
      const label = Bytecode.isContract(runtime.value) || isDead(spender) ? known : Option.none()
      const profile = (found: Pick<SpenderProfile, "kind" | "upgrade"> & Partial<SpenderProfile>): SpenderProfile => ({
        label,
        report,
        controller: Option.none(),
        pulls: Option.none(),
        ...found
      })
      if (!Bytecode.isContract(runtime.value)) {
        const account = yield* code.of(spender)
        return { value: profile({ kind: account.value.kind, upgrade: "none" }), observation: account.observation }
      }
      const isPublished = Option.isSome(KnownCode.findRuntime(Bytecode.hash(runtime.value)))
      if (Option.isSome(label) || isPublished)
        return { value: profile({ kind: "contract", upgrade: "none" }), observation: runtime.observation }
      const fixed = { kind: "contract", upgrade: "none", pulls: Option.some<Pulling>({ kind: "unclear" }) } as const
      if (!Bytecode.runsOtherCode(Bytecode.reach(Bytecode.parse(runtime.value))))
        return { value: profile(fixed), observation: runtime.observation }
      const { observation, value } = yield* proxy.of(spender)
      const { upgrade, upgrade_authority: authority } = value
      if (value.kind === "unrecognised" || upgrade === "unknown")
        return { value: profile({ kind: "contract", upgrade: "unknown" }), observation }
      if (upgrade === "none") return { value: profile(fixed), observation }
      const controller =
        upgrade === "anyone"
          ? Controller.make("eoa")
          : authority === null
            ? Controller.make("unknown")
            : (yield* control.classify(authority)).value
      // What nobody can replace any more does what it does.
      const pulls = controller.kind === "dead" ? fixed.pulls : Option.none<Pulling>()
      return { value: profile({ kind: "contract", upgrade, controller: Option.some(controller), pulls }), observation }
    })
  )

  const follow = (spender: Address.Address, found: Reading<SpenderProfile>) =>
    Effect.map(
      pulls.of(spender),
      ({ observation, value }): Reading<SpenderProfile> => ({
        value: { ...found.value, pulls: Option.some(value) },
        observation
      })
    )

  const lookAhead = (wallet: Address.Address) =>
    Effect.flatMap(Together.all([allowances.spendersEver(wallet), permit2.spendersEver(wallet)]), (lists) =>
      Effect.asVoid(
        Together.forEach([...new Set(lists.flat())].slice(0, mostAhead), (spender) =>
          Effect.ignore(state.code(spender))
        )
      )
    )

  const read = Effect.fn("Spenders.of")(function* (wallet: Address.Address) {
    yield* Effect.fork(Effect.ignore(lookAhead(wallet)))
    const { byPermit2, direct } = yield* Together.all({ direct: allowances.of(wallet), byPermit2: permit2.of(wallet) })
    const sets = [direct.value, ...Option.toArray(Option.map(byPermit2, ({ value }) => value))]
    const inForce = [
      ...direct.value.allowances.map((each) => ({ ...each, isOpen: true })),
      ...Option.match(byPermit2, { onNone: () => [], onSome: ({ value }) => value.allowances }).map((each) => ({
        ...each,
        isOpen: each.token_allowance !== "0"
      }))
    ]
    const tokens = new Map<Address.Address, Map<Address.Address, boolean>>()
    for (const { isOpen, spender, token } of inForce) {
      const held = tokens.get(spender) ?? new Map<Address.Address, boolean>()
      tokens.set(spender, held.set(token, isOpen || held.get(token) === true))
    }
    const inspected = yield* Together.forEach(
      [...tokens].sort(([x], [y]) => (x < y ? -1 : 1)),
      ([address, held]) => Effect.map(Effect.either(inspect(address)), (profile) => ({ address, held, profile }))
    )
    const takers = new Set(
      inForce.filter(({ balance, isOpen }) => isOpen && balance !== "0").map(({ spender }) => spender)
    )
    // A balance that was not read may be anything, and a collection has none of one number.
    const idle = (spender: Address.Address, token: Address.Address): boolean =>
      inForce.every((each) => each.spender !== spender || each.token !== token || each.balance === "0")
    const isHeld = ({ spender, token }: Permission) => tokens.get(spender)?.has(token) === true
    const unread = sets.flatMap(
      (each): ReadonlyArray<SpenderSet["unread"][number]> => each.unread.filter((permission) => !isHeld(permission))
    )
    // Who was lost keeps the place that he might have: nobody else is followed instead of him.
    const lost = new Set([
      ...unread.map(({ spender }) => spender),
      ...inspected.flatMap(({ address, profile }) => (Either.isLeft(profile) ? [address] : []))
    ])
    const fixed = inspected.flatMap(({ address, profile }) =>
      Either.isRight(profile) && Option.isSome(profile.right.value.pulls) ? [address] : []
    )
    const known = fixed.filter((address) => !lost.has(address))
    const first = [...lost, ...known.sort((x, y) => Number(takers.has(y)) - Number(takers.has(x)))]
    const followed = new Set(first.slice(0, mostFollowed).filter((address) => fixed.includes(address)))
    const spenders = yield* Together.forEach(inspected, ({ address, held, profile }) =>
      Effect.map(
        Either.isRight(profile) && followed.has(address)
          ? Effect.either(follow(address, profile.right))
          : Effect.succeed(profile),
        (answer): Spender => ({
          address,
          tokens: [...held.keys()].sort(),
          later: new Set([...held].flatMap(([token, isOpen]) => (isOpen ? [] : [token]))),
          idle: new Set([...held.keys()].filter((token) => idle(address, token))),
          profile: answer
        })
      )
    )
    const set: SpenderSet = {
      spenders,
      unread,
      complete: sets.every(({ complete }) => complete)
    }
    return { value: set, observation: direct.observation }
  })

  return Spenders.of({ of: yield* OncePerKey.make((wallet: Address.Address) => wallet, read) })
})

/**
 * Classifies spenders in the level that reads whether their permission is in force, and one after it. The controller of
 * one with replaceable code takes a level more per hop.
 */
export const layer: Layer.Layer<
  Spenders,
  never,
  ChainState | Allowances | Permit2Allowances | Code | Proxy | Control | Pulls
> = Layer.scoped(Spenders, make)

/** Widely approved contracts with published and fixed code, and addresses that nobody can act for. */
const wellKnown = ({ addresses }: ChainBook.ChainBook): ReadonlyMap<Address.Address, string> => {
  const { exchanges, spenders } = Option.getOrElse(addresses, () => ({
    exchanges: [],
    spenders: []
  }))
  return new Map([
    ...AddressBook.burnAddresses.map((burned) => [Address.checksum(burned), "burn address"] as const),
    [Address.checksum(AddressBook.permit2), "Permit2"],
    ...spenders.map(({ address, name }) => [Address.checksum(address), name] as const),
    ...exchanges.flatMap((exchange) => [
      ...named(exchange.kind === "uniswap-v3" ? exchange.nfpm : undefined, `${exchange.name} positions`),
      ...named(exchange.kind === "uniswap-v2" ? exchange.router : exchange.swapRouter, `${exchange.name} router`)
    ])
  ])
}

/** An account with its name; nothing where it is not known. */
const named = (account: Hex | undefined, name: string): ReadonlyArray<readonly [Address.Address, string]> =>
  account === undefined ? [] : [[Address.checksum(account), name]]
