import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import { isDead } from "../../facts/code/Code.js"
import { Ownership } from "../../facts/control/Ownership.js"
import * as Check from "../Check.js"

/**
 * Whether somebody can become the owner without the owner: a former one who was kept, an address that the code names, or
 * whoever calls. It is critical where ownership was given up, for then nobody should.
 *
 * @since 0.1.0
 * @category models
 */
export const reclaimable = Check.make({
  id: "control.reclaimable",
  code: "O-05",
  version: 2,
  targets: ["token", "contract"],
  claim: "Ownership can be taken back",
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
            detail: `by ${functions.join(", ")}, which ${takers.length === 0 ? "anybody" : takers.join(", ")} may call`
          })
        ]
      return complete
        ? [
            Check.refuted({
              ...seen,
              value: { owner, functions, takers, complete },
              detail: "nobody but the owner can change who that is"
            })
          ]
        : [Check.unknown("inconclusive", "not every way to change the owner could be followed", seen)]
    })
})
