import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import { Safe } from "../../facts/Safe.js"
import * as Check from "../Check.js"

/**
 * Whether modules can move the Safe's assets without its owners' signatures.
 *
 * @see https://docs.safe.global/advanced/smart-account-modules
 * @since 0.1.0
 * @category models
 */
export const safeModules = Check.make({
  id: "safe.modules",
  code: "S-03",
  version: 1,
  targets: ["wallet", "contract"],
  claim: "Modules can act without the owners' signatures",
  polarity: "risk",
  severity: "high",
  dimension: "account",
  value: Schema.Struct({ modules: Schema.Array(Address) }),
  run: (target) =>
    Effect.gen(function* () {
      const found = yield* (yield* Safe).of(target.address)
      if (Option.isNone(found)) return Check.notApplicable
      const { observation, value } = found.value
      if (value.modules === null)
        return [Check.unknown("inconclusive", "its list of modules does not answer", { observation: observation() })]
      const seen = { value: { modules: value.modules }, observation: observation() }
      return [
        value.modules.length === 0
          ? Check.refuted({ ...seen, detail: "no module is enabled" })
          : Check.confirmed({ ...seen, detail: value.modules.join(", ") })
      ]
    })
})
