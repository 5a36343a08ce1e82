import { Effect, Option, Schema } from "effect"
import * as Controller from "../../domain/Controller.js"
import * as Count from "../../domain/Count.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"

const Value = Schema.Struct({
  by: Schema.Literal("vote", "schedule"),
  delay_seconds: Schema.NullOr(Schema.NonNegativeInt)
})

/**
 * Whether the contract is a governor or a timelock: what it holds and administers is not of those who decide, and they
 * direct it as it is meant. Low where a vote comes first, or a delay of at least the notice that others need
 * ({@link Controller.notice}); medium otherwise. Single keys with a power over it are the subject of
 * `control.single-key`. It does not apply to other contracts, nor to a Safe, which is of its signers.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/governance
 */
export const executesDecisions = Check.make({
  id: "control.executes-decisions",
  code: "O-11",
  version: 1,
  targets: ["contract"],
  claim: "The contract executes what others voted or scheduled",
  polarity: "risk",
  severity: "medium",
  dimension: "control",
  power: true,
  value: Value,
  run: (target) =>
    Effect.gen(function* () {
      const found = yield* (yield* Control).body(target.address)
      if (Option.isNone(found)) return Check.notApplicable
      const { observation, value: controller } = found.value
      const by = controller.kind === "governor" && controller.address === target.address ? "vote" : "schedule"
      const { delay_seconds } = controller
      return [
        Check.confirmed<typeof Value.Type>({
          value: { by, delay_seconds },
          severity: by === "vote" || Controller.isLate(controller) ? "low" : "medium",
          controller,
          observation: observation(),
          detail:
            by === "vote"
              ? "a governor, which executes what its voters decided"
              : delay_seconds === null
                ? `a timelock that ${controller.kind === "unknown" ? "an unknown account" : (controller.address ?? "any account")} can make act without delay`
                : `a timelock with a delay of ${Count.duration(delay_seconds)}`
        })
      ]
    })
})
