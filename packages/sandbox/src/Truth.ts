import type { Accounts } from "./Account.js"
import { addresses } from "./Infrastructure.js"
import type { Kind, Name, World } from "./Targets.js"
import { timelockDelay } from "./Targets.js"

/**
 * What is true of a target, as the engine's evidence would say it. The state is about the world, not about what can be
 * found out: an engine that answers `unknown` where the truth is `confirmed` or `refuted` has a gap, not an error.
 */
export interface Truth {
  readonly target: Name
  readonly kind: Kind
  /** The id of the evidence, with its subject where the claim is about one of many. */
  readonly evidence: string
  /**
   * `unknown` where no honest analysis could decide, by the rules for these states; `absent` where the claim makes no
   * sense for the target, so that there is no such item at all.
   */
  readonly state: "confirmed" | "refuted" | "unknown" | "absent"
  /** What the value of the evidence contains at least; an address is checksummed. */
  readonly value: Readonly<Record<string, unknown>> | undefined
  readonly because: string
}

/** The token targets with a pool to trade in. */
const pooled = [
  "plain",
  "safeOwned",
  "timelockOwned",
  "uups",
  "transparent",
  "beacon",
  "clone",
  "usdc",
  "deflating",
  "honeypot",
  "silentHoneypot",
  "sellTax90",
  "taxable",
  "pausable",
  "hiddenMinter",
  "mintable",
  "blacklist",
  "cooldown"
] as const satisfies ReadonlyArray<Name>

const unpooled = ["uninitialised", "fakeUsdc", "hostileName"] as const satisfies ReadonlyArray<Name>

/** ERC-20 targets whose code no one can change. */
const immutable = [
  "plain",
  "safeOwned",
  "timelockOwned",
  "deflating",
  "honeypot",
  "silentHoneypot",
  "sellTax90",
  "taxable",
  "pausable",
  "hiddenMinter",
  "mintable",
  "blacklist",
  "cooldown",
  "fakeUsdc",
  "hostileName"
] as const satisfies ReadonlyArray<Name>

const upgradeable = ["uups", "transparent", "beacon", "uninitialised"] as const satisfies ReadonlyArray<Name>

const untaxed = pooled.filter(
  (name) => name !== "deflating" && name !== "honeypot" && name !== "silentHoneypot" && name !== "sellTax90"
)

/** The truth of everything that `Targets.write` put on the chain. */
export const make = ({ targets, parts }: World, accounts: Accounts): ReadonlyArray<Truth> => {
  const say = (
    names: Name | ReadonlyArray<Name>,
    evidence: string,
    state: Truth["state"],
    because: string,
    value?: Truth["value"]
  ): ReadonlyArray<Truth> =>
    (typeof names === "string" ? [names] : names).map((name) => ({
      target: name,
      kind: targets[name].kind,
      evidence,
      state,
      value,
      because
    }))

  const address = (name: Name): string => targets[name].address
  const named = (kind: Kind): ReadonlyArray<Name> =>
    Object.values(targets)
      .filter((target) => target.kind === kind)
      .map((target) => target.name)

  const owned = (name: Name, owner: string, kind: string): ReadonlyArray<Truth> => [
    ...say(name, "control.owner", "confirmed", "owner() answers it", { owner }),
    ...say(name, "control.controllers", "confirmed", `the owner is of the kind ${kind}`),
    ...say(name, "control.renounced", "refuted", "the owner is alive")
  ]

  const proxy = (name: Name, kind: string, implementation: string): ReadonlyArray<Truth> =>
    say(name, "proxy.kind", "confirmed", "it was deployed as one", { kind, implementations: [implementation] })

  const { issuer, spender } = accounts
  const wallets = named("wallet")
  const { permit2, uniswapV2Router, usdcImplementation } = addresses

  return [
    ...say([...named("token"), ...named("contract")], "address.kind", "confirmed", "it has code", {
      kind: "contract"
    }),
    ...say("safeWallet", "address.kind", "confirmed", "a Safe has code", { kind: "contract" }),
    ...say(["holder", "approver"], "address.kind", "confirmed", "it has sent transactions and has no code", {
      kind: "eoa"
    }),
    ...say("delegated", "address.kind", "confirmed", "its code is 0xef0100 and an address", {
      kind: "delegated_eoa",
      delegate: parts.batchDelegate
    }),
    ...say("unused", "address.kind", "confirmed", "no code, no nonce, no balance", { kind: "empty" }),

    ...say([...pooled, ...unpooled], "token.standard", "confirmed", "it behaves as an ERC-20", { standard: "erc20" }),
    ...say("collectible", "token.standard", "confirmed", "it declares and implements ERC-721", { standard: "erc721" }),
    ...say(
      [...named("contract"), ...wallets],
      "token.standard",
      "absent",
      "the claim is about what was given as a token"
    ),
    ...say([...pooled, ...unpooled], "token.metadata-readable", "confirmed", "it has all four getters"),
    ...say("hostileName", "token.metadata-anomalous", "confirmed", "1000 characters, with control and bidi ones"),
    ...say(["plain", "usdc", "pausable"], "token.metadata-anomalous", "refuted", "a short name in plain letters"),
    ...say("fakeUsdc", "token.impersonates", "confirmed", "the name and symbol of USDC at another address"),
    ...say("usdc", "token.impersonates", "refuted", "it is the listed address itself"),
    ...say(
      pooled.filter((name) => name !== "usdc"),
      "token.impersonates",
      "refuted",
      "no listed token has its name or symbol"
    ),
    ...say("usdc", "token.listed", "confirmed", "its address is on the list of Ethereum mainnet"),
    ...say(["plain", "fakeUsdc", "honeypot"], "token.listed", "refuted", "its address is on no list"),

    ...say("destructible", "contract.selfdestruct-reachable", "confirmed", "end() reaches SELFDESTRUCT"),
    ...say(
      [...immutable, "clone", "timelock"],
      "contract.selfdestruct-reachable",
      "refuted",
      "its code has no SELFDESTRUCT and nobody can change the code"
    ),

    ...say([...immutable, "destructible", "timelock"], "proxy.kind", "refuted", "its code has no DELEGATECALL"),
    ...proxy("uups", "eip1967_uups", parts.uupsImplementation),
    ...proxy("uninitialised", "eip1967_uups", parts.uninitialisedImplementation),
    ...proxy("transparent", "eip1967_transparent", parts.logic),
    ...proxy("beacon", "eip1967_beacon", parts.logic),
    ...proxy("clone", "eip1167", parts.logic),
    ...proxy("usdc", "zeppelinos", usdcImplementation),
    ...proxy("safe", "safe", addresses.safe),
    ...proxy("moduleSafe", "safe", addresses.safeL2),
    ...say("diamond", "proxy.kind", "confirmed", "it was deployed as one", { kind: "eip2535_diamond" }),
    ...say(["uups", "uninitialised"], "proxy.upgradeable", "confirmed", "the issuer can call upgradeToAndCall"),
    ...say("transparent", "proxy.upgradeable", "confirmed", "the owner of its ProxyAdmin can upgrade it"),
    ...say("beacon", "proxy.upgradeable", "confirmed", "the owner of its beacon can upgrade it"),
    ...say("usdc", "proxy.upgradeable", "confirmed", "its admin can upgrade it"),
    ...say("diamond", "proxy.upgradeable", "confirmed", "its owner can cut it"),
    ...say("clone", "proxy.upgradeable", "refuted", "the implementation is part of its code"),
    ...say("uninitialised", "proxy.implementation-uninitialised", "confirmed", "initialize of it succeeds for anybody"),
    ...say(
      ["uups", "transparent", "beacon", "clone", "usdc"],
      "proxy.implementation-uninitialised",
      "refuted",
      "initialize of it reverts"
    ),
    ...say(
      ["uups", "transparent", "beacon", "clone", "usdc", "uninitialised"],
      "proxy.implementation-missing",
      "refuted",
      "the implementation has code"
    ),

    ...owned("safeOwned", address("safe"), "safe"),
    ...owned("timelockOwned", address("timelock"), "timelock"),
    ...(
      ["uups", "uninitialised", "honeypot", "silentHoneypot", "sellTax90", "taxable", "pausable", "blacklist"] as const
    ).flatMap((name) => owned(name, issuer, "eoa")),
    ...owned("usdc", accounts.usdcOwner, "eoa"),
    ...owned("diamond", accounts.diamondOwner, "eoa").filter(({ evidence }) => evidence !== "control.renounced"),
    ...say(
      ["plain", "transparent", "beacon", "clone", "deflating", "mintable", "cooldown", "fakeUsdc", "hostileName"],
      "control.owner",
      "refuted",
      "it has no getter of an owner"
    ),
    ...say(
      ["plain", "clone", "deflating", "cooldown", "fakeUsdc", "hostileName"],
      "control.renounced",
      "absent",
      "there never was an owner to renounce"
    ),
    ...say("hiddenMinter", "control.renounced", "confirmed", "owner() is the zero address"),
    ...say("hiddenMinter", "control.hidden", "confirmed", "an address in a private slot still mints"),
    ...say("mintable", "control.roles", "confirmed", "the deployer has all three roles"),
    ...say("timelock", "control.roles", "confirmed", "the Safe proposes, cancels and executes"),
    ...say(
      [
        "uups",
        "uninitialised",
        "transparent",
        "beacon",
        "usdc",
        "pausable",
        "taxable",
        "blacklist",
        "mintable",
        "hiddenMinter",
        "diamond"
      ],
      "control.single-key",
      "confirmed",
      "one account with a key holds the power alone"
    ),
    ...say(
      ["plain", "clone", "deflating", "cooldown", "fakeUsdc", "hostileName"],
      "control.single-key",
      "refuted",
      "there is no power to hold"
    ),
    ...say("safeOwned", "control.single-key", "refuted", "every power is behind the Safe"),
    ...say("timelockOwned", "control.single-key", "refuted", "every power is behind the timelock"),
    ...say("timelockOwned", "control.timelocked", "confirmed", "the owner is a timelock of seven days", {
      delay_seconds: timelockDelay
    }),

    ...say(
      ["safeOwned", "timelockOwned", "usdc", "mintable", "hiddenMinter"],
      "token.mintable",
      "confirmed",
      "a live account can mint"
    ),
    ...say(
      [
        "plain",
        "clone",
        "deflating",
        "honeypot",
        "silentHoneypot",
        "sellTax90",
        "taxable",
        "pausable",
        "blacklist",
        "cooldown",
        "fakeUsdc",
        "hostileName"
      ],
      "token.mintable",
      "refuted",
      "only its constructor or initialiser mints"
    ),
    ...say(
      upgradeable,
      "token.mintable",
      "unknown",
      "the present code does not mint; the next may, which only the upgrade's authority knows"
    ),
    ...say(
      ["safeOwned", "timelockOwned", "usdc", "pausable", "mintable"],
      "token.pausable",
      "confirmed",
      "a live account can pause"
    ),
    ...say(["plain", "clone", "deflating", "cooldown"], "token.pausable", "refuted", "nothing switches transfers off"),
    ...say(["blacklist", "usdc"], "token.blacklistable", "confirmed", "a live account can freeze others"),
    ...say(
      ["plain", "clone", "deflating", "pausable", "safeOwned", "timelockOwned", "mintable"],
      "token.blacklistable",
      "refuted",
      "no transfer looks at a list"
    ),
    ...say("taxable", "token.tax-changeable", "confirmed", "the owner sets any tax"),
    ...say(
      ["plain", "clone", "deflating", "pausable", "safeOwned", "timelockOwned", "mintable"],
      "token.tax-changeable",
      "refuted",
      "what a transfer takes is fixed in the code"
    ),
    ...say(
      ["plain", "clone", "deflating", "pausable", "safeOwned", "timelockOwned", "blacklist", "taxable"],
      "token.balances-seizable",
      "refuted",
      "only a holder and whom he allows move a balance"
    ),

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
    ...say(unpooled, "trade.honeypot", "unknown", "without a pool there is no sale to try"),
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
    ...say(unpooled, "trade.taxed", "unknown", "without a pool there is no trade to measure"),

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

    ...say("approver", "allowance.outstanding", "confirmed", "it has approved spenders of four tokens"),
    ...say(
      "approver",
      `allowance.unlimited:${address("plain")}:${spender}`,
      "confirmed",
      "2^256 - 1 to an account with a key"
    ),
    ...say(
      "approver",
      `allowance.unlimited:${addresses.usdc}:${uniswapV2Router}`,
      "confirmed",
      "2^256 - 1 to the router"
    ),
    ...say("approver", `allowance.unlimited:${address("uups")}:${permit2}`, "confirmed", "2^256 - 1 to Permit2"),
    ...say(
      "approver",
      `allowance.unlimited:${address("mintable")}:${uniswapV2Router}`,
      "absent",
      "the allowance is of 100 tokens"
    ),
    ...say(
      "approver",
      `allowance.unlimited:${address("blacklist")}:${uniswapV2Router}`,
      "absent",
      "the allowance was taken back"
    ),
    ...say(
      "approver",
      `allowance.operator:${address("collectible")}:${spender}`,
      "confirmed",
      "setApprovalForAll(spender, true)"
    ),
    ...say(
      "approver",
      `allowance.permit2:${address("uups")}:${spender}`,
      "confirmed",
      "2^160 - 1 by Permit2, without an end"
    ),
    ...["allowance.outstanding", "allowance.unlimited", "allowance.operator", "allowance.permit2"].flatMap(
      (evidence) => [
        ...say(["holder", "unused", "delegated"], evidence, "refuted", "it never approved anybody"),
        ...say([...named("token"), ...named("contract")], evidence, "absent", "the claim is about a wallet")
      ]
    ),
    ...say("delegated", "wallet.delegated", "confirmed", "an EIP-7702 authorization set its code", {
      delegate: parts.batchDelegate
    }),
    ...say(["holder", "approver", "unused"], "wallet.delegated", "refuted", "it has no code"),

    ...say(["safe", "safeWallet"], "safe.setup", "confirmed", "a Safe 1.4.1, 2 of 3", {
      threshold: 2,
      owners: [accounts.safeOwner1, accounts.safeOwner2, accounts.safeOwner3]
    }),
    ...say("moduleSafe", "safe.setup", "confirmed", "a Safe 1.4.1, 2 of 2", {
      threshold: 2,
      owners: [accounts.safeOwner1, accounts.safeOwner3]
    }),
    ...say(["safe", "safeWallet", "moduleSafe"], "safe.unknown-singleton", "refuted", "a canonical singleton"),
    ...say("moduleSafe", "safe.modules", "confirmed", "KeeperModule is enabled", { modules: [parts.keeperModule] }),
    ...say(["safe", "safeWallet"], "safe.modules", "refuted", "no module is enabled"),
    ...["safe.setup", "safe.modules"].flatMap((evidence) =>
      say(
        ["diamond", "timelock", "destructible", "holder", "approver", "unused", "delegated"],
        evidence,
        "absent",
        "it is no Safe"
      )
    ),

    ...["token.mintable", "trade.honeypot", "trade.route", "liquidity.pools", "holders.insiders"].flatMap((evidence) =>
      say([...named("contract"), ...wallets], evidence, "absent", "the claim is about a token")
    )
  ]
}
