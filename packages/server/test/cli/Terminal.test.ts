import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { Terminal } from "./Terminal.js"

const escape = "\u001b"
const ctrlC = "\u0003"
const ctrlD = "\u0004"

describe.runIf(Tier.landing)("the command on a terminal", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let terminal: Terminal
  const folder = mkdtempSync(join(tmpdir(), "assay-terminal-"))
  const result = join(folder, "result.json")
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })
  afterEach(() => terminal.close())
  afterAll(() => rmSync(folder, { recursive: true }))

  const of = () => ["--rpc", sandbox.url]
  const analyze = (...options: ReadonlyArray<string>) => ["analyze", sandbox.targets.plain.address, ...options, ...of()]
  const isRunning = /[1-9]\d* of \d+ checks/

  it("analyze shows how many of its checks are done, ends by itself with its verdict, and leaves no progress line", async () => {
    terminal = new Terminal(analyze())
    assert.strictEqual(await terminal.ended, 0, terminal.written)
    const shown = [...terminal.written.matchAll(/(\d+) of (\d+) checks/g)].map(([, done, total]) =>
      [done, total].map(Number)
    )
    assert.isAbove(shown.length, 0)
    const [, total = 0] = shown[0] ?? []
    for (const [done = 0, of] of shown) {
      assert.isAtMost(done, total)
      assert.strictEqual(of, total)
    }
    assert.match(terminal.screen, /Minimal risk/)
    assert.notMatch(terminal.screen, / checks[,:]|reading the address/)
    assert.isTrue(terminal.isAtStart)
    // The report has colours, and each is taken back.
    assert.include(terminal.written, `${escape}[1;32m`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of.
    assert.match(terminal.written, /\u001b\[0m[^\u001b]*$/)
  })

  it("several addresses are counted", async () => {
    terminal = new Terminal(["analyze", sandbox.targets.plain.address, sandbox.targets.honeypot.address, ...of()])
    await terminal.ended
    assert.match(terminal.written, /\r\S*1 of 2: /)
    assert.match(terminal.written, /\r\S*2 of 2: /)
    assert.notMatch(terminal.screen, / of 2: /)
  })

  it("a window that is narrower than the progress line shows the beginning of it, on one line", async () => {
    terminal = new Terminal(analyze(), {}, { columns: 32 })
    assert.strictEqual(await terminal.ended, 0, terminal.written)
    // All that was written over.
    const lines = terminal.written.split("\r\u001b[2K").slice(1, -1)
    assert.isAbove(lines.length, 0)
    for (const line of lines) assert.isBelow(line.length, 32, line)
    assert.isTrue(lines.some((line) => /^\d+ of \d+ checks, .*…$/.test(line)))
    assert.notMatch(terminal.screen, / checks[,:]|reading the address/)
  })

  it("a terminal that can do nothing gets text and nothing else", async () => {
    terminal = new Terminal(analyze(), { TERM: "dumb" })
    assert.strictEqual(await terminal.ended, 0, terminal.written)
    assert.match(terminal.written, /^Minimal risk|^\S.*\r\n/)
    assert.notInclude(terminal.written, escape)
  })

  it("NO_COLOR turns off the colours, and not the progress line", async () => {
    terminal = new Terminal(analyze(), { NO_COLOR: "1" })
    assert.strictEqual(await terminal.ended, 0, terminal.written)
    assert.match(terminal.written, isRunning)
    assert.notInclude(terminal.written.replaceAll(`${escape}[2K`, ""), escape)
  })

  it("a result that goes into a file is whole there, and its progress on the terminal", async () => {
    terminal = new Terminal(analyze("--full", "--json"), {}, { redirection: `> ${result}` })
    assert.strictEqual(await terminal.ended, 0, terminal.written)
    assert.strictEqual(JSON.parse(readFileSync(result, "utf8")).target.kind, "token")
    assert.match(terminal.written, isRunning)
    assert.strictEqual(terminal.screen, "")
  })

  it("errors that go into a file have no progress among them", async () => {
    const errors = join(folder, "errors")
    terminal = new Terminal(analyze(), {}, { redirection: `2> ${errors}` })
    assert.strictEqual(await terminal.ended, 0, terminal.written)
    assert.strictEqual(readFileSync(errors, "utf8"), "")
    assert.match(terminal.screen, /Minimal risk/)
  })

  // Those after the test that wrote the result.
  for (const [title, args, shown] of [
    ["watch --once", () => ["watch", sandbox.targets.plain.address, "--once", ...of()], /^/],
    ["doctor", () => ["doctor", ...of()], /Endpoint 1 .*block/],
    ["verify", () => ["verify", result, ...of()], /\d+ of \d+ observed items agree/],
    ["explain", () => ["explain", "trade.honeypot"], /trade\.honeypot, version/]
  ] as const)
    it(`${title} ends by itself at the start of a line`, async () => {
      terminal = new Terminal(args())
      assert.include([0, 3], await terminal.ended, terminal.written)
      assert.match(terminal.screen, shown)
      assert.isTrue(terminal.isAtStart, terminal.written)
    })

  it("help is bold on a terminal, and plain with NO_COLOR", async () => {
    terminal = new Terminal(["--help"])
    assert.strictEqual(await terminal.ended, 0)
    assert.include(terminal.written, `${escape}[1mCommands:${escape}[0m`)
    terminal = new Terminal(["--help"], { NO_COLOR: "1" })
    assert.strictEqual(await terminal.ended, 0)
    assert.notInclude(terminal.written, escape)
  })

  it("Ctrl-C ends an analysis with 130 and without a report", async () => {
    terminal = new Terminal(analyze())
    await terminal.shows(isRunning)
    terminal.press(ctrlC)
    assert.strictEqual(await terminal.ended, 130, terminal.written)
    assert.notMatch(terminal.screen, /risk| checks[,:]/i)
    assert.isTrue(terminal.isAtStart)
  })

  it("SIGTERM ends an analysis with 143", async () => {
    terminal = new Terminal(analyze())
    await terminal.shows(isRunning)
    terminal.signal("SIGTERM")
    assert.strictEqual(await terminal.ended, 143, terminal.written)
  })

  it("Ctrl-C ends a watch well", async () => {
    terminal = new Terminal(["watch", sandbox.targets.plain.address, "--json", ...of()])
    await terminal.shows(/"change_report"/)
    terminal.press(ctrlC)
    assert.strictEqual(await terminal.ended, 0, terminal.written)
    assert.isTrue(terminal.isAtStart)
  })

  for (const [name, key] of [
    ["Ctrl-C", ctrlC],
    ["Ctrl-D", ctrlD]
  ] as const)
    it(`mcp says what it waits for, and ${name} ends it well`, async () => {
      terminal = new Terminal(["mcp", ...of()])
      await terminal.shows(/Ctrl-D ends it/)
      terminal.press(key)
      assert.strictEqual(await terminal.ended, 0, terminal.written)
    })
})
