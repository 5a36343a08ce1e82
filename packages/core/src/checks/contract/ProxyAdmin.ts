import { Effect, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import { Controller } from "../../domain/Controller.js"
import { Proxy } from "../../facts/code/Proxy.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"

/**
 * Whether it can be told who stands behind the account that a proxy asks before its code is replaced.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967#admin-address
 * @since 0.1.0
 * @category models
 */
export const proxyAdmin = Check.make({
  id: "proxy.admin",
  code: "P-03",
  version: 1,
  targets: ["token", "contract"],
  claim: "It is known who is asked before the proxy's code is replaced",
  polarity: "neutral",
  severity: "info",
  dimension: "control",
  value: Schema.Struct({ admin: Schema.NullOr(Address), authority: Schema.NullOr(Address), controller: Controller }),
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* Proxy).of(target.address)
      const { admin, kind, upgrade, upgrade_authority: authority } = value
      // What cannot be replaced has nobody to ask, and a Safe asks its own owners.
      if (kind === "none" || upgrade === "none" || upgrade === "self" || upgrade === "anyone")
        return Check.notApplicable
      const seen = { observation: observation() }
      if (authority === null) return [Check.unknown("inconclusive", "it was not found who is asked", seen)]
      const { value: controller } = yield* (yield* Control).classify(authority)
      if (controller.kind === "unknown" || controller.kind === "contract")
        return [Check.unknown("inconclusive", `who is behind ${authority} could not be told`, seen)]
      return [
        Check.confirmed({
          ...seen,
          value: { admin, authority, controller },
          controller,
          at: controller.address ?? authority,
          detail: `by way of ${upgrade}: ${controller.address ?? authority} (${controller.kind})`
        })
      ]
    })
})
