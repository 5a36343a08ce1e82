import { Effect, Either, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import type { SafeAccount } from "../../domain/facts/SafeAccount.js"
import { Earlier } from "../../facts/code/Earlier.js"
import { Safe, type SetupChange } from "../../facts/control/Safe.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the setup of a Safe is weaker than in the earlier analysis: a lower threshold, or new owners, modules or
 * code. Removed owners and modules do not weaken it and are not reported here.
 *
 * @see https://docs.safe.global/advanced/smart-account-overview
 */
export const safeWeakened = Check.make({
  id: "safe.weakened",
  code: "S-05",
  version: 1,
  targets: ["wallet", "contract"],
  claim: "The Safe's setup is weaker than in the last analysis",
  polarity: "risk",
  severity: "critical",
  dimension: "account",
  // It compares with the previous analysis, so the next analysis has another answer.
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
          : [
              Phrases.unknown(
                "dependency_unknown",
                `the earlier analysis, at block ${block.number}, did not read the Safe's setup`
              )
            ]
      if (Option.isNone(found))
        return [
          Phrases.unknown(
            "inconclusive",
            `the account was a Safe at block ${block.number} and does not respond as a Safe now`
          )
        ]
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
      // The first of them, critical ones before others: an event with its transaction leaves no room for more.
      const [first] = [...weaknesses]
        .sort((a, b) => Number(b.isCritical) - Number(a.isCritical))
        .map(({ what }) => (weaknesses.length === 1 ? what : `${what} and ${weaknesses.length - 1} more`))
      if (first !== undefined)
        return [
          Check.confirmed({
            ...seen,
            severity: weaknesses.some(({ isCritical }) => isCritical) ? "critical" : "high",
            detail: [
              first,
              ...Either.getOrElse(changes, () => [])
                .slice(0, 1)
                .map(told)
            ].join("; ")
          })
        ]
      return [
        Option.isNone(lists)
          ? Phrases.unknown("inconclusive", "the module list was not read", {
              observation: seen.observation
            })
          : Check.refuted({ ...seen, detail: `not weaker than at block ${block.number}` })
      ]
    })
})

const told = ({ block, event, transaction }: SetupChange): string =>
  `${event} in block ${block}, transaction ${transaction}`

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

// A lower threshold, a new module and an unpublished singleton bypass the owners' signatures: critical. A new owner or
// another guard may be intended by the owners.
const weaknessesOf = (difference: Difference, now: SafeAccount) => {
  const { modules_added, owners_added, replaced, threshold, threshold_before } = difference
  return [
    ...(threshold < threshold_before
      ? [{ isCritical: true, what: `threshold ${threshold} instead of ${threshold_before}` }]
      : []),
    ...modules_added.map((module) => ({ isCritical: true, what: `new module ${module}` })),
    ...owners_added.map((owner) => ({ isCritical: false, what: `new owner ${owner}` })),
    ...replaced.flatMap((part) =>
      part === "singleton" && now.canonical
        ? []
        : [{ isCritical: part === "singleton", what: `changed ${part.replace("_", " ")}: ${now[part] ?? "none"}` }]
    )
  ]
}
