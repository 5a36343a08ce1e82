import { createHash } from "node:crypto"
import type { SharedSandbox } from "../SharedSandbox.js"

/** Of each target of a chain, by name, a hash of its code and of what is true of it. */
export const of = async ({
  rpc,
  targets,
  truth
}: Pick<SharedSandbox, "rpc" | "targets" | "truth">): Promise<Readonly<Record<string, string>>> => {
  const found = await Promise.all(
    Object.entries(targets).map(async ([name, { address, kind }]) => {
      const code = await rpc.call("eth_getCode", [address, "latest"])
      const rows = truth
        .filter(({ target }) => target === name)
        .map((row) => JSON.stringify(row))
        .sort()
      const hash = createHash("sha256")
        .update(JSON.stringify([kind, code, rows]))
        .digest("hex")
      return [name, hash.slice(0, 16)] as const
    })
  )
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}
