import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Sandbox, SharedSandbox, Targets } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Tier from "../../../test/Tier.js"
import { bin } from "./Bin.js"

const startScript = fileURLToPath(new URL("../../../scripts/start.mjs", import.meta.url))
const targetsScript = fileURLToPath(new URL("../../../scripts/targets.mjs", import.meta.url))
const sandboxScript = fileURLToPath(new URL("../../../scripts/sandbox.mjs", import.meta.url))
const openApi = fileURLToPath(new URL("../openapi.json", import.meta.url))

let directory: string
const running = new Set<ChildProcess>()

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "assay-server-"))
  writeFileSync(join(directory, "a-file"), "")
})

afterAll(() => {
  for (const child of running) child.kill("SIGKILL")
  rmSync(directory, { recursive: true, force: true })
})

/** A program with what it wrote so far, in a directory and an environment of its own. */
class Program {
  readonly child: ChildProcess
  output = ""
  errors = ""
  readonly ended: Promise<number | null>

  constructor(args: ReadonlyArray<string>, settings: Record<string, string>, command = process.execPath) {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(?:ASSAY_|VITEST|NODE_OPTIONS)/.test(name))
    this.child = spawn(command, args, {
      cwd: directory,
      env: { ...Object.fromEntries(inherited), ASSAY_PORT: "0", ...settings },
      stdio: ["ignore", "pipe", "pipe"]
    })
    running.add(this.child)
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.output += text
    })
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text
    })
    this.ended = once(this.child, "close").then(([code]) => {
      running.delete(this.child)
      return code
    })
  }

  /** The first match of a pattern in the output, when it comes. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output)
      if (found !== null) return found
      const over = this.ended.then((code) => {
        throw new Error(`ended with ${code}: ${this.output}${this.errors}`)
      })
      await Promise.race([once(this.child.stdout as NodeJS.EventEmitter, "data"), over])
    }
  }

  async origin(): Promise<string> {
    return (await this.says(/(http:\/\/127\.0\.0\.1:\d+)\/api\/v1\/docs/))[1] ?? ""
  }
}

const createKey = async (origin: string): Promise<string> => {
  const response = await fetch(`${origin}/api/v1/keys`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ label: "process test" })
  })
  return ((await response.json()) as { key: string }).key
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of any shape.
const read = async (origin: string, key: string, path: string): Promise<any> => {
  const response = await fetch(`${origin}/api/v1/${path}`, {
    headers: { connection: "close", authorization: `Bearer ${key}` }
  })
  assert.strictEqual(response.status, 200, `${path}: ${response.status}`)
  return response.json()
}

/** An endpoint before an endpoint, which holds every request back until it is let go. */
class Gate {
  readonly server: Server
  held = false
  private waiting: Array<() => void> = []
  readonly #reached: Promise<void>
  #reach: () => void = () => {}

  constructor(target: string) {
    this.#reached = new Promise((resolve) => {
      this.#reach = resolve
    })
    this.server = createServer((request: IncomingMessage, response: ServerResponse) => {
      void (async () => {
        const chunks: Array<Buffer> = []
        for await (const chunk of request) chunks.push(chunk as Buffer)
        if (this.held) {
          this.#reach()
          await new Promise<void>((resolve) => this.waiting.push(resolve))
        }
        const answer = await fetch(target, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: Buffer.concat(chunks)
        })
        response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text())
      })()
    })
  }

  async listen(): Promise<string> {
    this.server.listen(0, "127.0.0.1")
    await once(this.server, "listening")
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hunter2`
  }

  /** When the first request is held back. */
  get reached(): Promise<void> {
    return this.#reached
  }

  release(): void {
    this.held = false
    for (const go of this.waiting.splice(0)) go()
  }
}

const isOneLine = (text: string): boolean => /^[^\n]+\n$/.test(text)

describe.runIf(Tier.landing)("assay", () => {
  const refusals: ReadonlyArray<readonly [string, Record<string, string>, RegExp]> = [
    ["no chain", {}, /^assay: ASSAY_RPC_URLS: .*1=https:/],
    [
      "a port that is none",
      { ASSAY_RPC_URLS: "1=http://127.0.0.1:1/hunter2", ASSAY_PORT: "x" },
      /^assay: ASSAY_PORT: /
    ],
    [
      "a setting that is misspelled",
      { ASSAY_RPC_URLS: "1=http://127.0.0.1:1/hunter2", ASSAY_DATBASE: "hunter2" },
      /^assay: ASSAY_DATBASE: .*ASSAY_DATABASE/
    ],
    [
      "a database that cannot be opened",
      { ASSAY_RPC_URLS: "1=http://127.0.0.1:1/hunter2", ASSAY_DATABASE: "sqlite:./a-file/assay.db" },
      /^assay: ASSAY_DATABASE: /
    ]
  ]
  for (const [title, settings, expected] of refusals)
    it(`serve refuses to start with ${title}, in one line that names the setting`, async () => {
      const program = new Program([bin, "serve"], settings)
      assert.strictEqual(await program.ended, 1)
      assert.match(program.errors, expected)
      assert.isTrue(isOneLine(program.errors), program.errors)
      assert.strictEqual(program.output, "")
      assert.notInclude(program.errors, "hunter2")
    })

  it("serve refuses to start on a port in use, in one line that names the setting", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const program = new Program([bin, "serve"], {
      ASSAY_RPC_URLS: "1=http://127.0.0.1:1/hunter2",
      ASSAY_DATABASE: "memory:",
      ASSAY_PORT: String((other.address() as AddressInfo).port)
    })
    assert.strictEqual(await program.ended, 1)
    assert.match(program.errors, /^assay: ASSAY_PORT: /)
    assert.isTrue(isOneLine(program.errors), program.errors)
    other.close()
  })

  it("serve warns of unknown settings, ignores those of Kubernetes, and drains before it closes its port", async () => {
    const program = new Program([bin, "serve"], {
      ASSAY_RPC_URLS: "1=http://127.0.0.1:1/hunter2",
      ASSAY_DATABASE: "memory:",
      ASSAY_COLOUR: "red",
      ASSAY_SERVICE_HOST: "10.0.0.1",
      ASSAY_PORT_8787_TCP: "tcp://10.0.0.1:8787"
    })
    const origin = await program.origin()
    await program.says(/There are no such settings: ASSAY_COLOUR"/)
    program.child.kill("SIGTERM")
    await program.says(/Stopping: new requests get 503 draining/)
    const statuses: Array<number | undefined> = []
    for (let status: number | undefined = 0; status !== undefined; ) {
      status = await fetch(`${origin}/api/v1/health/ready`).then(
        (response) => response.status,
        () => undefined
      )
      statuses.push(status)
    }
    assert.include(statuses, 503)
    assert.strictEqual(await program.ended, 0)
  })

  it("serve keeps webhook secrets encrypted, and does not start without the key that encrypted them", async () => {
    const settings = { ASSAY_RPC_URLS: "1=http://127.0.0.1:1/hunter2", ASSAY_DATABASE: "sqlite:./sealed/assay.db" }
    const database = join(directory, "sealed", "assay.db")
    const program = new Program([bin, "serve"], { ...settings, ASSAY_WEBHOOKS_ALLOW_PRIVATE: "on" })
    const origin = await program.origin()
    const key = await createKey(origin)
    const created = await fetch(`${origin}/api/v1/webhooks`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ url: "https://127.0.0.1:9/" })
    })
    const { secret } = (await created.json()) as { secret: string }
    assert.match(secret, /^whsec_/)
    program.child.kill("SIGTERM")
    assert.strictEqual(await program.ended, 0)
    assert.notInclude(readFileSync(database, "latin1"), secret)
    rmSync(`${database}.secrets-key`)
    const locked = new Program([bin, "serve"], settings)
    assert.strictEqual(await locked.ended, 1)
    assert.match(locked.errors, /^assay: ASSAY_SECRETS_KEY: .*another key/)
    assert.isTrue(isOneLine(locked.errors), locked.errors)
  })

  it("says how it is used, and refuses an unknown command", async () => {
    const help = new Program([bin, "--help"], {})
    assert.strictEqual(await help.ended, 0)
    assert.match(help.output, /^ +serve +Serves the HTTP API/m)
    const unknown = new Program([bin, "sevre"], {})
    // 2 says that a level was reached.
    assert.strictEqual(await unknown.ended, 1)
    assert.include(unknown.errors, "sevre")
  })

  it("on SIGTERM a request in flight gets its result, the unit is committed, and no secret was logged", async () => {
    const sandbox = await SharedSandbox.take()
    const gate = new Gate(sandbox.url)
    const settings = {
      ASSAY_RPC_URLS: `31337=${await gate.listen()}`,
      ASSAY_DATABASE: "sqlite:./sigterm.db",
      // However slow the machine is.
      ASSAY_SHUTDOWN_SECONDS: "600",
      ASSAY_LOG_LEVEL: "debug"
    }
    const first = new Program([bin, "serve"], settings)
    const origin = await first.origin()
    const key = await createKey(origin)
    gate.held = true
    const answer = read(origin, key, `token/${sandbox.targets.plain.address}?chain=sandbox`)
    await gate.reached
    first.child.kill("SIGTERM")
    await assertRefusesConnections(origin)
    gate.release()
    const result = await answer
    assert.include(["complete", "partial"], result.status)
    assert.strictEqual(await first.ended, 0)

    const log = first.output + first.errors
    for (const secret of [key, key.slice(4, 40), "hunter2", "chain=sandbox", "Bearer"]) assert.notInclude(log, secret)
    const lines = first.output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const line = lines.find(({ annotations }) => annotations.route === "/api/v1/token/:address")
    assert.deepInclude(line.annotations, { method: "GET", status: 200 })
    assert.match(line.annotations.request_id, /^req_/)
    assert.match(line.annotations.key_id, /^key_/)

    const second = new Program([bin, "serve"], settings)
    const again = await second.origin()
    assert.deepStrictEqual(await read(again, key, `executions/${result.execution_id}`), result)
    assert.deepInclude(await read(again, key, "usage"), { used: 1, reserved: 0, remaining: 49 })
    second.child.kill("SIGTERM")
    assert.strictEqual(await second.ended, 0)
    gate.server.close()
  })
})

const assertRefusesConnections = async (origin: string): Promise<void> => {
  for (;;) {
    try {
      await fetch(`${origin}/api/v1/health/live`, { headers: { connection: "close" } })
    } catch {
      return
    }
  }
}

/** What a shell prints for pasted lines. */
const paste = async (lines: string): Promise<string> => {
  const shell = spawn("sh", ["-c", lines], { stdio: ["ignore", "pipe", "inherit"] })
  let output = ""
  for await (const chunk of shell.stdout.setEncoding("utf8")) output += chunk
  return output
}

// The first test bundles and builds, as on a fresh checkout; what this checkout has is neither used nor changed.
describe.runIf(Tier.landing)("npm start", () => {
  const start = (settings: Record<string, string> = {}) =>
    new Program([startScript], { ASSAY_CACHE: join(directory, "cache"), ...settings })

  const isReady = (program: Program) => program.says(/^All settings: .*\n/m)

  it("serves a sandbox chain, and prints at most 25 lines, of which all can be pasted", async () => {
    const program = start()
    await isReady(program)
    assert.match(program.output, /^Bundling .*\nBuilding the sandbox chain \(31337\)/)
    assert.isAtMost(program.output.trimEnd().split("\n").length, 25)
    const printed = program.output.split("\n").filter((line) => !line.startsWith("{"))
    assert.deepStrictEqual(
      printed.filter((line) => line.length > 100),
      []
    )
    const origin = await program.origin()
    assert.match(program.output, /^All \d+ targets: http\S+ in a browser, or npm run targets$/m)
    assert.include(program.output, "README.md")

    const setUp = /^API=.*\nKEY=.*\n.*\nAUTH=.*$/m.exec(program.output)?.[0] ?? ""
    const key = await paste(`${setUp}\nprintf %s "$KEY"`)
    assert.match(key, /^asy_[0-9A-Za-z]{38}$/)
    const curls = [...program.output.matchAll(/^(\w+): .*\n(curl .*)$/gm)]
    assert.deepStrictEqual(
      curls.map(([, name]) => name),
      [...Targets.first]
    )
    for (const [, , line] of curls) {
      // The same names in the shell of whoever has pasted the lines before.
      const named = setUp.replace(/^KEY=[\s\S]*?(?=\nAUTH=)/m, `KEY=${key}`)
      assert.match(await paste(`${named}\n${line}`), /^(?:Token|Wallet|Contract) .*0x\w{40}\n/)
    }
    const { data } = await read(origin, key, "executions")
    assert.deepStrictEqual(
      data.map(({ target }: { target: string }) => target),
      ["contract", "wallet", "token"]
    )
    for (const { execution_id } of data) {
      const result = await read(origin, key, `executions/${execution_id}`)
      assert.deepInclude(result.chain, { id: 31_337, name: "sandbox" })
      assert.strictEqual(result.change_report.status, "baseline")
      assert.isAbove(result.evidence.length, 0)
    }
    assert.deepInclude(await read(origin, key, "usage"), { used: 3, remaining: 47 })

    const page = await (await fetch(origin)).text()
    for (const { address, name } of Object.values(await Sandbox.targets())) {
      assert.include(page, address)
      assert.include(page, name)
    }
    const answer = await read(origin, key, `address/${/0x\w{40}/.exec(curls[1]?.[2] ?? "")?.[0]}`)
    assert.strictEqual(answer.target, "wallet")
    assert.deepInclude(await read(origin, key, "usage"), { used: 4, remaining: 46 })

    const document = await fetch(`${origin}/api/v1/openapi.json`)
    assert.deepStrictEqual(await document.json(), JSON.parse(readFileSync(openApi, "utf8")))
    assert.include(await (await fetch(`${origin}/api/v1/docs`)).text(), "SwaggerUIBundle")
    program.child.kill("SIGINT")
    assert.strictEqual(await program.ended, 0)
  })

  it("takes the saved chain at the next start, and finds yesterday's data unchanged", async () => {
    const first = start({ ASSAY_DATABASE: "sqlite:./yesterday.db" })
    await isReady(first)
    const origin = await first.origin()
    const key = await createKey(origin)
    const path = /\$API\/(token\/0x\w+)$/m.exec(first.output)?.[1] ?? ""
    const result = await read(origin, key, path)
    assert.strictEqual(result.target, "token")
    const list = await read(origin, key, "executions")
    assert.deepStrictEqual(
      list.data.map((stub: Record<string, string>) => stub.execution_id),
      [result.execution_id]
    )
    const repeated = await read(origin, key, path)
    assert.strictEqual(repeated.change_report.status, "unchanged")
    assert.strictEqual(repeated.content_hash, result.content_hash)
    assert.deepStrictEqual(
      await read(origin, key, `executions/${repeated.execution_id}/changes?base=${result.execution_id}`),
      repeated.change_report
    )
    first.child.kill("SIGTERM")
    assert.strictEqual(await first.ended, 0)

    const second = start({ ASSAY_DATABASE: "sqlite:./yesterday.db" })
    await isReady(second)
    assert.match(second.output, /^Loading the sandbox chain/)
    assert.notMatch(second.output, /^(?:Bundling|Building)/m)
    assert.isAtMost(second.output.trimEnd().split("\n").length, 25)
    const later = await read(await second.origin(), key, path)
    assert.strictEqual(later.change_report.status, "unchanged")
    assert.strictEqual(later.change_report.base.execution_id, repeated.execution_id)
    second.child.kill("SIGINT")
    assert.strictEqual(await second.ended, 0)
  })

  it("serves the chains of ASSAY_RPC_URLS, and starts none", async () => {
    const program = start({ ASSAY_RPC_URLS: "1=http://127.0.0.1:1/hunter2", ASSAY_DATABASE: "memory:" })
    await isReady(program)
    assert.notInclude(program.output, "sandbox chain")
    assert.match(program.output, /^KEY=/m)
    assert.match(program.output, /^curl .*\$API\/address\/0x…$/m)
    assert.notInclude(program.output, "hunter2")
    assert.deepStrictEqual(await descendants(program.child.pid ?? 0), [])
    program.child.kill("SIGTERM")
    assert.strictEqual(await program.ended, 0)
  })

  it("has a command that prints every target without a chain", async () => {
    const program = new Program([targetsScript], { ASSAY_CACHE: join(directory, "cache") })
    assert.strictEqual(await program.ended, 0)
    const printed = program.output.split("\n").filter((line) => line.includes("0x"))
    const expected = Object.values(await Sandbox.targets()).map(
      ({ address, description, kind, name }) => `${kind}/${address}  ${name}: ${description}`
    )
    assert.deepStrictEqual(printed.sort(), expected.sort())
  })

  // npm hands a signal to the shell between alone, which dies of it.
  it("ends well when the shell is ended by which npm started it", async () => {
    const settings = {
      ASSAY_CACHE: join(directory, "cache"),
      ASSAY_RPC_URLS: "1=http://127.0.0.1:1/",
      ASSAY_DATABASE: "memory:",
      npm_lifecycle_event: "start"
    }
    const shell = new Program(["-c", `"${process.execPath}" "${startScript}"; exit 7`], settings, "sh")
    await isReady(shell)
    shell.child.kill("SIGTERM")
    // The streams close when the last process is gone that has them.
    await shell.ended
    assert.match(shell.output, /Stopping: new requests get 503 draining/)
  })

  it("the chain ends with a server that is killed", async () => {
    const program = start({ ASSAY_DATABASE: "memory:" })
    await isReady(program)
    const children = await descendants(program.child.pid ?? 0)
    assert.isAtLeast(children.length, 2)
    program.child.kill("SIGKILL")
    const left = async () => (await processes()).filter(({ id }) => children.includes(id))
    await vi.waitFor(async () => assert.deepStrictEqual(await left(), []), { timeout: 120_000 })
  })
})

describe.runIf(Tier.landing)("npm run sandbox", () => {
  const sandbox = (PORT: string) => new Program([sandboxScript], { ASSAY_CACHE: join(directory, "cache"), PORT })

  it("serves the chain alone with its history on PORT, prints every target, and ends with 0 on SIGINT", async () => {
    const program = sandbox("0")
    const url = (await program.says(/^(http:\/\/127\.0\.0\.1:\d+), chain 31337, block/m))[1] ?? ""
    await program.says(/^Ctrl-C ends it\.$/m)
    const targets = Object.values(await Sandbox.targets())
    assert.deepStrictEqual(
      targets.filter(({ address, name }) => !new RegExp(`^${address} .* ${name} `, "m").test(program.output)),
      []
    )
    const [first] = targets
    const { result } = (await post(url, "eth_getBalance", [first?.address, "0x1"])) as { result?: string }
    assert.match(result ?? "", /^0x/)
    program.child.kill("SIGINT")
    assert.strictEqual(await program.ended, 0)
    assert.strictEqual(program.errors, "")
  })

  it("refuses a port that is none and one in use in one line", async () => {
    const none = sandbox("x")
    assert.strictEqual(await none.ended, 1)
    assert.match(none.errors, /^assay: PORT: [^\n]+\n$/)
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const taken = sandbox(String((other.address() as AddressInfo).port))
    assert.strictEqual(await taken.ended, 1)
    assert.match(taken.errors, /^assay: the sandbox chain: [^\n]+\n$/)
    other.close()
  })
})

const post = async (url: string, method: string, params: ReadonlyArray<unknown>): Promise<unknown> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  return (await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })).json()
}

/** The processes that run, and who started each; not those that have ended and only wait for their parent to notice. */
const processes = async () => {
  const list = spawn("ps", ["-A", "-o", "pid=,ppid=,stat="], { stdio: ["ignore", "pipe", "inherit"] })
  let text = ""
  for await (const chunk of list.stdout.setEncoding("utf8")) text += chunk
  return text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => !state?.startsWith("Z"))
    .map(([id, parent]) => ({ id: Number(id), parent: Number(parent) }))
}

const descendants = async (pid: number): Promise<ReadonlyArray<number>> => {
  const all = await processes()
  const found = [pid]
  for (const one of found) found.push(...all.filter(({ parent }) => parent === one).map(({ id }) => id))
  return found.slice(1)
}
