import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, createServer as createNode } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { SharedSandbox } from "@assay/sandbox"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../test/Tier.js"

const run = (name: string, ...args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, [path(`../dist/${name}.js`), ...args])

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

describe("examples/embed", () => {
  let sandbox: SharedSandbox.SharedSandbox
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })

  it.runIf(Tier.landing)("analyses a token against the built packages, without a server", async () => {
    const { stdout } = await run("main", sandbox.url, sandbox.targets.honeypot.address)
    assert.match(stdout, /0 of 100, critical risk/)
    assert.match(stdout, /^confirmed trade\.honeypot: /m)
  })

  it.runIf(Tier.landing)("runs a check of its own", async () => {
    const { stdout } = await run("check", sandbox.url, sandbox.targets.approver.address)
    assert.match(stdout, /^(?:confirmed|refuted) acme\.rich it holds \d+ wei\n$/)
  })

  it.runIf(Tier.landing)("reports on an address, and says in one line why it cannot", async () => {
    const { stdout } = await run("analyze", sandbox.url, sandbox.targets.honeypot.address)
    assert.match(stdout, /critical/i)
    const { stderr } = await run("analyze", "http://127.0.0.1:1", sandbox.targets.honeypot.address)
    assert.match(stderr, /^endpoint_unreachable: Endpoint 1 of [^\n]+ It may work later\.\n$/)
  })

  it.runIf(Tier.landing)("reads a source of its own, and what that does not answer is unknown", async () => {
    const { address } = sandbox.targets.honeypot
    const registry = createServer(({ url }, response) => {
      if (url === `/31337/${address}`) response.end('{ "reports": 3 }')
      else response.writeHead(503).end("down")
    }).listen(0, "127.0.0.1")
    await once(registry, "listening")
    const base = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
    const found = async (at: string) => (await run("source", sandbox.url, at, address)).stdout
    assert.strictEqual(await found(base), "confirmed acme.reported - the registry has 3 reports\n")
    assert.match(await found(`${base}/elsewhere`), /^unknown acme\.reported source_unavailable /)
    registry.close()
  })

  it.runIf(Tier.landing)("reads a chain over a transport of its own", async () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-ipc-"))
    const file = join(folder, "node.ipc")
    const node = createNode((socket) => {
      socket.setEncoding("utf8").on("error", () => {})
      let text = ""
      socket.on("data", async (piece) => {
        text += piece
        if (!/[}\]]$/.test(text)) return
        const body = text
        text = ""
        const headers = { "content-type": "application/json" }
        const answer = await (await fetch(sandbox.url, { method: "POST", headers, body })).text()
        // In pieces, as a socket gives it.
        const half = answer.lastIndexOf("}", answer.length - 2) + 1
        socket.write(answer.slice(0, half))
        setImmediate(() => socket.write(answer.slice(half)))
      })
    }).listen(file)
    await once(node, "listening")
    const { stdout } = await run("transport", `ipc://${file}`, sandbox.targets.honeypot.address)
    assert.match(stdout, /^\w+: critical risk\n$/)
    node.close()
    rmSync(folder, { recursive: true })
  })

  it("is what the guides and the README show", () => {
    for (const [guide, names] of Object.entries({
      "docs/guides/add-a-source-or-a-transport.md": ["source", "transport"],
      "docs/guides/embed-with-effect.md": ["analyze", "main"],
      "docs/guides/write-a-check.md": ["check"],
      "README.md": ["main"]
    }))
      for (const name of names)
        assert.include(
          readFileSync(path(`../../../${guide}`), "utf8"),
          `\`\`\`ts\n${readFileSync(path(`../src/${name}.ts`), "utf8")}\`\`\``,
          guide
        )
  })
})
