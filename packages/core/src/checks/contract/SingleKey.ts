import { Effect, Schema } from "effect"
import * as Together from "../../chain/Together.js"
import { Address } from "../../domain/Address.js"
import type { ControllerKind } from "../../domain/Controller.js"
import * as Controllers from "../../facts/Control.js"
import * as Check from "../Check.js"

const isKey = (kind: ControllerKind): boolean => kind === "eoa" || kind === "delegated_eoa"

/**
 * Whether one private key alone can use a power over the contract: an EOA as owner, admin, upgrader, member of a role,
 * or as the caller that a function asks for. It takes no points itself; the powers that such a key holds do.
 *
 * @since 0.1.0
 * @category models
 */
export const singleKey = Check.make({
  id: "control.single-key",
  code: "O-07",
  version: 1,
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
      const control = yield* Controllers.Control
      const { observation, value } = yield* control.of(target.address)
      // Who stands behind an account that decides by itself uses no power alone.
      const gaps = Controllers.decidingGaps(value)
      const holding = value.nodes.flatMap(({ address, kind }) => {
        const powers = value.edges.flatMap((edge) =>
          edge.from === address && edge.to === target.address ? [edge.power] : []
        )
        return powers.length === 0 ? [] : [{ address, kind, powers: [...new Set(powers)].sort() }]
      })
      // What stands behind a contract that only hands calls on (a ProxyAdmin) decides in its place.
      const deciding = yield* Together.forEach(holding, ({ address, powers }) =>
        Effect.map(control.classify(address), ({ value: controller }) => ({ address, powers, controller }))
      )
      const single = deciding.filter(({ controller }) => isKey(controller.kind))
      const holders = single.map(({ address, controller, powers }) => ({
        address: controller.address ?? address,
        powers
      }))
      const seen = { value: { holders, complete: gaps.length === 0 }, observation: observation() }
      const [first] = single
      if (first !== undefined)
        return [
          Check.confirmed({
            ...seen,
            controller: first.controller,
            at: first.controller.address ?? first.address,
            detail: holders.map(({ address, powers }) => `${address}: ${powers.join(", ")}`).join("; ")
          })
        ]
      const opaque = deciding.find(({ controller }) => controller.kind === "unknown" || controller.kind === "contract")
      const [gap] = gaps
      if (gap !== undefined) return [Check.unknown(gap.reason, `it could not be told who holds ${gap.what}`)]
      if (opaque !== undefined)
        return [Check.unknown("inconclusive", `who is behind ${opaque.address} could not be told`)]
      return [Check.refuted({ ...seen, detail: "no power was found with an EOA" })]
    })
})
