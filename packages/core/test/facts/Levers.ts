import type { SharedSandbox } from "@assay/sandbox"
import { type Address, getContractAddress, type Hex } from "viem"
import * as Fixture from "../Fixture.js"

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

const contract = Fixture.readDeployed("facts", "Levers.sol")

/** Deploys one of the tokens, owned by the account `maker`, with no pool. */
export const deploy = async (sandbox: SharedSandbox.SharedSandbox, name: Name): Promise<Address> => {
  const from = sandbox.accounts.maker
  const nonce = BigInt((await sandbox.rpc.call("eth_getTransactionCount", [from, "latest"])) as Hex)
  await sandbox.transact({ from, gas: 8_000_000n, data: `0x${contract(name).creation}` })
  return getContractAddress({ from, nonce })
}
