import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { JsonRpc, SharedSandbox, Targets } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../test/Tier.js"
import { Terminal } from "../../server/test/cli/Terminal.js"
import { assay } from "../../server/test/cli/TestShell.js"
import * as Demo from "../src/Demo.js"

const inPackage = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

describe.runIf(Tier.landing)("the demo chain", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let demo: Demo.Demo
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    execFileSync(process.execPath, [inPackage("scripts/build.mjs")], { stdio: "pipe" })
    demo = await Demo.start()
  })
  afterAll(() => demo?.stop())

  it("is the chain of the sandbox, with ten of its targets named", async () => {
    const rpc = JsonRpc.make(demo.url)
    assert.strictEqual(Number(await rpc.call("eth_chainId")), demo.chainId)
    assert.deepInclude(await rpc.call("eth_getBlockByNumber", ["latest", false]), { hash: sandbox.head.hash })
    assert.lengthOf(demo.targets, 10)
    assert.deepStrictEqual(
      demo.targets,
      Targets.demonstrated.map((name) => {
        const { address, description, kind } = sandbox.targets[name]
        return { name, kind, address, description }
      })
    )
    for (const { address, kind } of demo.targets)
      assert.strictEqual((await rpc.call("eth_getCode", [address, "latest"])) !== "0x", kind !== "wallet", address)
  })

  it("is named with the licence and the source of every contract of others on it", () => {
    const notice = readFileSync(inPackage("NOTICE.md"), "utf8")
    const { dependencies } = JSON.parse(readFileSync(inPackage("../../testing/sandbox/package.json"), "utf8"))
    const { contracts } = JSON.parse(readFileSync(inPackage("contracts.json"), "utf8"))
    for (const name of Object.keys(dependencies).filter((each) => !["@foundry-rs/anvil", "solc"].includes(each))) {
      assert.include(notice, contracts[name].license)
      assert.isAbove(readFileSync(inPackage(`dist/licenses/${name.replace("/", "__")}.txt`), "utf8").length, 500)
    }
  })

  it("is analysed by `assay demo --json`, one document a target, and ends with it", async () => {
    const { code, errors, output } = await assay(["demo", "--json"])
    assert.strictEqual(errors, "")
    assert.strictEqual(code, 0)
    const found = output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepStrictEqual(
      found.map(({ name }) => name),
      demo.targets.map(({ name }) => name)
    )
    const levels = new Map(found.map(({ name, verdict }) => [name, verdict.level]))
    assert.deepStrictEqual([levels.get("plain"), levels.get("honeypot")], ["minimal", "critical"])
    const [, address, url = ""] = /^npx assay analyze (\S+) --rpc (\S+)$/.exec(found[0].command) ?? []
    assert.strictEqual(address, found[0].address)
    const refused = await fetch(url).catch(({ message }) => message)
    assert.strictEqual(refused, "fetch failed")
  })

  it("is served on a terminal with ten verdicts until Ctrl-C, which ends it well", async () => {
    const terminal = new Terminal(["demo"])
    try {
      await terminal.shows(/The chain runs until you press Ctrl-C/)
      const [, url = ""] = /The demo chain runs at (\S+)\. /.exec(terminal.screen) ?? []
      assert.lengthOf([...terminal.screen.matchAll(/^ {2}Verdict: \w+/gm)], 10)
      assert.match(terminal.written, /10 of 10: [1-9]\d* of \d+ checks/)
      assert.notMatch(terminal.screen, / checks[,:]|reading the address/)
      assert.strictEqual(Number(await JsonRpc.make(url).call("eth_chainId")), demo.chainId)
      terminal.press("\u0003")
      assert.strictEqual(await terminal.ended, 0, terminal.written)
      assert.strictEqual(await fetch(url).catch(({ message }) => message), "fetch failed")
    } finally {
      terminal.close()
    }
  })

  it("cannot take a port that is in use, and says so in one line", async () => {
    const { code, errors } = await assay(["demo", "--port", new URL(demo.url).port])
    assert.match(errors, /^assay: the demo chain does not start: [^\n]+\n$/)
    assert.strictEqual(code, 1)
  })
})
