import { Array as Arrays, Effect, Option, Schema } from "effect"
import * as Together from "../../chain/Together.js"
import * as Controller from "../../domain/Controller.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import { TokenPower } from "../../domain/facts/CounterfactualSet.js"
import { isDead } from "../../facts/code/Code.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"
import * as PowerClaim from "./PowerClaim.js"
import * as Tradeable from "./Tradeable.js"

/**
 * Whether somebody can still use a power over holders of a token whose ownership was given up: by a role, by an address
 * that the code compares its caller with, or because the ownership can be taken back.
 *
 * - Confirmed: one of the powers is confirmed, with those that are.
 * - Refuted: none of them is left, by all code that answers, which stays.
 * - Unknown: one of them could not be told, or the code can be replaced.
 * - Does not apply where there is an owner, or never was one.
 *
 * @since 0.1.0
 * @category models
 */
export const powersSurviveRenouncing = Check.make({
  id: "token.powers-survive-renouncing",
  code: "K-15",
  version: 1,
  targets: ["token"],
  claim: "Powers over holders are left although ownership was given up",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: Schema.Struct({
    powers: Schema.Array(Schema.Struct({ power: TokenPower, ...PowerClaim.value.fields }))
  }),
  run: (target) =>
    Effect.gen(function* () {
      const control = yield* Control
      const [isFungible, controlled, standings] = yield* Together.all([
        Tradeable.fungible(target.address),
        Effect.either(control.of(target.address)),
        // Asked for beside the graph, and thrown away where there is an owner: others ask for the same.
        Together.forEach(TokenPower.literals, (power) =>
          Effect.map(Effect.either(PowerClaim.standing(target, power)), (standing) => ({ power, standing }))
        )
      ])
      if (!isFungible) return Check.notApplicable
      const { observation, value: graph } = yield* controlled
      if (graph.owner === null) {
        return Option.match(ControlGraph.ownerGap(graph), {
          onNone: () => Check.notApplicable,
          onSome: ({ reason }) => [Check.unknown(reason, "its owner getter could not be read")]
        })
      }
      if (!isDead(graph.owner)) return Check.notApplicable
      const told = yield* Effect.forEach(standings, ({ power, standing }) =>
        Effect.map(standing, (found) => ({ power, found }))
      )
      const held = told.flatMap(({ found, power }) => (found._tag === "held" ? [{ power, found }] : []))
      const controller = Option.getOrUndefined(Controller.weakest(held.map(({ found }) => found.controller)))
      if (controller !== undefined) {
        const proof = held.flatMap(({ found }) => found.shown)[0]
        return [
          Check.confirmed({
            value: {
              powers: held.map(({ found: { controllers, functions }, power }) => ({ power, functions, controllers }))
            },
            controller,
            verified: proof !== undefined,
            observation: (proof ?? { observation }).observation(),
            detail: held.map(({ found, power }) => `${power} by ${found.functions.join(", ")}`).join("; ")
          })
        ]
      }
      const seen = { observation: observation() }
      const open = told.flatMap(({ found, power }) => (found._tag === "open" ? [{ power, why: found.why }] : []))
      if (open.length > 0) {
        const whys = Arrays.groupBy(open, ({ why }) => why)
        const detail = Object.entries(whys).map(([why, of]) => `${of.map(({ power }) => power).join(", ")}: ${why}`)
        return [Check.unknown("inconclusive", detail.join("; "), seen)]
      }
      return told.every(({ found }) => found._tag === "none" && found.fixed)
        ? [Check.refuted({ ...seen, value: { powers: [] }, verified: false, detail: "no power over holders is left" })]
        : [Check.unknown("inconclusive", "the code can be replaced by other code", seen)]
    })
})
