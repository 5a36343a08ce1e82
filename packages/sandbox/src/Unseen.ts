import type { Address, Hex } from "viem"
import { concat, encodeFunctionData, pad, parseEther, toFunctionSelector } from "viem/utils"
import { keyless } from "./Account.js"
import * as Artifact from "./Artifact.js"
import { all, type Claims, no, undecidable, yes } from "./Claim.js"
import { powers } from "./Specimens.js"
import type { Made, Stage } from "./Stage.js"

const supply = parseEther("1000000")
const day = 86_400n
const burnt: Address = "0x000000000000000000000000000000000000dEaD"
const nobody: Address = "0x0000000000000000000000000000000000000000"
// Nobody has their keys.
const fund = keyless("assay sandbox: fund")
const successor = keyless("assay sandbox: successor")

const oz = (name: string): Artifact.Artifact => Artifact.load(`@openzeppelin/contracts/build/contracts/${name}.json`)

interface Call {
  readonly from: Address
  readonly name: string
  readonly args: ReadonlyArray<unknown>
}

/** A token in its place, before it has a pool. */
interface Placed {
  readonly address: Address
  readonly contract: Artifact.Artifact
}

/**
 * Puts tokens on the chain that were written without looking at what the engine can tell: traps and powers of shapes
 * that differ from those of `Specimens`, and clean ones of unusual shapes. All shares of their pools are burned, so that
 * nothing but what they are speaks against them.
 */
export const write = ({ script, accounts, approve, launch }: Stage) => {
  const { deployer, issuer, maker, rewards } = accounts

  const deploy = (contract: Artifact.Artifact, ...args: ReadonlyArray<unknown>): Address =>
    script.deploy({ from: deployer, contract, args })

  const place = (contract: string, name: string, symbol: string, ...args: ReadonlyArray<unknown>): Placed => {
    const artifact = Artifact.own(contract)
    return { address: deploy(artifact, name, symbol, supply, ...args), contract: artifact }
  }

  const called = ({ address, contract }: Placed, calls: ReadonlyArray<Call>): void => {
    for (const call of calls) script.call({ ...call, to: address, contract })
  }

  /** Opens a pool, has the calls made and says what is true. */
  const open = (
    placed: Placed,
    description: string,
    claims: Claims,
    calls: (pair: Address) => ReadonlyArray<Call> = () => []
  ): Made => {
    const pair = launch(placed.address, { shares: burnt })
    called(placed, calls(pair))
    return { ...placed, pair, description, claims: { ...common, ...claims } }
  }

  const arm = (pair: Address): Call => ({ from: issuer, name: "arm", args: [pair] })
  const renounce: Call = { from: issuer, name: "renounceOwnership", args: [] }

  /** A rule that its owner switched on and left to itself. */
  const left = (placed: Placed, description: string, claims: Claims, ...calls: ReadonlyArray<Call>): Made =>
    open(placed, description, claims, (pair) => [arm(pair), ...calls, renounce])

  const clean = (placed: Placed, description: string, claims: Claims = {}, calls: ReadonlyArray<Call> = []): Made =>
    open(placed, description, { ...harmless, ...claims }, () => calls)

  const library = deploy(Artifact.own("RewardsLibrary"), rewards)
  const oracle = deploy(Artifact.own("PegOracle"), rewards)
  const guard = deploy(Artifact.own("PassingGuard"))
  const forwarder = deploy(oz("ERC2771Forwarder"), "forwarder")
  const lock = deploy(oz("TimelockController"), 30n * day, [issuer], [issuer], nobody)
  const asset = place("PlainToken", "Clover", "CLVR")
  const underlying = place("PlainToken", "Vetch", "VTCH")
  const books = Artifact.own("BooksFacet")
  const booksFacet = deploy(books)
  const many = Artifact.own("ManyTokens")
  const manyTokens = deploy(many, 7n, supply, deployer)
  const queued = Artifact.own("QueuedUpgradeToken")
  const queuedLogic = deploy(queued)
  const door = Artifact.own("DoorLogic")
  const doorLogic = deploy(door)
  script.seal()

  const facets = place(
    "FacetToken",
    "Teasel",
    "TSEL",
    issuer,
    booksFacet,
    books.abi.flatMap((item) => (item.type === "function" && item.name !== "open" ? [toFunctionSelector(item)] : []))
  )
  const queuedUpgrade: Placed = {
    contract: queued,
    address: deploy(
      oz("ERC1967Proxy"),
      queuedLogic,
      encodeFunctionData({
        abi: queued.abi,
        functionName: "initialize",
        args: ["Campion", "CMPN", supply, issuer, deployer]
      })
    )
  }
  const doorClone: Placed = {
    contract: door,
    address: deploy({
      name: "EIP-1167 clone",
      abi: [],
      bytecode: concat(["0x3d602d80600a3d3981f3363d3d373d3d3d363d73", doorLogic, "0x5af43d82803e903d91602b57fd5bf3"]),
      deployedBytecode: undefined
    })
  }
  called(doorClone, [{ from: deployer, name: "initialize", args: ["Loosestrife", "LSTF", supply, deployer, issuer] }])

  const share: Placed = {
    contract: Artifact.own("ShareToken"),
    address: deploy(Artifact.own("ShareToken"), "Clover Share", "CLVS", asset.address)
  }
  approve(deployer, asset.address, share.address, supply)
  called(share, [{ from: deployer, name: "deposit", args: [supply, deployer] }])
  const wrapped: Placed = {
    contract: Artifact.own("WrappedToken"),
    address: deploy(Artifact.own("WrappedToken"), "Wrapped Vetch", "WVTC", underlying.address)
  }
  approve(deployer, underlying.address, wrapped.address, supply)
  called(wrapped, [{ from: deployer, name: "depositFor", args: [deployer, supply] }])
  const facade: Placed = {
    contract: Artifact.own("FacadeToken"),
    address: deploy(Artifact.own("FacadeToken"), "Sainfoin", "SNFN", manyTokens, 7n)
  }
  script.call({ from: deployer, to: manyTokens, contract: many, name: "setOperator", args: [facade.address, true] })
  called(facade, [{ from: deployer, name: "deposit", args: [supply] }])

  const masked = place("MaskedToken", "Burnet", "BRNT", rewards)
  const maskedOpen = open(masked, "has no functions but a fallback, and sells for one address only", {
    "trade.honeypot": yes("only one address can send to the pair")
  })
  script.send({
    label: "MaskedToken, armed",
    from: rewards,
    to: masked.address,
    data: concat([masking, pad(maskedOpen.pair ?? nobody)])
  })
  script.seal()

  const owner = issuer
  const traps = {
    richPool: left(
      place("RichPoolToken", "Catchfly", "CTFL", owner),
      "renounced, and cannot be sold once its pool has 180 ether",
      { "trade.environment-dependent": yes("a sale asks how much ether the pool has") }
    ),
    bitmap: open(
      place("BitmapToken", "Restharrow", "RSTH", owner),
      "its owner has sales ask for a bit of each account",
      { "token.pausable": yes("once the owner says so nobody sells whose bit he has not set") },
      (pair) => [arm(pair)]
    ),
    spenderTrap: open(
      place("SpenderToken", "Sow Thistle", "SWTH", owner),
      "who is asked to move it into the pool loses his allowance and moves nothing",
      { "trade.honeypot": yes("routers move nothing into the pair") },
      (pair) => [arm(pair)]
    ),
    pairLiar: left(
      place("PairLiarToken", "Knapweed", "KNPW", owner),
      "renounced, and tells its pool that nothing came in",
      { "trade.honeypot": yes("the pair is told that nothing came in") }
    ),
    sliver: left(
      place("SliverToken", "Cleavers", "CLVR2", owner),
      "renounced, and a sale moves a thousandth of what it says",
      { "trade.taxed": yes("999 of 1000 do not arrive", { sell_tax_bps: 9_990 }) }
    ),
    gasLeft: left(
      place("GasLeftToken", "Dock", "DOCK", owner, fund),
      "renounced, and takes 97 % of a sale with as much gas as a wallet gives",
      {
        "trade.taxed": yes("wallets give a sale less gas than the rule spares"),
        "trade.environment-dependent": yes("it asks how much gas is left")
      }
    ),
    tipping: left(
      place("TipToken", "Groundsel", "GRDS", owner, fund),
      "renounced, and takes 90 % of a sale that pays a proposer more than a gwei",
      {
        "trade.taxed": undecidable("whether a seller is taxed is up to what he pays for gas"),
        "trade.environment-dependent": yes("it asks what is paid for gas")
      }
    ),
    shrinking: left(
      place("ShrinkingToken", "Bedstraw Broom", "BDBR", owner),
      "renounced, and what may be sold at a time shrinks to nothing within days",
      {
        "trade.honeypot": yes("within three days nothing can be sold"),
        "trade.sell-limited": yes("within three days nothing can be sold"),
        "trade.environment-dependent": yes("it counts blocks since its launch")
      }
    ),
    poolBurn: left(
      place("PoolBurnToken", "Fumitory", "FMTR", owner, rewards),
      "renounced, and one address sends nothing to itself to empty the pool",
      { "token.balances-seizable": yes("what the pool holds is burned") }
    ),
    delegateTrap: left(
      place("DelegateTrapToken", "Woodsage", "WDSG", owner),
      "renounced, and accounts that delegate their code by EIP-7702 cannot sell",
      { "trade.environment-dependent": yes("it asks for the code of the seller") }
    ),
    transientTrap: left(
      place("TransientToken", "Hedge Parsley", "HDGP", owner),
      "renounced, and can be sold only in the transaction that bought it",
      {
        "trade.honeypot": yes("no transaction that only sells goes through"),
        "trade.environment-dependent": yes("what buys and sells in one transaction can")
      }
    ),
    fuse: left(
      place("FuseToken", "Ragged Robin", "RGRB", owner, fund),
      "renounced, and its 1 % on sales becomes 99 % within a hundred days",
      {
        "trade.taxed": yes("within a hundred days a sale pays 99 %"),
        "trade.environment-dependent": yes("it compares the time with that of a change")
      },
      { from: issuer, name: "queueFee", args: [9_900, 100n * day] }
    ),
    receiverGate: open(
      place("ReceiverToken", "Self-Heal Sedge", "SHSG", owner),
      "only contracts that its owner knows receive it, and he knows its pool",
      {
        "token.whitelist-only": yes("what contract is not on the list receives nothing, the pool too once it is off it")
      },
      (pair) => [arm(pair), { from: issuer, name: "setKnown", args: [pair, true] }]
    ),
    lottery: left(
      place("LotteryToken", "Shepherd's Purse", "SHPP", owner),
      "renounced, and one sale in a million goes through",
      {
        "trade.honeypot": yes("a sale goes through once in a million"),
        "trade.environment-dependent": yes("whether a sale goes through is chance")
      }
    ),
    oneSale: left(place("OneSaleToken", "Sandwort", "SNDW", owner), "renounced, and each account sells once", {
      "trade.sell-limited": yes("who sold once cannot sell again")
    }),
    hashList: open(
      place("HashListToken", "Speedwell", "SPDW", owner),
      "its owner marks hashes of accounts, which cannot send",
      { "token.blacklistable": yes("the owner marks whom he likes") },
      (pair) => [arm(pair)]
    ),
    maskedToken: maskedOpen,
    doorClone: open(
      doorClone,
      "a minimal proxy whose logic closed sales a minute after its launch",
      { "trade.honeypot": yes("only who was let in can sell") },
      (pair) => [{ from: issuer, name: "enter", args: [pair, issuer, 1n] }]
    )
  }

  const capabilities = {
    linked: open(
      place("LinkedToken", "Pearlwort", "PRLW", owner, library),
      "renounced, and a library that it was linked with mints for one address",
      { "token.mintable": yes("the library raises a balance and the supply") },
      () => [renounce]
    ),
    reflecting: open(
      place("ReflectingToken", "Brooklime", "BRKL", owner),
      "whom its owner excludes from rewards has nothing left",
      { "token.balances-seizable": yes("the excluded have what another book says, which nobody filled") }
    ),
    pegged: open(
      place("PeggedToken", "Stonecrop", "STNC", oracle),
      "balances are shares times a price that one address tells an oracle",
      { "token.balances-seizable": yes("a price of nothing leaves everybody with nothing") }
    ),
    permitDoor: open(
      place("PermitDoorToken", "Wall Rue", "WLRU", rewards),
      "a permit of the holder is good, and so is one of another key",
      { "token.allowance-bypass": yes("one key permits in the name of all") }
    ),
    guarded: open(
      place("GuardedToken", "Woundwort", "WNDW", owner, guard),
      "a guard that its owner replaces is asked before each transfer",
      {
        "token.external-call-in-transfer": yes("a transfer calls the guard"),
        "token.pausable": yes("the owner puts a guard there that refuses")
      }
    ),
    pendingOwner: open(
      place("PendingOwnerToken", "Skullcap", "SKLC", owner),
      "renounced, and who was named before comes in when he likes",
      {
        "control.reclaimable": yes("who was named before accepts"),
        "token.tax-changeable": yes("whoever comes in sets a fee")
      },
      () => [{ from: issuer, name: "transferOwnership", args: [rewards] }, renounce]
    ),
    doubleApproval: open(
      place("DoubleApprovalToken", "Pennyroyal", "PNYR", rewards),
      "who approves anybody approves one more address",
      { "token.allowance-bypass": yes("nobody who approves a router meant to approve that address") }
    ),
    forwarderKey: open(
      place("ForwardedToken", "Hound's Tongue", "HNDT", rewards),
      "believes one key about who called",
      { "token.allowance-bypass": yes("that key sends in the name of all") }
    ),
    packedFreeze: open(
      place("PackedFreezeToken", "Bugloss", "BGLS", rewards),
      "a bit of each balance says whether it is frozen, which a hidden address sets",
      { "token.blacklistable": yes("the hidden address sets the bit") }
    ),
    facets: open(facets, "a token in facets that it does not show, which one address changes", {
      "proxy.upgradeable": yes("one address puts other code behind each function")
    }),
    queuedUpgrade: open(
      queuedUpgrade,
      "renounced, and a change of its code that was queued before awaits its time",
      { "proxy.upgradeable": yes("within a hundred days anybody carries it out") },
      () => [{ from: issuer, name: "queue", args: [successor, 100n * day] }, renounce]
    )
  }

  const honest = {
    launchLimit: clean(
      place("LaunchLimitToken", "Meadowsweet", "MDSW"),
      "limited transfers in its first hour, which is over"
    ),
    lean: clean(
      place("LeanToken", "Lady's Mantle", "LDYM"),
      "a lean token with unchecked sums and a permit of its own"
    ),
    seeded: clean(place("SeededToken", "Harebell", "HRBL"), "a token in assembly, with seeds instead of slots"),
    accruing: clean(place("AccruingToken", "Cowslip", "CWSL"), "balances grow by 4 % a year, for ever"),
    policy: clean(place("PolicyToken", "Oxlip", "OXLP"), "anybody carries out a fixed rebase once a day", {
      "token.mintable": yes("a rebase makes more of it, for everybody alike")
    }),
    bridged: clean(place("BridgedToken", "Silverweed", "SLVW", nobody), "could be minted by a bridge, and has none"),
    treasuryFee: clean(
      place("TreasuryFeeToken", "Tormentil", "TRMN", fund),
      "2 % of transfers is for a treasury, for ever",
      { "trade.taxed": yes("2 % of what is sent", { buy_tax_bps: 200, sell_tax_bps: 200, transfer_tax_bps: 200 }) }
    ),
    floor: clean(place("FloorToken", "Eyebright", "EYBR"), "who burns gets his part of the ether that it holds"),
    vested: clean(place("VestedToken", "Betony Sage", "BTNS", fund), "what its team got becomes theirs within a year"),
    payable: clean(place("PayableToken", "Centaury", "CNTR"), "OpenZeppelin's ERC1363"),
    batch: clean(place("BatchToken", "Milkwort", "MLKW"), "sends to many at once"),
    snapshot: clean(place("SnapshotToken", "Scabious", "SCBS"), "remembers what everybody had at marked moments"),
    flash: clean(place("FlashToken", "Lady's Smock", "LDYS"), "OpenZeppelin's ERC20FlashMint"),
    authorized: clean(place("AuthorizedToken", "Agrimony", "AGRM"), "sends by signature (EIP-3009)"),
    facade: clean(facade, "one of many tokens (EIP-6909) as an ERC-20"),
    swapBack: clean(
      place("SwapBackToken", "Yellow Rattle", "YLRT", rewards),
      "3 % of trades, for ever, which a sale sells for a treasury",
      {
        "token.external-call-in-transfer": yes("a sale calls the router"),
        "trade.taxed": yes("3 % of trades", { buy_tax_bps: 300, sell_tax_bps: 300, transfer_tax_bps: 0 })
      }
    ),
    forwarded: clean(
      place("ForwardedToken", "Bird's-Foot", "BRDF", forwarder),
      "believes OpenZeppelin's forwarder about who called"
    ),
    longLocked: clean(place("PausableToken", "Quaking Grass", "QKNG", lock), "pausable by a timelock of thirty days", {
      "token.pausable": yes("the timelock is alive"),
      "control.timelocked": yes("nothing gets around thirty days", { delay_seconds: 30 * 86_400 })
    }),
    share: open(share, "shares of a vault of a plain token (EIP-4626)", {
      ...sellable,
      "token.standard": yes("it behaves as an ERC-4626", { standard: "erc4626" })
    }),
    wrapped: open(wrapped, "a plain token wrapped one for one", sellable)
  }
  script.send({ label: "fund a floor", from: maker, to: honest.floor.address, value: parseEther("50") })
  called(
    { address: honest.swapBack.address, contract: Artifact.own("SwapBackToken") },
    honest.swapBack.pair === undefined ? [] : [{ from: rewards, name: "launch", args: [honest.swapBack.pair] }]
  )
  script.seal()

  return { traps, capabilities, honest }
}

// What the token compares the selector of a call with, for the one that names the pool.
const masking: Hex = "0x4b4b4b4b"

const common: Claims = {
  "token.standard": yes("it behaves as an ERC-20", { standard: "erc20" }),
  "trade.route": yes("it has a Uniswap V2 pair with WETH"),
  "trade.buy-blocked": no("anybody can buy"),
  "liquidity.burned:pair": yes("all shares of the pair are at 0x…dEaD and 0x0")
}

const sellable: Claims = {
  "trade.honeypot": no("anybody can sell what he bought"),
  "trade.sell-limited": no("anybody can sell all of it at once"),
  "trade.holders-blocked": no("every holder can sell"),
  "trade.taxed": no("what is sent arrives", { buy_tax_bps: 0, sell_tax_bps: 0, transfer_tax_bps: 0 })
}

const harmless: Claims = { ...sellable, ...all(powers, no("nobody can do that to a holder")) }

type Groups = ReturnType<typeof write>

/** The name of a target of this module. */
export type Name = keyof Groups["traps"] | keyof Groups["capabilities"] | keyof Groups["honest"]
