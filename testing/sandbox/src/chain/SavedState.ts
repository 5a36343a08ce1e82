import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import type { Head } from "./Head.js"
import type { JsonRpc } from "./JsonRpc.js"

/**
 * A built chain on disk, for anvil's `--load-state`. It has every block, receipt and event, but the state of the newest
 * block only: a chain that loads it answers reads of older state with BlockOutOfRangeError.
 */
export interface SavedState {
  /** What `--load-state` takes. */
  readonly file: string
  /** The newest block in it. */
  readonly head: Head
  /** The release of anvil that wrote it; other releases may read it otherwise. */
  readonly client: string
}

interface Label {
  readonly head: Head
  readonly client: string
  readonly sha256: string
}

const digest = (state: Buffer): string => createHash("sha256").update(state).digest("hex")

const at = (folder: string) => ({ state: join(folder, "state.json"), label: join(folder, "head.json") })

/** What was saved in a folder; none where nothing was, or where it is not, byte for byte, what was saved. */
export const find = (folder: string): SavedState | undefined => {
  const { label, state } = at(folder)
  try {
    const { client, head, sha256 } = JSON.parse(readFileSync(label, "utf8")) as Label
    return digest(readFileSync(state)) === sha256 ? { file: state, head, client } : undefined
  } catch {
    return undefined
  }
}

/** Saves the state of a running chain in a folder, which then has all of it or is as it was. */
export const save = async (rpc: JsonRpc, folder: string, head: Head): Promise<void> => {
  const client = await version(rpc)
  const dump = (await rpc.call("anvil_dumpState")) as string
  const state = gunzipSync(Buffer.from(dump.slice(2), "hex"))
  mkdirSync(dirname(folder), { recursive: true })
  const unfinished = mkdtempSync(`${folder}-`)
  try {
    const files = at(unfinished)
    writeFileSync(files.state, state)
    writeFileSync(files.label, JSON.stringify({ head, client, sha256: digest(state) } satisfies Label))
    rmSync(folder, { recursive: true, force: true })
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}

/** The release of anvil behind an endpoint. */
export const version = async (rpc: JsonRpc): Promise<string> => String(await rpc.call("web3_clientVersion"))
