import { Sandbox, type Targets, type Truth } from "@assay/sandbox"
import { type Address, createPublicClient, encodeFunctionData, http, parseAbi, parseEther } from "viem"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const abi = parseAbi([
  "function owner() view returns (address)",
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
  "function approve(address, uint256) returns (bool)",
  "function transfer(address, uint256) returns (bool)",
  "function getAmountsOut(uint256, address[]) view returns (uint256[])",
  "function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256, address[], address, uint256) payable",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256, uint256, address[], address, uint256)"
])

const deadline = 2n ** 256n - 1n

let sandbox: Sandbox.Sandbox

const client = () => createPublicClient({ transport: http(sandbox.url) })

const read = async (address: Address, functionName: string, args: ReadonlyArray<unknown> = []): Promise<unknown> =>
  client().readContract({ address, abi, functionName, args } as never)

const balance = async (token: Address, holder: Address): Promise<bigint> =>
  (await read(token, "balanceOf", [holder])) as bigint

const said = (evidence: string, state: Truth.Truth["state"]): ReadonlyArray<Targets.Target> =>
  sandbox.truth
    .filter((truth) => truth.evidence === evidence && truth.state === state)
    .map((truth) => sandbox.targets[truth.target])

const values = (evidence: string) => sandbox.truth.filter((truth) => truth.evidence === evidence)

/** The opcodes of a contract, without the data of its pushes and without the metadata at its end. */
const opcodes = async (address: Address): Promise<ReadonlySet<number>> => {
  const code = Buffer.from(((await client().getCode({ address })) ?? "0x").slice(2), "hex")
  const metadata = code.length > 2 ? code.readUInt16BE(code.length - 2) + 2 : 0
  const end = metadata < code.length && metadata < 100 ? code.length - metadata : code.length
  const found = new Set<number>()
  for (let at = 0; at < end; at++) {
    const opcode = code[at] ?? 0
    found.add(opcode)
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f
  }
  return found
}

const bps = (expected: bigint, received: bigint): number =>
  Math.round(Number(((expected - received) * 100_000n) / expected) / 10)

beforeAll(async () => {
  sandbox = await Sandbox.start()
})

afterAll(() => sandbox.stop())

describe("Truth", () => {
  it("says something of every target and nothing twice", () => {
    const keys = sandbox.truth.map(({ target, evidence }) => `${target} ${evidence}`)
    assert.deepStrictEqual(
      keys.filter((key, index) => keys.indexOf(key) !== index),
      []
    )
    for (const name of Object.keys(sandbox.targets)) {
      assert.isTrue(
        sandbox.truth.some(({ target, state }) => target === name && (state === "confirmed" || state === "refuted")),
        name
      )
    }
  })

  it("is right about SELFDESTRUCT and DELEGATECALL", async () => {
    for (const { address, name } of said("contract.selfdestruct-reachable", "refuted")) {
      assert.isFalse((await opcodes(address)).has(0xff), name)
    }
    for (const { address, name } of said("contract.selfdestruct-reachable", "confirmed")) {
      assert.isTrue((await opcodes(address)).has(0xff), name)
    }
    for (const { address, name } of said("proxy.kind", "refuted")) {
      assert.isFalse((await opcodes(address)).has(0xf4), name)
    }
    for (const { address, name } of said("proxy.kind", "confirmed")) {
      assert.isTrue((await opcodes(address)).has(0xf4), name)
    }
  })

  it("is right about owners", async () => {
    for (const { target, state, value } of values("control.owner")) {
      const owner = await read(sandbox.targets[target].address, "owner").catch(() => undefined)
      assert.strictEqual(owner, state === "confirmed" ? value?.owner : undefined, target)
    }
  })

  it("is right about what insiders hold", async () => {
    const { deployer, issuer } = sandbox.accounts
    const share = async (address: Address): Promise<number> => {
      const held = (await balance(address, deployer)) + (await balance(address, issuer))
      return Number((held * 10_000n) / ((await read(address, "totalSupply")) as bigint))
    }
    for (const { address, name } of said("holders.insiders", "confirmed"))
      assert.strictEqual(await share(address), 10_000, name)
    for (const { address, name } of said("holders.insiders", "refuted"))
      assert.isAtMost(await share(address), 110, name)
  })

  it("is right about what trading costs, by trading", async () => {
    const { weth, uniswapV2Router: router } = sandbox.infrastructure
    const { trader1: trader, keeper: peer } = sandbox.accounts
    const send = (to: Address, functionName: string, args: ReadonlyArray<unknown>, value = 0n): Promise<void> =>
      sandbox.transact({ from: trader, to, data: encodeFunctionData({ abi, functionName, args } as never), value })
    const quote = async (amount: bigint, path: ReadonlyArray<Address>): Promise<bigint> =>
      ((await read(router, "getAmountsOut", [amount, path])) as ReadonlyArray<bigint>)[1] ?? 0n

    const honeypots = new Set(said("trade.honeypot", "confirmed").map((target) => target.name))
    for (const { address: token, pair, name } of said("trade.route", "confirmed")) {
      const spent = parseEther("0.1")
      const bought = await quote(spent, [weth, token])
      const held = await balance(token, trader)
      const buy = "swapExactETHForTokensSupportingFeeOnTransferTokens"
      await send(router, buy, [0n, [weth, token], trader, deadline], spent)
      const received = (await balance(token, trader)) - held

      const sent = received / 10n
      await send(token, "transfer", [peer, sent])
      const arrived = await balance(token, peer)

      const sold = received / 2n
      await send(token, "approve", [router, sold])
      const worth = await quote(sold, [token, weth])
      const reserve = await balance(weth, pair as Address)
      const sell = send(router, "swapExactTokensForETHSupportingFeeOnTransferTokens", [
        sold,
        0n,
        [token, weth],
        trader,
        deadline
      ])
      if (honeypots.has(name)) {
        assert.isTrue(
          await sell.then(
            () => false,
            () => true
          ),
          name
        )
        continue
      }
      await sell
      const gained = reserve - (await balance(weth, pair as Address))
      const truth = values("trade.taxed").find(({ target }) => target === name)
      assert.strictEqual(bps(bought, received), truth?.value?.buy_tax_bps, `${name}: buy`)
      assert.strictEqual(bps(sent, arrived), truth?.value?.transfer_tax_bps, `${name}: transfer`)
      assert.approximately(bps(worth, gained), Number(truth?.value?.sell_tax_bps), 5, `${name}: sell`)
    }
  })
})
