import { readFileSync } from "node:fs"
import { Account, Basics, Fingerprints, Pool, Sandbox, SharedSandbox } from "@assay/sandbox"
import { type Address, createPublicClient, encodeFunctionData, type Hex, http, parseAbi, parseEther } from "viem"
import { assert, beforeEach, describe, it } from "vitest"
import * as Tier from "../../../test/Tier.js"

const abi = parseAbi([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function owner() view returns (address)",
  "function paused() view returns (bool)",
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
  "function allowance(address, address) view returns (uint256)",
  "function transfer(address, uint256) returns (bool)",
  "function mint(address, uint256)",
  "function distribute(address, uint256)",
  "function getPair(address, address) view returns (address)",
  "function getPool(address, address, uint24) view returns (address)",
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function factory() view returns (address)",
  "function WETH() view returns (address)",
  "function WETH9() view returns (address)",
  "function getOwners() view returns (address[])",
  "function getThreshold() view returns (uint256)",
  "function VERSION() view returns (string)",
  "function getModulesPaginated(address, uint256) view returns (address[], address)",
  "function getMinDelay() view returns (uint256)",
  "function facetAddresses() view returns (address[])",
  "function initialize(string, string, uint256, address)",
  "function isApprovedForAll(address, address) view returns (bool)",
  "function getBlockNumber() view returns (uint256)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function masterMinter() view returns (address)",
  "function quoteExactInputSingle((address,address,uint256,uint24,uint160)) returns (uint256, uint160, uint32, uint256)"
])

const permit2 = parseAbi(["function allowance(address, address, address) view returns (uint160, uint48, uint48)"])

const zero: Address = "0x0000000000000000000000000000000000000000"
const dead: Address = "0x000000000000000000000000000000000000dEaD"

// `npm run test:all` sends more.
const transactions = Tier.all ? 200n : 40n

let sandbox: SharedSandbox.SharedSandbox

const client = () => createPublicClient({ transport: http(sandbox.url) })

const read = async (address: Address, functionName: string, args: ReadonlyArray<unknown> = []): Promise<unknown> =>
  client().readContract({ address, abi, functionName, args } as never)

/** Whether a call of `from` would succeed. */
const succeeds = async (from: Address, to: Address, functionName: string, args: ReadonlyArray<unknown>) => {
  const data = encodeFunctionData({ abi, functionName, args } as never)
  return sandbox.rpc.call("eth_call", [{ from, to, data }, "latest"]).then(
    () => true,
    () => false
  )
}

beforeEach(async () => {
  sandbox = await SharedSandbox.take()
})

describe("Sandbox", () => {
  it("builds the same blocks at every start", async () => {
    const again = await Sandbox.start()
    try {
      assert.deepStrictEqual(again.head, sandbox.head)
      assert.deepStrictEqual(again.targets, sandbox.targets)
    } finally {
      await again.stop()
    }
  })

  it("has in targets.json its targets as they are: `npm run generate` writes it", async () => {
    const written = JSON.parse(readFileSync(new URL("../targets.json", import.meta.url), "utf8"))
    assert.deepStrictEqual(written, await Fingerprints.of(sandbox))
  })

  it("knows where its accounts and targets are without a chain", async () => {
    assert.deepStrictEqual(Account.derive(), sandbox.accounts)
    assert.deepStrictEqual(await Sandbox.targets(), sandbox.targets)
  })

  it("mines what comes after the build at times that do not depend on the clock", async () => {
    await sandbox.transact({ from: sandbox.accounts.maker, to: sandbox.accounts.holder, value: 1n })
    const block = (await sandbox.rpc.call("eth_getBlockByNumber", ["latest", false])) as { number: Hex; timestamp: Hex }
    assert.strictEqual(Number(block.number), sandbox.head.number + 1)
    assert.strictEqual(Number(block.timestamp), sandbox.head.timestamp + 12)
  })

  it("has nothing of a transaction in the pool any more when it says that it is mined", async () => {
    for (let value = 1n; value <= transactions; value++) {
      const untouched = await sandbox.rpc.call("evm_snapshot")
      await sandbox.transact({ from: sandbox.accounts.maker, to: sandbox.accounts.holder, value })
      assert.deepStrictEqual(await sandbox.rpc.call("txpool_status"), { pending: "0x0", queued: "0x0" })
      await sandbox.rpc.call("evm_revert", [untouched])
    }
  })

  it("has the shared contracts at their mainnet addresses", async () => {
    const { infrastructure: at } = sandbox
    assert.strictEqual(await read(at.weth, "symbol"), "WETH")
    assert.strictEqual(await read(at.uniswapV2Router, "factory"), at.uniswapV2Factory)
    assert.strictEqual(await read(at.uniswapV2Router, "WETH"), at.weth)
    assert.strictEqual(await read(at.uniswapV3Router, "factory"), at.uniswapV3Factory)
    assert.strictEqual(await read(at.uniswapV3PositionManager, "WETH9"), at.weth)
    assert.strictEqual(await read(at.usdc, "symbol"), "USDC")
    assert.strictEqual(await read(at.usdc, "name"), "USD Coin")
    assert.strictEqual(await read(at.usdc, "masterMinter"), sandbox.accounts.usdcMasterMinter)
    assert.strictEqual(await read(at.multicall3, "getBlockNumber"), BigInt(sandbox.head.number))
    assert.match(String(await read(at.permit2, "DOMAIN_SEPARATOR")), /^0x[0-9a-f]{64}$/)
    assert.strictEqual(await read(at.safe, "VERSION"), "1.4.1")
    assert.strictEqual(await read(at.safeL2, "VERSION"), "1.4.1")
    for (const [name, address] of Object.entries(at)) {
      assert.notStrictEqual(await client().getCode({ address }), undefined, name)
    }
  })

  it("quotes USDC on Uniswap V3 at about its price", async () => {
    const { infrastructure: at } = sandbox
    const data = encodeFunctionData({
      abi,
      functionName: "quoteExactInputSingle",
      args: [[at.weth, at.usdc, parseEther("1"), 500, 0n]]
    })
    const answer = (await sandbox.rpc.call("eth_call", [{ to: at.uniswapV3QuoterV2, data }, "latest"])) as Hex
    const amount = Number(BigInt(answer.slice(0, 66))) / 1e6
    assert.isAbove(amount, 2_900)
    assert.isBelow(amount, 3_000)
  })

  it("has its pools where CREATE2 puts them on mainnet", async () => {
    const { infrastructure: at, targets, parts } = sandbox
    assert.strictEqual(Pool.v2InitCodeHash(), "0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f")
    // The USDC/WETH pools of Ethereum mainnet.
    assert.strictEqual(targets.usdc.pair, "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc")
    assert.strictEqual(parts.usdcV3Pool, "0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640")
    assert.strictEqual(await read(at.uniswapV3Factory, "getPool", [at.usdc, at.weth, 500]), parts.usdcV3Pool)
    const shallow: Readonly<Record<string, string>> = { thinPool: "0.4", scattered: "19", shadowed: "18" }
    for (const target of Object.values(targets)) {
      if (target.pair === undefined) continue
      assert.strictEqual(
        await read(at.uniswapV2Factory, "getPair", [target.address, at.weth]),
        target.pair,
        target.name
      )
      if (target.name === "emptied" || target.name === "emptiedTrap") {
        assert.isTrue((await wethIn(target.pair)) < 100n, target.name)
        continue
      }
      assert.isTrue((await wethIn(target.pair)) >= parseEther(shallow[target.name] ?? "95"), target.name)
    }
  })

  it("burned all shares of the plain token's pool", async () => {
    const pair = sandbox.targets.plain.pair as Address
    const supply = (await read(pair, "totalSupply")) as bigint
    const burned =
      ((await read(pair, "balanceOf", [dead])) as bigint) + ((await read(pair, "balanceOf", [zero])) as bigint)
    assert.strictEqual(burned, supply)
  })

  it("lets nobody but the owner sell the honeypot", async () => {
    const { accounts, targets } = sandbox
    const pair = targets.honeypot.pair as Address
    assert.isTrue(await succeeds(accounts.trader1, targets.honeypot.address, "transfer", [accounts.trader2, 1n]))
    assert.isFalse(await succeeds(accounts.trader1, targets.honeypot.address, "transfer", [pair, 1n]))
    assert.isTrue(await succeeds(accounts.issuer, targets.honeypot.address, "transfer", [pair, 0n]))
  })

  it("takes 90 % of what is sold of sellTax90", async () => {
    const { address, pair } = sandbox.targets.sellTax90
    const { trader4 } = sandbox.accounts
    const balance = async (): Promise<bigint> => {
      const data = encodeFunctionData({ abi, functionName: "balanceOf", args: [pair as Address] })
      return BigInt((await sandbox.rpc.call("eth_call", [{ to: address, data }, "latest"])) as Hex)
    }
    const before = await balance()
    const data = encodeFunctionData({ abi, functionName: "transfer", args: [pair as Address, 10_000n] })
    await sandbox.transact({ from: trader4, to: address, data })
    assert.strictEqual((await balance()) - before, 1_000n)
  })

  it("has a renounced token that a hidden address mints", async () => {
    const { accounts, targets } = sandbox
    assert.strictEqual(await read(targets.hiddenMinter.address, "owner"), zero)
    const args = [accounts.rewards, parseEther("1")]
    assert.isTrue(await succeeds(accounts.rewards, targets.hiddenMinter.address, "distribute", args))
    assert.isFalse(await succeeds(accounts.issuer, targets.hiddenMinter.address, "distribute", args))
  })

  it("has tokens that a Safe and a timelock own, and these as they should be", async () => {
    const { accounts, targets, parts } = sandbox
    assert.strictEqual(await read(targets.safeOwned.address, "owner"), targets.safe.address)
    assert.strictEqual(await read(targets.timelockOwned.address, "owner"), targets.timelock.address)
    assert.strictEqual(await read(targets.timelock.address, "getMinDelay"), BigInt(Basics.timelockDelay))
    assert.strictEqual(await read(targets.safe.address, "getThreshold"), 2n)
    assert.deepStrictEqual(await read(targets.safe.address, "getOwners"), [
      accounts.safeOwner1,
      accounts.safeOwner2,
      accounts.safeOwner3
    ])
    const first = "0x0000000000000000000000000000000000000001"
    const modules = (await read(targets.moduleSafe.address, "getModulesPaginated", [first, 10n])) as [Array<Address>]
    assert.deepStrictEqual(modules[0], [parts.keeperModule])
  })

  it("has the code that each kind of proxy has", async () => {
    const { targets, parts } = sandbox
    const code = await client().getCode({ address: targets.clone.address })
    assert.strictEqual(code?.length, 2 + 45 * 2)
    assert.include(code ?? "", parts.logic.slice(2).toLowerCase())
    assert.strictEqual(((await read(targets.diamond.address, "facetAddresses")) as Array<Address>).length, 3)
    assert.strictEqual(await read(targets.uups.address, "symbol"), "ALD")
    assert.strictEqual(await read(targets.transparent.address, "symbol"), "RWN")
    assert.strictEqual(await read(targets.beacon.address, "symbol"), "HZL")
    assert.strictEqual(await read(parts.transparentAdmin, "owner"), sandbox.accounts.proxyOwner)
  })

  it("leaves exactly one implementation open to be initialised", async () => {
    const { accounts, targets, parts } = sandbox
    const args = ["x", "x", 1n, accounts.trader1]
    assert.isTrue(await succeeds(accounts.trader1, parts.uninitialisedImplementation, "initialize", args))
    for (const address of [
      parts.uupsImplementation,
      parts.logic,
      targets.clone.address,
      targets.uninitialised.address,
      targets.uups.address
    ]) {
      assert.isFalse(await succeeds(accounts.trader1, address, "initialize", args), address)
    }
  })

  it("has an account that delegates its code by EIP-7702", async () => {
    const { targets, parts } = sandbox
    const code = await client().getCode({ address: targets.delegated.address })
    assert.strictEqual(code, `0xef0100${parts.batchDelegate.slice(2).toLowerCase()}`)
  })

  it("has an account with unlimited allowances, one that was taken back, and a collection's operator", async () => {
    const { accounts, infrastructure: at, targets } = sandbox
    const { approver, spender } = accounts
    const most = 2n ** 256n - 1n
    assert.strictEqual(await read(targets.plain.address, "allowance", [approver, spender]), most)
    assert.strictEqual(await read(at.usdc, "allowance", [approver, at.uniswapV2Router]), most)
    assert.strictEqual(await read(targets.uups.address, "allowance", [approver, at.permit2]), most)
    assert.strictEqual(await read(targets.blacklist.address, "allowance", [approver, at.uniswapV2Router]), 0n)
    assert.isTrue(await read(targets.collectible.address, "isApprovedForAll", [approver, spender]))
    const allowed = await client().readContract({
      address: at.permit2,
      abi: permit2,
      functionName: "allowance",
      args: [approver, targets.uups.address, spender]
    })
    assert.strictEqual(allowed[0], 2n ** 160n - 1n)
  })

  it("has an address that nobody used and a name of 1000 characters", async () => {
    const { address } = sandbox.targets.unused
    assert.strictEqual(await client().getTransactionCount({ address }), 0)
    assert.strictEqual(await client().getBalance({ address }), 0n)
    assert.strictEqual(String(await read(sandbox.targets.hostileName.address, "name")).length, 1_000)
  })
})

const wethIn = async (pair: Address): Promise<bigint> =>
  (await read(sandbox.infrastructure.weth, "balanceOf", [pair])) as bigint
