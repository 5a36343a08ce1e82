/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type * as Reading from "../../chain/state/Reading.js"
import type * as Address from "../../domain/Address.js"
import type { ControllerKind } from "../../domain/Controller.js"
import type { AccountKind } from "../../domain/facts/AccountCode.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as ValueSource from "../../evm/expression/ValueSource.js"
import * as TimelockPattern from "../../evm/patterns/TimelockPattern.js"
import type { StorageFlow } from "../../evm/summary/StorageFlow.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { Code, isDead } from "../code/Code.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions } from "../code/Functions.js"
import { Proxy } from "../code/Proxy.js"
import * as Getter from "../Getter.js"
import * as AccessManagerCode from "./AccessManagerCode.js"
import { AccessManagerRoles, type ManagedMembers } from "./AccessManagerRoles.js"
import * as CallAuthorities from "./CallAuthorities.js"
import * as EffectiveCode from "./EffectiveCode.js"
import * as InspectedAccount from "./InspectedAccount.js"
import * as Roles from "./Roles.js"
import { Safe } from "./Safe.js"
import * as SafeInspection from "./SafeInspection.js"
import * as TimelockInspection from "./TimelockInspection.js"
import * as Timelocks from "./Timelocks.js"
import { UnlistedEntries } from "./UnlistedEntries.js"

/** Who can make an account act, one step back. */
export class Principals extends Context.Tag("@assay/core/Principals")<
  Principals,
  {
    readonly of: (account: Address.Address) => Effect.Effect<InspectedAccount.InspectedAccount, ChainError>
    /** Who can schedule calls with a timelock; nobody for any other account. */
    readonly planners: (account: Address.Address) => Effect.Effect<CallAuthorities.Planners, ChainError>
  }
>() {}

const { functions } = Selectors

const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const state = yield* ChainState
  const code = yield* Code
  const safe = yield* Safe
  const roles = yield* Roles.Roles
  const facts = { state, proxy: yield* Proxy, functions: yield* Functions, flows: yield* CodeReadings }
  const managers = yield* AccessManagerRoles
  const unlisted = yield* UnlistedEntries

  const get = <A>(to: Address.Address, getter: Hex, decode: Getter.Decoder<A>) => Getter.read(state, to, getter, decode)

  const gettersOf = (account: Address.Address) =>
    Together.all({
      codeAt: state.code(account),
      multisig: safe.of(account),
      minDelay: get(account, functions.getMinDelay, Getter.int),
      votingDelay: get(account, functions.votingDelay, Getter.uint),
      votingPeriod: get(account, functions.votingPeriod, Getter.uint),
      timelock: Getter.account(state, account, functions.timelock),
      owner: Getter.account(state, account, functions.owner),
      admin: Getter.account(state, account, functions.admin)
    })

  /**
   * Inspects accounts as soon as they are named, before it is known whether they count. Nobody waits for it: an account
   * can have a role of itself.
   */
  const ahead = (accounts: Effect.Effect<ReadonlyArray<Address.Address>, ChainError>) =>
    accounts.pipe(
      Effect.flatMap((all) =>
        Effect.asVoid(Together.forEach(all.slice(0, aheadAtMost), (each) => Effect.ignore(inspect(each))))
      ),
      Effect.ignore,
      Effect.forkIn(scope)
    )

  const authorities = CallAuthorities.make(state, roles, (account) => ahead(roles.given(account)))
  const timelocks = Timelocks.make(state, facts.flows, authorities)

  const inspectContract = (account: Address.Address): Effect.Effect<InspectedAccount.InspectedAccount, ChainError> =>
    Effect.gen(function* () {
      const getters = yield* gettersOf(account)
      const { codeAt, minDelay, multisig } = getters
      if (Option.isSome(multisig) && multisig.value.value.canonical)
        return yield* SafeInspection.of({ state, safe, unlisted }, account, multisig.value)
      const answering = yield* EffectiveCode.of(facts, account, codeAt.value)
      const flow = EffectiveCode.onlyFlow(answering)
      const known = knownOf(getters, flow, EffectiveCode.isPublished(answering))
      yield* ahead(Effect.succeed(known.all.map((each) => each.account)))
      const pattern = Option.flatMap(flow, TimelockPattern.of)
      if (Option.isSome(pattern)) {
        const timelock = { account, known, answering, pattern: pattern.value, minDelay }
        const inspected = yield* TimelockInspection.of({ authorities, timelocks }, timelock)
        if (Option.isSome(inspected)) return inspected.value
      }
      if (Option.exists(flow, AccessManagerCode.isManager)) {
        const [admins] = yield* Together.all([managers.administrators(account), ahead(managers.candidates(account))])
        return managerOf(admins, known, answering, codeAt.observation)
      }
      return otherContract(getters, known, yield* authorities.all(account, known, answering, noFunctions))
    })

  const planners = Effect.fn("Principals.planners")(function* (account: Address.Address) {
    const { admin, codeAt } = yield* gettersOf(account)
    const answer = yield* EffectiveCode.of(facts, account, codeAt.value)
    const pattern = Option.flatMap(EffectiveCode.onlyFlow(answer), TimelockPattern.of)
    if (Option.isNone(pattern)) return CallAuthorities.shut
    const all = Option.toArray(admin.value).map((each) => ({ power: "admin", account: each, delay: 0 }))
    return yield* timelocks.plannersOf(
      account,
      { all, isTold: EffectiveCode.isPublished(answer), variables: new Map() },
      answer,
      pattern.value
    )
  })

  // All reads of an account are sent at once, before it is known to have code, which saves a level. With many accounts,
  // such as the members of a role, that costs more calls than the level is worth.
  let speculations = speculationsAtMost

  const inspect: (account: Address.Address) => Effect.Effect<InspectedAccount.InspectedAccount, ChainError> =
    yield* OncePerKey.make(
      (account: Address.Address) => account,
      (account): Effect.Effect<InspectedAccount.InspectedAccount, ChainError> =>
        Effect.gen(function* () {
          if (isDead(account)) {
            const none = yield* state.code(account)
            return InspectedAccount.make("dead", none.observation, { acts: true })
          }
          const isSoon = speculations > 0
          if (isSoon) speculations--
          const [{ observation, value }] = yield* Together.all([
            code.of(account),
            isSoon ? Effect.ignore(gettersOf(account)) : Effect.void
          ])
          if (value.kind === "contract") return yield* inspectContract(account)
          return InspectedAccount.make(kinds[value.kind], observation, { acts: true })
        })
    )

  return Principals.of({
    of: inspect,
    planners: yield* OncePerKey.make((account: Address.Address) => account, planners)
  })
})

const kinds: { readonly [kind in Exclude<AccountKind, "contract">]: ControllerKind } = {
  eoa: "eoa",
  delegated_eoa: "delegated_eoa",
  precompile: "dead",
  // No key has been shown: a contract may be deployed there, or control it from another chain.
  empty: "unknown"
}

/** Reads what an account is in one level; who plans for a timelock, and the members of a role, in up to two more. */
export const layer: Layer.Layer<
  Principals,
  never,
  ChainState | Code | CodeReadings | Proxy | Safe | Roles.Roles | Functions | AccessManagerRoles | UnlistedEntries
> = Layer.scoped(Principals, make)

/** The answers of an account to all reads at once. */
interface Getters {
  readonly codeAt: Reading.Reading<Hex>
  readonly votingDelay: Getter.Answer<bigint>
  readonly votingPeriod: Getter.Answer<bigint>
  readonly timelock: Getter.Answer<Address.Address>
  readonly owner: Getter.Answer<Address.Address>
  readonly admin: Getter.Answer<Address.Address>
}

/** The accounts that getters name. Published code compares its caller with what its getters read; other code need not. */
const knownOf = (
  { admin, owner }: Getters,
  flow: Option.Option<StorageFlow>,
  isPublished: boolean
): CallAuthorities.Named => {
  const all = [
    ...Option.toArray(owner.value).map((account) => ({ power: "owner" as const, account, delay: 0 })),
    ...Option.toArray(admin.value).map((account) => ({ power: "admin" as const, account, delay: 0 }))
  ]
  const getters = Option.match(flow, { onNone: () => [], onSome: (one) => one.functions })
  const variables = (isPublished ? all : []).flatMap((each) =>
    (getters.find(({ selector }) => selector === functions[each.power])?.returns ?? []).map(
      ({ mask, slot }) => [CallAuthorities.variableKey(slot, ValueSource.offsetOf(BigInt(mask))), each] as const
    )
  )
  return { all, isTold: isPublished, variables: new Map(variables) }
}

/** An AccessManager does what its administrators say. Published code emits an event for every role that it grants. */
const managerOf = (
  { complete, members }: ManagedMembers,
  { isTold }: CallAuthorities.Named,
  { upgrade }: CallAuthorities.Answering,
  observation: InspectedAccount.InspectedAccount["observation"]
): InspectedAccount.InspectedAccount =>
  InspectedAccount.make("contract", observation, {
    principals: members.map(({ account, delay }) => ({ power: "role:ADMIN", account, delay })),
    acts: !isTold,
    complete: complete && upgrade.complete
  })

/** A governor, a contract that others can make act, or one of unknown rules. */
const otherContract = (
  getters: Getters,
  known: CallAuthorities.Named,
  way: CallAuthorities.Commanding
): InspectedAccount.InspectedAccount => {
  const { codeAt, owner, timelock, votingDelay, votingPeriod } = getters
  const commanded = {
    anyone: way.anyone,
    principals: way.principals,
    complete: Option.isNone(way.lost),
    lost: way.lost
  }
  if (Option.isSome(votingDelay.value) && Option.isSome(votingPeriod.value))
    return InspectedAccount.make("governor", votingDelay.observation, {
      ...commanded,
      acts: true,
      voting: {
        delay: Quantity.make(votingDelay.value.value),
        period: Quantity.make(votingPeriod.value.value)
      },
      shown: Option.toArray(timelock.value)
        .filter((account) => !isDead(account))
        .map((account) => ({ power: "timelock", account, delay: 0 }))
    })
  if (way.commands.length === 0 && way.principals.length === 0)
    return InspectedAccount.make("contract", codeAt.observation, { acts: true, shown: known.all })
  return InspectedAccount.make("contract", owner.observation, {
    ...commanded,
    // Other accounts that its code lets through, and that are not known, can have it act by its rules.
    acts: way.keepsRules || (!way.complete && Option.isNone(way.lost)),
    shown: known.all.filter((each) => !way.principals.some((other) => other.account === each.account))
  })
}

const noFunctions: ReadonlySet<string> = new Set()

const speculationsAtMost = 12

const aheadAtMost = 8
