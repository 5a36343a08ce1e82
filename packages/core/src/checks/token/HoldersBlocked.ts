import { Effect, Option, Schema } from "effect"
import type { Reading } from "../../chain/Reading.js"
import { Address } from "../../domain/Address.js"
import type { Severity } from "../../domain/Evidence.js"
import * as HolderReplay from "../../facts/HolderReplay.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

/**
 * Which of the holders that were tried were refused, which were not, and the words of the token. It is `complete` where
 * of each of them one or the other was shown.
 */
const HoldersBlockedValue = Schema.Struct({
  complete: Schema.Boolean,
  blocked: Schema.Array(Address),
  free: Schema.Array(Address),
  reason: Schema.NullOr(Schema.String)
})

/**
 * E-07: whether accounts that hold the token today cannot let go of it. A small part of what each of a few holders has
 * is sold in their name, or sent where there is no pool; holders are accounts with a key and no code, large and small.
 * One in ten may be held: issuers freeze accounts, which is a power that has its own check.
 *
 * - Confirmed: more of those that were tried are refused, as their number and words say; critical where more than half
 *   of at least three are, high below. Where some could not be tried, only if they cannot change the grade.
 * - Refuted: they sold or sent, measured in simulated blocks, and they are at least three or all there are.
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
  version: 2,
  targets: ["token"],
  claim: "More than a tenth of the accounts that hold the token cannot sell or send it",
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

const fewest = 3

const judge = ({
  observation,
  value: { complete, control, method, trials }
}: Reading<HolderReplay.Replay>): ReadonlyArray<Check.Verdict<typeof HoldersBlockedValue.Type>> => {
  const seen = { observation: observation() }
  const tried = trials.length
  if (tried === 0) {
    return complete
      ? Check.notApplicable
      : [Check.unknown("inconclusive", "no holder with a key of its own was found in the events that were read", seen)]
  }
  if (control === "failed") return [Tradeable.noControl(seen.observation)]
  const refused = trials.filter(({ state }) => state === "blocked")
  const others = trials.filter(({ state }) => state === "unshown")
  const unshown = others.length
  const reason = Option.getOrNull(Option.firstSomeOf(refused.map(({ error }) => error)))
  const holders = (state: HolderReplay.Trial["state"]) =>
    trials.filter((trial) => trial.state === state).map(({ holder }) => holder)
  const value = { complete: unshown === 0, blocked: holders("blocked"), free: holders("free"), reason }
  const said = `${refused.length} of ${tried} holders could not let go of it${reason === null ? "" : `: ${reason}`}`
  const severity = grade(refused.length, tried)
  if (Option.getOrNull(severity) !== Option.getOrNull(grade(refused.length + unshown, tried))) {
    return [
      Check.unknown(
        method === "call" ? "method_unsupported" : "inconclusive",
        `${said}; of ${unshown} nothing is known${method === "call" ? ", as plain calls cannot show that anything moved" : why(others)}`,
        seen
      )
    ]
  }
  return [
    Option.match(severity, {
      onSome: (severity) => Check.confirmed({ value, detail: said, severity, ...seen }),
      onNone: () =>
        tried < fewest && !complete
          ? Check.unknown("inconclusive", "too few holders were found to try", seen)
          : Check.refuted({
              value,
              detail: refused.length === 0 ? `${tried} holders could let go of it` : said,
              ...seen
            })
    })
  ]
}

const why = (others: ReadonlyArray<HolderReplay.Trial>): string =>
  Option.match(Option.firstSomeOf(others.map(({ error }) => error)), {
    onNone: () => "",
    onSome: (words) => `, as ${words}`
  })

const grade = (blocked: number, tried: number): Option.Option<Severity> =>
  10 * blocked <= tried ? Option.none() : Option.some(2 * blocked > tried && tried >= fewest ? "critical" : "high")
