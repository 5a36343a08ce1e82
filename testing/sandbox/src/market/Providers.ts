import type { Address } from "viem"
import { keyless } from "../chain/Account.js"
import type { Script } from "../chain/Script.js"
import type { Ground } from "../Stage.js"
import { addresses, artifacts } from "./Infrastructure.js"

/** Who has the liquidity of the tokens that everybody knows: a sixth each, and no key is known of any. */
export const accounts: ReadonlyArray<Address> = Array.from({ length: 6 }, (_, index) =>
  keyless(`assay sandbox: liquidity provider ${index + 1}`)
)

/** A part of an amount for each of them. */
export const part = (amount: bigint): bigint => amount / BigInt(accounts.length)

const deadline = 2n ** 256n - 1n

/** Opens a pair of a token with WETH, or adds to it, and gives an equal part of the shares to each of the providers. */
export const pair = (
  script: Script,
  {
    amount,
    approve,
    ether,
    from,
    token
  }: {
    readonly from: Address
    readonly token: Address
    readonly amount: bigint
    readonly ether: bigint
    readonly approve: Ground["approve"]
  }
): void => {
  approve(from, token, addresses.uniswapV2Router, amount)
  for (const to of accounts)
    script.call({
      from,
      to: addresses.uniswapV2Router,
      contract: artifacts().v2Router,
      name: "addLiquidityETH",
      args: [token, part(amount), 0n, 0n, to, deadline],
      value: part(ether),
      gas: 3_500_000n
    })
}
