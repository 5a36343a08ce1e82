/** @internal */

import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import type { ValueSource } from "../expression/ValueSource.js"
import { type Guard, isUnasked } from "../summary/conditions/Guard.js"
import type { Call, FunctionFlow, StorageFlow } from "../summary/StorageFlow.js"

/**
 * A way to make a contract call another one.
 *
 * `isChosen` says that the caller chooses the called contract. `isFree` says that the conditions depend on the call
 * alone, so that the contract enforces no rule of its own. `roles` are the role hashes that the caller needs, where the
 * guards read a mapping of roles.
 */
export interface Command {
  readonly selector: Hex | "fallback"
  readonly isChosen: boolean
  readonly isFree: boolean
  readonly guards: ReadonlyArray<Guard>
  readonly roles: ReadonlyArray<Hex>
}

/**
 * Every way to make a contract act on others, by its code. Calls that change nothing, and calls to the contract itself,
 * to its caller or to a precompile, do not count.
 */
export const of = (flow: StorageFlow): ReadonlyArray<Command> =>
  flow.functions.flatMap((candidate) =>
    candidate.calls.flatMap(({ guards, kind, target }): ReadonlyArray<Command> => {
      if (kind === "staticcall") return []
      const origins = (target.length === 0 ? unknownTarget : target).filter(isOther)
      if (origins.length === 0) return []
      return [
        {
          selector: candidate.selector,
          isChosen: origins.some((origin) => origin.kind === "argument" || origin.kind === "unknown"),
          isFree: candidate.gates.every(({ reads }) => reads.length === 0),
          guards,
          roles: guards.flatMap((guard) => (guard.kind === "entry" ? rolesOf(candidate, guard.slot) : []))
        }
      ]
    })
  )

/**
 * The roles that a function requires of its caller by a mapping, as constants of its code.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/access-control
 */
export const rolesOf = ({ gates }: FunctionFlow, slot: string): ReadonlyArray<Hex> => [
  ...new Set(
    gates.flatMap(({ reads }) =>
      reads.flatMap(({ keys, slot: asked }) =>
        asked === slot && keys.some(({ kind }) => kind === "caller")
          ? keys.flatMap((key): ReadonlyArray<Hex> => (key.kind === "constant" ? [wordOf(key.value)] : []))
          : []
      )
    )
  )
]

/**
 * A way to make a contract call a function of its own that checks its caller.
 *
 * `isFree`: the conditions depend on the call alone. `isStored`: the called contract is in a variable, which may hold
 * the contract's own address.
 */
export interface OwnCall {
  readonly guards: ReadonlyArray<Guard>
  readonly shut: boolean
  readonly isFree: boolean
  readonly isStored: boolean
}

/** Every way to make a contract call a function of its own that checks its caller, by all code that answers for it. */
export const ownCalls = (flows: ReadonlyArray<StorageFlow>, address: Address): ReadonlyArray<OwnCall> => {
  const functions = flows.flatMap((flow) => flow.functions)
  const own = new Set(
    functions.flatMap(({ calls, selector, writes }) =>
      [...writes, ...calls].some(({ guards }) => guards.length > 0) ? [selector] : []
    )
  )
  const reaches = ({ order }: Call): boolean => {
    const selector = order?.selector ?? order?.named
    if (selector !== undefined) return own.has(selector) || own.has("fallback")
    return order?.isUntold === true || own.has("fallback")
  }
  return functions.flatMap((entry) =>
    entry.calls.flatMap((call): ReadonlyArray<OwnCall> => {
      const origins = call.target.length === 0 ? unknownTarget : call.target
      const isChosen = origins.some(
        (origin) =>
          origin.kind === "self" ||
          origin.kind === "argument" ||
          origin.kind === "unknown" ||
          (origin.kind === "constant" && BigInt(origin.value) === BigInt(address))
      )
      if (call.kind !== "call" || !reaches(call) || !(isChosen || origins.some(({ kind }) => kind === "storage")))
        return []
      return [
        {
          guards: call.guards,
          shut: call.shut,
          isFree: entry.gates.every(({ reads }) => reads.length === 0),
          isStored: !isChosen
        }
      ]
    })
  )
}

/**
 * Whether any caller can make a contract call those of its own functions that only the contract may call: by a call to
 * an address of his choice, or to itself, with calldata of his choice.
 */
export const isAnybodysOwn = (flows: ReadonlyArray<StorageFlow>, address: Address): boolean =>
  ownCalls(flows, address).some(isUnasked)

const wordOf = (value: Hex): Hex => `0x${value.slice(2).padStart(64, "0")}`

const unknownTarget: ReadonlyArray<ValueSource> = [{ kind: "unknown" }]

const isOther = (origin: ValueSource): boolean =>
  origin.kind !== "self" &&
  origin.kind !== "caller" &&
  // https://eips.ethereum.org/EIPS/eip-7951 is the last of the precompiled contracts, at 0x100.
  !(origin.kind === "constant" && BigInt(origin.value) < 0x200n)
