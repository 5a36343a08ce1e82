import type { Address } from "viem"
import type { Accounts } from "./Account.js"
import type { Artifact } from "./Artifact.js"
import type { Claims } from "./Claim.js"
import type { Script } from "./Script.js"

/** What is at hand when targets are put on the chain. */
export interface Stage {
  readonly script: Script
  readonly accounts: Accounts
  readonly chainId: number
  readonly approve: (from: Address, token: Address, spender: Address, amount: bigint) => void
  readonly buy: (from: Address, token: Address, ether: string) => void
  /**
   * Hands out the deployer's tokens to `Specimens.holders` and opens a pool with them; returns the pair. A share that
   * is not named is 43 %, ether that is not named 100.
   */
  readonly launch: (
    token: Address,
    options: { readonly shares: Address; readonly amount?: bigint; readonly ether?: bigint }
  ) => Address
}

/** A target as the module that made it knows it. */
export interface Made {
  readonly address: Address
  readonly description: string
  readonly pair?: Address | undefined
  /** What the deeds in its claims are encoded by. */
  readonly contract?: Artifact | undefined
  readonly claims: Claims
}
