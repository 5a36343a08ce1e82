import { createHash } from "node:crypto"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Artifact } from "@assay/sandbox"
import type { Abi, Address, Hex } from "viem"
import * as ManagerWorld from "./ManagerWorld.js"
import { type Description, gives, honest, trap } from "./SwapHooks.js"

// Hooks that others wrote. Those of OpenZeppelin are compiled when a test runs, and kept in the system's folder for temporary
// files alone: what comes out has parts under the BUSL-1.1.

interface Built {
  readonly abi: Abi
  readonly creation: Hex
}

const require = createRequire(import.meta.url)
const source = fileURLToPath(new URL("../published/OpenZeppelinHooks.sol", import.meta.url))
const settings = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: "cancun",
  outputSelection: { "Hooks.sol": { "*": ["abi", "evm.bytecode.object"] } }
}

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(require.resolve(`${name}/package.json`), "utf8")).version

interface Output {
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly abi: Abi; readonly evm: { readonly bytecode: { object: string } } }>>
    >
  >
}

const compile = (content: string): Readonly<Record<string, Built>> => {
  const input = { language: "Solidity", sources: { "Hooks.sol": { content } }, settings }
  const read = (path: string) => ({ contents: readFileSync(require.resolve(path), "utf8") })
  const { contracts, errors = [] }: Output = JSON.parse(
    require("solc").compile(JSON.stringify(input), { import: read })
  )
  const failed = errors.find(({ severity }) => severity === "error")
  if (failed !== undefined) throw new Error(failed.formattedMessage)
  return Object.fromEntries(
    Object.entries(contracts["Hooks.sol"] ?? {}).map(([name, { abi, evm }]) => [
      name,
      { abi, creation: `0x${evm.bytecode.object}` as const }
    ])
  )
}

let built: Readonly<Record<string, Built>> | undefined

/** The contracts of `OpenZeppelinHooks.sol`; the first reading on a machine compiles them, which takes some seconds. */
const openZeppelin = (name: string): Built => {
  if (built === undefined) {
    const content = readFileSync(source, "utf8")
    const versions = ["solc", "@openzeppelin/uniswap-hooks", "@openzeppelin/contracts", "@uniswap/v4-core"].map(
      versionOf
    )
    const key = createHash("sha256")
      .update(JSON.stringify([versions, settings, content]))
      .digest("hex")
    const path = join(tmpdir(), `assay-published-hooks-${key}.json`)
    try {
      built = JSON.parse(readFileSync(path, "utf8"))
    } catch {
      built = compile(content)
      const unfinished = `${path}.${process.pid}`
      writeFileSync(unfinished, JSON.stringify(built))
      renameSync(unfinished, path)
    }
  }
  const found = built?.[name]
  if (found === undefined) throw new Error(`no ${name} in OpenZeppelinHooks.sol`)
  return found
}

const ofOpenZeppelin =
  (name: string, ...args: ReadonlyArray<unknown>) =>
  (manager: Address) => ({ ...openZeppelin(name), args: [manager, ...args] })

const ofCore = (name: string): Built => {
  const { abi, bytecode } = Artifact.load(`@uniswap/v4-core/out/${name}.sol/${name}.json`)
  return { abi, creation: bytecode }
}

const withFee = (name: string) => (manager: Address, to: Address) => {
  const { abi } = ofCore(name)
  return [
    { to, abi, name: "setManager", args: [manager], gas: 100_000n },
    { to, abi, name: "setFee", args: [3_000], gas: 100_000n }
  ]
}

/** What of {@link ofCoreTests} is otherwise in a pool of wrapped coins: `feeTaking` keeps its part of a sale as well. */
export const feeTakingOfWrapped = gives(3_000, { ofOutput: 12_300 })

/** OpenZeppelin's hooks, with what they leave open filled in. */
export const ofLibrary = {
  hookFeeHigh: trap(
    "HookFee of 30 %",
    "Keeps 30 % of what comes out, in both directions.",
    ["afterSwap", "afterSwapReturnsDelta"],
    {
      build: ofOpenZeppelin("HookFee", 300_000),
      buy: gives(3_000, { ofOutput: 300_000 }),
      sell: gives(3_000, { ofOutput: 300_000 })
    }
  ),
  hookFeeLow: honest(
    "HookFee of 0.1 %",
    "Keeps 0.1 % of what comes out, in both directions.",
    ["afterSwap", "afterSwapReturnsDelta"],
    {
      build: ofOpenZeppelin("HookFee", 1_000),
      buy: gives(3_000, { ofOutput: 1_000 }),
      sell: gives(3_000, { ofOutput: 1_000 })
    }
  ),
  dynamicFee: honest("DynamicFee", "Sets the fee of the pool to 0.3 % at its beginning.", ["afterInitialize"], {
    build: ofOpenZeppelin("DynamicFee", 3_000),
    fee: ManagerWorld.dynamicFee
  }),
  overrideFee: honest("OverrideFee", "A fee of 0.1 % for each swap.", ["afterInitialize", "beforeSwap"], {
    build: ofOpenZeppelin("OverrideFee", 1_000),
    fee: ManagerWorld.dynamicFee,
    buy: gives(1_000),
    sell: gives(1_000)
  }),
  antiSandwich: honest(
    "AntiSandwich",
    "A sale for currency 0 gives at most what it would have given as the first swap of its block; alone it gives all.",
    ["beforeSwap", "afterSwap", "afterSwapReturnsDelta"],
    { build: ofOpenZeppelin("AntiSandwich") }
  ),
  limitOrders: honest("LimitOrders", "Fills orders after a swap.", ["afterInitialize", "afterSwap"], {
    build: ofOpenZeppelin("LimitOrders")
  }),
  liquidityPenalty: honest(
    "LiquidityPenalty",
    "Keeps fees of providers who leave within ten blocks; no swap calls it.",
    ["afterAddLiquidity", "afterRemoveLiquidity", "afterAddLiquidityReturnsDelta", "afterRemoveLiquidityReturnsDelta"],
    { build: ofOpenZeppelin("LiquidityPenalty") }
  ),
  oracle: honest("Oracle", "Writes down time and tick before a swap.", ["afterInitialize", "beforeSwap"], {
    build: ofOpenZeppelin("Oracle")
  })
} as const satisfies Readonly<Record<string, Description>>

/** Hooks of V4's own tests. */
export const ofCoreTests = {
  feeTaking: trap(
    "FeeTakingHook",
    "Keeps 1.23 % of what a purchase gives; a sale for the chain's coin reverts, as the hook cannot receive its part.",
    ["afterSwap", "afterSwapReturnsDelta"],
    {
      build: (manager) => ({ ...ofCore("FeeTakingHook"), args: [manager] }),
      buy: gives(3_000, { ofOutput: 12_300 }),
      sell: () => ({ does: "reverts" })
    }
  ),
  dynamicReturnFee: trap(
    "DynamicReturnFeeTestHook",
    "A fee of 0.3 % for each swap, which anybody can set to anything.",
    ["beforeSwap"],
    {
      build: () => ({ ...ofCore("DynamicReturnFeeTestHook"), args: [] }),
      prepare: withFee("DynamicReturnFeeTestHook"),
      fee: ManagerWorld.dynamicFee
    }
  ),
  dynamicFees: trap(
    "DynamicFeesTestHook",
    "Sets the fee of the pool before each swap, now to 0.3 %; anybody can set it to anything.",
    ["afterInitialize", "beforeSwap"],
    {
      build: () => ({ ...ofCore("DynamicFeesTestHook"), args: [] }),
      prepare: withFee("DynamicFeesTestHook"),
      fee: ManagerWorld.dynamicFee
    }
  ),
  deltaReturning: trap(
    "DeltaReturningHook",
    "Keeps nothing now; anybody can make it keep any amount of a swap.",
    ["beforeSwap", "afterSwap", "beforeSwapReturnsDelta", "afterSwapReturnsDelta"],
    { build: (manager) => ({ ...ofCore("DeltaReturningHook"), args: [manager] }) }
  )
} as const satisfies Readonly<Record<string, Description>>

export const all = { ...ofLibrary, ...ofCoreTests }

export type Name = keyof typeof all
