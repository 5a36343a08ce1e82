import type { SharedSandbox } from "@assay/sandbox"
import { encodeFunctionData, parseAbi } from "viem/utils"

/** An account without code that no target knows. */
export const stranger = "0x00000000000000000000000000000000005ca1ab"

/** The wallet `approver` lets a stranger take all of its tokens, in a block of its own. */
export const approveAll = (sandbox: SharedSandbox.SharedSandbox) =>
  sandbox.transact({
    from: sandbox.accounts.approver,
    to: sandbox.targets.plain.address,
    data: encodeFunctionData({
      abi: parseAbi(["function approve(address, uint256) returns (bool)"]),
      args: [stranger, 2n ** 256n - 1n]
    })
  })

export const blockNumber = async (sandbox: SharedSandbox.SharedSandbox): Promise<number> =>
  Number(await sandbox.rpc.call("eth_blockNumber", []))
