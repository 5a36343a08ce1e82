import { Effect, Schema } from "effect"
import * as Together from "../../chain/Together.js"
import { Address } from "../../domain/Address.js"
import type { ControllerKind } from "../../domain/Controller.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"

// Who has the votes of a governor may be one key.
const isOpaque = (kind: ControllerKind): boolean => kind === "unknown" || kind === "contract" || kind === "governor"

const isKey = (kind: ControllerKind): boolean => kind === "eoa" || kind === "delegated_eoa"

/**
 * Whether one private key alone can use a power over the contract: an EOA as owner, admin, upgrader, member of a role, or as
 * the caller that a function asks for; one that makes up all who have to sign for a Safe; one that plans what a timelock
 * does, however long he waits. It takes no points itself; the powers that such a key holds do.
 *
 * @since 0.1.0
 * @category models
 */
export const singleKey = Check.make({
  id: "control.single-key",
  code: "O-07",
  version: 2,
  targets: ["token", "contract"],
  claim: "One private key alone holds a power over the contract",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: Schema.Struct({
    holders: Schema.Array(Schema.Struct({ address: Address, powers: Schema.Array(Schema.String) })),
    complete: Schema.Boolean
  }),
  run: (target) =>
    Effect.gen(function* () {
      const control = yield* Control
      const { observation, value } = yield* control.of(target.address)
      // Who stands behind an account that decides by itself uses no power alone.
      const gaps = ControlGraph.decidingGaps(value)
      const holding = value.nodes.flatMap(({ address }) => {
        const powers = ControlGraph.powersOver(value, target.address, address)
        return powers.length === 0 ? [] : [{ address, powers: [...new Set(powers)].sort() }]
      })
      // A Safe is its own controller.
      const itself = value.nodes.some(({ address }) => address === target.address)
        ? [{ address: target.address, powers: [] }]
        : []
      // What stands behind a contract that only hands calls on (a ProxyAdmin) decides in its place.
      const deciding = yield* Together.forEach([...holding, ...itself], ({ address, powers }) =>
        Effect.map(
          Together.all([control.classify(address), control.inTheEnd(address)]),
          ([{ value: controller }, { value: end }]) => ({ address, powers, controller, end })
        )
      )
      const single = deciding.filter(({ end }) => isKey(end.kind))
      const holders = single.map(({ address, end, powers }) => ({ address: end.address ?? address, powers }))
      const seen = { value: { holders, complete: gaps.length === 0 }, observation: observation() }
      const [first] = single
      if (first !== undefined)
        return [
          Check.confirmed({
            ...seen,
            controller: first.controller,
            at: first.end.address ?? first.address,
            detail: holders
              .map(({ address, powers }) => (powers.length === 0 ? address : `${address}: ${powers.join(", ")}`))
              .join("; ")
          })
        ]
      const opaque = deciding.find(({ end }) => isOpaque(end.kind))
      const [gap] = gaps
      if (gap !== undefined) return [Check.unknown(gap.reason, `it could not be told who holds ${gap.what}`)]
      if (opaque !== undefined)
        return [Check.unknown("inconclusive", `who is behind ${opaque.address} could not be told`)]
      return [Check.refuted({ ...seen, detail: "no power was found with one key alone" })]
    })
})
