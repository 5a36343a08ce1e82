import { Effect, Option, Schema } from "effect"
import { Hex } from "../../domain/Hex.js"
import { Code } from "../../facts/code/Code.js"
import { Earlier } from "../../facts/code/Earlier.js"
import * as Check from "../Check.js"

/**
 * Whether other code stands at this very address than an earlier analysis found there. No upgrade of a proxy does that:
 * the account was destroyed and created again (CREATE2), or its chain let its code be set.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1014
 * @since 0.1.0
 * @category models
 */
export const codeReplaced = Check.make({
  id: "contract.code-replaced",
  code: "A-08",
  version: 1,
  targets: ["token", "contract"],
  claim: "Other code stands at the address than did before",
  polarity: "risk",
  severity: "critical",
  dimension: "code",
  // It tells what became of an earlier analysis, and is over with the next one.
  volatile: true,
  value: Schema.Struct({ before: Schema.NullOr(Hex), now: Schema.NullOr(Hex), since_block: Schema.NonNegativeInt }),
  run: (target) =>
    Effect.gen(function* () {
      const { analysis } = yield* Earlier
      if (Option.isNone(analysis)) return Check.notApplicable
      const { block, facts } = analysis.value
      const { observation, value } = yield* (yield* Code).of(target.address)
      const { account } = facts
      if (account === null)
        return [Check.unknown("dependency_unknown", `the code at block ${block.number} was not read`)]
      const seen = {
        value: { before: account.code_hash, now: value.code_hash, since_block: block.number },
        observation: observation()
      }
      // An account that was delegated or created since was no contract whose code could be replaced.
      if (account.kind !== "contract") return Check.notApplicable
      return account.code_hash === value.code_hash
        ? [Check.refuted({ ...seen, detail: `the same code as at block ${block.number}` })]
        : [Check.confirmed({ ...seen, detail: `at block ${block.number} its hash was ${account.code_hash}` })]
    })
})
