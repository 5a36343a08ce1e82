/** @internal */

/**
 * What is said of a claim beside its title. Both are fragments without a period, as the titles are.
 *
 * - `absent` is true wherever the claim is refuted, and says no more than the weakest refutation proves; null for a claim
 *   that is never refuted.
 * - `recommendation` is one step for a reader where the claim is confirmed, or, where it is protective, refuted. It holds
 *   for every case of the claim, and is never advice on an investment.
 */
export interface ClaimSentences {
  readonly absent: string | null
  readonly recommendation: string
}

/** Those of the checks of this library, by check id. */
export const all: { readonly [id: string]: ClaimSentences } = {
  "address.kind": {
    absent: null,
    recommendation:
      "Compare the kind with the one that you expect; what is sent to a precompile or burn address is lost"
  },
  "endpoint.capable": {
    absent: "The endpoint lacks a feature that the analysis uses",
    recommendation: "Prefer endpoints that pass every probe: each missing feature leaves claims unknown"
  },
  "contract.provenance": {
    absent: null,
    recommendation: "Compare the block and the deployer with what the project publishes"
  },
  "token.standard": {
    absent: "The contract behaves as a token of no known standard",
    recommendation: "Check that your wallet, exchange or integration supports this standard"
  },
  "token.native": {
    absent: null,
    recommendation:
      "Look at who issues, pauses and burns the token and edits its transfer policy: these powers are in the chain, not in code"
  },
  "token.metadata-readable": {
    absent: "Name, symbol, decimals or supply cannot be read",
    recommendation: "Identify the token by its address: name and symbol are free text that any token can copy"
  },
  "token.metadata-anomalous": {
    absent: "Name, symbol, decimals and supply show nothing unusual",
    recommendation:
      "Compare the address with the one that the issuer publishes, and open no link that a name or symbol contains"
  },
  // The listed token itself is not compared with other listed ones.
  "token.impersonates": {
    absent: "Its name and symbol imitate no listed token",
    recommendation:
      "Compare the address with the one that the issuer of the listed token publishes, before you trade, list or accept it"
  },
  "token.listed": {
    absent: "The token is on no token list that we know",
    recommendation: "Compare the address with the one that the issuer publishes: a genuine token can be unlisted"
  },
  "contract.selfdestruct-reachable": {
    absent: "The code cannot reach SELFDESTRUCT",
    recommendation:
      "Review the functions that reach it: they can send the balance of the contract away and, before EIP-6780, delete it"
  },
  "contract.code-replaced": {
    absent: "The bytecode is the same as in the last analysis",
    recommendation: "Revoke approvals to the contract, and use it again only after its new code is reviewed"
  },
  // The delegation of a proxy is the subject of the proxy checks.
  "contract.delegatecall-mutable": {
    absent: "Proxy upgrades aside, no account can choose the target of a DELEGATECALL",
    recommendation:
      "Treat the account that chooses the target as one that controls all storage and assets of the contract"
  },
  "token.external-call-in-transfer": {
    absent: "Transfers call no other contract",
    recommendation:
      "Review the contract that transfers call, and who can replace it: it can make transfers fail and may take tokens"
  },
  "contract.compiler": {
    absent: "A part of the code has no compiler metadata",
    recommendation: "Take the metadata as a hint: only published source code that compiles to the bytecode is proof"
  },
  "contract.functions": {
    absent: "The bytecode compares the calldata with no selector",
    recommendation: "Review first the functions without a known name: arguments and mutability are inferred"
  },
  "contract.known-good-code": {
    absent: "A part of the code is no known published build",
    recommendation: "Read the published source or have it reviewed: few builds are known here"
  },
  "proxy.kind": {
    absent: "The contract is no proxy",
    recommendation: "Check whether the implementation can be replaced, and by which account"
  },
  "proxy.admin": {
    absent: null,
    recommendation:
      "Check that it is the account that the project names, and that several signers or a timelock restrain it"
  },
  "proxy.upgradeable": {
    absent: "No account can upgrade the code",
    recommendation:
      "Check who can upgrade the code, and wait until that takes several signers or a timelock of at least 2 days"
  },
  "proxy.upgradeable-now": {
    absent: "No upgrade of the code is possible with less than 2 days of notice",
    recommendation: "Keep in it only what you can lose to new code, until every upgrade gives at least 2 days of notice"
  },
  "proxy.implementation-uninitialised": {
    absent: "The implementation is initialised or locked",
    recommendation: "Call on the project to initialise or lock the implementation; until then any account can own it"
  },
  "proxy.implementation-missing": {
    absent: "Each implementation has code",
    recommendation: "Send nothing to the contract: calls succeed and do nothing until code is deployed there"
  },
  "proxy.upgraded-recently": {
    absent: "No upgrade and no change of admin was seen in the last 30 days",
    recommendation: "Review the change before you rely on an audit or analysis that is older than it"
  },
  "control.owner": {
    absent: "No owner getter of the contract names an account",
    recommendation:
      "Check that the owner is the account that the project names, and that several signers or a timelock restrain it"
  },
  "control.controllers": {
    absent: "No account that can act holds a known power over the contract",
    recommendation: "Check that each of these accounts is one that the project names"
  },
  "control.renounced": {
    absent: "Ownership is not renounced",
    recommendation:
      "Check what the owner can do, and whether several signers or a timelock of at least 2 days restrain that account"
  },
  "control.reclaimable": {
    absent: "Only the owner can transfer ownership",
    recommendation: "Treat the account that can take ownership as the owner, also where ownership is renounced"
  },
  "control.hidden": {
    absent: "Besides the renounced ownership, no account that can act has a power",
    recommendation: "Treat these accounts as owners: the renounced ownership does not restrain them"
  },
  "control.roles": {
    absent: "No role has a member",
    recommendation: "Check that each member is an account that the project names, and which functions its role can call"
  },
  "control.single-key": {
    absent: "No private key alone can use a known power",
    recommendation:
      "Find out who holds the key, and wait until the power takes several signers and a timelock of at least 2 days"
  },
  "control.timelocked": {
    absent: "An account can use a power with less than 2 days of notice",
    recommendation: "Watch the contract for changes, and wait until every power has a delay of at least 2 days"
  },
  "control.executes-decisions": {
    absent: null,
    recommendation: "Check who votes or schedules, and how long a decision waits before it is executed"
  },
  "control.change-planned": {
    absent: "No pending operation of its timelocks concerns the contract",
    recommendation:
      "Read what the pending operation calls, and decide before it can be executed whether to stay exposed"
  },
  "token.mintable": {
    absent: "No account can increase the supply",
    recommendation:
      "Check who can mint and how much, and wait until the power is capped, renounced or behind a timelock of at least 2 days"
  },
  "token.pausable": {
    absent: "No account can pause transfers",
    recommendation: "Check who can pause transfers, and plan for times at which the token cannot be moved"
  },
  "token.blacklistable": {
    absent: "No account can block individual accounts from transferring",
    recommendation: "Check who can block accounts, and plan for the case that yours or a pool is blocked"
  },
  // A list that transfers require and that no account can edit is refuted too.
  "token.whitelist-only": {
    absent: "No account can edit a whitelist that transfers require",
    recommendation: "Check that your account, and each account that you would sell or send to, is on the list"
  },
  "token.tax-changeable": {
    absent: "No account can change the transfer tax",
    recommendation: "Check who can change the tax, and calculate with the highest rate that the code allows"
  },
  "token.limits-changeable": {
    absent: "No account can set transfer limits",
    recommendation: "Check who can set the limits, and plan for transfers and sales that are capped or delayed"
  },
  "token.balances-seizable": {
    absent: "No privileged account can take or reduce balances",
    recommendation: "Check who can take balances, and keep no more of the token than you can lose to that account"
  },
  // Permit2 and permits, which take a signature of the holder, do not count.
  "token.allowance-bypass": {
    absent: "Tokens of another account can be spent only with its allowance or signature",
    recommendation:
      "Check which account needs no allowance, and treat your balance as spendable by it: to revoke approvals does not help"
  },
  "token.powers-survive-renouncing": {
    absent: "No privileged function over holders remains after ownership was renounced",
    recommendation: "Check who can call each of these functions: the renounced ownership does not restrain them"
  },
  "trade.route": {
    absent: "No pool with liquidity was found on the exchanges that we know",
    recommendation: "Check that a trade goes through this pool, and compare its price with that of other markets"
  },
  // A part of the accounts, or a small amount, is enough to refute it.
  "trade.buy-blocked": {
    absent: "Fresh accounts can buy at least a small amount, as simulation or the code shows",
    recommendation: "Take its price as one among chosen accounts, and analyse it again once fresh accounts can buy"
  },
  // Simulated up to a year after the purchase.
  "trade.honeypot": {
    absent: "Fresh accounts can sell what they buy, hours to a year later, as simulation or the code shows",
    recommendation: "Spend nothing on it, and accept it neither as payment nor as collateral"
  },
  "trade.sell-limited": {
    absent: "Fresh accounts can sell their full balance, as simulation or the code shows",
    recommendation: "Check how much can be sold, and when, before you buy: the rest may be stuck"
  },
  "trade.taxed": {
    absent: "No tax beyond rounding on purchases, transfers and sales, as simulation or the code shows",
    recommendation:
      "Add the tax of the purchase and of the sale to the price, and set the slippage of a trade to cover it"
  },
  "trade.holders-blocked": {
    absent: "At most 10 % of sampled holders are stopped from selling or transferring",
    recommendation: "Find out why present holders are stopped before you buy: a later buyer may be in the same position"
  },
  "trade.environment-dependent": {
    absent: "Trades end alike for all accounts and times that were compared, or the code proves that they do",
    recommendation: "Take no single test trade as proof: what works for one account or time can fail for another"
  },
  "liquidity.pools": {
    absent: "No pool was found on the exchanges that we know",
    recommendation: "Check that a trade goes through one of these pools: the factories of the exchanges created them"
  },
  // What is graded low needs a known market value; without one, 10,000 USD refute it.
  "liquidity.thin": {
    absent: "Its known pools have liquidity of at least 10,000 USD",
    recommendation: "Check what the pools pay for your whole amount before you trade or accept the token"
  },
  "liquidity.withdrawn": {
    absent: null,
    recommendation: "Treat the token as one without a market, until a pool has liquidity that insiders cannot withdraw"
  },
  "liquidity.burned": {
    absent: "Less than 95 % of the pair's liquidity is burned",
    recommendation: "Check who can withdraw the liquidity that is not burned, and whether it is locked"
  },
  // Refuted also where 95 % are burned, whatever is locked of the rest.
  "liquidity.locked": {
    absent: "Less than 95 % of the pool's liquidity is locked",
    recommendation: "Check who can withdraw the liquidity that is neither burned nor locked"
  },
  // Of a pool with less than 5 % of all liquidity, its own part alone is judged.
  "liquidity.lock-expiring": {
    absent: "Locks of this pool that have ended or end within 30 days hold less than 20 % of all liquidity",
    recommendation: "Check whether the lock is extended: from its end on, its owner can withdraw the liquidity"
  },
  "liquidity.lock-ends": {
    absent: "Locks of this pool that end hold less than 20 % of all liquidity",
    recommendation: "Note when the lock ends, and check before then whether it is extended"
  },
  "liquidity.held-by-insiders": {
    absent: "Of this pool, insiders or a single account can withdraw less than 20 % of all liquidity",
    recommendation:
      "Check who holds the liquidity, and wait until it is burned, locked or too small a part to move the price"
  },
  "liquidity.fake-pool": {
    absent: "Its known pools are genuine",
    recommendation: "Do not trade in that pool; use one that the factory of a known exchange created"
  },
  "holders.top": {
    absent: null,
    recommendation: "Identify the largest holders: exchanges and bridges hold for many, other accounts for one"
  },
  "holders.concentrated": {
    absent: "No account holds 20 % of the circulating supply, and the ten largest hold less than 70 %",
    recommendation: "Identify the largest holders, and compare what they could sell with the liquidity of the pools"
  },
  "holders.insiders": {
    absent: "Insiders hold less than 5 % of the supply",
    recommendation: "Check whether a lock restrains these accounts, and compare what they could sell with the liquidity"
  },
  "allowance.outstanding": {
    absent: "No approval of the wallet is in force",
    recommendation: "Revoke the approval of each spender that you do not use"
  },
  "allowance.unlimited": {
    absent: "No spender has an unlimited allowance of a token",
    recommendation: "Revoke the allowance, or replace it by one of the amount that you need"
  },
  "allowance.operator": {
    absent: "No operator may move all of an NFT collection or ERC-777 token",
    recommendation:
      "Revoke the operator (setApprovalForAll, or revokeOperator of an ERC-777 token) unless you use it now"
  },
  "allowance.permit2": {
    absent: "No allowance through Permit2 is in force",
    recommendation:
      "Revoke the spender in Permit2 unless you use it now; the token's approval of Permit2 is another one"
  },
  // A published spender counts as harmless by its name, whoever can upgrade it.
  "allowance.spender-risky": {
    absent: "No approval in force is to a spender that was found risky",
    recommendation: "Revoke the approvals of these spenders, those of private keys first"
  },
  "wallet.delegated": {
    absent: "The wallet has no EIP-7702 delegation",
    recommendation: "Clear the delegation (EIP-7702 authorization of the zero address) unless you chose this code"
  },
  "wallet.sanctioned": {
    absent: "The on-chain sanctions oracle does not list the wallet",
    recommendation: "Stop all dealings with the wallet, and bring it to those who decide on compliance"
  },
  // Tokens that can freeze, and held tokens of which a transfer was simulated.
  "wallet.frozen": {
    absent: "No token that was read or tried stops transfers of the wallet",
    recommendation: "Contact the issuer of the token, and count the balance as unavailable until a transfer works"
  },
  // Transfers of the native coin emit no event.
  "wallet.poisoned": {
    absent: "No counterparty of its token transfers looks like another one",
    recommendation: "Copy no address from the history: take it from your own address book, and compare every digit"
  },
  "wallet.open": {
    absent: "Every function of the wallet that pays checks its caller",
    recommendation: "Move the assets to another account at once"
  },
  "wallet.unknown-code": {
    absent: "All code of the wallet is a known published build",
    recommendation: "Review the code of the wallet, or have it reviewed, before you rely on it"
  },
  "wallet.activity": {
    absent: "The wallet sent no transaction and has no ERC-20 or ERC-721 transfer",
    recommendation: "Compare the history with what you know of the owner: any token contract can emit transfers"
  },
  "safe.setup": {
    absent: "Safe did not publish the singleton of this account",
    recommendation: "Check that you know every owner, and that no person holds as many of their keys as the threshold"
  },
  "safe.single-signature": {
    absent: "Transactions of the Safe take several signatures",
    recommendation: "Raise the threshold, so that a single lost or stolen key cannot move the assets"
  },
  "safe.unknown-singleton": {
    absent: "Safe published the singleton of this account",
    recommendation:
      "Move the assets to a Safe of a published version: this code may ignore the signatures of the owners"
  },
  "safe.modules": {
    absent: "No module of the Safe is enabled",
    recommendation: "Disable each module that you do not use, and review the code of the others"
  },
  "safe.guard": {
    absent: "The Safe has no guard, and its fallback handler is a published one or none",
    recommendation:
      "Review the code of the guard or handler: a guard can block every transaction, a handler accepts signatures"
  },
  "safe.weakened": {
    absent: "The setup of the Safe is no weaker than in the last analysis",
    recommendation: "Compare the change with what the owners decided; if they did not, move the assets at once"
  },
  "contract.verified": {
    absent: "No queried registry has source code of the contract",
    recommendation: "Call on the project to publish the source; until then the bytecode alone says what it does"
  },
  "contract.creation-record": {
    absent: "No queried registry has a creation record of the contract",
    recommendation: "Compare the creator with the account that the project names"
  },
  "contract.function-names": {
    absent: "No queried database has a signature of its functions",
    recommendation: "Take the names as hints: several signatures have one selector, and any user can add one"
  },
  "opinion.honeypot": {
    absent: "The other service reports that the token can be sold",
    recommendation:
      "Compare it with the simulated sales of this analysis, and read why the service differs where it does"
  },
  "opinion.powers": {
    absent: "The other service denies every power that it checks",
    recommendation: "Compare them with the powers that this analysis found, and review by hand where the two differ"
  },
  "opinion.flagged": {
    absent: "The other service sets none of its flags on the account",
    recommendation: "Read why the service flags the account before you deal with it"
  }
}
