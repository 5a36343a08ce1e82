import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { bin } from "../Bin.js"
import { Terminal } from "./Terminal.js"
import * as TestChain from "./TestChain.js"
import { assay } from "./TestShell.js"

describe("assay watch", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let target: ReadonlyArray<string>
  const folder = mkdtempSync(join(tmpdir(), "assay-watch-"))
  const database = join(folder, "watch.db")
  const told = join(folder, "told.json")
  const program = join(folder, "tell.mjs")

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    target = [sandbox.targets.approver.address, "--kind", "wallet", "--rpc", sandbox.url]
    writeFileSync(
      program,
      `import { writeFileSync } from "node:fs"
import { text } from "node:stream/consumers"
const names = Object.keys(process.env).filter((name) => name.startsWith("ASSAY_CHANGE_"))
const variables = Object.fromEntries(names.map((name) => [name, process.env[name]]))
const [, , file, ...args] = process.argv
writeFileSync(file, JSON.stringify({ args, variables, change: JSON.parse(await text(process.stdin)) }))
`
    )
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** While blocks come, so that a grave change is seen twice. */
  const whileMining = async <A>(act: () => Promise<A>): Promise<A> => {
    const mining = setInterval(() => void sandbox.rpc.call("evm_mine", []), 300)
    try {
      return await act()
    } finally {
      clearInterval(mining)
    }
  }

  const onceWith = (...args: ReadonlyArray<string>) =>
    assay(["watch", "--once", "--database", database, ...args, ...target])

  it("goes on where an earlier process was, and gives a program what changed without a shell", async () => {
    const first = await onceWith()
    assert.deepStrictEqual(first, { code: 0, output: "", errors: "" })
    await TestChain.approveAll(sandbox)
    const exec = `${process.execPath} ${program} ${told} $(touch${"\t"}x);`
    const second = await whileMining(() => onceWith("--exec", exec))
    assert.strictEqual(second.errors, "")
    assert.match(second.output, /^high +New: A spender/m)
    assert.strictEqual(second.code, 2)
    const { args, change, variables } = JSON.parse(readFileSync(told, "utf8"))
    assert.deepStrictEqual(args, ["$(touch\tx);"])
    assert.strictEqual(change.change_report.status, "changed")
    assert.deepInclude(variables, {
      ASSAY_CHANGE_ADDRESS: sandbox.targets.approver.address,
      ASSAY_CHANGE_SEVERITY: change.change_report.max_severity,
      ASSAY_CHANGE_COUNT: String(change.change_report.changes.length)
    })
    const third = await onceWith("--json", "--exec", join(folder, "absent"))
    assert.strictEqual(third.errors, "")
    assert.strictEqual(JSON.parse(third.output).change_report.status, "unchanged")
    assert.strictEqual(third.code, 0)
  })

  it.runIf(Tier.landing)(
    "says on a terminal that a check was the first one or found no change, and to cron nothing",
    async () => {
      const file = join(folder, "terminal.db")
      const { address } = sandbox.targets.plain
      const args = ["watch", address, "--once", "--kind", "wallet", "--database", file, "--rpc", sandbox.url]
      const shown = async () => {
        const terminal = new Terminal(args)
        assert.strictEqual(await terminal.ended, 0, terminal.written)
        return terminal.screen
      }
      assert.match(await shown(), /at block(?:.|\n)*\nFirst check: later ones are compared with it\./u)
      assert.match(await shown(), /\nNothing changed since block \d+\./)
      assert.deepStrictEqual(await assay(args), { code: 0, output: "", errors: "" })
    }
  )

  it("keeps what it remembers in memory without a database, and writes a line a check with --json", async () => {
    const { code, errors, output } = await assay(["watch", "--count", "2", "--every", "1s", "--json", ...target])
    assert.strictEqual(errors, "")
    const statuses = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).change_report.status)
    assert.deepStrictEqual(statuses, ["baseline", "unchanged"])
    assert.strictEqual(code, 0)
  })

  it("says that a program of --exec failed, and ends with 1", async () => {
    const file = join(folder, "failing.db")
    const watch = (...args: ReadonlyArray<string>) =>
      assay(["watch", "--once", "--database", file, ...args, sandbox.targets.approver.address, "--rpc", sandbox.url])
    await watch("--kind", "wallet")
    await sandbox.rpc.call("anvil_setNonce", [sandbox.targets.approver.address, "0x999"])
    await sandbox.transact({
      from: sandbox.accounts.approver,
      to: sandbox.targets.plain.address,
      data: `0x095ea7b3${"5ca1ac".padStart(64, "0")}${"f".repeat(64)}`
    })
    const { code, errors } = await whileMining(() => watch("--kind", "wallet", "--exec", join(folder, "absent")))
    assert.match(errors, /^assay: the command of --exec could not be started; check "[^\n]*absent"\n$/)
    assert.strictEqual(code, 1)
  })

  it.runIf(Tier.landing)("ends on Ctrl-C with 0, and leaves no lock of its process behind", async () => {
    const file = join(folder, "stopped.db")
    const child = spawn(process.execPath, [bin, "watch", "--every", "1h", "--json", "--database", file, ...target], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env.PATH }
    })
    const [line] = await once(child.stdout.setEncoding("utf8"), "data")
    assert.strictEqual(JSON.parse(line).target.address, sandbox.targets.approver.address)
    const closed = once(child, "close")
    child.kill("SIGINT")
    assert.deepStrictEqual(await closed, [0, null])
    assert.isTrue(existsSync(file))
    assert.deepStrictEqual(
      readdirSync(folder).filter((name) => /^stopped\.db-(?:wal|process)/.test(name)),
      []
    )
  })
})
