import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import * as Count from "../../domain/Count.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import { isDead } from "../../facts/code/Code.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether an account keeps a power over a contract with renounced ownership: an address that the code compares with the
 * caller and that no getter returns, a role, or a way to upgrade the code.
 */
export const hiddenController = Check.make({
  id: "control.hidden",
  code: "O-04",
  version: 2,
  targets: ["token", "contract"],
  claim: "An account keeps a power although ownership is renounced",
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
          onSome: ({ reason }) => [Phrases.unknown(reason, "the owner getter was not read")]
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
            detail: `${Count.of(living.length, "account")} with a power: ${Phrases.holders(living)}`
          })
        ]
      }
      return gap === undefined
        ? [Check.refuted({ ...seen, detail: "no account that can act holds another power" })]
        : [Phrases.unknown(gap.reason, Phrases.gap(gap))]
    })
})
