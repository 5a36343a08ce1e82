import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Account, Sandbox, SavedState, SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"

describe("SavedState", () => {
  let folder: string
  let built: SharedSandbox.SharedSandbox
  let kept: string
  let loaded: Started
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "assay-saved-state-"))
    built = await SharedSandbox.take()
    kept = join(folder, "kept")
    loaded = await open(kept)
  })
  afterAll(async () => {
    await loaded?.sandbox.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  interface Started {
    readonly sandbox: Sandbox.Sandbox
    readonly steps: ReadonlyArray<string>
  }

  /** Starts a chain over a folder, and keeps what was done for it. */
  const open = async (state: string): Promise<Started> => {
    const steps: Array<string> = []
    const sandbox = await Sandbox.start({ state, onStep: (step) => steps.push(step) })
    return { sandbox, steps }
  }

  const start = async (state: string): Promise<Started> => {
    const started = await open(state)
    onTestFinished(() => started.sandbox.stop())
    return started
  }

  const everything = async ({ rpc }: SharedSandbox.SharedSandbox) => [
    await rpc.call("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]),
    await rpc.call("eth_getBlockReceipts", ["0x10"]),
    await rpc.call("eth_gasPrice"),
    await rpc.call("eth_coinbase")
  ]

  const sendTwo = async ({ accounts, rpc, transact }: SharedSandbox.SharedSandbox) => {
    await transact({ from: accounts.maker, to: accounts.holder, value: 1n })
    await transact({ from: Account.keyless("assay sandbox: who makes false authorities"), to: accounts.holder })
    return rpc.call("eth_getBlockByNumber", ["latest", true])
  }

  it("builds and saves the chain at the first start, and loads it at the next, with the same head and targets", async () => {
    assert.deepStrictEqual(loaded.steps, ["build", "load"])
    const second = await start(kept)
    assert.deepStrictEqual(second.steps, ["load"])
    for (const { sandbox } of [loaded, second]) {
      assert.deepStrictEqual(sandbox.head, built.head)
      assert.deepStrictEqual(sandbox.accounts, built.accounts)
      assert.deepStrictEqual(sandbox.targets, built.targets)
      assert.deepStrictEqual(sandbox.parts, built.parts)
      assert.deepStrictEqual(sandbox.truth, built.truth)
    }
  })

  it("refuses to read state older than the newest block", async () => {
    const { rpc, accounts } = loaded.sandbox
    const message = await rpc.call("eth_getBalance", [accounts.maker, "0x1"]).then(
      () => "",
      (error: Error) => error.message
    )
    assert.match(message, /BlockOutOfRangeError/)
  })

  it("has the events and receipts of the built chain, and mines the same blocks after it", async () => {
    const { sandbox } = loaded
    assert.deepStrictEqual(await everything(sandbox), await everything(built))
    assert.deepStrictEqual(await sendTwo(sandbox), await sendTwo(built))
    built = await SharedSandbox.take()
  })

  const rewrite = (path: string, change: (text: string) => string): void =>
    writeFileSync(path, change(readFileSync(path, "utf8")))

  const label = (change: (label: Record<string, unknown>) => Record<string, unknown>) => (state: string) =>
    rewrite(join(state, "head.json"), (text) => JSON.stringify(change(JSON.parse(text))))

  const faults: ReadonlyArray<readonly [string, (state: string) => void, ReadonlyArray<string>]> = [
    ["is cut off", (state) => rewrite(join(state, "state.json"), (text) => text.slice(0, 1_000_000)), []],
    [
      "has a balance changed",
      (state) => rewrite(join(state, "state.json"), (text) => text.replace('"balance":"0x', '"balance":"0x1')),
      []
    ],
    ["has no head beside it", (state) => rmSync(join(state, "head.json")), []],
    ["has another head beside it", label((all) => ({ ...all, head: { ...built.head, number: 1 } })), ["load"]],
    ["is of another anvil", label((all) => ({ ...all, client: "anvil/v0.0.0" })), ["load"]]
  ]
  // A chain is built anew for one of them, in turn. The others are refused, which costs no build.
  const drawn = Draw.portion(faults, faults.length, faults.length)
  for (const fault of faults) {
    const [title, damage, before] = fault
    const damaged = (name: string): string => {
      const state = join(folder, name)
      cpSync(kept, state, { recursive: true })
      damage(state)
      return state
    }
    const builds = drawn.includes(fault)
    const what = `builds the chain anew, and saves it, when the saved one ${title}`
    it.runIf(builds)(Tier.title(builds, what), async () => {
      const state = damaged(`${title}, built`)
      const { sandbox, steps } = await start(state)
      // One that could not be loaded after it was saved would be built once more.
      assert.deepStrictEqual(steps, [...before, "build", "load"])
      assert.deepStrictEqual(sandbox.head, built.head)
      assert.deepInclude(SavedState.find(state), { head: built.head })
    })
    const refuses = Tier.landing && !builds
    it.runIf(refuses)(Tier.title(refuses, `loads no saved chain that ${title}`), async () => {
      const steps: Array<string> = []
      const sandbox = await Sandbox.load({ onStep: (step) => steps.push(step) }, damaged(title))
      assert.isUndefined(sandbox)
      assert.deepStrictEqual(steps, before)
    })
  }

  it("serves the built chain when nothing can be written to the folder", async () => {
    const file = join(folder, "a-file")
    writeFileSync(file, "")
    const { sandbox, steps } = await start(join(file, "state"))
    assert.deepStrictEqual(steps, ["build"])
    assert.deepStrictEqual(sandbox.head, built.head)
  })
})
