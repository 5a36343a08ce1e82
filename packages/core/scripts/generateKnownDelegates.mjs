// Writes packages/core/src/data/KnownDelegates.ts from npm packages that makers of wallets publish. Run by hand:
// node packages/core/scripts/generateKnownDelegates.mjs
// `--check` compares instead of writing.
// The packages are fetched, each held against its digest, and not installed: they bring whole wallets with them, of which
// a few addresses are wanted. Rows that no package ships stand in this file, each with where it was read.

import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as viem from "viem"
import * as viemChains from "viem/chains"
import { packageRoot } from "./packageRoot.mjs"

const require = createRequire(import.meta.url)
const target = join(dirname(fileURLToPath(import.meta.url)), "../src/data/KnownDelegates.ts")
const folder = mkdtempSync(join(tmpdir(), "delegates-"))

/** The folder of a published package, once its tarball has the digest that was reviewed. */
const fetched = (name, version, integrity, licence) => {
  const answer = execFileSync("npm", ["pack", `${name}@${version}`, "--json", "--pack-destination", folder], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  })
  const [packed] = JSON.parse(answer)
  if (packed.integrity !== integrity) throw new Error(`${name} ${version} is not what was reviewed`)
  const root = join(folder, name.replace(/\W/g, "-"))
  execFileSync("mkdir", ["-p", root])
  execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", root, "--strip-components=1"])
  const said = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).license
  if (said !== licence) throw new Error(`${name} ${version} is licensed under ${said}`)
  return { root, source: `${name} ${version}` }
}

const read = ({ root }, path) => readFileSync(join(root, path), "utf8")
const found = (text, pattern, what) => {
  const [, value] = pattern.exec(text) ?? []
  if (value === undefined) throw new Error(`${what} was not found`)
  return value
}
const grouped = (items, keyOf) => {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
const inOrder = (chainIds) => chainIds.map(Number).sort((a, b) => a - b)

const metamask = async () => {
  const from = fetched(
    "@metamask/delegation-deployments",
    "2.0.0",
    "sha512-DnI1eZ2fCZtkfrq9+G4NKh2S4WOVczKkrTh+JVTgBCS4bCmObxN1pDvdxbTA9WPl9TZoL0XamRhjfYSRXIq6wA==",
    "(MIT-0 OR Apache-2.0)"
  )
  const { DELEGATOR_CONTRACTS } = await import(pathToFileURL(join(from.root, "dist/index.mjs")).href)
  return Object.entries(DELEGATOR_CONTRACTS).flatMap(([version, byChain]) => {
    const chains = grouped(
      Object.entries(byChain).filter(([, contracts]) => contracts.EIP7702StatelessDeleGatorImpl !== undefined),
      ([, contracts]) => contracts.EIP7702StatelessDeleGatorImpl
    )
    return [...chains].map(([address, entries]) => ({
      name: `MetaMask EIP7702StatelessDeleGator ${version}`,
      address,
      chainIds: inOrder(entries.map(([chainId]) => chainId)),
      source: from.source
    }))
  })
}

const uniswap = async () => {
  const from = fetched(
    "@uniswap/smart-wallet-sdk",
    "2.1.1",
    "sha512-9koY9YTT6Txyaz/NR/u0ic5CLpZCA5hoDaIvtXxOkf8aCIIh7tDxclAwmF+iS1A+kTfhOFuBHHDyxyqQ0+Rtmg==",
    "MIT"
  )
  // It is built for bundlers, so that its text and not its module is read.
  const text = read(from, "dist/esm/src/constants.js")
  const ids = new Map(
    [...text.matchAll(/SupportedChainIds\["(\w+)"\] = (\d+)\]/g)].map(([, name, id]) => [name, Number(id)])
  )
  const releases = new Map(
    [...text.matchAll(/SmartWalletVersion\["(\w+)"\] = "([^"]+)"/g)].map(([, name, release]) => [name, release])
  )
  const rows = [...text.matchAll(/\[SupportedChainIds\.(\w+)\]: \{([^}]*)\}/g)].flatMap(([, chain, versions]) =>
    [...versions.matchAll(/\[SmartWalletVersion\.(\w+)\]: '(0x\w{40})'/g)].flatMap(([, version, address]) =>
      version === "LATEST" ? [] : [{ version, address, chainId: ids.get(chain) }]
    )
  )
  if (rows.length === 0 || rows.some(({ chainId }) => chainId === undefined))
    throw new Error("Uniswap's map was not read")
  return [...grouped(rows, ({ address, version }) => `${version} ${address}`).values()].map((same) => ({
    name: `Uniswap smart wallet ${releases.get(same[0].version).replace(/^v/, "")}`,
    address: same[0].address,
    chainIds: inOrder(same.map(({ chainId }) => chainId)),
    source: from.source
  }))
}

const alchemy = () => {
  const from = fetched(
    "@account-kit/smart-contracts",
    "4.88.5",
    "sha512-Yctbl1azEUFFIFzTylpJjk+4w3VXc4UiUWdr+SXy/QDibR1/0Xvj5b7sAwFgjK3SjMYitrTrYSgizRMWGTmZGQ==",
    "MIT"
  )
  const body = found(
    read(from, "src/ma-v2/utils.ts"),
    /export const getDefaultSMAV27702Address = [^{]*\{([\s\S]*?)\n\};/,
    "Alchemy's delegate"
  )
  const names = new Set([...body.matchAll(/^ {4}case (\w+)\.id:$/gm)].map(([, name]) => name))
  const chains = Object.entries(viemChains).filter(([name]) => names.has(name))
  if (names.size === 0 || chains.length !== names.size) throw new Error("Alchemy's chains were not read")
  return [
    {
      name: "Alchemy SemiModularAccount7702 v2",
      address: found(body, /return "(0x\w{40})"/, "Alchemy's delegate"),
      chainIds: inOrder(chains.map(([, { id }]) => id)),
      source: from.source
    }
  ]
}

const zerodev = () => {
  const from = fetched(
    "@zerodev/sdk",
    "5.5.10",
    "sha512-WVyj2XR9F6zK2GdXrvappx7yo6zoJ46cWe42dOIArp3xDjFBninjA4O1O94MwohB0G+yFqtXNsEU+WxdE67SgQ==",
    "MIT"
  )
  return [
    {
      name: "ZeroDev Kernel 3.3",
      address: found(
        read(from, "constants.ts"),
        /KERNEL_7702_DELEGATION_ADDRESS =\s*"(0x\w{40})"/,
        "the delegate of Kernel"
      ),
      source: from.source
    }
  ]
}

const startale = () => {
  const from = fetched(
    "@startale-scs/aa-sdk",
    "1.1.0",
    "sha512-EtJPZVNvswpnOkJJ1O2AIJ1R2X5TzbsZDnFPPuyclyTTT/MHiuf/DQiYJl/Mbk6sYL7QhWQ8cfmDEEJ8ZNWIWA==",
    "MIT"
  )
  const text = read(from, "dist/_esm/constants/index.js")
  const version = found(text, /DEFAULT_STARTALE_ACCOUNT_VERSION = "([\d.]+)"/, "Startale's version")
  const row = (of, name) => ({
    name: `Startale smart account ${of}`,
    address: found(text, new RegExp(`\\b${name} = "(0x\\w{40})"`), "Startale's delegate"),
    source: from.source
  })
  return [row(version, "STARTALE_7702_DELEGATION_ADDRESS"), row("1.0.0", "STARTALE_7702_DELEGATION_ADDRESS_1_0_0")]
}

const biconomy = () => {
  const from = fetched(
    "@biconomy/abstractjs",
    "1.2.3",
    "sha512-7o9rFaL7qoHsyBjcr40qKM5NPpvKSA7wpNhadHO15qVvMhrfCcESL7mJCIvRgZqg5mKDoEv766u3cpIDUFhxAQ==",
    "MIT"
  )
  const text = read(from, "dist/_esm/constants/index.js")
  const configurations = [
    ...text.matchAll(
      /\[MEEVersion\.V(\d)_(\d)_(\d)\]: \{\s*version: [^}]*?accountId: "biconomy\.nexus\.([\d.]+)"[^}]*?implementationAddress: "(0x\w{40})"/g
    )
  ].map(([, major, minor, patch, nexus, address]) => ({ mee: `${major}.${minor}.${patch}`, nexus, address, major }))
  if (configurations.length < 5) throw new Error("Biconomy's configurations were not read")
  // Those before the second release were not made to be delegated to.
  return configurations
    .filter(({ major }) => Number(major) >= 2)
    .map(({ address, mee, nexus }) => ({
      name: `Biconomy Nexus ${nexus} of MEE ${mee}`,
      address,
      source: from.source
    }))
}

const simple = () => {
  const version = JSON.parse(readFileSync(join(packageRoot("viem"), "package.json"), "utf8")).version
  const text = readFileSync(
    join(packageRoot("viem"), "account-abstraction/accounts/implementations/toSimple7702SmartAccount.ts"),
    "utf8"
  )
  const body = found(text, /const implementation = \(\(\) => \{([\s\S]*?)\}\)\(\)/, "Simple7702Account")
  return [
    {
      name: "Simple7702Account 0.9.0",
      address: found(body, /'0\.9'\)\s*return '(0x\w{40})'/, "Simple7702Account 0.9"),
      source: `viem ${version}`
    },
    {
      name: "Simple7702Account 0.8.0",
      address: found(body, /return '(0x\w{40})'\s*$/, "Simple7702Account 0.8"),
      source: `viem ${version}`
    }
  ]
}

const byHand = [
  {
    name: "Uniswap Calibur 1.0.0",
    address: "0x000000009B1D0aF20D8C6d0A44e162d11F9b8f00",
    chainIds: [1],
    source: "github.com/Uniswap/calibur, several public repositories"
  },
  {
    name: "Ambire EIP-7702 account",
    address: "0x5A7FC11397E9a8AD41BF10bf13F22B0a63f96f6d",
    chainIds: [1],
    source: "github.com/walletbeat/walletbeat, data/wallet-contracts/ambire-delegator.ts"
  },
  {
    name: "Simple7702Account 0.8.0",
    address: "0x4Cd241E8d1510e30b2076397afc7508Ae59C66c9",
    chainIds: [1],
    source: "github.com/LedgerHQ/app-ethereum, src/features/signAuthorizationEIP7702/whitelist_7702.c"
  }
]

const simpleRuntime = () => {
  const from = fetched(
    "@account-abstraction/contracts",
    "0.8.0",
    "sha512-8krPx/gpnoT+5xAroagVCbeA7FbUigMZWXFKKPm+oghyr29Dksssdx5sI7xGv9212i4JPaDDUGFk58dpuwVgHA==",
    "MIT"
  )
  const { deployedBytecode } = require(join(from.root, "artifacts/Simple7702Account.json"))
  return {
    name: "Simple7702Account 0.8.0",
    codeHash: viem.keccak256(deployedBytecode),
    source: `${from.source}, artifacts/Simple7702Account.json`
  }
}

try {
  const rows = [
    ...(await metamask()),
    ...(await uniswap()),
    ...alchemy(),
    ...zerodev(),
    ...startale(),
    ...biconomy(),
    ...simple(),
    ...byHand
  ].map((row) => ({ ...row, address: viem.getAddress(row.address.toLowerCase()) }))
  const runtimes = [simpleRuntime()]

  const text = (value) => JSON.stringify(value)
  const rowText = ({ address, chainIds, name, source }) => `  {
    name: ${text(name)},
    address: ${text(address)},${chainIds === undefined ? "" : `\n    chainIds: [${chainIds.join(", ")}],`}
    source: ${text(source)}
  }`
  const content = `// Generated by packages/core/scripts/generateKnownDelegates.mjs from packages of makers of wallets and the rows in the
// script. Do not edit.
import { Option } from "effect"

/**
 * A contract that a wallet's maker publishes for accounts to delegate to. It keeps the keys of the account in power; that
 * is all that being here says. \`chainIds\` are those on which it is known to stand; it is missing where its maker names
 * the address for every chain, so that it has to be seen that something stands there.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7702
 */
export interface KnownDelegate {
  readonly name: string
  readonly address: \`0x\${string}\`
  readonly chainIds?: ReadonlyArray<number>
  readonly source: string
}

/** Delegates by address. */
export const delegates: ReadonlyArray<KnownDelegate> = [
${rows.map(rowText).join(",\n")}
]

/**
 * Keccak-256 of the runtime code of delegates that have no values of their own in it, so that it is the same wherever it
 * stands.
 */
export const runtimes: ReadonlyArray<{
  readonly name: string
  readonly codeHash: \`0x\${string}\`
  readonly source: string
}> = [
${runtimes.map(({ codeHash, name, source }) => `  {\n    name: ${text(name)},\n    codeHash: ${text(codeHash)},\n    source: ${text(source)}\n  }`).join(",\n")}
]

const named = (address: string, isMeant: (known: KnownDelegate) => boolean): Option.Option<string> =>
  Option.map(
    Option.fromNullable(
      delegates.find((known) => known.address.toLowerCase() === address.toLowerCase() && isMeant(known))
    ),
    ({ name }) => name
  )

/** The name of the published delegate at an address of a chain on which it is known to stand, any letter case. */
export const find = (chainId: number, address: string): Option.Option<string> =>
  named(address, ({ chainIds }) => chainIds?.includes(chainId) === true)

/** The name of a delegate with an address that its maker publishes for every chain, in any letter case. */
export const findOnAnyChain = (address: string): Option.Option<string> =>
  named(address, ({ chainIds }) => chainIds === undefined)

/** The name of the published delegate with a code hash, wherever that code stands. */
export const findByCodeHash = (codeHash: string): Option.Option<string> =>
  Option.map(
    Option.fromNullable(runtimes.find((known) => known.codeHash === codeHash.toLowerCase())),
    ({ name }) => name
  )
`
  if (!process.argv.includes("--check")) writeFileSync(target, content)
  else if (content !== readFileSync(target, "utf8")) {
    console.error("packages/core/src/data/KnownDelegates.ts is not what its script makes")
    process.exitCode = 1
  }
  console.log(`${rows.length} delegates`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
