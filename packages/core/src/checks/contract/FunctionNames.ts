import { Effect, Either, Option, Schema } from "effect"
import { ChainState } from "../../chain/ChainState.js"
import * as SignatureNames from "../../chain/SignatureNames.js"
import { Hex } from "../../domain/Hex.js"
import { Functions } from "../../facts/code/Functions.js"
import * as Check from "../Check.js"

/** How many names are shown of one selector: names can be made up for any. */
const mostNames = 3

/** How many selectors are looked up. */
const mostSelectors = 200

const NamesValue = Schema.Struct({
  functions: Schema.Array(Schema.Struct({ selector: Hex, names: Schema.Array(Schema.String) })),
  unnamed: Schema.Array(Hex),
  undecided: Schema.Array(Hex)
})

/**
 * C-11: the names that public databases know for the selectors of the contract. A name gives the selector, and that is
 * all that is known of it; several may, and anybody can add one.
 *
 * - Confirmed: at least one selector has a name.
 * - Refuted: none has, and every database was asked about each.
 *
 * It does not apply to code that has no functions, and is unknown where not all code was found and no selector either.
 * `undecided` are the selectors without a name of which a database that did not answer, or that takes no more of them at
 * once, may know one.
 *
 * @since 0.1.0
 * @category models
 */
export const functionNames = Check.make({
  id: "contract.function-names",
  code: "C-11a",
  version: 2,
  targets: ["token", "contract"],
  claim: "Some functions of the contract have names that are publicly known",
  polarity: "neutral",
  severity: "info",
  dimension: "code",
  volatile: true,
  value: NamesValue,
  run: (target) =>
    Effect.gen(function* () {
      const { databases } = yield* SignatureNames.SignatureNames
      if (databases.length === 0) return [Check.unknown("source_disabled", "no database of signatures is configured")]
      const { value: code } = yield* (yield* Functions).of(target.address)
      const selectors = [
        ...new Set(
          code.logics.flatMap(({ flow }) =>
            flow.functions.flatMap(({ selector }) => (selector === "fallback" ? [] : [selector]))
          )
        )
      ]
        .sort()
        .slice(0, mostSelectors)
      if (selectors.length === 0)
        return code.resolved
          ? Check.notApplicable
          : [Check.unknown("inconclusive", "not all code that answers for it was found")]
      return [judge(selectors, yield* SignatureNames.look(databases, yield* ChainState, selectors))]
    })
})

const judge = (
  selectors: ReadonlyArray<Hex>,
  { names, told, undecided }: SignatureNames.Lookup
): Check.Verdict<typeof NamesValue.Type> => {
  const answered = told.flatMap(({ answer }) => (Either.isRight(answer) ? answer.right : []))
  const consulted = [...told]
    .sort((a, b) => Number(Either.isLeft(a.answer)) - Number(Either.isLeft(b.answer)))
    .flatMap(consultedOf)
  const functions = selectors.flatMap((selector) => {
    const known = names.get(selector) ?? []
    return known.length === 0 ? [] : [{ selector, names: known.slice(0, mostNames) }]
  })
  const silent = told.flatMap(({ answer, database }) =>
    Either.isLeft(answer) ? [{ reason: answer.left.reason, detail: `${database.name}: ${answer.left.detail}` }] : []
  )
  if (functions.length === 0 && undecided.length > 0) {
    const { detail, reason } = silent[0] ?? {
      reason: "inconclusive" as const,
      detail: `of ${undecided.length} selectors a database that takes few at once may know a name`
    }
    return Check.unknown(reason, detail, { consulted, observation: answered[0]?.observation() })
  }
  const verdict = functions.length === 0 ? Check.refuted : Check.confirmed
  return verdict({
    value: {
      functions,
      unnamed: selectors.filter((selector) => !names.has(selector) && !undecided.includes(selector)),
      undecided
    },
    detail: [
      `${functions.length} of ${selectors.length} selectors have a name there`,
      ...silent.map(({ detail }) => detail)
    ].join("; "),
    observation: answered[0]?.observation(),
    verified: false,
    consulted
  })
}

const consultedOf = ({ answer, database, selectors }: SignatureNames.Told): ReadonlyArray<Check.Consulted> => {
  const place = { name: database.name, url: database.page(selectors), kind: "service" as const }
  return Either.match(answer, {
    onLeft: () => [{ ...place, answered: false, recipe: Option.none() }],
    onRight: (readings) => readings.map(({ recipe }) => ({ ...place, answered: true, recipe: Option.some(recipe) }))
  })
}
