import { pooled, type Truth, type TruthScene, unpooled } from "./TruthScene.js"

const untaxed = pooled.filter(
  (name) => name !== "deflating" && name !== "honeypot" && name !== "silentHoneypot" && name !== "sellTax90"
)

/** Tokens without a pool with code that lets everybody transfer. */
const plainUnpooled = unpooled.filter((name) => name !== "uninitialised")

/** How the tokens are traded and who has them. */
export const of = ({ say, targets }: TruthScene): ReadonlyArray<Truth> => {
  const tradeable = pooled.filter((name) => name !== "honeypot" && name !== "silentHoneypot")
  return [
    ...say(pooled, "trade.route", "confirmed", "it has a Uniswap V2 pair with WETH"),
    ...say(unpooled, "trade.route", "refuted", "no exchange has a pool of it"),
    ...say(pooled, "trade.buy-blocked", "refuted", "anybody can buy"),
    ...say("honeypot", "trade.honeypot", "confirmed", "a transfer into the pair reverts"),
    ...say("silentHoneypot", "trade.honeypot", "confirmed", "a transfer into the pair moves nothing"),
    ...say(
      pooled.filter((name) => name !== "honeypot" && name !== "silentHoneypot"),
      "trade.honeypot",
      "refuted",
      "anybody can sell what he bought, at the latest one block later"
    ),
    ...say("uninitialised", "trade.honeypot", "unknown", "without a pool there is no sale to try"),
    ...say(plainUnpooled, "trade.honeypot", "refuted", "no rule of its code stops a transfer"),
    ...say("deflating", "trade.taxed", "confirmed", "it burns 1 % of every transfer", {
      buy_tax_bps: 100,
      sell_tax_bps: 100,
      transfer_tax_bps: 100
    }),
    ...say("sellTax90", "trade.taxed", "confirmed", "it takes 90 % of what reaches the pair", {
      buy_tax_bps: 0,
      sell_tax_bps: 9_000,
      transfer_tax_bps: 0
    }),
    ...say(untaxed, "trade.taxed", "refuted", "what is sent arrives", {
      buy_tax_bps: 0,
      sell_tax_bps: 0,
      transfer_tax_bps: 0
    }),
    ...say("uninitialised", "trade.taxed", "unknown", "without a pool there is no trade to measure"),
    ...say(plainUnpooled, "trade.taxed", "refuted", "what is sent arrives"),
    ...say(unpooled, "liquidity.thin", "confirmed", "there is nowhere to sell it"),
    ...say(pooled, "liquidity.pools", "confirmed", "it has a Uniswap V2 pair with WETH"),
    ...pooled.flatMap((name) => {
      const evidence = `liquidity.burned:${targets[name].pair}`
      return name === "plain"
        ? say(name, evidence, "confirmed", "all shares of the pair are at 0x…dEaD and 0x0")
        : say(name, evidence, "refuted", "an account with a key holds the shares of the pair")
    }),
    ...say(
      pooled.filter((name) => name !== "usdc"),
      "holders.insiders",
      "refuted",
      "neither its deployer nor its owner holds more than 1 %, the tax taken aside"
    ),
    ...say(["fakeUsdc", "hostileName"], "holders.insiders", "confirmed", "its deployer holds all of it"),
    ...say("uninitialised", "holders.insiders", "confirmed", "its owner holds all of it"),
    ...say(unpooled, "liquidity.pools", "refuted", "no exchange has a pool of it"),
    ...say(tradeable, "trade.sell-limited", "refuted", "anybody can sell all of it at once"),
    ...say(
      tradeable.filter((name) => name !== "usdc"),
      "trade.holders-blocked",
      "refuted",
      "every holder can sell"
    ),
    ...say("usdc", "trade.holders-blocked", "refuted", "the account that Circle froze is one of many"),
    ...say(["honeypot", "silentHoneypot"], "trade.holders-blocked", "confirmed", "no holder but the owner can sell"),
    ...say(
      tradeable.filter((name) => name !== "cooldown"),
      "trade.environment-dependent",
      "refuted",
      "a transfer asks neither for the block nor for what the sender is"
    ),
    ...say("cooldown", "trade.environment-dependent", "confirmed", "in the block of a purchase nothing can be sold"),
    ...say(["honeypot", "silentHoneypot"], "trade.sell-limited", "confirmed", "nothing can be sold"),
    ...["trade.buy-blocked", "trade.sell-limited", "trade.environment-dependent"].flatMap((evidence) =>
      say("uninitialised", evidence, "unknown", "without a pool there is no trade to try").concat(
        say(plainUnpooled, evidence, "refuted", "no rule of its code stops a transfer")
      )
    ),
    ...say(pooled, "liquidity.fake-pool", "refuted", "its pool is where its factory makes it"),
    ...say(pooled, "liquidity.thin", "refuted", "at least 100 ether on the one side"),
    ...pooled.flatMap((name) => [
      ...say(name, `liquidity.locked:${targets[name].pair}`, "refuted", "no locker has a share of the pair"),
      ...["lock-expiring", "lock-ends"].flatMap((claim) =>
        say(name, `liquidity.${claim}:${targets[name].pair}`, "absent", "no locker has a share of the pair")
      ),
      ...say(
        name,
        `liquidity.held-by-insiders:${targets[name].pair}`,
        name === "plain" || name === "usdc" ? "refuted" : "confirmed",
        name === "plain"
          ? "nobody can use the shares of the pair"
          : name === "usdc"
            ? "six accounts have a sixth of the shares each"
            : "an account with a key holds them"
      )
    ]),
    ...say([...pooled, ...unpooled], "holders.top", "confirmed", "their balances can be read"),
    ...say(
      pooled.filter((name) => name !== "usdc"),
      "holders.concentrated",
      "refuted",
      "no holder has more than 8 %, the pool aside"
    ),
    ...say("usdc", "holders.concentrated", "absent", "the large holders of a listed token are custodians"),
    ...say(unpooled, "holders.concentrated", "confirmed", "one account holds all of it")
  ]
}
