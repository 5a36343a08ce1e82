import { Address, type Analysis, Analyzer, Chains } from "@assay/core"
import { RpcFault } from "@assay/core/testing"
import { Artifact, Specimens } from "@assay/sandbox"
import { Effect } from "effect"
import {
  type Address as Account,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbi,
  parseEther
} from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as ManagerWorld from "../facts/venue/ManagerWorld.js"
import * as SwapHooks from "../facts/venue/SwapHooks.js"
import * as VenueLaw from "./VenueLaw.js"
import * as World from "./World.js"

// Tokens of the sandbox once more, each with its only pool in the manager of Uniswap V4 and no hook: what is said of their trades
// is what is said of those with a pair, for the pool decides nothing that the pair does not.

/** The contract of a target, its arguments after name, symbol and supply, and how it learns where it is traded. */
interface Twin {
  readonly contract: string
  readonly args?: ReadonlyArray<"issuer" | "rewards" | bigint>
  readonly arms?: "setPair" | "arm"
  readonly isRenounced?: boolean
  readonly isTrap?: boolean
}

const twins = {
  plain: { contract: "PlainToken" },
  honeypot: { contract: "HoneypotToken", args: ["issuer"], arms: "setPair", isTrap: true },
  silentHoneypot: { contract: "SilentHoneypotToken", args: ["issuer"], arms: "setPair", isTrap: true },
  sellTax90: { contract: "SellTaxToken", args: ["issuer", 9_000n], arms: "setPair", isTrap: true },
  taxable: { contract: "TaxableToken", args: ["issuer"] },
  pausable: { contract: "PausableToken", args: ["issuer"] },
  blacklist: { contract: "BlacklistToken", args: ["issuer"] },
  hiddenMinter: { contract: "HiddenMinterToken", args: ["issuer", "rewards"], isRenounced: true },
  renouncedTrap: {
    contract: "RenouncedTrapToken",
    args: ["issuer", "rewards"],
    arms: "arm",
    isRenounced: true,
    isTrap: true
  },
  snare: { contract: "SnareToken", args: ["issuer"], arms: "arm", isTrap: true }
} as const satisfies Readonly<Record<string, Twin>>

type Name = keyof typeof twins

const names = Object.keys(twins) as ReadonlyArray<Name>

const owned = parseAbi(["function setPair(address)", "function arm(address)", "function renounceOwnership()"])

const trades = (analysis: Analysis.Analysis): Readonly<Record<string, string>> =>
  Object.fromEntries(
    analysis.evidence.filter(({ id }) => id.startsWith("trade.")).map(({ id, state }) => [id, state] as const)
  )

const overrides = ({ method, params }: RpcFault.SeenCall) => method === "eth_call" && params.length > 2

// As 2,000 blocks are to a chain of twenty million: a small part of the sandbox's few hundred.
const widest = 40

const span = ({ params: [filter] }: Pick<RpcFault.SeenCall, "params">): number => {
  const { fromBlock, toBlock } = filter as { readonly fromBlock: string; readonly toBlock: string }
  return Number(toBlock) - Number(fromBlock) + 1
}

const profiles: Readonly<Record<string, { rules: ReadonlyArray<RpcFault.Rule>; wire: World.Wire }>> = {
  "that refuses overrides": { rules: [{ when: overrides, kind: "internal_error" }], wire: World.http },
  "without eth_simulateV1": {
    rules: [{ when: ({ method }) => method === "eth_simulateV1", kind: "method_missing" }],
    wire: World.http
  },
  "without events": {
    rules: [{ when: ({ method }) => method === "eth_getLogs", kind: "method_missing" }],
    wire: World.http
  },
  "that gives few blocks of events at once": {
    rules: [{ when: (call) => call.method === "eth_getLogs" && span(call) > widest, kind: "log_limit" }],
    wire: World.http
  },
  "that takes no batches": { rules: [], wire: World.single }
}

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "tokens with their only pool in Uniswap V4"), () => {
  let world: World.World
  let tokens: Readonly<Record<Name, Account>>

  beforeAll(async () => {
    world = await World.start()
    const { sandbox } = world
    const { accounts, rpc } = sandbox
    const manager = await ManagerWorld.manage(sandbox)
    // The pool that the control token is bought in.
    await manager.createPool({
      token: sandbox.infrastructure.usdc,
      fee: 500,
      tickSpacing: 10,
      amounts: { token: 3_000_000_000_000n, quote: parseEther("1000") }
    })
    const nonce = BigInt((await rpc.call("eth_getTransactionCount", [accounts.maker, "latest"])) as Hex)
    tokens = Object.fromEntries(
      names.map((name, i) => [name, getContractAddress({ from: accounts.maker, nonce: nonce + BigInt(i) })])
    ) as typeof tokens
    await sandbox.transactAll(
      names.map((name) => {
        const { args = [], contract }: Twin = twins[name]
        const { abi, bytecode } = Artifact.own(contract)
        const more = args.map((arg) => (typeof arg === "bigint" ? arg : accounts[arg]))
        return {
          from: accounts.maker,
          gas: 4_000_000n,
          data: encodeDeployData({ abi, bytecode, args: [`Twin ${name}`, "TWIN", Specimens.supply, ...more] })
        }
      })
    )
    const receivers = [...manager.traders, ...Specimens.holders.slice(0, 6)]
    const { abi: erc20 } = Artifact.own("PlainToken")
    await manager.send(
      names.flatMap((name) =>
        receivers.map((to) => ({
          to: tokens[name],
          abi: erc20,
          name: "transfer",
          args: [to, (Specimens.supply * 5n) / 100n],
          gas: 300_000n
        }))
      )
    )
    await manager.createPools(
      names.map((name) => ({
        token: tokens[name],
        amounts: { token: (Specimens.supply * 43n) / 100n, quote: SwapHooks.amounts.quote }
      }))
    )
    await sandbox.transactAll(
      names.flatMap((name) => {
        const { arms, isRenounced = false }: Twin = twins[name]
        const own = { from: accounts.issuer, to: tokens[name], gas: 300_000n }
        return [
          ...(arms === undefined
            ? []
            : [{ ...own, data: encodeFunctionData({ abi: owned, functionName: arms, args: [manager.manager] }) }]),
          ...(isRenounced
            ? [{ ...own, data: encodeFunctionData({ abi: owned, functionName: "renounceOwnership" }) }]
            : [])
        ]
      })
    )
  })

  const analyze = (
    address: Account,
    { rules, wire }: (typeof profiles)[string] = { rules: [], wire: World.http },
    chain: Chains.Chain = world.chain
  ): Promise<Analysis.Analysis> =>
    world.runOver(wire)(
      Effect.gen(function* () {
        const faults = yield* RpcFault.RpcFault
        yield* faults.replace(rules)
        const analyzer = yield* Analyzer.Analyzer
        return yield* analyzer.analyze({ kind: "token", chain, address: Address.checksum(address) })
      })
    )

  it.each(names)("%s is said of its trades what is said of its twin with a pair", async (name) => {
    const [paired, managed] = [await analyze(world.sandbox.targets[name].address), await analyze(tokens[name])]
    assert.strictEqual(managed.facts.pools?.[0]?.kind, "uniswap-v4")
    assert.deepStrictEqual(trades(managed), trades(paired))
    const { isTrap = false }: Twin = twins[name]
    if (isTrap) assert.strictEqual(managed.facts.risk?.level, paired.facts.risk?.level)
  })

  // Nothing there says which token is the wrapped coin.
  it("are traded for native coin on a chain without a row, with the verdicts of one with a row, or unknown", async () => {
    const { endpoints, explorer, id, name } = world.chain
    const unlisted = Chains.make({ id, name, endpoints, explorer, addressBook: id })
    for (const each of Tier.all
      ? names
      : (["plain", Draw.placeOf("trap", 2) === 0 ? "honeypot" : "sellTax90"] as const)) {
      const found = await analyze(tokens[each], undefined, unlisted)
      assert.strictEqual(found.facts.pools?.[0]?.quote, Address.zero, each)
      const { isTrap = false }: Twin = twins[each]
      const said = VenueLaw.of(await analyze(tokens[each]))
      assert.deepStrictEqual(VenueLaw.contradictions(isTrap ? "trap" : "honest", said, VenueLaw.of(found)), [], each)
      if (each === "plain" || each === "sellTax90")
        assert.deepStrictEqual(trades(found), trades(await analyze(tokens[each])), each)
    }
  })

  it.each(Object.entries(profiles))(
    "lose no claim about trades at an endpoint %s that the twin with a pair keeps there",
    async (_, profile) => {
      for (const name of Tier.all ? names : (["plain", "honeypot"] as const)) {
        const paired = trades(await analyze(world.sandbox.targets[name].address, profile))
        const managed = trades(await analyze(tokens[name], profile))
        const lost = Object.entries(paired).filter(([id, state]) => state !== "unknown" && managed[id] !== state)
        assert.deepStrictEqual(lost, [], name)
      }
    }
  )
})
