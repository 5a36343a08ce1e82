import { setTimeout } from "node:timers/promises"
import { type Address, type Hex, numberToHex } from "viem"
import * as Account from "./Account.js"
import * as Anvil from "./Anvil.js"
import * as Infrastructure from "./Infrastructure.js"
import * as JsonRpc from "./JsonRpc.js"
import * as Script from "./Script.js"
import * as Targets from "./Targets.js"
import * as Truth from "./Truth.js"

/** The newest block of the chain when it has been built; the same at every start. */
export interface Head {
  readonly number: number
  readonly hash: string
  readonly timestamp: number
}

/** A running chain with everything on it, and where that is. */
export interface Sandbox {
  readonly url: string
  readonly chainId: number
  readonly head: Head
  readonly accounts: Account.Accounts
  readonly targets: Targets.Targets
  readonly parts: Targets.Parts
  /** What is true of the targets. */
  readonly truth: ReadonlyArray<Truth.Truth>
  readonly infrastructure: typeof Infrastructure.addresses
  readonly rpc: JsonRpc.JsonRpc
  /** Sends a transaction of an unlocked account and resolves when it is in a block only; rejects when it reverts. */
  readonly transact: (transaction: Transaction) => Promise<void>
  /** Ends the chain; harmless when called again. */
  readonly stop: () => Promise<void>
  /** Resolves when the chain process has ended, whoever ended it. */
  readonly ended: Promise<void>
}

/** A transaction to send after the build. */
export interface Transaction {
  readonly from: Address
  /** None makes a contract of the data. */
  readonly to?: Address | undefined
  readonly data?: Hex | undefined
  readonly value?: bigint | undefined
  /** An estimate where there is none, which knows nothing of the time that passes until the block. */
  readonly gas?: bigint | undefined
}

/** `port` 0 or absent takes a free one. */
export interface Options {
  readonly port?: number | undefined
}

/** Anvil's own chain id. */
export const chainId = 31_337

/** 2025-01-01T00:00:00Z: a fixed start is what makes every block the same at every start. */
export const genesisTimestamp = 1_735_689_600

const anvilArguments = [
  ["--chain-id", chainId],
  ["--timestamp", genesisTimestamp],
  ["--mnemonic", Account.mnemonic],
  ["--accounts", Account.names.length],
  ["--balance", 20_000],
  ["--gas-limit", Script.blockGasLimit],
  // `safe` and `finalized` are one and two epochs behind the head: with 32 slots they would be the genesis block.
  ["--slots-in-an-epoch", 1],
  // The rules that the release of anvil calls newest would change the blocks with the release.
  ["--hardfork", "prague"]
].flat()

/** Starts a chain and builds everything on it; it ends with this process and does not keep it alive. */
export const start = async (options: Options = {}): Promise<Sandbox> => {
  const anvil = await Anvil.start({
    port: options.port,
    arguments: [...anvilArguments.map(String), "--no-mining"]
  })
  try {
    const rpc = JsonRpc.make(anvil.url)
    await rpc.call("anvil_setLoggingEnabled", [false])
    const accounts = await Account.read(rpc)
    await Infrastructure.install(rpc, {
      uniswap: accounts.maker,
      usdcAdmin: accounts.usdcAdmin,
      usdtOwner: accounts.usdtOwner,
      thief: accounts.thief,
      sanctioned: [accounts.sanctioned]
    })
    // Every block of a real chain has a proposer, and some tokens ask for it.
    await rpc.call("anvil_setCoinbase", [Account.keyless("assay sandbox: proposer")])
    const script = Script.make(genesisTimestamp)
    const world = await Targets.write(script, accounts, chainId)
    await script.run(rpc)
    // From here on every transaction is mined at once, still at a time that does not depend on the clock.
    await rpc.batch([
      { method: "anvil_setBlockTimestampInterval", params: [Script.blockTime] },
      { method: "evm_setAutomine", params: [true] }
    ])
    const block = (await rpc.call("eth_getBlockByNumber", ["latest", false])) as Readonly<Record<keyof Head, string>>
    return {
      url: anvil.url,
      chainId,
      head: { number: Number(block.number), hash: block.hash, timestamp: Number(block.timestamp) },
      accounts,
      targets: world.targets,
      parts: world.parts,
      truth: Truth.make(world, accounts),
      infrastructure: Infrastructure.addresses,
      rpc,
      transact: (transaction) => transact(rpc, transaction),
      stop: anvil.stop,
      ended: anvil.ended
    }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

const transact = async (rpc: JsonRpc.JsonRpc, { from, to, data, value, gas }: Transaction): Promise<void> => {
  const fields = {
    from,
    to,
    data: data ?? "0x",
    value: numberToHex(value ?? 0n),
    gas: gas === undefined ? undefined : numberToHex(gas)
  }
  const hash = await rpc.call("eth_sendTransaction", [fields])
  // Anvil answers before it mines, and has the receipt before it clears the pool. What has the same sender and nonce is
  // cleared with it, so who set the chain back in between would lose what he sends next. It looks into the pool first.
  for (let polls = 1; polls <= pollsAtMost; polls++) {
    const sent = (await rpc.call("eth_getTransactionByHash", [hash])) as { readonly blockHash: string | null } | null
    if (sent !== null && sent.blockHash !== null) {
      const receipt = (await rpc.call("eth_getTransactionReceipt", [hash])) as { readonly status: string }
      if (receipt.status === "0x1") return
      throw new Error(`Transaction ${hash} reverted`)
    }
    // Its miner sometimes misses one that is ready: https://github.com/foundry-rs/foundry/issues/10122
    if (polls % pollsUntilMined === 0) await rpc.call("evm_mine")
    await setTimeout(2)
  }
  throw new Error(`Transaction ${hash} was not mined`)
}

const pollsUntilMined = 500

const pollsAtMost = 5_000
