/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import * as Hash from "ox/Hash"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { ProxyKind, ProxyStructure } from "../../domain/facts/ProxyStructure.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import * as BeaconInCode from "../../evm/patterns/BeaconInCode.js"
import * as ProxyPattern from "../../evm/patterns/ProxyPattern.js"
import * as StorageFlow from "../../evm/summary/StorageFlow.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"
import * as Implementation from "../native/Implementation.js"
import * as Code from "./Code.js"
import { CodeReadings } from "./CodeReadings.js"
import type { LogicContract } from "./LogicContract.js"
import * as PresentFlow from "./PresentFlow.js"
import * as Replacers from "./Replacers.js"
import * as StoredVariable from "./StoredVariable.js"

/** How a contract hands its calls on, and who may change where to. */
export class Proxy extends Context.Tag("@assay/core/Proxy")<
  Proxy,
  {
    readonly of: (address: Address.Address) => Effect.Effect<Reading<ProxyStructure>, ChainError>
  }
>() {}

const { functions } = Selectors

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const flows = yield* CodeReadings
  const read = Effect.fn("Proxy.of")(function* (address: Address.Address) {
    const first = yield* firstLevel(state, address)
    const code = yield* first.code
    const answer = (found: Structure): Reading<ProxyStructure> => ({
      value: {
        address,
        kind: found.kind,
        implementations: found.implementations,
        beacon: found.beacon ?? null,
        admin: found.admin ?? null,
        upgrade: found.upgrade,
        upgrade_authority: found.authority ?? null,
        conflicts: [...(found.conflicts ?? [])].sort()
      },
      observation: found.observation ?? code.observation
    })

    // The chain passes no call on, and whether it will go on to do what it does is in no code.
    if ((yield* Implementation.of(state, address)) === "chain")
      return answer({ kind: "none", implementations: [], upgrade: "unknown" })
    const clone = ProxyPattern.fromCode(code.value)
    if (Option.isSome(clone)) {
      return answer({ kind: clone.value.kind, implementations: [clone.value.implementation], upgrade: "none" })
    }
    // Foreign code runs on a contract's storage by these two opcodes only.
    const reach = Bytecode.reach(Bytecode.parse(code.value))
    if (!Bytecode.runsOtherCode(reach)) {
      return answer({ kind: "none", implementations: [], upgrade: "none" })
    }

    // From here on a lost probe would make the answer a guess.
    const { calls, slots } = yield* Either.all({ slots: Either.all(first.slots), calls: Either.all(first.calls) })
    const stored = (word: Reading<Hex>) => Option.getOrUndefined(Getter.storedAddress(word.value))
    const owner = Option.getOrUndefined(calls.owner.value)

    const singleton = stored(slots.safe)
    if (
      singleton !== undefined &&
      ProxyPattern.isSafeProxy(code.value) &&
      !(yield* delegatesElsewhere(flows, code.value, Slots.safeSingleton))
    ) {
      return answer({
        kind: "safe",
        implementations: [singleton],
        upgrade: "self",
        authority: address,
        observation: slots.safe.observation
      })
    }

    const set = slotReadings(slots).flatMap((found) => {
      const target = stored(found.reading)
      return target === undefined ? [] : [{ ...found, target, named: names(code.value, found.slot, target) }]
    })
    const named = set.filter((found) => found.named)
    const conflicts = [
      ...set
        .filter((found) => !found.named)
        .map((found) => `the ${found.kind} slot holds ${found.target}, but the code names neither`),
      ...named.slice(1).map((found) => `the ${found.kind} slot holds ${found.target} as well`)
    ]
    const [pattern] = named

    if (pattern?.kind === "eip1967_beacon") {
      const beacon = yield* readBeacon(state, flows, pattern.target)
      const placing = names(code.value, pattern.slot, undefined)
        ? yield* Option.match(beacon.implementation, {
            onNone: () => Effect.succeed({ ...Replacers.none, complete: false }),
            onSome: (target) =>
              Effect.flatMap(state.code(target), ({ value: behind }) =>
                replacersOf(flows, state, address, code.value, { ...pattern, target }, behind, owner)
              )
          })
        : Replacers.none
      const replaced = Option.match(beacon.moved, {
        onNone: (): Settled => ({ upgrade: "unknown" }),
        onSome: ([named, moving]) => settledOn("beacon", named, Replacers.either(moving, placing))
      })
      return answer({
        kind: pattern.kind,
        implementations: Option.toArray(beacon.implementation),
        beacon: pattern.target,
        ...replaced,
        conflicts: [
          ...conflicts,
          ...(Option.isSome(beacon.implementation) ? [] : [`the beacon ${pattern.target} names no implementation`]),
          ...(replaced.conflicts ?? [])
        ],
        observation: beacon.observation
      })
    }

    if (pattern !== undefined) {
      const admin = Option.match(pattern.admin, { onNone: () => undefined, onSome: stored })
      const named = admin ?? owner
      const [own, implementation, attempts, isKey] = yield* Together.all([
        StorageFlow.selectorsOf(code.value),
        state.code(pattern.target),
        tryUpgrades(state, address, pattern.target, owner),
        named === undefined || Code.isDead(named)
          ? Effect.succeed(false)
          : Effect.map(state.code(named), ({ value }) => !Bytecode.isContract(value))
      ])
      const elsewhere = yield* delegatesElsewhere(flows, code.value, pattern.slot)
      if (elsewhere) {
        return answer({
          kind: "unrecognised",
          implementations: [pattern.target],
          upgrade: "unknown",
          conflicts: [...conflicts, `the ${pattern.kind} slot is set, but calls are handed on to other code`]
        })
      }
      const uups = ProxyPattern.isUups(yield* StorageFlow.selectorsOf(implementation.value))
      const common = {
        implementations: [pattern.target],
        admin,
        observation: pattern.reading.observation
      }
      if (uups && attempts.anyone) {
        return answer({ ...common, kind: named1967(pattern.kind, admin, uups), upgrade: "anyone", conflicts })
      }
      // Where a key alone does it, nobody is worse.
      const replacing =
        isKey && (admin !== undefined || (uups && attempts.owner))
          ? Replacers.none
          : yield* replacersOf(flows, state, address, code.value, pattern, implementation.value, owner)
      if (admin !== undefined) {
        const found = settledOn("admin", admin, replacing)
        return answer({
          ...common,
          kind: named1967(pattern.kind, admin, false),
          ...found,
          conflicts: [
            ...conflicts,
            ...(uups ? ["the implementation can upgrade the proxy besides its admin"] : (found.conflicts ?? []))
          ],
          ...(uups ? { upgrade: "admin", authority: admin } : {})
        })
      }
      if (uups) {
        const found = attempts.owner && owner !== undefined ? settledOn("uups", owner, replacing) : undefined
        return answer({
          ...common,
          kind: named1967(pattern.kind, admin, uups),
          upgrade: "uups",
          ...found,
          conflicts: [...conflicts, ...(found?.conflicts ?? [])]
        })
      }
      const [one, ...others] = replacing.accounts
      if (one !== undefined && others.length === 0)
        return answer({ ...common, kind: pattern.kind, upgrade: "admin", authority: one, conflicts })
      // Whatever else writes the slot names it, a function of the proxy or one of the implementation, or writes anywhere.
      const writable =
        own.length > 0 || replacing.found || !replacing.complete || names(implementation.value, pattern.slot, undefined)
      return answer({ ...common, kind: pattern.kind, upgrade: writable ? "unknown" : "none", conflicts })
    }

    const flow = yield* flows.of(code.value)
    const beacon = yield* flows.read(code.value, (model) => BeaconInCode.of(model, flow))
    if (Option.isSome(beacon)) {
      const read = yield* readBeacon(state, flows, beacon.value)
      const replaced = Option.match(read.moved, {
        onNone: (): Settled => ({ upgrade: "unknown" }),
        onSome: ([named, moving]) => settledOn("beacon", named, moving)
      })
      return answer({
        kind: "immutable_beacon",
        implementations: Option.toArray(read.implementation),
        beacon: beacon.value,
        ...replaced,
        conflicts: [
          ...conflicts,
          ...(Option.isSome(read.implementation) ? [] : [`the beacon ${beacon.value} names no implementation`]),
          ...(replaced.conflicts ?? [])
        ],
        observation: read.observation
      })
    }

    // Getters can answer anything, and a proxy delegates them to its implementation. Where the code itself shows the
    // target, it decides.
    const told = yield* fromFlow(flows, state, address, code, conflicts)
    const isOpen = told.kind === "unrecognised"

    if (isOpen && Option.isSome(calls.facets.value) && calls.facets.value.value.length > 0) {
      // That nobody replaces what it lists, or that it lists everything, is more than a getter can say.
      const isCut = Option.exists(calls.cuts.value, ProxyPattern.hasDiamondCut)
      const upgrade =
        isCut && (owner === undefined || !Code.isDead(owner)) ? ("diamond_cut" as const) : ("unknown" as const)
      return answer({
        kind: "eip2535_diamond",
        implementations: [...new Set(calls.facets.value.value)].filter((facet) => facet !== address).sort(),
        upgrade,
        authority: upgrade === "diamond_cut" ? owner : undefined,
        conflicts,
        observation: calls.facets.observation
      })
    }

    const comptroller = Option.filter(calls.comptroller.value, (found) => found !== Address.zero)
    if (Option.isSome(comptroller) && (isOpen || told.implementations.includes(comptroller.value))) {
      const admin = Option.getOrUndefined(calls.admin.value)
      const named = {
        kind: "compound" as const,
        implementations: isOpen ? [comptroller.value] : told.implementations,
        admin,
        conflicts,
        observation: calls.comptroller.observation
      }
      if (told.upgrade !== "unknown") return answer({ ...told, ...named })
      // That nobody is left is more than a getter can say.
      return answer(
        admin === undefined || Code.isDead(admin)
          ? { ...named, upgrade: "unknown" }
          : { ...named, upgrade: "admin", authority: admin }
      )
    }

    // https://eips.ethereum.org/EIPS/eip-897: 1 says that it forwards for ever, 2 that it can be upgraded.
    const delegating = Option.filter(calls.implementation.value, (found) => found !== Address.zero)
    const proxyType = Option.getOrUndefined(calls.proxyType.value)
    if (Option.isSome(delegating) && (proxyType === 1 || proxyType === 2)) {
      const kind = "eip897" as const
      if (isOpen)
        return answer({
          kind,
          implementations: [delegating.value],
          upgrade: "unknown",
          conflicts,
          observation: calls.implementation.observation
        })
      if (told.implementations.includes(delegating.value)) return answer({ ...told, kind })
    }

    return answer(told)
  })
  return Proxy.of({ of: yield* OncePerKey.make((address: Address.Address) => address, read) })
})

/** Reads everything that needs only the address in one level; implementation, beacon and tried upgrades in a second. */
export const layer: Layer.Layer<Proxy, never, ChainState | CodeReadings> = Layer.scoped(Proxy, make)

interface Structure {
  readonly kind: ProxyKind
  readonly implementations: ReadonlyArray<Address.Address>
  readonly beacon?: Address.Address | undefined
  readonly admin?: Address.Address | undefined
  readonly upgrade: ProxyStructure["upgrade"]
  readonly authority?: Address.Address | undefined
  readonly conflicts?: ReadonlyArray<string> | undefined
  readonly observation?: Reading<unknown>["observation"] | undefined
}

const firstLevel = (state: ChainState["Type"], address: Address.Address) => {
  const get = <A>(selector: Hex, decode: Getter.Decoder<A>) =>
    Effect.either(Getter.read(state, address, selector, decode))
  const word = (slot: Hex) => Effect.either(state.storage(address, slot))
  const slots = {
    implementation: word(Slots.implementation),
    admin: word(Slots.admin),
    beacon: word(Slots.beacon),
    proxiable: word(Slots.proxiable),
    zeppelinOs: word(Slots.zeppelinOsImplementation),
    zeppelinOsAdmin: word(Slots.zeppelinOsAdmin),
    polygon: word(Slots.polygonImplementation),
    polygonOwner: word(Slots.polygonOwner),
    safe: word(Slots.safeSingleton)
  }
  const calls = {
    owner: get(functions.owner, Getter.address),
    admin: get(functions.admin, Getter.address),
    implementation: get(functions.implementation, Getter.address),
    proxyType: get(functions.proxyType, Getter.int),
    facets: get(functions.facetAddresses, Getter.addresses),
    cuts: get(functions.facets, facetSelectors),
    comptroller: get(functions.comptrollerImplementation, Getter.address)
  }
  return Together.all({
    code: Effect.either(state.code(address)),
    slots: Together.all(slots),
    calls: Together.all(calls)
  })
}

const slotReadings = (
  slots: {
    readonly [K in
      | "implementation"
      | "admin"
      | "beacon"
      | "proxiable"
      | "zeppelinOs"
      | "zeppelinOsAdmin"
      | "polygon"
      | "polygonOwner"]: Reading<Hex>
  }
) => {
  const readings = new Map<Hex, Reading<Hex>>([
    [Slots.implementation, slots.implementation],
    [Slots.admin, slots.admin],
    [Slots.beacon, slots.beacon],
    [Slots.proxiable, slots.proxiable],
    [Slots.zeppelinOsImplementation, slots.zeppelinOs],
    [Slots.zeppelinOsAdmin, slots.zeppelinOsAdmin],
    [Slots.polygonImplementation, slots.polygon],
    [Slots.polygonOwner, slots.polygonOwner]
  ])
  return ProxyPattern.slotPatterns.flatMap((pattern) => {
    const reading = readings.get(pattern.slot)
    const admin = Option.flatMapNullable(pattern.admin, (slot) => readings.get(slot))
    return reading === undefined ? [] : [{ kind: pattern.kind, slot: pattern.slot, reading, admin }]
  })
}

/**
 * A slot can be filled to deceive block explorers while the code delegates elsewhere, so it counts only where the code
 * names it, or has its content as an immutable (OpenZeppelin 5 beacon proxies do).
 */
const names = (code: Hex, slot: Hex, target: Address.Address | undefined): boolean => {
  const text = code.toLowerCase()
  return (
    text.includes(slot.slice(2).toLowerCase()) || (target !== undefined && text.includes(target.slice(2).toLowerCase()))
  )
}

const named1967 = (kind: ProxyKind, admin: Address.Address | undefined, uups: boolean): ProxyKind =>
  kind !== "eip1967" ? kind : admin !== undefined ? "eip1967_transparent" : uups ? "eip1967_uups" : kind

const readBeacon = (state: ChainState["Type"], flows: CodeReadings["Type"], beacon: Address.Address) =>
  Effect.gen(function* () {
    const { code, implementations, owner } = yield* Together.all({
      implementations: Together.forEach(ProxyPattern.beaconGetters, (getter) => Getter.account(state, beacon, getter)),
      owner: Getter.account(state, beacon, functions.owner),
      code: state.code(beacon)
    })
    return {
      implementation: Option.filter(
        Option.firstSomeOf(implementations.map((reading) => reading.value)),
        (found) => found !== Address.zero
      ),
      moved: yield* Effect.transposeMapOption(owner.value, (named) =>
        Effect.map(whoMovesBeacon(state, flows, beacon, code.value, named), (moving) => [named, moving] as const)
      ),
      observation: implementations[0]?.observation ?? owner.observation
    }
  })

/** Who sets the implementation of a beacon: its owner, where its code requires him and admits nobody else. */
const whoMovesBeacon = (
  state: ChainState["Type"],
  flows: CodeReadings["Type"],
  beacon: Address.Address,
  code: Hex,
  owner: Address.Address
): Effect.Effect<Replacers.Replacers, ChainError> =>
  Effect.gen(function* () {
    const contract = yield* codeOf(flows, state, beacon, code, [])
    const [flow] = contract.logics.map((logic) => logic.flow)
    const isShown = flow !== undefined && Replacers.isFollowed(flow) && flow.delegations.length === 0
    const answers = (flow?.functions ?? []).flatMap(({ returns, selector }) =>
      ProxyPattern.beaconGetters.includes(selector as Hex) ? [returns] : []
    )
    const kept = answers.flatMap((returns) => returns ?? [])
    const variables = [...new Set(kept.map(({ slot }) => slot))].filter(PresentFlow.isVariable)
    const isKept = answers.length > 0 && answers.every((returns) => returns !== undefined)
    const each = yield* Effect.forEach(variables, (slot) =>
      Replacers.of(
        { ...contract, named: flow === undefined ? undefined : Replacers.namedBy(flow, functions.owner, owner) },
        slot as Hex
      )
    )
    const isTold = isShown && isKept && kept.every(({ slot }) => PresentFlow.isVariable(slot))
    return each.reduce(Replacers.either, { ...Replacers.none, complete: isTold })
  })

/** Who sets the slot of a proxy's code or beacon, by the proxy's own functions and those of what is behind it. */
const replacersOf = (
  flows: CodeReadings["Type"],
  state: ChainState["Type"],
  address: Address.Address,
  own: Hex,
  { kind, slot, target }: { readonly kind: ProxyKind; readonly slot: Hex; readonly target: Address.Address },
  implementation: Hex,
  owner: Address.Address | undefined
): Effect.Effect<Replacers.Replacers, ChainError> =>
  Effect.gen(function* () {
    const contract = yield* codeOf(flows, state, address, own, [{ address: target, code: implementation }])
    const behind = contract.logics[1]?.flow
    const replacing = yield* Replacers.of(
      { ...contract, named: behind === undefined ? undefined : Replacers.namedBy(behind, functions.owner, owner) },
      slot,
      // A beacon answers with the code.
      kind === "eip1967_beacon"
        ? (logic, foreign) =>
            logic.address === address && foreign.selector === "fallback" && foreign.target.kind === "unknown"
        : undefined
    )
    return {
      ...replacing,
      // What was not followed behind the proxy can be the code that replaces it where it names the slot or writes anywhere.
      complete:
        replacing.complete &&
        contract.logics.every((logic) =>
          logic.address === address
            ? Replacers.isFollowed(logic.flow) && Replacers.isAllFound(logic.flow)
            : Replacers.isFollowed(logic.flow) ||
              !(Replacers.writesAnywhere(logic.flow) || names(logic.code, slot, undefined))
        )
    }
  })

type Settled = Pick<Structure, "upgrade" | "authority" | "conflicts">

/** Who can replace the code, where an account is named for it and the upgrade functions were read. */
const settledOn = (
  upgrade: "admin" | "uups" | "beacon",
  named: Address.Address,
  { accounts, complete, found }: Replacers.Replacers
): Settled => {
  const others = accounts.filter((account) => account !== named)
  const [other] = others
  const isAsked = accounts.includes(named)
  if (other !== undefined)
    return others.length === 1 && !isAsked && (found || Code.isDead(named))
      ? { upgrade, authority: other }
      : { upgrade, authority: named, conflicts: [`${others.join(", ")} can replace the code as well`] }
  if (complete) return { upgrade, authority: named }
  // That nobody is left, or nobody but who is named, is said only where nothing else was left out.
  return Code.isDead(named)
    ? { upgrade: "unknown" }
    : { upgrade, authority: named, conflicts: ["it could not be told who else can replace the code"] }
}

/** The codes that run on an account's storage: its own, and those that it hands calls on to. */
const codeOf = (
  flows: CodeReadings["Type"],
  state: ChainState["Type"],
  address: Address.Address,
  own: Hex,
  behind: ReadonlyArray<{ readonly address: Address.Address; readonly code: Hex }>
) =>
  Effect.gen(function* () {
    const logics = yield* Effect.forEach([{ address, code: own }, ...behind], (each) =>
      Effect.map(
        flows.of(each.code),
        (flow): LogicContract => ({ ...each, reach: Bytecode.reach(Bytecode.parse(each.code)), flow })
      )
    )
    const [first, ...others] = logics
    return {
      state,
      flows,
      address,
      logics: first === undefined ? logics : [yield* Replacers.withHidden(flows, first), ...others]
    }
  })

/**
 * Tries to put the present implementation in its own place, which changes nothing: as the owner, and as a stranger.
 */
const tryUpgrades = (
  state: ChainState["Type"],
  proxy: Address.Address,
  implementation: Address.Address,
  owner: Address.Address | undefined
) => {
  const attempt = (from: Address.Address) =>
    Effect.map(
      Together.forEach(
        [
          Getter.calldata(functions.upgradeToAndCall, [Getter.word(implementation), Getter.word(64n), Getter.word(0n)]),
          Getter.calldata(functions.upgradeTo, [Getter.word(implementation)])
        ],
        (data) => state.call({ to: proxy, from, data })
      ),
      (tried) => tried.some((reading) => reading.value._tag === "Returned" && reading.value.data === "0x")
    )
  return Together.all({
    anyone: attempt(stranger(proxy)),
    owner: owner === undefined ? Effect.succeed(false) : attempt(owner)
  })
}

/** An account that nobody gave a power, the same at every analysis. */
const stranger = (address: Address.Address): Address.Address =>
  Address.checksum(`0x${Hash.keccak256(address.toLowerCase() as Hex).slice(-40)}`)

/** Whether a call that no function answers is seen to go on to other code than that of a slot. */
const delegatesElsewhere = (flows: CodeReadings["Type"], code: Hex, slot: Hex): Effect.Effect<boolean> =>
  Effect.map(flows.of(code), ({ delegations }) =>
    delegations.some(
      ({ selectors, target }) =>
        selectors.includes("fallback") &&
        // What comes in an argument is the implementation that an upgrade sets up.
        (target.kind === "constant" ||
          target.kind === "unknown" ||
          (target.kind === "storage" && !PresentFlow.isSame(target.slot, slot)))
    )
  )

/** Finds the source of delegated code in the code itself, where no pattern matches. */
const fromFlow = (
  flows: CodeReadings["Type"],
  state: ChainState["Type"],
  address: Address.Address,
  code: Reading<Hex>,
  conflicts: ReadonlyArray<string>
): Effect.Effect<Structure, ChainError> =>
  Effect.gen(function* () {
    const flow = yield* flows.of(code.value)
    const unresolved: Structure = { kind: "unrecognised", implementations: [], upgrade: "unknown", conflicts }
    if (flow.completeness.gaps.includes("control_flow")) return unresolved
    // A DELEGATECALL in a named function is no proxy delegation. But it may be all that the function does, and then
    // whoever sets the variable replaces the function.
    const handedOn = flow.delegations.filter(
      ({ selectors, target }) => target.kind !== "self" && selectors.includes("fallback")
    )
    if (handedOn.length === 0) {
      const isReplaceable = flow.delegations.some(
        ({ target }) =>
          target.kind === "storage" &&
          flow.functions.some(({ writes }) => writes.some((write) => write.slot === target.slot))
      )
      return isReplaceable ? unresolved : { kind: "none", implementations: [], upgrade: "none", conflicts }
    }
    const constants = handedOn.flatMap(({ target }) => (target.kind === "constant" ? [target.value] : []))
    const [constant] = constants
    if (constant !== undefined && constants.length === handedOn.length && new Set(constants).size === 1)
      return {
        kind: "fixed",
        implementations: [Address.fromWord(Getter.word(constant))],
        upgrade: "none",
        conflicts
      }
    const variables = [
      ...new Set(
        handedOn.flatMap(({ target }) =>
          target.kind === "storage" && /^0x[0-9a-f]+$/.test(target.slot) ? [target.slot as Hex] : []
        )
      )
    ].sort()
    const [variable] = variables
    if (
      variable === undefined ||
      handedOn.some(({ target }) => target.kind !== "storage" || !isOneOf(variables, target.slot))
    )
      return unresolved
    const words = yield* Together.forEach(variables, (slot) => state.storage(address, Getter.word(slot)))
    const targets = [
      ...new Set(words.map((word) => Address.fromWord(word.value)).filter((target) => target !== Address.zero))
    ]
    return {
      kind: "delegatecall_slot",
      implementations: targets,
      ...(variables.length === 1
        ? yield* whoReplaces(flows, state, address, code.value, variable, targets)
        : unknownUpgrade),
      conflicts,
      observation: words[0]?.observation
    }
  })

const isOneOf = (slots: ReadonlyArray<string>, slot: string): boolean => slots.includes(slot)

const unknownUpgrade = { upgrade: "unknown" } as const

/**
 * Who sets the variable with the delegation target: nobody where no function does, and one account where the proxy's
 * own functions require it. Writes by the code behind the proxy are not covered.
 */
const whoReplaces = (
  flows: CodeReadings["Type"],
  state: ChainState["Type"],
  address: Address.Address,
  own: Hex,
  slot: Hex,
  behind: ReadonlyArray<Address.Address>
): Effect.Effect<Pick<Structure, "upgrade" | "authority">, ChainError> =>
  Effect.gen(function* () {
    const codes = yield* Together.forEach(behind, (target) =>
      Effect.map(state.code(target), ({ value }) => ({ address: target, code: value }))
    )
    const contract = yield* codeOf(flows, state, address, own, codes)
    const [first, ...others] = contract.logics.map((logic) => logic.flow)
    const writesIn = (flow: StorageFlow.StorageFlow | undefined) =>
      (flow?.functions ?? []).flatMap(({ writes }) =>
        writes.filter((write) => write.slot === slot && (BigInt(write.mask) & StoredVariable.addressMask) !== 0n)
      )
    const isClosed = contract.logics.every(({ flow }) => flow.completeness.gaps.every((gap) => gap === "delegatecall"))
    const runsMore = others.some(({ delegations }) => delegations.some(({ target }) => target.kind !== "self"))
    if (!isClosed || runsMore || others.some((flow) => writesIn(flow).length > 0)) return unknownUpgrade
    const setting = writesIn(first)
    if (setting.length === 0) return { upgrade: "none" }
    const { accounts, complete } = yield* Replacers.of(contract, slot)
    const isGuarded = setting.every(({ guards }) => guards.some(({ always }) => always))
    if (!isGuarded || (accounts.length === 0 && !complete) || accounts.length > 1) return unknownUpgrade
    return { upgrade: "admin", authority: accounts[0] ?? Address.zero }
  })

/** The selectors in facets(): a list of an address with a list of `bytes4`. */
const facetSelectors: Getter.Decoder<ReadonlyArray<Hex>> = (data) =>
  Option.gen(function* () {
    const list = yield* Getter.offsetAt(data, 0)
    const count = yield* Getter.lengthAt(data, list, 256)
    const found: Array<Hex> = []
    for (let i = 0; i < count; i++) {
      const facet = list + 32 + Number(BigInt(yield* bounded(data, list + 32 * (i + 1))))
      const selectors = facet + Number(BigInt(yield* bounded(data, facet + 32)))
      const length = yield* Getter.lengthAt(data, selectors, 1024)
      for (let j = 0; j < length; j++) {
        found.push((yield* Getter.wordAt(data, selectors + 32 * (j + 1))).slice(0, 10) as Hex)
      }
    }
    return found
  })

const bounded = (data: Hex, offset: number): Option.Option<Hex> =>
  Option.filter(Getter.wordAt(data, offset), (value) => BigInt(value) < BigInt(data.length))
