import { Effect, Option, Schema } from "effect"
import * as Together from "../../chain/Together.js"
import { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import { ProxyStructure } from "../../domain/facts/ProxyStructure.js"
import { Proxy } from "../../facts/code/Proxy.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"

/**
 * Whether somebody can replace the contract's code.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967
 * @since 0.1.0
 * @category models
 */
export const upgradeable = Check.make({
  id: "proxy.upgradeable",
  code: "P-02",
  version: 1,
  targets: ["token", "contract"],
  claim: "The contract's code can be replaced",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: Schema.Struct({ upgrade: ProxyStructure.fields.upgrade, authority: Schema.NullOr(Address) }),
  run: (target) =>
    Effect.gen(function* () {
      const proxy = yield* Proxy
      const control = yield* Control
      const { observation, value } = yield* proxy.of(target.address)
      const { conflicts, kind, upgrade, upgrade_authority: authority } = value
      // A Safe's owners replacing its code is what a Safe is for; who they are is told by safe.setup.
      if (kind === "safe") return Check.notApplicable
      const seen = { value: { upgrade, authority }, observation: observation() }
      if (kind === "unrecognised" || upgrade === "unknown")
        return [
          Check.unknown("inconclusive", "it could not be told who decides where its calls go", {
            observation: seen.observation
          })
        ]
      if (upgrade === "none") return [Check.refuted({ ...seen, detail: "the code is fixed" })]
      if (upgrade === "anyone")
        return [
          Check.confirmed({
            ...seen,
            controller: Controller.make("eoa"),
            detail: "a stranger's call of its upgrade function succeeds"
          })
        ]
      const { value: graph } = yield* control.of(target.address)
      const { accounts, complete } = yield* control.upgraders(target.address)
      const told = yield* Together.forEach(accounts, (account) =>
        Effect.map(control.classify(account), ({ value: controller }) => controller)
      )
      const controllers = complete || conflicts.length > 0 ? told : [...told, Controller.make("unknown")]
      // The other way to upgrade that a conflict tells of, and a power that nobody was found to hold, have some holder.
      const controller = Option.getOrElse(conflicts.length > 0 ? Option.none() : Controller.weakest(controllers), () =>
        Controller.make("unknown")
      )
      if (controller.kind !== "dead")
        return [
          Check.confirmed({
            ...seen,
            controller,
            at: controller.address ?? authority ?? target.address,
            detail: `by way of ${upgrade}; ${controller.address ?? "who may do it"} (${controller.kind})`
          })
        ]
      // A renounced implementation can let others through beside its owner; all of its code has to be known.
      const [gap] = upgrade === "uups" ? ControlGraph.decidingGaps(graph) : []
      return gap === undefined
        ? [Check.refuted({ ...seen, controller, detail: `by way of ${upgrade}, but nobody holds ${authority}` })]
        : [Check.unknown(gap.reason, `the owner is nobody, but it could not be told who else holds ${gap.what}`)]
    })
})
