import type { Address } from "viem"
import { parseEther } from "viem/utils"
import { type Accounts, burnt, keyless, nobody } from "../chain/Account.js"
import { all, type Claims, no, none, shown, undecidable, yes } from "../truth/Claim.js"

/** A token that was made to be, or not to be, one thing; each with a supply of a million and a pool. */
export interface Specimen {
  readonly group: "trap" | "power" | "honest"
  /** The contract in `contracts/`; its constructor takes name, symbol and supply, and then `args`. */
  readonly contract: string
  readonly title: string
  readonly symbol: string
  readonly args: ReadonlyArray<unknown>
  readonly description: string
  /** What is called after the pool was opened, in this order. */
  readonly calls: (pair: Address) => ReadonlyArray<Call>
  /** Who gets the shares of the pool. */
  readonly shares: Address
  /** Whether it is made among the last things, because it is about what comes next. */
  readonly late: boolean
  readonly claims: Claims
}

/** A call of a token. */
export interface Call {
  readonly from: Address
  readonly name: string
  readonly args: ReadonlyArray<unknown>
}

/** What the specimens are made of, besides themselves. */
export interface Surroundings {
  readonly accounts: Accounts
  readonly safe: Address
  readonly transferCounter: Address
}

/** What there is of each token at first. */
export const supply = parseEther("1000000")

/** Who holds the specimens: 2.8 % of the supply each. Nobody has their keys. */
export const holders: ReadonlyArray<Address> = Array.from({ length: 20 }, (_, index) =>
  keyless(`assay sandbox: holder ${index + 1}`)
)

const day = 86_400
const someHolder = holders[0] ?? nobody
const otherHolder = holders[1] ?? nobody

/** The capabilities of whoever controls a token. */
export const powers = [
  "token.mintable",
  "token.pausable",
  "token.blacklistable",
  "token.whitelist-only",
  "token.tax-changeable",
  "token.limits-changeable",
  "token.balances-seizable",
  "token.allowance-bypass"
] as const

/** What is true of each of them unless it says otherwise: own code that nobody can change, with a deep pool. */
const common: Claims = {
  "token.standard": yes("it behaves as an ERC-20", { standard: "erc20" }),
  "token.metadata-readable": yes("it has all four getters"),
  "token.metadata-anomalous": no("a short name in plain letters"),
  "token.impersonates": no("no listed token has its name or symbol"),
  "token.listed": no("its address is on no list"),
  "contract.functions": yes("its dispatcher lists them"),
  "contract.compiler": yes("the metadata at the end of its code names solc"),
  "contract.known-good-code": no("nobody published this code"),
  "contract.selfdestruct-reachable": no("its code has no SELFDESTRUCT and nobody can change the code"),
  "contract.delegatecall-mutable": no("its code has no DELEGATECALL"),
  "proxy.kind": no("its code has no DELEGATECALL"),
  "proxy.upgradeable": no("its code has no DELEGATECALL"),
  "control.roles": no("it knows no roles"),
  "token.external-call-in-transfer": no("a transfer touches only its own storage"),
  "trade.route": yes("it has a Uniswap V2 pair with WETH"),
  "trade.buy-blocked": no("anybody can buy"),
  "liquidity.pools": yes("it has a Uniswap V2 pair with WETH"),
  "liquidity.fake-pool": no("its pool is where its factory makes it"),
  "liquidity.thin": no("100 ether on the one side"),
  "liquidity.burned:pair": no("the deployer holds the shares of the pair"),
  "liquidity.locked:pair": no("no locker has a share of the pair"),
  "liquidity.lock-expiring:pair": none("no locker has a share of the pair"),
  "liquidity.lock-ends:pair": none("no locker has a share of the pair"),
  "liquidity.held-by-insiders:pair": yes("the deployer holds the shares of the pair"),
  "holders.top": yes("twenty accounts hold 2.8 % each"),
  "holders.concentrated": no("no holder has more than 2.8 %, the pool aside"),
  "holders.insiders": no("neither its deployer nor its owner holds more than 1 %")
}

const untaxed = no("what is sent arrives", { buy_tax_bps: 0, sell_tax_bps: 0, transfer_tax_bps: 0 })

/** What is true of a token that everybody can sell. */
export const sellable: Claims = {
  "trade.honeypot": no("anybody can sell what he bought"),
  "trade.sell-limited": no("anybody can sell all of it at once"),
  "trade.holders-blocked": no("every holder can sell"),
  "trade.taxed": untaxed
}

const agedTax: Claims = {
  "trade.taxed": yes("who sells late gets next to nothing", {
    buy_tax_bps: 0,
    sell_tax_bps: 9_900,
    transfer_tax_bps: 0
  }),
  "trade.environment-dependent": yes("the tax depends on how long the seller has held it")
}

const blocked = (because: string): Claims => ({
  "trade.honeypot": yes(because),
  "trade.sell-limited": yes(because),
  "trade.holders-blocked": yes(because)
})

/** What is true of the control of a contract with a live owner. */
export const ownedBy = (owner: Address, because: string): Claims => ({
  "control.owner": yes("owner() answers it", { owner }),
  "control.controllers": yes(because),
  "control.renounced": no(because),
  "control.hidden": none("ownership was not given up")
})

const owned = (owner: Address): Claims => ({
  ...ownedForGood(owner),
  "control.reclaimable": no("nobody but the owner changes who that is")
})

const ownedForGood = (owner: Address): Claims => ({
  ...ownedBy(owner, "the owner is alive"),
  "control.single-key": yes("the owner is an account with a key"),
  "token.powers-survive-renouncing": none("ownership was not given up")
})

const renounced: Claims = {
  "control.owner": yes("owner() answers the zero address", { owner: nobody }),
  "control.renounced": yes("owner() is the zero address")
}

const abandoned: Claims = {
  ...renounced,
  "control.reclaimable": no("only the owner names the next owner, and there is none"),
  "token.powers-survive-renouncing": no("nobody can change anything any more")
}

const ownerless: Claims = {
  "control.owner": no("it has no getter of an owner"),
  "control.renounced": none("there never was an owner to renounce"),
  "control.hidden": none("there never was an owner to renounce"),
  "control.reclaimable": none("there never was an owner"),
  "token.powers-survive-renouncing": none("there never was an owner to renounce")
}

/** What is true of a token that nobody has any of them over. */
export const powerless = all(powers, no("nobody can do that to a holder"))

/** Of a token with some of the powers: that it has none of the others. */
const notOther = (...held: ReadonlyArray<(typeof powers)[number]>): Claims =>
  all(
    powers.filter((power) => !held.includes(power)),
    no("nobody can do that to a holder")
  )

const unpowered: Claims = {
  "control.controllers": no("nobody has any power over it"),
  "control.single-key": no("there is no power to hold")
}

/** What is true of a token's pool where the deployer kept the shares. */
export const keptShares: Claims = Object.fromEntries(Object.entries(common).filter(([id]) => id.endsWith(":pair")))

const forgone: Claims = {
  "liquidity.burned:pair": yes("all shares of the pair are at 0x…dEaD and 0x0"),
  "liquidity.held-by-insiders:pair": no("nobody can use the shares of the pair")
}

/** What is true of a plain token without an owner, whoever has the shares of its pool. */
export const plainClaims: Claims = {
  ...Object.fromEntries(Object.entries(common).filter(([id]) => !id.endsWith(":pair"))),
  ...sellable,
  ...powerless,
  ...ownerless,
  ...unpowered,
  "trade.environment-dependent": no("a transfer asks for nothing but the balances")
}

/** What is true of a token that its keeper can take off the chain; whether that is a power depends on the fork. */
export const metamorphicClaims: Claims = {
  ...plainClaims,
  "control.controllers": yes("its keeper can end it"),
  "control.single-key": yes("its keeper alone can end it"),
  "contract.selfdestruct-reachable": yes("end() reaches SELFDESTRUCT")
}

const unchangeable = all(
  ["token.pausable", "token.blacklistable", "token.whitelist-only", "token.limits-changeable"],
  no("arm() worked once, and there is no other function")
)

const untouched = (): ReadonlyArray<Call> => []

/** All specimens. Each of them is a token of its own kind; no name says what a token is. */
export const make = ({ accounts, safe, transferCounter }: Surroundings) => {
  const { deployer, issuer, rewards } = accounts

  const trap = (
    contract: string,
    [title, symbol]: readonly [string, string],
    description: string,
    claims: Claims,
    options: {
      readonly args?: ReadonlyArray<unknown>
      readonly calls?: ReadonlyArray<Call>
      readonly renounced?: true
      readonly late?: true
    } = {}
  ): Specimen => ({
    group: "trap",
    contract,
    title,
    symbol,
    args: [issuer, ...(options.args ?? [])],
    description,
    calls: (pair) => [
      { from: issuer, name: "arm", args: [pair] },
      ...(options.calls ?? []),
      ...(options.renounced === undefined ? [] : [{ from: issuer, name: "renounceOwnership", args: [] }])
    ],
    shares: deployer,
    late: options.late === true,
    claims: {
      ...common,
      ...all(
        ["token.mintable", "token.tax-changeable", "token.balances-seizable", "token.allowance-bypass"],
        no("nobody can do that to a holder")
      ),
      ...(options.renounced === undefined ? owned(issuer) : abandoned),
      ...claims
    }
  })

  const power = (
    contract: string,
    [title, symbol]: readonly [string, string],
    description: string,
    claims: Claims,
    options: { readonly args?: ReadonlyArray<unknown>; readonly calls?: ReadonlyArray<Call> } = {}
  ): Specimen => ({
    group: "power",
    contract,
    title,
    symbol,
    args: options.args ?? [issuer],
    description,
    calls: () => options.calls ?? [],
    shares: deployer,
    late: false,
    claims: { ...common, ...sellable, ...claims }
  })

  const honest = (
    contract: string,
    [title, symbol]: readonly [string, string],
    description: string,
    claims: Claims,
    options: { readonly args?: ReadonlyArray<unknown>; readonly calls?: Specimen["calls"] } = {}
  ): Specimen => ({
    group: "honest",
    contract,
    title,
    symbol,
    args: options.args ?? [],
    description,
    calls: options.calls ?? untouched,
    shares: burnt,
    late: false,
    claims: {
      ...common,
      ...sellable,
      ...powerless,
      ...forgone,
      ...ownerless,
      ...unpowered,
      "trade.environment-dependent": no("a transfer asks for nothing but the balances"),
      ...claims
    }
  })

  const givenUp: Claims = {
    ...renounced,
    "control.hidden": no("nobody else was given a power"),
    "control.reclaimable": no("only the owner names the next owner, and there is none"),
    "token.powers-survive-renouncing": no("there is no power left")
  }
  const giveUp: Call = { from: issuer, name: "renounceOwnership", args: [] }

  return {
    renouncedTrap: trap(
      "RenouncedTrapToken",
      ["Nightshade", "NSHD"],
      "renounced, and only one address can sell",
      { ...unchangeable, ...blocked("a transfer into the pair reverts") },
      { args: [rewards], renounced: true }
    ),
    snare: trap("SnareToken", ["Bladderwort", "BLDW"], "whoever buys is put on a list of those who cannot sell", {
      "trade.honeypot": yes("who bought from the pair cannot send to it"),
      "token.blacklistable": shown("the owner lists whom he likes", issuer, "setSnared", someHolder, true)
    }),
    contractTrap: trap(
      "ContractTrapToken",
      ["Waterwheel", "WTRW"],
      "accounts with code cannot sell",
      { ...unchangeable, ...sellable, "trade.environment-dependent": yes("people can sell, contracts cannot") },
      { renounced: true }
    ),
    delayedTrap: trap(
      "LapsingToken",
      ["Cobra Lily", "CBRA"],
      "could be sold for a day after its launch, and never since",
      { ...unchangeable, ...blocked("sales were closed a day after its launch") },
      { args: [BigInt(day)] }
    ),
    closingTrap: trap(
      "LapsingToken",
      ["Pitfall Lily", "PTFL"],
      "can be sold for half a day after its launch, which was an hour ago",
      {
        ...unchangeable,
        ...sellable,
        "trade.honeypot": yes("who buys now cannot sell from tomorrow on"),
        "trade.sell-limited": yes("from tomorrow on nothing can be sold"),
        "trade.holders-blocked": yes("from tomorrow on no holder can sell"),
        "trade.environment-dependent": yes("it compares the time with that of its launch")
      },
      { args: [BigInt(day / 2)], late: true }
    ),
    lateLapse: trap(
      "LapsingToken",
      ["Corpse Lily", "CRPL"],
      "can be sold for ninety days after its launch",
      {
        ...unchangeable,
        ...sellable,
        "trade.honeypot": yes("who buys now cannot sell after three months", { since: "in_a_year" }),
        "trade.sell-limited": yes("after three months nothing can be sold"),
        "trade.holders-blocked": yes("after three months no holder can sell", { since: "in_a_year" }),
        "trade.environment-dependent": yes("it compares the time with that of its launch")
      },
      { args: [BigInt(90 * day)] }
    ),
    blockAgeTax: trap(
      "BlockAgeTaxToken",
      ["Cheat Grass", "CHTG"],
      "renounced, and takes 99 % of a sale more than five hundred blocks after its purchase",
      { ...unchangeable, ...sellable, ...agedTax },
      { renounced: true }
    ),
    ageTax: trap(
      "AgeTaxToken",
      ["Darnel", "DRNL"],
      "renounced, and takes 99 % of a sale more than sixty days after its purchase",
      { ...unchangeable, ...sellable, ...agedTax },
      { renounced: true }
    ),
    clock: trap(
      "ClockToken",
      ["Goat's Beard", "GTBD"],
      "renounced, and can be sold only where time goes by faster than blocks",
      {
        ...unchangeable,
        ...blocked("since a purchase no more than a minute a block went by"),
        "trade.holders-blocked": no("nobody has bought yet, so that every holder still can sell")
      },
      { renounced: true }
    ),
    grudge: trap(
      "GrudgeToken",
      ["Jimsonweed", "JMSN"],
      "renounced, and whoever held it at its launch cannot sell after three hundred days",
      {
        ...unchangeable,
        ...sellable,
        ...all(
          ["token.blacklistable", "token.powers-survive-renouncing"],
          undecidable(
            "a transfer puts who receives it on a list, and that it did so before the launch alone is not seen"
          )
        ),
        "trade.holders-blocked": yes("after three hundred days no holder can sell", { since: "in_a_year" })
      },
      { renounced: true }
    ),
    gasPriceTrap: trap("GasPriceTrapToken", ["Corkscrew", "CRKS"], "can be sold only where gas has no price", {
      ...unchangeable,
      ...blocked("a sale in a block pays for its gas and reverts"),
      "trade.environment-dependent": yes("it compares the gas price with zero")
    }),
    coinbaseTrap: trap(
      "CoinbaseTrapToken",
      ["Monkey Cup", "MCUP"],
      "can be sold only in a block that nobody proposed",
      {
        ...unchangeable,
        ...blocked("a block has a proposer, and a sale in it reverts"),
        "trade.environment-dependent": yes("it compares the proposer with the zero address")
      }
    ),
    baseFeeTrap: trap("BaseFeeTrapToken", ["Rainbow Plant", "RNBW"], "can be sold only in a block without a base fee", {
      ...unchangeable,
      ...blocked("a block has a base fee, and a sale in it reverts"),
      "trade.environment-dependent": yes("it compares the base fee with zero")
    }),
    originTrap: trap("OriginTrapToken", ["Dewy Pine", "DEWY"], "can be sold by what looks like a simulator", {
      ...unchangeable,
      ...blocked("an account that signs its own sale is refused"),
      "trade.environment-dependent": yes("it asks for the seller's code and for who signed")
    }),
    wealthTrap: trap("WealthTrapToken", ["Sea Lavender", "SLVD"], "can be sold only by who owns much ether", {
      ...unchangeable,
      "trade.honeypot": undecidable("some buyers can sell and others cannot"),
      "trade.taxed": untaxed,
      "trade.environment-dependent": yes("it compares the ether of the seller with a sum")
    }),
    firstSales: trap("FirstSalesToken", ["Venus Fly", "VNSF"], "lets three hundred sales through and no more", {
      ...unchangeable,
      "trade.honeypot": undecidable("whether a buyer can sell is up to how many do before him"),
      "trade.sell-limited": undecidable("whether a buyer can sell is up to how many do before him"),
      "trade.holders-blocked": no("every holder can sell, as long as not all of them do"),
      "trade.taxed": untaxed,
      "trade.environment-dependent": yes("after three hundred sales there is none")
    }),
    salesBudget: trap("SalesBudgetToken", ["Butterbush", "BTBS"], "all sales together may be of 2 % of the supply", {
      ...unchangeable,
      "trade.honeypot": undecidable("whether a buyer can sell is up to how much others do before him"),
      "trade.sell-limited": yes("no more than 2 % of the supply can be sold, however much one holds"),
      "trade.holders-blocked": no("every holder can sell a little, as long as not all of them do"),
      "trade.taxed": untaxed,
      "trade.environment-dependent": yes("after so many sales there is none")
    }),
    growingTax: trap("GrowingTaxToken", ["Hogweed", "HGWD"], "its tax on sales grows with their number", {
      ...unchangeable,
      ...sellable,
      "trade.environment-dependent": yes("after ten thousand sales it takes 99 %")
    }),
    gasBurner: trap("GasBurnToken", ["Stinging Nettle", "NTTL"], "a sale burns all of its gas and fails", {
      ...unchangeable,
      ...blocked("a transfer into the pair runs out of gas")
    }),
    falseTransfer: trap(
      "FalseToken",
      ["Sweet Vernal", "VRNL"],
      "a sale answers false and moves nothing",
      { ...unchangeable, ...blocked("a transfer into the pair answers false") },
      { renounced: true }
    ),
    members: trap("MembersToken", ["Mistletoe", "MSTL"], "only those whom the owner chose can trade", {
      "token.whitelist-only": yes("a stranger can neither send nor receive"),
      "trade.buy-blocked": yes("a stranger can receive nothing"),
      "trade.honeypot": undecidable("nobody who could be tried can buy"),
      "trade.holders-blocked": yes("no holder was chosen"),
      "trade.taxed": undecidable("nobody who could be tried can buy")
    }),
    sellers: trap("SellersToken", ["Broomrape", "BRMR"], "anybody buys, only those whom the owner chose sell", {
      ...blocked("a seller has to be on a list"),
      "token.whitelist-only": yes("a stranger cannot sell, whom the owner chose can")
    }),
    tradingSwitch: trap(
      "SwitchToken",
      ["Toothwort", "TTHW"],
      "the owner opens and closes trading; it is open",
      { ...sellable, "token.pausable": shown("the owner closes it again", issuer, "setOpen", false) },
      { calls: [{ from: issuer, name: "setOpen", args: [true] }] }
    ),
    notLaunched: trap("SwitchToken", ["Pinesap", "PNSP"], "the owner has not opened trading", {
      "token.pausable": yes("the owner opens and closes trading"),
      "trade.buy-blocked": yes("trading is closed"),
      "trade.honeypot": undecidable("nobody can buy yet"),
      "trade.holders-blocked": yes("trading is closed"),
      "trade.taxed": undecidable("nobody can buy yet")
    }),
    halfSale: trap("HalfSaleToken", ["Dodderlaurel", "DDRL"], "nobody sells more than half of what he has at a time", {
      ...unchangeable,
      ...sellable,
      "trade.sell-limited": yes("a sale of everything reverts, one of half of it does not"),
      "trade.holders-blocked": no("every holder can sell half of it")
    }),
    throttle: trap(
      "ThrottleToken",
      ["Ghost Pipe", "GHPP"],
      "the owner limits what is moved at a time, also to nothing",
      {
        ...sellable,
        "token.limits-changeable": shown("the owner sets any limit", issuer, "setMaxTransfer", 0n)
      }
    ),
    antiWhale: trap(
      "AntiWhaleToken",
      ["Sea Holly", "SHLY"],
      "nobody gets to hold more than 2 %, and nobody can change that",
      { ...sellable, ...all(powers, no("nobody can change anything")) },
      { renounced: true }
    ),

    cappedTax: power("CappedTaxToken", ["Ragwort", "RGWT"], "no tax now; the owner can set up to 5 %", {
      ...notOther("token.tax-changeable"),
      ...owned(issuer),
      "token.tax-changeable": shown("the owner sets a tax, of 5 % at most", issuer, "setTax", 500n)
    }),
    personalTax: power("PersonalTaxToken", ["Thistle", "THST"], "the owner sets the tax of each holder", {
      ...notOther("token.tax-changeable", "token.blacklistable", "token.pausable"),
      ...owned(issuer),
      "token.tax-changeable": shown("of any holder, up to everything", issuer, "setTaxOf", someHolder, 10_000n)
    }),
    cappedMint: power("CappedMintToken", ["Bracken", "BRKN"], "one key mints up to as much again", {
      ...notOther("token.mintable"),
      ...owned(issuer),
      "token.mintable": shown("the owner mints up to the cap", issuer, "mint", issuer, supply)
    }),
    mintedVotes: power("MintedVotesToken", ["Melilot", "MLLT"], "one key mints, and votes go with balances", {
      ...notOther("token.mintable"),
      ...owned(issuer),
      "token.mintable": shown("the owner mints to anybody", issuer, "mint", someHolder, supply)
    }),
    capReached: power(
      "CapReachedToken",
      ["Woodruff", "WDRF"],
      "one key may mint up to a cap, and as much was minted in the beginning",
      { ...notOther(), ...owned(issuer) }
    ),
    capRefilled: power(
      "CapRefilledToken",
      ["Cleavers", "CLVR"],
      "the same, and one key mints again what holders burn",
      {
        ...notOther("token.mintable"),
        ...owned(issuer),
        "token.mintable": yes("the owner mints what was burnt")
      }
    ),
    mintFinished: power(
      "MintFinishedToken",
      ["Bedstraw", "BDST"],
      "one key minted until it finished minting for good",
      { ...notOther(), ...owned(issuer) },
      { calls: [{ from: issuer, name: "finishMinting", args: [] }] }
    ),
    mintResumed: power(
      "MintResumedToken",
      ["Catchweed", "CTCW"],
      "one key finished minting, and begins again when it likes",
      {
        ...notOther("token.mintable"),
        ...owned(issuer),
        "token.mintable": yes("the owner resumes minting and mints")
      },
      { calls: [{ from: issuer, name: "finishMinting", args: [] }] }
    ),
    seizing: power("SeizingToken", ["Burdock", "BRDK"], "the owner moves the tokens of others", {
      ...notOther("token.balances-seizable"),
      ...owned(issuer),
      "token.balances-seizable": shown("without an allowance", issuer, "recover", someHolder, issuer, supply / 100n)
    }),
    burnAny: power("BurnAnyToken", ["Hemlock", "HMLK"], "the owner burns the tokens of others", {
      ...notOther("token.balances-seizable"),
      ...owned(issuer),
      "token.balances-seizable": shown("without an allowance", issuer, "burn", someHolder, supply / 100n)
    }),
    dustBurn: power(
      "DustBurnToken",
      ["Sneezewort", "SNZW"],
      "one address sends a single unit, and the receiver has nothing left",
      {
        ...notOther("token.balances-seizable"),
        ...ownerless,
        "control.single-key": yes("the address in the code is an account with a key"),
        "token.balances-seizable": shown("by an address in the code", rewards, "transfer", someHolder, 1n)
      },
      { args: [rewards] }
    ),
    ownDust: power(
      "OwnDustToken",
      ["Yarrow", "YRRW"],
      "one address sends a single unit, and has nothing left itself",
      // Its code does not say whether that address is a pool. If it is, transfers from it are purchases.
      { ...notOther("token.tax-changeable"), ...ownerless },
      { args: [rewards] }
    ),
    lateMarket: power(
      "LateMarketToken",
      ["Fleabane", "FLBN"],
      "what is sent to whom the owner lists is taxed by 99 %",
      {
        ...notOther("token.tax-changeable", "token.blacklistable"),
        ...owned(issuer),
        "token.tax-changeable": shown("any account that he lists", issuer, "setMarket", otherHolder, true)
      }
    ),
    marketFee: power(
      "MarketFeeToken",
      ["Goosegrass", "GSGR"],
      "sales to pairs that the owner lists burn 2 %, which he spares whom he likes",
      { ...notOther(), ...owned(issuer) },
      { calls: [{ from: issuer, name: "excludeFromFees", args: [rewards, true] }] }
    ),
    epoch: power(
      "EpochToken",
      ["Moonwort", "MNWT"],
      "one address begins a new period, in which nobody has anything",
      {
        ...notOther("token.balances-seizable"),
        ...ownerless,
        "control.single-key": yes("the address in the code is an account with a key"),
        "token.balances-seizable": shown("balances are those of the period", rewards, "roll")
      },
      { args: [rewards] }
    ),
    edition: power(
      "EditionToken",
      ["Adderwort", "ADDR"],
      "one address counts periods, and balances are of the first",
      { ...notOther(), ...ownerless },
      { args: [rewards] }
    ),
    poolDrain: power("PoolDrainToken", ["Spurge", "SPRG"], "the owner burns what the pool holds and syncs it", {
      ...notOther("token.balances-seizable"),
      ...owned(issuer),
      "token.balances-seizable": yes("the owner burns the tokens of the pool")
    }),
    hiddenOperator: power(
      "HiddenOperatorToken",
      ["Foxglove", "FXGL"],
      "renounced, and a hidden address freezes accounts",
      {
        ...notOther("token.blacklistable", "token.pausable"),
        ...renounced,
        "control.controllers": yes("an address in a private slot still freezes"),
        "control.hidden": yes("an address in a private slot still freezes"),
        "control.single-key": yes("the hidden address is an account with a key"),
        "token.blacklistable": shown("by the hidden address", rewards, "configure", someHolder, true),
        "token.powers-survive-renouncing": yes("freezing does")
      },
      { args: [issuer, rewards], calls: [giveUp] }
    ),
    hashedOperator: power(
      "HashedOperatorToken",
      ["Wolfsbane", "WLFB"],
      "renounced, and who hashes to a number in its code freezes accounts",
      {
        ...notOther("token.blacklistable"),
        ...renounced,
        "control.reclaimable": no("only the owner names the next owner, and there is none"),
        "control.controllers": undecidable("whose hash it is cannot be told from the hash"),
        "control.hidden": undecidable("whose hash it is cannot be told from the hash"),
        "control.single-key": undecidable("whose hash it is cannot be told from the hash"),
        "token.blacklistable": shown("by whom the hash is of", rewards, "sync", someHolder, 1n),
        "token.powers-survive-renouncing": yes("freezing does")
      },
      { args: [issuer, rewards], calls: [giveUp] }
    ),
    signedPause: power(
      "SignedPauseToken",
      ["Mezereon", "MZRN"],
      "renounced, and whoever has a signature of one key stops transfers",
      {
        ...notOther("token.pausable"),
        ...renounced,
        "control.reclaimable": no("only the owner names the next owner, and there is none"),
        "control.controllers": yes("the key signs for whoever stops transfers"),
        "control.hidden": yes("the key signs for whoever stops transfers"),
        "control.single-key": yes("one key signs"),
        "token.pausable": yes("with a signature of the key"),
        "token.powers-survive-renouncing": yes("stopping transfers does")
      },
      { args: [issuer, rewards], calls: [giveUp] }
    ),
    signedMint: power(
      "SignedMintToken",
      ["Cuckoopint", "CKPT"],
      "renounced, and whoever has a signature of one key mints",
      {
        ...notOther("token.mintable"),
        ...renounced,
        "control.reclaimable": no("only the owner names the next owner, and there is none"),
        "control.controllers": yes("the key signs for whoever mints"),
        "control.hidden": yes("the key signs for whoever mints"),
        "control.single-key": yes("one key signs"),
        "token.mintable": yes("with a signature of the key"),
        "token.powers-survive-renouncing": yes("minting does")
      },
      { args: [issuer, rewards], calls: [giveUp] }
    ),
    reclaimable: power(
      "ReclaimableToken",
      ["Bindweed", "BNDW"],
      "looks renounced, and the last owner takes it back",
      {
        ...notOther("token.pausable"),
        ...renounced,
        "control.hidden": yes("the last owner, in a private slot, takes it back"),
        "token.pausable": yes("whoever takes ownership back can pause"),
        "token.powers-survive-renouncing": yes("whoever takes ownership back can pause"),
        "control.reclaimable": shown("unlock() makes the last owner owner again", issuer, "unlock"),
        "control.single-key": yes("the last owner is an account with a key")
      },
      { calls: [{ from: issuer, name: "lock", args: [BigInt(day)] }] }
    ),
    allowanceBackdoor: power(
      "AllowanceBackdoorToken",
      ["Hellebore", "HLLB"],
      "one address moves anybody's tokens without an allowance",
      {
        ...notOther("token.allowance-bypass"),
        ...ownerless,
        "control.single-key": yes("the address in the code is an account with a key"),
        "token.allowance-bypass": shown(
          "an address in the code needs no allowance",
          rewards,
          "transferFrom",
          someHolder,
          otherHolder,
          1_000n
        )
      },
      { args: [rewards] }
    ),
    namespaced: power("NamespacedToken", ["Larkspur", "LRKS"], "pausable by one key, in storage of EIP-7201", {
      ...notOther("token.pausable"),
      ...owned(issuer),
      "token.pausable": shown("the owner can pause", issuer, "pause")
    }),
    roleMinter: power(
      "RoleToken",
      ["Monkshood", "MNKH"],
      "a Safe gives out roles, and one key has that to mint",
      {
        ...notOther("token.mintable"),
        ...ownerless,
        "control.controllers": yes("two roles have members"),
        "control.roles": yes("the Safe administers, one account mints"),
        "control.single-key": yes("the minter is an account with a key"),
        "token.mintable": shown("the minter is alive", rewards, "mint", rewards, supply)
      },
      { args: [safe, rewards] }
    ),
    hooked: power(
      "HookToken",
      ["Honeydew", "HNYD"],
      "tells another contract of each transfer",
      {
        ...ownerless,
        "token.external-call-in-transfer": yes("a transfer calls the counter first"),
        ...all(
          ["token.mintable", "token.blacklistable", "token.balances-seizable", "token.allowance-bypass"],
          no("nobody can do that to a holder")
        )
      },
      { args: [transferCounter] }
    ),
    phantom: power("PhantomToken", ["Belladonna", "BLDN"], "its owner holds as much again, which no event shows", {
      ...notOther(),
      ...ownedForGood(issuer),
      "holders.insiders": yes("the owner holds as much as there is"),
      "holders.concentrated": yes("the owner holds as much as there is")
    }),
    rebasing: power("RebasingToken", ["Quicksilver Fern", "QFRN"], "the owner sets how much a share is worth", {
      ...notOther("token.mintable", "token.balances-seizable", "token.pausable", "token.limits-changeable"),
      ...ownedForGood(issuer),
      "token.mintable": shown("a higher index makes more of it", issuer, "setIndex", 2n * 10n ** 18n)
    }),
    homoglyph: power(
      "PlainToken",
      ["USD Соin", "USDС"],
      "calls itself USDC in letters of two alphabets",
      {
        ...ownerless,
        ...powerless,
        "token.impersonates": yes("it reads as USDC at another address"),
        "token.metadata-anomalous": yes("letters of two alphabets in one word")
      },
      { args: [] }
    ),
    lure: power(
      "PlainToken",
      ["Visit tundra-claim.example to claim rewards", "TUNDRA-CLAIM.EXAMPLE"],
      "its name sends its holders to a page",
      { ...ownerless, ...powerless, "token.metadata-anomalous": yes("the address of a page in its name") },
      { args: [] }
    ),

    renouncedPlain: honest(
      "OwnedToken",
      ["Beech", "BCH3"],
      "a fixed supply, renounced, all pool shares burned",
      { ...givenUp },
      { args: [issuer], calls: () => [giveUp] }
    ),
    mintOver: honest(
      "CappedMintToken",
      ["Chestnut", "CHST"],
      "could be minted by an owner who renounced",
      { ...givenUp, "token.mintable": no("only the owner could mint, and there is none") },
      { args: [issuer], calls: () => [giveUp] }
    ),
    fixedFee: honest("FixedFeeToken", ["Hornbeam", "HRNB"], "burns 3 % of every transfer, for ever", {
      "trade.taxed": yes("it burns 3 % of every transfer", {
        buy_tax_bps: 300,
        sell_tax_bps: 300,
        transfer_tax_bps: 300
      })
    }),
    counting: honest(
      "CountingToken",
      ["Rowan Jay", "RWJY"],
      "counts its transfers, and does nothing with the count",
      {}
    ),
    fallingTax: honest("FallingTaxToken", ["Spindleberry", "SPBR"], "burns 5 % of its first thousand transfers", {
      "trade.taxed": yes("it burns 5 % of every transfer", {
        buy_tax_bps: 500,
        sell_tax_bps: 500,
        transfer_tax_bps: 500
      }),
      "trade.environment-dependent": yes("after a thousand transfers it burns nothing")
    }),
    noted: honest(
      "NotedToken",
      ["Fieldfare", "FDFR"],
      "renounced, and writes down who bought in a block, who sells in a later one",
      { ...givenUp, "trade.environment-dependent": yes("who bought in a block cannot sell in it") },
      { args: [issuer], calls: (pair) => [{ from: issuer, name: "arm", args: [pair] }, giveUp] }
    ),
    tenure: honest(
      "TenureToken",
      ["Waxwing", "WXWG"],
      "tells for how long who sends it held it, and lets its maker's half percent go within a year",
      {},
      { args: [rewards] }
    ),
    launchTax: honest(
      "LaunchTaxToken",
      ["Goldcrest", "GDCR"],
      "renounced, and burns 5 % of trades until it was bought twenty-five times",
      {
        ...givenUp,
        "trade.taxed": yes("it burns 5 % of what is traded", {
          buy_tax_bps: 500,
          sell_tax_bps: 500,
          transfer_tax_bps: 0
        }),
        "trade.environment-dependent": yes("after twenty-five purchases it burns nothing")
      },
      { args: [issuer], calls: (pair) => [{ from: issuer, name: "arm", args: [pair] }, giveUp] }
    ),
    burnable: honest("BurnableToken", ["Aspen", "ASPN"], "OpenZeppelin's ERC20Burnable", {}),
    permit: honest("PermitToken", ["Linden", "LNDN"], "OpenZeppelin's ERC20Permit", {}),
    votes: honest("VotesToken", ["Walnut", "WLNT"], "OpenZeppelin's ERC20Votes", {})
  } as const satisfies Readonly<Record<string, Specimen>>
}

/** The name of a specimen. */
export type Name = keyof ReturnType<typeof make>
