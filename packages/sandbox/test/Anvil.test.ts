import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Anvil } from "@assay/sandbox"
import typescript from "typescript"
import { assert, describe, it } from "vitest"

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

const folder = fileURLToPath(new URL("..", import.meta.url))

/** A process of its own that starts a chain and then does nothing. */
const startParent = async (afterwards: string) => {
  const { outputText } = typescript.transpileModule(readFileSync(`${folder}/src/Anvil.ts`, "utf8"), {
    compilerOptions: { module: typescript.ModuleKind.ESNext, target: typescript.ScriptTarget.ES2022 }
  })
  const program = `${outputText}
const { url, pid } = await start()
console.log(JSON.stringify({ url, pid }))
${afterwards}`
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [line] = await once(createInterface(parent.stdout), "line")
  const chain = JSON.parse(String(line)) as { readonly url: string; readonly pid: number }
  return { parent, ...chain }
}

describe("Anvil", () => {
  for (const signal of ["SIGKILL", "SIGTERM", "SIGINT"] as const) {
    it(`ends within two seconds after its parent is ended by ${signal}`, async () => {
      const { parent, url, pid } = await startParent("setInterval(() => {}, 1_000)")
      assert.isTrue(await answers(url))
      parent.kill(signal)
      const deadline = Date.now() + 2_000
      while (Date.now() < deadline && ((await answers(url)) || runs(pid))) await setTimeout(20)
      assert.isFalse(await answers(url))
      assert.isFalse(runs(pid))
    })
  }

  it("does not keep its parent alive, and ends with it", async () => {
    const { parent, url } = await startParent("setTimeout(() => {}, 300)")
    const [code] = await once(parent, "exit")
    assert.strictEqual(code, 0)
    const deadline = Date.now() + 2_000
    while (Date.now() < deadline && (await answers(url))) await setTimeout(20)
    assert.isFalse(await answers(url))
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
