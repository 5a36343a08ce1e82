import { execFile, execFileSync, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import type { TestModule, TestSpecification, Vitest } from "vitest/node"
import * as LongestFirst from "./LongestFirst.js"
import RunReporter from "./RunReporter.js"
import * as Tier from "./Tier.js"

const bin = fileURLToPath(new URL("../packages/server/dist/bin/assay.js", import.meta.url))

describe("the tiers of the tests", () => {
  it("run what the one before runs, whatever mode vitest is in", () => {
    assert.deepStrictEqual(["test", undefined, "production", "edit", "landing", "all"].map(Tier.of), [
      "edit",
      "edit",
      "edit",
      "edit",
      "landing",
      "all"
    ])
  })

  it.runIf(Tier.tier === "edit")(
    Tier.title(Tier.tier === "edit", "before landing refuse a process of ours, however it is started, and no other"),
    async () => {
      const refused = /Tiers\.test\.ts starts a process of ours/
      assert.throws(() => spawn(process.execPath, [bin, "--help"]), refused)
      assert.throws(() => spawn("sh", ["-c", `exec node ${bin} --help`]), refused)
      assert.throws(() => execFileSync(process.execPath, [bin, "--help"]), refused)
      assert.throws(() => promisify(execFile)(process.execPath, [bin, "--help"]), refused)
      assert.strictEqual((await promisify(execFile)(process.execPath, ["-p", "7"])).stdout, "7\n")
    }
  )

  it("begin with the longest files, each of which is there, however small they are", async () => {
    assert.deepStrictEqual(LongestFirst.missing(), [])
    const [first = "", second = ""] = LongestFirst.longest
    const size: Readonly<Record<string, number>> = { "b.test.ts": 9, "a.test.ts": 8, [second]: 2, [first]: 1 }
    const root = fileURLToPath(new URL("..", import.meta.url))
    const of = (file: string) => ({ moduleId: `${root}${file}`, project: { name: "" } }) as TestSpecification
    const cache = {
      getFileTestResults: () => undefined,
      getFileStats: (key: string) => ({ size: size[key.slice(1)] ?? 0 })
    }
    const sequencer = new LongestFirst.default({ cache, config: { root } } as unknown as Vitest)
    const sorted = await sequencer.sort(["a.test.ts", second, "b.test.ts", first].map(of))
    assert.deepStrictEqual(
      sorted.map(({ moduleId }) => moduleId.slice(root.length)),
      [first, second, "b.test.ts", "a.test.ts"]
    )
  })

  it("at landing fail for a skipped test, unless its title says why or the run has a name pattern", () => {
    const skippedIn = (fullName: string, testNamePattern?: RegExp) => {
      const allTests = () => [{ fullName }].values()
      const module = { moduleId: "a.test.ts", children: { allTests }, project: { config: { testNamePattern } } }
      return RunReporter.unexplained([module as unknown as TestModule])
    }
    assert.deepStrictEqual(skippedIn("a server > starts"), ["a.test.ts > a server > starts"])
    assert.deepStrictEqual(skippedIn("a server > starts", /other/), [])
    assert.deepStrictEqual(skippedIn(Tier.title(false, "a world of another seed")), [])
    assert.deepStrictEqual(skippedIn("stores: skipped, as there is no Postgres > keep a key"), [])
  })
})
