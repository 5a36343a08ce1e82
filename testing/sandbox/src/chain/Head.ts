import type { JsonRpc } from "./JsonRpc.js"

/** The newest block of the chain when everything is on it; the same at every start. */
export interface Head {
  readonly number: number
  readonly hash: string
  readonly timestamp: number
}

/** Reads the newest block of a chain. */
export const read = async (rpc: JsonRpc): Promise<Head> => {
  const block = (await rpc.call("eth_getBlockByNumber", ["latest", false])) as Readonly<Record<keyof Head, string>>
  return { number: Number(block.number), hash: block.hash, timestamp: Number(block.timestamp) }
}

/** Whether two blocks are the same one. */
export const isSame = (one: Head, other: Head): boolean => one.hash === other.hash && one.number === other.number
