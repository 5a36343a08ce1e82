import { Effect, Option, Schema } from "effect"
import { ChainState } from "../../chain/ChainState.js"
import * as SignatureNames from "../../chain/SignatureNames.js"
import { Hex } from "../../domain/Hex.js"
import { Functions } from "../../facts/Functions.js"
import * as Check from "../Check.js"

/** How many names are shown of one selector: names can be made up for any. */
const mostNames = 3

/**
 * C-11: the names that a public database knows for the selectors of the contract. A name gives the selector, and that is
 * all that is known of it; several may, and anybody can add one.
 *
 * - Confirmed: at least one selector has a name.
 * - Refuted: none has.
 *
 * It does not apply to code that has no functions, and is unknown where not all code was found and no selector either.
 *
 * @since 0.1.0
 * @category models
 */
export const functionNames = Check.make({
  id: "contract.function-names",
  code: "C-11a",
  version: 1,
  targets: ["token", "contract"],
  claim: "Some functions of the contract have names that are publicly known",
  polarity: "neutral",
  severity: "info",
  dimension: "code",
  volatile: true,
  value: Schema.Struct({
    functions: Schema.Array(Schema.Struct({ selector: Hex, names: Schema.Array(Schema.String) })),
    unnamed: Schema.Array(Hex)
  }),
  run: (target) =>
    Effect.gen(function* () {
      const { value: code } = yield* (yield* Functions).of(target.address)
      const selectors = [
        ...new Set(
          code.logics.flatMap(({ flow }) =>
            flow.functions.flatMap(({ selector }) => (selector === "fallback" ? [] : [selector]))
          )
        )
      ]
        .sort()
        .slice(0, SignatureNames.mostSelectors)
      if (selectors.length === 0)
        return code.resolved
          ? Check.notApplicable
          : [Check.unknown("inconclusive", "not all code that answers for it was found")]
      const state = yield* ChainState
      const database = yield* SignatureNames.SignatureNames
      const place = { name: database.name, url: database.page(selectors), kind: "service" as const }
      return yield* Effect.match(database.find(state, selectors), {
        onFailure: ({ detail, reason }) => [
          Check.unknown(reason, `${place.name}: ${detail}`, {
            consulted: [{ ...place, answered: false, recipe: Option.none() }]
          })
        ],
        onSuccess: ({ observation, recipe, value: names }) => {
          const functions = selectors.flatMap((selector) => {
            const known = names.get(selector) ?? []
            return known.length === 0 ? [] : [{ selector, names: known.slice(0, mostNames) }]
          })
          const unnamed = selectors.filter((selector) => !functions.some((named) => named.selector === selector))
          const verdict = functions.length === 0 ? Check.refuted : Check.confirmed
          return [
            verdict({
              value: { functions, unnamed },
              detail: `${functions.length} of ${selectors.length} selectors have a name there`,
              observation: observation(),
              verified: false,
              consulted: [{ ...place, answered: true, recipe: Option.some(recipe) }]
            })
          ]
        }
      })
    })
})
