import { Array as Arrays, Context, Effect, Either, Layer, Option } from "effect"
import { ChainError } from "../chain/ChainError.js"
import { ChainState } from "../chain/ChainState.js"
import * as Reading from "../chain/Reading.js"
import type * as Address from "../domain/Address.js"
import type * as Document from "../domain/facts/CounterfactualSet.js"
import type { Hex } from "../domain/Hex.js"
import * as Quantity from "../domain/Quantity.js"
import * as Selectors from "../evm/Selectors.js"
import * as Slots from "../evm/Slots.js"
import type * as TokenPowers from "../evm/TokenPowers.js"
import * as Controllers from "./Control.js"
import * as Getter from "./Getter.js"
import * as HolderBlocks from "./HolderBlocks.js"
import * as HostileText from "./HostileText.js"
import * as KnownLever from "./KnownLever.js"
import * as Memo from "./Memo.js"
import * as Pools from "./Pools.js"
import * as Powers from "./Powers.js"
import * as Proxy from "./Proxy.js"
import * as Roles from "./Roles.js"
import * as SyntheticCall from "./SyntheticCall.js"
import * as Token from "./Token.js"

/**
 * What those in power could do to holders right now, shown by simulation: in blocks that follow the pinned one and that
 * nobody has sent, an account in power calls a function, and a made-up holder then moves his tokens. The same blocks
 * without that call are the baseline, and the same call by a made-up account is the proof of its guard.
 *
 * It shows what is possible, and nothing that it does not show is thereby impossible.
 *
 * @since 0.1.0
 * @category services
 */
export class Counterfactual extends Context.Tag("@assay/core/Counterfactual")<
  Counterfactual,
  {
    /** None where the code gives nobody anything to try. */
    readonly of: (
      token: Address.Address
    ) => Effect.Effect<Option.Option<Reading.Reading<Document.CounterfactualSet>>, ChainError>
    /** What of it is about one power, each function with the simulation that showed it. */
    readonly ofPower: (token: Address.Address, power: Document.TokenPower) => Effect.Effect<Tried, ChainError>
  }
>() {}

/**
 * The functions of a power that could be called, and those that were not, with the reason.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tried {
  readonly called: ReadonlyArray<Reading.Reading<Document.Counterfactual>>
  readonly unavailable: Document.CounterfactualSet["unavailable"]
}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const control = yield* Controllers.Control
  const pools = yield* Pools.Pools
  const powers = yield* Powers.Powers
  const proxy = yield* Proxy.Proxy
  const roles = yield* Roles.Roles
  const tokens = yield* Token.Token

  /**
   * Those who are named by getters, or else by the events of roles, which others ask for in the first level as well, so
   * that they are known early.
   */
  const earlyCallers = (token: Address.Address): Effect.Effect<ReadonlyArray<Address.Address>> =>
    Effect.flatMap(
      Effect.all(
        [
          ...ownerLike.map((getter) =>
            Effect.map(Getter.read(state, token, getter, Getter.address), ({ value }) => Option.toArray(value))
          ),
          Effect.map(state.storage(token, Slots.ownable), ({ value }) => Option.toArray(Getter.storedAddress(value)))
        ].map((read) => Effect.orElseSucceed(read, (): ReadonlyArray<Address.Address> => [])),
        { concurrency: "unbounded" }
      ),
      (found) => {
        const named = callersAmong(found.flat())
        return named.length > 0
          ? Effect.succeed(named)
          : Effect.match(roles.candidates(token), { onFailure: () => [], onSuccess: callersAmong })
      }
    )

  /** All who are known to have a power, but for who may replace the code: what the code asks for is something else. */
  const inPower = (token: Address.Address) =>
    Effect.map(
      Effect.all([control.each(token, (account) => Effect.succeed(account)), proxy.of(token)], {
        concurrency: "unbounded"
      }),
      ([accounts, { value }]) => accounts.filter((account) => account !== value.upgrade_authority)
    )

  /** Those whom the conditions of a function name, and where they name nobody, all who are known to have a power. */
  const lateCallers = (token: Address.Address, { guards, privileged }: Candidate) => {
    const isNamed = privileged && guards.every((guard) => guard.kind === "slot" || guard.kind === "constant")
    return Effect.map(
      Effect.all([powers.named(token, guards), isNamed ? Effect.succeed([]) : inPower(token)], {
        concurrency: "unbounded"
      }),
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
  ): Effect.Effect<ReadonlyArray<Run>, ChainError> =>
    Effect.gen(function* () {
      const from = (callers: ReadonlyArray<Address.Address>, calls: ReadonlyArray<HolderBlocks.Call>) =>
        attempt(scene, { kind: HolderBlocks.kindOf(lever.power), callers, calls })
      const calls = callsOf(scene, lever)
      let callers = early
      let runs: ReadonlyArray<Run> = early.length > 0 || !lever.privileged ? [yield* from(early, calls)] : []
      if (!runs.some(({ value }) => value.some(isCalled))) {
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
    const [coded, { value: profile }, early, market, supply] = yield* Effect.all(
      [
        powers.inCode(token),
        tokens.of(token),
        earlyCallers(token),
        pools.of(token),
        Getter.read(state, token, functions.totalSupply, Getter.uint)
      ],
      { concurrency: "unbounded" }
    )
    if (profile.standard === "erc721" || profile.standard === "erc1155") return Option.none()
    const candidates = yield* Effect.forEach(
      coded,
      (part) =>
        Effect.flatMap(candidatesOf(part), (levers) =>
          // An initialiser asks nobody who he is, and in most cases it is known without a further read that it was used.
          Effect.filter(
            levers,
            (lever) =>
              lever.privileged
                ? Effect.succeed(true)
                : Effect.map(powers.isSpent(token, part.logic, lever), (spent) => !spent),
            { concurrency: "unbounded" }
          )
        ),
      { concurrency: "unbounded" }
    )
    const all = candidates.flat()
    if (all.length === 0) return Option.none()
    const scene = HolderBlocks.sceneOf(state, {
      token,
      pool: Option.fromNullable(market.value[0]),
      supply: Option.getOrElse(supply.value, () => 0n),
      balances: coded.flatMap((part) => part.token.balances)
    })
    // What is certain comes first, so that a budget cuts what is not.
    const ordered = [...all.filter((lever) => lever.certain), ...all.filter((lever) => !lever.certain)]
    const able = ordered.filter((lever) => callsOf(scene, lever).length > 0)
    const within = able.slice(0, leversAtMost).map(
      (lever, i, all): Ranked => ({
        lever,
        rank: all.slice(0, i).filter(({ power }) => power === lever.power).length
      })
    )
    const gates = within.filter(({ lever }) => isGate(lever))
    const longest = Math.max(0, ...gates.map(({ lever }) => mostCallsOf(scene, lever)))
    const [baseline, tried, held] = yield* Effect.all(
      [
        longest === 0
          ? Effect.succeedNone
          : Effect.map(Effect.either(attempt(scene, HolderBlocks.idle(longest))), Option.some),
        Effect.forEach(
          within,
          (ranked) =>
            Effect.map(Effect.either(tryLever(scene, ranked, early)), (runs) => ({ lever: ranked.lever, runs })),
          { concurrency: "unbounded" }
        ),
        powers.of(token)
      ],
      { concurrency: "unbounded" }
    )
    const plain = Option.flatMap(baseline, Either.getRight)
    const points = Option.match(plain, { onNone: () => [], onSome: ({ value }) => value })
    const rows = [
      ...tried.map(({ lever, runs }) => {
        // Beside blocks that were lost, those of a gate tell nothing.
        const lost = isGate(lever) ? Option.flatMap(baseline, Either.getLeft) : Option.none()
        return Either.match(Option.isSome(lost) ? Either.left(lost.value) : runs, {
          onLeft: ({ detail, reason }) => notTried(lever, reason, detail),
          onRight: (found) => rowOf(lever, found, points)
        })
      }),
      ...able.slice(leversAtMost).map((lever) => notTried(lever, "budget_exhausted", "too many functions to try")),
      ...ordered
        .filter((lever) => !able.includes(lever))
        .map((lever) => notTried(lever, "inconclusive", "its arguments could not be made up"))
      // What nobody can pull was only tried because that was not known yet.
    ].filter((row) => row.told || isLeft(row, held.value))
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

  const all = yield* Memo.make((token: Address.Address) => token, read)
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
 * Simulates each function in a request of its own, all of them at once. Two more levels are taken at the most: by functions
 * whose caller is known late, and by taxes whose bound lies between the values that were tried.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<
  Counterfactual,
  never,
  ChainState | Controllers.Control | Pools.Pools | Powers.Powers | Proxy.Proxy | Token.Token
> = Layer.provide(Layer.scoped(Counterfactual, make), Roles.layer)

/** The functions that are tried in one analysis. */
const leversAtMost = 16

/** Of each power, the functions that are tried a second time, from callers who were known late. */
const lateAtMost = 2

/** The taxes whose bound is looked for. */
const finerLeversAtMost = 3

/** The accounts that a function is called from. */
const callersAtMost = 8

/** How often a bounded tax is tried again. */
const finerAtMost = 2

const { functions, selector } = Selectors

const ownerLike: ReadonlyArray<Hex> = [
  functions.owner,
  functions.getOwner,
  functions.admin,
  functions.governance,
  functions.authority,
  selector("minter()"),
  // https://github.com/circlefin/stablecoin-evm
  selector("masterMinter()"),
  selector("pauser()"),
  selector("blacklister()"),
  selector("rescuer()")
]

const callersAmong = (accounts: ReadonlyArray<Address.Address>): ReadonlyArray<Address.Address> =>
  Arrays.dedupe(accounts)
    .filter((account) => !Controllers.isDead(account))
    .slice(0, callersAtMost)

const cut = (detail: string): Effect.Effect<never, ChainError> =>
  new ChainError({ reason: "budget_exhausted", method: "eth_simulateV1", retryable: false, detail })

/** A lever and how many of the same power come before it. */
interface Ranked {
  readonly lever: Candidate
  readonly rank: number
}

/** A lever with the types of its arguments and what they are for. */
interface Candidate extends TokenPowers.Lever {
  readonly power: Document.TokenPower
  readonly types: ReadonlyArray<string>
  readonly roles: SyntheticCall.Roles
}

type Run = Reading.Reading<ReadonlyArray<HolderBlocks.Point>>

const isGate = ({ power }: Candidate): boolean => HolderBlocks.kindOf(power) === "gate"

const isCalled = ({ by, open }: HolderBlocks.Point): boolean => open || Option.isSome(by)

const candidatesOf = ({ followed, levers, logic }: Powers.CodedPowers): Effect.Effect<ReadonlyArray<Candidate>> => {
  const all = (Object.keys(levers) as ReadonlyArray<Document.TokenPower>).flatMap((power) =>
    levers[power].map((lever) => ({ power, lever }))
  )
  // Where code could not be followed, what it is called is a reason to see what it does.
  const known = KnownLever.all.filter(
    ({ power, selector: name }) =>
      !followed.includes(power) &&
      logic.flow.functions.some((entry) => entry.selector === name) &&
      !levers[power].some((lever) => lever.selector === name)
  )
  if (all.length === 0 && known.length === 0) return Effect.succeed([])
  return Selectors.describe(logic.code).pipe(
    // A trap in evmole costs the types only.
    Effect.catchAllDefect(() => Effect.succeed<ReadonlyArray<Selectors.DispatchedFunction>>([])),
    Effect.map((described) => [
      ...all.map(({ lever, power }): Candidate => {
        const roles = SyntheticCall.rolesOf(writesFor(power, lever))
        const inferred =
          lever.selector === functions.transferFrom
            ? "address,address,uint256"
            : (described.find((entry) => entry.selector === lever.selector)?.arguments ?? "")
        return { ...lever, power, roles, types: SyntheticCall.typesOf(inferred, roles) }
      }),
      ...known.map(({ power, selector: name, types }): Candidate => {
        const unread = { certain: false, privileged: true, guards: [], variable: undefined, writes: [] }
        return { ...unread, selector: name, power, types, roles: SyntheticCall.rolesByType(types) }
      })
    ])
  )
}

/** Of a function that takes here and gives there, the writes that the power lies in. */
const writesFor = (power: Document.TokenPower, { writes }: TokenPowers.Lever): TokenPowers.Lever["writes"] => {
  const taking = writes.filter(({ change }) => change.kind !== "increase" && change.kind !== "keep")
  return power === "seize" && taking.length > 0 ? taking : writes
}

// Largest first: a function that takes less each time would refuse the rest, and what breaks arithmetic is undone by the
// next value.
const numbers: ReadonlyArray<bigint> = [2n ** 256n - 1n, 10_000n, 1_000n, 100n, 99n, 25n, 1n, 0n]

// Where a whole is more than ten thousand parts.
const rates: ReadonlyArray<bigint> = [
  2n ** 256n - 1n,
  10n ** 18n,
  10n ** 17n,
  1_000_000n,
  100_000n,
  ...numbers.slice(1)
]

const callsOf = (scene: HolderBlocks.Scene, lever: Candidate): ReadonlyArray<HolderBlocks.Call> =>
  accountsFor(scene, lever).flatMap((account) => callsAbout(scene, lever, account, valuesFor(scene, lever)))

const accountsFor = (scene: HolderBlocks.Scene, { power, roles }: Candidate): ReadonlyArray<Address.Address> => {
  const isAboutSomebody = roles.accounts.size > 0 || roles.listed
  switch (power) {
    case "mint":
      return [scene.receiver]
    case "bypass":
      return [scene.holder]
    case "seize":
      return isAboutSomebody ? [scene.holder, ...Option.toArray(scene.pool)] : [scene.holder]
    default:
      return isAboutSomebody ? [scene.holder, scene.peer] : [scene.holder]
  }
}

const valuesFor = (scene: HolderBlocks.Scene, { power, roles, types }: Candidate): ReadonlyArray<bigint> => {
  switch (power) {
    case "mint":
    case "bypass":
      return [scene.unit]
    case "seize":
      return [scene.unit, 0n]
    default:
      return SyntheticCall.valueKind(types, roles) === "bool" ? [1n, 0n] : power === "tax" ? rates : numbers
  }
}

/** Calls about an account, one for each value that makes another call of it. */
const callsAbout = (
  scene: HolderBlocks.Scene,
  { roles, selector: name, types }: Candidate,
  account: Address.Address,
  values: ReadonlyArray<bigint>
): ReadonlyArray<HolderBlocks.Call> => {
  const isValued = SyntheticCall.valueKind(types, roles) !== "none"
  const fitting = Arrays.dedupe(values.map((value) => SyntheticCall.fitting(types, roles, value)))
  return (isValued ? fitting : fitting.slice(0, 1)).flatMap((value) =>
    Option.toArray(
      Option.map(
        SyntheticCall.encode(types, roles, { account, other: scene.bystander, value }),
        (encoded): HolderBlocks.Call => ({
          data: Getter.calldata(name === "fallback" ? "0x" : name, [encoded]),
          value: isValued ? Option.some(value) : Option.none()
        })
      )
    )
  )
}

const mostCallsOf = (scene: HolderBlocks.Scene, lever: Candidate): number =>
  Math.max(callsOf(scene, lever).length, lever.power === "tax" ? SyntheticCall.valuesAtMost : 0)

/** Calls with values between the largest that a tax was set to and the smallest above it that was refused. */
const finerCalls = (
  scene: HolderBlocks.Scene,
  lever: Candidate,
  runs: ReadonlyArray<Run>
): ReadonlyArray<HolderBlocks.Call> => {
  const { refused, taken } = rangeOf(runs)
  return lever.power === "tax" && taken !== undefined && refused !== undefined
    ? callsAbout(scene, lever, scene.holder, SyntheticCall.between(taken, refused))
    : []
}

interface Range {
  readonly taken: bigint | undefined
  readonly refused: bigint | undefined
}

/** The largest value that a lever took, and the smallest above it that it refused. */
const rangeOf = (runs: ReadonlyArray<Run>): Range => {
  const tried = runs.flatMap(({ value }) =>
    value.flatMap((point) =>
      Option.toArray(Option.map(point.call.value, (value) => ({ value, isTaken: isCalled(point) })))
    )
  )
  const most = (values: ReadonlyArray<bigint>): bigint | undefined =>
    values.reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined)
  const taken = most(tried.filter(({ isTaken }) => isTaken).map(({ value }) => value))
  const above = tried.filter(({ isTaken, value }) => !isTaken && taken !== undefined && value > taken)
  const refused = most(above.map(({ value }) => -value))
  return { taken, refused: refused === undefined ? undefined : -refused }
}

type Missing = Document.CounterfactualSet["unavailable"][number]

/** What there is to say of a lever; `told` where it was seen to do something. */
interface Row extends Pick<Candidate, "power" | "selector"> {
  readonly told: boolean
  readonly reading: Option.Option<Reading.Reading<Document.Counterfactual>>
  readonly missing: Option.Option<Missing>
}

const notTried = ({ power, selector: name }: Candidate, reason: Missing["reason"], detail: string): Row => ({
  power,
  selector: name,
  told: false,
  reading: Option.none(),
  missing: Option.some({ power, selector: name, reason, detail: HostileText.clean(detail) })
})

/** Whether a lever is still one, now that it is known who can pull it: not used up, and not nobody's. */
const isLeft = ({ power, selector: name }: Row, held: Powers.HeldPowers): boolean =>
  [...held[power].levers, ...held[power].possible].some(
    (lever) => lever.selector === name && (lever.controllers.length === 0 || Powers.living(lever).length > 0)
  )

const rowOf = (lever: Candidate, runs: ReadonlyArray<Run>, baseline: ReadonlyArray<HolderBlocks.Point>): Row => {
  const { power, selector: name } = lever
  if (runs.length === 0) return notTried(lever, "inconclusive", "nobody who may call it is known")
  const seen = runs.flatMap((run) =>
    run.value.map((point, k) => ({ run, point, before: baseline[k]?.met ?? HolderBlocks.unmeasured }))
  )
  const called = seen
    .filter(({ point }) => isCalled(point))
    .map((one) => ({ ...one, seen: isGate(lever) ? metOf(power, one.point, one.before) : takenOf(lever, one.point) }))
  const [most] = called.toSorted((a, b) => b.seen.weight - a.seen.weight)
  if (most === undefined) return notTried(lever, "inconclusive", "no call of it went through")
  const taxes = isGate(lever) ? called.flatMap(({ point }) => point.met.tax_bps ?? []) : []
  const { refused, taken } = rangeOf(runs)
  const { amount, effect, isByAnybody } = most.seen
  const row: Document.Counterfactual = {
    power,
    selector: name,
    controller: isByAnybody ? null : Option.getOrNull(most.point.by),
    arguments: SyntheticCall.words(`0x${most.point.call.data.slice(name === "fallback" ? 2 : 10)}`),
    effect,
    baseline: most.before,
    after: most.point.met,
    amount: amount === undefined ? null : Quantity.make(amount),
    guard_proved: seen.every(({ point }) => !point.open),
    worst_tax_bps: taxes.length === 0 ? null : Math.max(...taxes),
    largest_value: taken === undefined ? null : Quantity.make(taken),
    refused_from: refused === undefined ? null : Quantity.make(refused)
  }
  return {
    power,
    selector: name,
    told: effect !== "none",
    reading: Option.some(Reading.map(most.run, () => row)),
    missing: Option.none()
  }
}

/** What a call did, and how much it tells. */
interface Seen {
  readonly effect: Document.Counterfactual["effect"]
  readonly weight: number
  readonly isByAnybody: boolean
  readonly amount?: bigint
}

const noEffect: Seen = { effect: "none", weight: 0, isByAnybody: false }

const takenOf = ({ certain, power }: Candidate, { callers, stranger }: HolderBlocks.Point): Seen => {
  // What a receiver gained without a larger supply may have been somebody's, unless the code says otherwise.
  const amountOf = ({ gained, minted, taken }: HolderBlocks.Taken): bigint =>
    power !== "mint" ? taken : minted > 0n ? minted : certain ? gained : 0n
  const [byStranger, byCallers] = [amountOf(stranger), amountOf(callers)]
  const amount = byStranger > 0n ? byStranger : byCallers
  const effect = power === "mint" ? "minted" : power === "seize" ? "seized" : "bypassed"
  return amount > 0n ? { effect, weight: 1, isByAnybody: byStranger > 0n, amount } : noEffect
}

const metOf = (power: Document.TokenPower, { met, open }: HolderBlocks.Point, before: Document.HolderOutcome): Seen => {
  const turns = (from: IsState, to: IsState): boolean =>
    (from(before.transfer) && to(met.transfer)) || (from(before.sale) && to(met.sale))
  const rise = before.tax_bps === null || met.tax_bps === null ? 0 : met.tax_bps - before.tax_bps
  // One basis point is the rounding of the measurement.
  if (power === "tax" && rise > 1) return { effect: "taxed", weight: 2 + rise, isByAnybody: open }
  if (turns(isMoved, isStuck)) return { effect: "stopped", weight: 2, isByAnybody: open }
  const isSwitch = power === "pause" || power === "whitelist"
  return isSwitch && turns(isStuck, isMoved) ? { effect: "released", weight: 1, isByAnybody: open } : noEffect
}

type IsState = (state: Document.MoveState) => boolean

const isMoved: IsState = (state) => state === "moved"

const isStuck: IsState = (state) => state === "reverted" || state === "no_effect"
