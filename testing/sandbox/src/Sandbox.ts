import { setTimeout } from "node:timers/promises"
import { type Address, type Hex, numberToHex } from "viem"
import * as Account from "./chain/Account.js"
import * as Anvil from "./chain/Anvil.js"
import * as Head from "./chain/Head.js"
import * as JsonRpc from "./chain/JsonRpc.js"
import * as SavedState from "./chain/SavedState.js"
import * as Script from "./chain/Script.js"
import * as Infrastructure from "./market/Infrastructure.js"
import * as Targets from "./Targets.js"
import * as Truth from "./truth/Truth.js"

/** A running chain with everything on it, and where that is. */
export interface Sandbox {
  readonly url: string
  readonly chainId: number
  readonly head: Head.Head
  readonly accounts: Account.Accounts
  readonly targets: Targets.Targets
  readonly parts: Targets.Parts
  /** What is true of the targets. */
  readonly truth: ReadonlyArray<Truth.Truth>
  readonly infrastructure: typeof Infrastructure.addresses
  readonly rpc: JsonRpc.JsonRpc
  /** Sends a transaction of an unlocked account and resolves when it is in a block only; rejects when it reverts. */
  readonly transact: (transaction: Transaction) => Promise<void>
  /** The same of several with a gas limit each, in as few blocks as they fit in; those of one account in their order. */
  readonly transactAll: (transactions: ReadonlyArray<Limited>) => Promise<void>
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

/** A transaction with a gas limit: one that waits for others cannot be estimated. */
export type Limited = Transaction & { readonly gas: bigint }

/** How to start the chain. */
export interface Options {
  /** 0 or absent takes a free one. */
  readonly port?: number | undefined
  /**
   * A folder for the built chain, which the next start loads instead of building it. Its name has to change with what
   * the chain is made of. The chain that is served then knows no state older than its newest block (`SavedState`), also
   * at the start that saves it. Absent builds the chain, with all of its history.
   */
  readonly state?: string | undefined
  /** Called before a chain is loaded and before one is built. */
  readonly onStep?: ((step: "load" | "build") => void) | undefined
}

/** Anvil's own chain id. */
export const chainId = 31_337

/** 2025-01-01T00:00:00Z: a fixed start is what makes every block the same at every start. */
export const genesisTimestamp = 1_735_689_600

/** How anvil is started, without a port: what a saved chain needs as well. */
export const anvilArguments: ReadonlyArray<string> = [
  ["--chain-id", chainId],
  ["--timestamp", genesisTimestamp],
  ["--mnemonic", Account.mnemonic],
  ["--accounts", Account.names.length],
  ["--balance", 20_000],
  ["--gas-limit", Script.blockGasLimit],
  // `safe` and `finalized` are one and two epochs behind the head: with 32 slots they would be the genesis block.
  ["--slots-in-an-epoch", 1],
  // The rules that the release of anvil calls newest would change the blocks with the release.
  ["--hardfork", "prague"],
  ["--no-mining"]
]
  .flat()
  .map(String)

/** Requests to anvil before anything is on the chain. */
export const environment: ReadonlyArray<JsonRpc.Request> = [
  { method: "anvil_setLoggingEnabled", params: [false] },
  // Every block of a real chain has a proposer, and some tokens read it.
  { method: "anvil_setCoinbase", params: [Account.keyless("assay sandbox: proposer")] }
]

/** Requests to anvil once everything is on the chain. */
export const mining: ReadonlyArray<JsonRpc.Request> = [
  // From here on every transaction is mined at once, still at a time that does not depend on the clock.
  { method: "anvil_setBlockTimestampInterval", params: [Script.blockTime] },
  { method: "evm_setAutomine", params: [true] }
]

/** Starts a chain with everything on it; it ends with this process and does not keep it alive. */
export const start = async (options: Options = {}): Promise<Sandbox> => {
  if (options.state === undefined) return build(options)
  const saved = await load(options, options.state)
  if (saved !== undefined) return saved
  const built = await build(options)
  try {
    await SavedState.save(built.rpc, options.state, built.head)
  } catch {
    // Nothing can be written there. The built chain does all that a loaded one does.
    return built
  }
  await built.stop()
  // This start serves what the next one will, so that both give the same verdicts.
  return (await load(options, options.state)) ?? build(options)
}

const build = ({ onStep, port }: Options): Promise<Sandbox> => {
  onStep?.("build")
  return launch(port, [], async ({ accounts, rpc, script }) => {
    await Infrastructure.install(rpc, {
      uniswap: accounts.maker,
      usdcAdmin: accounts.usdcAdmin,
      usdtOwner: accounts.usdtOwner,
      thief: accounts.thief,
      sanctioned: [accounts.sanctioned]
    })
    await script.run(rpc)
  })
}

/** Loads a saved chain. None where nothing is saved, or what is saved does not give the chain that was saved. */
export const load = async ({ onStep, port }: Options, folder: string): Promise<Sandbox | undefined> => {
  const saved = SavedState.find(folder)
  if (saved === undefined) return undefined
  onStep?.("load")
  try {
    return await launch(port, ["--load-state", saved.file], async ({ rpc, script }) => {
      const [client, head] = [await SavedState.version(rpc), await Head.read(rpc)]
      if (client !== saved.client || !Head.isSame(head, saved.head)) throw new Error("not the chain that was saved")
      // Anvil starts its clock at the genesis time, whatever it loads.
      await rpc.call("evm_setTime", [head.timestamp])
      // Which accounts send without a key is not part of a state.
      await rpc.batch(script.unlocked().map((account) => ({ method: "anvil_impersonateAccount", params: [account] })))
    })
  } catch {
    return undefined
  }
}

interface Beginning {
  readonly rpc: JsonRpc.JsonRpc
  readonly accounts: Account.Accounts
  readonly script: Script.Script
}

/** Starts anvil, has everything put on the chain, and says where it is. */
const launch = async (
  port: number | undefined,
  more: ReadonlyArray<string>,
  put: (beginning: Beginning) => Promise<void>
): Promise<Sandbox> => {
  const anvil = await Anvil.start({ port, arguments: [...anvilArguments, ...more] })
  try {
    const rpc = JsonRpc.make(anvil.url)
    await rpc.batch(environment)
    const accounts = await Account.read(rpc)
    const { script, world } = await plan(accounts)
    await put({ rpc, accounts, script })
    await rpc.batch(mining)
    return {
      url: anvil.url,
      chainId,
      head: await Head.read(rpc),
      accounts,
      targets: world.targets,
      parts: world.parts,
      truth: Truth.make(world, accounts),
      infrastructure: Infrastructure.addresses,
      rpc,
      transact: (transaction) => transact(rpc, transaction),
      transactAll: (transactions) => transactAll(rpc, transactions),
      stop: anvil.stop,
      ended: anvil.ended
    }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

/** What of the chain is known before there is one. */
const plan = async (accounts: Account.Accounts) => {
  const script = Script.make(genesisTimestamp)
  return { script, world: await Targets.write(script, accounts, chainId) }
}

/** Where all targets are going to be. Takes no chain; the keys of the accounts are derived here. */
export const targets = async (): Promise<Targets.Targets> => (await plan(Account.derive())).world.targets

const sending = ({
  from,
  to,
  data,
  value,
  gas,
  nonce
}: Transaction & { readonly nonce?: number }): JsonRpc.Request => ({
  method: "eth_sendTransaction",
  params: [
    {
      from,
      to,
      data: data ?? "0x",
      value: numberToHex(value ?? 0n),
      gas: gas === undefined ? undefined : numberToHex(gas),
      nonce: nonce === undefined ? undefined : numberToHex(nonce)
    }
  ]
})

interface Sent {
  readonly hash: string
  readonly blockHash: string | null
}

const transactAll = async (rpc: JsonRpc.JsonRpc, transactions: ReadonlyArray<Limited>): Promise<void> => {
  const senders = [...new Set(transactions.map(({ from }) => from))]
  const counts = await rpc.batch(
    senders.map((from) => ({ method: "eth_getTransactionCount", params: [from, "latest"] }))
  )
  const nonces = new Map(senders.map((from, index) => [from, Number(counts[index])]))
  // Anvil gives two of a long batch the same nonce now and then.
  const requests = transactions.map((transaction) => {
    const nonce = nonces.get(transaction.from) ?? 0
    nonces.set(transaction.from, nonce + 1)
    return sending({ ...transaction, nonce })
  })
  await rpc.call("evm_setAutomine", [false])
  try {
    const hashes = await rpc.batch(requests)
    const isMined = async () => {
      const sent = await rpc.batch(hashes.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] })))
      return (sent as ReadonlyArray<Sent | null>).every((one) => one !== null && one.blockHash !== null)
    }
    // A block takes one at least.
    for (let blocks = 1; ; blocks++) {
      await rpc.call("evm_mine")
      if (await isMined()) break
      if (blocks === hashes.length) throw new Error(`Of ${blocks} transactions some were not mined`)
    }
    const receipts = await rpc.batch(hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })))
    const failed = hashes.filter((_, index) => (receipts[index] as { readonly status: string }).status !== "0x1")
    if (failed.length > 0) throw new Error(`Transactions reverted: ${failed.join(", ")}`)
  } finally {
    await rpc.call("evm_setAutomine", [true])
  }
}

const transact = async (rpc: JsonRpc.JsonRpc, transaction: Transaction): Promise<void> => {
  const { method, params } = sending(transaction)
  const hash = await rpc.call(method, params)
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
