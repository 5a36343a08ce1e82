import { createRequire } from "node:module"
import { Address, type Analysis, Analyzer } from "@assay/core"
import { RpcFault } from "@assay/core/testing"
import { Infrastructure } from "@assay/sandbox"
import { Effect, Option } from "effect"
import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress, parseAbi, parseEther } from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as TargetsOfRun from "./TargetsOfRun.js"
import * as World from "./World.js"

/** What an endpoint refuses that simulates no blocks, and what one refuses that takes no overrides either. */
const blind: ReadonlyArray<RpcFault.Rule> = [
  { when: ({ method }) => method === "eth_simulateV1", kind: "method_missing" },
  { when: ({ method, params }) => method === "eth_call" && params.length > 2, kind: "internal_error" }
]
const blockless = blind.slice(0, 1)

const claims = [
  "trade.buy-blocked",
  "trade.honeypot",
  "trade.taxed",
  "trade.sell-limited",
  "trade.holders-blocked",
  "trade.environment-dependent"
]

/** Tokens with free transfers by their code, and without any other finding. */
const honest = [
  "plain",
  "burnable",
  "permit",
  "votes",
  "lean",
  "seeded",
  "payable",
  "snapshot",
  "bridged",
  "lockedUncx"
] as const

/** Tokens with rules of trading of their own. */
const traps = [
  "honeypot",
  "silentHoneypot",
  "sellTax90",
  "deflating",
  "cooldown",
  "emptiedTrap",
  "renouncedTrap",
  "snare",
  "contractTrap",
  "delayedTrap",
  "closingTrap",
  "lateLapse",
  "blockAgeTax",
  "ageTax",
  "clock",
  "grudge",
  "gasPriceTrap",
  "coinbaseTrap",
  "baseFeeTrap",
  "originTrap",
  "wealthTrap",
  "firstSales",
  "salesBudget",
  "growingTax",
  "gasBurner",
  "falseTransfer",
  "members",
  "sellers",
  "tradingSwitch",
  "notLaunched",
  "halfSale",
  "throttle",
  "antiWhale",
  "richPool",
  "gasLeft",
  "tipping",
  "shrinking",
  "delegateTrap",
  "transientTrap",
  "fuse",
  "lottery",
  "bitmap",
  "receiverGate",
  "oneSale",
  "hashList",
  "spenderTrap",
  "pairLiar",
  "sliver",
  "poolBurn",
  "maskedToken",
  "doorClone",
  "pairedTrap",
  "pairedSnare",
  "pairedTax",
  "oneWay",
  "sleeper"
] as const

const require = createRequire(import.meta.url)

const supply = parseEther("200")

/** Tokens as npm packages publish them. Those that have both names of wrapped ether pretend to be it. */
const published: ReadonlyArray<{
  readonly path: string
  readonly args: ReadonlyArray<unknown>
  readonly level: ReadonlyArray<string>
}> = [
  {
    path: "openzeppelin-contracts-4/build/contracts/ERC20PresetFixedSupply.json",
    args: ["Yarrow", "YRRW", supply, "maker"],
    level: ["minimal", "low"]
  },
  { path: "@uniswap/v2-core/build/ERC20.json", args: [supply], level: ["minimal", "low"] },
  { path: "@uniswap/v2-periphery/build/ERC20.json", args: [supply], level: ["minimal", "low"] },
  { path: "@uniswap/v2-periphery/build/WETH9.json", args: [], level: ["critical"] },
  { path: "@uniswap/v4-periphery/foundry-out/WETH.sol/WETH.default.json", args: [], level: ["critical"] },
  { path: "canonical-weth/build/contracts/WETH9.json", args: [], level: ["critical"] }
]

type Name = World.World["sandbox"]["truth"][number]["target"]

const isByCode = ({ observation, state }: Analysis.Analysis["evidence"][number]): boolean =>
  state === "refuted" && observation?.method === "eth_getCode"

const tradesOf = ({ evidence }: Analysis.Analysis) => evidence.filter(({ id }) => claims.includes(id))

describe("claims about trades that the code decides", () => {
  let world: World.World
  beforeAll(async () => {
    world = await World.start()
  })

  const analyze = (name: Name, rules: ReadonlyArray<RpcFault.Rule>, block?: number) =>
    analyzeAt(world.sandbox.targets[name].address, rules, block)

  const analyzeAt = (
    address: `0x${string}`,
    rules: ReadonlyArray<RpcFault.Rule>,
    block?: number
  ): Promise<Analysis.Analysis> =>
    world.run(
      Effect.gen(function* () {
        const faults = yield* RpcFault.RpcFault
        const analyzer = yield* Analyzer.Analyzer
        yield* faults.replace(rules)
        return yield* analyzer.analyze({
          kind: "token",
          address: Address.checksum(address),
          chain: world.chain,
          block: Option.some(block ?? world.sandbox.head.number)
        })
      })
    )

  it("knows every trap of the sandbox", () => {
    const all = Object.entries(world.sandbox.targets).flatMap(([name, { group }]) => (group === "trap" ? [name] : []))
    assert.deepStrictEqual(
      all.filter((name) => !traps.some((trap) => trap === name)),
      []
    )
  })

  for (const name of honest)
    it.runIf(TargetsOfRun.has(name))(
      `are refuted of ${name} at an endpoint that simulates nothing, with a level and nearly full coverage`,
      async () => {
        for (const rules of [blind, blockless]) {
          const analysis = await analyze(name, rules)
          for (const item of tradesOf(analysis)) assert.strictEqual(item.state, "refuted", item.id)
          assert.isTrue(tradesOf(analysis).some(isByCode))
          assert.include(["minimal", "low"], analysis.facts.risk?.level)
          assert.isAtLeast(analysis.facts.risk?.coverage ?? 0, 0.95)
        }
      }
    )

  it("are refuted of wrapped ether at an endpoint that simulates nothing", async () => {
    const analysis = await analyze("weth", blind)
    assert.strictEqual(tradesOf(analysis).length, claims.length)
    for (const item of tradesOf(analysis)) assert.strictEqual(item.state, "refuted", item.id)
    assert.isAtLeast(analysis.facts.risk?.coverage ?? 0, 0.95)
  })

  for (const name of traps)
    it.runIf(TargetsOfRun.has(name))(`are never refuted of the trap ${name}, whatever simulates nothing`, async () => {
      for (const rules of Tier.all ? [blind, blockless] : [blind]) {
        const analysis = await analyze(name, rules)
        assert.deepStrictEqual(
          analysis.evidence.filter((item) => claims.includes(item.id) && isByCode(item)),
          []
        )
        for (const { evidence, state, target } of world.sandbox.truth)
          if (target === name && state === "confirmed" && claims.includes(evidence))
            assert.notStrictEqual(analysis.evidence.find(({ id }) => id === evidence)?.state, "refuted", evidence)
        assert.notInclude(["minimal", "low", "medium"], analysis.facts.risk?.level)
      }
    })

  for (const { args, level, path } of published)
    it.runIf(TargetsOfRun.has(path))(`are refuted of ${path} at an endpoint that simulates nothing`, async () => {
      const token = await launch(world.sandbox, require(path), args)
      const block = Number((await world.sandbox.rpc.call("eth_blockNumber", [])) as string)
      const analysis = await analyzeAt(token, blind, block)
      for (const item of tradesOf(analysis)) assert.strictEqual(item.state, "refuted", item.id)
      assert.isTrue(tradesOf(analysis).some(isByCode))
      assert.isAtLeast(analysis.facts.risk?.coverage ?? 0, 0.95)
      assert.include(level, analysis.facts.risk?.level)
    })

  it("raise no score when the pool of a trap, or of a token that everybody can transfer, is emptied", async () => {
    const { rpc, targets } = world.sandbox
    const names = ["plain", "renouncedTrap", "sellTax90", "halfSale"] as const
    const scores = async (block: number) => {
      const found = []
      for (const name of names)
        for (const rules of [[], blind]) found.push((await analyze(name, rules, block)).facts.risk?.score ?? 0)
      return found
    }
    const before = await scores(world.sandbox.head.number)
    for (const name of names) await empty(rpc, targets[name].pair as string)
    const after = await scores(Number((await rpc.call("eth_blockNumber", [])) as string))
    for (const [place, score] of after.entries()) assert.isAtMost(score, before[place] ?? 0, `${names[place >> 1]}`)
  })
})

/**
 * Deploys a token, puts all of its supply in a pair with ether, and burns the shares. What has no supply wraps ether.
 */
const launch = async (
  sandbox: World.World["sandbox"],
  artifact: { readonly abi: Abi; readonly bytecode: `0x${string}` | { readonly object: `0x${string}` } },
  args: ReadonlyArray<unknown>
): Promise<`0x${string}`> => {
  const { maker } = sandbox.accounts
  const code = typeof artifact.bytecode === "string" ? artifact.bytecode : artifact.bytecode.object
  const bytecode: `0x${string}` = code.startsWith("0x") ? code : `0x${code}`
  const filled = args.map((arg) => (arg === "maker" ? maker : arg))
  const nonce = BigInt((await sandbox.rpc.call("eth_getTransactionCount", [maker, "latest"])) as string)
  await sandbox.transact({
    from: maker,
    gas: 8_000_000n,
    data: encodeDeployData({ abi: artifact.abi, bytecode, args: filled })
  })
  const token = getContractAddress({ from: maker, nonce })
  const send = (to: `0x${string}`, signature: string, values: ReadonlyArray<unknown>, value = 0n) =>
    sandbox.transact({
      from: maker,
      gas: 8_000_000n,
      to,
      value,
      data: encodeFunctionData({
        abi: parseAbi([`function ${signature} payable`] as ReadonlyArray<string>) as Abi,
        args: [...values]
      })
    })
  if (args.length === 0) await send(token, "deposit()", [], supply)
  const router = Infrastructure.addresses.uniswapV2Router
  await send(token, "approve(address,uint256)", [router, supply])
  await send(
    router,
    "addLiquidityETH(address,uint256,uint256,uint256,address,uint256)",
    [token, supply, 0n, 0n, "0x000000000000000000000000000000000000dEaD", 2n ** 63n],
    parseEther("100")
  )
  return token
}

type Rpc = World.World["sandbox"]["rpc"]

const word = (value: string): string => value.replace(/^0x/, "").padStart(64, "0")

/** Takes all liquidity out of a Uniswap V2 pair, for whoever has shares of it. */
const empty = async (rpc: Rpc, pair: string): Promise<void> => {
  const logs = (await rpc.call("eth_getLogs", [
    {
      address: pair,
      fromBlock: "0x0",
      topics: ["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"]
    }
  ])) as ReadonlyArray<{ readonly topics: ReadonlyArray<string> }>
  const holders = new Set(logs.map(({ topics }) => `0x${(topics[2] ?? "").slice(26)}`))
  for (const holder of holders) {
    const shares = (await rpc.call("eth_call", [{ to: pair, data: `0x70a08231${word(holder)}` }, "latest"])) as string
    if (BigInt(shares) <= 1_000n) continue
    await rpc.call("anvil_impersonateAccount", [holder])
    await rpc.call("anvil_setBalance", [holder, "0xde0b6b3a7640000"])
    for (const data of [`0xa9059cbb${word(pair)}${word(shares)}`, `0x89afcb44${word(holder)}`])
      await rpc.call("eth_sendTransaction", [{ from: holder, to: pair, data, gas: "0x100000" }])
    await rpc.call("evm_mine", [])
  }
}
