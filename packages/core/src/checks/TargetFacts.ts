// The facts that a check may read of its target, without providing them: `const token = yield* TargetFacts.Token`.
/** The code that answers. */
export { Code } from "../facts/code/Code.js"
/** What a code can do, found once for a code. */
export { CodeReadings } from "../facts/code/CodeReadings.js"
/** The earlier analysis of the target. */
export { Earlier } from "../facts/code/Earlier.js"
/** External functions of the code that answers. */
export { Functions } from "../facts/code/Functions.js"
/** Who created the contract, and when. */
export { Provenance } from "../facts/code/Provenance.js"
/** The proxy of the target. */
export { Proxy } from "../facts/code/Proxy.js"
/** Who controls an account, through Safes, timelocks and roles. */
export { Control } from "../facts/control/Control.js"
/** The owner of a contract. */
export { Ownership } from "../facts/control/Ownership.js"
/** The signers of a Safe. */
export { Safe } from "../facts/control/Safe.js"
/** Owners and modules of a Safe that its lists do not name. */
export { UnlistedEntries } from "../facts/control/UnlistedEntries.js"
/** The largest holders of a token. */
export { Holders } from "../facts/market/Holders.js"
/** Who holds the shares of the pools. */
export { Liquidity } from "../facts/market/Liquidity.js"
/** The positions of the pools. */
export { LiquidityPositions } from "../facts/market/LiquidityPositions.js"
/** Locked shares, and until when. */
export { Locks } from "../facts/market/Locks.js"
/** The pools of a token. */
export { Pools } from "../facts/market/Pools.js"
/** Name, symbol, decimals and supply. */
export { Token } from "../facts/market/Token.js"
/** What happens when a power is used. */
export { Counterfactual } from "../facts/powers/Counterfactual.js"
/** Which powers are held now. */
export { Powers } from "../facts/powers/Powers.js"
/** Whether code proves that transfers are free. */
export { FreeTransfer } from "../facts/trade/FreeTransfer.js"
/** Whether holders of today can sell. */
export { HolderReplay } from "../facts/trade/HolderReplay.js"
/** What the functions that trades call do from now on. */
export { SettledFunctions } from "../facts/trade/SettledFunctions.js"
/** Trades of a token without a pool. */
export { SimulatedPool } from "../facts/trade/SimulatedPool.js"
/** Simulated purchases and sales. */
export { Trade } from "../facts/trade/Trade.js"
/** Moments around which trades are tried. */
export { TradeMoments } from "../facts/trade/TradeMoments.js"
/** ERC-20 allowances of a wallet. */
export { Allowances } from "../facts/wallet/Allowances.js"
/** How permissions of a wallet were announced. */
export { Announcements } from "../facts/wallet/Announcements.js"
/** The EIP-7702 delegate of a wallet. */
export { Delegation } from "../facts/wallet/Delegation.js"
/** Assets that their issuer froze. */
export { Frozen } from "../facts/wallet/Frozen.js"
/** Whether assets of a wallet can be transferred. */
export { HeldTransfers } from "../facts/wallet/HeldTransfers.js"
/** Permit2 allowances of a wallet. */
export { Permit2Allowances } from "../facts/wallet/Permit2Allowances.js"
/** Transfers from addresses that look like another. */
export { Poisoning } from "../facts/wallet/Poisoning.js"
/** What a wallet holds. */
export { Portfolio } from "../facts/wallet/Portfolio.js"
/** What spenders took from a wallet. */
export { Pulls } from "../facts/wallet/Pulls.js"
/** Whether a list of sanctions has the wallet. */
export { Sanctions } from "../facts/wallet/Sanctions.js"
/** Who may spend of a wallet. */
export { Spenders } from "../facts/wallet/Spenders.js"
/** How long a wallet has been used. */
export { WalletActivity } from "../facts/wallet/WalletActivity.js"
/** Transfers of a wallet. */
export { WalletTransfers } from "../facts/wallet/WalletTransfers.js"
