import { Artifact, Infrastructure } from "@assay/sandbox"
import { type Address, encodeAbiParameters, type Hex } from "viem"
import * as ManagerWorld from "./ManagerWorld.js"

/** Where Uniswap's manager of positions in V4 stands on Ethereum. */
export const canonical: Address = "0xbD216513d74C8cf14cf4747E6AaA6420FF64ee9e"

/** The position manager of V4 on the sandbox chain. */
export interface PositionTokens {
  /** Makes a position in a pool, paid by the account `maker`, and gives its token to an owner; returns the id. */
  readonly mint: (pool: ManagerWorld.Pool, to: Address, liquidity: bigint) => Promise<bigint>
  readonly give: (id: bigint, from: Address, to: Address) => Promise<void>
  /** Takes a part out of a position; its owner gets what comes out. */
  readonly decrease: (id: bigint, owner: Address, pool: ManagerWorld.Pool, liquidity: bigint) => Promise<void>
}

const deadline = 2n ** 48n
const most = 2n ** 127n

/** The actions of https://github.com/Uniswap/v4-periphery/blob/main/src/libraries/Actions.sol */
const actions = { decrease: "01", mint: "02", settle: "0b", takePair: "11" }

const keyType = {
  type: "tuple",
  components: [{ type: "address" }, { type: "address" }, { type: "uint24" }, { type: "int24" }, { type: "address" }]
} as const

const keyOf = ({ currency0, currency1, fee, hooks, tickSpacing }: ManagerWorld.PoolKey) =>
  [currency0, currency1, fee, tickSpacing, hooks] as const

/** Places the position manager; its code is read out of node_modules. */
export const place = async (world: ManagerWorld.ManagerWorld): Promise<PositionTokens> => {
  const { maker } = world.sandbox.accounts
  const contract = Artifact.load("@uniswap/v4-periphery/foundry-out/PositionManager.sol/PositionManager.json")
  const { permit2, weth } = Infrastructure.addresses
  await Infrastructure.place(world.sandbox.rpc, [
    Infrastructure.placement(canonical, contract, maker, [world.manager, permit2, 300_000n, ManagerWorld.native, weth])
  ])
  const { abi } = contract
  const act = (from: Address, names: ReadonlyArray<keyof typeof actions>, params: ReadonlyArray<Hex>, value = 0n) =>
    world.send([
      {
        from,
        to: canonical,
        abi,
        name: "modifyLiquidities",
        args: [
          encodeAbiParameters(
            [{ type: "bytes" }, { type: "bytes[]" }],
            [`0x${names.map((name) => actions[name]).join("")}`, [...params]]
          ),
          deadline
        ],
        value,
        gas: 2_000_000n
      }
    ])
  let next = 1n
  return {
    mint: async (pool, to, liquidity) => {
      const { lower, upper } = pool.range
      // Paid out of what the contract has, so that nobody has to sign for it.
      const settle = (currency: Address) =>
        encodeAbiParameters([{ type: "address" }, { type: "uint256" }, { type: "bool" }], [currency, 0n, false])
      const isNative = pool.quote === ManagerWorld.native
      for (const currency of [pool.key.currency0, pool.key.currency1])
        if (currency !== ManagerWorld.native)
          await world.send([
            {
              to: currency,
              abi: Infrastructure.artifacts().weth.abi,
              name: "transfer",
              // 10,000 of a token with 18 places, 100,000 of one with six.
              args: [canonical, currency === world.sandbox.infrastructure.usdc ? 10n ** 11n : 10n ** 22n],
              gas: 100_000n
            }
          ])
      await act(
        maker,
        ["mint", "settle", "settle"],
        [
          encodeAbiParameters(
            [
              keyType,
              { type: "int24" },
              { type: "int24" },
              { type: "uint256" },
              { type: "uint128" },
              { type: "uint128" },
              { type: "address" },
              { type: "bytes" }
            ],
            [keyOf(pool.key), lower, upper, liquidity, most, most, to, "0x"]
          ),
          settle(pool.key.currency0),
          settle(pool.key.currency1)
        ],
        isNative ? 2n * 10n ** 19n : 0n
      )
      return next++
    },
    give: (id, from, to) =>
      world.send([{ from, to: canonical, abi, name: "transferFrom", args: [from, to, id], gas: 200_000n }]),
    decrease: (id, owner, pool, liquidity) =>
      act(
        owner,
        ["decrease", "takePair"],
        [
          encodeAbiParameters(
            [{ type: "uint256" }, { type: "uint256" }, { type: "uint128" }, { type: "uint128" }, { type: "bytes" }],
            [id, liquidity, 0n, 0n, "0x"]
          ),
          encodeAbiParameters(
            [{ type: "address" }, { type: "address" }, { type: "address" }],
            [pool.key.currency0, pool.key.currency1, owner]
          )
        ]
      )
  }
}
