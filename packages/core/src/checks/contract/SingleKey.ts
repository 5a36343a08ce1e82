import { Effect, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import type { ControllerKind } from "../../domain/Controller.js"
import * as Count from "../../domain/Count.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import { Control } from "../../facts/control/Control.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

// One key may hold the votes of a governor.
const isOpaque = (kind: ControllerKind): boolean => kind === "unknown" || kind === "contract" || kind === "governor"

const isKey = (kind: ControllerKind): boolean => kind === "eoa" || kind === "delegated_eoa"

/**
 * Whether one private key alone can use a power over the contract: an EOA as owner, admin, upgrader, role member or
 * required caller; the only signer that a Safe needs; or a key that schedules operations of a timelock, whatever its
 * delay. The check takes no points itself; the powers of such a key do.
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
      // An account behind one that decides by itself cannot use a power alone.
      const gaps = ControlGraph.decidingGaps(value)
      const holding = value.nodes.flatMap(({ address }) => {
        const powers = ControlGraph.powersOver(value, target.address, address)
        return powers.length === 0 ? [] : [{ address, powers: [...new Set(powers)].sort() }]
      })
      // A Safe is its own controller.
      const itself = value.nodes.some(({ address }) => address === target.address)
        ? [{ address: target.address, powers: [] }]
        : []
      // The controller of a contract that only forwards calls (a ProxyAdmin) decides in its place.
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
            detail: `${Count.of(holders.length, "single-key account")} with a power: ${Phrases.holders(holders)}`
          })
        ]
      const opaque = deciding.find(({ end }) => isOpaque(end.kind))
      const [gap] = gaps
      if (gap !== undefined) return [Phrases.unknown(gap.reason, Phrases.gap(gap))]
      if (opaque !== undefined)
        return [Phrases.unknown("inconclusive", `the controller of ${opaque.address} was not determined`)]
      return [Check.refuted({ ...seen, detail: "no known power can be used by one private key alone" })]
    })
})
