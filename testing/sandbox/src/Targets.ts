import type { Address } from "viem"
import * as Authorities from "./authorities/Authorities.js"
import * as FalseAuthorities from "./authorities/FalseAuthorities.js"
import * as Basics from "./Basics.js"
import type { Accounts } from "./chain/Account.js"
import * as Artifact from "./chain/Artifact.js"
import type { Script } from "./chain/Script.js"
import * as Liquidity from "./market/Liquidity.js"
import * as Stage from "./Stage.js"
import * as Launches from "./tokens/Launches.js"
import * as MarketDeceptions from "./tokens/MarketDeceptions.js"
import * as RankedTokens from "./tokens/RankedTokens.js"
import * as Specimens from "./tokens/Specimens.js"
import * as UnpooledTokens from "./tokens/UnpooledTokens.js"
import * as Grants from "./wallets/Grants.js"
import * as Wallets from "./wallets/Wallets.js"

/** What targets have in common; `basic` are the ones to begin with. */
export type Group = "basic" | "trap" | "power" | "honest" | "liquidity" | "control" | "ranked" | "wallet"

/** An address on the chain of which the truth is known. */
export interface Target {
  readonly name: Name
  readonly kind: Stage.Kind
  readonly group: Group
  readonly address: Address
  /** What it is, in a few words. */
  readonly description: string
  /** The Uniswap V2 pair with WETH, for a token that has one. */
  readonly pair: Address | undefined
}

/** The name of a target. */
export type Name =
  | Basics.Name
  | Specimens.Name
  | Liquidity.Name
  | MarketDeceptions.Name
  | Authorities.Name
  | FalseAuthorities.Name
  | RankedTokens.Name
  | Launches.Name
  | Wallets.Name
  | Grants.Name
  | UnpooledTokens.Name

/** The targets to begin with: a token, a wallet and a contract. */
export const first = ["honeypot", "approver", "diamond"] as const satisfies ReadonlyArray<Name>

/**
 * The targets with reports in `docs/reports`: the three tokens that everybody knows, five in the shape of others that
 * many hold, then ten more.
 */
export const documented = [
  "usdc",
  "usdt",
  "weth",
  "governanceToken",
  "daiLike",
  "stakedToken",
  "bridgedToken",
  "fundShare",
  "plain",
  "honeypot",
  "timelockOwned",
  "transparent",
  "diamond",
  "moduleSafe",
  "approver",
  "hostileName",
  "lockedUncx",
  "onlyV3"
] as const satisfies ReadonlyArray<Name>

/** The targets of `assay demo`: what is harmless, what is known, what is controlled, and what takes from its holders. */
export const demonstrated = [
  "plain",
  "honeypot",
  "hostileName",
  "usdc",
  "usdt",
  "timelockOwned",
  "lockedUncx",
  "transparent",
  "moduleSafe",
  "approver"
] as const satisfies ReadonlyArray<Name>

/** All targets, by name. */
export type Targets = Readonly<Record<Name, Target>>

type BasicParts = Awaited<ReturnType<typeof Basics.write>>["parts"]

/** Addresses that belong to targets and are none themselves. */
export interface Parts extends BasicParts {
  /** What the wallets deal with. */
  readonly counterparties: Awaited<ReturnType<typeof Wallets.write>>["parts"]
  /** How wallets are taken from, by the name of the target. */
  readonly takings: Awaited<ReturnType<typeof Grants.write>>["takings"]
  /** How tokens are minted past their owner, by the name of the target. */
  readonly pastOwners: ReturnType<typeof FalseAuthorities.write>["ways"]
  /** Who controls the tokens of that group, where it is no target itself. */
  readonly authorities: ReturnType<typeof Authorities.write>["parts"]
}

/** What the script leaves on the chain. */
export interface World {
  readonly targets: Targets
  readonly parts: Parts
  /** The targets that are not basic, with what is true of them. */
  readonly made: Readonly<Partial<Record<Name, Stage.Made>>>
}

const day = 86_400

/** Writes everything that happens on the chain into the script, and returns where it will be. */
export const write = async (script: Script, accounts: Accounts, chainId: number): Promise<World> => {
  const ground = Stage.ground(script, accounts, chainId)
  const basics = await Basics.write(ground)
  const { moduleSafe, safe, timelock } = basics.targets
  const stage = Stage.make(ground)
  const transferCounter = script.deploy({ from: accounts.deployer, contract: Artifact.own("TransferCounter") })
  script.seal()
  const recipes = Object.entries<Specimens.Specimen>(Specimens.make({ accounts, safe: safe.address, transferCounter }))
  const make = ([name, recipe]: readonly [string, Specimens.Specimen]): readonly [Name, Group, Stage.Made] => {
    const contract = Artifact.own(recipe.contract)
    const args = [recipe.title, recipe.symbol, Specimens.supply, ...recipe.args]
    const address = script.deploy({ from: accounts.deployer, contract, args })
    const pair = stage.launch(address, { shares: recipe.shares })
    for (const call of recipe.calls(pair)) script.call({ ...call, to: address, contract })
    return [
      name as Name,
      recipe.group,
      { address, pair, description: recipe.description, contract, claims: recipe.claims }
    ]
  }
  const specimens = recipes.filter(([, { late }]) => !late).map(make)
  script.seal()
  const specimen = (name: Specimens.Name): Stage.Made => specimens.find(([other]) => other === name)?.[2] as Stage.Made
  for (const trader of [accounts.trader1, accounts.trader2, accounts.trader3]) {
    stage.buy(trader, specimen("snare").address, "0.1")
    stage.buy(trader, specimen("burnable").address, "0.1")
  }
  const liquidity = Liquidity.write(stage)
  const authorities = Authorities.write(stage, {
    safe: safe.address,
    moduleSafe: moduleSafe.address,
    timelock: timelock.address
  })
  const launched = Launches.write(stage)
  const deceptions = MarketDeceptions.write(stage)
  script.seal(10 * day)
  const wallets = await Wallets.write(stage, {
    tokens: [
      specimen("burnable").address,
      specimen("permit").address,
      specimen("votes").address,
      specimen("renouncedPlain").address
    ],
    collectible: Artifact.own("Collectible")
  })
  const grants = await Grants.write(stage)
  const falseAuthorities = FalseAuthorities.write(stage)
  const unpooled = UnpooledTokens.write(stage)
  const ranked = RankedTokens.write(stage, { governedTimelock: authorities.parts.governedTimelock })
  script.seal(10 * day)
  liquidity.finish()
  authorities.finish()
  wallets.finish()
  const lately = recipes.filter(([, { late }]) => late).map(make)
  script.seal(3_600)
  // `finalized` is two blocks behind the head; as these are empty, it has the same state.
  script.seal()
  script.seal()

  const others: ReadonlyArray<readonly [Name, Group, Stage.Made]> = [
    ...recipes.flatMap(([name]) => [...specimens, ...lately].filter(([other]) => other === name)),
    ...named("liquidity", liquidity.targets),
    ...named("liquidity", deceptions.targets),
    ...named("control", authorities.targets),
    ...named("control", falseAuthorities.targets),
    ...named("ranked", ranked.targets),
    ...named("trap", launched.trap),
    ...named("power", launched.power),
    ...named("honest", launched.honest),
    ...named("trap", unpooled.trap),
    ...named("honest", unpooled.honest),
    ...named("wallet", wallets.targets),
    ...named("wallet", grants.targets)
  ]
  const contracts: ReadonlyArray<Name> = ["governor", "leakyTimelock", "delegatingVault"]

  const basic = Object.entries(basics.targets).map(
    ([name, target]): Target => ({ name: name as Name, group: "basic", ...target })
  )
  const rest = others.map(
    ([name, group, { address, description, pair }]): Target => ({
      name,
      kind: group === "wallet" ? "wallet" : contracts.includes(name) ? "contract" : "token",
      group,
      address,
      description,
      pair
    })
  )

  return {
    made: Object.fromEntries(others.map(([name, , made]) => [name, made])),
    targets: Object.fromEntries([...basic, ...rest].map((target) => [target.name, target])) as Targets,
    parts: {
      ...basics.parts,
      counterparties: wallets.parts,
      pastOwners: falseAuthorities.ways,
      takings: grants.takings,
      authorities: authorities.parts
    }
  }
}

const named = (
  group: Group,
  targets: Readonly<Partial<Record<Name, Stage.Made>>>
): ReadonlyArray<readonly [Name, Group, Stage.Made]> =>
  Object.entries(targets).map(([name, made]) => [name as Name, group, made] as const)
