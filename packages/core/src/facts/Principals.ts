import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import { ChainState } from "../chain/ChainState.js"
import type * as Reading from "../chain/Reading.js"
import * as Together from "../chain/Together.js"
import type * as Address from "../domain/Address.js"
import type { ControllerKind } from "../domain/Controller.js"
import type { UnknownReason } from "../domain/Evidence.js"
import type { SafeAccount } from "../domain/facts/SafeAccount.js"
import type { Hex } from "../domain/Hex.js"
import * as Quantity from "../domain/Quantity.js"
import * as Bytecode from "../evm/Bytecode.js"
import * as KnownRuntime from "../evm/KnownRuntime.js"
import * as Selectors from "../evm/Selectors.js"
import * as TimelockPattern from "../evm/TimelockPattern.js"
import { AccessManagers } from "./AccessManagers.js"
import { Code } from "./Code.js"
import * as Commanders from "./Commanders.js"
import { Flows } from "./Flows.js"
import * as Functions from "./Functions.js"
import * as Getter from "./Getter.js"
import * as Memo from "./Memo.js"
import * as PresentFlow from "./PresentFlow.js"
import { Proxy } from "./Proxy.js"
import type * as Quorum from "./Quorum.js"
import * as Roles from "./Roles.js"
import * as Safes from "./Safe.js"
import * as Timelocks from "./Timelocks.js"

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
  readonly principals: ReadonlyArray<Commanders.Principal>
  readonly shown: ReadonlyArray<Commanders.Principal>
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
    readonly planners: (account: Address.Address) => Effect.Effect<Commanders.Planners, ChainError>
  }
>() {}

const { functions } = Selectors

const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const state = yield* ChainState
  const code = yield* Code
  const proxy = yield* Proxy
  const safe = yield* Safes.Safe
  const roles = yield* Roles.Roles
  const functionsOf = yield* Functions.Functions
  const flows = yield* Flows
  const managers = yield* AccessManagers

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

  /** All code that answers for an account; what was used up does nothing any more, and is left out behind a proxy. */
  const answering = (account: Address.Address, runtime: Hex): Effect.Effect<Commanders.Answering, ChainError> =>
    Effect.gen(function* () {
      const flow = yield* flows.of(runtime)
      // Only what runs foreign code on its own storage can be a proxy, and to ask for what it is costs a level.
      const isPlain =
        !flow.completeness.gaps.includes("control_flow") &&
        flow.delegations.every(({ target }) => target.kind === "self")
      if (isPlain) {
        const reach = Bytecode.reach(Bytecode.parse(runtime))
        return {
          logics: [{ address: account, code: runtime, reach, flow }],
          resolved: true,
          upgrade: Commanders.noUpgrade
        }
      }
      const [{ value: resolved }, { value: structure }] = yield* Together.all([
        functionsOf.of(account),
        proxy.of(account)
      ])
      const spent = yield* PresentFlow.usedUp(state, account, resolved.logics)
      const { upgrade, upgrade_authority: authority } = structure
      return {
        logics: resolved.logics.map((logic) => ({
          ...logic,
          flow: {
            ...logic.flow,
            functions: logic.flow.functions.filter(({ selector }) => !spent.has(PresentFlow.keyOf(logic, selector)))
          }
        })),
        resolved: resolved.resolved,
        upgrade: {
          // Who has to ask the account itself is nobody else.
          principals:
            authority === null || authority === account ? [] : [{ power: "upgrader", account: authority, delay: 0 }],
          anyone: upgrade === "anyone",
          complete: upgrade === "none" || upgrade === "self" || upgrade === "anyone" || authority !== null,
          lost: Option.none()
        }
      }
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

  const commanders = Commanders.make(state, roles, (account) => ahead(roles.given(account)))
  const timelocks = Timelocks.make(state, commanders)

  const inspectContract = (account: Address.Address): Effect.Effect<Inspected, ChainError> =>
    Effect.gen(function* () {
      const found = yield* gettersOf(account)
      const { codeAt, multisig } = found
      if (Option.isSome(multisig) && multisig.value.value.canonical) {
        const { value: safeAccount, observation } = multisig.value
        const { modules, owners, threshold } = safeAccount
        const [quorum, isPassedBy] = yield* Together.all([quorumOf(owners, threshold), passesBy(safeAccount)])
        return {
          ...blank,
          kind: "safe",
          threshold,
          signers: owners,
          quorum,
          acts: true,
          principals: (modules ?? []).map((module) => ({ power: "module", account: module, delay: 0 })),
          complete: modules !== null && modules.length < Safes.modulesAtMost && !isPassedBy,
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
      const answer = yield* answering(account, codeAt.value)
      const [only] = answer.logics
      const flow = answer.logics.length === 1 ? only?.flow : undefined
      // A getter can tell another owner than the code asks for; a published one does not.
      const isTold = isPublished(answer.logics)
      const known: Commanders.Named = {
        all: named,
        isTold,
        variables: new Map(
          (isTold ? named : []).flatMap((each) =>
            (flow?.functions.find(({ selector }) => selector === functions[each.power])?.returns ?? []).map(
              ({ mask, slot }) => [Commanders.variableKey(slot, Timelocks.offsetOf(mask)), each] as const
            )
          )
        )
      }
      yield* ahead(Effect.succeed(named.map((each) => each.account)))

      const pattern = flow === undefined ? Option.none() : TimelockPattern.of(flow)
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
          planning: timelocks.plannersOf(account, known, pattern.value)
        })
        if (Either.getOrElse(waits, () => true)) {
          const isShown = Either.isRight(waits)
          const common = {
            ...blank,
            kind: "timelock" as const,
            delay: delay.value,
            anyone: around.anyone,
            lost: Option.firstSomeOf([
              around.lost,
              delay.value > 0 ? Option.none() : planning.lost,
              Option.map(Either.getLeft(waits), ({ reason }) => reason)
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
                principals: Commanders.unique([...around.principals, ...planning.principals]),
                complete: around.complete && planning.complete && isShown
              }
        }
      }

      if (flow !== undefined && managers.isManager(flow)) {
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
            .filter((each) => !Commanders.isNobody(each))
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

  /** Whether signers may be fewer keys than they are: where one is enough, or some of them are contracts. */
  const quorumOf = (
    owners: ReadonlyArray<Address.Address>,
    threshold: number
  ): Effect.Effect<Inspected["quorum"], ChainError> =>
    Effect.map(
      Together.forEach(owners, (owner) =>
        Effect.map(state.code(owner), ({ value }) => ({
          owner,
          isKey: Bytecode.isEmpty(value) || Option.isSome(Bytecode.delegate(value))
        }))
      ),
      (signers) => {
        const coded = signers.flatMap(({ isKey, owner }) => (isKey ? [] : [owner]))
        const keys = signers.flatMap(({ isKey, owner }) => (isKey ? [owner] : []))
        return threshold > 1 && coded.length === 0 ? null : { threshold, keys, coded }
      }
    )

  /**
   * Whether anybody can make a Safe call a contract that nobody published as a fallback handler: it hands on what it is
   * called with, and does so itself.
   *
   * @see https://github.com/safe-global/safe-smart-account/blob/main/contracts/base/FallbackManager.sol
   */
  const passesBy = ({ fallback_handler: handler, modules }: SafeAccount): Effect.Effect<boolean, ChainError> =>
    handler === null || modules?.includes(handler) === true
      ? Effect.succeed(false)
      : Effect.map(
          Together.all([safe.handlerName(handler), state.code(handler)]),
          ([name, { value }]) => Option.isNone(name) && !Bytecode.isEmpty(value)
        )

  const planners = Effect.fn("Principals.planners")(function* (account: Address.Address) {
    const { admin, codeAt } = yield* gettersOf(account)
    const { logics } = yield* answering(account, codeAt.value)
    const [only] = logics
    const pattern = only === undefined || logics.length > 1 ? Option.none() : TimelockPattern.of(only.flow)
    if (Option.isNone(pattern)) return Commanders.shut
    const all = Option.toArray(admin.value).map((each) => ({ power: "admin", account: each, delay: 0 }))
    return yield* timelocks.plannersOf(
      account,
      { all, isTold: isPublished(logics), variables: new Map() },
      pattern.value
    )
  })

  // An account is asked for everything at once, before it is known to have code, which saves a level; where there are
  // many, as the members of a role can be, that would cost more calls than the level is worth.
  let speculations = speculationsAtMost

  const inspect: (account: Address.Address) => Effect.Effect<Inspected, ChainError> = yield* Memo.make(
    (account: Address.Address) => account,
    (account): Effect.Effect<Inspected, ChainError> =>
      Effect.gen(function* () {
        if (Commanders.isNobody(account)) {
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
        const kind = value.kind === "delegated_eoa" ? "delegated_eoa" : value.kind === "precompile" ? "dead" : "eoa"
        return { ...blank, kind, acts: true, observation }
      })
  )

  return Principals.of({ of: inspect, planners: yield* Memo.make((account: Address.Address) => account, planners) })
})

/**
 * Reads what an account is in one level; who plans for a timelock, and the members of a role, in up to two more.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<
  Principals,
  never,
  ChainState | Code | Flows | Proxy | Safes.Safe | Roles.Roles | Functions.Functions | AccessManagers
> = Layer.scoped(Principals, make)

/** Whether all code that answers is a published build, which others read and tried. */
const isPublished = (logics: ReadonlyArray<Functions.Logic>): boolean =>
  logics.length > 0 && logics.every(({ code }) => Option.isSome(KnownRuntime.identify(code)))

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
