import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import { isDead } from "../../facts/code/Code.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"

/**
 * Whether somebody keeps a power over a contract whose ownership was given up: an address that the code compares its
 * caller with and no getter shows, a role, or a way to replace the code.
 *
 * @since 0.1.0
 * @category models
 */
export const hiddenController = Check.make({
  id: "control.hidden",
  code: "O-04",
  version: 2,
  targets: ["token", "contract"],
  claim: "Somebody keeps a power although ownership was given up",
  polarity: "risk",
  severity: "critical",
  dimension: "control",
  value: Schema.Struct({
    holders: Schema.Array(Schema.Struct({ address: Address, powers: Schema.Array(Schema.String) })),
    complete: Schema.Boolean
  }),
  run: (target) =>
    Effect.gen(function* () {
      const control = yield* Control
      const { observation, value } = yield* control.of(target.address)
      if (value.owner === null) {
        return Option.match(ControlGraph.ownerGap(value), {
          onNone: () => Check.notApplicable,
          onSome: ({ reason }) => [Check.unknown(reason, "its owner getter could not be read")]
        })
      }
      if (!isDead(value.owner)) return Check.notApplicable
      const powersOf = (account: Address) =>
        value.edges.flatMap((edge) => (edge.from === account && edge.to === target.address ? [edge.power] : []))
      const living = value.nodes
        .filter(({ address, kind }) => kind !== "dead" && kind !== "unknown" && powersOf(address).length > 0)
        .map(({ address }) => ({ address, powers: powersOf(address).sort() }))
      const [gap] = ControlGraph.decidingGaps(value)
      const seen = { value: { holders: living, complete: gap === undefined }, observation: observation() }
      const [first] = living
      if (first !== undefined) {
        const controllers = yield* Effect.forEach(living, ({ address }) =>
          Effect.map(control.classify(address), (reading) => reading.value)
        )
        return [
          Check.confirmed({
            ...seen,
            controller: Option.getOrUndefined(Controller.weakest(controllers)),
            at: first.address,
            detail: living.map(({ address, powers }) => `${address}: ${powers.join(", ")}`).join("; ")
          })
        ]
      }
      return gap === undefined
        ? [Check.refuted({ ...seen, detail: "nobody was found to have another power" })]
        : [Check.unknown(gap.reason, `it could not be told who holds ${gap.what}`)]
    })
})
