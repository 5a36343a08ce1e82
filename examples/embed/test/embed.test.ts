import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { SharedSandbox } from "@assay/sandbox"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../test/Tier.js"

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

describe("examples/embed", () => {
  let sandbox: SharedSandbox.SharedSandbox
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })

  it.runIf(Tier.landing)("analyses a token against the built packages, without a server", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      path("../dist/main.js"),
      sandbox.url,
      sandbox.targets.honeypot.address
    ])
    assert.match(stdout, /0 of 100, critical risk/)
    assert.match(stdout, /^confirmed trade\.honeypot: /m)
  })

  it.runIf(Tier.landing)("runs a check of its own", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      path("../dist/check.js"),
      sandbox.url,
      sandbox.targets.approver.address
    ])
    assert.match(stdout, /^(?:confirmed|refuted) acme\.rich it holds \d+ wei\n$/)
  })

  it("is what the guide to checks shows", () => {
    assert.include(
      readFileSync(path("../../../docs/guides/write-a-check.md"), "utf8"),
      readFileSync(path("../src/check.ts"), "utf8")
    )
  })

  it("is what the README shows", () => {
    assert.include(readFileSync(path("../../../README.md"), "utf8"), readFileSync(path("../src/main.ts"), "utf8"))
  })
})
