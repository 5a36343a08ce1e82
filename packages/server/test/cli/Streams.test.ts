import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { bin } from "../Bin.js"

// A pipe with a reader that has gone before the program after it starts.
const output = 'exec > >(exec true); wait $!; exec "$@"'
const errors = 'exec 2> >(exec true); wait $!; exec "$@"'
// The reader takes the first line.
const log = 'exec > >(exec head -n 1); exec "$@"'

describe.runIf(Tier.landing)("the streams of the command", () => {
  let sandbox: SharedSandbox.SharedSandbox
  const folder = mkdtempSync(join(tmpdir(), "assay-streams-"))
  const running = new Set<ChildProcess>()
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    const made = await run('exec "$@"', ["keys", "create", "someone", "--database", database])
    assert.strictEqual(made.code, 0, made.errors)
    const args = ["analyze", sandbox.targets.plain.address, "--full", "--json", "--rpc", sandbox.url]
    writeFileSync(result, (await run('exec "$@"', args)).output)
  })
  afterAll(() => {
    for (const child of running) child.kill("SIGKILL")
    rmSync(folder, { recursive: true })
  })

  /** The command in the place of a shell that has laid its streams. */
  const start = (shell: string, args: ReadonlyArray<string>, settings: Readonly<Record<string, string>> = {}) => {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(?:ASSAY_|VITEST|NODE_OPTIONS)/.test(name))
    const child = spawn("bash", ["-c", shell, "assay", process.execPath, bin, ...args], {
      cwd: folder,
      env: { ...Object.fromEntries(inherited), ...settings },
      stdio: ["ignore", "pipe", "pipe"]
    })
    running.add(child)
    const ended = once(child, "exit").then(([code]) => code as number | null)
    return { child, ended, output: text(child.stdout), errors: text(child.stderr) }
  }

  const run = async (...args: Parameters<typeof start>) => {
    const { ended, errors, output } = start(...args)
    return { code: await ended, output: await output, errors: await errors }
  }

  const database = join(folder, "keys.db")
  const result = join(folder, "result.json")
  const commands: ReadonlyArray<(address: string, of: ReadonlyArray<string>) => ReadonlyArray<string>> = [
    () => ["--help"],
    () => ["--version"],
    () => ["--completions", "bash"],
    (address, of) => ["analyze", address, ...of],
    () => ["backup", join(folder, "copy.db"), "--database", database],
    () => ["diff", result, result],
    (_, of) => ["doctor", ...of],
    () => ["explain", "trade.honeypot"],
    () => ["keys", "create", "another", "--database", database],
    () => ["keys", "list", "--database", database],
    (_, of) => ["verify", result, ...of],
    (address, of) => ["watch", address, "--count", "1", "--json", ...of],
    // Ends with 0 when it is interrupted, and was not.
    (address, of) => ["watch", address, "--json", ...of]
  ]
  for (const command of commands)
    it(`a reader that has left ends ${wordsOf(command("", []))} with 141, and without a word`, async () => {
      const args = command(sandbox.targets.plain.address, ["--rpc", sandbox.url])
      const { code, errors } = await run(output, args)
      assert.deepStrictEqual({ code, errors }, { code: 141, errors: "" })
    })

  it("no target is analysed for a reader that has left", async () => {
    const [first, second] = [sandbox.targets.plain.address, sandbox.targets.honeypot.address]
    // Whoever reads the second target waits for ever.
    const endpoint = createServer(async (request, response) => {
      const body = await text(request)
      if (body.toLowerCase().includes(second.slice(2).toLowerCase())) return
      const answer = await fetch(sandbox.url, { method: "POST", headers: { "content-type": "application/json" }, body })
      response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text())
    }).listen(0, "127.0.0.1")
    await once(endpoint, "listening")
    const rpc = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`
    const ended = await run(output, ["analyze", first, second, "--json", "--rpc", rpc])
    assert.deepInclude(ended, { code: 141, errors: "" })
    endpoint.closeAllConnections()
    endpoint.close()
  })

  it("a reader that leaves in the middle of a document gets what it took", async () => {
    const ended = await run('"$@" | head -c 100; exit $PIPESTATUS', [
      "analyze",
      sandbox.targets.plain.address,
      "--full",
      "--json",
      "--rpc",
      sandbox.url
    ])
    assert.deepInclude(ended, { code: 141, errors: "" })
    assert.match(ended.output, /^\{"target"/)
    assert.lengthOf(ended.output, 100)
  })

  it("a result is whole and its code the same where nobody reads standard error", async () => {
    const args = ["analyze", sandbox.targets.plain.address, "0x12", "--json", "--rpc", sandbox.url]
    const whole = await run('exec "$@"', args)
    assert.match(whole.errors, /"0x12" is no address/)
    const { code, output } = await run(errors, args)
    assert.deepStrictEqual({ code, output }, { code: whole.code, output: whole.output })
  })

  it("output that cannot be written is an error in one line", async () => {
    const ended = await run('exec "$@" > /dev/full', ["explain", "trade.honeypot"])
    assert.deepInclude(ended, { code: 1, errors: "assay: standard output cannot be written (ENOSPC)\n" })
  })

  for (const [stream, shell, settings] of [
    ["log", log, {}],
    // Node.js writes about each request to standard error.
    ["standard error", errors, { NODE_DEBUG: "http" }]
  ] as const)
    it(`a server serves on when the reader of its ${stream} has left`, async () => {
      const server = start(shell, ["serve"], {
        ASSAY_RPC_URLS: "1=http://127.0.0.1:1",
        ASSAY_DATABASE: "memory:",
        ASSAY_PORT: "0",
        ...settings
      })
      const [, origin] = /(http:\/\/[\d.:]+)/.exec(await firstLine(server.child)) ?? []
      if (stream === "log") await server.output
      // Each is a line of the log, and the server goes on after the line before.
      for (let i = 0; i < 3; i++) {
        const answer = await fetch(`${origin}/api/v1/no-such-page`)
        assert.strictEqual(answer.status, 404)
        await answer.text()
      }
      server.child.kill("SIGTERM")
      assert.strictEqual(await server.ended, 0)
    })
})

/** What of a command is not an address or a file. */
const wordsOf = (args: ReadonlyArray<string>): string => args.filter((word) => /^[a-z-]+$/.test(word)).join(" ")

const firstLine = async (child: ChildProcess): Promise<string> => {
  let written = ""
  child.stdout?.on("data", (chunk) => {
    written += chunk
  })
  while (!written.includes("\n")) await once(child.stdout as NodeJS.EventEmitter, "data")
  return written
}
