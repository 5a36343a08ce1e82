import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Analysis } from "@assay/core"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestChain from "./TestChain.js"
import { assay } from "./TestShell.js"

describe("a result in a file", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let rpc: ReadonlyArray<string>
  const folder = mkdtempSync(join(tmpdir(), "assay-results-"))
  const before = join(folder, "before.json")
  const after = join(folder, "after.json")
  let blocks: readonly [number, number]

  const analyze = async (file: string, block: number) => {
    const { approver } = sandbox.targets
    const args = [approver.address, "--kind", "wallet", "--block", String(block), "--json", "--full", "--output", file]
    const ended = await assay(["analyze", ...args, ...rpc])
    assert.notStrictEqual(ended.code, 1, ended.errors)
  }
  const analysisOf = (file: string): Analysis.Analysis => JSON.parse(readFileSync(file, "utf8"))
  const write = (name: string, analysis: unknown): string => {
    const file = join(folder, name)
    writeFileSync(file, JSON.stringify(analysis))
    return file
  }

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    rpc = ["--rpc", sandbox.url]
    const first = await TestChain.blockNumber(sandbox)
    await TestChain.approveAll(sandbox)
    blocks = [first, await TestChain.blockNumber(sandbox)]
    await analyze(before, blocks[0])
    await analyze(after, blocks[1])
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  describe("assay verify", () => {
    it("ends with 0 where every observation agrees with the chain, and counts the items without one", async () => {
      const { code, errors, output } = await assay(["verify", before, ...rpc])
      assert.strictEqual(errors, "")
      assert.match(output, /(\d+) of \1 observed\nitems agree|(\d+) of \2 observed items agree/)
      assert.match(output, /have no\s+observation of their own/)
      assert.strictEqual(code, 0)
    })

    it("ends with 2 where an answer is not that of the chain, and names the item", async () => {
      const analysis = analysisOf(before)
      const forged = analysis.evidence.find(({ observation }) => observation !== null)
      const file = write("forged.json", {
        ...analysis,
        evidence: analysis.evidence.map((item) =>
          item === forged
            ? { ...item, observation: { ...item.observation, answer_hash: `0x${"00".repeat(32)}` } }
            : item
        )
      })
      const { code, output } = await assay(["verify", file, ...rpc])
      assert.include(output, `differs      ${forged?.id}`)
      assert.strictEqual(code, 2)
    })

    it("ends with 2 where a state was changed in the file, although every observation agrees", async () => {
      const analysis = analysisOf(before)
      const [first, ...rest] = analysis.evidence
      const file = write("changed.json", { ...analysis, evidence: [{ ...first, title: "All is well" }, ...rest] })
      const { code, output } = await assay(["verify", file, "--json", ...rpc])
      assert.strictEqual(JSON.parse(output).content_hash, "differs")
      assert.strictEqual(code, 2)
    })

    it("ends with 3 where an observation cannot be made again, and names it", async () => {
      const analysis = analysisOf(before)
      const file = write("lost.json", { ...analysis, recipes: analysis.recipes.slice(1) })
      const { code, output } = await assay(["verify", file, ...rpc])
      assert.match(output, /^unavailable {2}\S+ \(method_unsupported\)$/m)
      assert.strictEqual(code, 3)
    })

    it("refuses a result of a block that the chain does not have", async () => {
      const analysis = analysisOf(before)
      const file = write("other.json", { ...analysis, block: { ...analysis.block, hash: `0x${"ab".repeat(32)}` } })
      const { code, errors } = await assay(["verify", file, ...rpc])
      assert.match(errors, /^assay: the chain has another block \d+ than the result[^\n]*\n$/)
      assert.strictEqual(code, 1)
    })
  })

  describe("assay explain", () => {
    it("prints a command that reads the same answer from the chain again", async () => {
      const analysis = analysisOf(after)
      const item = analysis.evidence.find(({ observation }) => observation?.method === "eth_getCode")
      assert.isDefined(item)
      const { code, errors, output } = await assay(["explain", item?.id ?? "", "--in", after])
      assert.strictEqual(errors, "")
      assert.include(output, `${item?.state}: `)
      assert.include(output, item?.observation?.answer_hash ?? "none")
      const command = output.slice(output.indexOf("curl "))
      const answer = execFileSync("sh", ["-c", command], { env: { ...process.env, RPC_URL: sandbox.url } })
      assert.match(JSON.parse(answer.toString("utf8")).result, /^0x/)
      assert.strictEqual(code, 0)
    })

    it("explains the rule alone where no result is given", async () => {
      const { code, output } = await assay(["explain", "token.mintable"])
      assert.match(output, /^token\.mintable, version \d+\n/)
      assert.match(output, /bad for a holder/)
      assert.match(output, /\n {2}Confirmed: .*\n(?: {4}.*\n)* {2}Refuted: .*\n(?: {4}.*\n)* {2}Unknown: /)
      assert.match(
        output,
        /\n {2}If refuted: No account can increase the supply\.\n {2}What to do if confirmed: Check who can mint/
      )
      for (const line of output.split("\n")) assert.isAtMost(line.length, 80, line)
      assert.strictEqual(code, 0)
    })

    it("refuses an item that the result does not have, and names those of the same check", async () => {
      const { code, errors } = await assay(["explain", "allowance.unlimited", "--in", after])
      assert.match(
        errors,
        /^assay: the result has no item "allowance.unlimited"; it has allowance.unlimited:0x[^\n]*\n$/
      )
      assert.strictEqual(code, 1)
    })
  })

  describe("assay diff", () => {
    it("ends with 2 for a change as severe as --fail-at-change, of two files and of an address at two blocks", async () => {
      const files = await assay(["diff", before, after])
      assert.strictEqual(files.errors, "")
      assert.match(files.output, /^high +New: A spender/m)
      assert.strictEqual(files.code, 2)
      const { approver } = sandbox.targets
      const at = blocks.flatMap((block) => ["--block", String(block)])
      const chain = await assay(["diff", approver.address, ...at, ...rpc])
      assert.strictEqual(chain.errors, "")
      assert.strictEqual(chain.output, files.output)
      assert.strictEqual(chain.code, 2)
    })

    it("writes a page of what changed, with the new spender marked in the diagram of both", async () => {
      const { code, errors, output } = await assay(["diff", before, after, "--html"])
      assert.strictEqual(errors, "")
      assert.match(
        output,
        /^<!doctype html>[\s\S]*<h2>What changed<\/h2>[\s\S]*New: A spender[\s\S]*<h2>What speaks against it/
      )
      assert.match(output, /<g class="\w+ added"/)
      assert.match(output, /<dt>Before<\/dt>[\s\S]*<dt>Now<\/dt>/)
      assert.strictEqual(code, 2)
    })

    it("ends with 0 where nothing is as severe, and where nothing changed", async () => {
      const report = JSON.parse((await assay(["diff", before, after, "--json"])).output)
      assert.isNull(report.base.execution_id)
      if (report.max_severity !== "critical")
        assert.strictEqual((await assay(["diff", before, after, "--fail-at-change", "critical"])).code, 0)
      const same = await assay(["diff", before, before])
      assert.match(same.output, /No change\.\n$/)
      assert.strictEqual(same.code, 0)
    })

    it("ends with 3 where sight was lost and nothing changed, and where the blocks are in the wrong order", async () => {
      const analysis = analysisOf(before)
      const blind = write("blind.json", {
        ...analysis,
        content_hash: "sha256:0",
        evidence: analysis.evidence.map((item) =>
          item.id === "wallet.poisoned" ? { ...item, state: "unknown", reason: "rpc_error", value: null } : item
        )
      })
      const lost = await assay(["diff", before, blind])
      assert.match(lost.output, /visibility lost/)
      assert.strictEqual(lost.code, 3)
      const reversed = await assay(["diff", after, before])
      assert.match(reversed.output, /Not comparable/)
      assert.strictEqual(reversed.code, 3)
    })

    it("ends with 3 where the results are of two targets, and names both", async () => {
      const analysis = analysisOf(before)
      const address = "0x00000000000000000000000000000000005cA1AB"
      const other = write("other.json", { ...analysis, target: { ...analysis.target, address } })
      const { code, errors, output } = await assay(["diff", before, other])
      assert.match(
        errors,
        new RegExp(`^assay: the results cannot be compared: .*${analysis.target.address}.*${address}`)
      )
      assert.strictEqual(output, "")
      assert.strictEqual(code, 3)
    })
  })
})
