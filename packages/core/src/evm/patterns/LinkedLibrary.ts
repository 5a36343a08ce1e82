/** @internal */

import * as OxBytes from "ox/Bytes"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../bytecode/Bytecode.js"
import { type Mnemonic, Opcodes } from "../bytecode/Opcodes.js"
import type { Delegation, StorageFlow } from "../summary/StorageFlow.js"

/**
 * The libraries that a code is linked to: accounts that are constants of the code and that its functions delegate to.
 * The delegation of a proxy is left out.
 *
 * @see https://docs.soliditylang.org/en/latest/contracts.html#libraries
 */
export const of = ({ delegations }: StorageFlow): ReadonlyArray<Address.Address> =>
  delegations.flatMap((delegation) => libraryOf(delegation) ?? [])

const libraryOf = ({ selectors, target }: Delegation): Address.Address | undefined =>
  target.kind === "constant" && !selectors.includes("fallback") ? Address.fromWord(target.value) : undefined

/** Whether code does the same for everybody who runs it. */
export const asksNobody = (code: Hex): boolean => isWithout(code, ["CALLER", "ORIGIN"])

/**
 * Whether code does nothing where it runs but to answer, and the same for everybody: it writes nothing, calls nobody who
 * may, and cannot be destroyed.
 */
export const onlyAnswers = (code: Hex): boolean =>
  isWithout(code, ["CALLER", "ORIGIN", "SSTORE", "TSTORE", "CALL", "CREATE", "CREATE2", "SELFDESTRUCT"])

const isWithout = (code: Hex, mnemonics: ReadonlyArray<Mnemonic>): boolean => {
  const reach = Bytecode.reach(Bytecode.parse(code))
  return (
    Bytecode.isContract(code) &&
    !Bytecode.runsOtherCode(reach) &&
    mnemonics.every((mnemonic) => Bytecode.presence(reach, mnemonic) === "absent")
  )
}

/**
 * A code as it can be read where some of its libraries only answer: each DELEGATECALL of one of them alone is a STATICCALL,
 * which takes the same from the stack and leaves storage as it is.
 */
export const link = (code: Hex, { delegations }: StorageFlow, answering: ReadonlySet<Address.Address>): Hex => {
  const isAnswering = (delegation: Delegation): boolean => {
    const library = libraryOf(delegation)
    return library !== undefined && answering.has(library)
  }
  const others = new Set(delegations.flatMap((each) => (isAnswering(each) ? [] : each.offsets)))
  const bytes = OxBytes.fromHex(code)
  for (const offset of delegations.filter(isAnswering).flatMap(({ offsets }) => offsets))
    if (!others.has(offset) && bytes[offset] === Opcodes.DELEGATECALL) bytes[offset] = Opcodes.STATICCALL
  return OxBytes.toHex(bytes)
}
