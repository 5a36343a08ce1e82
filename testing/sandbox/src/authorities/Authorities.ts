import type { Address, Hex } from "viem"
import { encodeDeployData, encodeFunctionData, getContractAddress, getCreate2Address, parseEther } from "viem/utils"
import { keyless, nobody } from "../chain/Account.js"
import * as Artifact from "../chain/Artifact.js"
import { addresses, create2Data } from "../market/Infrastructure.js"
import * as Pool from "../market/Pool.js"
import type { Made, Stage } from "../Stage.js"
import {
  holders,
  keptShares,
  metamorphicClaims,
  ownedBy,
  plainClaims,
  powerless,
  powers,
  supply
} from "../tokens/Specimens.js"
import { all, type Claims, no, none, shown, undecidable, without, yes } from "../truth/Claim.js"

/** The authorities of other targets. */
export interface Surroundings {
  readonly safe: Address
  readonly moduleSafe: Address
  /** A timelock of seven days behind that Safe. */
  readonly timelock: Address
}

const day = 86_400
/** The delay of the timelocks here: seven days. */
export const delay = 7 * day
const [someHolder = nobody] = holders

/** Puts tokens on the chain that differ in who controls them, and who controls them. */
export const write = ({ script, accounts, launch }: Stage, { moduleSafe, safe, timelock }: Surroundings) => {
  const { deployer, issuer, keeper } = accounts
  const managed = Artifact.own("ManagedToken")
  const steward = Artifact.own("Steward")

  const deploy = (contract: Artifact.Artifact, ...args: ReadonlyArray<unknown>): Address =>
    script.deploy({ from: deployer, contract, args })
  const next = (after: number): Address =>
    getContractAddress({ from: deployer, nonce: BigInt(script.nonce(deployer) + after) })

  const ownedToken = (name: string, symbol: string, owner: Address): Address =>
    deploy(managed, name, symbol, supply, owner)

  const leakyTimelock = deploy(Artifact.own("LeakyTimelock"), BigInt(delay), [safe], [safe], keeper)
  const adminTimelock = deploy(Artifact.openZeppelin("TimelockController"), BigInt(delay), [safe], [safe], keeper)
  const idleTimelock = deploy(Artifact.openZeppelin("TimelockController"), 0n, [keeper], [keeper], nobody)
  const leakyOwned = ownedToken("Sorrel", "SRRL", leakyTimelock)
  const adminOwned = ownedToken("Yarrow", "YRRW", adminTimelock)
  const idleOwned = ownedToken("Tansy", "TNSY", idleTimelock)
  const moduleOwned = ownedToken("Mallow", "MLLW", moduleSafe)
  script.seal()

  const votes = deploy(Artifact.own("VotesToken"), "Mugwort", "MGWT", supply)
  const governedTimelock = next(1)
  const governor = deploy(Artifact.own("TokenGovernor"), votes, governedTimelock)
  deploy(Artifact.openZeppelin("TimelockController"), BigInt(delay), [governor], [governor], nobody)
  const directGovernor = deploy(Artifact.own("TokenGovernor"), votes, nobody)
  const governed = ownedToken("Betony", "BTNY", governedTimelock)
  const voted = ownedToken("Selfheal", "SLFH", directGovernor)
  script.seal()

  const manager = deploy(Artifact.openZeppelin("AccessManager"), keeper)
  const authorityManaged = deploy(Artifact.own("AuthorityToken"), "Comfrey", "CMFR", supply, manager)
  const outerSteward = deploy(steward, keeper)
  const innerSteward = deploy(steward, outerSteward)
  const stewarded = ownedToken("Vervain", "VRVN", innerSteward)
  const circleEnd = next(1)
  const circleStart = deploy(steward, circleEnd)
  deploy(steward, circleStart)
  const doorEnd = next(1)
  const doorStart = deploy(Artifact.own("DoorSteward"), doorEnd, keeper)
  deploy(steward, doorStart)
  const circularDoor = ownedToken("Speedwell", "SPDW", doorStart)
  const circular = deploy(Artifact.own("OwnedToken"), "Periwinkle", "PRWK", supply, circleStart)
  script.seal()

  const logicArtifact = Artifact.own("LogicToken")
  const logic = deploy(logicArtifact)
  const initialized = (contract: Artifact.Artifact, name: string, symbol: string, to: Address): Hex =>
    encodeFunctionData({ abi: contract.abi, functionName: "initialize", args: [name, symbol, supply, to] })
  const transparent = (name: string, symbol: string, owner: Address): Address =>
    deploy(
      Artifact.openZeppelin("TransparentUpgradeableProxy"),
      logic,
      owner,
      initialized(logicArtifact, name, symbol, deployer)
    )
  const safeUpgraded = transparent("Sassafras", "SSFR", safe)
  const timelockUpgraded = transparent("Tupelo", "TUPL", timelock)
  const uups = Artifact.own("UupsToken")
  const firstLogic = deploy(uups)
  const laterLogic = deploy(uups)
  const upgradedLately = deploy(
    Artifact.openZeppelin("ERC1967Proxy"),
    firstLogic,
    initialized(uups, "Hackberry", "HCKB", issuer)
  )
  const hollow = deploy(Artifact.own("HollowProxy"), keyless("assay sandbox: an implementation without code"))
  const delegatingVault = deploy(Artifact.own("DelegatingVault"), keeper)
  script.seal()

  const metamorphicArtifact = Artifact.own("MetamorphicToken")
  const creation: Artifact.Artifact = {
    ...metamorphicArtifact,
    bytecode: encodeDeployData({
      abi: metamorphicArtifact.abi,
      bytecode: metamorphicArtifact.bytecode,
      args: ["Will-o'-Wisp", "WISP", supply, keeper, deployer]
    })
  }
  script.send({
    label: "new MetamorphicToken",
    from: deployer,
    to: addresses.safeSingletonFactory,
    data: create2Data(creation),
    gas: 3_000_000n
  })
  const metamorphic = getCreate2Address({
    from: addresses.safeSingletonFactory,
    salt: `0x${"00".repeat(32)}`,
    bytecode: creation.bytecode
  })

  const wrapperArtifact = Artifact.own("WrapperToken")
  const wrapper = deploy(wrapperArtifact, "Wrapped Dew", "WDEW")
  script.call({
    from: deployer,
    to: wrapper,
    contract: wrapperArtifact,
    name: "deposit",
    value: parseEther("100")
  })
  script.seal()

  const tether = Artifact.own("TetherLike")
  const { usdt } = addresses
  const { usdtOwner } = accounts
  for (const to of holders)
    script.call({ from: usdtOwner, to: usdt, contract: tether, name: "transfer", args: [to, 1_250_000_000_000n] })
  script.seal()

  const shares = { shares: deployer }
  const pairs = {
    leakyOwned: launch(leakyOwned, shares),
    adminOwned: launch(adminOwned, shares),
    idleOwned: launch(idleOwned, shares),
    moduleOwned: launch(moduleOwned, shares),
    governed: launch(governed, shares),
    voted: launch(voted, shares),
    authorityManaged: launch(authorityManaged, shares),
    stewarded: launch(stewarded, shares),
    circular: launch(circular, shares),
    circularDoor: launch(circularDoor, shares),
    safeUpgraded: launch(safeUpgraded, shares),
    timelockUpgraded: launch(timelockUpgraded, shares),
    metamorphic: launch(metamorphic, shares)
  }
  script.seal()

  const of = (
    address: Address,
    description: string,
    claims: Claims,
    pair?: Address,
    contract?: Artifact.Artifact
  ): Made => ({
    address,
    description,
    claims: pair === undefined ? claims : { ...keptShares, ...claims },
    pair,
    contract
  })

  const managedBy = (owner: Address, because: string, claims: Claims): Claims => ({
    ...plainClaims,
    ...ownedBy(owner, because),
    "control.reclaimable": no("nobody but the owner names the next"),
    "token.powers-survive-renouncing": none("ownership was not given up"),
    "token.mintable": yes("whoever controls the owner mints"),
    "token.pausable": yes("whoever controls the owner pauses"),
    ...claims
  })

  const behindKey = yes("one account with a key holds the power alone")

  const upgradeable = (kind: string, claims: Claims): Claims => ({
    ...withoutCode(plainClaims),
    "proxy.kind": yes("it was deployed as one", { kind, implementations: [logic] }),
    "proxy.upgradeable": yes("the owner of its ProxyAdmin can upgrade it"),
    "proxy.implementation-uninitialised": no("initialize of it reverts"),
    "proxy.implementation-missing": no("the implementation has code"),
    "proxy.upgraded-recently": no("it never was"),
    "control.owner": no("it has no getter of an owner"),
    "control.controllers": yes("whoever upgrades it is alive"),
    "control.roles": no("it knows no roles"),
    "token.mintable": undecidable("the present code does not mint; the next may"),
    "token.external-call-in-transfer": no("a transfer touches only its own storage"),
    ...claims
  })

  const contract: Claims = {
    "proxy.upgradeable": no("its code has no DELEGATECALL"),
    "contract.delegatecall-mutable": no("its code has no DELEGATECALL"),
    "contract.functions": yes("its dispatcher lists them"),
    "contract.compiler": yes("the metadata at the end of its code names solc"),
    "proxy.kind": no("its code has no DELEGATECALL"),
    "contract.selfdestruct-reachable": no("its code has no SELFDESTRUCT and nobody can change the code"),
    ...all(["safe.setup", "safe.modules"], none("it is no Safe"))
  }

  return {
    /** Gives `upgradedLately` its present code. */
    finish: (): void =>
      script.call({
        from: issuer,
        to: upgradedLately,
        contract: uups,
        name: "upgradeToAndCall",
        args: [laterLogic, "0x"]
      }),
    parts: {
      adminTimelock,
      idleTimelock,
      governedTimelock,
      directGovernor,
      manager,
      innerSteward,
      outerSteward,
      doorSteward: doorStart
    },
    targets: {
      leakyOwned: of(
        leakyOwned,
        "its owner is a timelock of 7 days that one key goes around",
        managedBy(leakyTimelock, "the timelock is alive", {
          "control.single-key": yes("the administrator of the timelock executes at once"),
          "control.timelocked": no("the administrator need not wait")
        }),
        pairs.leakyOwned
      ),
      adminOwned: of(
        adminOwned,
        "its owner is a timelock of 7 days whose roles one key gives out",
        managedBy(adminTimelock, "the timelock is alive", {
          "control.single-key": yes("the administrator of the timelock lets himself plan"),
          "control.timelocked": yes("nothing gets around the delay of seven days", { delay_seconds: delay })
        }),
        pairs.adminOwned
      ),
      idleOwned: of(
        idleOwned,
        "its owner is a timelock without a delay, which one key uses",
        managedBy(idleTimelock, "the timelock is alive", {
          "control.single-key": behindKey,
          "control.timelocked": no("the delay is zero")
        }),
        pairs.idleOwned
      ),
      moduleOwned: of(
        moduleOwned,
        "its owner is a Safe with a module that one key uses",
        managedBy(moduleSafe, "the Safe is alive", {
          "control.single-key": yes("the keeper of the module acts without the owners of the Safe")
        }),
        pairs.moduleOwned
      ),
      governed: of(
        governed,
        "its owner is a timelock of 7 days that a governor proposes to",
        managedBy(governedTimelock, "the timelock is alive", {
          "control.single-key": undecidable("one account may have the votes behind the timelock"),
          "control.timelocked": yes("the owner is a timelock of seven days", { delay_seconds: delay })
        }),
        pairs.governed
      ),
      voted: of(
        voted,
        "its owner is a governor that executes at once",
        managedBy(directGovernor, "the governor is alive", {
          "control.single-key": undecidable("one account may have the votes")
        }),
        pairs.voted
      ),
      authorityManaged: of(
        authorityManaged,
        "an AccessManager says who mints, and one key administers it",
        {
          ...withoutCode(plainClaims),
          "contract.functions": yes("its dispatcher lists them"),
          "contract.compiler": yes("the metadata at the end of its code names solc"),
          "contract.selfdestruct-reachable": no("its code has no SELFDESTRUCT and nobody can change the code"),
          "contract.delegatecall-mutable": no("its code has no DELEGATECALL"),
          "proxy.kind": no("its code has no DELEGATECALL"),
          "proxy.upgradeable": no("its code has no DELEGATECALL"),
          "control.controllers": yes("the manager is alive"),
          "control.single-key": behindKey,
          "token.mintable": shown("the administrator may call what is restricted", keeper, "mint", keeper, supply)
        },
        pairs.authorityManaged,
        Artifact.own("AuthorityToken")
      ),
      stewarded: of(
        stewarded,
        "its owner is a contract whose owner is a contract that one key owns",
        managedBy(innerSteward, "the key behind two contracts is alive", { "control.single-key": behindKey }),
        pairs.stewarded
      ),
      circular: of(
        circular,
        "its owner is one of two contracts that own each other",
        {
          ...without(
            plainClaims,
            // Whether ownership that nobody can use was given up is a matter of words.
            "control.controllers",
            "control.renounced",
            "control.hidden",
            "token.powers-survive-renouncing"
          ),
          "control.owner": yes("owner() answers it", { owner: circleStart }),
          "control.reclaimable": no("nobody but the owner names the next"),
          "control.single-key": no("no key is behind the two contracts")
        },
        pairs.circular
      ),
      circularDoor: of(
        circularDoor,
        "its owner is one of two contracts that own each other, and one of them has a door for a key",
        managedBy(doorStart, "a key gets to the owner by its door", { "control.single-key": behindKey }),
        pairs.circularDoor
      ),
      safeUpgraded: of(
        safeUpgraded,
        "a transparent proxy that a Safe upgrades",
        upgradeable("eip1967_transparent", {
          "proxy.admin": yes("a ProxyAdmin that the Safe owns"),
          "proxy.upgradeable-now": yes("the Safe need not wait"),
          "control.single-key": no("every power is behind the Safe")
        }),
        pairs.safeUpgraded
      ),
      timelockUpgraded: of(
        timelockUpgraded,
        "a transparent proxy that a timelock of 7 days upgrades",
        upgradeable("eip1967_transparent", {
          "proxy.admin": yes("a ProxyAdmin that the timelock owns"),
          "proxy.upgradeable-now": no("the timelock has to wait for seven days"),
          "control.single-key": no("every power is behind the timelock"),
          "control.timelocked": yes("whoever upgrades it waits for seven days", { delay_seconds: delay })
        }),
        pairs.timelockUpgraded
      ),
      upgradedLately: of(upgradedLately, "a UUPS proxy that got its present code within the last hours", {
        "token.standard": yes("it behaves as an ERC-20", { standard: "erc20" }),
        "token.metadata-readable": yes("it has all four getters"),
        "token.metadata-anomalous": no("a short name in plain letters"),
        "token.impersonates": no("no listed token has its name or symbol"),
        "token.listed": no("its address is on no list"),
        "proxy.kind": yes("it was deployed as one", { kind: "eip1967_uups", implementations: [laterLogic] }),
        "proxy.upgradeable": yes("the issuer can call upgradeToAndCall"),
        "proxy.upgradeable-now": yes("the issuer need not wait"),
        "proxy.implementation-uninitialised": no("initialize of it reverts"),
        "proxy.implementation-missing": no("the implementation has code"),
        "proxy.upgraded-recently": yes("its owner did within the last hours"),
        "proxy.admin": yes("the issuer is asked"),
        "control.single-key": behindKey,
        "control.reclaimable": no("nobody but the owner names the next"),
        "control.roles": no("it knows no roles"),
        "contract.functions": yes("the code behind it lists them"),
        "contract.compiler": yes("the metadata at the end of the code behind it names solc"),
        "token.external-call-in-transfer": no("a transfer touches only its own storage"),
        ...ownedBy(issuer, "the owner is alive"),
        "trade.route": no("no exchange has a pool of it"),
        "trade.honeypot": undecidable("without a pool there is no sale to try"),
        "trade.taxed": undecidable("without a pool there is no trade to measure"),
        "holders.insiders": yes("its owner holds all of it")
      }),
      hollow: of(hollow, "an EIP-1967 proxy with nothing behind it", {
        "token.standard": no("it answers every call with nothing"),
        "proxy.kind": yes("it was deployed as one"),
        "proxy.implementation-missing": yes("the implementation has no code")
      }),
      metamorphic: of(metamorphic, "made by CREATE2, and its keeper can end it", metamorphicClaims, pairs.metamorphic),
      weth: of(addresses.weth, "the wrapped ether of every pool here, at its mainnet address", {
        "token.standard": yes("it behaves as an ERC-20", { standard: "erc20" }),
        "token.metadata-readable": yes("it has all four getters"),
        "token.metadata-anomalous": no("a short name in plain letters"),
        "token.impersonates": no("it is the listed address itself"),
        "token.listed": yes("its address is on the list of Ethereum mainnet"),
        "contract.known-good-code": yes("it is on npm"),
        "proxy.kind": no("its code has no DELEGATECALL"),
        "proxy.upgradeable": no("its code has no DELEGATECALL"),
        "contract.selfdestruct-reachable": no("its code has no SELFDESTRUCT and nobody can change the code"),
        "control.owner": no("it has no getter of an owner"),
        "control.controllers": no("nobody has any power over it"),
        "control.single-key": no("there is no power to hold"),
        "contract.functions": yes("its dispatcher lists them"),
        "contract.delegatecall-mutable": no("its code has no DELEGATECALL"),
        "token.external-call-in-transfer": no("a transfer touches only its own storage"),
        "trade.route": yes("it has a Uniswap V2 pair with USDC"),
        "liquidity.pools": yes("it has a Uniswap V2 pair with USDC"),
        ...powerless,
        "trade.honeypot": no("anybody can sell what he bought"),
        "trade.taxed": no("what is sent arrives", { buy_tax_bps: 0, sell_tax_bps: 0, transfer_tax_bps: 0 })
      }),
      usdt: {
        address: usdt,
        contract: tether,
        description: "a token in the shape of Tether's, whose transfers answer nothing, at its mainnet address",
        claims: {
          "token.standard": yes("it behaves as an ERC-20", { standard: "erc20" }),
          "token.metadata-readable": yes("it has all four getters"),
          "token.metadata-anomalous": no("a short name in plain letters"),
          "token.impersonates": no("it is the listed address itself"),
          "token.listed": yes("its address is on the list of Ethereum mainnet"),
          "contract.functions": yes("its dispatcher lists them"),
          "contract.compiler": yes("the metadata at the end of its code names solc"),
          "contract.selfdestruct-reachable": no("its code has no SELFDESTRUCT and nobody can change the code"),
          "contract.delegatecall-mutable": no("its code has no DELEGATECALL"),
          "proxy.kind": no("its code has no DELEGATECALL"),
          "proxy.upgradeable": no("its code has no DELEGATECALL"),
          ...ownedBy(usdtOwner, "the owner is alive"),
          "control.single-key": behindKey,
          "control.roles": no("it knows no roles"),
          "control.reclaimable": no("nobody but the owner names the next"),
          "token.powers-survive-renouncing": none("ownership was not given up"),
          "token.mintable": shown("the owner issues more", usdtOwner, "issue", 1_000_000n),
          "token.pausable": shown("the owner can pause", usdtOwner, "pause"),
          "token.blacklistable": shown("the owner can freeze others", usdtOwner, "addBlackList", someHolder),
          "token.balances-seizable": yes("the owner destroys what he froze"),
          "token.tax-changeable": shown("the owner sets a fee, of 0.19 % at most", usdtOwner, "setParams", 19n, 49n),
          "token.allowance-bypass": no("only a holder and whom he allows move a balance"),
          "token.external-call-in-transfer": yes("a transfer calls the successor, where there is one"),
          "trade.route": yes("it has a Uniswap V2 pair with WETH"),
          "trade.honeypot": no("anybody can sell what he bought"),
          "trade.taxed": no("what is sent arrives", { buy_tax_bps: 0, sell_tax_bps: 0, transfer_tax_bps: 0 }),
          "trade.holders-blocked": no("the account that Tether froze is one of many"),
          "liquidity.pools": yes("it has a Uniswap V2 pair with WETH"),
          "liquidity.thin": no("1500 ether on the one side"),
          [`liquidity.held-by-insiders:${Pool.v2Address(usdt, addresses.weth)}`]: no(
            "six accounts have a sixth of the shares each"
          ),
          "holders.insiders": no("its owner holds 2 % of it"),
          "holders.concentrated": none("the large holders of a listed token are custodians")
        }
      },
      wrapper: of(wrapper, "ether wrapped one for one, by anybody", {
        ...withoutMarket(plainClaims),
        "trade.route": no("no exchange has a pool of it"),
        "trade.honeypot": no("no rule of its code stops a transfer"),
        "trade.taxed": no("what is sent arrives"),
        "liquidity.pools": no("no exchange has a pool of it"),
        ...powerless,
        "token.external-call-in-transfer": no("a transfer touches only its own storage")
      }),
      governor: of(governor, "a governor with a timelock of 7 days", {
        ...contract,
        "control.owner": no("it has no getter of an owner"),
        "control.roles": no("it knows no roles"),
        "control.single-key": no("what it does was voted"),
        "control.executes-decisions": yes("it executes what was voted", { by: "vote" })
      }),
      leakyTimelock: of(leakyTimelock, "a timelock whose administrator need not wait", {
        ...contract,
        "control.owner": no("it has no getter of an owner"),
        "control.controllers": yes("its roles have members"),
        "control.roles": yes("the Safe proposes and executes, one key administers"),
        "control.single-key": yes("the administrator is an account with a key"),
        "control.executes-decisions": yes("it executes what was scheduled, or what its administrator says", {
          by: "schedule",
          delay_seconds: null
        })
      }),
      delegatingVault: of(delegatingVault, "a vault that runs code of its owner's choice on its own storage", {
        "contract.functions": yes("its dispatcher lists them"),
        "contract.compiler": yes("the metadata at the end of its code names solc"),
        "contract.delegatecall-mutable": yes("the caller names the code to run"),
        ...ownedBy(keeper, "the owner is alive"),
        "control.single-key": yes("the owner is an account with a key"),
        "control.reclaimable": no("nobody but the owner names the next"),
        "control.roles": no("it knows no roles"),
        ...all(["safe.setup", "safe.modules"], none("it is no Safe"))
      })
    } satisfies Readonly<Record<string, Made>>
  }
}

const withoutCode = (claims: Claims): Claims =>
  Object.fromEntries(
    Object.entries(claims).filter(
      ([id]) =>
        !id.startsWith("contract.") &&
        !id.startsWith("proxy.") &&
        !id.startsWith("control.") &&
        id !== "token.external-call-in-transfer" &&
        !(powers as ReadonlyArray<string>).includes(id)
    )
  )

const withoutMarket = (claims: Claims): Claims =>
  Object.fromEntries(
    Object.entries(claims).filter(
      ([id]) => !id.startsWith("trade.") && !id.startsWith("liquidity.") && !id.startsWith("holders.")
    )
  )

/** The name of a target of this module. */
export type Name = keyof ReturnType<typeof write>["targets"]
