import type { Address, Hex } from "viem"
import { privateKeyToAddress, signAuthorization } from "viem/accounts"
import { parseEther } from "viem/utils"
import type { Accounts } from "./chain/Account.js"
import * as Artifact from "./chain/Artifact.js"
import type { Script } from "./chain/Script.js"
import { addresses, artifacts } from "./market/Infrastructure.js"
import * as Pool from "./market/Pool.js"
import { holders, supply } from "./tokens/Specimens.js"
import type { Claims } from "./truth/Claim.js"

/** The script, and what accounts often do in it. */
export interface Ground {
  readonly script: Script
  readonly accounts: Accounts
  readonly chainId: number
  readonly approve: (from: Address, token: Address, spender: Address, amount: bigint) => void
  readonly buy: (from: Address, token: Address, ether: string) => void
  /** Delegates the account of a key by EIP-7702, in a transaction of another that may pay something in; returns it. */
  readonly delegate: (
    key: Hex,
    to: Address,
    options: { readonly from: Address; readonly value?: bigint | undefined }
  ) => Promise<Address>
}

/** What is at hand when targets are put on the chain. */
export interface Stage extends Ground {
  /**
   * Hands out the deployer's tokens to `Specimens.holders` and opens a pool with them; returns the pair. A share that
   * is not named is 43 %, ether that is not named 100.
   */
  readonly launch: (
    token: Address,
    options: { readonly shares: Address; readonly amount?: bigint; readonly ether?: bigint }
  ) => Address
}

/** The kind that the engine analyses an address as. */
export type Kind = "token" | "wallet" | "contract"

/** A target as the module that made it knows it. */
export interface Made {
  readonly address: Address
  readonly description: string
  readonly pair?: Address | undefined
  /** What the deeds in its claims are encoded by. */
  readonly contract?: Artifact.Artifact | undefined
  readonly claims: Claims
}

const forever = 2n ** 256n - 1n

/** Writes nothing by itself. */
export const ground = (script: Script, accounts: Accounts, chainId: number): Ground => ({
  script,
  accounts,
  chainId,
  approve: (from, token, spender, amount) =>
    script.call({
      from,
      to: token,
      contract: Artifact.own("PlainToken"),
      name: "approve",
      args: [spender, amount],
      gas: 150_000n
    }),
  buy: (from, token, ether) =>
    script.call({
      from,
      to: addresses.uniswapV2Router,
      contract: artifacts().v2Router,
      name: "swapExactETHForTokensSupportingFeeOnTransferTokens",
      args: [0n, [addresses.weth, token], from, forever],
      value: parseEther(ether)
    }),
  delegate: async (key, to, { from, value }) => {
    const authorization = await signAuthorization({ privateKey: key, chainId, contractAddress: to, nonce: 0 })
    const account = privateKeyToAddress(key)
    script.send({
      label: "delegate an account",
      from,
      to: account,
      value,
      gas: 600_000n,
      authorizations: [authorization]
    })
    return account
  }
})

/** Puts the contract on the chain that opens pools. */
export const make = (ground: Ground): Stage => {
  const { accounts, approve, script } = ground
  const from = accounts.deployer
  const contract = Artifact.own("Launcher")
  const launcher = script.deploy({ from, contract, args: [addresses.uniswapV2Router] })
  return {
    ...ground,
    launch: (token, { amount = (supply * 43n) / 100n, ether = parseEther("100"), shares }) => {
      approve(from, token, launcher, forever)
      script.call({
        from,
        to: launcher,
        contract,
        name: "launch",
        args: [token, holders, (supply * 28n) / 1_000n, amount, shares],
        value: ether,
        gas: 6_000_000n
      })
      return Pool.v2Address(token, addresses.weth)
    }
  }
}
