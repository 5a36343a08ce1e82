import { Account, Infrastructure, type JsonRpc, Pool } from "@assay/sandbox"
import { type Address, decodeAbiParameters, encodeFunctionData, type Hex, parseAbi, parseEther } from "viem"
import { concat, encodeAbiParameters, getAddress, getContractAddress, keccak256, toHex } from "viem/utils"
import type { Ground, Setting, Transaction } from "./Ground.js"

/** A token that can be traded. */
export interface Listed {
  readonly token: Address
  readonly pool: Address
}

/** One sale or transfer of a holder. */
export interface Trade {
  readonly holder: Address
  readonly sent: bigint
  /** What came to the pool or the receiver, 0 where the transaction failed. */
  readonly arrived: bigint
  readonly isDone: boolean
}

/** What holders did, with two sizes each. */
export interface Trades {
  readonly sales: ReadonlyArray<Trade>
  readonly transfers: ReadonlyArray<Trade>
  /** Whether a holder has paid more by a twentieth than what it sold and sent. */
  readonly isOverspent: boolean
}

const { uniswapV2Factory, uniswapV2Router, weth } = Infrastructure.addresses

/** The interface of the tokens. */
export const erc20 = parseAbi([
  "function transfer(address to, uint256 value) returns (bool)",
  "function transferFrom(address from, address to, uint256 value) returns (bool)",
  "function approve(address spender, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function totalSupply() view returns (uint256)"
])
export const exchange = parseAbi([
  "function createPair(address a, address b) returns (address)",
  "function mint(address to) returns (uint256)",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amount, uint256 least, address[] path, address to, uint256 deadline)"
])
const swapped = keccak256(toHex("Swap(address,uint256,uint256,uint256,uint256,address)"))
const deadline = 2n ** 256n - 1n

/** The accounts that hold and sell. */
export const holdersOf = ({ accounts }: Ground): ReadonlyArray<Address> => [
  accounts.trader1,
  accounts.trader2,
  accounts.trader3
]

/** Another holder, who also has some. */
export const donorOf = ({ accounts }: Ground): Address => accounts.trader4

const give = (from: Address, token: Address, to: Address, value: bigint, label: string): Transaction => ({
  from,
  to: token,
  data: encodeFunctionData({ abi: erc20, functionName: "transfer", args: [to, value] }),
  gas: 400_000n,
  label
})

/**
 * Deploys tokens and brings each to market, in one block: a Uniswap V2 pair of 95 % of the supply and 50 ether with
 * burned liquidity, three holders with 1 %, and the rest burned but for a little.
 */
export const list = async (
  ground: Ground,
  codes: ReadonlyArray<{ readonly creation: Hex; readonly key: Address }>,
  timestamp: number
): Promise<ReadonlyArray<Listed>> => {
  const from = ground.accounts.maker
  const nonce = BigInt((await ground.rpc.call("eth_getTransactionCount", [from, "latest"])) as Hex)
  const listed = codes.map((_, i) => {
    const token = getContractAddress({ from, nonce: nonce + BigInt(i) })
    return { token, pool: Pool.v2Address(token, weth) }
  })
  const deployments = codes.map(
    ({ creation, key }, i): Transaction => ({
      from,
      data: concat([creation, encodeAbiParameters([{ type: "address" }], [key])]),
      gas: 6_000_000n,
      label: `deploy ${i === 0 ? "the token" : "its twin"}`
    })
  )
  const markets = listed.flatMap(({ pool, token }): ReadonlyArray<Transaction> => {
    const shares = 1_000_000n
    const [e, ...rest] = [parseEther("1"), ...holdersOf(ground)]
    return [
      {
        from,
        to: uniswapV2Factory,
        data: encodeFunctionData({ abi: exchange, functionName: "createPair", args: [token, weth] }),
        gas: 3_500_000n,
        label: "create a pair"
      },
      give(from, weth, pool, 50n * e, "pay ether in"),
      give(from, token, pool, (shares * e * 95n) / 100n, "pay tokens in"),
      {
        from,
        to: pool,
        data: encodeFunctionData({ abi: exchange, functionName: "mint", args: [Account.burnt] }),
        gas: 400_000n,
        label: "burn the liquidity"
      },
      ...rest.map((holder) => give(from, token, holder, 10_000n * e, "give a holder tokens")),
      give(from, token, donorOf(ground), 3_000n * e, "give another holder tokens"),
      give(from, token, Account.burnt, 16_995n * e, "burn the rest")
    ]
  })
  const receipts = await ground.mine([...deployments, ...markets], { timestamp })
  const failed = receipts.findIndex(({ status }) => status !== "0x1")
  if (failed >= 0) throw new Error(`"${[...deployments, ...markets][failed]?.label}" failed`)
  return listed
}

const reads = (token: Address, accounts: ReadonlyArray<Address>): ReadonlyArray<JsonRpc.Request> =>
  [
    encodeFunctionData({ abi: erc20, functionName: "totalSupply" }),
    ...accounts.map((account) => encodeFunctionData({ abi: erc20, functionName: "balanceOf", args: [account] }))
  ].map((data) => ({ method: "eth_call", params: [{ to: token, data, gas: "0xf4240" }, "latest"] }))

/** The balances of accounts, and the supply first. */
export const balances = async (
  ground: Ground,
  token: Address,
  accounts: ReadonlyArray<Address>
): Promise<ReadonlyArray<bigint>> =>
  (await ground.rpc.batch(reads(token, accounts))).map((answer) => BigInt(answer as Hex))

/** The first of what holders sell and send, in hundredths of a percent of what they hold; the second is most of it. */
const sizes = [100n, 4_000n] as const

/**
 * Lets holders sell and send, two sizes each, in one block, and takes it back. Sales go through the router, with the
 * allowance that they need.
 */
export const trade = (
  ground: Ground,
  { pool, token }: Listed,
  setting: Setting = {},
  holders: ReadonlyArray<Address> = holdersOf(ground)
): Promise<Trades> =>
  ground.undone(async () => {
    const held = (await balances(ground, token, holders)).slice(1)
    const all = holders.flatMap((holder, i) =>
      sizes.map((size, j) => ({
        holder,
        sent: ((held[i] ?? 0n) * size) / 10_000n,
        receiver: Account.keyless(`assay adversary: receiver ${i} ${j}`)
      }))
    )
    const transactions = all.flatMap(
      ({ holder, receiver, sent }): ReadonlyArray<Transaction> => [
        {
          from: holder,
          to: token,
          data: encodeFunctionData({ abi: erc20, functionName: "approve", args: [uniswapV2Router, sent] }),
          gas: 300_000n,
          label: "approve"
        },
        {
          from: holder,
          to: uniswapV2Router,
          data: encodeFunctionData({
            abi: exchange,
            functionName: "swapExactTokensForETHSupportingFeeOnTransferTokens",
            args: [sent, 0n, [token, weth], holder, deadline]
          }),
          gas: 700_000n,
          label: "sell"
        },
        give(holder, token, receiver, sent, "send")
      ]
    )
    const receivers = all.map(({ receiver }) => receiver)
    const { answers, receipts } = await ground.mineAndRead(
      transactions,
      setting,
      reads(token, [...receivers, ...holders])
    )
    const arrivals = answers.slice(1).map((answer) => BigInt(answer as Hex))
    const isSuccess = (i: number): boolean => receipts[i]?.status === "0x1"
    const isOverspent = holders.some((holder, i) => {
      const paid = all.reduce(
        (sum, { holder: other, sent }, j) =>
          other === holder ? sum + sent * BigInt(Number(isSuccess(3 * j + 1)) + Number(isSuccess(3 * j + 2))) : sum,
        0n
      )
      return (held[i] ?? 0n) - (arrivals[receivers.length + i] ?? 0n) > (paid * 21n) / 20n
    })
    const isFirst = token.toLowerCase() < weth.toLowerCase()
    return {
      isOverspent,
      sales: all.map(({ holder, sent }, i) => {
        const receipt = receipts[3 * i + 1]
        const log = receipt?.logs.find(({ address, topics }) => getAddress(address) === pool && topics[0] === swapped)
        if (receipt?.status !== "0x1" || log === undefined) return { holder, sent, arrived: 0n, isDone: false }
        const [first, second] = decodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], log.data)
        const arrived = isFirst ? first : second
        return { holder, sent, arrived, isDone: arrived > 0n }
      }),
      transfers: all.map(({ holder, sent }, i) => {
        const arrived = arrivals[i] ?? 0n
        return { holder, sent, arrived, isDone: receipts[3 * i + 2]?.status === "0x1" && arrived > 0n }
      })
    }
  })
