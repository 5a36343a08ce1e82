import { Effect, Option, Schema } from "effect"
import { SafeAccount } from "../../domain/facts/SafeAccount.js"
import { Safe } from "../../facts/control/Safe.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

const { fallback_handler, guard, module_guard } = SafeAccount.fields

/**
 * Whether a Safe uses a guard or fallback handler that Safe did not publish. A guard can block every transaction, and a
 * fallback handler decides which ERC-1271 signatures of the Safe are valid. Safe publishes no guards.
 *
 * @see https://docs.safe.global/advanced/smart-account-guards
 * @see https://docs.safe.global/advanced/smart-account-fallback-handler
 */
export const safeGuard = Check.make({
  id: "safe.guard",
  code: "S-04",
  version: 1,
  targets: ["wallet", "contract"],
  claim: "The Safe uses a guard or handler that Safe did not publish",
  polarity: "risk",
  severity: "medium",
  dimension: "account",
  value: Schema.Struct({ guard, module_guard, fallback_handler, handler_name: Schema.NullOr(Schema.String) }),
  run: (target) =>
    Effect.gen(function* () {
      const safe = yield* Safe
      const found = yield* safe.of(target.address)
      if (Option.isNone(found)) return Check.notApplicable
      const { observation, value } = found.value
      const { fallback_handler, guard, module_guard } = value
      const name = fallback_handler === null ? Option.none() : yield* safe.handlerName(fallback_handler)
      const seen = {
        value: { guard, module_guard, fallback_handler, handler_name: Option.getOrNull(name) },
        observation: observation()
      }
      const strange = [
        ...(guard === null ? [] : [`the guard ${guard}`]),
        ...(module_guard === null ? [] : [`the module guard ${module_guard}`]),
        ...(fallback_handler === null || Option.isSome(name) ? [] : [`the fallback handler ${fallback_handler}`])
      ]
      return [
        strange.length > 0
          ? Check.confirmed({ ...seen, detail: Phrases.few(strange) })
          : Check.refuted({
              ...seen,
              detail: Option.match(name, {
                onNone: () => "the Safe has no guard and no fallback handler",
                onSome: (handler) => `no guard; published fallback handler ${handler}`
              })
            })
      ]
    })
})
