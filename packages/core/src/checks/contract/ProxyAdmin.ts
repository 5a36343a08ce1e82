import { Effect, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import { Controller } from "../../domain/Controller.js"
import { Proxy } from "../../facts/code/Proxy.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the controller of the account that authorises the proxy's upgrades is known.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967#admin-address
 */
export const proxyAdmin = Check.make({
  id: "proxy.admin",
  code: "P-03",
  version: 1,
  targets: ["token", "contract"],
  claim: "The account that authorises upgrades of the proxy is known",
  polarity: "neutral",
  severity: "info",
  dimension: "control",
  value: Schema.Struct({ admin: Schema.NullOr(Address), authority: Schema.NullOr(Address), controller: Controller }),
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* Proxy).of(target.address)
      const { admin, kind, upgrade, upgrade_authority: authority } = value
      // Fixed code and open upgrades have no admin, and a Safe is upgraded by its own owners.
      if (kind === "none" || upgrade === "none" || upgrade === "self" || upgrade === "anyone")
        return Check.notApplicable
      const seen = { observation: observation() }
      if (authority === null)
        return [Phrases.unknown("inconclusive", "the account that authorises upgrades was not found", seen)]
      const { value: controller } = yield* (yield* Control).classify(authority)
      if (controller.kind === "unknown" || controller.kind === "contract")
        return [
          Phrases.unknown(
            "inconclusive",
            `the controller of the upgrade authority ${authority} was not determined`,
            seen
          )
        ]
      return [
        Check.confirmed({
          ...seen,
          value: { admin, authority, controller },
          controller,
          at: controller.address ?? authority,
          detail: `upgrade path ${upgrade}, authorised by ${controller.address ?? authority} (${controller.kind})`
        })
      ]
    })
})
