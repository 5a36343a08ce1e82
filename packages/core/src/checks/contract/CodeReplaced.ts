import { Effect, Option, Schema } from "effect"
import { Hex } from "../../domain/Hex.js"
import { Code } from "../../facts/code/Code.js"
import { Earlier } from "../../facts/code/Earlier.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the bytecode at this address differs from the bytecode in an earlier analysis. A proxy upgrade does not
 * change it: the account was destroyed and created again (CREATE2), or the chain set its code.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1014
 */
export const codeReplaced = Check.make({
  id: "contract.code-replaced",
  code: "A-08",
  version: 1,
  targets: ["token", "contract"],
  claim: "The bytecode at the address changed since the last analysis",
  polarity: "risk",
  severity: "critical",
  dimension: "code",
  // It compares with the previous analysis, so the next analysis has another answer.
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
        return [
          Phrases.unknown("dependency_unknown", `the earlier analysis, at block ${block.number}, did not read the code`)
        ]
      const seen = {
        value: { before: account.code_hash, now: value.code_hash, since_block: block.number },
        observation: observation()
      }
      // An account that was delegated or created since then had no contract code to replace.
      if (account.kind !== "contract") return Check.notApplicable
      return account.code_hash === value.code_hash
        ? [Check.refuted({ ...seen, detail: `same code hash as at block ${block.number}` })]
        : [Check.confirmed({ ...seen, detail: `the code hash at block ${block.number} was ${account.code_hash}` })]
    })
})
