import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Sandbox } from "@assay/sandbox"
import autocannon from "autocannon"
import { started } from "./server-process.mjs"

const bin = fileURLToPath(new URL("../packages/server/dist/main.js", import.meta.url))

const watcher = new URL("./loop-watcher.mjs", import.meta.url)

/**
 * The built server before the sandbox chain, with what loads it: `reads` of stored executions at a fixed rate, and analyses that
 * go on until they are ended. `report` is what its process says of itself since the last time.
 */
export const loaded = async (targets, options = []) => {
  const directory = mkdtempSync(join(tmpdir(), "assay-load-"))
  const sandbox = await Sandbox.start()
  const server = await started([...options, `--import=${watcher}`, bin, "serve"], directory, {
    ASSAY_PORT: "0",
    ASSAY_DATABASE: `sqlite:${join(directory, "assay.db")}`,
    ASSAY_RPC_URLS: `${sandbox.chainId}=${sandbox.url}`,
    ASSAY_SCHEDULER: "off",
    ASSAY_LOG_FORMAT: "json",
    ASSAY_DAILY_QUOTA: "100000",
    ASSAY_BURST_PER_MINUTE: "1000000"
  })
  const end = async () => {
    await server.stop()
    await sandbox.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const send = async (path, options) => {
      const response = await fetch(server.origin + path, options)
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return response.json()
    }
    const newKey = async () => {
      const { key } = await send("/api/v1/keys", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"label":"bench"}'
      })
      return { authorization: `Bearer ${key}` }
    }
    const headers = await newKey()
    const paths = targets.map((name) => {
      const { address, kind } = sandbox.targets[name]
      return `/api/v1/${kind}/${address}`
    })
    // Once each, so that the code is compiled and there is something to read.
    const ids = []
    for (const path of paths) ids.push((await send(path, { headers })).execution_id)
    return {
      end,
      report: async () => {
        const said = server.said(/^process (.+)$/)
        server.signal("SIGUSR2")
        return JSON.parse((await said)[1])
      },
      reads: (rate, seconds) =>
        autocannon({
          url: server.origin,
          connections: 16,
          duration: seconds,
          overallRate: rate,
          requests: ids.map((id) => ({ path: `/api/v1/executions/${id}`, headers }))
        }),
      /** Analyses so many at once; `made` counts those that ended, `end` waits for the last. */
      analyse: (many) => {
        let goesOn = true
        let made = 0
        const all = Promise.all(
          Array.from({ length: many }, async (_, place) => {
            // A key of its own, since one runs few analyses at once.
            const headers = await newKey()
            for (let turn = place; goesOn; turn++) {
              await send(`${paths[turn % paths.length]}`, { headers })
              made++
            }
          })
        )
        return {
          made: () => made,
          end: () => {
            goesOn = false
            return all
          }
        }
      }
    }
  } catch (cause) {
    await end()
    throw cause
  }
}
