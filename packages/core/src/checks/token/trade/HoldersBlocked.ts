import { Effect, Either, Option, Schema } from "effect"
import type { Reading } from "../../../chain/state/Reading.js"
import { Address } from "../../../domain/Address.js"
import type { Observation, Severity } from "../../../domain/Evidence.js"
import { Timestamp } from "../../../domain/Timestamp.js"
import * as HolderReplay from "../../../facts/trade/HolderReplay.js"
import * as Check from "../../Check.js"
import * as Fungible from "../Fungible.js"
import * as Circumstantial from "./Circumstantial.js"
import * as ProvenByCode from "./ProvenByCode.js"
import * as Tradeable from "./Tradeable.js"

/**
 * The sampled holders that were blocked, those that can transfer to other holders only, those that were neither, and the
 * error message, at the time that decided the result or now. `complete` is true where every holder has a result at every
 * time. `since` is null where no time has more than 10 % of holders blocked.
 */
const HoldersBlockedValue = Schema.Struct({
  complete: Schema.Boolean,
  since: Schema.NullOr(Schema.Literal("now", "in_a_month", "in_a_year", "at_a_moment")),
  at: Schema.optional(Timestamp),
  blocked: Schema.Array(Address),
  restricted: Schema.Array(Address),
  free: Schema.Array(Address),
  reason: Schema.NullOr(Schema.String)
})

/**
 * E-07: whether current holders cannot freely sell or transfer the token: now, in 30 days and in a year. The simulation
 * sells a small part of the balance of sampled holders, or transfers it where there is no pool. Sampled holders are
 * accounts with a key and no code, large and small. Up to 10 % of them may be blocked: issuers freeze accounts, which has
 * its own check.
 *
 * - Confirmed: more than 10 % of the sampled holders are blocked at one time; critical where more than half of at least
 *   three are, else high. Where some holders have no result, only if they cannot change the severity.
 * - A holder of a token without a pool that can transfer to another holder, and not to a fresh account, is restricted: a
 *   whitelist does that. It counts as blocked, but the severity is high if no sampled holder can transfer to a fresh
 *   account and at most 10 % cannot transfer to another holder. So a list that locks in all but insiders is critical.
 * - Refuted: at every time at most 10 % are blocked in block simulation, the sample has at least three holders or all
 *   holders, and the code depends on nothing that can differ in every trade ({@link Circumstantial}). Later than a year is
 *   not simulated.
 * - Also refuted by the code, where it proves that no rule of the token stops a transfer ({@link ProvenByCode}) and no
 *   sampled holder is blocked.
 * - Unknown: all other cases. `eth_call` alone can confirm but never refute, because it does not show that a balance
 *   changed. Where all pools are empty, a transfer that works does not show that a sale works.
 *
 * It does not apply where all holders are known and none is of this kind, or to non-fungible tokens.
 */
export const holdersBlocked = Check.make({
  id: "trade.holders-blocked",
  code: "E-07",
  version: 5,
  targets: ["token"],
  claim: "More than 10 % of sampled holders cannot freely sell or transfer the token",
  polarity: "risk",
  severity: "critical",
  dimension: "exit",
  value: HoldersBlockedValue,
  volatile: true,
  run: (target) =>
    Effect.gen(function* () {
      if (!(yield* Fungible.is(target.address))) return Check.notApplicable
      const replay = yield* HolderReplay.HolderReplay
      const replayed = yield* Effect.either(replay.of(target.address))
      const verdicts = Either.match(replayed, {
        onLeft: ({ detail, method, reason }) => [Check.unknown(reason, `${method} failed: ${detail}`)],
        onRight: judge
      })
      const isContradicted = Either.match(replayed, { onLeft: () => false, onRight: ({ value }) => isSuspect(value) })
      const outside = yield* Tradeable.outweighed(target.address)
      const seen = yield* Effect.forEach(verdicts, (verdict) =>
        Circumstantial.settled(target.address, Circumstantial.ofEachTrade, verdict)
      )
      return yield* Effect.forEach(seen, (verdict) =>
        ProvenByCode.settled(target.address, Tradeable.unlessOutweighed(verdict, outside), {
          value: { complete: false, since: null, blocked: [], restricted: [], free: [], reason: null },
          isExact: false,
          isContradicted,
          isListExplaining: Option.none(),
          accounts: Option.flatMap(Either.getRight(replayed), ({ value }) => sampled(value))
        })
      )
    })
})

/** The holders that were tried; none where there were none, which says nothing about those that there are. */
const sampled = ({ trials }: HolderReplay.Replay): Option.Option<ReadonlyArray<Address>> =>
  trials.length === 0 ? Option.none() : Option.some(trials.map(({ holder }) => holder))

/** Whether a holder was refused what a token without rules allows. */
const isSuspect = ({ later, ...now }: HolderReplay.Replay): boolean =>
  [now, ...later].some(
    ({ control, trials }) =>
      control !== "failed" && trials.some(({ state }) => state === "blocked" || state === "restricted")
  )

type Since = NonNullable<typeof HoldersBlockedValue.Type.since>

type Moment = HolderReplay.Trials & {
  readonly when: Since
  readonly at?: Timestamp
  readonly observation: () => Observation
}

const judge = ({
  observation,
  value: { complete, later, method, untried, ...present }
}: Reading<HolderReplay.Replay>): ReadonlyArray<Check.Verdict<typeof HoldersBlockedValue.Type>> => {
  const seen = { observation: observation() }
  const tried = present.trials.length
  const areAll = complete && !untried
  if (tried === 0) {
    return areAll
      ? Check.notApplicable
      : [Check.unknown("inconclusive", "no holder without code was found in the sample", seen)]
  }
  if (present.control === "failed") return [Tradeable.noControl(seen.observation)]
  const now: Moment = { ...present, when: "now", observation }
  // Plain calls were repeated a month later for those alone who were refused now.
  const moments = method === "call" ? [now] : [now, ...later]
  const decisive = moments.reduce((first, next) => (rank(gradeOf(next)) > rank(gradeOf(first)) ? next : first))
  const severity = gradeOf(decisive)
  const gap = moments.find((moment) => rank(worstOf(moment)) > rank(severity))
  if (gap !== undefined) return [uncertain(gap, method)]
  if (method === "call" && rank(severity) < rank(critical)) {
    return [
      Check.unknown("method_unsupported", `${said(now)}; eth_call does not show results in 30 days or in a year`, seen)
    ]
  }
  const shown = { observation: decisive.observation() }
  const of = (state: HolderReplay.Trial["state"]) => withState(decisive, state).map(({ holder }) => holder)
  const value = {
    complete: method !== "call" && moments.every((moment) => withState(moment, "unshown").length === 0),
    since: Option.isSome(severity) ? decisive.when : null,
    ...(Option.isSome(severity) && decisive.at !== undefined ? { at: decisive.at } : {}),
    blocked: of("blocked"),
    restricted: of("restricted"),
    free: of("free"),
    reason: Option.getOrNull(wordsOf(decisive))
  }
  return [
    Option.match(severity, {
      onSome: (severity) => Check.confirmed({ value, detail: said(decisive), severity, ...shown }),
      onNone: () =>
        tried < fewest && !areAll
          ? Check.unknown(
              "inconclusive",
              `only ${tried} holders were found to simulate; at least ${fewest} are needed`,
              seen
            )
          : Check.refuted({
              value,
              detail:
                value.blocked.length + value.restricted.length === 0
                  ? `${tried} of ${tried} sampled holders can sell or transfer: now, in 30 days and in a year`
                  : said(decisive),
              ...shown
            })
    })
  ]
}

const fewest = 3

const withState = ({ trials }: Moment, state: HolderReplay.Trial["state"]) =>
  trials.filter((trial) => trial.state === state)

const wordsOf = (moment: Moment): Option.Option<string> =>
  Option.firstSomeOf([...withState(moment, "blocked"), ...withState(moment, "restricted")].map(({ error }) => error))

const said = (moment: Moment): string => {
  const words = Tradeable.quoted(Option.getOrNull(wordsOf(moment)))
  const { blocked, free, restricted, tried } = countsOf(moment)
  const when = whenOf(moment)
  if (restricted === 0) return `${blocked} of ${tried} sampled holders cannot sell or transfer${when}${words}`
  const others = [
    ...(blocked > 0 ? [`${blocked} cannot transfer at all`] : []),
    ...(free > 0 ? [`${free} can transfer to anybody`] : [])
  ]
  return `${restricted} of ${tried} sampled holders can transfer to other holders only and have no pool to sell in${when}${others.map((part) => `; ${part}`).join("")}${words}`
}

const whenOf = ({ at, when }: Moment): string => (at === undefined ? spoken[when] : ` on ${at.slice(0, 10)}`)

const spoken: { readonly [when in Since]: string } = {
  now: "",
  in_a_month: " in 30 days",
  in_a_year: " in a year",
  at_a_moment: " at a moment that the code names"
}

const uncertain = (moment: Moment, method: HolderReplay.Replay["method"]): Check.Undecided => {
  const seen = { observation: moment.observation() }
  if (moment.control === "failed") {
    return Check.unknown(
      "inconclusive",
      `the control token could not be traded either${whenOf(moment)}, so the result proves nothing`,
      seen
    )
  }
  const others = withState(moment, "unshown")
  return Check.unknown(
    method === "call" ? "method_unsupported" : "inconclusive",
    `${said(moment)}; ${others.length} of ${moment.trials.length} have no result${method === "call" ? ", because eth_call does not show that a balance changed" : why(others)}`,
    seen
  )
}

const why = (others: ReadonlyArray<HolderReplay.Trial>): string =>
  Option.match(Option.firstSomeOf(others.map(({ error }) => error)), {
    onNone: () => "",
    onSome: (words) => Tradeable.quoted(words)
  })

const critical = Option.some<Severity>("critical")

/** The least grade that holders without a result leave open. */
const gradeOf = (moment: Moment): Option.Option<Severity> => {
  if (moment.control === "failed") return Option.none()
  const { blocked, closed, free, tried } = countsOf(moment)
  const least = grade(closed, tried)
  return Option.contains(least, "critical") && free === 0 && isFew(blocked, tried) ? high : least
}

/** The highest grade that they leave open: were they free or blocked, it might be no list that treats all alike. */
const worstOf = (moment: Moment): Option.Option<Severity> => {
  if (moment.control === "failed") return critical
  const { closed, tried, unshown } = countsOf(moment)
  return unshown === 0 ? gradeOf(moment) : grade(closed + unshown, tried)
}

const countsOf = (moment: Moment) => {
  const count = (state: HolderReplay.Trial["state"]) => withState(moment, state).length
  const [blocked, restricted] = [count("blocked"), count("restricted")]
  return {
    blocked,
    restricted,
    closed: blocked + restricted,
    free: count("free"),
    unshown: count("unshown"),
    tried: moment.trials.length
  }
}

const isFew = (blocked: number, tried: number): boolean => 10 * blocked <= tried

const grade = (closed: number, tried: number): Option.Option<Severity> =>
  isFew(closed, tried) ? Option.none() : 2 * closed > tried && tried >= fewest ? critical : high

const high = Option.some<Severity>("high")

const rank = (severity: Option.Option<Severity>): number =>
  Option.match(severity, { onNone: () => 0, onSome: (grade) => (grade === "critical" ? 2 : 1) })
