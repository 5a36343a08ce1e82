import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** Modules that break a rule each, and one that breaks none. */
const imports: ReadonlyArray<readonly [module: string, imported: string, rule: string | undefined]> = [
  ["packages/core/src/evm/Ships.ts", "testing/adversary/src/Oracle.ts", "nobody-ships-the-adversary"],
  ["testing/adversary/src/Serves.ts", "packages/server/src/Server.ts", "adversary-knows-core-and-sandbox-only"],
  ["testing/adversary/src/Peeks.ts", "packages/core/src/checks/Honest.ts", "only-the-product-is-the-engine"],
  ["testing/adversary/src/Product.ts", "packages/core/src/checks/Honest.ts", undefined]
]

describe("the import rules of the adversary", () => {
  let folder = ""
  let found: ReadonlyArray<{ readonly from: string; readonly to: string; readonly rule: string }> = []

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "assay-boundaries-"))
    const write = (module: string, text: string): void => {
      const path = join(folder, module)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    for (const [, imported] of imports) write(imported, "export const it = 1\n")
    for (const [module, imported] of imports) {
      const up = "../".repeat(module.split("/").length - 1)
      write(module, `import { it } from "${up}${imported.replace(/\.ts$/, ".js")}"\nexport const other = it\n`)
    }
    copyFileSync(join(root, "tsconfig.base.json"), join(folder, "tsconfig.base.json"))
    const cruiser = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs")
    const config = join(root, ".dependency-cruiser.cjs")
    const { stdout } = spawnSync(
      process.execPath,
      [cruiser, "--config", config, "--output-type", "json", "packages", "testing"],
      { cwd: folder, encoding: "utf8", timeout: 50_000 }
    )
    const violations: ReadonlyArray<{
      readonly from: string
      readonly to: string
      readonly rule: { readonly name: string }
    }> = JSON.parse(stdout).summary.violations
    found = violations.map(({ from, rule, to }) => ({ from, to, rule: rule.name }))
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(imports)("%s that imports %s breaks %s", (module, imported, rule) => {
    const broken = found.filter(({ from, to }) => from === module && to === imported).map((violation) => violation.rule)
    const rules = [
      "nobody-ships-the-adversary",
      "adversary-knows-core-and-sandbox-only",
      "only-the-product-is-the-engine"
    ]
    assert.deepStrictEqual(
      rules.filter((name) => broken.includes(name)),
      rule === undefined ? [] : [rule]
    )
  })
})
