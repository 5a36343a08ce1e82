import { SharedSandbox } from "@assay/sandbox"
import { afterEach, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { Terminal } from "./Terminal.js"

describe.runIf(Tier.landing)("the command on a terminal", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let terminal: Terminal
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })
  afterEach(() => terminal.close())

  const analyze = () => new Terminal(["analyze", sandbox.targets.plain.address, "--rpc", sandbox.url])

  it("analyze shows how far it is, ends by itself with its verdict, and leaves no progress line", async () => {
    terminal = analyze()
    assert.strictEqual(await terminal.ended, 0, terminal.written)
    assert.match(terminal.written, /level \d+, \d+ checks done/)
    assert.match(terminal.screen, /Minimal risk/)
    assert.notMatch(terminal.screen, /checks done/)
  })

  it("Ctrl-C ends an analysis with 130 and without a report", async () => {
    terminal = analyze()
    await terminal.shows(/level \d+, [1-9]\d* checks done/)
    terminal.press("\u0003")
    assert.strictEqual(await terminal.ended, 130, terminal.written)
    assert.notMatch(terminal.screen, /risk|checks done/i)
  })

  it("SIGTERM ends an analysis with 143", async () => {
    terminal = analyze()
    await terminal.shows(/level \d+, [1-9]\d* checks done/)
    terminal.signal("SIGTERM")
    assert.strictEqual(await terminal.ended, 143, terminal.written)
  })
})
