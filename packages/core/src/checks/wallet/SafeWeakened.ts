import { Effect, Either, Option, Schema } from "effect"
import * as Together from "../../chain/Together.js"
import { Address } from "../../domain/Address.js"
import type { SafeAccount } from "../../domain/facts/SafeAccount.js"
import { Earlier } from "../../facts/code/Earlier.js"
import { Safe, type SetupChange } from "../../facts/control/Safe.js"
import * as Check from "../Check.js"

/**
 * Whether a Safe asks for less, or for other people, than when it was analysed before. What an owner or a module that
 * was taken away could do is gone, and is not told here.
 *
 * @see https://docs.safe.global/advanced/smart-account-overview
 * @since 0.1.0
 * @category models
 */
export const safeWeakened = Check.make({
  id: "safe.weakened",
  code: "S-05",
  version: 1,
  targets: ["wallet", "contract"],
  claim: "The Safe's setup is weaker than it was before",
  polarity: "risk",
  severity: "critical",
  dimension: "account",
  // It tells what became of an earlier analysis, and is over with the next one.
  volatile: true,
  value: Schema.Struct({
    since_block: Schema.NonNegativeInt,
    threshold_before: Schema.NonNegativeInt,
    threshold: Schema.NonNegativeInt,
    owners_added: Schema.Array(Address),
    modules_added: Schema.Array(Address),
    replaced: Schema.Array(Schema.Literal("singleton", "guard", "module_guard", "fallback_handler"))
  }),
  run: (target) =>
    Effect.gen(function* () {
      const { analysis } = yield* Earlier
      if (Option.isNone(analysis)) return Check.notApplicable
      const { block, facts } = analysis.value
      const before = facts.safe
      if (before === null && facts.unread.safe === undefined) return Check.notApplicable
      const safe = yield* Safe
      const { changes, found } = yield* Together.all({
        found: safe.of(target.address),
        changes: Effect.either(safe.changesSince(target.address, block.number))
      })
      if (before === null)
        return Option.isNone(found)
          ? Check.notApplicable
          : [Check.unknown("dependency_unknown", `its setup at block ${block.number} was not read`)]
      if (Option.isNone(found))
        return [Check.unknown("inconclusive", `it was a Safe at block ${block.number} and does not answer as one now`)]
      const { observation, value: now } = found.value
      const lists = Option.all([Option.fromNullable(before.modules), Option.fromNullable(now.modules)])
      const difference = {
        since_block: block.number,
        threshold_before: before.threshold,
        threshold: now.threshold,
        owners_added: added(before.owners, now.owners),
        modules_added: Option.match(lists, { onNone: () => [], onSome: ([was, is]) => added(was, is) }),
        replaced: parts.filter((part) => before[part] !== null && before[part] !== now[part])
      }
      const seen = { value: difference, observation: observation() }
      const weaknesses = weaknessesOf(difference, now)
      if (weaknesses.length > 0)
        return [
          Check.confirmed({
            ...seen,
            severity: weaknesses.some(({ isCritical }) => isCritical) ? "critical" : "high",
            detail: [...weaknesses.map(({ what }) => what), ...Either.getOrElse(changes, () => []).map(told)]
              .slice(0, mostTold)
              .join("; ")
          })
        ]
      return [
        Option.isNone(lists)
          ? Check.unknown("inconclusive", "its list of modules did not answer", { observation: seen.observation })
          : Check.refuted({ ...seen, detail: `no weaker than at block ${block.number}` })
      ]
    })
})

// A detail is read by people.
const mostTold = 8

const told = ({ block, event, transaction }: SetupChange): string =>
  `${event} in block ${block} by transaction ${transaction}`

const parts = ["singleton", "guard", "module_guard", "fallback_handler"] as const

const added = (before: ReadonlyArray<Address>, now: ReadonlyArray<Address>): ReadonlyArray<Address> =>
  now.filter((account) => !before.includes(account))

interface Difference {
  readonly threshold_before: number
  readonly threshold: number
  readonly owners_added: ReadonlyArray<Address>
  readonly modules_added: ReadonlyArray<Address>
  readonly replaced: ReadonlyArray<(typeof parts)[number]>
}

// Fewer signatures, a way past the owners, and code that nobody published take what the owners' signatures are worth;
// a new owner or another guard may be what the owners wished for.
const weaknessesOf = (difference: Difference, now: SafeAccount) => {
  const { modules_added, owners_added, replaced, threshold, threshold_before } = difference
  return [
    ...(threshold < threshold_before
      ? [{ isCritical: true, what: `${threshold} signatures in place of ${threshold_before}` }]
      : []),
    ...modules_added.map((module) => ({ isCritical: true, what: `the new module ${module}` })),
    ...owners_added.map((owner) => ({ isCritical: false, what: `the new owner ${owner}` })),
    ...replaced.flatMap((part) =>
      part === "singleton" && now.canonical
        ? []
        : [{ isCritical: part === "singleton", what: `another ${part.replace("_", " ")}: ${now[part] ?? "none"}` }]
    )
  ]
}
