import { Effect, Schema } from "effect"
import type { Address } from "../../domain/Address.js"
import * as Count from "../../domain/Count.js"
import { ControlNode } from "../../domain/facts/ControlGraph.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/** Whether any account has a power over the contract, and the kind of each such account. */
export const controllers = Check.make({
  id: "control.controllers",
  code: "O-02",
  version: 2,
  targets: ["token", "contract"],
  claim: "An account has a power over the contract",
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
      // An account of unknown kind may be dead.
      if (controllers.some(({ kind }) => kind !== "dead" && kind !== "unknown"))
        return [
          Check.confirmed({
            ...seen,
            detail: `${Count.of(controllers.length, "account")} with a power: ${Phrases.few(controllers.map((node) => `${node.address} (${node.kind})`))}`
          })
        ]
      const [gap] = value.unread
      return gap === undefined
        ? [Check.refuted({ ...seen, detail: "no account that can act holds a known power" })]
        : [Phrases.unknown(gap.reason, Phrases.gap(gap))]
    })
})
