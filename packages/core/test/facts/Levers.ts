import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Sandbox } from "@assay/sandbox"
import { type Address, getContractAddress, type Hex } from "viem"

const require = createRequire(import.meta.url)

export type Name =
  | "ListingMany"
  | "Freezing"
  | "PackedTax"
  | "PercentTax"
  | "SinkingTax"
  | "OpenToAll"
  | "Delayed"
  | "Allowing"
  | "ManyLevers"

type Contracts = Readonly<Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>>

let compiled: Contracts | undefined

const contracts = () => {
  if (compiled !== undefined) return compiled
  const file = "Levers.sol"
  const output = JSON.parse(
    require("solc").compile(
      JSON.stringify({
        language: "Solidity",
        sources: { [file]: { content: readFileSync(new URL(file, import.meta.url), "utf8") } },
        settings: {
          optimizer: { enabled: true, runs: 200 },
          evmVersion: "paris",
          outputSelection: { "*": { "*": ["evm.bytecode.object"] } }
        }
      })
    )
  )
  const problems = (output.errors ?? []).filter(
    (problem: { readonly severity: string }) => problem.severity === "error"
  )
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  const result: Contracts = output.contracts[file]
  compiled = result
  return result
}

/** Deploys one of the tokens, owned by the account `maker`, with no pool. */
export const deploy = async (sandbox: Sandbox.Sandbox, name: Name): Promise<Address> => {
  const from = sandbox.accounts.maker
  const nonce = BigInt((await sandbox.rpc.call("eth_getTransactionCount", [from, "latest"])) as Hex)
  await sandbox.transact({ from, gas: 8_000_000n, data: `0x${contracts()[name]?.evm.bytecode.object}` })
  return getContractAddress({ from, nonce })
}
