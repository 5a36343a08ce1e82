import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import * as Anvil from "@assay/sandbox/chain/Anvil"
import * as JsonRpc from "@assay/sandbox/chain/JsonRpc"

/**
 * The demo chain, served on the loopback interface.
 *
 * @since 0.1.0
 * @category models
 */
export interface Demo {
  readonly url: string
  readonly chainId: number
  /** Ten addresses to begin with, of the many that are on it. */
  readonly targets: ReadonlyArray<Target>
  /** Ends the chain; harmless when called again. */
  readonly stop: () => Promise<void>
  /** Resolves when the chain has ended, whoever ended it. */
  readonly ended: Promise<void>
}

/**
 * An address on the chain; `description` says in a few words what is true of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Target {
  readonly name: string
  readonly kind: "token" | "wallet" | "contract"
  readonly address: string
  readonly description: string
}

/** What `scripts/build.mjs` says of the chain that it saved. */
interface Label {
  readonly client: string
  readonly chainId: number
  readonly head: { readonly number: number; readonly hash: string }
  /** Those of anvil, without the state and the port. */
  readonly arguments: ReadonlyArray<string>
  /** Requests to anvil once it has loaded the chain. */
  readonly settings: ReadonlyArray<JsonRpc.Request>
  readonly targets: ReadonlyArray<Target>
}

const saved = (name: string): Buffer => readFileSync(new URL(`../dist/chain/${name}`, import.meta.url))

/**
 * Serves the chain at a port, or at a free one. It ends with this process and does not keep it alive. It has the state of
 * its newest block only. Rejects with what to do where no anvil is installed or another release of it would read the
 * chain.
 *
 * @since 0.1.0
 * @category constructors
 */
export const start = async (options: { readonly port?: number | undefined } = {}): Promise<Demo> => {
  const label = JSON.parse(saved("label.json").toString()) as Label
  const folder = mkdtempSync(join(tmpdir(), "assay-demo-"))
  try {
    const state = join(folder, "state.json")
    writeFileSync(state, gunzipSync(saved("state.json.gz")))
    const anvil = await Anvil.start({
      port: options.port,
      arguments: [...label.arguments, "--load-state", state]
    })
    try {
      const rpc = JsonRpc.make(anvil.url)
      const [client, block] = await rpc.batch([
        { method: "web3_clientVersion" },
        { method: "eth_getBlockByNumber", params: ["latest", false] }
      ])
      if (client !== label.client || (block as { readonly hash: string }).hash !== label.head.hash)
        throw new Error(`the demo chain is for ${label.client}, not ${client}; reinstall @assay/demo`)
      await rpc.batch(label.settings)
      const { ended, stop, url } = anvil
      return { url, chainId: label.chainId, targets: label.targets, stop, ended }
    } catch (error) {
      await anvil.stop()
      throw error
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
