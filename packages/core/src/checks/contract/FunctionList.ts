import { Effect, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Count from "../../domain/Count.js"
import { Hex } from "../../domain/Hex.js"
import * as Evmole from "../../evm/bytecode/Evmole.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import { Functions } from "../../facts/code/Functions.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * The external functions of the contract, by the selectors that its dispatcher compares. Arguments and mutability are
 * inferred from bytecode and are hints; `name` is set for the selectors that this engine knows.
 */
export const functionList = Check.make({
  id: "contract.functions",
  code: "C-11",
  version: 1,
  targets: ["token", "contract"],
  claim: "The bytecode has external functions",
  polarity: "neutral",
  severity: "info",
  dimension: "code",
  value: Schema.Struct({
    functions: Schema.Array(
      Schema.Struct({
        selector: Hex,
        name: Schema.NullOr(Schema.String),
        arguments: Schema.String,
        mutability: Schema.Literal("pure", "view", "payable", "nonpayable"),
        code: Address
      })
    ),
    /** The number of functions beyond the limit of the list. */
    left_out: Schema.NonNegativeInt
  }),
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* Functions).of(target.address)
      // evmole can fail on hostile code.
      const described = yield* Effect.forEach(value.logics, ({ address, code }) =>
        Effect.map(Selectors.describe(code), (functions) =>
          functions.map(({ mutability, selector, ...found }) => ({
            selector,
            name: names.get(selector) ?? null,
            arguments: found.arguments,
            mutability,
            code: address
          }))
        )
      ).pipe(Evmole.trapped(undefined))
      if (described === undefined) return [Phrases.unknown("inconclusive", "the function dispatcher could not be read")]
      const functions = described.flat().sort((a, b) => (`${a.selector}${a.code}` < `${b.selector}${b.code}` ? -1 : 1))
      const seen = {
        value: { functions: functions.slice(0, listedAtMost), left_out: Math.max(0, functions.length - listedAtMost) },
        observation: observation(),
        verified: false
      }
      if (functions.length > 0)
        return [
          Check.confirmed({
            ...seen,
            detail: `${Count.of(functions.length, "external function")} found in the bytecode`
          })
        ]
      return value.resolved
        ? [Check.refuted({ ...seen, detail: "the bytecode compares the calldata with no selector" })]
        : [Phrases.unknown("inconclusive", "the implementation code was not found", seen)]
    })
})

const names: ReadonlyMap<Hex, string> = new Map(
  Object.values(Selectors.signatures).map((signature) => [Selectors.selector(signature), signature])
)

const listedAtMost = 256
