// One namespace for all that is public about reading a token's code; inside core, import the file of the concept itself.

export { isPrivilege, privilegesAt } from "./Access.js"
export { callsOthers } from "./Erc20.js"
export type { Latch } from "./Latch.js"
export { type MintFinding, of as mintFinding } from "./MintFinding.js"
export { type MintPrice, of as mintPrices } from "./MintPrice.js"
export { isSpent, type MintWriter, of as mintWriters } from "./MintWriter.js"
export { of as seizures, type Seizure } from "./Seizure.js"
export { of as settersOf, type Setter } from "./Setter.js"
export { isWritten } from "./summary/conditions/Overlap.js"
export { isOfBalances, of, type TokenBooks as TokenFlow } from "./TokenBooks.js"
export { of as transferGates, type TransferGate } from "./TransferGate.js"
