// One namespace for all that is public about reading a token's code; inside core, import the file of the concept itself.

export { isWritten } from "../summary/conditions/FieldMask.js"
export { isPrivilege, privilegesAt } from "../token/Access.js"
export { callsOthers } from "../token/Erc20.js"
export type { OneShotGuard } from "../token/OneShotGuard.js"
export { isOfBalances, of, type TokenBooks as TokenFlow } from "../token/TokenBooks.js"
export { of as settersOf, type VariableWriter } from "../token/VariableWriter.js"
export { type BalanceSeizure, of as seizures } from "./balance/BalanceSeizure.js"
export { type MintFinding, of as mintFinding } from "./mint/MintFinding.js"
export { type MintPrice, of as mintPrices } from "./mint/MintPrice.js"
export { isSpent, type MintWriter, of as mintWriters } from "./mint/MintWriter.js"
export { of as transferGates, type TransferGate } from "./transfer/TransferGate.js"
