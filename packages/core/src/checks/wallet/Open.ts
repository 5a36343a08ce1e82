import { Effect, Option, Schema } from "effect"
import { ChainState } from "../../chain/ChainState.js"
import * as Together from "../../chain/Together.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import { Code } from "../../facts/code/Code.js"
import { Functions } from "../../facts/code/Functions.js"
import { Safe } from "../../facts/control/Safe.js"
import * as PayoutAuthorities from "../../facts/wallet/PayoutAuthorities.js"
import * as UnauthorizedPayoutTest from "../../facts/wallet/UnauthorizedPayoutTest.js"
import * as Check from "../Check.js"

/**
 * Whether the code of a wallet that is a contract lets anybody spend what it has: by a call, or since it takes what nobody
 * signed for signed, by which coins let themselves be taken. It does not apply to an account with a key, whatever code that
 * delegates to, nor to a Safe, which has claims of its own.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1271
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
      const state = yield* ChainState
      const { code, paying, signing } = yield* Together.all({
        code: Effect.flatMap(Functions, (functions) => functions.of(target.address)),
        paying: UnauthorizedPayoutTest.paysBy(state, target.address),
        signing: Effect.either(UnauthorizedPayoutTest.takesAnySignature(state, target.address))
      })
      const { observation, value } = code
      const driving = PayoutAuthorities.of(value.logics.map(({ flow }) => flow))
      const seen = { observation: observation() }
      if (driving.kind === "anybody")
        return [
          Check.confirmed({
            ...seen,
            value: { function: driving.selector },
            detail: `${driving.selector} pays what and whom its caller says`
          })
        ]
      if (Option.isSome(paying))
        return [
          Check.confirmed({
            observation: paying.value.observation(),
            value: { function: paying.value.value },
            detail: `${paying.value.value} paid a stranger who asked it to`
          })
        ]
      const taking = yield* signing
      if (taking.value)
        return [
          Check.confirmed({
            observation: taking.observation(),
            value: { function: isValidSignature },
            detail: `${isValidSignature} says of what nobody signed that it is signed`
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

const { isValidSignature } = Selectors.functions
