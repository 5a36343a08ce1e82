import type { Address } from "viem"
import * as Artifact from "../chain/Artifact.js"
import { addresses, artifacts } from "../market/Infrastructure.js"
import * as Pool from "../market/Pool.js"
import type { Made, Stage } from "../Stage.js"
import { type Claims, no, undecidable, yes } from "../truth/Claim.js"
import { holders, supply } from "./Specimens.js"

/**
 * Tokens that cannot be traded: of some nobody made a pair, of others it was made with them, as many are, and nobody put
 * anything into it yet. What they are shows in a pool that is yet to be.
 */
export const write = ({ script, accounts }: Stage) => {
  const { deployer: from, issuer } = accounts

  const made = (
    contract: Artifact.Artifact,
    names: readonly [string, string],
    args: ReadonlyArray<unknown>,
    description: string,
    claims: Claims
  ): Made => {
    const address = script.deploy({ from, contract, args: [...names, supply, ...args] })
    for (const to of holders)
      script.call({ from, to: address, contract, name: "transfer", args: [to, (supply * 28n) / 1_000n], gas: 150_000n })
    return { address, contract, description, claims: { ...common, ...claims } }
  }

  /** Makes the pair of a token, and has the owner name it. */
  const paired = (token: Made, name: string): Made => {
    const { address, contract = Artifact.own("ArmedToken") } = token
    script.call({
      from,
      to: addresses.uniswapV2Factory,
      contract: artifacts().v2Factory,
      name: "createPair",
      args: [address, addresses.weth],
      gas: 3_500_000n
    })
    const pair: Address = Pool.v2Address(address, addresses.weth)
    script.call({ from: issuer, to: address, contract, name, args: [pair] })
    return token
  }

  const own = Artifact.own
  const trap = {
    pairedTrap: paired(
      made(
        own("RenouncedTrapToken"),
        ["Butterwort", "BTWR"],
        [issuer, accounts.rewards],
        "its pair is empty, and only one account can sell into it",
        blocked("a transfer into the pair reverts")
      ),
      "arm"
    ),
    pairedSnare: paired(
      made(
        own("SnareToken"),
        ["Waterwheel Sundew", "WWSD"],
        [issuer],
        "its pair is empty, and whoever buys from it is put on a list of those who cannot sell",
        blocked("who bought from the pair cannot send to it")
      ),
      "arm"
    ),
    pairedTax: paired(
      made(
        own("SellTaxToken"),
        ["Gromwell", "GRMW"],
        [issuer, 5_000n],
        "its pair is empty, and half of what reaches it goes to the owner",
        {
          "trade.taxed": yes("half of what reaches the pair is taken", {
            buy_tax_bps: 0,
            sell_tax_bps: 5_000,
            transfer_tax_bps: 0,
            simulated_pool: true
          })
        }
      ),
      "setPair"
    ),
    oneWay: made(
      own("OneWayToken"),
      ["Corn Spurrey", "CRNS"],
      [from],
      "it has no pair, and who has no code cannot send it",
      {
        ...blocked("who bought it cannot send it"),
        "trade.holders-blocked": yes("no holder can send it")
      }
    ),
    sleeper: made(
      own("SellersToken"),
      ["Dormouse Bell", "DRMB"],
      [issuer],
      "it has no pair, and lets only some sell once its owner has named one",
      {
        "trade.honeypot": undecidable("until the owner names the pair everybody can sell"),
        "trade.sell-limited": undecidable("until the owner names the pair everybody can sell")
      }
    )
  }
  const honest = {
    unlaunched: made(
      own("CountingToken"),
      ["Pignut", "PGNT"],
      [],
      "it has no pair; everybody can transfer it, and it counts how often that was",
      {
        "trade.honeypot": undecidable("without a pool there is no sale to try"),
        "trade.sell-limited": undecidable("without a pool there is no sale to try"),
        "trade.taxed": undecidable("without a pool there is no trade to measure"),
        "trade.environment-dependent": undecidable("without a pool there are no trades to compare"),
        "trade.holders-blocked": no("every holder can transfer it")
      }
    )
  }
  script.seal()
  return { trap, honest }
}

const common: Claims = {
  "token.standard": yes("it behaves as an ERC-20", { standard: "erc20" }),
  "trade.route": no("no pool of it holds anything"),
  "trade.buy-blocked": undecidable("without a pool there is no purchase to try"),
  "liquidity.thin": yes("there is nowhere to sell it")
}

const blocked = (because: string): Claims => ({
  "trade.honeypot": yes(because, { simulated_pool: true }),
  "trade.sell-limited": yes(because, { simulated_pool: true })
})

type Groups = ReturnType<typeof write>

/** The name of a target that cannot be traded. */
export type Name = keyof Groups["trap"] | keyof Groups["honest"]
