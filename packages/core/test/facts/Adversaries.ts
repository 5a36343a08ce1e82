import { Infrastructure, Pool, type Sandbox, type SharedSandbox } from "@assay/sandbox"
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
  | "KeptForASeason"
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
  | "OpeningSeconds"
  | "OpeningMinutes"
  | "OpeningBlocks"
  | "OpeningSales"
  | "OpeningCurve"
  | "Deflating"
  | "AllowingItsRouter"
  | "RefusingItsRouter"
  | "TaxingOtherRouters"
  | "Closed"

const contract = Fixture.readDeployed("facts", "Adversaries.sol")

const { addresses, artifacts } = Infrastructure
const forever = 2n ** 256n - 1n

/** The functions of an ERC-20. */
const erc20 = (): Abi => artifacts().weth.abi

// With a gas limit of its own: an estimate knows nothing of the time that passes until the block.
const sent = (
  from: Address,
  fields: { readonly to?: Address; readonly data: Hex; readonly value?: bigint | undefined }
): Sandbox.Limited => ({ from, gas: 5_000_000n, ...fields })

const calling = (
  from: Address,
  to: Address,
  abi: Abi,
  functionName: string,
  args: ReadonlyArray<unknown>,
  value?: bigint
): Sandbox.Limited => sent(from, { to, data: encodeFunctionData({ abi, functionName, args: [...args] }), value })

const call = (
  { accounts, transact }: SharedSandbox.SharedSandbox,
  to: Address,
  abi: Abi,
  functionName: string,
  args: ReadonlyArray<unknown>,
  value?: bigint
): Promise<void> => transact(calling(accounts.maker, to, abi, functionName, args, value))

/** What deploys one of the tokens from the account `maker`, and where it will be. */
const deployment = async ({ accounts, rpc }: SharedSandbox.SharedSandbox, name: Name) => {
  const from = accounts.maker
  const { abi, creation } = contract(name)
  const nonce = BigInt((await rpc.call("eth_getTransactionCount", [from, "latest"])) as Hex)
  const address = getContractAddress({ from, nonce })
  const router = [addresses.uniswapV2Router, forever]
  return { address, steps: [sent(from, { data: `0x${creation}` }), calling(from, address, abi, "approve", router)] }
}

/** Deploys one of the tokens from the account `maker`, with no pool. */
export const deploy = async (sandbox: SharedSandbox.SharedSandbox, name: Name): Promise<Address> => {
  const { address, steps } = await deployment(sandbox, name)
  await sandbox.transactAll(steps)
  return address
}

/** Deploys one of the tokens and opens a Uniswap V2 pair of 400,000 of it and 100 ether. */
export const launch = async (sandbox: SharedSandbox.SharedSandbox, name: Name): Promise<Address> => {
  const { maker } = sandbox.accounts
  const { address, steps } = await deployment(sandbox, name)
  const liquidity = [address, parseEther("400000"), 0n, 0n, maker, forever]
  const { abi } = artifacts().v2Router
  await sandbox.transactAll([
    ...steps,
    calling(maker, address, contract("Plain").abi, "setPair", [Pool.v2Address(address, addresses.weth)]),
    calling(maker, addresses.uniswapV2Router, abi, "addLiquidityETH", liquidity, parseEther("100"))
  ])
  return address
}

/** Accounts that nobody has used, with a key or none: they have no code. */
export const strangers = (count: number): ReadonlyArray<Address> =>
  Array.from({ length: count }, (_, index) => getAddress(`0x${keccak256(toHex(`stranger ${index}`)).slice(-40)}`))

/** Gives each of some accounts a thousand of a token, which no rule touches on its way from the deployer. */
export const distribute = (
  { accounts: { maker }, transactAll }: SharedSandbox.SharedSandbox,
  token: Address,
  accounts: ReadonlyArray<Address>
): Promise<void> =>
  transactAll(accounts.map((account) => calling(maker, token, erc20(), "transfer", [account, parseEther("1000")])))

/** Gives an account all that the deployer has left of a token, so that nobody is exempt from its rule. */
export const handOver = async (sandbox: SharedSandbox.SharedSandbox, token: Address, to: Address): Promise<void> => {
  const { maker } = sandbox.accounts
  const data = encodeFunctionData({ abi: erc20(), functionName: "balanceOf", args: [maker] })
  const left = BigInt((await sandbox.rpc.call("eth_call", [{ to: token, data }, "latest"])) as Hex)
  await call(sandbox, token, erc20(), "transfer", [to, left])
}

/** Puts accounts on the list of {@link Name} `AmongListed` or `ToListed`. */
export const list = (
  sandbox: SharedSandbox.SharedSandbox,
  token: Address,
  accounts: ReadonlyArray<Address>
): Promise<void> => call(sandbox, token, contract("AmongListed").abi, "list", [accounts, true])

/** Lets the Uniswap V2 router spend a token of some accounts. */
export const allowRouter = async (
  { rpc, transactAll }: SharedSandbox.SharedSandbox,
  token: Address,
  accounts: ReadonlyArray<Address>
): Promise<void> => {
  await rpc.batch(
    accounts.flatMap((account) => [
      { method: "anvil_setBalance", params: [account, toHex(parseEther("1"))] },
      { method: "anvil_impersonateAccount", params: [account] }
    ])
  )
  const args = [addresses.uniswapV2Router, forever]
  await transactAll(accounts.map((account) => calling(account, token, erc20(), "approve", args)))
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
  await call(sandbox, addresses.usdc, erc20(), "approve", [addresses.uniswapV2Router, forever])
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

/** Sets the pool of a token's rule. */
export const setPair = (sandbox: SharedSandbox.SharedSandbox, token: Address, pool: Address): Promise<void> =>
  call(sandbox, token, contract("Plain").abi, "setPair", [pool])

/** Opens a full-range Uniswap V3 pool of a token with WETH, one for one, of some ether on each side; fee 1 %. */
export const poolV3 = async (sandbox: SharedSandbox.SharedSandbox, token: Address, ether: string): Promise<void> => {
  const { maker } = sandbox.accounts
  const { uniswapV3PositionManager: manager, weth } = addresses
  const abi = artifacts().v3PositionManager.abi
  const [token0, token1] = token.toLowerCase() < weth.toLowerCase() ? [token, weth] : [weth, token]
  await call(sandbox, weth, erc20(), "deposit", [], parseEther(ether))
  await call(sandbox, weth, erc20(), "approve", [manager, forever])
  await call(sandbox, token, erc20(), "approve", [manager, forever])
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
