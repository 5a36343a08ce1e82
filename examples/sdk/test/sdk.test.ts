import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { SharedSandbox } from "@assay/sandbox"
import { assert, beforeAll, describe, it } from "vitest"
import * as ForwardProxy from "../../../packages/server/test/ForwardProxy.js"
import * as Tier from "../../../test/Tier.js"

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

describe("examples/sdk", () => {
  let sandbox: SharedSandbox.SharedSandbox
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })

  const run = async (name: string, address: string) =>
    await promisify(execFile)(process.execPath, [path(`../dist/${name}.js`), sandbox.url, address])

  it.runIf(Tier.landing)("reports on an address, and says in one line why it cannot", async () => {
    const { stdout } = await run("report", sandbox.targets.honeypot.address)
    assert.match(stdout, /^critical 0 /)
    const { stderr } = await run("report", "vitalik.eth")
    assert.match(stderr, /^bad_address "vitalik\.eth" is no address[^\n]*\n$/)
  })

  it.runIf(Tier.landing)("runs a check of its own", async () => {
    const { stdout } = await run("check", sandbox.targets.approver.address)
    assert.match(stdout, /^(?:confirmed|refuted) acme\.rich it holds \d+ wei\n$/)
  })

  it.runIf(Tier.landing)("reads a chain through the proxy of the environment, which resolves its name", async () => {
    const proxy = await ForwardProxy.open({ "rpc.test:8545": Number(new URL(sandbox.url).port) })
    const env = { ...process.env, HTTP_PROXY: proxy.url, NO_PROXY: "" }
    const args = [path("../dist/proxy.js"), "http://rpc.test:8545", sandbox.targets.honeypot.address]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })
    assert.strictEqual(stdout, "critical 0\n")
    assert.isNotEmpty(proxy.seen)
    proxy.close()
  })

  it.runIf(Tier.landing)("watches, and goes on where an earlier process was", async () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-sdk-"))
    const args = [path("../dist/watch.js"), sandbox.url, sandbox.targets.approver.address, join(folder, "watch.db")]
    const first = async () => {
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
      const [line] = await once(child.stdout.setEncoding("utf8"), "data")
      child.kill()
      await once(child, "close")
      return line
    }
    assert.strictEqual(await first(), "baseline\n")
    assert.strictEqual(await first(), "unchanged\n")
    rmSync(folder, { recursive: true })
  })

  it("is what the README and the guide show", () => {
    const guide = readFileSync(path("../../../docs/guides/embed-in-ten-lines.md"), "utf8")
    for (const name of ["report", "check", "proxy", "watch", "worker"])
      assert.include(guide, readFileSync(path(`../src/${name}.ts`), "utf8"), name)
    assert.include(readFileSync(path("../../../README.md"), "utf8"), readFileSync(path("../src/report.ts"), "utf8"))
  })
})
