import type { Address } from "viem"
import { encodeFunctionData, parseAbi } from "viem/utils"
import type { Script } from "../chain/Script.js"
import { addresses } from "./Infrastructure.js"

// What Permit2 never counts down.
const unlimited = 2n ** 160n - 1n

const never = 2 ** 48 - 1

const abi = parseAbi([
  "function approve(address token, address spender, uint160 amount, uint48 expiration)",
  "function lockdown((address token, address spender)[] approvals)"
])

/** Lets a spender move a token by Permit2: all of it and for ever unless an amount, or a moment in seconds, is named. */
export const approve = (
  script: Script,
  options: {
    readonly from: Address
    readonly token: Address
    readonly spender: Address
    readonly amount?: bigint | undefined
    readonly expiration?: number | undefined
  }
): void => {
  const { amount = unlimited, expiration = never, from, spender, token } = options
  script.send({
    label: "Permit2.approve",
    from,
    to: addresses.permit2,
    data: encodeFunctionData({ abi, functionName: "approve", args: [token, spender, amount, expiration] })
  })
}

/** Takes such a permission back. */
export const lockdown = (
  script: Script,
  { from, ...approval }: { readonly from: Address; readonly token: Address; readonly spender: Address }
): void =>
  script.send({
    label: "Permit2.lockdown",
    from,
    to: addresses.permit2,
    data: encodeFunctionData({ abi, functionName: "lockdown", args: [[approval]] })
  })
