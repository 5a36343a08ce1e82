import { Address, type Analysis, Analyzer, Chains } from "@assay/core"
import { Effect } from "effect"
import { type Address as Account, parseEther } from "viem"
import * as ManagerWorld from "../facts/venue/ManagerWorld.js"
import * as SwapHooks from "../facts/venue/SwapHooks.js"
import * as World from "./World.js"

/** Chain ids that no row of the address book is for: of chains in use, of a local one, and one that no table has. */
export const ids = [25, 100, 146, 250, 369, 999, 5_000, 31_337, 80_094, 534_352, 987_654_321] as const

/** Targets that differ in what decides of their trades, and one with its only pool in a manager. */
export const names = [
  "plain",
  "honeypot",
  "sellTax90",
  "usdc",
  "pausable",
  "blacklist",
  "uups",
  "unlaunched",
  "thinPool",
  "onlyV3",
  "managed"
] as const

export type Name = (typeof names)[number]

export interface UnlistedChains {
  /** Analyses a target as one of Ethereum, by the row of the address book. */
  readonly known: (name: Name) => Promise<Analysis.Analysis>
  /** Analyses it while the chain has another id, by whatever is known of that. */
  readonly under: (id: number, name: Name) => Promise<Analysis.Analysis>
}

/** The sandbox with a manager of Uniswap V4. */
export const start = async (): Promise<UnlistedChains> => {
  const world = await World.start()
  const manager = await ManagerWorld.manage(world.sandbox)
  await manager.createPool({
    token: manager.sandbox.infrastructure.usdc,
    fee: 500,
    tickSpacing: 10,
    amounts: { token: 3_000_000_000_000n, quote: parseEther("1000") }
  })
  const [managed] = (await manager.deployTokens(1)) as [Account]
  await manager.createPool({ token: managed, amounts: SwapHooks.amounts })

  const analyze = (name: Name, chain: Chains.Chain) => {
    const address = Address.checksum(name === "managed" ? managed : world.sandbox.targets[name].address)
    return world.run(
      Effect.flatMap(Analyzer.Analyzer, (analyzer) => analyzer.analyze({ kind: "token", address, chain }))
    )
  }

  const { endpoints } = world.chain
  const { chainId, rpc } = world.sandbox
  return {
    known: (name) => analyze(name, world.chain),
    under: async (id, name) => {
      await rpc.call("anvil_setChainId", [id])
      try {
        return await analyze(name, Chains.make({ id, endpoints }))
      } finally {
        // No snapshot sets it back.
        await rpc.call("anvil_setChainId", [chainId])
      }
    }
  }
}
