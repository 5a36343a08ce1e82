import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import { Control } from "../../facts/Control.js"
import * as Check from "../Check.js"

/**
 * Whether the owner is an address that nobody holds. It says nothing about powers that are not the owner's.
 *
 * @since 0.1.0
 * @category models
 */
export const renounced = Check.make({
  id: "control.renounced",
  code: "O-03",
  version: 1,
  targets: ["token", "contract"],
  claim: "Ownership was given up",
  polarity: "protective",
  severity: "medium",
  dimension: "control",
  value: Schema.Struct({ owner: Address }),
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
      const seen = { value: { owner: value.owner }, observation: observation(), at: value.owner }
      if (value.owner === target.address)
        return [
          Check.refuted({ ...seen, detail: "the contract owns itself, and does what its functions let others do" })
        ]
      // What the account itself is: a contract that nobody can use is an owner all the same.
      const kind = value.nodes.find(({ address }) => address === value.owner)?.kind ?? "unknown"
      switch (kind) {
        case "dead":
          return [Check.confirmed({ ...seen, detail: `nobody holds the owner ${value.owner}` })]
        case "unknown":
          return [Check.unknown("dependency_unknown", `it could not be told what ${value.owner} is`)]
        default:
          return [Check.refuted({ ...seen, detail: `the owner ${value.owner} is alive (${kind})` })]
      }
    })
})
