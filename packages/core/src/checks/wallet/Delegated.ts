import { Effect, Option, Schema } from "effect"
import * as KnownCode from "../../data/KnownCode.js"
import { Address } from "../../domain/Address.js"
import { Code } from "../../facts/Code.js"
import * as Check from "../Check.js"

/**
 * Whether the wallet runs foreign code by an EIP-7702 delegation. A delegate that is known to steal is critical.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7702
 * @since 0.1.0
 * @category models
 */
export const delegated = Check.make({
  id: "wallet.delegated",
  code: "W-07",
  version: 1,
  targets: ["wallet"],
  claim: "The wallet runs another contract's code",
  polarity: "risk",
  severity: "critical",
  dimension: "account",
  value: Schema.Struct({ delegate: Schema.NullOr(Address), label: Schema.NullOr(Schema.String) }),
  run: (target) =>
    Effect.gen(function* () {
      const code = yield* Code
      const { observation, value } = yield* code.of(target.address)
      const seen = { observation: observation() }
      if (value.delegate === null)
        return [Check.refuted({ ...seen, value: { delegate: null, label: null }, detail: "no delegation designator" })]
      const { value: behind } = yield* code.of(value.delegate)
      const reported = KnownCode.findDelegate(value.delegate)
      const published = Option.flatMap(Option.fromNullable(behind.code_hash), KnownCode.findRuntime)
      const label = Option.getOrNull(
        Option.map(
          Option.orElse(reported, () => published),
          (entry) => entry.name
        )
      )
      return [
        Check.confirmed({
          ...seen,
          value: { delegate: value.delegate, label },
          severity: Option.isSome(reported) ? "critical" : Option.isSome(published) ? "low" : "medium",
          at: value.delegate,
          detail:
            label === null ? `to ${value.delegate}, which is not a known delegate` : `to ${value.delegate} (${label})`
        })
      ]
    })
})
