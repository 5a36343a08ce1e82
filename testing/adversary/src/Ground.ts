import { Account, Anvil, Artifact, Infrastructure, JsonRpc, Pool, Sandbox } from "@assay/sandbox"
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi, parseEther, parseGwei } from "viem"
import { encodeDeployData, getContractAddress } from "viem/utils"
import * as Places from "./Places.js"

/** A transaction of an account; the machine has its key. */
export interface Transaction {
  readonly from: Address
  readonly to?: Address | undefined
  readonly data?: Hex | undefined
  readonly value?: bigint | undefined
  readonly gas?: bigint | undefined
  /** What it does, for a reader. */
  readonly label: string
}

/** What became of a transaction. */
export interface Receipt {
  readonly status: "0x1" | "0x0"
  readonly contractAddress: Address | null
  readonly logs: ReadonlyArray<{ readonly address: Address; readonly topics: ReadonlyArray<Hex>; readonly data: Hex }>
}

/** How a block is to be. */
export interface Setting {
  /** Epoch seconds; 12 s after the block before it where absent. */
  readonly timestamp?: number | undefined
  /** Of a unit of gas, in wei; what transactions pay is the double of it. */
  readonly baseFee?: bigint | undefined
}

/** A local chain with the shared contracts of mainnet on it, and what the machine does there. */
export interface Ground {
  readonly url: string
  readonly rpc: JsonRpc.JsonRpc
  readonly accounts: Account.Accounts
  /** A timelock of seven days; its one proposer and executor is the maker. */
  readonly timelock: Address
  readonly head: () => Promise<{ readonly number: number; readonly timestamp: number }>
  /** Mines one block of exactly these transactions, in this order for each sender. */
  readonly mine: (transactions: ReadonlyArray<Transaction>, setting?: Setting) => Promise<ReadonlyArray<Receipt>>
  /** The same, and what is read right after it. */
  readonly mineAndRead: (
    transactions: ReadonlyArray<Transaction>,
    setting: Setting,
    reads: ReadonlyArray<JsonRpc.Request>
  ) => Promise<{ readonly receipts: ReadonlyArray<Receipt>; readonly answers: ReadonlyArray<unknown> }>
  /** Mines empty blocks, 12 s apart. */
  readonly pass: (blocks: number) => Promise<void>
  /** Has something done, and takes all of it back. */
  readonly undone: <A>(deed: () => Promise<A>) => Promise<A>
  readonly stop: () => Promise<void>
}

/** The base fee of every block that states no other. */
export const baseFee = parseGwei("1")

const weth = parseAbi(["function deposit() payable"])
const pooled = parseAbi([
  "function createPair(address a, address b) returns (address)",
  "function transfer(address to, uint256 value)",
  "function mint(address to) returns (uint256)"
])

/** Starts a chain. It is the same at every start: addresses, blocks and times. */
export const start = async (): Promise<Ground> => {
  const anvil = await Anvil.start({ arguments: Sandbox.anvilArguments })
  try {
    const rpc = JsonRpc.make(anvil.url)
    await rpc.batch(Sandbox.environment)
    const accounts = await Account.read(rpc)
    const { maker, thief } = accounts
    await Infrastructure.install(rpc, {
      uniswap: maker,
      usdcAdmin: accounts.usdcAdmin,
      usdtOwner: accounts.usdtOwner,
      thief,
      sanctioned: []
    })
    const ground = on(anvil, rpc, accounts)
    const timelock = Artifact.openZeppelin("TimelockController")
    const args = [BigInt(7 * Places.day), [maker], [maker], Account.nobody]
    await ground.mine([
      {
        from: maker,
        data: encodeDeployData({ abi: timelock.abi, bytecode: timelock.bytecode, args }),
        gas: 5_000_000n,
        label: "deploy a timelock"
      },
      {
        from: maker,
        to: Infrastructure.addresses.weth,
        data: encodeFunctionData({ abi: weth, functionName: "deposit" }),
        value: parseEther("5000"),
        label: "wrap ether"
      }
    ])
    // Without a pool of dollars no ether has a price.
    const { uniswapV2Factory, usdt, weth: wrapped } = Infrastructure.addresses
    const pool = Pool.v2Address(usdt, wrapped)
    const pay = (amount: bigint): Hex =>
      encodeFunctionData({ abi: pooled, functionName: "transfer", args: [pool, amount] })
    await ground.mine([
      {
        from: maker,
        to: uniswapV2Factory,
        data: encodeFunctionData({ abi: pooled, functionName: "createPair", args: [usdt, wrapped] }),
        gas: 4_000_000n,
        label: "create a pair"
      },
      { from: maker, to: wrapped, data: pay(parseEther("2000")), label: "pay ether in" },
      { from: accounts.usdtOwner, to: usdt, data: pay(6_000_000_000_000n), label: "pay dollars in" }
    ])
    await ground.mine([
      {
        from: maker,
        to: pool,
        data: encodeFunctionData({ abi: pooled, functionName: "mint", args: [Account.burnt] }),
        label: "keep it"
      }
    ])
    await ground.pass(Places.start.block - 3 - (await ground.head()).number)
    await ground.mine([], { timestamp: Places.start.timestamp - 48 })
    return ground
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

/** What is known of a chain, so that it is not read before each block. */
interface Known {
  readonly head: { readonly number: number; readonly timestamp: number } | undefined
  readonly nonces: ReadonlyMap<Address, number>
}

const on = (anvil: Anvil.Anvil, rpc: JsonRpc.JsonRpc, accounts: Account.Accounts): Ground => {
  let known: Known = { head: undefined, nonces: new Map() }

  const head: Ground["head"] = async () => {
    if (known.head !== undefined) return known.head
    const block = (await rpc.call("eth_getBlockByNumber", ["latest", false])) as {
      readonly number: Hex
      readonly timestamp: Hex
    }
    const read = { number: Number(block.number), timestamp: Number(block.timestamp) }
    known = { ...known, head: read }
    return read
  }

  /** The first call reads those of all accounts: only what is mined here changes them. */
  const noncesOf = async (): Promise<Map<Address, number>> => {
    if (known.nonces.size > 0) return new Map(known.nonces)
    const all = Object.values(accounts)
    const counts = await rpc.batch(all.map((from) => ({ method: "eth_getTransactionCount", params: [from, "latest"] })))
    return new Map(all.map((from, i) => [from, Number(counts[i])] as const))
  }

  const mineAndRead: Ground["mineAndRead"] = async (transactions, setting, reads) => {
    const nonces = await noncesOf()
    const latest = await head()
    const base = setting.baseFee ?? baseFee
    const timestamp = setting.timestamp ?? latest.timestamp + 12
    const [, , ...hashes] = await rpc.batch([
      { method: "evm_setNextBlockTimestamp", params: [timestamp] },
      { method: "anvil_setNextBlockBaseFeePerGas", params: [numberToHex(base)] },
      ...transactions.map(({ data, from, gas, to, value }) => {
        const nonce = nonces.get(from) as number
        nonces.set(from, nonce + 1)
        return {
          method: "eth_sendTransaction",
          params: [
            {
              from,
              to,
              data: data ?? "0x",
              value: numberToHex(value ?? 0n),
              gas: numberToHex(gas ?? 1_000_000n),
              gasPrice: numberToHex(base * 2n),
              nonce: numberToHex(nonce)
            }
          ]
        }
      })
    ])
    await rpc.call("evm_mine")
    known = { nonces, head: { number: latest.number + 1, timestamp } }
    const answers = await rpc.batch([
      ...hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
      ...reads
    ])
    const receipts = answers.slice(0, hashes.length).map((receipt, i) => {
      if (receipt === null) throw new Error(`"${transactions[i]?.label}" was not mined`)
      return receipt as Receipt
    })
    return { receipts, answers: answers.slice(hashes.length) }
  }

  return {
    url: anvil.url,
    rpc,
    accounts,
    timelock: getContractAddress({ from: accounts.maker, nonce: 0n }),
    head,
    mine: async (transactions, setting = {}) => (await mineAndRead(transactions, setting, [])).receipts,
    mineAndRead,
    pass: async (blocks) => {
      if (blocks <= 0) return
      await rpc.call("anvil_mine", [numberToHex(blocks), "0xc"])
      known = { ...known, head: undefined }
    },
    undone: async (deed) => {
      const before = known
      const snapshot = await rpc.call("evm_snapshot")
      try {
        return await deed()
      } finally {
        await rpc.call("evm_revert", [snapshot])
        known = before
      }
    },
    stop: anvil.stop
  }
}
