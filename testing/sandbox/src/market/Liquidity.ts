import type { Address } from "viem"
import { getContractAddress, parseEther } from "viem/utils"
import { nobody } from "../chain/Account.js"
import * as Artifact from "../chain/Artifact.js"
import type { Made, Stage } from "../Stage.js"
import { holders, plainClaims, supply } from "../tokens/Specimens.js"
import { type Claims, no, none, undecidable, yes } from "../truth/Claim.js"
import { addresses, artifacts } from "./Infrastructure.js"
import * as Pool from "./Pool.js"
import * as Position from "./Position.js"
import * as Providers from "./Providers.js"

const year = 31_536_000
const day = 86_400
const v3Fee = 3_000

// Less an hour, at the head of the chain.
const endingWithin = 3 * day

const squareRoot = (value: bigint): bigint => {
  let root = value
  for (let next = (value + 1n) / 2n; next < root; next = (next + value / next) / 2n) root = next
  return root
}

/** What a pair mints to its first provider: the geometric mean less the 1000 that it burns. */
const firstShares = (amount: bigint, ether: bigint): bigint => squareRoot(amount * ether) - 1_000n

/** Traded on Uniswap V3 alone: what is true of that pool, and what is true of the token. */
export const onV3 = (address: Address, description: string, ofPool: Claims, claims: Claims = {}): Made => {
  const pool = Pool.v3Address(address, addresses.weth, v3Fee)
  return {
    address,
    description,
    claims: {
      ...plainClaims,
      "trade.route": yes("it has a Uniswap V3 pool with WETH"),
      ...claims,
      ...Object.fromEntries(Object.entries(ofPool).map(([id, claim]) => [`${id}:${pool}`, claim]))
    }
  }
}

/** Puts tokens on the chain that differ only in who has the shares of their pool, and in who has them. */
export const write = ({ script, accounts, approve, launch }: Stage) => {
  const { deployer, issuer } = accounts
  const plain = Artifact.own("PlainToken")
  const trap = Artifact.own("HoneypotToken")
  const uncx = Artifact.own("UncxLocker")
  const pink = Artifact.own("PinkLocker")
  const team = Artifact.own("TeamFinanceLocker")
  const shares = firstShares((supply * 43n) / 100n, parseEther("100"))

  const token = (name: string, symbol: string): Address =>
    script.deploy({ from: deployer, contract: plain, args: [name, symbol, supply] })

  const lockUncx = (pair: Address, amount: bigint, until: number): void => {
    approve(deployer, pair, addresses.uncxLocker, amount)
    script.call({
      from: deployer,
      to: addresses.uncxLocker,
      contract: uncx,
      name: "lockLPToken",
      args: [pair, amount, BigInt(until), nobody, true, issuer]
    })
  }

  const lockPink = (pair: Address, amount: bigint, until: number): void => {
    approve(deployer, pair, addresses.pinkLocker, amount)
    script.call({
      from: deployer,
      to: addresses.pinkLocker,
      contract: pink,
      name: "lock",
      args: [issuer, pair, true, amount, BigInt(until), "liquidity"],
      gas: 800_000n
    })
  }

  const lockTeam = (pair: Address, amount: bigint, until: number): void => {
    approve(deployer, pair, addresses.teamFinanceLocker, amount)
    script.call({
      from: deployer,
      to: addresses.teamFinanceLocker,
      contract: team,
      name: "lockToken",
      args: [pair, issuer, amount, BigInt(until), false, nobody],
      gas: 800_000n
    })
  }

  // The pool of WETH and USDC has the first.
  let positions = BigInt(Providers.accounts.length)

  /** Opens a pool of Uniswap V3 with a position of the deployer over all prices; returns its number. */
  const openPosition = (token: Address): bigint => {
    const { weth: wrapped, uniswapV3PositionManager: manager } = addresses
    const offered = { token: (supply * 43n) / 100n, weth: parseEther("100") }
    const isFirst = token.toLowerCase() < wrapped.toLowerCase()
    const [token0, token1] = isFirst ? [token, wrapped] : [wrapped, token]
    const [amount0, amount1] = isFirst ? [offered.token, offered.weth] : [offered.weth, offered.token]
    script.call({ from: deployer, to: wrapped, contract: artifacts().weth, name: "deposit", value: offered.weth })
    approve(deployer, wrapped, manager, offered.weth)
    approve(deployer, token, manager, offered.token)
    Position.open(script, {
      from: deployer,
      to: deployer,
      token0,
      token1,
      fee: v3Fee,
      sqrtPrice: squareRoot((amount1 << 192n) / amount0),
      ticks: [-887_220, 887_220],
      amount0,
      amount1
    })
    positions += 1n
    return positions
  }

  const lockPosition = (id: bigint, until: number): void => {
    const { uncxPositionLocker: locker, uniswapV3PositionManager: manager } = addresses
    const contract = artifacts().v3PositionManager
    script.call({ from: deployer, to: manager, contract, name: "approve", args: [locker, id] })
    script.call({
      from: deployer,
      to: locker,
      contract: Artifact.own("UncxPositionLocker"),
      name: "lock",
      args: [
        {
          nftPositionManager: manager,
          nft_id: id,
          dustRecipient: deployer,
          owner: issuer,
          additionalCollector: nobody,
          collectAddress: issuer,
          unlockDate: BigInt(until),
          countryCode: 0,
          feeName: "DEFAULT",
          r: []
        }
      ],
      gas: 800_000n
    })
  }

  const made = (address: Address, pair: Address | undefined, description: string, claims: Claims): Made => ({
    address,
    pair,
    description,
    claims: { ...plainClaims, ...claims }
  })

  const inDeployersHands = no("the shares of the pair are not the deployer's to use")
  const lockedUntil = (because: string): Claims => ({
    "liquidity.locked:pair": yes(because),
    "liquidity.lock-expiring:pair": no("the first lock ends in more than half a year"),
    "liquidity.lock-ends:pair": yes("whoever locked it takes it out from then on"),
    "liquidity.burned:pair": no("a locker holds the shares of the pair"),
    "liquidity.held-by-insiders:pair": inDeployersHands
  })

  const takenOut: Claims = {
    "trade.route": yes("a pair keeps the shares that it burned at first, and what is theirs"),
    "trade.buy-blocked": no("anybody can buy"),
    "liquidity.pools": yes("it has a Uniswap V2 pair with WETH"),
    "liquidity.thin": yes("a few wei on the one side"),
    "liquidity.held-by-insiders:pair": undecidable("nothing is left to be held, since it was taken out"),
    "liquidity.withdrawn:pair": yes("the deployer provided all of it and took it out"),
    "holders.top": yes("the deployer holds what was in the pool"),
    "holders.insiders": yes("the deployer holds what was in the pool"),
    "holders.concentrated": yes("the deployer holds what was in the pool")
  }

  const lockedUncx = token("Myrtle", "MYRT")
  const lockedUncxPair = launch(lockedUncx, { shares: deployer })
  const lockedPink = token("Mulberry", "MLBR")
  const lockedPinkPair = launch(lockedPink, { shares: deployer })
  const lockedTeam = token("Medlar", "MDLR")
  const lockedTeamPair = launch(lockedTeam, { shares: deployer })
  const lockExpired = token("Quince", "QNCE")
  const lockExpiredPair = launch(lockExpired, { shares: deployer })
  const lockEnding = token("Damson", "DMSN")
  const lockEndingPair = launch(lockEnding, { shares: deployer })
  const lockUnreadable = token("Sloe", "SLOE")
  const lockUnreadablePair = launch(lockUnreadable, { shares: deployer })
  const vestedShares = token("Bullace", "BLLC")
  const vestedSharesPair = launch(vestedShares, { shares: deployer })
  const thinPool = token("Tamarisk", "TMRX")
  const thinPoolPair = launch(thinPool, { shares: deployer, ether: parseEther("0.5") })
  const whale = token("Whitebeam", "WHTB")
  const [someHolder = nobody] = holders
  script.call({
    from: deployer,
    to: whale,
    contract: plain,
    name: "transfer",
    args: [someHolder, (supply * 35n) / 100n]
  })
  const whalePair = launch(whale, { shares: deployer, amount: (supply * 8n) / 100n })
  const emptied = token("Bindweed", "BNDW")
  const emptiedPair = launch(emptied, { shares: deployer })
  const emptiedTrap = script.deploy({
    from: deployer,
    contract: trap,
    args: ["Butterbur", "BTRB", supply, issuer]
  })
  const emptiedTrapPair = launch(emptiedTrap, { shares: deployer })
  script.call({ from: issuer, to: emptiedTrap, contract: trap, name: "setPair", args: [emptiedTrapPair] })
  script.seal()

  for (const pair of [emptiedPair, emptiedTrapPair]) {
    script.call({ from: deployer, to: pair, contract: artifacts().v2Pair, name: "transfer", args: [pair, shares] })
    script.call({ from: deployer, to: pair, contract: artifacts().v2Pair, name: "burn", args: [deployer] })
  }
  script.seal()

  lockUncx(lockedUncxPair, shares, script.now() + year)
  lockPink(lockedPinkPair, (shares * 6n) / 10n, script.now() + year)
  lockPink(lockedPinkPair, shares - (shares * 6n) / 10n, script.now() + 2 * year)
  lockTeam(lockedTeamPair, shares, script.now() + year)
  lockUncx(lockExpiredPair, shares, script.now() + 5 * day)
  script.call({
    from: deployer,
    to: lockUnreadablePair,
    contract: artifacts().v2Pair,
    name: "transfer",
    args: [addresses.uncxLocker, shares]
  })
  const vesting = script.deploy({
    from: deployer,
    contract: Artifact.openZeppelin("VestingWallet"),
    args: [issuer, BigInt(script.now() + year), BigInt(year)]
  })
  script.call({
    from: deployer,
    to: vestedSharesPair,
    contract: artifacts().v2Pair,
    name: "transfer",
    args: [vesting, shares]
  })

  // The pair has to know the token, and the token the pair.
  const fakePair = getContractAddress({ from: deployer, nonce: BigInt(script.nonce(deployer) + 1) })
  const fakePool = script.deploy({
    from: deployer,
    contract: Artifact.own("MispairedToken"),
    args: ["Deadnettle", "DDNT", supply, fakePair]
  })
  script.deploy({
    from: deployer,
    contract: Artifact.own("FakePair"),
    args: [addresses.uniswapV2Factory, fakePool, addresses.weth]
  })
  const onlyV3 = token("Spindle", "SPDL")
  for (const to of holders)
    script.call({ from: deployer, to: onlyV3, contract: plain, name: "transfer", args: [to, (supply * 28n) / 1_000n] })
  openPosition(onlyV3)
  const lockedV3 = token("Bryony", "BRYN")
  const lockedV3Position = openPosition(lockedV3)
  const lockEndedV3 = token("Bistort", "BSTR")
  const lockEndedV3Position = openPosition(lockEndedV3)
  for (const each of [lockedV3, lockEndedV3])
    for (const to of holders)
      script.call({ from: deployer, to: each, contract: plain, name: "transfer", args: [to, (supply * 28n) / 1_000n] })
  script.seal()

  lockPosition(lockedV3Position, script.now() + year)
  lockPosition(lockEndedV3Position, script.now() + 4 * day)
  script.seal()

  return {
    /** Locks the shares of `lockEnding`, for a few days from now. */
    finish: (): void => {
      lockPink(lockEndingPair, shares, script.now() + endingWithin)
    },
    targets: {
      lockedUncx: made(
        lockedUncx,
        lockedUncxPair,
        "all pool shares locked in UNCX for a year",
        lockedUntil("one lock of all shares, for a year from its launch")
      ),
      lockedPink: made(
        lockedPink,
        lockedPinkPair,
        "all pool shares in two locks of PinkLock",
        lockedUntil("one lock of 60 % for a year, one of 40 % for two")
      ),
      lockedTeam: made(
        lockedTeam,
        lockedTeamPair,
        "all pool shares locked with Team Finance for a year",
        lockedUntil("one lock of all shares, for a year from its launch")
      ),
      lockExpired: made(lockExpired, lockExpiredPair, "pool shares whose lock in UNCX has ended", {
        "liquidity.locked:pair": no("its only lock has ended"),
        "liquidity.lock-expiring:pair": yes("its only lock has ended"),
        "liquidity.lock-ends:pair": no("its only lock has ended"),
        "liquidity.burned:pair": no("a locker holds the shares of the pair"),
        "liquidity.held-by-insiders:pair": yes("the owner of the lock can take them out at any time")
      }),
      lockEnding: made(lockEnding, lockEndingPair, "pool shares whose lock in PinkLock ends within days", {
        "liquidity.locked:pair": yes("one lock of all shares"),
        "liquidity.lock-expiring:pair": yes("it ends within three days"),
        "liquidity.lock-ends:pair": yes("it ends within three days"),
        "liquidity.burned:pair": no("a locker holds the shares of the pair"),
        "liquidity.held-by-insiders:pair": inDeployersHands
      }),
      lockUnreadable: made(lockUnreadable, lockUnreadablePair, "pool shares sent to UNCX without a lock", {
        "liquidity.locked:pair": undecidable("the locker holds the shares and has no record of them"),
        "liquidity.burned:pair": no("a locker holds the shares of the pair"),
        "liquidity.held-by-insiders:pair": inDeployersHands
      }),
      vestedShares: made(vestedShares, vestedSharesPair, "pool shares in a vesting wallet that starts in a year", {
        "liquidity.burned:pair": no("a vesting wallet holds the shares of the pair"),
        "liquidity.held-by-insiders:pair": no("a contract holds them, for its owner to have in a year")
      }),
      thinPool: made(thinPool, thinPoolPair, "a pool of half an ether", {
        "liquidity.thin": yes("half an ether on the one side"),
        "liquidity.burned:pair": no("the deployer holds the shares of the pair"),
        "liquidity.locked:pair": no("no locker has a share of the pair"),
        "liquidity.held-by-insiders:pair": yes("the deployer holds the shares of the pair")
      }),
      whale: made(whale, whalePair, "one account holds 37.8 % of it", {
        "liquidity.burned:pair": no("the deployer holds the shares of the pair"),
        "liquidity.locked:pair": no("no locker has a share of the pair"),
        "liquidity.held-by-insiders:pair": yes("the deployer holds the shares of the pair"),
        "holders.concentrated": yes("one account without code holds 37.8 %")
      }),
      emptied: made(emptied, emptiedPair, "all liquidity was taken out of its pool", {
        ...takenOut,
        "trade.honeypot": no("no rule of its code stops a sale, though there is nothing to sell into"),
        "trade.sell-limited": no("no rule of its code stops a sale"),
        "trade.environment-dependent": no("its code looks at nothing but balances"),
        "trade.holders-blocked": no("no rule of its code stops a transfer"),
        "trade.taxed": no("what is sent arrives")
      }),
      emptiedTrap: {
        address: emptiedTrap,
        pair: emptiedTrapPair,
        description: "reverts every sale but the owner's, and all liquidity was taken out of its pool",
        claims: {
          ...takenOut,
          "trade.honeypot": yes("a transfer into the pair reverts"),
          "trade.sell-limited": yes("nothing can be sold"),
          "trade.holders-blocked": undecidable("holders' sales would come to nothing, whatever the token does")
        }
      },
      onlyV3: onV3(onlyV3, "traded on Uniswap V3 alone, by a position of the deployer", {
        "liquidity.locked": none("no locker has a position"),
        "liquidity.lock-expiring": none("no locker has a position"),
        "liquidity.lock-ends": none("no locker has a position"),
        "liquidity.held-by-insiders": yes("the deployer has the only position")
      }),
      lockedV3: onV3(lockedV3, "traded on Uniswap V3 alone, by a position that is locked in UNCX for a year", {
        "liquidity.locked": yes("the only position lies in the locker by a record, for a year"),
        "liquidity.lock-expiring": no("the lock ends in more than half a year"),
        "liquidity.lock-ends": yes("the lock ends after a year"),
        "liquidity.held-by-insiders": no("the deployer cannot use the only position")
      }),
      lockEndedV3: onV3(lockEndedV3, "traded on Uniswap V3 alone, by a position whose lock in UNCX has ended", {
        "liquidity.locked": no("the only lock has ended"),
        "liquidity.lock-expiring": yes("the only lock has ended"),
        "liquidity.lock-ends": no("the only lock has ended"),
        "liquidity.held-by-insiders": yes("the owner of the lock can take the position out at any time")
      }),
      fakePool: made(fakePool, undefined, "names a pair that no factory made", {
        "trade.route": no("no exchange has a pool of it"),
        "trade.buy-blocked": no("no rule of its code stops a transfer"),
        "trade.honeypot": no("no rule of its code stops a transfer"),
        "trade.taxed": no("what is sent arrives"),
        "trade.sell-limited": no("no rule of its code stops a transfer"),
        "trade.environment-dependent": no("its code looks at nothing but balances"),
        "liquidity.pools": no("no exchange has a pool of it"),
        "liquidity.thin": yes("there is nowhere to sell it"),
        "liquidity.fake-pool": yes("the factory that its pair names did not make it"),
        "holders.insiders": yes("its deployer holds all of it"),
        "holders.top": yes("its deployer holds all of it"),
        "holders.concentrated": yes("its deployer holds all of it")
      })
    }
  }
}

/** The name of a target of this module. */
export type Name = keyof ReturnType<typeof write>["targets"]
