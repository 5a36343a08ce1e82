import { Effect, Option, Schema } from "effect"
import * as Controller from "../../domain/Controller.js"
import * as Control from "../../facts/Control.js"
import { Minters } from "../../facts/Minters.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

/**
 * Whether somebody appointed can make more of the token.
 *
 * - Confirmed: a function behind a condition on its caller raises the supply or a balance by an amount that is not on
 *   the token's own books, and whoever passes that condition is not known to be nobody.
 * - Refuted: no function does, and all code that answers was followed to its end; or nobody passes the condition.
 * - Unknown: some code could not be followed, or anybody can call such a function (a wrapper's deposit looks so too).
 *
 * @since 0.1.0
 * @category models
 */
export const mintable = Check.make({
  id: "token.mintable",
  code: "K-01",
  version: 1,
  targets: ["token"],
  claim: "The supply can be increased",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: Schema.Struct({ functions: Schema.Array(Schema.String), controllers: Schema.Array(Controller.Controller) }),
  run: (target) =>
    Effect.gen(function* () {
      if (!(yield* Tradeable.fungible(target.address))) return Check.notApplicable
      const { observation, value } = yield* (yield* Minters).of(target.address)
      const { complete, controllers, functions, possible } = value
      const seen = { observation: observation(), verified: false }
      const living = controllers.filter((controller) => controller.kind !== "dead")
      const controller = Option.getOrUndefined(Control.weakest(living))
      if (controller !== undefined) {
        const who = controller.address ?? "an account that was not found"
        return [
          Check.confirmed({
            ...seen,
            value: { functions, controllers: living },
            controller,
            detail: `by ${functions.join(", ")}, which ${who} (${controller.kind}) may call`
          })
        ]
      }
      if (possible.length > 0)
        return [
          Check.unknown("inconclusive", `${possible.join(", ")} may raise the supply`, {
            observation: seen.observation
          })
        ]
      if (!complete)
        return [
          Check.unknown("inconclusive", "not all code that answers for it could be followed, or it can be replaced", {
            observation: seen.observation
          })
        ]
      return [
        Check.refuted({
          ...seen,
          value: { functions, controllers },
          controller: controllers[0],
          detail: functions.length === 0 ? "no function raises it" : `nobody may call ${functions.join(", ")}`
        })
      ]
    })
})
