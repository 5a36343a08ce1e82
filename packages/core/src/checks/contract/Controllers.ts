import { Effect, Schema } from "effect"
import type { Address } from "../../domain/Address.js"
import { ControlNode } from "../../domain/facts/ControlGraph.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"

/**
 * Whether anybody has power over the contract, and what kind of account each is.
 *
 * @since 0.1.0
 * @category models
 */
export const controllers = Check.make({
  id: "control.controllers",
  code: "O-02",
  version: 2,
  targets: ["token", "contract"],
  claim: "Somebody has power over the contract",
  polarity: "neutral",
  severity: "info",
  dimension: "control",
  value: Schema.Struct({
    controllers: Schema.Array(Schema.Struct({ ...ControlNode.fields, powers: Schema.Array(Schema.String) })),
    complete: Schema.Boolean
  }),
  run: (target) =>
    Effect.gen(function* () {
      const control = yield* Control
      const { observation, value } = yield* control.of(target.address)
      const powersOf = (account: Address) =>
        value.edges.flatMap((edge) => (edge.from === account ? [edge.power] : [])).sort()
      const controllers = value.nodes
        .filter((node) => node.address !== target.address && powersOf(node.address).length > 0)
        .map((node) => ({ ...node, powers: powersOf(node.address) }))
      const seen = { value: { controllers, complete: value.complete }, observation: observation() }
      // One that could not be told may be nobody as well.
      if (controllers.some(({ kind }) => kind !== "dead" && kind !== "unknown"))
        return [
          Check.confirmed({
            ...seen,
            detail: controllers.map((node) => `${node.address} (${node.kind})`).join(", ")
          })
        ]
      const [gap] = value.unread
      return gap === undefined
        ? [Check.refuted({ ...seen, detail: "no living account with a known power was found" })]
        : [Check.unknown(gap.reason, `it could not be told who holds ${gap.what}`)]
    })
})
