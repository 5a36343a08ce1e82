import type { Address, Hex } from "viem"
import { encodeFunctionData } from "viem/utils"
import { type Accounts, nobody } from "./Account.js"
import { timelockDelay } from "./Basics.js"
import type { Claim } from "./Claim.js"
import { addresses } from "./Infrastructure.js"
import { powers } from "./Specimens.js"
import type { Kind } from "./Stage.js"
import type { Name, World } from "./Targets.js"

/**
 * What is true of a target, as the engine's evidence would say it. The state is about the world, not about what can be
 * found out: an engine that answers `unknown` where the truth is `confirmed` or `refuted` has a gap, not an error.
 */
export interface Truth {
  readonly target: Name
  readonly kind: Kind
  /** The id of the evidence, with its subject where the claim is about one of many. */
  readonly evidence: string
  readonly state: Claim["state"]
  readonly value: Claim["value"]
  readonly because: string
  /** A transaction to the target that shows a confirmed capability by its effect, where the truth has one. */
  readonly deed: { readonly by: Address; readonly data: Hex } | undefined
}

/** The basic tokens with a pool to trade in. */
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

/** The basic ERC-20 tokens whose code no one can change. */
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

/** The claims that make no sense of what is no token, besides `token.standard`. */
const aboutTokens = [
  "token.metadata-readable",
  "token.metadata-anomalous",
  "token.impersonates",
  "token.listed",
  "token.external-call-in-transfer",
  ...powers,
  "token.powers-survive-renouncing",
  "trade.route",
  "trade.buy-blocked",
  "trade.honeypot",
  "trade.sell-limited",
  "trade.taxed",
  "trade.holders-blocked",
  "trade.environment-dependent",
  "liquidity.pools",
  "liquidity.thin",
  "liquidity.burned",
  "liquidity.locked",
  "liquidity.lock-expiring",
  "liquidity.held-by-insiders",
  "liquidity.fake-pool",
  "holders.top",
  "holders.concentrated",
  "holders.insiders"
] as const

/** The truth of everything that `Targets.write` put on the chain. */
export const make = ({ made, targets, parts }: World, accounts: Accounts): ReadonlyArray<Truth> => {
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
      because,
      deed: undefined
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

  const tradeable = pooled.filter((name) => name !== "honeypot" && name !== "silentHoneypot")
  const basic = Object.values(targets).filter(({ group }) => group === "basic")
  const of = (kind: Kind): ReadonlyArray<Name> =>
    basic.filter((target) => target.kind === kind).map((target) => target.name)
  const ownerless = ["plain", "clone", "deflating", "mintable", "cooldown", "fakeUsdc", "hostileName"] as const
  const owners = ["safeOwned", "timelockOwned", "taxable", "pausable", "blacklist"] as const
  const proxies = ["uups", "transparent", "beacon", "usdc", "uninitialised", "diamond"] as const
  const rows = [
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
    ...["allowance.outstanding", "allowance.unlimited", "allowance.operator", "allowance.permit2"].flatMap((evidence) =>
      say(["holder", "unused", "delegated"], evidence, "refuted", "it never approved anybody")
    ),
    ...[
      "allowance.outstanding",
      "allowance.unlimited",
      "allowance.operator",
      "allowance.permit2",
      "allowance.spender-risky"
    ].flatMap((evidence) =>
      say([...named("token"), ...named("contract")], evidence, "absent", "the claim is about a wallet")
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

    ...aboutTokens.flatMap((evidence) =>
      say([...named("contract"), ...wallets], evidence, "absent", "the claim is about a token")
    ),

    ...say("hiddenMinter", "control.owner", "confirmed", "owner() answers the zero address", {
      owner: nobody
    }),
    ...say(
      ["collectible", "timelock", "destructible", "safe", "moduleSafe"],
      "control.owner",
      "refuted",
      "it has no getter of an owner"
    ),
    ...say(
      ["transparent", "beacon", "hiddenMinter", "mintable", "timelock"],
      "control.controllers",
      "confirmed",
      "somebody alive has power over it"
    ),
    ...say(
      ["plain", "clone", "deflating", "cooldown", "fakeUsdc", "hostileName"],
      "control.controllers",
      "refuted",
      "nobody has any power over it"
    ),
    ...say(["honeypot", "silentHoneypot", "sellTax90"], "control.single-key", "confirmed", "the owner is one key"),
    ...say(
      ["honeypot", "silentHoneypot", "sellTax90", "uups", "uninitialised", "diamond"],
      "control.reclaimable",
      "refuted",
      "nobody but the owner names the next"
    ),
    ...say(
      ["uups", "uninitialised", "transparent", "beacon", "diamond"],
      "control.roles",
      "refuted",
      "it has no roles"
    ),
    ...say(
      ["uups", "transparent", "beacon", "clone", "uninitialised"],
      "token.external-call-in-transfer",
      "refuted",
      "a transfer touches only its own storage"
    ),
    ...say(
      ["clone", "uninitialised"],
      "contract.compiler",
      "confirmed",
      "the metadata of the code behind it names solc"
    ),
    ...say(
      ["uninitialised", "hostileName", "collectible"],
      "token.impersonates",
      "refuted",
      "no listed token is so named"
    ),
    ...say("collectible", "token.metadata-anomalous", "refuted", "a short name in plain letters"),
    ...say("collectible", "proxy.kind", "refuted", "its code has no DELEGATECALL"),
    ...say("collectible", "contract.selfdestruct-reachable", "refuted", "its code has no SELFDESTRUCT"),
    ...say(unpooled, "liquidity.pools", "refuted", "no exchange has a pool of it"),
    ...say("delegated", "wallet.activity", "confirmed", "its authorization counted as a transaction"),
    ...say("safeWallet", "wallet.delegated", "refuted", "its code is no delegation"),
    ...["allowance.outstanding", "allowance.unlimited", "allowance.operator", "allowance.permit2"].flatMap((evidence) =>
      say("safeWallet", evidence, "refuted", "it never approved anybody")
    ),
    ...say(Object.keys(targets) as ReadonlyArray<Name>, "endpoint.capable", "confirmed", "anvil does what is asked"),
    ...say([...of("token"), ...of("contract")], "contract.functions", "confirmed", "its dispatcher lists them"),
    ...say(
      [
        ...immutable.filter((name) => name !== "deflating"),
        "uups",
        "transparent",
        "beacon",
        "timelock",
        "destructible"
      ],
      "contract.compiler",
      "confirmed",
      "the metadata at the end of its code names solc"
    ),
    ...say(
      [...immutable.filter((name) => name !== "deflating" && name !== "mintable"), "destructible"],
      "contract.known-good-code",
      "refuted",
      "nobody published this code"
    ),
    ...say([...immutable, "destructible", "timelock"], "contract.delegatecall-mutable", "refuted", "no DELEGATECALL"),
    ...say(immutable, "token.external-call-in-transfer", "refuted", "a transfer touches only its own storage"),
    ...say(
      ([...pooled, ...unpooled, "collectible"] as ReadonlyArray<Name>).filter(
        (name) => !["plain", "usdc", "honeypot", "fakeUsdc"].includes(name)
      ),
      "token.listed",
      "refuted",
      "its address is on no list"
    ),
    ...say(
      ([...pooled, "uninitialised", "fakeUsdc"] as ReadonlyArray<Name>).filter(
        (name) => !["plain", "usdc", "pausable"].includes(name)
      ),
      "token.metadata-anomalous",
      "refuted",
      "a short name in plain letters"
    ),
    ...say(
      [...immutable, "clone", "collectible", "timelock", "destructible"],
      "proxy.upgradeable",
      "refuted",
      "nobody can change its code"
    ).filter(({ target }) => target !== "clone"),
    ...say(proxies, "proxy.admin", "confirmed", "one account with a key is asked"),
    ...say(proxies, "proxy.upgradeable-now", "confirmed", "whoever upgrades it need not wait"),
    ...say(proxies, "proxy.upgraded-recently", "refuted", "it has the code that it was made with"),
    ...say(
      [...immutable.filter((name) => name !== "mintable"), "clone", "collectible", "destructible"],
      "control.roles",
      "refuted",
      "it knows no roles"
    ),
    ...say([...owners, "hiddenMinter"], "control.reclaimable", "refuted", "nobody but the owner names the next"),
    ...say(ownerless, "control.reclaimable", "absent", "there never was an owner"),
    ...say([...owners, ...ownerless], "control.hidden", "absent", "no ownership was given up"),
    ...say([...owners, ...ownerless], "token.powers-survive-renouncing", "absent", "no ownership was given up"),
    ...say("hiddenMinter", "token.powers-survive-renouncing", "confirmed", "minting does"),
    ...say("destructible", "control.single-key", "confirmed", "the keeper alone ends it and takes what it holds"),
    ...["token.whitelist-only", "token.limits-changeable", "token.allowance-bypass"].flatMap((evidence) =>
      say(
        ["clone", "taxable", "pausable", "blacklist", "safeOwned", "timelockOwned", "hiddenMinter"],
        evidence,
        "refuted",
        "nobody can do that to a holder"
      )
    ),
    ...["token.whitelist-only", "token.limits-changeable", "token.allowance-bypass"].flatMap((evidence) =>
      say(
        ["plain", "deflating", "mintable", "cooldown", "fakeUsdc", "hostileName"],
        evidence,
        "refuted",
        "no owner can"
      )
    ),
    ...["token.tax-changeable", "token.blacklistable", "token.balances-seizable", "token.pausable"].flatMap(
      (evidence) =>
        say(["hiddenMinter", "fakeUsdc", "hostileName"], evidence, "refuted", "nobody can do that to a holder")
    ),
    ...["token.tax-changeable", "token.blacklistable", "token.balances-seizable"].flatMap((evidence) =>
      say("cooldown", evidence, "refuted", "nobody can do that to a holder")
    ),
    ...say("mintable", "token.balances-seizable", "refuted", "only a holder and whom he allows move a balance"),
    ...say("taxable", "token.blacklistable", "refuted", "no transfer looks at a list"),

    ...say(tradeable, "trade.sell-limited", "refuted", "anybody can sell all of it at once"),
    ...say(
      tradeable.filter((name) => name !== "usdc"),
      "trade.holders-blocked",
      "refuted",
      "every holder can sell"
    ),
    ...say("usdc", "trade.holders-blocked", "refuted", "the account that Circle froze is one of many"),
    ...say(
      ["usdc", "mintable", "safe", "moduleSafe", "timelock"],
      "contract.known-good-code",
      "confirmed",
      "it is on npm"
    ),
    ...say("moduleSafe", "control.single-key", "confirmed", "the keeper of its module needs no owner"),
    ...Object.values(targets).flatMap(({ kind, name, pair }) =>
      kind === "wallet"
        ? []
        : say(
            name,
            "contract.provenance",
            "confirmed",
            "somebody put it there",
            // Whoever deployed what says nothing at its creation is not to be found without an index.
            pair === undefined || name === "usdc" ? undefined : { deployer: accounts.deployer }
          )
    ),
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
      say(unpooled, evidence, "unknown", "without a pool there is no trade to try")
    ),
    ...say(pooled, "liquidity.fake-pool", "refuted", "its pool is where its factory makes it"),
    ...say(pooled, "liquidity.thin", "refuted", "at least 100 ether on the one side"),
    ...pooled.flatMap((name) => [
      ...say(name, `liquidity.locked:${targets[name].pair}`, "refuted", "no locker has a share of the pair"),
      ...say(name, `liquidity.lock-expiring:${targets[name].pair}`, "absent", "no locker has a share of the pair"),
      ...say(
        name,
        `liquidity.held-by-insiders:${targets[name].pair}`,
        name === "plain" ? "refuted" : "confirmed",
        name === "plain" ? "nobody can use the shares of the pair" : "an account with a key holds them"
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
    ...say(unpooled, "holders.concentrated", "confirmed", "one account holds all of it"),

    ...["wallet.sanctioned", "wallet.frozen", "wallet.poisoned"].flatMap((evidence) =>
      say(of("wallet"), evidence, "refuted", "nobody lists, froze or imitates anybody")
    ),
    ...say(["holder", "approver", "safeWallet"], "wallet.activity", "confirmed", "tokens moved from or to it"),
    ...say("unused", "wallet.activity", "refuted", "nothing ever moved"),
    ...say(["holder", "unused", "delegated", "safeWallet"], "allowance.spender-risky", "refuted", "it has no spenders"),
    ...["plain", "uups", "collectible"].flatMap((name) =>
      say(
        "approver",
        `allowance.spender-risky:${address(name as Name)}:${spender}`,
        "confirmed",
        "the spender is an account with a key"
      )
    ),
    ...say(["safe", "moduleSafe", "safeWallet"], "safe.guard", "refuted", "no guard, and the canonical handler"),
    ...say(["safe", "moduleSafe", "safeWallet"], "safe.weakened", "absent", "nothing says how it was before"),
    ...["safe.unknown-singleton", "safe.guard", "safe.weakened"].flatMap((evidence) =>
      say(
        ["diamond", "timelock", "destructible", "holder", "approver", "unused", "delegated"],
        evidence,
        "absent",
        "it is no Safe"
      )
    ),
    ...["safe.setup", "safe.unknown-singleton", "safe.modules", "safe.guard", "safe.weakened"].flatMap((evidence) =>
      say(named("token"), evidence, "absent", "the claim is about a wallet or a contract")
    ),
    ...["wallet.delegated", "wallet.sanctioned", "wallet.frozen", "wallet.poisoned", "wallet.activity"].flatMap(
      (evidence) => say([...named("token"), ...named("contract")], evidence, "absent", "the claim is about a wallet")
    )
  ]

  const claimed = Object.entries(made).flatMap(([name, { claims, contract }]) => {
    const { kind, pair } = targets[name as Name]
    return Object.entries(claims).map(
      ([id, { because, deed, state, value }]): Truth => ({
        target: name as Name,
        kind,
        evidence: id.replace(/:pair$/, `:${pair}`),
        state,
        value,
        because,
        deed:
          deed === undefined
            ? undefined
            : {
                by: deed.by,
                data: encodeFunctionData({ abi: contract?.abi ?? [], functionName: deed.name, args: [...deed.args] })
              }
      })
    )
  })
  return [...rows, ...claimed]
}
