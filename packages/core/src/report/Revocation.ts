/** @internal */

import type { Address } from "../domain/Address.js"
import type { Hex } from "../domain/Hex.js"
import type { ReportAction, ReportTaking } from "../domain/RiskReport.js"

type Transaction = NonNullable<ReportAction["transaction"]>

/**
 * The transaction by which a wallet takes an approval back; none of items of a collection that were approved one by one,
 * since which they are is not in the analysis.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 * @see https://eips.ethereum.org/EIPS/eip-721
 * @see https://eips.ethereum.org/EIPS/eip-777
 * @see https://docs.uniswap.org/contracts/permit2/reference/allowance-transfer
 */
export const of = (
  wallet: Address,
  spender: Address,
  { amount, by, token }: Pick<ReportTaking, "token" | "by" | "amount">
): Transaction | null => {
  switch (by) {
    case "erc20":
      return transaction(wallet, token, "approve(address,uint256)", [spender, "0"], [approve, word(spender), zero])
    // A coin's operator can take an amount, a collection's any item.
    case "operator":
      return amount === null
        ? transaction(
            wallet,
            token,
            "setApprovalForAll(address,bool)",
            [spender, "false"],
            [setApprovalForAll, word(spender), zero]
          )
        : transaction(wallet, token, "revokeOperator(address)", [spender], [revokeOperator, word(spender)])
    case "permit2":
      return transaction(
        wallet,
        permit2,
        "lockdown((address,address)[])",
        [`[(${token},${spender})]`],
        [lockdown, word("0x20"), word("0x1"), word(token), word(spender)]
      )
    case "items":
      return null
  }
}

// The first four bytes of the hashes of the signatures; a test computes them.
const approve = "0x095ea7b3"
const setApprovalForAll = "0xa22cb465"
const revokeOperator = "0xfad8b32a"
const lockdown = "0xcc53287f"

/** The one deployment of Permit2, at the same address on every chain. */
export const permit2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3" as Address

/** 32 bytes of the ABI: https://docs.soliditylang.org/en/latest/abi-spec.html */
const word = (hex: string): string => hex.slice(2).toLowerCase().padStart(64, "0")

const zero = word("0x0")

const transaction = (
  wallet: Address,
  to: Address,
  signature: string,
  values: ReadonlyArray<string>,
  data: readonly [selector: Hex, ...Array<string>]
): Transaction => ({
  to,
  function: signature,
  arguments: values,
  data: data.join("") as Hex,
  command: `cast send --from ${wallet} ${to} "${signature}" ${values.map((value) => (/^\[/.test(value) ? `"${value}"` : value)).join(" ")}`
})
