import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Abi, Address, Hex } from "viem"
import { concat, keccak256, stringToHex } from "viem/utils"

/** A contract that can be deployed: its interface and its linked creation code. */
export interface Artifact {
  readonly name: string
  readonly abi: Abi
  readonly bytecode: Hex
  readonly deployedBytecode: Hex | undefined
}

interface Code {
  readonly object?: string
}

interface Json {
  readonly abi: Abi
  readonly bytecode?: string | Code
  readonly deployedBytecode?: string | Code
  readonly evm?: { readonly bytecode?: Code; readonly deployedBytecode?: Code }
}

/** Addresses of libraries, by their fully qualified name (`contracts/util/SignatureChecker.sol:SignatureChecker`). */
export type Libraries = Readonly<Record<string, Address>>

const require = createRequire(import.meta.url)

const text = (code: string | Code | undefined): string | undefined => (typeof code === "string" ? code : code?.object)

const prefixed = (code: string): Hex => (code.startsWith("0x") ? (code as Hex) : `0x${code}`)

// solc marks the place of a library with `__$`, 34 hex digits of the keccak of its qualified name, and `$__`.
const link = (code: string, libraries: Libraries): string =>
  Object.entries(libraries).reduce(
    (linked, [name, address]) =>
      linked.replaceAll(`__$${keccak256(stringToHex(name)).slice(2, 36)}$__`, address.slice(2).toLowerCase()),
    code
  )

/**
 * Reads the JSON of Truffle, Hardhat, Foundry or solc. Throws an `Error` when there is no creation code (an interface
 * or an abstract contract) or when a library is not linked.
 */
export const decode = (name: string, json: unknown, libraries: Libraries = {}): Artifact => {
  const artifact = json as Json
  const creation = text(artifact.bytecode) ?? text(artifact.evm?.bytecode)
  const runtime = text(artifact.deployedBytecode) ?? text(artifact.evm?.deployedBytecode)
  if (creation === undefined || creation === "" || creation === "0x") throw new Error(`${name} has no creation code`)
  const bytecode = prefixed(link(creation, libraries))
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(bytecode)) throw new Error(`${name} is not linked`)
  return {
    name,
    abi: artifact.abi,
    bytecode,
    deployedBytecode: runtime === undefined || runtime === "" ? undefined : prefixed(link(runtime, libraries))
  }
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"))

/** Reads an artifact out of an npm package, by its path there (`@uniswap/v2-core/build/UniswapV2Factory.json`). */
export const load = (path: string, libraries?: Libraries): Artifact =>
  decode(path.slice(path.lastIndexOf("/") + 1).replace(/\.json$/, ""), read(require.resolve(path)), libraries)

/** A contract of OpenZeppelin 5 (`TimelockController`). */
export const openZeppelin = (name: string): Artifact => load(`@openzeppelin/contracts/build/contracts/${name}.json`)

/** A minimal proxy of the code at an address (https://eips.ethereum.org/EIPS/eip-1167). */
export const clone = (logic: Address): Artifact => ({
  name: "EIP-1167 clone",
  abi: [],
  bytecode: concat(["0x3d602d80600a3d3981f3363d3d373d3d3d363d73", logic, "0x5af43d82803e903d91602b57fd5bf3"]),
  deployedBytecode: undefined
})

let compiled: Readonly<Record<string, unknown>> | undefined

/** One of the contracts in `contracts/`, as `scripts/compile.mjs` compiled it. */
export const own = (name: string): Artifact => {
  compiled ??= read(require.resolve("../../contracts/compiled.json")) as Readonly<Record<string, unknown>>
  const json = compiled[name]
  if (json === undefined) throw new Error(`contracts/compiled.json has no ${name}`)
  return decode(name, json)
}
