import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { SharedSandbox } from "@assay/sandbox"
import { type AssayError, createAssay } from "@assay/sdk"
import { build } from "esbuild"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../test/Tier.js"

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const chromium = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((file) => existsSync(file))
const types: { readonly [extension: string]: string } = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm"
}

interface Outcome {
  readonly hash?: string
  readonly code?: string
  readonly message?: string
}

describe("in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-browser-"))
  // As tsc built it: what a user installs.
  const bundled = build({
    stdin: { contents: 'export { createAssay } from "@assay/sdk"', resolveDir: path("../../../examples/sdk") },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    outdir: folder,
    logLevel: "silent"
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it("the bundle needs nothing of Node.js", async () => {
    assert.deepStrictEqual((await bundled).errors, [])
  })

  describe.runIf(Tier.landing && chromium !== undefined)("Chromium", () => {
    let sandbox: SharedSandbox.SharedSandbox
    let page: Server
    let ended: (outcome: Outcome) => void
    let hasWasm = true
    beforeAll(async () => {
      await bundled
      sandbox = await SharedSandbox.take()
      page = createServer((request, response) => {
        if (request.method === "POST") {
          let body = ""
          request.on("data", (chunk) => {
            body += chunk
          })
          request.on("end", () => {
            response.end()
            ended(JSON.parse(body))
          })
          return
        }
        const name = request.url === "/" ? "/page.html" : (request.url ?? "")
        const file = name.endsWith(".wasm")
          ? path("../../../node_modules/evmole/dist/evmole_bg.wasm")
          : join(folder, name)
        if (name !== "/page.html" && (!existsSync(file) || (name.endsWith(".wasm") && !hasWasm))) {
          response.writeHead(404).end()
          return
        }
        response.setHeader("content-type", types[extname(name)] ?? "text/plain")
        response.end(name === "/page.html" ? html() : readFileSync(file))
      }).listen(0, "127.0.0.1")
      await new Promise((resolve) => page.once("listening", resolve))
    })
    afterAll(() => new Promise((resolve) => page.close(resolve)))

    const html = () => `<!doctype html><script type="module">
      const post = (outcome) => fetch("/", { method: "POST", body: JSON.stringify(outcome) })
      try {
        const { createAssay } = await import("./stdin.js")
        const assay = createAssay({ chains: { local: { id: 31337, endpoints: "${sandbox.url}", addressBook: 1 } } })
        const analysis = await assay.analyze({ address: "${sandbox.targets.plain.address}", kind: "token" })
        await post({ hash: analysis.content_hash })
      } catch ({ code, message }) { await post({ code, message }) }
    </script>`

    const opened = async (): Promise<Outcome> => {
      const outcome = new Promise<Outcome>((resolve) => {
        ended = resolve
      })
      const profile = mkdtempSync(join(tmpdir(), "assay-chromium-"))
      const { port } = page.address() as AddressInfo
      const args = ["--headless=new", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`]
      const browser = spawn(chromium ?? "", [...args, `http://127.0.0.1:${port}/`], { stdio: "ignore", detached: true })
      try {
        return await outcome
      } finally {
        const gone = new Promise((resolve) => browser.once("close", resolve))
        // With its own processes, which write into the profile as long as they live.
        if (browser.pid !== undefined) process.kill(-browser.pid, "SIGKILL")
        await gone
        rmSync(profile, { recursive: true, force: true, maxRetries: 30 })
      }
    }

    it("gives the hash that Node.js gives", async () => {
      const assay = createAssay({ chains: { local: { id: 31_337, endpoints: sandbox.url, addressBook: 1 } } })
      const here = await assay.analyze({ address: sandbox.targets.plain.address, kind: "token" })
      await assay.close()
      assert.deepStrictEqual(await opened(), { hash: here.content_hash })
    })

    it("says what is missing where the bundle has no WebAssembly of evmole", async () => {
      hasWasm = false
      const { code, message = "" } = await opened()
      assert.strictEqual(code, "engine_incomplete" satisfies AssayError["code"])
      assert.match(message, /evmole/)
    })
  })
})
