import type { Address } from "viem"
import { encodeFunctionData, getContractAddress, parseEther } from "viem/utils"
import * as Safe from "../authorities/Safe.js"
import { burnt, keyless, nobody } from "../chain/Account.js"
import * as Artifact from "../chain/Artifact.js"
import { addresses } from "../market/Infrastructure.js"
import * as Providers from "../market/Providers.js"
import type { Made, Stage } from "../Stage.js"
import { all, type Claims, no, none, shown, undecidable, without, yes } from "../truth/Claim.js"
import { holders, keptShares, ownedBy, plainClaims, powers, supply } from "./Specimens.js"

/** The authorities of other targets. */
export interface Surroundings {
  /** A timelock of seven days that a governor proposes to. */
  readonly governedTimelock: Address
}

/** The delay of the governance behind the token in the shape of DAI: two days. */
const shortDelay = 172_800

const [someHolder = nobody] = holders

/**
 * Puts those of the twenty tokens of decision 27 on the chain that are no targets of other modules, and the pools of
 * USDT. All shares of their pools are burned, so that nothing but what they are speaks against them.
 */
export const write = ({ accounts, approve, launch, script }: Stage, { governedTimelock }: Surroundings) => {
  const { deployer, issuer, keeper, maker, usdtOwner } = accounts
  const shares = { shares: burnt }
  const own = (contract: string, ...args: ReadonlyArray<unknown>): Address =>
    script.deploy({ from: deployer, contract: Artifact.own(contract), args })
  const token = (contract: string, name: string, symbol: string, ...args: ReadonlyArray<unknown>): Address =>
    own(contract, name, symbol, supply, ...args)

  // The deployer has put nearly all of his ether into pools.
  script.send({ label: "fund the deployer", from: usdtOwner, to: deployer, value: parseEther("2000") })
  const council = Safe.create(script, {
    from: deployer,
    singleton: addresses.safe,
    owners: Array.from({ length: 9 }, (_, index) => keyless(`assay sandbox: council ${index + 1}`)),
    threshold: 5n,
    salt: 32n
  })
  script.seal()

  const governanceToken = token("MintedVotesToken", "Yellow Rattle", "YRTL", governedTimelock)

  const warded = Artifact.own("WardedToken")
  const daiLike = token("WardedToken", "Bird's-foot", "BRDF", deployer)
  const join = own("CollateralJoin", daiLike)
  const pause = script.deploy({
    from: deployer,
    contract: Artifact.openZeppelin("TimelockController"),
    args: [BigInt(shortDelay), [council], [council], nobody]
  })
  for (const [name, account] of [
    ["rely", join],
    ["rely", pause],
    ["deny", deployer]
  ] as const)
    script.call({ from: deployer, to: daiLike, contract: warded, name, args: [account] })

  const logicArtifact = Artifact.own("LogicToken")
  const proxied = (name: string, symbol: string, owner: Address): Address =>
    script.deploy({
      from: deployer,
      contract: Artifact.openZeppelin("TransparentUpgradeableProxy"),
      args: [
        own("LogicToken"),
        owner,
        encodeFunctionData({
          abi: logicArtifact.abi,
          functionName: "initialize",
          args: [name, symbol, supply, deployer]
        })
      ]
    })
  const stakedToken = proxied("Staked Clover", "STCV", governedTimelock)
  const keyUpgraded = proxied("Restharrow", "RSTH", keeper)
  script.seal()

  const bridge = own("Bridge", council)
  const bridgedToken = token("MintedVotesToken", "Bridged Vetch", "BVTC", bridge)
  const fundShare = token("FundToken", "Meadow Fund", "MDFD", issuer)
  const fundArtifact = Artifact.own("FundToken")
  script.call({ from: issuer, to: fundShare, contract: fundArtifact, name: "setInvestors", args: [holders, true] })
  for (const to of holders)
    script.call({ from: deployer, to: fundShare, contract: fundArtifact, name: "transfer", args: [to, supply / 20n] })
  script.call({ from: issuer, to: fundShare, contract: fundArtifact, name: "transferOwnership", args: [council] })

  const keyMinted = token("MintedVotesToken", "Sainfoin", "SNFO", issuer)
  const keyPaused = token("PausableToken", "Trefoil", "TRFL", issuer)
  const keyTaxed = token("TaxableToken", "Lucerne", "LCRN", issuer)
  const frozenHolders = token("BlacklistToken", "Milkvetch", "MKVT", issuer)
  script.seal()

  const pairs = {
    governanceToken: launch(governanceToken, shares),
    daiLike: launch(daiLike, shares),
    stakedToken: launch(stakedToken, shares),
    bridgedToken: launch(bridgedToken, shares),
    keyMinted: launch(keyMinted, shares),
    keyPaused: launch(keyPaused, shares),
    keyUpgraded: launch(keyUpgraded, shares),
    keyTaxed: launch(keyTaxed, shares),
    frozenHolders: launch(frozenHolders, shares)
  }
  for (const account of holders)
    script.call({
      from: issuer,
      to: frozenHolders,
      contract: Artifact.own("BlacklistToken"),
      name: "setBlacklisted",
      args: [account, true]
    })
  const offered = 4_500_000_000_000n
  script.call({
    from: usdtOwner,
    to: addresses.usdt,
    contract: Artifact.own("TetherLike"),
    name: "transfer",
    args: [maker, offered]
  })
  Providers.pair(script, {
    from: maker,
    token: addresses.usdt,
    amount: offered,
    ether: parseEther("1500"),
    approve
  })
  script.seal()

  const forgone: Claims = {
    ...keptShares,
    "liquidity.burned:pair": yes("all shares of the pair are at 0x…dEaD and 0x0"),
    "liquidity.held-by-insiders:pair": no("nobody can use the shares of the pair")
  }
  const of = (address: Address, description: string, claims: Claims, pair: Address, contract?: string): Made => ({
    address,
    description,
    claims: { ...forgone, ...claims },
    pair,
    contract: contract === undefined ? undefined : Artifact.own(contract)
  })
  const managedBy = (owner: Address, because: string, claims: Claims): Claims => ({
    ...plainClaims,
    ...ownedBy(owner, because),
    "control.reclaimable": no("nobody but the owner names the next"),
    "token.powers-survive-renouncing": none("ownership was not given up"),
    ...claims
  })
  const keyed = { "control.single-key": yes("the owner is an account with a key") }
  const replaceable: Claims = {
    ...without(
      plainClaims,
      ...powers,
      ...Object.keys(plainClaims).filter((id) => id.startsWith("contract.") || id.startsWith("control."))
    ),
    "proxy.kind": yes("it was deployed as one", { kind: "eip1967_transparent" }),
    "proxy.upgradeable": yes("its ProxyAdmin has an owner")
  }

  return {
    parts: { council, bridge, join, pause, proxyAdmin: getContractAddress({ from: stakedToken, nonce: 1n }) },
    targets: {
      governanceToken: of(
        governanceToken,
        "a governance token: a governor behind a timelock of 7 days mints",
        managedBy(governedTimelock, "the timelock is alive", {
          "control.single-key": undecidable("one account may have the votes behind the timelock"),
          "control.timelocked": yes("the owner is a timelock of seven days", { delay_seconds: 604_800 }),
          "token.mintable": yes("the timelock mints what was voted")
        }),
        pairs.governanceToken,
        "MintedVotesToken"
      ),
      daiLike: of(
        daiLike,
        "in the shape of DAI: a contract mints against collateral, governance waits for 2 days",
        {
          ...without(plainClaims, "control.controllers", "control.single-key", "token.mintable"),
          "token.mintable": yes("a ward mints, and a timelock of two days makes wards")
        },
        pairs.daiLike,
        "WardedToken"
      ),
      stakedToken: of(
        stakedToken,
        "a liquid staking token behind a proxy that a governor with a timelock of 7 days replaces",
        {
          ...replaceable,
          "proxy.upgradeable-now": no("the timelock has to wait for seven days"),
          "control.timelocked": yes("whoever upgrades it waits for seven days", { delay_seconds: 604_800 })
        },
        pairs.stakedToken
      ),
      bridgedToken: of(
        bridgedToken,
        "a bridged token: a bridge mints for a council, 5 of 9",
        managedBy(bridge, "the bridge is alive", {
          "control.single-key": no("every power is behind the council"),
          "token.mintable": yes("the council has the bridge mint")
        }),
        pairs.bridgedToken,
        "MintedVotesToken"
      ),
      fundShare: {
        address: fundShare,
        description:
          "a tokenised fund: its list decides who holds it, its issuer, a Safe of 5 of 9, moves balances, no pool",
        contract: fundArtifact,
        claims: {
          ...without(
            plainClaims,
            ...Object.keys(plainClaims).filter(
              (id) =>
                id.startsWith("trade.") ||
                id.startsWith("holders.") ||
                id.startsWith("liquidity.") ||
                id.startsWith("control.")
            ),
            ...powers
          ),
          ...ownedBy(council, "the Safe is alive"),
          "control.single-key": no("every power is behind the Safe"),
          "trade.route": no("no exchange has a pool of it"),
          ...all(
            ["trade.honeypot", "trade.taxed", "trade.sell-limited", "trade.environment-dependent"],
            no("who is on the list can send it, in full, to others on it")
          ),
          "trade.buy-blocked": undecidable("who is on the list can buy, and nobody sells"),
          "trade.holders-blocked": yes("who is on the list can send to others on it alone", {
            since: "now",
            blocked: []
          }),
          "liquidity.pools": no("no exchange has a pool of it"),
          "liquidity.thin": yes("there is nowhere to sell it"),
          "token.mintable": yes("the issuer makes shares"),
          "token.balances-seizable": yes("the issuer moves shares"),
          "token.whitelist-only": yes("who is not on the list can neither send nor receive"),
          "holders.insiders": no("its issuer holds none of it"),
          "holders.concentrated": no("twenty investors hold 5 % each")
        }
      },
      keyMinted: of(
        keyMinted,
        "one key mints; pool shares burned",
        managedBy(issuer, "the owner is alive", {
          ...keyed,
          "token.mintable": shown("the owner mints to anybody", issuer, "mint", someHolder, supply)
        }),
        pairs.keyMinted,
        "MintedVotesToken"
      ),
      keyPaused: of(
        keyPaused,
        "one key stops transfers; pool shares burned",
        managedBy(issuer, "the owner is alive", {
          ...keyed,
          "token.pausable": shown("the owner can pause", issuer, "pause")
        }),
        pairs.keyPaused,
        "PausableToken"
      ),
      keyUpgraded: of(
        keyUpgraded,
        "one key replaces the code of the proxy; pool shares burned",
        {
          ...replaceable,
          "control.single-key": yes("the owner of the ProxyAdmin is an account with a key"),
          "proxy.upgradeable-now": yes("the owner of the ProxyAdmin need not wait")
        },
        pairs.keyUpgraded
      ),
      keyTaxed: of(
        keyTaxed,
        "no tax now; one key sets any; pool shares burned",
        managedBy(issuer, "the owner is alive", {
          ...keyed,
          "token.tax-changeable": yes("the owner sets a tax of up to everything")
        }),
        pairs.keyTaxed,
        "TaxableToken"
      ),
      frozenHolders: of(
        frozenHolders,
        "its owner put all holders on a list of those who cannot sell",
        managedBy(issuer, "the owner is alive", {
          ...keyed,
          "token.blacklistable": yes("the owner freezes whom he likes"),
          "trade.holders-blocked": yes("all of its holders are on the list")
        }),
        pairs.frozenHolders,
        "BlacklistToken"
      )
    } satisfies Readonly<Record<string, Made>>
  }
}

/** The name of a target of this module. */
export type Name = keyof ReturnType<typeof write>["targets"]
