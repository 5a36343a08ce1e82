import { spawnSync } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

interface Side {
  readonly path?: string | ReadonlyArray<string>
  readonly pathNot?: string
  readonly circular?: boolean
  readonly couldNotResolve?: boolean
}
const { forbidden } = createRequire(import.meta.url)("../.dependency-cruiser.cjs") as {
  readonly forbidden: ReadonlyArray<{ readonly name: string; readonly from: Side; readonly to: Side }>
}

const modules = ["packages", "testing", "examples"].flatMap((group) =>
  readdirSync(join(root, group)).flatMap((name) => {
    const folder = `${group}/${name}/src`
    return existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
          .filter((path) => path.endsWith(".ts"))
          .map((path) => `${folder}/${path}`)
      : []
  })
)

const matching = ({ path = "", pathNot }: Side): ReadonlyArray<string> =>
  modules.filter(
    (module) => new RegExp(String(path)).test(module) && (pathNot === undefined || !new RegExp(pathNot).test(module))
  )

/** A module of this repository that would break a rule, and what it would import; nothing where none can. */
const violationOf = ({ from, to }: (typeof forbidden)[number]): readonly [string, string] | undefined => {
  const froms = matching(from)
  if (to.couldNotResolve) return froms[0] === undefined ? undefined : [froms[0], "./Nowhere.js"]
  if (to.circular) return ["packages/core/src/domain/One.ts", "packages/core/src/domain/Other.ts"]
  if (/^@(?:effect|dagrejs)\//.test(String(to.path)))
    return froms[0] === undefined ? undefined : [froms[0], String(to.path)]
  for (const module of froms) {
    const imported = matching(to).find((other) => other !== module)
    if (imported !== undefined) return [module, imported]
  }
  return undefined
}

describe("each import rule", () => {
  const violations = forbidden.map((rule) => ({ name: rule.name, violation: violationOf(rule) }))
  let folder = ""
  let found: ReadonlyArray<{ readonly from: string; readonly rule: { readonly name: string } }> = []

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "assay-boundaries-"))
    const imports = new Map<string, Set<string>>([["packages/core/src/domain/Other.ts", new Set(["./One.js"])]])
    const add = (module: string, ...imported: ReadonlyArray<string>): void => {
      imports.set(module, new Set([...(imports.get(module) ?? []), ...imported]))
    }
    for (const { violation } of violations)
      if (violation !== undefined) {
        const [module, imported] = violation
        const up = "../".repeat(module.split("/").length - 1)
        add(module, imported.endsWith(".ts") ? `${up}${imported.replace(/\.ts$/, ".js")}` : imported)
        if (imported.endsWith(".ts")) add(imported)
      }
    for (const [module, imported] of imports) {
      const path = join(folder, module)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `${[...imported].map((one) => `import "${one}"\n`).join("")}export const it = 1\n`)
    }
    copyFileSync(join(root, "tsconfig.base.json"), join(folder, "tsconfig.base.json"))
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    const cruiser = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs")
    const config = join(root, ".dependency-cruiser.cjs")
    const { stdout } = spawnSync(
      process.execPath,
      [cruiser, "--config", config, "--output-type", "json", "packages", "testing"],
      { cwd: folder, encoding: "utf8", timeout: 50_000, maxBuffer: 1 << 28 }
    )
    found = JSON.parse(stdout).summary.violations
  }, 60_000)

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(violations)("$name is about modules that there are, and finds what breaks it", ({ name, violation }) => {
    assert.isDefined(violation, "no module that there is could break it")
    assert.include(
      found.filter(({ from }) => from === violation?.[0]).map(({ rule }) => rule.name),
      name
    )
  })

  it("of the adversary leaves its product alone", () => {
    const rule = forbidden.find(({ name }) => name === "only-the-product-is-the-engine")
    assert.notInclude(matching(rule?.from ?? {}), "testing/adversary/src/Product.ts")
    assert.include(modules, "testing/adversary/src/Product.ts")
  })
})
