import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/ChainState.js"
import type * as Reading from "../../chain/Reading.js"
import * as Together from "../../chain/Together.js"
import type * as Address from "../../domain/Address.js"
import type { ControllerKind } from "../../domain/Controller.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { AccountKind } from "../../domain/facts/AccountCode.js"
import type { SafeAccount } from "../../domain/facts/SafeAccount.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as ValueSource from "../../evm/expression/ValueSource.js"
import * as TimelockPattern from "../../evm/patterns/TimelockPattern.js"
import { Code, isDead } from "../code/Code.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions } from "../code/Functions.js"
import { Proxy } from "../code/Proxy.js"
import * as Getter from "../Getter.js"
import * as OncePerKey from "../OncePerKey.js"
import * as AccessManagerCode from "./AccessManagerCode.js"
import { AccessManagerRoles } from "./AccessManagerRoles.js"
import * as CallAuthorities from "./CallAuthorities.js"
import * as EffectiveCode from "./EffectiveCode.js"
import * as Quorum from "./Quorum.js"
import * as Roles from "./Roles.js"
import * as Safes from "./Safe.js"
import * as Timelocks from "./Timelocks.js"
import { UnlistedEntries } from "./UnlistedEntries.js"

/**
 * What an account is, and who can make it act.
 *
 * `acts` says that it acts of its own accord: by a key, by signatures, by votes, after a delay, or by rules that its code
 * keeps. Otherwise it only does what one of its `principals` says, or what anybody says (`anyone`). `shown` are accounts
 * that stand near it and decide nothing. `complete` says that nobody else can make it act; `lost` why a read failed that
 * may have named somebody.
 *
 * @since 0.1.0
 * @category models
 */
export interface Inspected {
  readonly kind: ControllerKind
  readonly delay: number | null
  readonly threshold: number | null
  readonly signers: ReadonlyArray<Address.Address> | null
  /** Who signs, where that is not as many keys as there are signers; none where every signer is a key of his own. */
  readonly quorum: Quorum.Quorum | null
  readonly voting: { readonly delay: Quantity.Quantity; readonly period: Quantity.Quantity } | null
  readonly acts: boolean
  readonly anyone: boolean
  readonly principals: ReadonlyArray<CallAuthorities.Principal>
  readonly shown: ReadonlyArray<CallAuthorities.Principal>
  readonly complete: boolean
  readonly lost: Option.Option<UnknownReason>
  readonly observation: Reading.Reading<unknown>["observation"]
}

/**
 * Who can make an account act, one step back.
 *
 * @since 0.1.0
 * @category services
 */
export class Principals extends Context.Tag("@assay/core/Principals")<
  Principals,
  {
    readonly of: (account: Address.Address) => Effect.Effect<Inspected, ChainError>
    /** Who tells a timelock what to do once it has waited; nobody of any other account. */
    readonly planners: (account: Address.Address) => Effect.Effect<CallAuthorities.Planners, ChainError>
  }
>() {}

const { functions } = Selectors

const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const state = yield* ChainState
  const code = yield* Code
  const safe = yield* Safes.Safe
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
      timelock: get(account, functions.timelock, Getter.address),
      owner: get(account, functions.owner, Getter.address),
      admin: get(account, functions.admin, Getter.address)
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

  const commanders = CallAuthorities.make(state, roles, (account) => ahead(roles.given(account)))
  const timelocks = Timelocks.make(state, commanders)

  const inspectContract = (account: Address.Address): Effect.Effect<Inspected, ChainError> =>
    Effect.gen(function* () {
      const found = yield* gettersOf(account)
      const { codeAt, multisig } = found
      if (Option.isSome(multisig) && multisig.value.value.canonical) {
        const { value: safeAccount, observation } = multisig.value
        const { modules, owners, threshold } = safeAccount
        const [quorum, isPassedBy, entries] = yield* Together.all([
          Quorum.of(state, owners, threshold),
          passesBy(safeAccount),
          Effect.either(unlisted.of(account, modules ?? []))
        ])
        // Who was entered without the lists can have it act as well.
        const entered = Either.match(entries, { onLeft: () => [], onRight: (found) => found.modules })
        const isListed = Either.match(entries, {
          onLeft: () => false,
          onRight: ({ complete, setupBy }) => complete && Option.isNone(setupBy)
        })
        return {
          ...blank,
          kind: "safe",
          threshold,
          signers: owners,
          quorum,
          acts: true,
          principals: [...(modules ?? []), ...entered].map((module) => ({
            power: "module",
            account: module,
            delay: 0
          })),
          complete: modules !== null && modules.length < Safes.modulesAtMost && !isPassedBy && isListed,
          lost: Either.match(entries, {
            onLeft: ({ reason }) => Option.some(reason),
            onRight: ({ complete }) => (complete ? Option.none() : Option.some("log_range_limited" as const))
          }),
          observation
        }
      }
      const named = [
        ...Option.toArray(found.owner.value).map((each) => ({ power: "owner" as const, account: each, delay: 0 })),
        ...Option.toArray(found.admin.value).map((each) => ({ power: "admin" as const, account: each, delay: 0 }))
      ]
      const opaque: Inspected = {
        ...blank,
        kind: "contract",
        acts: true,
        shown: named,
        observation: codeAt.observation
      }
      const answer = yield* EffectiveCode.of(facts, account, codeAt.value)
      const onlyFlow = EffectiveCode.onlyFlow(answer)
      const flow = Option.getOrUndefined(onlyFlow)
      // A getter can tell another owner than the code asks for; a published one does not.
      const isTold = EffectiveCode.isPublished(answer)
      const known: CallAuthorities.Named = {
        all: named,
        isTold,
        variables: new Map(
          (isTold ? named : []).flatMap((each) =>
            (flow?.functions.find(({ selector }) => selector === functions[each.power])?.returns ?? []).map(
              ({ mask, slot }) => [CallAuthorities.variableKey(slot, ValueSource.offsetOf(BigInt(mask))), each] as const
            )
          )
        )
      }
      yield* ahead(Effect.succeed(named.map((each) => each.account)))

      const pattern = Option.flatMap(onlyFlow, TimelockPattern.of)
      if (Option.isSome(pattern)) {
        const read =
          isTold && Option.isSome(found.minDelay.value)
            ? Effect.succeed({ value: found.minDelay.value.value, observation: found.minDelay.observation })
            : timelocks.delayOf(account, pattern.value)
        const { around, delay, planning, waits } = yield* Together.all({
          delay: read,
          waits: Effect.either(
            Effect.flatMap(read, ({ value }) => timelocks.makesWait(account, known, answer, pattern.value, value))
          ),
          around: commanders.all(account, known, answer, pattern.value.acts),
          planning: timelocks.plannersOf(account, known, answer, pattern.value)
        })
        if (Either.getOrElse(waits, () => true)) {
          // What somebody planned before he gave that up is done by whoever may have it done.
          const isVacant = planning.complete && planning.principals.every((each) => isDead(each.account))
          const left =
            isVacant && pattern.value.kind === "openzeppelin"
              ? yield* Effect.either(timelocks.hasPlans(account))
              : Either.right(false)
          const isShown = Either.isRight(waits) && Either.isRight(left) && !left.right
          const common = {
            ...blank,
            kind: "timelock" as const,
            delay: delay.value,
            anyone: around.anyone,
            lost: Option.firstSomeOf([
              around.lost,
              delay.value > 0 ? Option.none() : planning.lost,
              Option.map(Either.getLeft(waits), ({ reason }) => reason),
              Option.map(Either.getLeft(left), ({ reason }) => reason)
            ]),
            observation: delay.observation
          }
          return delay.value > 0
            ? {
                ...common,
                acts: true,
                principals: around.principals,
                complete: around.complete && !around.keepsRules && isShown
              }
            : {
                ...common,
                acts: around.keepsRules,
                principals: CallAuthorities.unique([...around.principals, ...planning.principals]),
                complete: around.complete && planning.complete && isShown
              }
        }
      }

      if (flow !== undefined && AccessManagerCode.isManager(flow)) {
        const [admins] = yield* Together.all([managers.administrators(account), ahead(managers.candidates(account))])
        return {
          ...blank,
          kind: "contract",
          principals: admins.members.map(({ account: member, delay }) => ({
            power: "role:ADMIN",
            account: member,
            delay
          })),
          // Published code tells of every role that it gives.
          acts: !isTold,
          complete: admins.complete && answer.upgrade.complete,
          observation: codeAt.observation
        }
      }

      const way = yield* commanders.all(account, known, answer, noFunctions)
      if (Option.isSome(found.votingDelay.value) && Option.isSome(found.votingPeriod.value)) {
        return {
          ...blank,
          kind: "governor",
          voting: {
            delay: Quantity.make(found.votingDelay.value.value),
            period: Quantity.make(found.votingPeriod.value.value)
          },
          acts: true,
          anyone: way.anyone,
          principals: way.principals,
          complete: Option.isNone(way.lost),
          lost: way.lost,
          shown: Option.toArray(found.timelock.value)
            .filter((each) => !isDead(each))
            .map((each) => ({ power: "timelock", account: each, delay: 0 })),
          observation: found.votingDelay.observation
        }
      }
      if (way.commands.length === 0 && way.principals.length === 0) return opaque
      return {
        ...blank,
        kind: "contract",
        // Whoever else its code lets through in a way that is not told, lets it act as it does.
        acts: way.keepsRules || (!way.complete && Option.isNone(way.lost)),
        anyone: way.anyone,
        principals: way.principals,
        shown: named.filter((each) => !way.principals.some((other) => other.account === each.account)),
        complete: Option.isNone(way.lost),
        lost: way.lost,
        observation: found.owner.observation
      }
    })

  /**
   * Whether anybody can make a Safe call a contract that nobody published as a fallback handler: it hands on what it is
   * called with, and does so itself.
   *
   * @see https://github.com/safe-global/safe-smart-account/blob/main/contracts/base/FallbackManager.sol
   */
  const passesBy = ({ fallback_handler: handler }: SafeAccount): Effect.Effect<boolean, ChainError> =>
    handler === null
      ? Effect.succeed(false)
      : Effect.map(
          Together.all([safe.handlerName(handler), state.code(handler)]),
          ([name, { value }]) => Option.isNone(name) && !Bytecode.isEmpty(value)
        )

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

  // An account is asked for everything at once, before it is known to have code, which saves a level; where there are
  // many, as the members of a role can be, that would cost more calls than the level is worth.
  let speculations = speculationsAtMost

  const inspect: (account: Address.Address) => Effect.Effect<Inspected, ChainError> = yield* OncePerKey.make(
    (account: Address.Address) => account,
    (account): Effect.Effect<Inspected, ChainError> =>
      Effect.gen(function* () {
        if (isDead(account)) {
          const none = yield* state.code(account)
          return { ...blank, kind: "dead", acts: true, observation: none.observation }
        }
        const isSoon = speculations > 0
        if (isSoon) speculations--
        const [{ observation, value }] = yield* Together.all([
          code.of(account),
          isSoon ? Effect.ignore(gettersOf(account)) : Effect.void
        ])
        if (value.kind === "contract") return yield* inspectContract(account)
        return { ...blank, kind: kinds[value.kind], acts: true, observation }
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
  // Nobody has shown to have a key: a contract may come to stand there, or command it from another chain.
  empty: "unknown"
}

/**
 * Reads what an account is in one level; who plans for a timelock, and the members of a role, in up to two more.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<
  Principals,
  never,
  ChainState | Code | CodeReadings | Proxy | Safes.Safe | Roles.Roles | Functions | AccessManagerRoles | UnlistedEntries
> = Layer.scoped(Principals, make)

const blank = {
  delay: null,
  threshold: null,
  signers: null,
  quorum: null,
  voting: null,
  acts: false,
  anyone: false,
  principals: [],
  shown: [],
  complete: true,
  lost: Option.none<UnknownReason>()
} as const

const noFunctions: ReadonlySet<string> = new Set()

const speculationsAtMost = 12

const aheadAtMost = 8
