import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { bin } from "../Bin.js"
import { stranger } from "./TestChain.js"
import * as TestShell from "./TestShell.js"

/** The built command in a process of its own, with these settings and nothing else of the environment. */
const built = async (
  args: ReadonlyArray<string>,
  options: { readonly settings?: Readonly<Record<string, string>>; readonly input?: string | Uint8Array } = {}
) => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:ASSAY_|VITEST|NODE_OPTIONS)/.test(name))
  const child = spawn(process.execPath, [bin, ...args], {
    env: { ...Object.fromEntries(inherited), ...options.settings },
    stdio: "pipe"
  })
  child.stdin.end(options.input ?? "")
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return { code, output, errors }
}

/** Before a change lands the command as it is shipped, else the same in this process. */
const assay: typeof TestShell.assay = Tier.landing ? built : TestShell.assay

describe("assay analyze", () => {
  let sandbox: SharedSandbox.SharedSandbox
  const folder = mkdtempSync(join(tmpdir(), "assay-cli-"))
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it("guesses the kind, reports in plain text without colour on a pipe, and ends with 2 for a honeypot", async () => {
    const { code, errors, output } = await assay(["analyze", sandbox.targets.honeypot.address, "--rpc", sandbox.url])
    assert.strictEqual(errors, "")
    assert.match(output, /critical/i)
    assert.notInclude(output, "\u001b")
    assert.strictEqual(code, 2)
  })

  it("writes one JSON document a line of a list on standard input, and goes on after an address that fails", async () => {
    const file = join(folder, "out.jsonl")
    const { honeypot } = sandbox.targets
    const empty = "0x00000000000000000000000000000000005ca1ab"
    const { code, errors, output } = await assay(
      ["analyze", "-", "--kind", "token", "--json", "--full", "--output", file],
      { input: `${empty}\n${honeypot.address}\n`, settings: { ASSAY_RPC_URLS: `31337=${sandbox.url}` } }
    )
    assert.strictEqual(output, "")
    assert.match(
      errors,
      /^assay: .* has no code, no balance and no transactions on chain 31337; leave out --kind[^\n]*\nLEVEL [^\n]*\n-[^\n]*\ncritical [^\n]*\n$/
    )
    const [document = "", ...rest] = readFileSync(file, "utf8").split("\n")
    assert.deepStrictEqual(rest, [""])
    const analysis = JSON.parse(document)
    assert.deepInclude(analysis.target, { kind: "token", address: honeypot.address })
    assert.isAbove(analysis.recipes.length, 0)
    assert.strictEqual(code, 1)
  })

  it("opens the page of a report in the browser, from a file that only its user reads, and says where it is", async () => {
    const seen = join(folder, "opened")
    const script = `#!/bin/sh\nprintf '%s' "$1" > ${seen}.part && mv ${seen}.part ${seen}\n`
    writeFileSync(join(folder, "xdg-open"), script, { mode: 0o755 })
    const analyze = ["analyze", sandbox.targets.plain.address, "--rpc", sandbox.url, "--format", "html", "--open"]
    const settings = { PATH: `${folder}:/usr/bin:/bin`, TMPDIR: folder, WAYLAND_DISPLAY: "" }
    const shown = await assay(analyze, { settings: { ...settings, DISPLAY: ":9" } })
    const [, page = ""] = /^assay: the page is (\S+)\n$/.exec(shown.errors) ?? assert.fail(shown.errors)
    assert.deepInclude(shown, { code: 0, output: "" })
    assert.match(readFileSync(page, "utf8"), /^<!doctype html>[\s\S]*<svg/)
    assert.strictEqual(statSync(page).mode & 0o777, 0o600)
    await vi.waitFor(() => assert.strictEqual(readFileSync(seen, "utf8"), page), { timeout: 30_000, interval: 50 })
    const nowhere = await assay(analyze, { settings: { ...settings, DISPLAY: "" } })
    assert.match(nowhere.errors, /^assay: no browser could be opened here; the page is \S+report\.html\n$/)
  })

  it.runIf(Tier.landing)("reads a list of PowerShell, in UTF-16 with a byte order mark, as one in UTF-8", async () => {
    const list = Buffer.from(`\ufeff${stranger}\r\n`, "utf16le")
    const { code, errors, output } = await built(["analyze", "-", "--json", "--rpc", sandbox.url], { input: list })
    assert.strictEqual(errors, "")
    assert.strictEqual(JSON.parse(output).address.toLowerCase(), stranger)
    assert.strictEqual(code, 0)
  })

  it("says that --kind does not fit what is at the address, and goes on", async () => {
    const { address } = sandbox.targets.plain
    const { code, errors, output } = await assay([
      "analyze",
      address,
      "--kind",
      "wallet",
      "--json",
      "--rpc",
      sandbox.url
    ])
    assert.match(
      errors,
      new RegExp(`^assay: ${address} is a contract and was analysed as a wallet: [^\n]*--kind[^\n]*\n$`)
    )
    assert.strictEqual(JSON.parse(output).target, "wallet")
    assert.strictEqual(code, 0)
  })
})
