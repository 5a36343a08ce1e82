import { Context, Effect, Either, Layer, Option } from "effect"
import { ChainError } from "../chain/ChainError.js"
import { ChainState } from "../chain/ChainState.js"
import * as Reading from "../chain/Reading.js"
import * as AddressBook from "../data/AddressBook.js"
import * as Address from "../domain/Address.js"
import * as Controller from "../domain/Controller.js"
import type { UnknownReason } from "../domain/Evidence.js"
import type { ControlEdge, ControlGap, ControlGraph, ControlNode } from "../domain/facts/ControlGraph.js"
import type { ProxyStructure } from "../domain/facts/ProxyStructure.js"
import type { Hex } from "../domain/Hex.js"
import type { Guard } from "../evm/Guard.js"
import * as Selectors from "../evm/Selectors.js"
import * as Slots from "../evm/Slots.js"
import * as TokenFlow from "../evm/TokenFlow.js"
import { Code } from "./Code.js"
import * as Functions from "./Functions.js"
import * as Getter from "./Getter.js"
import * as Memo from "./Memo.js"
import { Proxy } from "./Proxy.js"
import * as Roles from "./Roles.js"
import { Safe } from "./Safe.js"

/**
 * Who has power over a contract, followed to the accounts that decide.
 *
 * @since 0.1.0
 * @category services
 */
export class Control extends Context.Tag("@assay/core/Control")<
  Control,
  {
    readonly of: (address: Address.Address) => Effect.Effect<Reading.Reading<ControlGraph>, ChainError>
    /** What kind of controller one account is, followed to the end; `unknown` where it cannot be told. */
    readonly classify: (account: Address.Address) => Effect.Effect<Reading.Reading<Controller.Controller>, ChainError>
    /**
     * Asks something of every account that has a direct power, of those behind an admin, and of everybody who was ever
     * given a role: of each as soon as it is known, so that it costs no level after the graph.
     */
    readonly each: <A>(
      address: Address.Address,
      ask: (account: Address.Address) => Effect.Effect<A, ChainError>
    ) => Effect.Effect<ReadonlyArray<A>, ChainError>
    /** Who passes a condition on the caller of a contract's function; `unknown` where the code does not tell. */
    readonly passing: (
      address: Address.Address,
      guard: Guard
    ) => Effect.Effect<Reading.Reading<Controller.Controller>, ChainError>
  }
>() {}

const { functions, selector } = Selectors

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const code = yield* Code
  const proxy = yield* Proxy
  const safe = yield* Safe
  const roles = yield* Roles.Roles
  const functionsOf = yield* Functions.Functions

  const get = <A>(to: Address.Address, getter: Hex, decode: Getter.Decoder<A>) => Getter.read(state, to, getter, decode)

  const inspectContract = (account: Address.Address) =>
    Effect.gen(function* () {
      const { codeAt, admin, delay, minDelay, multisig, owner, timelock, votingDelay, votingPeriod } =
        yield* Effect.all(
          {
            codeAt: state.code(account),
            multisig: safe.of(account),
            minDelay: get(account, functions.getMinDelay, Getter.int),
            delay: get(account, functions.delay, Getter.int),
            votingDelay: get(account, functions.votingDelay, Getter.uint),
            votingPeriod: get(account, functions.votingPeriod, Getter.uint),
            timelock: get(account, functions.timelock, Getter.address),
            owner: get(account, functions.owner, Getter.address),
            admin: get(account, functions.admin, Getter.address)
          },
          { concurrency: "unbounded" }
        )
      const observation = codeAt.observation
      if (Option.isSome(multisig) && multisig.value.value.canonical) {
        const { modules, owners, threshold } = multisig.value.value
        return {
          kind: "safe",
          threshold,
          signers: owners,
          next: (modules ?? []).map((module) => ({ power: "module", account: module })),
          rule: modules === null ? "unreadable" : "weakest",
          observation: multisig.value.observation
        } satisfies Inspection
      }
      const selectors = yield* Selectors.dispatched(codeAt.value)
      const next = (power: string, found: Getter.Answer<Address.Address>) =>
        Option.toArray(found.value).map((holder) => ({ power, account: holder }))
      // An answer to getMinDelay() alone says nothing: any contract can give it. All of its functions have to be those of
      // the published timelock, so that no other one is left to pass it by.
      if (Option.isSome(minDelay.value) && isTimelock(selectors)) {
        return {
          kind: "timelock",
          delay: minDelay.value.value,
          next: [],
          rule: "stop",
          observation: minDelay.observation
        } satisfies Inspection
      }
      if (Option.isSome(delay.value) && isCompoundTimelock(selectors)) {
        return {
          kind: "timelock",
          delay: delay.value.value,
          next: next("admin", admin),
          rule: "behind",
          observation: delay.observation
        } satisfies Inspection
      }
      if (isProxyAdmin(selectors) && Option.isSome(owner.value)) {
        return {
          kind: "contract",
          next: next("owner", owner),
          rule: "through",
          observation: owner.observation
        } satisfies Inspection
      }
      if (Option.isSome(votingDelay.value) && Option.isSome(votingPeriod.value)) {
        return {
          kind: "governor",
          next: next("timelock", timelock),
          rule: "stop",
          observation: votingDelay.observation
        } satisfies Inspection
      }
      return {
        kind: "contract",
        next: [...next("owner", owner), ...next("admin", admin)],
        rule: "stop",
        observation
      } satisfies Inspection
    })

  // An account is asked for everything at once, before it is known to have code, which saves a level; where there are
  // many, as the members of a role can be, that would cost more calls than the level is worth.
  let speculations = 12

  const inspect = yield* Memo.make(
    (account: Address.Address) => account,
    (account): Effect.Effect<Inspection, ChainError> =>
      Effect.gen(function* () {
        if (isDead(account)) {
          const none = yield* state.code(account)
          return { kind: "dead", next: [], rule: "stop", observation: none.observation }
        }
        const soon = speculations > 0
        if (soon) speculations--
        const [found, contract] = yield* Effect.all(
          [code.of(account), soon ? Effect.either(inspectContract(account)) : Effect.succeedNone],
          { concurrency: "unbounded" }
        )
        const { observation, value } = found
        // What was asked of an account without code has no answer to lose.
        if (value.kind === "contract") return yield* Either.isEither(contract) ? contract : inspectContract(account)
        const kind = value.kind === "delegated_eoa" ? "delegated_eoa" : value.kind === "precompile" ? "dead" : "eoa"
        return { kind, next: [], rule: "stop", observation }
      })
  )

  /** Cycles end where an account is met again, and so does what lies deeper than four accounts. */
  const follow = (account: Address.Address, path: ReadonlyArray<Address.Address>): Effect.Effect<Followed> =>
    Effect.gen(function* () {
      const inspected = yield* Effect.either(inspect(account))
      if (Either.isLeft(inspected)) return lost(account, inspected.left)
      const { delay, kind, next, observation, rule, signers, threshold } = inspected.right
      const node: ControlNode = {
        address: account,
        kind,
        delay_seconds: delay ?? null,
        threshold: threshold ?? null,
        signers: signers ?? []
      }
      const here = Controller.make(kind, {
        address: account,
        delaySeconds: delay,
        threshold,
        signers: signers?.length
      })
      const trail = [...path, account]
      const open = next.filter((link) => !trail.includes(link.account))
      const tooDeep = open.length > 0 && trail.length >= depthAtMost
      const followed = tooDeep
        ? []
        : yield* Effect.forEach(open, (link) => follow(link.account, trail), { concurrency: "unbounded" })
      const edges = next.map(({ account: from, power }): ControlEdge => ({ from, to: account, power }))
      // A link that was not followed can only make what it decides unknown.
      const cut = tooDeep || open.length < next.length
      const behind = weakest([
        ...followed.map((each) => each.controller),
        ...(cut ? [Controller.make("unknown", { address: account })] : [])
      ])
      const gaps = tooDeep && rule !== "stop" ? [{ what: account, reason: "inconclusive" as const }] : []
      return {
        controller: decide(rule, here, behind),
        nodes: [node, ...followed.flatMap((each) => each.nodes)],
        edges: [...edges, ...followed.flatMap((each) => each.edges)],
        // What stands behind an account that decides by itself does not make the answer incomplete.
        gaps: [...gaps, ...(rule === "stop" ? [] : followed.flatMap((each) => each.gaps))],
        observation: Option.some(observation)
      }
    })

  /** Who is named by the contract itself, each by one read. */
  const namedHolders = (address: Address.Address) => [
    ...ownerLike.map(([power, getter]) => ({
      power,
      read: Effect.map(get(address, getter, Getter.address), (reading) =>
        // Only an owner of zero says something: that there was one, who renounced.
        Reading.map(
          reading,
          (value): ReadonlyArray<Holder> =>
            Option.toArray(value)
              .filter((account) => account !== Address.zero || power === "owner")
              .map((account) => ({ power, account }))
        )
      )
    })),
    {
      power: "owner",
      read: Effect.map(state.storage(address, Slots.ownable), (reading) =>
        Reading.map(
          reading,
          (word): ReadonlyArray<Holder> =>
            Option.toArray(Getter.storedAddress(word)).map((account) => ({ power: "owner", account }))
        )
      )
    }
  ]

  /** Accounts with a direct power, in lists that are known at different times; the first ones before the graph is. */
  const early = (
    address: Address.Address
  ): ReadonlyArray<Effect.Effect<ReadonlyArray<Address.Address>, ChainError>> => [
    ...namedHolders(address).map(({ read }) => Effect.map(read, ({ value }) => value.map((holder) => holder.account))),
    ...[Slots.admin, Slots.zeppelinOsAdmin, Slots.polygonOwner].map((slot) =>
      Effect.map(state.storage(address, slot), ({ value }) => Option.toArray(Getter.storedAddress(value)))
    ),
    roles.candidates(address)
  ]

  const each = <A>(
    address: Address.Address,
    ask: (account: Address.Address) => Effect.Effect<A, ChainError>
  ): Effect.Effect<ReadonlyArray<A>, ChainError> => {
    const seen = new Set<Address.Address>([address])
    const askAll = (accounts: ReadonlyArray<Address.Address>): Effect.Effect<ReadonlyArray<A>, ChainError> => {
      const fresh = accounts.filter((account) => !seen.has(account))
      for (const account of fresh) seen.add(account)
      return Effect.forEach(fresh, ask, { concurrency: "unbounded" })
    }
    const behind = (account: Address.Address) =>
      Effect.flatMap(inspect(account), ({ next, rule }) =>
        askAll(rule === "stop" ? [] : next.map((link) => link.account))
      )
    const lists = [
      ...early(address).map((list) =>
        Effect.flatMap(list, (accounts) =>
          Effect.map(Effect.all([askAll(accounts), ...accounts.map(behind)], { concurrency: "unbounded" }), (answers) =>
            answers.flat()
          )
        )
      ),
      Effect.flatMap(proxy.of(address), ({ value }) =>
        askAll(value.upgrade_authority === null ? [] : [value.upgrade_authority])
      ),
      Effect.flatMap(guards(address), ({ value }) => askAll(value.holders.map((holder) => holder.account)))
    ]
    return Effect.map(Effect.all(lists, { concurrency: "unbounded" }), (answers) => answers.flat())
  }

  /** The account that a guard's slot holds. */
  const inSlot = (address: Address.Address, guard: Guard & { readonly kind: "slot" }) =>
    Option.match(placeOf(guard.slot), {
      onNone: () => Effect.succeedNone,
      onSome: (slot) =>
        Effect.map(state.storage(address, slot), (word) =>
          Option.some(
            Reading.map(word, (value) => {
              const shifted = BigInt(value) >> BigInt(8 * (guard.field?.offset ?? 0))
              return Address.fromWord(Getter.word(shifted & ((1n << 160n) - 1n)))
            })
          )
        )
    })

  /**
   * Who the code lets through, function by function: the accounts in the slots and constants that it compares the caller
   * with, and what it asks beside them.
   */
  const guards = yield* Memo.make(
    (address: Address.Address) => address,
    (address): Effect.Effect<Reading.Reading<Guarded>, ChainError> =>
      Effect.gen(function* () {
        const itself = yield* safe.of(address)
        if (Option.isSome(itself) && itself.value.value.canonical) {
          // Its code is published and lets nobody through but the Safe itself, its owners and its modules.
          return Reading.map(itself.value, () => ({ holders: [], gaps: [] }))
        }
        const [{ observation, value }, roleGrants] = yield* Effect.all(
          [
            functionsOf.of(address),
            Effect.map(
              Effect.either(roles.candidates(address)),
              (found) => Either.isRight(found) && found.right.length > 0
            )
          ],
          { concurrency: "unbounded" }
        )
        const asked = value.logics.flatMap(({ flow }) =>
          flow.functions.flatMap((entry) =>
            [...entry.writes, ...entry.calls].flatMap((action) =>
              action.guards
                // An owner whom a limit spares has no power by it.
                .filter((guard) => guard.always || !TokenFlow.standardSelectors.has(entry.selector))
                .map((guard) => ({ guard, selector: entry.selector, flow }))
            )
          )
        )
        const found = yield* Effect.forEach(
          uniqueBy(asked, ({ guard, selector: name }) => JSON.stringify([name, guard])),
          ({ flow, guard, selector: name }): Effect.Effect<Guarded, ChainError> => {
            const power = `function:${name}`
            switch (guard.kind) {
              case "constant":
                return Effect.succeed({ holders: [{ power, account: guard.address }], gaps: [] })
              case "slot":
                return Effect.map(
                  inSlot(address, guard),
                  Option.match({
                    onNone: () => ({ holders: [], gaps: [{ what: power, reason: "inconclusive" as const }] }),
                    onSome: ({ value: account }) => ({
                      holders: account === Address.zero ? [] : [{ power, account }],
                      gaps: []
                    })
                  })
                )
              case "entry": {
                const isRole = roleGrants && guard.slot.split("[k]").length > 2
                const isList =
                  guard.always &&
                  !TokenFlow.standardSelectors.has(name) &&
                  TokenFlow.isPrivilege(flow, TokenFlow.of(flow), guard)
                return Effect.succeed({
                  holders: [],
                  gaps: isList && !isRole ? [{ what: `list:${guard.slot}`, reason: "inconclusive" as const }] : []
                })
              }
              case "unknown":
                return Effect.succeed({
                  holders: [],
                  gaps: guard.always ? [{ what: power, reason: "inconclusive" as const }] : []
                })
            }
          },
          { concurrency: "unbounded" }
        )
        const followed =
          value.resolved &&
          value.logics.every(({ flow }) => flow.completeness.gaps.every((gap) => gap === "delegatecall"))
        return {
          value: {
            holders: found.flatMap((each) => each.holders),
            gaps: [
              ...found.flatMap((each) => each.gaps),
              ...(followed ? [] : [{ what: "code", reason: "inconclusive" as const }])
            ]
          },
          observation
        }
      })
  )

  const of = Effect.fn("Control.of")(function* (address: Address.Address) {
    const holders = (power: string, effect: Effect.Effect<Reading.Reading<ReadonlyArray<Holder>>, ChainError>) =>
      Effect.gen(function* () {
        const read = yield* Effect.either(effect)
        if (Either.isLeft(read)) return { holders: [], gaps: [{ what: power, reason: read.left.reason }], followed: [] }
        const followed = yield* Effect.forEach(
          [...new Set(read.right.value.map((holder) => holder.account))],
          (account) => follow(account, [address]),
          { concurrency: "unbounded" }
        )
        return { holders: read.right.value, gaps: [], followed, observation: read.right.observation }
      })
    const named = namedHolders(address).map(({ power, read }) => holders(power, read))
    const upgrader = holders(
      "upgrader",
      Effect.map(proxy.of(address), (reading) =>
        Reading.map(reading, ({ upgrade_authority }) =>
          upgrade_authority === null || upgrade_authority === address
            ? []
            : [{ power: "upgrader", account: upgrade_authority }]
        )
      )
    )
    const appointed = holders(
      "roles",
      Effect.map(roles.of(address), (reading) =>
        Reading.map(reading, ({ members }) => members.map(({ account, name }) => ({ power: `role:${name}`, account })))
      )
    )
    const guarding = holders(
      "code",
      Effect.map(guards(address), (reading) => Reading.map(reading, ({ holders }) => holders))
    )
    const { coded, itself, parts, roleSet, structure } = yield* Effect.all(
      {
        parts: Effect.all([...named, upgrader, appointed, guarding], { concurrency: "unbounded" }),
        itself: Effect.either(safe.of(address)),
        structure: Effect.either(proxy.of(address)),
        roleSet: Effect.either(roles.of(address)),
        coded: Effect.either(guards(address)),
        // Asked for before it is known who of them counts, so that it is no level of its own.
        ahead: Effect.ignore(
          Effect.forEach(
            early(address),
            (list) =>
              Effect.flatMap(list, (accounts) =>
                Effect.forEach(accounts, (account) => follow(account, [address]), { concurrency: "unbounded" })
              ),
            { concurrency: "unbounded" }
          )
        )
      },
      { concurrency: "unbounded" }
    )
    // A Safe is controlled by its own owners.
    const own =
      Either.isRight(itself) && Option.isSome(itself.right) ? Option.some(yield* follow(address, [])) : Option.none()
    const followed = [...parts.flatMap((part) => part.followed), ...Option.toArray(own)]
    const all = uniqueBy(
      parts.flatMap((part) => part.holders),
      (holder) => `${holder.power} ${holder.account}`
    )
    // The code asks for the owner by his slot; only who is found in no other way is told by the functions.
    const direct = all.filter(
      (holder) =>
        !isByFunction(holder) || !all.some((other) => !isByFunction(other) && other.account === holder.account)
    )
    const gaps: ReadonlyArray<ControlGap> = uniqueBy(
      [
        ...parts.flatMap((part) => part.gaps),
        ...followed.flatMap((each) => each.gaps),
        ...Either.match(itself, {
          onLeft: ({ reason }) => [{ what: "signers", reason }],
          onRight: () => []
        }),
        ...Either.match(roleSet, {
          onLeft: () => [],
          onRight: ({ value }) => (value.complete ? [] : [{ what: "roles", reason: value.reason ?? "inconclusive" }])
        }),
        ...Either.match(coded, { onLeft: () => [], onRight: ({ value }) => value.gaps }),
        ...Either.match(structure, {
          onLeft: () => [],
          onRight: ({ value }) =>
            unresolvedUpgrade(value, direct) ? [{ what: "upgrader", reason: "inconclusive" }] : []
        })
      ] as ReadonlyArray<ControlGap>,
      (gap) => `${gap.what} ${gap.reason}`
    )
    const anyone =
      Either.isRight(structure) && structure.right.value.upgrade === "anyone" ? [Controller.make("eoa")] : []
    const controllers = [...followed.map((each) => each.controller), ...anyone]
    const owner = direct.find((holder) => holder.power === "owner")
    const graph: ControlGraph = {
      nodes: uniqueBy(
        followed.flatMap((each) => each.nodes),
        (node) => node.address
      ).sort(by((node) => node.address)),
      edges: uniqueBy(
        [
          ...direct.map(({ account, power }) => ({ from: account, to: address, power })),
          ...followed.flatMap((each) => each.edges)
        ],
        (edge) => `${edge.from} ${edge.to} ${edge.power}`
      ).sort(by((edge) => `${edge.to} ${edge.power} ${edge.from}`)),
      owner: owner?.account ?? null,
      controller: Option.getOrNull(
        weakest(gaps.length === 0 ? controllers : [...controllers, Controller.make("unknown")])
      ),
      complete: gaps.length === 0,
      unread: [...gaps].sort(by((gap) => `${gap.what} ${gap.reason}`))
    }
    const observation =
      parts.find((part) => part.holders.length > 0 && part.observation !== undefined)?.observation ??
      parts.find((part) => part.observation !== undefined)?.observation
    if (observation === undefined) {
      return yield* new ChainError({
        reason: gaps[0]?.reason ?? "rpc_error",
        method: "eth_call",
        retryable: false,
        detail: "nothing about control could be read"
      })
    }
    return { value: graph, observation }
  })

  const classify = Effect.fn("Control.classify")(function* (account: Address.Address) {
    const { controller, observation } = yield* follow(account, [])
    // The account itself could not be read.
    return Option.isSome(observation)
      ? { value: controller, observation: observation.value }
      : { value: controller, observation: (yield* inspect(account)).observation }
  })

  const graphOf = yield* Memo.make((address: Address.Address) => address, of)

  const passing = Effect.fn("Control.passing")(function* (address: Address.Address, guard: Guard) {
    if (guard.kind === "constant") return yield* classify(guard.address)
    const account = guard.kind === "slot" ? yield* inSlot(address, guard) : Option.none()
    if (Option.isSome(account)) {
      const { value } = yield* classify(account.value.value)
      return { value, observation: account.value.observation }
    }
    const graph = yield* graphOf(address)
    // A list may hold others than those who are known to have a power, so nobody known is not nobody, and only one key
    // is as bad as it gets.
    return Reading.map(graph, ({ controller }) =>
      controller !== null && Controller.exposureAtBest(controller) === 1 ? controller : Controller.make("unknown")
    )
  })

  return Control.of({ of: graphOf, classify, each, passing })
})

/**
 * Reads who holds a power in one level, and each holder in one more, up to four accounts deep.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Control, never, ChainState | Code | Proxy | Safe> = Layer.provide(
  Layer.scoped(Control, make),
  Layer.merge(Roles.layer, Functions.layer)
)

/**
 * Whether nobody has the key of an account, so that a power it holds is held by nobody.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isDead = (account: Address.Address): boolean =>
  AddressBook.burnAddresses.some((burnt) => burnt.toLowerCase() === account.toLowerCase())

/**
 * The controller to fear most: one key before what cannot be told, that before a contract, a delay or a number of
 * signers by how little they hold up, and nobody last. None of none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const weakest = (controllers: ReadonlyArray<Controller.Controller>): Option.Option<Controller.Controller> =>
  Option.fromNullable(
    [...controllers].sort(
      (a, b) =>
        Controller.exposure(b) - Controller.exposure(a) ||
        Controller.exposureAtBest(b) - Controller.exposureAtBest(a) ||
        ((a.address ?? "") < (b.address ?? "") ? -1 : 1)
    )[0]
  )

interface Holder {
  readonly power: string
  readonly account: Address.Address
}

interface Guarded {
  readonly holders: ReadonlyArray<Holder>
  readonly gaps: ReadonlyArray<ControlGap>
}

const isByFunction = ({ power }: Holder): boolean => power.startsWith("function:")

/** The slot behind a storage location that is no entry of a mapping or array: a root, and the members added to it. */
const placeOf = (location: string): Option.Option<Hex> =>
  /^0x[0-9a-f]+(\+[0-9a-f]+)*$/.test(location)
    ? Option.some(
        Getter.word(
          location
            .slice(2)
            .split("+")
            .reduce((sum, part) => sum + BigInt(`0x${part}`), 0n)
        )
      )
    : Option.none()

/**
 * One account, and which accounts stand behind it. `rule` says how they count: `weakest` with the account itself,
 * `behind` it (their signers are kept), `through` it (it does what they say), or not at all (`stop`).
 */
interface Inspection {
  readonly kind: Controller.ControllerKind
  readonly delay?: number
  readonly threshold?: number
  readonly signers?: ReadonlyArray<Address.Address>
  readonly next: ReadonlyArray<Holder>
  readonly rule: "weakest" | "behind" | "through" | "stop" | "unreadable"
  readonly observation: Reading.Reading<unknown>["observation"]
}

interface Followed {
  readonly controller: Controller.Controller
  readonly nodes: ReadonlyArray<ControlNode>
  readonly edges: ReadonlyArray<ControlEdge>
  readonly gaps: ReadonlyArray<ControlGap>
  readonly observation: Option.Option<Reading.Reading<unknown>["observation"]>
}

const lost = (account: Address.Address, { reason }: { readonly reason: UnknownReason }): Followed => ({
  controller: Controller.make("unknown", { address: account }),
  nodes: [{ address: account, kind: "unknown", delay_seconds: null, threshold: null, signers: [] }],
  edges: [],
  gaps: [{ what: account, reason }],
  observation: Option.none()
})

const decide = (
  rule: Inspection["rule"],
  here: Controller.Controller,
  behind: Option.Option<Controller.Controller>
): Controller.Controller => {
  switch (rule) {
    case "stop":
      return here
    case "unreadable":
      return Controller.make("unknown", { address: here.address ?? undefined })
    case "weakest":
      return Option.getOrElse(weakest([here, ...Option.toArray(behind)]), () => here)
    case "through":
      return Option.getOrElse(behind, () => here)
    case "behind":
      return Option.match(behind, {
        onNone: () => here,
        onSome: (last) => (last.kind === "dead" ? last : { ...here, threshold: last.threshold, signers: last.signers })
      })
  }
}

const unresolvedUpgrade = ({ upgrade, upgrade_authority }: ProxyStructure, direct: ReadonlyArray<Holder>): boolean => {
  switch (upgrade) {
    case "none":
    case "self":
    case "anyone":
      return false
    case "unknown":
      return true
    case "uups":
      // An implementation that asks for a role instead of an owner: its holders are in the graph.
      return upgrade_authority === null && !direct.some((holder) => holder.power.startsWith("role:"))
    default:
      return upgrade_authority === null
  }
}

const depthAtMost = 4

/** Getters that name somebody with a power; the first ones by EIP-173 and custom, the rest as Circle, Uniswap and others do. */
const ownerLike: ReadonlyArray<readonly [power: string, getter: Hex]> = [
  ["owner", functions.owner],
  ["owner", functions.getOwner],
  ["admin", functions.admin],
  ["governance", functions.governance],
  ["authority", functions.authority],
  ["role:minter", selector("minter()")],
  // https://github.com/circlefin/stablecoin-evm
  ["role:masterMinter", selector("masterMinter()")],
  ["role:pauser", selector("pauser()")],
  ["role:blacklister", selector("blacklister()")],
  ["role:rescuer", selector("rescuer()")]
]

const selectorsOf = (signatures: ReadonlyArray<string>): ReadonlySet<Hex> => new Set(signatures.map(selector))

const within = (selectors: ReadonlyArray<Hex>, known: ReadonlySet<Hex>, required: ReadonlySet<Hex>): boolean =>
  selectors.every((found) => known.has(found)) && [...required].every((wanted) => selectors.includes(wanted))

// https://github.com/OpenZeppelin/openzeppelin-contracts/blob/master/contracts/governance/TimelockController.sol
const timelockRequired = selectorsOf([
  "schedule(address,uint256,bytes,bytes32,bytes32,uint256)",
  "execute(address,uint256,bytes,bytes32,bytes32)",
  "getMinDelay()",
  "updateDelay(uint256)",
  "hasRole(bytes32,address)"
])
const timelockFunctions = new Set([
  ...timelockRequired,
  ...selectorsOf([
    "scheduleBatch(address[],uint256[],bytes[],bytes32,bytes32,uint256)",
    "executeBatch(address[],uint256[],bytes[],bytes32,bytes32)",
    "cancel(bytes32)",
    "hashOperation(address,uint256,bytes,bytes32,bytes32)",
    "hashOperationBatch(address[],uint256[],bytes[],bytes32,bytes32)",
    "isOperation(bytes32)",
    "isOperationPending(bytes32)",
    "isOperationReady(bytes32)",
    "isOperationDone(bytes32)",
    "getOperationState(bytes32)",
    "getTimestamp(bytes32)",
    "DEFAULT_ADMIN_ROLE()",
    "TIMELOCK_ADMIN_ROLE()",
    "PROPOSER_ROLE()",
    "EXECUTOR_ROLE()",
    "CANCELLER_ROLE()",
    "getRoleAdmin(bytes32)",
    "getRoleMember(bytes32,uint256)",
    "getRoleMemberCount(bytes32)",
    "grantRole(bytes32,address)",
    "revokeRole(bytes32,address)",
    "renounceRole(bytes32,address)",
    "supportsInterface(bytes4)",
    "onERC721Received(address,address,uint256,bytes)",
    "onERC1155Received(address,address,uint256,uint256,bytes)",
    "onERC1155BatchReceived(address,address,uint256[],uint256[],bytes)"
  ])
])

const isTimelock = (selectors: ReadonlyArray<Hex>): boolean => within(selectors, timelockFunctions, timelockRequired)

// https://github.com/compound-finance/compound-protocol/blob/master/contracts/Timelock.sol
const compoundRequired = selectorsOf([
  "delay()",
  "admin()",
  "setDelay(uint256)",
  "queueTransaction(address,uint256,string,bytes,uint256)",
  "executeTransaction(address,uint256,string,bytes,uint256)"
])
const compoundFunctions = new Set([
  ...compoundRequired,
  ...selectorsOf([
    "GRACE_PERIOD()",
    "MINIMUM_DELAY()",
    "MAXIMUM_DELAY()",
    "pendingAdmin()",
    "admin_initialized()",
    "queuedTransactions(bytes32)",
    "acceptAdmin()",
    "setPendingAdmin(address)",
    "cancelTransaction(address,uint256,string,bytes,uint256)"
  ])
])

const isCompoundTimelock = (selectors: ReadonlyArray<Hex>): boolean =>
  within(selectors, compoundFunctions, compoundRequired)

// https://github.com/OpenZeppelin/openzeppelin-contracts/blob/master/contracts/proxy/transparent/ProxyAdmin.sol
const proxyAdminRequired = selectorsOf(["owner()", "upgradeAndCall(address,address,bytes)"])
const proxyAdminFunctions = new Set([
  ...proxyAdminRequired,
  ...selectorsOf([
    "transferOwnership(address)",
    "renounceOwnership()",
    "upgrade(address,address)",
    "changeProxyAdmin(address,address)",
    "getProxyAdmin(address)",
    "getProxyImplementation(address)",
    "UPGRADE_INTERFACE_VERSION()"
  ])
])

const isProxyAdmin = (selectors: ReadonlyArray<Hex>): boolean =>
  within(selectors, proxyAdminFunctions, proxyAdminRequired)

const by =
  <A>(key: (item: A) => string) =>
  (a: A, b: A): number => {
    const [x, y] = [key(a), key(b)]
    return x < y ? -1 : x > y ? 1 : 0
  }

const uniqueBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string): Array<A> =>
  [...new Map([...items].reverse().map((item) => [key(item), item])).values()].reverse()
