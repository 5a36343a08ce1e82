import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import { isDead } from "../../facts/code/Code.js"
import { Ownership } from "../../facts/control/Ownership.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether an account other than the owner can make itself the owner: a stored former owner, an address in the code, or
 * any caller. It is critical where ownership is renounced.
 */
export const reclaimable = Check.make({
  id: "control.reclaimable",
  code: "O-05",
  version: 2,
  targets: ["token", "contract"],
  claim: "An account other than the owner can take ownership",
  polarity: "risk",
  severity: "critical",
  dimension: "control",
  power: true,
  value: Schema.Struct({
    owner: Address,
    functions: Schema.Array(Schema.String),
    takers: Schema.Array(Address),
    complete: Schema.Boolean
  }),
  run: (target) =>
    Effect.gen(function* () {
      const ownership = yield* (yield* Ownership).of(target.address)
      if (Option.isNone(ownership)) return Check.notApplicable
      const { observation, value } = ownership.value
      const { complete, owner, takeovers } = value
      const seen = { observation: observation(), verified: false }
      const functions = [...new Set(takeovers.map(({ selector }) => selector))].sort()
      const takers = [
        ...new Set(takeovers.flatMap(({ controller }) => (controller.address === null ? [] : [controller.address])))
      ].sort()
      const weakest = Option.getOrUndefined(Controller.weakest(takeovers.map(({ controller }) => controller)))
      if (weakest !== undefined)
        return [
          Check.confirmed({
            ...seen,
            value: { owner, functions, takers, complete },
            severity: isDead(owner) ? "critical" : "high",
            controller: weakest,
            at: weakest.address ?? target.address,
            detail: `${takers.length === 0 ? "any account" : Phrases.few(takers)} can become the owner by calling ${Phrases.few(functions)}`
          })
        ]
      return complete
        ? [
            Check.refuted({
              ...seen,
              value: { owner, functions, takers, complete },
              detail: "only the owner can change the owner"
            })
          ]
        : [Phrases.unknown("inconclusive", "not every write of the owner variable could be followed", seen)]
    })
})
