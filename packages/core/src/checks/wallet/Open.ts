import { Effect, Option, Schema } from "effect"
import * as Bytecode from "../../evm/Bytecode.js"
import { Code } from "../../facts/Code.js"
import * as Drivers from "../../facts/Drivers.js"
import { Functions } from "../../facts/Functions.js"
import { Safe } from "../../facts/Safe.js"
import * as Check from "../Check.js"

/**
 * Whether the code of a wallet that is a contract lets anybody spend what it has. It does not apply to an account with a
 * key, whatever code that delegates to, nor to a Safe, which has claims of its own.
 *
 * @since 0.1.0
 * @category models
 */
export const walletOpen = Check.make({
  id: "wallet.open",
  code: "W-17",
  version: 1,
  targets: ["wallet"],
  claim: "Anybody can spend what the wallet has",
  polarity: "risk",
  severity: "critical",
  dimension: "account",
  value: Schema.Struct({ function: Schema.NullOr(Schema.String) }),
  run: (target) =>
    Effect.gen(function* () {
      const account = yield* (yield* Code).of(target.address)
      if (account.value.kind !== "contract") return Check.notApplicable
      if (Option.isSome(yield* (yield* Safe).singletonOf(target.address))) return Check.notApplicable
      const { observation, value } = yield* (yield* Functions).of(target.address)
      const driving = Drivers.of(value.logics.map(({ flow }) => flow))
      const seen = { observation: observation() }
      if (driving.kind === "anybody")
        return [
          Check.confirmed({
            ...seen,
            value: { function: driving.selector },
            detail: `${driving.selector} pays what and whom its caller says`
          })
        ]
      const paysByCallsAlone = value.logics.every(({ reach }) =>
        otherWays.every((opcode) => Bytecode.presence(reach, opcode) === "absent")
      )
      return value.resolved && driving.kind !== "unclear" && paysByCallsAlone
        ? [Check.refuted({ ...seen, value: { function: null }, detail: "every function that pays asks who calls" })]
        : [Check.unknown("inconclusive", "not all that its code does could be followed", seen)]
    })
})

const otherWays = ["SELFDESTRUCT", "CREATE", "CREATE2"] as const
