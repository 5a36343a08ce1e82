import { Array as Arrays, Effect, Option, Schema, Struct } from "effect"
import * as Controller from "../../../domain/Controller.js"
import * as ControlGraph from "../../../domain/facts/ControlGraph.js"
import { TokenPower } from "../../../domain/facts/CounterfactualSet.js"
import { isDead } from "../../../facts/code/Code.js"
import { Control } from "../../../facts/control/Control.js"
import * as Together from "../../../runtime/Together.js"
import * as Check from "../../Check.js"
import * as ShortList from "../../ShortList.js"
import * as Fungible from "../Fungible.js"
import * as PowerClaim from "./PowerClaim.js"
import * as PowerDecision from "./PowerDecision.js"

/**
 * Whether an account still has a power over holders of a token with renounced ownership: through a role, through an
 * address that the code compares with the caller, or because ownership can be reclaimed.
 *
 * - Confirmed: at least one power is confirmed; the value lists those powers. `complete` is false where a simulation failed
 *   that might have shown another one.
 * - Refuted: no power remains, the analysis covers all code, and the code cannot be replaced.
 * - Unknown: a power could not be decided, or the code can be replaced.
 * - Does not apply where the token has an owner, or has no owner getter.
 */
export const powersSurviveRenouncing = Check.make({
  id: "token.powers-survive-renouncing",
  code: "K-15",
  version: 1,
  targets: ["token"],
  claim: "Privileged functions remain after ownership was renounced",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: Schema.Struct({
    powers: Schema.Array(Schema.Struct({ power: TokenPower, ...Struct.omit(PowerClaim.value.fields, "complete") })),
    complete: Schema.Boolean
  }),
  run: (target) =>
    Effect.gen(function* () {
      const control = yield* Control
      const [isFungible, controlled, decisions] = yield* Together.all([
        Fungible.is(target.address),
        Effect.either(control.of(target.address)),
        // Read together with the graph, unused where there is an owner: other checks read the same.
        Together.forEach(TokenPower.literals, (power) =>
          Effect.map(Effect.either(PowerDecision.of(target, power)), (decision) => ({ power, decision }))
        )
      ])
      if (!isFungible) return Check.notApplicable
      const { observation, value: graph } = yield* controlled
      if (graph.owner === null) {
        return Option.match(ControlGraph.ownerGap(graph), {
          onNone: () => Check.notApplicable,
          onSome: ({ reason }) => [Check.unknown(reason, "the owner getter could not be read")]
        })
      }
      if (!isDead(graph.owner)) return Check.notApplicable
      const told = yield* Effect.forEach(decisions, ({ decision, power }) =>
        Effect.map(decision, (found) => ({ power, found }))
      )
      const held = told.flatMap(({ found, power }) => (found._tag === "held" ? [{ power, found }] : []))
      const controller = Option.getOrUndefined(Controller.weakest(held.map(({ found }) => found.controller)))
      if (controller !== undefined) {
        const proof = held.flatMap(({ found }) => found.shown)[0]
        return [
          Check.confirmed({
            value: {
              powers: held.map(({ found: { controllers, functions }, power }) => ({ power, functions, controllers })),
              complete: told.every(({ found }) => found._tag === "none" || found.lost.length === 0)
            },
            controller,
            verified: proof !== undefined,
            observation: (proof ?? { observation }).observation(),
            detail: held.map(({ found, power }) => `${power}: ${ShortList.format(found.functions)}`).join("; ")
          })
        ]
      }
      const seen = { observation: observation() }
      const open = told.flatMap(({ found, power }) => (found._tag === "open" ? [{ power, why: found.why }] : []))
      if (open.length > 0) {
        const whys = Arrays.groupBy(open, ({ why }) => why)
        const parts = Object.entries(whys).map(([why, of]) => `${of.map(({ power }) => power).join(", ")}: ${why}`)
        return [Check.unknown("inconclusive", `could not decide ${ShortList.format(parts, 1)}`, seen)]
      }
      return told.every(({ found }) => found._tag === "none" && found.fixed)
        ? [
            Check.refuted({
              ...seen,
              value: { powers: [], complete: true },
              verified: false,
              detail: "no privileged function over holders remains"
            })
          ]
        : [Check.unknown("inconclusive", "no power remains in the current code, but the code can be replaced", seen)]
    })
})
