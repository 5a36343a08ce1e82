import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Anvil } from "@assay/sandbox"
import typescript from "typescript"
import { assert, describe, it, onTestFinished, vi } from "vitest"

const answers = (url: string): Promise<boolean> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })
  }).then(
    (response) => response.ok,
    () => false
  )

/** Whether a process runs; one that has ended and only waits for its parent to notice does not. */
const runs = (pid: number): boolean => {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" })
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z")
}

const folder = fileURLToPath(new URL("../..", import.meta.url))

/** A process of its own that starts a chain and then does nothing. */
const startParent = async (afterwards: string) => {
  const { outputText } = typescript.transpileModule(readFileSync(`${folder}/src/chain/Anvil.ts`, "utf8"), {
    compilerOptions: { module: typescript.ModuleKind.ESNext, target: typescript.ScriptTarget.ES2022 }
  })
  const program = `${outputText}
const { url, pid } = await start()
console.log(JSON.stringify({ url, pid }))
${afterwards}`
  const temporary = mkdtempSync(join(tmpdir(), "assay-anvil-parent-"))
  onTestFinished(() => rmSync(temporary, { recursive: true }))
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary, TEMP: temporary },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [line] = await once(createInterface(parent.stdout), "line")
  const chain = JSON.parse(String(line)) as { readonly url: string; readonly pid: number }
  return { parent, states: () => readdirSync(temporary), ...chain }
}

// Bounds a wait, and is no promise of how long something takes.
const patience = { timeout: 120_000, interval: 20 }

const ends = (url: string) => vi.waitFor(async () => assert.isFalse(await answers(url)), patience)

describe("Anvil", () => {
  for (const signal of ["SIGKILL", "SIGTERM", "SIGINT"] as const) {
    it(`ends after its parent is ended by ${signal}, and leaves nothing behind`, async () => {
      const { parent, url, pid, states } = await startParent("setInterval(() => {}, 1_000)")
      assert.isTrue(await answers(url))
      assert.strictEqual(states().length, 1)
      parent.kill(signal)
      await ends(url)
      await vi.waitFor(() => assert.isFalse(runs(pid)), patience)
      assert.deepStrictEqual(states(), [])
    })
  }

  it("does not keep its parent alive, and ends with it", async () => {
    const { parent, url } = await startParent("setTimeout(() => {}, 300)")
    const [code] = await once(parent, "exit")
    assert.strictEqual(code, 0)
    await ends(url)
  })

  it("stops, and stops again without complaint", async () => {
    const anvil = await Anvil.start()
    assert.isTrue(await answers(anvil.url))
    await Promise.all([anvil.stop(), anvil.stop()])
    await anvil.stop()
    await anvil.ended
    assert.isFalse(await answers(anvil.url))
  })

  it("says that its port is taken", async () => {
    const anvil = await Anvil.start()
    try {
      const message = await Anvil.start({ port: anvil.port }).then(
        () => "",
        (error: Error) => error.message
      )
      assert.match(message, /^anvil ended at its start \(exit code 1\): .*in use/i)
    } finally {
      await anvil.stop()
    }
  })

  it("resolves `ended` when the chain ends by itself", async () => {
    const anvil = await Anvil.start()
    process.kill(anvil.pid, "SIGTERM")
    await anvil.ended
    assert.isFalse(await answers(anvil.url))
    await anvil.stop()
  })
})
