import * as Head from "./chain/Head.js"
import * as Sandbox from "./Sandbox.js"

/** A sandbox that its user does not end. */
export type SharedSandbox = Omit<Sandbox.Sandbox, "ended" | "stop">

interface Kept {
  readonly sandbox: Sandbox.Sandbox
  /** Of the block after the build. */
  readonly baseFee: string | undefined
  snapshot: unknown
}

let kept: Promise<Kept> | undefined

const build = async (): Promise<Kept> => {
  const sandbox = await Sandbox.start()
  const fees = (await sandbox.rpc.call("eth_feeHistory", ["0x1", "latest", []])) as {
    readonly baseFeePerGas: ReadonlyArray<string>
  }
  return { sandbox, baseFee: fees.baseFeePerGas.at(-1), snapshot: await sandbox.rpc.call("evm_snapshot") }
}

/**
 * The one chain of this process, built on first use. Each time it is as it was built, with all of its history: whatever
 * was done to it since is reverted, so only the newest taker may use it. It ends with the process.
 *
 * Impersonated accounts stay impersonated.
 */
export const take = async (): Promise<SharedSandbox> => {
  kept ??= build()
  const chain = await kept
  const { rpc, head } = chain.sandbox
  await rpc.call("evm_revert", [chain.snapshot])
  // A snapshot is used up when it is reverted to.
  chain.snapshot = await rpc.call("evm_snapshot")
  // Anvil does not revert it.
  await rpc.call("anvil_setNextBlockBaseFeePerGas", [chain.baseFee])
  const newest = await Head.read(rpc)
  if (!Head.isSame(newest, head)) throw new Error(`the sandbox chain is at block ${newest.number}, not ${head.number}`)
  return chain.sandbox
}
