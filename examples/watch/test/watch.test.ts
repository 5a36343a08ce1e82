import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { SharedSandbox } from "@assay/sandbox"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../test/Tier.js"

describe.runIf(Tier.landing)("examples/watch", () => {
  let sandbox: SharedSandbox.SharedSandbox
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })

  it("checks a token against the built packages, reports it, and ends on a signal", async () => {
    const main = fileURLToPath(new URL("../dist/main.js", import.meta.url))
    const watching = spawn(process.execPath, [main, sandbox.url, sandbox.targets.mintable.address])
    const [line] = await once(createInterface(watching.stdout), "line")
    assert.match(line, /^\d{4}-\d\d-\d\dT\S+ watch\.checked/)
    watching.kill("SIGTERM")
    assert.deepStrictEqual(await once(watching, "exit"), [0, null])
  })
})
