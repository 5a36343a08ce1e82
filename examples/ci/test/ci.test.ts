import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse } from "yaml"
import * as Tier from "../../../test/Tier.js"

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const main = path("../../../packages/server/dist/bin/assay.js")

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
}

const written = readFileSync(path("../assay.yml"), "utf8")
const workflow: {
  readonly env: Readonly<Record<string, string>>
  readonly jobs: { readonly assay: { readonly steps: ReadonlyArray<Step> } }
} = parse(written)
const { steps } = workflow.jobs.assay

/** A project with the workflow, in which `npx assay` finds the command that was built here. */
class Project {
  readonly folder = mkdtempSync(join(tmpdir(), "assay-ci-"))
  readonly settings: Readonly<Record<string, string>>

  constructor(settings: Readonly<Record<string, string>>) {
    this.settings = settings
    const programs = join(this.folder, "node_modules", ".bin")
    mkdirSync(programs, { recursive: true })
    mkdirSync(join(this.folder, "assay"))
    writeFileSync(join(this.folder, "package.json"), "{}")
    writeFileSync(join(programs, "assay"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 })
  }

  /** As a runner does it: by a shell that ends with the first failure, with the variables of the workflow. */
  async sh(command: string): Promise<{ readonly code: number; readonly output: string }> {
    const child = spawn("sh", ["-e", "-c", command], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, HOME: this.folder, ...workflow.env, ...this.settings },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
    return { code, output: `${output}${errors}` }
  }

  /** The exit code of each step that runs a command. */
  async run(): Promise<ReadonlyArray<readonly [name: string, code: number, output: string]>> {
    const ended: Array<readonly [string, number, string]> = []
    for (const { name = "", run } of steps)
      if (run !== undefined && run !== "npm ci") {
        const { code, output } = await this.sh(run)
        ended.push([name, code, output])
      }
    return ended
  }

  /** The command that the comment of the workflow gives to whoever accepts a result. */
  accept() {
    const [, line = ""] = /^# +(npx assay analyze .*)$/m.exec(written) ?? []
    const { ADDRESS = "", RPC_URL = "" } = this.settings
    return this.sh(line.replace("0x…", ADDRESS).replace(/--rpc \S+/, `--rpc ${RPC_URL}`))
  }
}

describe.runIf(Tier.landing)("examples/ci", () => {
  let sandbox: SharedSandbox.SharedSandbox
  const projects: Array<Project> = []
  const project = (address: string) => {
    const made = new Project({ ADDRESS: address, RPC_URL: sandbox.url })
    projects.push(made)
    return made
  }
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })
  afterAll(() => {
    for (const { folder } of projects) rmSync(folder, { recursive: true })
  })

  const codes = (ended: ReadonlyArray<readonly [string, number, string]>) => ended.map(([name, code]) => [name, code])

  it("fails for a high risk, keeps the result although it does, and sees no change in it", async () => {
    const tried = project(sandbox.targets.honeypot.address)
    assert.strictEqual((await tried.accept()).code, 2)
    const ended = await tried.run()
    assert.deepStrictEqual(
      codes(ended),
      [
        ["Refuse a high risk", 2],
        ["Analyse in full", 0],
        ["Refuse a grave change", 0]
      ],
      ended.join("\n")
    )
    assert.match(ended[0]?.[2] ?? "", /CRITICAL/i)
    assert.isTrue(existsSync(join(tried.folder, "assay", "now.json")))
  })

  it("fails for a grave change since the accepted result", async () => {
    const { address } = sandbox.targets.approver
    const tried = project(address)
    assert.notStrictEqual((await tried.accept()).code, 1)
    // Everything of a token, for an unknown spender.
    await sandbox.transact({
      from: sandbox.accounts.approver,
      to: sandbox.targets.plain.address,
      data: `0x095ea7b3${"ca5cade".padStart(64, "0")}${"f".repeat(64)}`
    })
    const [, , changed] = await tried.run()
    assert.deepStrictEqual(changed?.slice(0, 2), ["Refuse a grave change", 2], changed?.[2])
    assert.match(changed?.[2] ?? "", /^high +New: A spender/m)
  })

  it("fails where the endpoint does not answer, in each step", async () => {
    const tried = new Project({ ADDRESS: sandbox.targets.plain.address, RPC_URL: "http://127.0.0.1:9" })
    projects.push(tried)
    assert.deepStrictEqual(
      (await tried.run()).map(([, code]) => code),
      [1, 1, 1]
    )
  })
})
