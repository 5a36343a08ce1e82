import { Effect, Option, Schema } from "effect"
import type { Reading } from "../../chain/Reading.js"
import { Address } from "../../domain/Address.js"
import type { Observation, Severity } from "../../domain/Evidence.js"
import * as HolderReplay from "../../facts/trade/HolderReplay.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

/**
 * Which of the holders that were tried were refused, which were not, and the words of the token: at the moment that
 * decided, or now. It is `complete` where of each of them one or the other was shown at every moment. `since` is null
 * where not too many are refused at any.
 */
const HoldersBlockedValue = Schema.Struct({
  complete: Schema.Boolean,
  since: Schema.NullOr(Schema.Literal("now", "in_a_month", "in_a_year")),
  blocked: Schema.Array(Address),
  free: Schema.Array(Address),
  reason: Schema.NullOr(Schema.String)
})

/**
 * E-07: whether accounts that hold the token today cannot let go of it, now or after a quiet month or year. A small part
 * of what each of a few holders has is sold in their name, or sent where there is no pool; holders are accounts with a
 * key and no code, large and small. One in ten may be held: issuers freeze accounts, which is a power that has its own
 * check.
 *
 * - Confirmed: more of those that were tried are refused at one moment, as their number and words say; critical where more
 *   than half of at least three are, high below. Where some could not be tried, only if they cannot change the grade.
 * - Refuted: at every moment they sold or sent, measured in simulated blocks, and they are at least three or all there
 *   are. What begins later than a year is not seen.
 * - Unknown: the rest. Plain calls alone confirm and never refute, since they cannot show that anything moved; and where
 *   all pools are empty, who can send does not show that anybody could sell.
 *
 * It does not apply where the token has no such holder, all holders being known, nor to what is no fungible token.
 *
 * @since 0.1.0
 * @category models
 */
export const holdersBlocked = Check.make({
  id: "trade.holders-blocked",
  code: "E-07",
  version: 3,
  targets: ["token"],
  claim: "More than a tenth of the accounts that hold the token cannot sell or send it, now, in a month or in a year",
  polarity: "risk",
  severity: "critical",
  dimension: "exit",
  value: HoldersBlockedValue,
  volatile: true,
  run: (target) =>
    Effect.gen(function* () {
      if (!(yield* Tradeable.fungible(target.address))) return Check.notApplicable
      const replay = yield* HolderReplay.HolderReplay
      return judge(yield* replay.of(target.address))
    })
})

type Since = NonNullable<typeof HoldersBlockedValue.Type.since>

type Moment = HolderReplay.Trials & { readonly when: Since; readonly observation: () => Observation }

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
      : [
          Check.unknown(
            "inconclusive",
            "no holder with a key of its own was found among those that were looked at",
            seen
          )
        ]
  }
  if (present.control === "failed") return [Tradeable.noControl(seen.observation)]
  const now: Moment = { ...present, when: "now", observation }
  const moments = [now, ...later]
  const decisive = moments.reduce((first, next) => (rank(gradeOf(next)) > rank(gradeOf(first)) ? next : first))
  const severity = gradeOf(decisive)
  const gap = moments.find((moment) => rank(worstOf(moment)) > rank(severity))
  if (gap !== undefined) return [uncertain(gap, method)]
  if (method === "call" && rank(severity) < rank(critical)) {
    return [Check.unknown("method_unsupported", `${said(now)}; plain calls do not show a month or a year later`, seen)]
  }
  const shown = { observation: decisive.observation() }
  const of = (state: HolderReplay.Trial["state"]) => withState(decisive, state).map(({ holder }) => holder)
  const value = {
    complete: method !== "call" && moments.every((moment) => withState(moment, "unshown").length === 0),
    since: Option.isSome(severity) ? decisive.when : null,
    blocked: of("blocked"),
    free: of("free"),
    reason: Option.getOrNull(wordsOf(decisive))
  }
  return [
    Option.match(severity, {
      onSome: (severity) => Check.confirmed({ value, detail: said(decisive), severity, ...shown }),
      onNone: () =>
        tried < fewest && !areAll
          ? Check.unknown("inconclusive", "too few holders were found to try", seen)
          : Check.refuted({
              value,
              detail:
                value.blocked.length === 0
                  ? `${tried} holders could let go of it, now and in a month and a year`
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
  Option.firstSomeOf(withState(moment, "blocked").map(({ error }) => error))

const said = (moment: Moment): string => {
  const words = Option.match(wordsOf(moment), { onNone: () => "", onSome: (reason) => `: ${reason}` })
  const { length: tried } = moment.trials
  return `${withState(moment, "blocked").length} of ${tried} holders could not let go of it${spoken[moment.when]}${words}`
}

const spoken: { readonly [when in Since]: string } = {
  now: "",
  in_a_month: " in a month",
  in_a_year: " in a year"
}

const uncertain = (moment: Moment, method: HolderReplay.Replay["method"]): Check.Undecided => {
  const seen = { observation: moment.observation() }
  if (moment.control === "failed") {
    return Check.unknown(
      "inconclusive",
      `a token known to be good could not be traded either${spoken[moment.when]}`,
      seen
    )
  }
  const others = withState(moment, "unshown")
  return Check.unknown(
    method === "call" ? "method_unsupported" : "inconclusive",
    `${said(moment)}; of ${others.length} nothing is known${method === "call" ? ", as plain calls cannot show that anything moved" : why(others)}`,
    seen
  )
}

const why = (others: ReadonlyArray<HolderReplay.Trial>): string =>
  Option.match(Option.firstSomeOf(others.map(({ error }) => error)), {
    onNone: () => "",
    onSome: (words) => `, as ${words}`
  })

const critical = Option.some<Severity>("critical")

const gradeOf = (moment: Moment): Option.Option<Severity> =>
  moment.control === "failed" ? Option.none() : grade(withState(moment, "blocked").length, moment.trials.length)

/** The grade if all of whom nothing is known were refused as well. */
const worstOf = (moment: Moment): Option.Option<Severity> =>
  moment.control === "failed"
    ? critical
    : grade(moment.trials.filter(({ state }) => state !== "free").length, moment.trials.length)

const grade = (blocked: number, tried: number): Option.Option<Severity> =>
  10 * blocked <= tried ? Option.none() : Option.some(2 * blocked > tried && tried >= fewest ? "critical" : "high")

const rank = (severity: Option.Option<Severity>): number =>
  Option.match(severity, { onNone: () => 0, onSome: (grade) => (grade === "critical" ? 2 : 1) })
