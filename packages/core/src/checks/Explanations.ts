/**
 * How a check decides its claim, for a reader of the result: what it reads or simulates, where it does not apply, and what
 * makes the claim confirmed, refuted and unknown. A read that fails leaves every claim unknown; that is not repeated here.
 *
 * @since 0.1.0
 * @category models
 */
export interface Explanation {
  readonly how: string
  readonly confirmed: string
  readonly refuted: string
  readonly unknown: string
}

const never = "Never."
const onlyUnread = "Only where a read failed."

// What the checks of powers over holders have in common: see PowerClaim.
const ofPower = (how: string, confirmed: string): Explanation => ({
  how: `${how} It reads the bytecode, follows who can call each function, and simulates calls of it. Where the code has no such function but can be replaced, the claim does not apply: proxy.upgradeable says who can replace it.`,
  confirmed: `${confirmed} It is not known that no account can call the function.`,
  refuted: "All code was analysed and no function does it, or no account can call those that do.",
  unknown: "Not all code could be analysed, or a function may do it and neither code nor simulation shows whether."
})

/**
 * The explanation of each check of this package, by its id.
 *
 * @since 0.1.0
 * @category constructors
 */
export const all: { readonly [id: string]: Explanation } = {
  "address.kind": {
    how: "Reads the code at the address: none, a contract, an EIP-7702 delegation or a precompile.",
    confirmed: "The code was read.",
    refuted: never,
    unknown: onlyUnread
  },
  "endpoint.capable": {
    how: "Probes what the endpoint can do: reads by block hash, overrides of state and block in eth_call, eth_simulateV1 and old state. It is about the endpoint, not the target.",
    confirmed: "Every probe gave the expected result.",
    refuted: "A probe did not.",
    unknown: "A probe had no answer."
  },
  "contract.provenance": {
    how: "Searches the first event of the contract and reads the receipt of its transaction, else the code before that event, which needs an archive endpoint.",
    confirmed: "The block was found, or bounds of it.",
    refuted: never,
    unknown: "The events or the old state that would show it were not read."
  },
  "token.standard": {
    how: "Calls the read-only functions of the token standards (ERC-20, ERC-721, ERC-1155, ERC-4626).",
    confirmed: "The contract answers as a token of one of them.",
    refuted: "It answers as none of them.",
    unknown: onlyUnread
  },
  "token.native": {
    how: "Reads the code of the token and what the factory of TIP-20 tokens says of it, then its getters, its transfer policy and the events of its roles; each role member is confirmed by the token itself. It does not apply to a token with code of its own.",
    confirmed: "The chain itself implements the token; what its getters say is in the value.",
    refuted: never,
    unknown:
      "A read failed, or the token has the address and the code of a TIP-20 token and the factory does not know it."
  },
  "token.metadata-readable": {
    how: "Calls the getters of name, symbol, decimals and total supply. It does not apply to a contract that is no token.",
    confirmed: "Each of them returns a value.",
    refuted: "One does not.",
    unknown: onlyUnread
  },
  "token.metadata-anomalous": {
    how: "Looks for empty or long names, hidden characters, look-alike letters, links and lures in name and symbol, and for decimals or a supply out of the usual range.",
    confirmed: "One of these was found.",
    refuted: "Name, symbol, decimals and total supply look normal.",
    unknown: onlyUnread
  },
  "token.impersonates": {
    how: "Compares name and symbol with the token list of the chain; look-alike letters count as equal. It does not apply to a chain without a list.",
    confirmed:
      "A listed token has the same name or symbol, and another address. With both it is critical: the token pretends to be the listed one.",
    refuted: "No listed token has a similar name or symbol, or the token is the listed one.",
    unknown: onlyUnread
  },
  "token.listed": {
    how: "Looks up the address in the token list of the chain, which this package contains. It does not apply to a chain without a list.",
    confirmed: "The list has the address.",
    refuted: "The list does not have it. An unlisted token is not worse for it.",
    unknown: onlyUnread
  },
  "contract.selfdestruct-reachable": {
    how: "Follows the jumps of the bytecode, of its implementations and of linked libraries, to SELFDESTRUCT.",
    confirmed: "A reachable block has the opcode. The severity is medium where the chain has EIP-6780, else high.",
    refuted: "All code that runs was found, and no reachable block has the opcode.",
    unknown:
      "Not all code was found, the opcode is there without a path to it, or an account is left that may have other code run by DELEGATECALL."
  },
  "contract.code-replaced": {
    how: "Compares the hash of the bytecode with that of the previous analysis. It does not apply without one.",
    confirmed: "The hash is another one.",
    refuted: "The hash is the same.",
    unknown: "The previous analysis did not read the code."
  },
  "contract.delegatecall-mutable": {
    how: "Looks for a DELEGATECALL to an address that is an argument, or a variable that a function can still set, and follows who can call those functions. It does not apply to a Safe; proxy checks cover the delegation of a proxy.",
    confirmed: "There is one, and an account is left that can choose its target.",
    refuted: "Every path was followed, and each target is fixed or no account can choose it.",
    unknown: "Not all paths or holders could be followed."
  },
  "token.external-call-in-transfer": {
    how: "Follows every path of transfer and transferFrom to calls of other contracts. Precompiles do not count.",
    confirmed: "A path calls another contract. The severity is what that contract, or one in its place, could do.",
    refuted: "No path does.",
    unknown: "Not all paths could be analysed."
  },
  "contract.compiler": {
    how: "Decodes the metadata at the end of the code that runs. Any deployer can append it, so it is no proof.",
    confirmed: "All of that code has compiler metadata.",
    refuted: "A part of it has none.",
    unknown: "The implementation code was not found."
  },
  "contract.functions": {
    how: "Lists the selectors that the dispatcher compares. Arguments and mutability are inferred.",
    confirmed: "The bytecode has external functions.",
    refuted: "The bytecode compares the calldata with no selector.",
    unknown: "The dispatcher could not be read, or the implementation code was not found."
  },
  "contract.known-good-code": {
    how: "Compares all code of the contract and its implementations with published builds of OpenZeppelin, Safe, Uniswap, Circle and WETH. Who controls it is another question.",
    confirmed: "All of it is such a build.",
    refuted: "A part of it is none.",
    unknown: "Not all of the implementation code was found."
  },
  "proxy.kind": {
    how: "Looks for delegation by the code and the slots of the known proxy patterns.",
    confirmed: "It is a proxy of a known pattern.",
    refuted: "No call is delegated to other code.",
    unknown: "Calls are delegated, by no known pattern."
  },
  "proxy.admin": {
    how: "Finds the account that authorises upgrades and follows who controls it. It does not apply to fixed code, to a proxy that anyone can upgrade, nor to a Safe.",
    confirmed: "The controller is known.",
    refuted: never,
    unknown: "The account or its controller was not determined."
  },
  "proxy.upgradeable": {
    how: "Finds the upgrade path and the accounts that can use it, and simulates an upgrade by an account without any role. It does not apply to a Safe.",
    confirmed: "An account can upgrade, or it is not known that none can.",
    refuted: "The code has no upgrade path, or its authority is a dead address.",
    unknown: "The account that decides the implementation was not determined."
  },
  "proxy.upgradeable-now": {
    how: "Follows the upgraders to their delays, and simulates their upgrade. It does not apply to code without an upgrade path, nor to a Safe.",
    confirmed:
      "A key or a Safe can upgrade in less than 2 days, or a pending upgrade of a timelock can be executed sooner.",
    refuted: "A timelock enforces at least 2 days, or no account can upgrade.",
    unknown: "The upgrader or its delay was not determined, such as a vote or a contract of unknown kind."
  },
  "proxy.implementation-uninitialised": {
    how: "Calls each known initialiser of the implementation from an account without any role, and reads the version that OpenZeppelin's Initializable stores. It does not apply to a Safe, a diamond or a contract that is no proxy, nor where the code has no known initialiser and can neither delegate nor self-destruct.",
    confirmed: "Such a call succeeds in simulation.",
    refuted: "The stored version is above 0, or an initialiser reverts as already initialised.",
    unknown: "The implementation was not found, it has no known initialiser, or one reverts for an unknown reason."
  },
  "proxy.implementation-missing": {
    how: "Reads the code at each implementation of a proxy. It does not apply to a contract that is no proxy of a known pattern.",
    confirmed: "One has no code: calls of it succeed and do nothing.",
    refuted: "Each has code.",
    unknown: "The address was not found, or there is no code and calls return data."
  },
  "proxy.upgraded-recently": {
    how: "Searches upgrade and admin events of the last 30 days, and where the code need not emit them compares the variable with its value 30 days ago. It does not apply to fixed code.",
    confirmed: "There is such an event after the creation of the proxy, or the variable had another value.",
    refuted: "There is none, and the code that replaces the implementation emits one or nothing replaces it.",
    unknown: "Not all blocks were searched, or the code may change without an event and old state was not read."
  },
  "control.owner": {
    how: "Calls the owner getters. A contract without an owner can still be controlled.",
    confirmed: "One returns an account.",
    refuted: "None returns an address.",
    unknown: onlyUnread
  },
  "control.controllers": {
    how: "Collects the accounts with a power: owner, admin, upgrader, role members and required callers.",
    confirmed: "An account that can act has a power.",
    refuted: "None has a known power, and everything that could name one was read.",
    unknown: "A power or its holder was not determined."
  },
  "control.renounced": {
    how: "Reads the owner getter, and the variable behind it. It does not apply without an owner getter.",
    confirmed: "Both hold a dead address. Powers of other accounts are another question.",
    refuted: "The owner can act, the variable holds another account, or the contract is its own owner.",
    unknown: "Another contract decides the owner, or the getter may return something else later."
  },
  "control.reclaimable": {
    how: "Follows every write to the owner variable to the accounts that can make it. It does not apply without an owner.",
    confirmed: "An account other than the owner can make itself the owner.",
    refuted: "Only the owner can change the owner.",
    unknown: "Not every write could be followed."
  },
  "control.hidden": {
    how: "Looks for accounts with a power over a contract with renounced ownership. It does not apply to another one.",
    confirmed: "An account that can act has a power: by an address in the code, a role or an upgrade.",
    refuted: "None has.",
    unknown: "A power or its holder was not determined."
  },
  "control.roles": {
    how: "Reads the members of the roles of OpenZeppelin's AccessControl.",
    confirmed: "A role has a member.",
    refuted: "No role has a member, and the code reads no mapping for its caller.",
    unknown: "The members were not all read, or a mapping that is read for the caller may be a role scheme of its own."
  },
  "control.single-key": {
    how: "Follows each power to the account that decides in the end: a key, a Safe, a timelock, a vote.",
    confirmed: "One private key alone can use a power.",
    refuted: "No known power can be used by one key alone.",
    unknown: "A power, or who decides behind an account, was not determined."
  },
  "control.timelocked": {
    how: "Reads the delay of every account with a power, and the pending operations of timelocks.",
    confirmed: "Every power has a delay of at least 2 days.",
    refuted: "An account can use a power sooner, or a pending operation is due sooner.",
    unknown: "A power, its holder or its delay was not determined."
  },
  "control.executes-decisions": {
    how: "Looks for a governor or a timelock in the code, and follows who makes it act. It does not apply to other contracts.",
    confirmed: "It is one: low with a vote or a delay of 2 days, medium otherwise.",
    refuted: never,
    unknown: onlyUnread
  },
  "control.change-planned": {
    how: "Reads the pending operations of the timelocks and AccessManagers over the contract. It does not apply where no power has a delay.",
    confirmed: "One uses a power over the contract, or shortens a delay.",
    refuted: "None concerns the contract.",
    unknown: "A timelock was not read, or the calls of an operation are not public."
  },
  "token.mintable": {
    how: "Looks for functions that create tokens. It reads the bytecode, follows who can call each function, and simulates calls of it.",
    confirmed:
      "A function that checks its caller increases the supply or a balance, or a simulated call of it did. It is not known that no account can call it.",
    refuted: "No function mints, all code was analysed and cannot be replaced; or no account can call those that do.",
    unknown:
      "Not all code could be analysed, the code can be replaced, or any account can call such a function, as the deposit of a wrapped token."
  },
  "token.pausable": ofPower(
    "Looks for functions that stop transfers or decide when they start.",
    "A function that checks its caller sets what every transfer requires, or a simulated call of it stopped or enabled a transfer."
  ),
  "token.blacklistable": ofPower(
    "Looks for lists that block an account, and for who writes them.",
    "A function that checks its caller adds accounts to a list that transfers look up, or a simulated call of it blocked an account."
  ),
  "token.whitelist-only": ofPower(
    "Looks for lists that a transfer requires, and for who writes them.",
    "Transfers require an entry that a function that checks its caller writes, or in simulation an account could transfer only after a call of it."
  ),
  "token.tax-changeable": ofPower(
    "Looks for numbers that transfers compute with, and for who sets them; it measures the tax after each such call.",
    "A function that checks its caller sets such a number, or changed the tax in simulation."
  ),
  "token.limits-changeable": ofPower(
    "Looks for numbers that transfers compare with an amount, a balance or a time, and for who sets them.",
    "A function that checks its caller sets such a number, or a simulated call of it stopped a transfer."
  ),
  "token.balances-seizable": ofPower(
    "Looks for functions that take or reduce the balance of another account; pools count as accounts.",
    "A function that checks its caller takes tokens without an allowance, withdraws deposits or reduces balances, or after a simulated call of it a holder or the pool had less."
  ),
  "token.allowance-bypass": ofPower(
    "Looks for transfers without an allowance of the holder; a permit that the holder signs is one.",
    "The code skips the allowance for an account or grants it one, or a simulated call moved the tokens of a holder."
  ),
  "token.powers-survive-renouncing": {
    how: "Looks for the powers above in a token with renounced ownership. It does not apply to another token.",
    confirmed: "An account still has one of them.",
    refuted: "None remains, all code was analysed, and it cannot be replaced.",
    unknown: "A power could not be decided, or the code can be replaced."
  },
  "trade.route": {
    how: "Searches all exchanges and quote tokens of the address book of the chain for pools. It is unknown where the address book has no exchange.",
    confirmed: "A pool has reserves on both sides, and a Uniswap V3 pool liquidity at its price.",
    refuted: "No such pool was found.",
    unknown: "A vault of pools that are not read, such as that of Uniswap V4, holds the token."
  },
  "trade.buy-blocked": {
    how: "Simulates purchases of the token in its pool by fresh accounts (eth_simulateV1), beside those of a control token.",
    confirmed: "No fresh account could buy a usual amount, and the control token traded.",
    refuted: "A fresh account bought, or the code proves that no rule of the token stops a transfer.",
    unknown:
      "There is no block simulation, no control token or no pool with reserves, or the result could not be measured."
  },
  "trade.honeypot": {
    how: "Simulates blocks (eth_simulateV1) in which fresh accounts, with two amounts, buy the token in its pool and sell it hours, a day, 30 days and a year later, and around moments of that year at which the code may decide otherwise, beside a control token. Simulated contracts (eth_call) and sales of holders are tried too. Without a pool, trades run in a simulated pool.",
    confirmed:
      "Fresh accounts bought, and none could sell at one of these times while the control token traded; or 2 of 2 contracts and at least three quarters of 4 or more holders could not sell, now and 30 days later.",
    refuted:
      "Every fresh account bought and sold, at all of these times, and nothing seen contradicts it; or the code proves that no rule of the token stops a transfer.",
    unknown:
      "There is no block simulation, no control token, no pool with enough liquidity, only some accounts could sell, accounts could sell where contracts and holders could not, trades may change at a moment that was not simulated, no exchange is known, or pools that were not read hold more than those that were. Trades in a simulated pool alone never refute it."
  },
  "trade.sell-limited": {
    how: "Simulates sales by fresh accounts, of the full balance and else of 99 %, 50 % and 1 %, and sales of a part a day, 30 days and a year later, beside a control token.",
    confirmed: "A sale of the full balance or a later sale failed, while the control token traded.",
    refuted:
      "Every account that bought sold its full balance, every later sale worked, and nothing seen contradicts it; or the code proves that no amount is refused.",
    unknown:
      "There is no block simulation, no control token or no pool with enough liquidity, no purchase worked, or sales may stop later."
  },
  "trade.taxed": {
    how: "Simulates purchase, transfer and sale, and compares the balances and the amounts that the pool reports, up to a year after the purchase.",
    confirmed: "A leg loses more than 1 basis point. The highest loss sets the severity.",
    refuted:
      "All three legs were measured and lose no more, or the code proves that a transfer moves exactly the amount.",
    unknown: "Not all legs completed, or the pool has too little liquidity to measure a tax."
  },
  "trade.holders-blocked": {
    how: "Simulates a sale of a small part of their balance by sampled holders that have a key and no code, or a transfer where there is no pool: now, in 30 days and in a year.",
    confirmed: "More than 10 % of them are blocked at one of these times.",
    refuted:
      "At most 10 % are at each time, of at least three holders or of all; or the code proves that no rule of the token stops a transfer.",
    unknown: "Too few holders were found, there is no block simulation, or the pools are empty."
  },
  "trade.environment-dependent": {
    how: "Compares simulated trades: by accounts and contracts, at once and up to a year later, with and without fees, from different senders.",
    confirmed:
      "They end differently. High where the difference lets simulations succeed or stops buyers later, low for rules against bots.",
    refuted: "All were compared and end alike, and the code of a transfer depends on nothing that trades cannot show.",
    unknown: "An environment could not be simulated, or the code depends on something that trades cannot show."
  },
  "liquidity.pools": {
    how: "Computes the pool addresses of the exchanges in the address book of the chain, which leaves out fake pools, and reads their reserves.",
    confirmed: "The token has pools there.",
    refuted: "It has none.",
    unknown: "A vault of pools that are not read, such as that of Uniswap V4, holds the token, and no pool does."
  },
  "liquidity.thin": {
    how: "Adds up what the pools pay on the quote side, in US dollars by the pool prices of the native coin. It does not apply where the address book has no dollar token.",
    confirmed: "High below 100 USD, medium below 10,000 USD, low below 100,000 USD and 1 % of the value of the supply.",
    refuted: "There is more.",
    unknown: "Positions, prices or vaults that were not read could decide it."
  },
  "liquidity.withdrawn": {
    how: "Reads who got and redeemed the LP tokens of an emptied Uniswap V2 pair. It does not apply while another pool has liquidity.",
    confirmed: "Insiders got or redeemed at least half of them.",
    refuted: never,
    unknown: "Others did, who may act for insiders, or events are missing."
  },
  "liquidity.burned": {
    how: "Reads the LP tokens of a Uniswap V2 pair at burn addresses.",
    confirmed: "At least 95 % are there.",
    refuted: "Less is.",
    unknown: "The supply or the burned balance of the LP token was not read."
  },
  "liquidity.locked": {
    how: "Reads the lock records of known lockers, from the lockers themselves.",
    confirmed: "At least 95 % of the liquidity that is not burned is in locks that end in the future.",
    refuted: "Less is.",
    unknown: "A larger part may be locked: a locker has no record, or a holder has unpublished code."
  },
  "liquidity.lock-expiring": {
    how: "Reads when the locks of the liquidity end. It does not apply to a pool without locks.",
    confirmed: "Locks that have ended, or end within 30 days, hold 20 % (medium) or 50 % (high) of all liquidity.",
    refuted: "They hold less.",
    unknown: "A part may be in a lock that could not be read."
  },
  "liquidity.lock-ends": {
    how: "Reads when the locks in force end. It does not apply to a pool without locks.",
    confirmed: "Locks that end, however late, hold 20 % or more of all liquidity.",
    refuted: "They hold less, or never end.",
    unknown: "A part may be in a lock that could not be read."
  },
  "liquidity.held-by-insiders": {
    how: "Finds the holders of the liquidity that is neither burned nor locked, and who controls them.",
    confirmed:
      "Insiders together, or one account with a key, can withdraw 20 % (medium) or 50 % (high) of all liquidity.",
    refuted: "They can withdraw less.",
    unknown: "The holders of another part were not determined, or the pool has no liquidity."
  },
  "liquidity.fake-pool": {
    how: "Compares the pair that the token names with the one that its factory created. It does not apply to a token that names no pair and has no pool.",
    confirmed: "The factory created another one, or none.",
    refuted: "Each pool was created by its factory.",
    unknown: "The factory is not a known exchange, or the address is no pool."
  },
  "holders.top": {
    how: "Adds up the transfer events that could be read and reads the balances of the largest holders.",
    confirmed: "Holders were found; the value says whether the list is complete.",
    refuted: never,
    unknown: "No holders were found, or an account that the token names could not be read."
  },
  "holders.concentrated": {
    how: "Adds up the shares of the largest holders in the circulating supply, without pools, locks and burned tokens. It does not apply to tokens of the token list.",
    confirmed: "One has 20 % or ten have 70 % (medium), or 50 % or 90 % (high).",
    refuted: "They have less.",
    unknown: "Holders that were not found could decide it."
  },
  "holders.insiders": {
    how: "Reads the balances of the owner, other controllers and the receivers of minted tokens.",
    confirmed: "They have 5 % (low), 10 % (medium) or 20 % (high) of the supply.",
    refuted: "They have less.",
    unknown: "Not all of them could be found or read."
  },
  "allowance.outstanding": {
    how: "Searches the approval events of the wallet and reads each allowance at the block.",
    confirmed: "An approval is in force.",
    refuted: "None is, and every approval of the wallet's tokens is seen in an event.",
    unknown: "Blocks were not searched, an allowance was not read, or a token may approve without an event."
  },
  "allowance.unlimited": {
    how: "Searches the approval events of the wallet and reads each allowance at the block.",
    confirmed: "A spender may take all of a token. High where the spender is a private key.",
    refuted: "No such approval is in force, and everything was read.",
    unknown: "Blocks were not searched, an allowance was not read, or a token may approve without an event."
  },
  "allowance.operator": {
    how: "Searches the operator events of the wallet's collections and ERC-777 tokens and reads each approval at the block.",
    confirmed: "An operator may move all of one. High where the operator is a private key.",
    refuted: "No such approval is in force, and everything was read.",
    unknown: "Blocks were not searched, an approval was not read, or a token may approve without an event."
  },
  "allowance.permit2": {
    how: "Searches the events of Permit2 for the wallet and reads each allowance at the block. It does not apply to a chain without Permit2.",
    confirmed: "A spender may take a token through it. Low where Permit2 itself may not.",
    refuted: "No such allowance is in force.",
    unknown: "Blocks were not searched, or an allowance was not read."
  },
  "allowance.spender-risky": {
    how: "Reads the code of each spender, who can upgrade it, and whose tokens it moves.",
    confirmed:
      "A spender is a key, has no code, is reported as malicious, can be upgraded, or lets an account take the tokens of others.",
    refuted: "No spender of an approval in force is.",
    unknown:
      "Its upgrade authority or the source of the tokens that it moves was not determined, or an approval may be missing."
  },
  "wallet.delegated": {
    how: "Reads the EIP-7702 delegation of the account and judges the code of the delegate.",
    confirmed:
      "There is a delegation. Critical where others can spend by it, low where a wallet vendor published it, else medium.",
    refuted: "There is none.",
    unknown:
      "No known vendor published the code, and it was not found who can make the wallet pay by it, or anybody may become such an account."
  },
  "wallet.sanctioned": {
    how: "Asks the sanctions oracle on the chain. It does not apply to a chain without one.",
    confirmed: "It lists the wallet.",
    refuted: "It does not. Other lists, and entries that are not on the chain yet, are not covered.",
    unknown: "The oracle gives wrong answers, or none, for known accounts."
  },
  "wallet.frozen": {
    how: "Reads from well-known tokens whether they have frozen the wallet, and simulates one transfer of a small part of each held token that is listed or that the wallet acquired in a transaction of its own, at most 20. It does not apply where there is neither.",
    confirmed:
      "A token has frozen the wallet or refuses its transfer. Severity: high where the token accepts the transfer of another holder; otherwise medium.",
    refuted: "No token has, and each held token can be transferred.",
    unknown:
      "The status in a token was not read, transfers could not be tried, or there are held tokens that were not tried."
  },
  "wallet.poisoned": {
    how: "Compares the counterparties in the token transfers of the wallet: look-alikes have the same first and last three digits.",
    confirmed: "A look-alike of a counterparty sent nothing, dust or a counterfeit token.",
    refuted: "No counterparty looks like another one. Transfers of the native coin emit no event and are not covered.",
    unknown: "The logs of some blocks were not searched."
  },
  "wallet.open": {
    how: "Follows the code of a contract wallet to payments that any caller can choose, simulates them, and tries an invalid ERC-1271 signature. It does not apply to an account with a key, nor to a Safe.",
    confirmed: "Any caller can make it pay, or it accepts the signature.",
    refuted: "Every function that pays checks its caller.",
    unknown: "Not all paths of the code could be followed."
  },
  "wallet.unknown-code": {
    how: "Compares all code of a contract wallet with published builds. It does not apply to an account with a key, nor to a Safe.",
    confirmed: "A part of it is none. It is low: who can make the wallet pay is another claim.",
    refuted: "All of it is such a build.",
    unknown: "Not all of the implementation code was found."
  },
  "wallet.activity": {
    how: "Reads the nonce, and searches ERC-20 and ERC-721 transfers from or to the wallet.",
    confirmed: "It sent a transaction, or there are transfers. Anyone can deploy a token that emits them.",
    refuted: "The nonce is 0, and no block has a transfer.",
    unknown: "The nonce is 0, and some blocks were not searched."
  },
  "safe.setup": {
    how: "Reads owners, threshold and singleton of a Safe. It does not apply to another account.",
    confirmed: "Safe published the singleton.",
    refuted: "Safe did not publish it.",
    unknown: onlyUnread
  },
  "safe.single-signature": {
    how: "Reads threshold and owners of a Safe. One key may be behind several owners. It does not apply to another account, nor to a singleton that Safe did not publish.",
    confirmed: "The threshold is 1: medium with several owners, low with one.",
    refuted: "It is 2 or more.",
    unknown: onlyUnread
  },
  "safe.unknown-singleton": {
    how: "Compares address and code of the singleton with what Safe published. It does not apply to another account.",
    confirmed: "Safe published neither.",
    refuted: "Safe published it.",
    unknown: onlyUnread
  },
  "safe.modules": {
    how: "Reads the list of modules and searches their events. It does not apply to another account.",
    confirmed: "A module is enabled.",
    refuted: "None is.",
    unknown:
      "The list was not read, some blocks were not searched, or the setup may have enabled a module outside the list."
  },
  "safe.guard": {
    how: "Reads the guards and the fallback handler of a Safe. It does not apply to another account.",
    confirmed: "There is a guard, or a handler that Safe did not publish.",
    refuted: "There is neither.",
    unknown: onlyUnread
  },
  "safe.weakened": {
    how: "Compares the setup of a Safe with that of the previous analysis. It does not apply without one.",
    confirmed: "The threshold is lower, or there are new owners, modules or code.",
    refuted: "It is not weaker.",
    unknown:
      "The previous analysis did not read the setup, the module list was not read, or the account does not answer as a Safe now."
  },
  "contract.verified": {
    how: "Asks the configured registries for source code of the contract, not of its implementation. It does not apply where none covers the chain.",
    confirmed: "A registry has source code that compiles to the code.",
    refuted: "All answered, and none has.",
    unknown: "None has and one did not answer, or the registry verified other code."
  },
  "contract.creation-record": {
    how: "Asks the configured registries who created the contract, and reads the receipt of that transaction. It does not apply where none covers the chain.",
    confirmed: "A registry has a record, and no receipt contradicts it.",
    refuted: "All answered, and none has a record.",
    unknown: "None has a record and one did not answer, or receipts contradict every record."
  },
  "contract.function-names": {
    how: "Asks the configured databases for signatures of the selectors. Several signatures have one selector, and anyone can add one.",
    confirmed: "At least one selector has a signature.",
    refuted: "All answered, and none has.",
    unknown: "None has, and a database did not answer."
  },
  "opinion.honeypot": {
    how: "Repeats what another service says; this engine's own result is trade.honeypot. It does not apply where the service does not cover the chain.",
    confirmed: "The service reports that the token cannot be sold.",
    refuted: "It reports that it can.",
    unknown: "It has no answer, or did not respond."
  },
  "opinion.powers": {
    how: "Repeats which powers another service reports. They take no points. It does not apply where the service does not cover the chain.",
    confirmed: "It reports at least one.",
    refuted: "It denies every one.",
    unknown: "It reports none and has no answer for some, or did not respond."
  },
  "opinion.flagged": {
    how: "Repeats whether another service flags the account. It does not apply where the service does not cover the chain.",
    confirmed: "A flag is set.",
    refuted: "It answers no to every flag.",
    unknown: "No flag is set and some have no answer, or it did not respond."
  }
}
