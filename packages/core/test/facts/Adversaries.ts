import { Infrastructure, Pool, type SharedSandbox } from "@assay/sandbox"
import {
  type Abi,
  type Address,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
  keccak256,
  parseEther,
  toHex
} from "viem"
import * as Fixture from "../Fixture.js"

export type Name =
  | "TellingSimulationsApart"
  | "AskingForGasPrice"
  | "BurningGas"
  | "RevertingAtLength"
  | "UnreadableBalances"
  | "ForgettingHolders"
  | "ClosedGate"
  | "TakingPurchases"
  | "LimitingSales"
  | "SellingItsTax"
  | "TakingSales"
  | "SilentTransfers"
  | "Plain"
  | "ClosingInTime"
  | "ClosingInBlocks"
  | "TaxingLater"
  | "AskingForBaseFee"
  | "RefusingContracts"
  | "ChoosingSenders"
  | "SellingOnce"
  | "ClosingAfterTheFirst"
  | "KeepingDust"
  | "LimitingToNothing"
  | "LimitingPurchases"
  | "NotLaunched"
  | "ListingSellers"
  | "AmongListed"
  | "ToListed"
  | "RefusingRegulars"
  | "RefusingExactAllowances"
  | "TaxingLargeHolders"
  | "SparingItsPool"
  | "LimitingHoldings"
  | "TakingTheRest"
  | "Cooling"
  | "ClosedForASeason"
  | "DearWeeks"
  | "ClosedByPeriod"
  | "NoApprovals"
  | "ShowingLess"
  | "ClosedByHash"
  | "GrowingLimit"
  | "StampingTime"
  | "StampingBlocks"

const contract = Fixture.readDeployed("facts", "Adversaries.sol")

const { addresses, artifacts } = Infrastructure
const forever = 2n ** 256n - 1n

// With a gas limit of its own: an estimate knows nothing of the time that passes until the block.
const send = (
  sandbox: SharedSandbox.SharedSandbox,
  fields: { readonly to?: Address; readonly data: Hex; readonly value?: bigint | undefined },
  from: Address = sandbox.accounts.maker
): Promise<void> => sandbox.transact({ from, gas: 8_000_000n, ...fields })

const call = (
  sandbox: SharedSandbox.SharedSandbox,
  to: Address,
  abi: Abi,
  functionName: string,
  args: ReadonlyArray<unknown>,
  value?: bigint
): Promise<void> => send(sandbox, { to, data: encodeFunctionData({ abi, functionName, args: [...args] }), value })

/** Deploys one of the tokens from the account `maker`, with no pool. */
export const deploy = async (sandbox: SharedSandbox.SharedSandbox, name: Name): Promise<Address> => {
  const from = sandbox.accounts.maker
  const { abi, creation } = contract(name)
  const nonce = BigInt((await sandbox.rpc.call("eth_getTransactionCount", [from, "latest"])) as Hex)
  await send(sandbox, { data: `0x${creation}` })
  const address = getContractAddress({ from, nonce })
  await call(sandbox, address, abi, "approve", [addresses.uniswapV2Router, forever])
  return address
}

/** Deploys one of the tokens and opens a Uniswap V2 pair of 400,000 of it and 100 ether. */
export const launch = async (sandbox: SharedSandbox.SharedSandbox, name: Name): Promise<Address> => {
  const token = await deploy(sandbox, name)
  await setPair(sandbox, token, Pool.v2Address(token, addresses.weth))
  await call(
    sandbox,
    addresses.uniswapV2Router,
    artifacts().v2Router.abi,
    "addLiquidityETH",
    [token, parseEther("400000"), 0n, 0n, sandbox.accounts.maker, forever],
    parseEther("100")
  )
  return token
}

/** Accounts that nobody has used, with a key or none: they have no code. */
export const strangers = (count: number): ReadonlyArray<Address> =>
  Array.from({ length: count }, (_, index) => getAddress(`0x${keccak256(toHex(`stranger ${index}`)).slice(-40)}`))

/** Gives each of some accounts a thousand of a token, which no rule touches on its way from the deployer. */
export const distribute = async (
  sandbox: SharedSandbox.SharedSandbox,
  token: Address,
  accounts: ReadonlyArray<Address>
): Promise<void> => {
  for (const account of accounts) {
    await call(sandbox, token, artifacts().weth.abi, "transfer", [account, parseEther("1000")])
  }
}

/** Gives an account all that the deployer has left of a token, so that nobody is spared by its rule. */
export const handOver = async (sandbox: SharedSandbox.SharedSandbox, token: Address, to: Address): Promise<void> => {
  const { maker } = sandbox.accounts
  const erc20 = artifacts().weth.abi
  const data = encodeFunctionData({ abi: erc20, functionName: "balanceOf", args: [maker] })
  const left = BigInt((await sandbox.rpc.call("eth_call", [{ to: token, data }, "latest"])) as Hex)
  await call(sandbox, token, erc20, "transfer", [to, left])
}

/** Puts accounts on the list of {@link Name} `AmongListed` or `ToListed`. */
export const list = (
  sandbox: SharedSandbox.SharedSandbox,
  token: Address,
  accounts: ReadonlyArray<Address>
): Promise<void> => call(sandbox, token, contract("AmongListed").abi, "list", [accounts, true])

/** Lets the Uniswap V2 router spend a token of some accounts. */
export const allowRouter = async (
  sandbox: SharedSandbox.SharedSandbox,
  token: Address,
  accounts: ReadonlyArray<Address>
): Promise<void> => {
  for (const account of accounts) {
    await sandbox.rpc.call("anvil_setBalance", [account, toHex(parseEther("1"))])
    await sandbox.rpc.call("anvil_impersonateAccount", [account])
    await send(
      sandbox,
      {
        to: token,
        data: encodeFunctionData({
          abi: artifacts().weth.abi,
          functionName: "approve",
          args: [addresses.uniswapV2Router, forever]
        })
      },
      account
    )
  }
}

/** Sets for how long who bought {@link Name} `Cooling` cannot sell. */
export const setWait = (sandbox: SharedSandbox.SharedSandbox, token: Address, seconds: bigint): Promise<void> =>
  call(sandbox, token, contract("Cooling").abi, "setWait", [seconds])

/** Opens a Uniswap V2 pair of a token with USDC. */
export const pairWithUsdc = async (
  sandbox: SharedSandbox.SharedSandbox,
  token: Address,
  usdc: bigint
): Promise<void> => {
  const erc20 = artifacts().weth.abi
  await call(sandbox, addresses.usdc, erc20, "approve", [addresses.uniswapV2Router, forever])
  await call(sandbox, addresses.uniswapV2Router, artifacts().v2Router.abi, "addLiquidity", [
    token,
    addresses.usdc,
    parseEther("300000"),
    usdc,
    0n,
    0n,
    sandbox.accounts.maker,
    forever
  ])
}

/** Makes a Uniswap V2 pair of a token with WETH, which holds nothing. */
export const emptyPair = (sandbox: SharedSandbox.SharedSandbox, token: Address): Promise<void> =>
  call(sandbox, addresses.uniswapV2Factory, artifacts().v2Factory.abi, "createPair", [token, addresses.weth])

/** Tells a token which pool its rule is about. */
export const setPair = (sandbox: SharedSandbox.SharedSandbox, token: Address, pool: Address): Promise<void> =>
  call(sandbox, token, contract("Plain").abi, "setPair", [pool])

/** Opens a full-range Uniswap V3 pool of a token with WETH, one for one, of some ether on each side; fee 1 %. */
export const poolV3 = async (sandbox: SharedSandbox.SharedSandbox, token: Address, ether: string): Promise<void> => {
  const { maker } = sandbox.accounts
  const { uniswapV3PositionManager: manager, weth } = addresses
  const abi = artifacts().v3PositionManager.abi
  const [token0, token1] = token.toLowerCase() < weth.toLowerCase() ? [token, weth] : [weth, token]
  await call(sandbox, weth, artifacts().weth.abi, "deposit", [], parseEther(ether))
  await call(sandbox, weth, artifacts().weth.abi, "approve", [manager, forever])
  await call(sandbox, token, artifacts().weth.abi, "approve", [manager, forever])
  await call(sandbox, manager, abi, "createAndInitializePoolIfNecessary", [token0, token1, 10_000, 2n ** 96n])
  await call(sandbox, manager, abi, "mint", [
    {
      token0,
      token1,
      fee: 10_000,
      tickLower: -887_200,
      tickUpper: 887_200,
      amount0Desired: parseEther(ether),
      amount1Desired: parseEther(ether),
      amount0Min: 0n,
      amount1Min: 0n,
      recipient: maker,
      deadline: forever
    }
  ])
}
