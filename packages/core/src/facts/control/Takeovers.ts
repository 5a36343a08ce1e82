/** @internal */

import { Effect } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as Controller from "../../domain/Controller.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import type { FunctionFlow, Write } from "../../evm/summary/StorageFlow.js"
import * as Together from "../../runtime/Together.js"
import * as Code from "../code/Code.js"
import * as PresentFlow from "../code/PresentFlow.js"
import type { Control } from "./Control.js"
import * as OwnedContract from "./OwnedContract.js"
import * as SpentWrites from "./SpentWrites.js"

/**
 * A way to become the owner, or to make an account the owner, without the present owner: the function, and who can call it
 * that way.
 */
export interface Takeover {
  readonly selector: string
  readonly controller: Controller.Controller
}

/** The takeovers of one contract or one write. `complete` means that there are no others. */
export interface Takeovers {
  readonly takeovers: ReadonlyArray<Takeover>
  readonly complete: boolean
}

/** Not known who can become the owner. */
export const unclear: Takeovers = { takeovers: [], complete: false }

/**
 * Finds the ways to write the owner that do not require the owner. A guard that compares with another variable is followed to
 * the setters of that variable, at most {@link depthAtMost} variables deep.
 */
export const of = (
  facts: { readonly state: ChainState["Type"]; readonly control: Control["Type"] },
  contract: OwnedContract.OwnedContract
): Effect.Effect<Takeovers, ChainError> => {
  const { control, state } = facts
  const spent = SpentWrites.make(state, contract)

  const waysTo = (isWanted: (write: Write) => boolean, depth: number): Effect.Effect<Takeovers, ChainError> =>
    Effect.gen(function* () {
      const places = OwnedContract.writesWhere(
        contract,
        (write) => isWanted(write) && OwnedContract.storesAccount(write)
      ).filter((place) => !OwnedContract.isByOwner(contract, place))
      yield* spent.readAhead(places)
      return together(yield* Effect.forEach(places, (place) => waysOf(place, depth)))
    })

  /** The ways to one write, unless it can no longer happen. */
  const waysOf = (place: OwnedContract.PlacedWrite, depth: number): Effect.Effect<Takeovers, ChainError> =>
    Effect.gen(function* () {
      if (yield* spent.isSpent(place)) return nobody
      // It cannot happen now, but it can once another function has changed a variable.
      if (!(yield* spent.isPossible(place))) return unclear
      return yield* waysThrough(place, depth)
    })

  const waysThrough = (
    { flow, write }: OwnedContract.PlacedWrite,
    depth: number
  ): Effect.Effect<Takeovers, ChainError> => {
    const { guards, shut } = write
    if (guards.length === 0) return Effect.succeed(byAnyone(flow))
    const pass = (some: ReadonlyArray<Guard>) => Effect.forEach(some, (guard) => passing(guard, flow.selector, depth))
    const always = guards.filter((guard) => guard.always)
    if (always.length > 0) return Effect.map(pass(always), strictest)
    // A caller passes one of several guards, which may be that of the owner.
    const others = guards.filter((guard) => !OwnedContract.isOwnerGuard(contract, guard))
    return Effect.map(pass(others), (ways) => {
      const { complete, takeovers } = together(ways)
      return { takeovers, complete: shut && complete }
    })
  }

  const passing = (guard: Guard, selector: string, depth: number): Effect.Effect<Takeovers, ChainError> => {
    switch (guard.kind) {
      case "unknown":
        return Effect.succeed(unclear)
      case "entry":
        return Effect.map(control.of(contract.address), ({ value: graph }) =>
          isOwnersAlone(graph, contract) ? nobody : unclear
        )
      case "constant":
        return Effect.map(control.passing(contract.address, guard), ({ value }) => by(selector, value))
      case "slot":
        return PresentFlow.isVariable(guard.slot) && depth < depthAtMost
          ? throughVariable(guard, selector, depth)
          : Effect.succeed(unclear)
    }
  }

  /** The account in a variable, those who can put another one there, and the owner where the variable keeps his address. */
  const throughVariable = (
    guard: Guard & { readonly kind: "slot" },
    selector: string,
    depth: number
  ): Effect.Effect<Takeovers, ChainError> =>
    Effect.gen(function* () {
      const isHere = (write: Write): boolean =>
        PresentFlow.isSame(write.slot, guard.slot) && FieldMask.overlap(write.mask, FieldMask.maskOf(guard.field))
      const [{ value: holder }, others] = yield* Together.all([
        control.passing(contract.address, guard),
        waysTo(isHere, depth + 1)
      ])
      const setters = OwnedContract.writesWhere(
        contract,
        (write) => isHere(write) && OwnedContract.storesAccount(write)
      )
      const isByOwner = (setter: OwnedContract.PlacedWrite) => OwnedContract.isByOwner(contract, setter)
      const keepsOwner = (setter: OwnedContract.PlacedWrite) => OwnedContract.keepsOwner(contract, setter)
      const hasOwner = !Code.isDead(contract.owner)
      // The owner hands ownership over by a variable that he fills with the address of the next owner. A variable that keeps
      // his own address, or that he never fills, is how ownership is taken back.
      const isHandover = hasOwner && setters.some(isByOwner) && !setters.some(keepsOwner)
      const isKept = hasOwner && setters.some((setter) => isByOwner(setter) && keepsOwner(setter))
      return together([
        isHandover ? nobody : by(selector, holder),
        isKept ? yield* takenBack(selector) : nobody,
        { ...others, takeovers: others.takeovers.map((each) => ({ ...each, selector })) }
      ])
    })

  const takenBack = (selector: string): Effect.Effect<Takeovers, ChainError> =>
    Effect.map(control.classify(contract.owner), ({ value: controller }) => ({
      takeovers: [{ selector, controller }],
      complete: true
    }))

  return waysTo((write) => OwnedContract.isOwnerWrite(contract, write), 0)
}

const nobody: Takeovers = { takeovers: [], complete: true }

const together = (ways: ReadonlyArray<Takeovers>): Takeovers => ({
  takeovers: ways.flatMap(({ takeovers }) => takeovers),
  complete: ways.every(({ complete }) => complete)
})

const by = (selector: string, controller: Controller.Controller): Takeovers => {
  switch (controller.kind) {
    case "dead":
      return nobody
    case "unknown":
      return unclear
    default:
      return { takeovers: [{ selector, controller }], complete: true }
  }
}

/** A function without a guard is open to any account, unless an answer of another contract or a signature can be one. */
const byAnyone = ({ calls, complete, gates, selector }: FunctionFlow): Takeovers =>
  !complete || gates.some(({ about }) => about.includes("unknown")) || calls.length > 0
    ? unclear
    : by(selector, Controller.make("eoa"))

/** A caller has to pass all guards, so the strictest one decides. */
const strictest = (ways: ReadonlyArray<Takeovers>): Takeovers =>
  ways.find(({ complete, takeovers }) => complete && takeovers.length === 0) ??
  ways.find(({ complete }) => complete) ??
  ways[0] ??
  unclear

/** Whether nobody but the owner has a power over the contract. Then nobody else is on its lists of callers. */
const isOwnersAlone = (graph: ControlGraph.ControlGraph, { address, owner }: OwnedContract.OwnedContract): boolean => {
  const dead = new Set(graph.nodes.filter(({ kind }) => kind === "dead").map((node) => node.address))
  return (
    ControlGraph.decidingGaps(graph).length === 0 &&
    graph.edges.every(({ from, to }) => to !== address || from === owner || dead.has(from))
  )
}

const depthAtMost = 3
