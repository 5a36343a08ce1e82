import { Effect, Option, Schema } from "effect"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import { Code } from "../../facts/code/Code.js"
import { Functions } from "../../facts/code/Functions.js"
import { Safe } from "../../facts/control/Safe.js"
import * as PayoutAuthorities from "../../facts/wallet/PayoutAuthorities.js"
import * as UnauthorizedPayoutTest from "../../facts/wallet/UnauthorizedPayoutTest.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the code of a contract wallet lets any account spend its assets: by a call, or because it accepts invalid
 * ERC-1271 signatures, which tokens with permits then accept. It does not apply to an account with a private key,
 * whatever it delegates to, nor to a Safe, which has its own checks.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1271
 */
export const walletOpen = Check.make({
  id: "wallet.open",
  code: "W-17",
  version: 1,
  targets: ["wallet"],
  claim: "Any account can spend the wallet's assets",
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
            detail: `any caller of ${driving.selector} chooses the amount and recipient of a payment`
          })
        ]
      if (Option.isSome(paying))
        return [
          Check.confirmed({
            observation: paying.value.observation(),
            value: { function: paying.value.value },
            detail: `a simulated call of ${paying.value.value} from an account without any role made the wallet pay it`
          })
        ]
      const taking = yield* signing
      if (taking.value)
        return [
          Check.confirmed({
            observation: taking.observation(),
            value: { function: isValidSignature },
            detail: `${isValidSignature} (ERC-1271) accepts an invalid signature`
          })
        ]
      const paysByCallsAlone = value.logics.every(({ reach }) =>
        otherWays.every((opcode) => Bytecode.presence(reach, opcode) === "absent")
      )
      return value.resolved && driving.kind !== "unclear" && paysByCallsAlone
        ? [Check.refuted({ ...seen, value: { function: null }, detail: "every function that pays checks its caller" })]
        : [Phrases.unknown("inconclusive", "not all paths of the code could be followed", seen)]
    })
})

const otherWays = ["SELFDESTRUCT", "CREATE", "CREATE2"] as const

const { isValidSignature } = Selectors.functions
