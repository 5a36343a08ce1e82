/** @internal */

import type { TokenPower } from "../../domain/facts/CounterfactualSet.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"

/**
 * A function that tokens use for a power under this name. A name says nothing of what a function does: it is only a
 * reason to try a function with code that could not be followed.
 */
export interface KnownLever {
  readonly power: TokenPower
  readonly selector: Hex
  readonly types: ReadonlyArray<string>
}

// Names as OpenZeppelin, Circle, Tether and the usual templates of traded tokens have them.
const signatures: { readonly [power in TokenPower]?: ReadonlyArray<string> } = {
  mint: ["mint(address,uint256)", "mint(uint256)", "issue(uint256)", "mintTo(address,uint256)"],
  pause: [
    "pause()",
    "setPaused(bool)",
    "setTradingEnabled(bool)",
    "setTradingActive(bool)",
    "setTrading(bool)",
    "disableTrading()",
    "enableTrading()",
    "openTrading()"
  ],
  blacklist: [
    "blacklist(address)",
    "blacklist(address,bool)",
    "addBlackList(address)",
    "addToBlacklist(address)",
    "addBlacklist(address)",
    "setBlacklist(address,bool)",
    "setBlacklisted(address,bool)",
    "blacklistAddress(address,bool)",
    "blockAccount(address)",
    "freeze(address)",
    "freezeAccount(address)",
    "freezeAccount(address,bool)",
    "setBot(address,bool)",
    "setBots(address[],bool)",
    "addBots(address[])"
  ],
  whitelist: ["setWhitelist(address,bool)", "addToWhitelist(address)", "whitelist(address,bool)"],
  tax: [
    "setTax(uint256)",
    "setFee(uint256)",
    "setTaxFeePercent(uint256)",
    "setBuyTax(uint256)",
    "setSellTax(uint256)",
    "setTaxes(uint256,uint256)",
    "setFees(uint256,uint256)",
    "updateFees(uint256,uint256,uint256)",
    "updateBuyFees(uint256,uint256,uint256)",
    "updateSellFees(uint256,uint256,uint256)"
  ],
  limit: [
    "setMaxTxAmount(uint256)",
    "setMaxTxPercent(uint256)",
    "updateMaxTxnAmount(uint256)",
    "setMaxWalletSize(uint256)",
    "updateMaxWalletAmount(uint256)"
  ],
  seize: ["destroyBlackFunds(address)", "forceTransfer(address,address,uint256)", "wipeFrozenAddress(address)"]
}

/** The names that are known of each power. */
export const all: ReadonlyArray<KnownLever> = (
  Object.entries(signatures) as ReadonlyArray<[TokenPower, ReadonlyArray<string>]>
).flatMap(([power, names]) =>
  names.map((name) => ({
    power,
    selector: Selectors.selector(name),
    types: name
      .slice(name.indexOf("(") + 1, -1)
      .split(",")
      .filter((type) => type !== "")
  }))
)
