import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import { ProxyStructure } from "../../domain/facts/ProxyStructure.js"
import { Proxy } from "../../facts/code/Proxy.js"
import { Control } from "../../facts/control/Control.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether an account can upgrade the contract's code.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967
 */
export const upgradeable = Check.make({
  id: "proxy.upgradeable",
  code: "P-02",
  version: 1,
  targets: ["token", "contract"],
  claim: "The contract's code can be upgraded",
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
      // The owners of a Safe can upgrade it by design; safe.setup lists them.
      if (kind === "safe") return Check.notApplicable
      const seen = { value: { upgrade, authority }, observation: observation() }
      if (kind === "unrecognised" || upgrade === "unknown")
        return [
          Phrases.unknown("inconclusive", "the account that decides the implementation was not determined", {
            observation: seen.observation
          })
        ]
      if (upgrade === "none") return [Check.refuted({ ...seen, detail: "the code has no upgrade path" })]
      if (upgrade === "anyone")
        return [
          Check.confirmed({
            ...seen,
            controller: Controller.make("eoa"),
            detail: "a simulated upgrade from an account without any role succeeds"
          })
        ]
      const { value: graph } = yield* control.of(target.address)
      const { accounts, complete } = yield* control.upgraders(target.address)
      const told = yield* Together.forEach(accounts, (account) =>
        Effect.map(control.classify(account), ({ value: controller }) => controller)
      )
      const controllers = complete || conflicts.length > 0 ? told : [...told, Controller.make("unknown")]
      // A conflicting upgrade path and a power without a known holder may both have a holder.
      const controller = Option.getOrElse(conflicts.length > 0 ? Option.none() : Controller.weakest(controllers), () =>
        Controller.make("unknown")
      )
      if (controller.kind !== "dead")
        return [
          Check.confirmed({
            ...seen,
            controller,
            at: controller.address ?? authority ?? target.address,
            detail: `upgrade path ${upgrade}, controlled by ${controller.address ?? "an unidentified account"} (${controller.kind})`
          })
        ]
      // An implementation without an owner can still admit other callers; all of its code has to be known.
      const [gap] = upgrade === "uups" ? ControlGraph.decidingGaps(graph) : []
      return gap === undefined
        ? [
            Check.refuted({
              ...seen,
              controller,
              detail: `upgrade path ${upgrade}, but its authority ${authority} is a dead address`
            })
          ]
        : [Phrases.unknown(gap.reason, `the upgrade authority is a dead address, but ${Phrases.gap(gap)}`)]
    })
})
