import type { Address } from "viem"
import { burnt, keyless } from "../chain/Account.js"
import * as Artifact from "../chain/Artifact.js"
import type { Made, Stage } from "../Stage.js"
import { type Claims, no, yes } from "../truth/Claim.js"
import { type Call, powerless, sellable, supply } from "./Specimens.js"

/** A token on the chain that has no pool yet. */
export interface Placed {
  readonly address: Address
  readonly contract: Artifact.Artifact
}

/** A token with its pool. */
export interface Launched extends Made {
  readonly pair: Address
}

/**
 * Brings tokens to market. All shares of their pools are burned, so that nothing but what they are speaks against them.
 */
export interface Launch {
  readonly stage: Stage
  readonly deploy: (contract: Artifact.Artifact, ...args: ReadonlyArray<unknown>) => Address
  /** Deploys one of our own contracts. */
  readonly own: (contract: string, ...args: ReadonlyArray<unknown>) => Placed
  /** The same for a token with further arguments after name, symbol and supply. */
  readonly place: (contract: string, name: string, symbol: string, ...args: ReadonlyArray<unknown>) => Placed
  readonly call: (placed: Placed, ...calls: ReadonlyArray<Call>) => void
  /** Opens a pool, has the calls made and says what is true. */
  readonly open: (
    placed: Placed,
    description: string,
    claims: Claims,
    calls?: (pair: Address) => ReadonlyArray<Call>
  ) => Launched
  /** A rule that its owner switched on and left to itself. */
  readonly left: (placed: Placed, description: string, claims: Claims, ...calls: ReadonlyArray<Call>) => Launched
  /** A token of which nothing bad is true but what it says. */
  readonly clean: (placed: Placed, description: string, claims?: Claims) => Launched
  /** The owner names the pool. */
  readonly arm: (pair: Address) => Call
  readonly renounce: Call
}

/** Who gets what tokens take. Nobody has the key. */
export const fund = keyless("assay sandbox: fund")

export const make = (stage: Stage): Launch => {
  const { script, accounts } = stage
  const { deployer, issuer } = accounts

  const deploy: Launch["deploy"] = (contract, ...args) => script.deploy({ from: deployer, contract, args })

  const own: Launch["own"] = (name, ...args) => {
    const contract = Artifact.own(name)
    return { address: deploy(contract, ...args), contract }
  }

  const place: Launch["place"] = (contract, name, symbol, ...args) => own(contract, name, symbol, supply, ...args)

  const call: Launch["call"] = ({ address, contract }, ...calls) => {
    for (const each of calls) script.call({ ...each, to: address, contract })
  }

  const open: Launch["open"] = (placed, description, claims, calls = () => []) => {
    const pair = stage.launch(placed.address, { shares: burnt })
    call(placed, ...calls(pair))
    return { ...placed, pair, description, claims: { ...common, ...claims } }
  }

  const arm: Launch["arm"] = (pair) => ({ from: issuer, name: "arm", args: [pair] })
  const renounce: Call = { from: issuer, name: "renounceOwnership", args: [] }

  const left: Launch["left"] = (placed, description, claims, ...calls) =>
    open(placed, description, claims, (pair) => [arm(pair), ...calls, renounce])

  const clean: Launch["clean"] = (placed, description, claims = {}) =>
    open(placed, description, { ...harmless, ...claims })

  return { stage, deploy, own, place, call, open, left, clean, arm, renounce }
}

const common: Claims = {
  "token.standard": yes("it behaves as an ERC-20", { standard: "erc20" }),
  "trade.route": yes("it has a Uniswap V2 pair with WETH"),
  "trade.buy-blocked": no("anybody can buy"),
  "liquidity.burned:pair": yes("all shares of the pair are at 0x…dEaD and 0x0")
}

const harmless: Claims = { ...sellable, ...powerless }
