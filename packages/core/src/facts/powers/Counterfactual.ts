/** @internal */

import { Array as Arrays, Context, Effect, Either, Layer, Option } from "effect"
import { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import type * as Address from "../../domain/Address.js"
import type * as Document from "../../domain/facts/CounterfactualSet.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { isDead } from "../code/Code.js"
import * as Proxy from "../code/Proxy.js"
import { Control } from "../control/Control.js"
import * as DirectHolders from "../control/DirectHolders.js"
import * as Roles from "../control/Roles.js"
import * as Getter from "../Getter.js"
import * as Pools from "../market/Pools.js"
import * as Token from "../market/Token.js"
import * as HolderBlocks from "../trade/HolderBlocks.js"
import * as LeverCalls from "./LeverCalls.js"
import * as LeverOutcome from "./LeverOutcome.js"
import * as Powers from "./Powers.js"
import * as SyntheticCall from "./SyntheticCall.js"

/**
 * What those in power could do to holders right now, shown by simulation: in blocks that follow the pinned one and that
 * nobody has sent, an account in power calls a function, and a made-up holder then moves his tokens. The same blocks
 * without that call are the baseline, and the same call by a made-up account is the proof of its guard.
 *
 * It shows what is possible, and nothing that it does not show is thereby impossible.
 */
export class Counterfactual extends Context.Tag("@assay/core/Counterfactual")<
  Counterfactual,
  {
    /** None where the code has no function to try. */
    readonly of: (
      token: Address.Address
    ) => Effect.Effect<Option.Option<Reading.Reading<Document.CounterfactualSet>>, ChainError>
    /** What of it is about one power, each function with the simulation that showed it. */
    readonly ofPower: (token: Address.Address, power: Document.TokenPower) => Effect.Effect<Tried, ChainError>
  }
>() {}

/** The functions of a power that could be called, and those that were not, with the reason. */
export interface Tried {
  readonly called: ReadonlyArray<Reading.Reading<Document.Counterfactual>>
  readonly unavailable: Document.CounterfactualSet["unavailable"]
}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const control = yield* Control
  const pools = yield* Pools.Pools
  const powers = yield* Powers.Powers
  const proxy = yield* Proxy.Proxy
  const roles = yield* Roles.Roles
  const tokens = yield* Token.Token

  /**
   * Accounts that getters name, or else events of roles. Both are read in the first level anyway, so these accounts are
   * known early.
   */
  const earlyCallers = (token: Address.Address): Effect.Effect<ReadonlyArray<Address.Address>> =>
    Effect.flatMap(
      Together.all(
        [
          ...DirectHolders.holderGetters.map(([, getter]) =>
            Effect.map(Getter.account(state, token, getter), ({ value }) => Option.toArray(value))
          ),
          Effect.map(state.storage(token, Slots.ownable), ({ value }) => Option.toArray(Getter.storedAddress(value)))
        ].map((read) => Effect.orElseSucceed(read, (): ReadonlyArray<Address.Address> => []))
      ),
      (found) => {
        const named = callersAmong(found.flat())
        return named.length > 0
          ? Effect.succeed(named)
          : Effect.match(roles.candidates(token), { onFailure: () => [], onSuccess: callersAmong })
      }
    )

  /**
   * All accounts that are known to have a power, except the upgrade authority, which the code's own guards do not
   * admit.
   */
  const inPower = (token: Address.Address) =>
    Effect.map(
      Together.all([control.each(token, (account) => Effect.succeed(account)), proxy.of(token)]),
      ([accounts, { value }]) => accounts.filter((account) => account !== value.upgrade_authority)
    )

  /** Those whom the conditions of a function name, and where they name nobody, all who are known to have a power. */
  const lateCallers = (token: Address.Address, { guards, privileged }: LeverCalls.Candidate) => {
    const isNamed = privileged && guards.every((guard) => guard.kind === "slot" || guard.kind === "constant")
    return Effect.map(
      Together.all([powers.named(token, guards), isNamed ? Effect.succeed([]) : inPower(token)]),
      ([named, others]) => callersAmong([...named, ...others])
    )
  }

  const attempt = (scene: HolderBlocks.Scene, trial: HolderBlocks.Trial) =>
    Effect.map(state.simulate(HolderBlocks.requestOf(scene, trial)), (reading) =>
      Reading.map(reading, (answers) => HolderBlocks.pointsOf(scene, trial, answers))
    )

  /**
   * A lever is called from those who are known at once, and only where that leads nowhere from those who take a level. A
   * tax that is bounded is tried again between the last value that was taken and the first that was refused. Both are for
   * the first levers only.
   */
  const tryLever = (
    scene: HolderBlocks.Scene,
    { lever, rank }: Ranked,
    early: ReadonlyArray<Address.Address>
  ): Effect.Effect<ReadonlyArray<LeverOutcome.Run>, ChainError> =>
    Effect.gen(function* () {
      const from = (callers: ReadonlyArray<Address.Address>, calls: ReadonlyArray<HolderBlocks.Call>) =>
        attempt(scene, { kind: HolderBlocks.kindOf(lever.power), callers, calls })
      const calls = LeverCalls.callsOf(scene, lever)
      let callers = early
      let runs: ReadonlyArray<LeverOutcome.Run> =
        early.length > 0 || !lever.privileged ? [yield* from(early, calls)] : []
      // A function without a guard that refused the first callers refuses later ones as well.
      if (lever.privileged && !runs.some(({ value }) => value.some(LeverOutcome.isCalled))) {
        callers = (yield* lateCallers(scene.token, lever)).filter((caller) => !early.includes(caller))
        if (callers.length > 0 && runs.length > 0 && rank >= lateAtMost)
          return yield* cut("its callers were known late")
        if (callers.length > 0) runs = [yield* from(callers, calls)]
      }
      for (let finer = 0; finer < finerAtMost && rank < finerLeversAtMost; finer++) {
        const next = finerCalls(scene, lever, runs)
        if (next.length === 0) break
        runs = [...runs, yield* from(callers, next)]
      }
      return runs
    })

  const read = Effect.fn("Counterfactual.of")(function* (token: Address.Address) {
    // Without the pool a tax on sales would seem to be none, so that one of these reads that is lost loses all of it.
    const [coded, isCollection, early, market, supply] = yield* Together.all([
      powers.inCode(token),
      tokens.isCollection(token),
      earlyCallers(token),
      pools.of(token),
      Getter.read(state, token, functions.totalSupply, Getter.uint)
    ])
    if (isCollection) return Option.none()
    const all = (yield* Effect.forEach(coded, LeverCalls.candidatesOf)).flat()
    if (all.length === 0) return Option.none()
    const scene = HolderBlocks.sceneOf(state, {
      token,
      pool: Option.fromNullable(market.value[0]),
      supply: Option.getOrElse(supply.value, () => 0n),
      balances: coded.flatMap((part) => part.token.balances)
    })
    // What is certain comes first, and then initialisers, which are tried before it is known whether they were used.
    const [open, closed] = Arrays.partition(all, ({ privileged }) => privileged)
    const [doubtful, certain] = Arrays.partition(closed, (lever) => lever.certain)
    const ordered = [...certain, ...open, ...doubtful]
    const able = ordered.filter((lever) => LeverCalls.callsOf(scene, lever).length > 0)
    const within = able.slice(0, leversAtMost).map(
      (lever, i, all): Ranked => ({
        lever,
        rank: all.slice(0, i).filter(({ power }) => power === lever.power).length
      })
    )
    const gates = within.filter(({ lever }) => LeverCalls.isGate(lever))
    const longest = Math.max(0, ...gates.map(({ lever }) => LeverCalls.mostCallsOf(scene, lever)))
    const [baseline, tried, held] = yield* Together.all([
      longest === 0
        ? Effect.succeedNone
        : Effect.map(Effect.either(attempt(scene, HolderBlocks.idle(longest))), Option.some),
      Together.forEach(within, (ranked) =>
        Effect.map(Effect.either(tryLever(scene, ranked, early)), (runs) => ({ lever: ranked.lever, runs }))
      ),
      powers.of(token)
    ])
    const plain = Option.flatMap(baseline, Either.getRight)
    const points = Option.match(plain, { onNone: () => [], onSome: ({ value }) => value })
    const rows = [
      ...tried.map(({ lever, runs }) => {
        // Without the baseline blocks, those of a gate show nothing.
        const lost = LeverCalls.isGate(lever) ? Option.flatMap(baseline, Either.getLeft) : Option.none()
        return Either.match(Option.isSome(lost) ? Either.left(lost.value) : runs, {
          onLeft: ({ detail, reason }) => LeverOutcome.notTried(lever, reason, detail),
          onRight: (found) => LeverOutcome.rowOf(lever, found, points)
        })
      }),
      ...able
        .slice(leversAtMost)
        .map((lever) => LeverOutcome.notTried(lever, "budget_exhausted", "too many functions to try")),
      ...ordered
        .filter((lever) => !able.includes(lever))
        .map((lever) => LeverOutcome.notTried(lever, "inconclusive", "its arguments could not be made up"))
      // What nobody can pull was only tried because that was not known yet.
    ].filter((row) => row.told || LeverOutcome.isLeft(row, held.value))
    if (rows.length === 0) return Option.none()
    const called = rows.flatMap((row) => Option.toArray(row.reading))
    const set: Document.CounterfactualSet = {
      victim: scene.holder,
      baseline: points[0]?.met ?? HolderBlocks.unmeasured,
      shown: called.map(({ value }) => value),
      unavailable: rows.flatMap((row) => Option.toArray(row.missing))
    }
    const observed: Reading.Reading<unknown> =
      called.find(({ value }) => value.effect !== "none") ?? called[0] ?? Option.getOrElse(plain, () => held)
    return Option.some({ set: { value: set, observation: observed.observation }, called })
  })

  const all = yield* OncePerKey.make((token: Address.Address) => token, read)
  return Counterfactual.of({
    of: (token) =>
      Effect.map(
        all(token),
        Option.map(({ set }) => set)
      ),
    ofPower: (token, power) =>
      Effect.map(
        all(token),
        Option.match({
          onNone: () => ({ called: [], unavailable: [] }),
          onSome: ({ called, set }) => ({
            called: called.filter(({ value }) => value.power === power),
            unavailable: set.value.unavailable.filter((row) => row.power === power)
          })
        })
      )
  })
})

/**
 * Simulates each function in a request of its own, all of them at once. Two more levels are taken at the most: for
 * functions with a caller that is known late, and for taxes with a bound between the values that were tried.
 */
export const layer: Layer.Layer<
  Counterfactual,
  never,
  ChainState | Control | Pools.Pools | Powers.Powers | Proxy.Proxy | Token.Token
> = Layer.provide(Layer.scoped(Counterfactual, make), Roles.layer)

/** The functions that are tried in one analysis. */
const leversAtMost = 16

/** Of each power, the functions that are tried a second time, from callers who were known late. */
const lateAtMost = 2

/** The most taxes with a search for the bound. */
const finerLeversAtMost = 3

/** The accounts that a function is called from. */
const callersAtMost = 8

/** How often a bounded tax is tried again. */
const finerAtMost = 2

const { functions } = Selectors

const callersAmong = (accounts: ReadonlyArray<Address.Address>): ReadonlyArray<Address.Address> =>
  Arrays.dedupe(accounts)
    .filter((account) => !isDead(account))
    .slice(0, callersAtMost)

const cut = (detail: string): Effect.Effect<never, ChainError> =>
  new ChainError({ reason: "budget_exhausted", method: "eth_simulateV1", retryable: false, detail })

/** A lever and how many of the same power come before it. */
interface Ranked {
  readonly lever: LeverCalls.Candidate
  readonly rank: number
}

/** Calls with values between the largest that a tax was set to and the smallest above it that was refused. */
const finerCalls = (
  scene: HolderBlocks.Scene,
  lever: LeverCalls.Candidate,
  runs: ReadonlyArray<LeverOutcome.Run>
): ReadonlyArray<HolderBlocks.Call> => {
  const { refused, taken } = LeverOutcome.rangeOf(runs)
  return lever.power === "tax" && taken !== undefined && refused !== undefined
    ? LeverCalls.callsAbout(scene, lever, scene.holder, SyntheticCall.between(taken, refused))
    : []
}
