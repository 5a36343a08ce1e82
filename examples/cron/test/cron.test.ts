import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../test/Tier.js"

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const main = path("../../../packages/server/dist/bin/assay.js")

const lines = readFileSync(path("../crontab"), "utf8")
  .split("\n")
  .filter((line) => line.trim() !== "" && !line.startsWith("#"))
const variables = Object.fromEntries(
  lines.flatMap((line) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value]]
  })
)
const jobs = lines.flatMap((line) => /^((?:[\d*/,-]+\s+){5})(.+)$/.exec(line)?.[2] ?? [])

describe.runIf(Tier.landing)("examples/cron", () => {
  let sandbox: SharedSandbox.SharedSandbox
  const home = mkdtempSync(join(tmpdir(), "assay-cron-"))
  const folder = join(home, "assay")

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    cpSync(path(".."), folder, { recursive: true, filter: (source) => !source.endsWith("/test") })
    mkdirSync(join(home, "bin"))
    writeFileSync(join(home, "bin", "assay"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 })
  })
  afterAll(() => rmSync(home, { recursive: true }))

  /** Runs the job as cron does, at home, with the variables of the table and nothing else, for another address and endpoint. */
  const run = async (address: string) => {
    const [job = "", ...others] = jobs
    assert.deepStrictEqual(others, [])
    assert.isDefined(variables.ASSAY_RPC_URLS)
    const child = spawn(variables.SHELL ?? "/bin/sh", ["-c", job.replace(/0x[0-9a-fA-F]{40}/, address)], {
      cwd: home,
      env: {
        ...variables,
        HOME: home,
        PATH: `${join(home, "bin")}:${variables.PATH}`,
        ASSAY_RPC_URLS: `31337=${sandbox.url}`
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
    return { code, errors, output }
  }

  it("prints nothing at first and where nothing changed, then says what changed and keeps it in a file", async () => {
    const { address } = sandbox.targets.approver
    assert.deepStrictEqual(await run(address), { code: 0, errors: "", output: "" })
    assert.isTrue(existsSync(join(folder, "watch.db")))
    assert.deepStrictEqual(await run(address), { code: 0, errors: "", output: "" })
    assert.isFalse(existsSync(join(folder, "changes")))

    // Everything of a token, for an unknown spender; seen twice, while blocks come.
    await sandbox.transact({
      from: sandbox.accounts.approver,
      to: sandbox.targets.plain.address,
      data: `0x095ea7b3${"c0ffee".padStart(64, "0")}${"f".repeat(64)}`
    })
    const mining = setInterval(() => void sandbox.rpc.call("evm_mine", []), 300)
    const changed = await run(address).finally(() => clearInterval(mining))
    assert.strictEqual(changed.errors, "")
    assert.match(changed.output, /^high +New: A spender/m)
    const [file = "", ...more] = readdirSync(join(folder, "changes"))
    assert.deepStrictEqual(more, [])
    assert.include(changed.output, `see changes/${file}`)
    const { change_report, target } = JSON.parse(readFileSync(join(folder, "changes", file), "utf8"))
    assert.deepStrictEqual([target.address, change_report.status], [address, "changed"])
    assert.strictEqual(changed.code, 2)
  })
})
