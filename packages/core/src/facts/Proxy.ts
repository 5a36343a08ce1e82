import { Context, Effect, Either, Layer, Option } from "effect"
import * as Hash from "ox/Hash"
import type { ChainError } from "../chain/ChainError.js"
import { ChainState } from "../chain/ChainState.js"
import type { Reading } from "../chain/Reading.js"
import * as Together from "../chain/Together.js"
import * as Address from "../domain/Address.js"
import type { ProxyKind, ProxyStructure } from "../domain/facts/ProxyStructure.js"
import type { Hex } from "../domain/Hex.js"
import * as Bytecode from "../evm/Bytecode.js"
import * as ProxyPattern from "../evm/ProxyPattern.js"
import * as Selectors from "../evm/Selectors.js"
import * as Slots from "../evm/Slots.js"
import type * as StorageFlow from "../evm/StorageFlow.js"
import { Flows } from "./Flows.js"
import * as Getter from "./Getter.js"
import * as Memo from "./Memo.js"
import * as StoredVariable from "./StoredVariable.js"

/**
 * How a contract hands its calls on, and who may change where to.
 *
 * @since 0.1.0
 * @category services
 */
export class Proxy extends Context.Tag("@assay/core/Proxy")<
  Proxy,
  {
    readonly of: (address: Address.Address) => Effect.Effect<Reading<ProxyStructure>, ChainError>
  }
>() {}

const { functions } = Selectors

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const flows = yield* Flows
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
    if (singleton !== undefined && ProxyPattern.isSafeProxy(code.value)) {
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
      const beacon = yield* readBeacon(state, pattern.target)
      return answer({
        kind: pattern.kind,
        implementations: Option.toArray(beacon.implementation),
        beacon: pattern.target,
        upgrade: Option.isSome(beacon.owner) ? "beacon" : "unknown",
        authority: Option.getOrUndefined(beacon.owner),
        conflicts: Option.isSome(beacon.implementation)
          ? conflicts
          : [...conflicts, `the beacon ${pattern.target} names no implementation`],
        observation: beacon.observation
      })
    }

    if (pattern !== undefined) {
      const admin = Option.match(pattern.admin, { onNone: () => undefined, onSome: stored })
      const [own, implementation, attempts] = yield* Together.all([
        Selectors.dispatched(code.value),
        state.code(pattern.target),
        tryUpgrades(state, address, pattern.target, owner)
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
      const uups = ProxyPattern.isUups(yield* Selectors.dispatched(implementation.value))
      const common = {
        implementations: [pattern.target],
        admin,
        observation: pattern.reading.observation
      }
      if (uups && attempts.anyone) {
        return answer({ ...common, kind: named1967(pattern.kind, admin, uups), upgrade: "anyone", conflicts })
      }
      if (admin !== undefined) {
        return answer({
          ...common,
          kind: named1967(pattern.kind, admin, false),
          upgrade: "admin",
          authority: admin,
          conflicts: uups ? [...conflicts, "the implementation can upgrade the proxy besides its admin"] : conflicts
        })
      }
      if (uups) {
        return answer({
          ...common,
          kind: named1967(pattern.kind, admin, uups),
          upgrade: "uups",
          authority: attempts.owner ? owner : undefined,
          conflicts
        })
      }
      // Whatever else writes the slot names it: a function of the proxy, or one of the implementation.
      const writable = own.length > 0 || names(implementation.value, pattern.slot, undefined)
      return answer({ ...common, kind: pattern.kind, upgrade: writable ? "unknown" : "none", conflicts })
    }

    // Getters can say anything, and a proxy passes on those of what is behind it: where the code itself tells where its
    // calls go, it decides.
    const told = yield* fromFlow(flows, state, address, code, conflicts)
    const isOpen = told.kind === "unrecognised"

    if (isOpen && Option.isSome(calls.facets.value) && calls.facets.value.value.length > 0) {
      const selectors = Option.map(calls.cuts.value, ProxyPattern.hasDiamondCut)
      const upgrade = Option.match(selectors, {
        onNone: () => "unknown" as const,
        onSome: (cuts) => (cuts ? ("diamond_cut" as const) : ("none" as const))
      })
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
      return answer({
        kind: "compound",
        implementations: [comptroller.value],
        admin: Option.getOrUndefined(calls.admin.value),
        upgrade: Option.isSome(calls.admin.value) ? "admin" : "unknown",
        authority: Option.getOrUndefined(calls.admin.value),
        conflicts,
        observation: calls.comptroller.observation
      })
    }

    // https://eips.ethereum.org/EIPS/eip-897: 1 says that it forwards for ever, 2 that it can be upgraded.
    const delegating = Option.filter(calls.implementation.value, (found) => found !== Address.zero)
    const proxyType = Option.getOrUndefined(calls.proxyType.value)
    if (Option.isSome(delegating) && (proxyType === 1 || proxyType === 2)) {
      const named = { kind: "eip897" as const, implementations: [delegating.value] }
      if (isOpen)
        return answer({ ...named, upgrade: "unknown", conflicts, observation: calls.implementation.observation })
      if (told.implementations.includes(delegating.value)) return answer({ ...told, ...named })
    }

    return answer(told)
  })
  return Proxy.of({ of: yield* Memo.make((address: Address.Address) => address, read) })
})

/**
 * Asks for everything that the address alone tells in one level; implementation, beacon and tried upgrades in a second.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Proxy, never, ChainState | Flows> = Layer.scoped(Proxy, make)

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

const readBeacon = (state: ChainState["Type"], beacon: Address.Address) =>
  Effect.map(
    Together.all({
      implementations: Together.forEach(ProxyPattern.beaconGetters, (getter) =>
        Getter.read(state, beacon, getter, Getter.address)
      ),
      owner: Getter.read(state, beacon, functions.owner, Getter.address)
    }),
    ({ implementations, owner }) => ({
      implementation: Option.filter(
        Option.firstSomeOf(implementations.map((reading) => reading.value)),
        (found) => found !== Address.zero
      ),
      owner: owner.value,
      observation: implementations[0]?.observation ?? owner.observation
    })
  )

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
const delegatesElsewhere = (flows: Flows["Type"], code: Hex, slot: Hex): Effect.Effect<boolean> =>
  Effect.map(flows.of(code), ({ delegations }) =>
    delegations.some(
      ({ selectors, target }) =>
        selectors.includes("fallback") &&
        // What comes in an argument is the implementation that an upgrade sets up.
        (target.kind === "constant" || (target.kind === "storage" && target.slot.toLowerCase() !== slot.toLowerCase()))
    )
  )

/**
 * Reads out of the code itself where foreign code comes from, where no pattern tells it.
 */
const fromFlow = (
  flows: Flows["Type"],
  state: ChainState["Type"],
  address: Address.Address,
  code: Reading<Hex>,
  conflicts: ReadonlyArray<string>
): Effect.Effect<Structure, ChainError> =>
  Effect.gen(function* () {
    const flow = yield* flows.of(code.value)
    const unresolved: Structure = { kind: "unrecognised", implementations: [], upgrade: "unknown", conflicts }
    if (flow.completeness.gaps.includes("control_flow")) return unresolved
    // What a function of its own delegates is a call that it makes, not a call that it hands on; but it may be all that
    // this function does, and then whoever sets the variable replaces the function.
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
      ...(variables.length === 1 ? yield* whoReplaces(flows, state, address, flow, variable, targets) : unknownUpgrade),
      conflicts,
      observation: words[0]?.observation
    }
  })

const isOneOf = (slots: ReadonlyArray<string>, slot: string): boolean => slots.includes(slot)

const unknownUpgrade = { upgrade: "unknown" } as const

/**
 * Who sets the variable that calls are handed on by: nobody where no function does, and one account where the proxy's own
 * functions ask for it. What the code behind it writes there is told by nothing.
 */
const whoReplaces = (
  flows: Flows["Type"],
  state: ChainState["Type"],
  address: Address.Address,
  own: StorageFlow.StorageFlow,
  slot: Hex,
  behind: ReadonlyArray<Address.Address>
): Effect.Effect<Pick<Structure, "upgrade" | "authority">, ChainError> =>
  Effect.gen(function* () {
    const others = yield* Together.forEach(behind, (target) =>
      Effect.flatMap(state.code(target), ({ value }) => flows.of(value))
    )
    const writesIn = (flow: StorageFlow.StorageFlow) =>
      flow.functions.flatMap(({ writes }) =>
        writes.filter((write) => write.slot === slot && (BigInt(write.mask) & StoredVariable.addressMask) !== 0n)
      )
    const isClosed = [own, ...others].every(({ completeness }) =>
      completeness.gaps.every((gap) => gap === "delegatecall")
    )
    const runsMore = others.some(({ delegations }) => delegations.some(({ target }) => target.kind !== "self"))
    if (!isClosed || runsMore || others.some((flow) => writesIn(flow).length > 0)) return unknownUpgrade
    const setting = writesIn(own)
    if (setting.length === 0) return { upgrade: "none" }
    const asked = setting.map(({ guards }) => guards.find(({ always, kind }) => always && kind === "slot"))
    const [guard] = asked
    if (guard?.kind !== "slot" || asked.some((other) => JSON.stringify(other) !== JSON.stringify(guard)))
      return unknownUpgrade
    if (!/^0x[0-9a-f]+$/.test(guard.slot)) return unknownUpgrade
    const { value } = yield* state.storage(address, Getter.word(guard.slot as Hex))
    return { upgrade: "admin", authority: StoredVariable.accountIn(value, guard.field) }
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
