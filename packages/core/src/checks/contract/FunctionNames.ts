import { Effect, Either, Option, Schema } from "effect"
import * as SignatureNames from "../../chain/sources/SignatureNames.js"
import { ChainState } from "../../chain/state/ChainState.js"
import { Hex } from "../../domain/Hex.js"
import { Functions } from "../../facts/code/Functions.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/** How many names are listed per selector: names can be made up for any selector. */
const mostNames = 3

/** How many selectors are looked up. */
const mostSelectors = 200

const NamesValue = Schema.Struct({
  functions: Schema.Array(Schema.Struct({ selector: Hex, names: Schema.Array(Schema.String) })),
  unnamed: Schema.Array(Hex),
  undecided: Schema.Array(Hex)
})

/**
 * C-11: the function signatures that public databases have for the selectors of the contract. A signature hashes to the
 * selector, which proves no more: several can, and any user can add one.
 *
 * - Confirmed: at least one selector has a signature.
 * - Refuted: none has one, and every database answered for every selector.
 *
 * It does not apply to code without functions, and is unknown where the implementation code and any selector are
 * missing. `undecided` lists selectors without a signature for which a database did not answer or was not queried.
 */
export const functionNames = Check.make({
  id: "contract.function-names",
  code: "C-11a",
  version: 2,
  targets: ["token", "contract"],
  claim: "Public databases name functions of the contract",
  polarity: "neutral",
  severity: "info",
  dimension: "code",
  volatile: true,
  value: NamesValue,
  run: (target) =>
    Effect.gen(function* () {
      const { databases } = yield* SignatureNames.SignatureNames
      if (databases.length === 0) return [Phrases.unknown("source_disabled", "no signature database is configured")]
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
          : [Phrases.unknown("inconclusive", "not all of the implementation code was found")]
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
      detail: `${undecided.length} of ${selectors.length} selectors were not looked up in every database`
    }
    return Phrases.unknown(reason, detail, { consulted, observation: answered[0]?.observation() })
  }
  const verdict = functions.length === 0 ? Check.refuted : Check.confirmed
  return verdict({
    value: {
      functions,
      unnamed: selectors.filter((selector) => !names.has(selector) && !undecided.includes(selector)),
      undecided
    },
    detail: [
      `${functions.length} of ${selectors.length} selectors have a published signature`,
      ...silent.slice(0, 1).map(({ detail }) => detail)
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
