import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { assert, describe, expect, it } from "@effect/vitest"
import type { Context } from "effect"
import type { BuiltIn } from "../src/analysis/FactSet.js"
import type { ChainState } from "../src/chain/state/ChainState.js"
import * as TargetFacts from "../src/checks/TargetFacts.js"
import * as surface from "../src/index.js"
import * as testing from "../src/testing/index.js"

const core = fileURLToPath(new URL("../", import.meta.url))

/** One line an export: `Namespace.member`, or the bare name of what is no namespace. */
const names = (module: object): string =>
  `${Object.entries(module)
    .flatMap(([name, value]) =>
      Object.prototype.toString.call(value) === "[object Module]"
        ? Object.keys(value).map((member) => `${name}.${member}`)
        : [name]
    )
    .sort()
    .join("\n")}\n`

describe("the public surface", () => {
  it("of @assay/core is the one that was decided on", async () => {
    await expect(names(surface)).toMatchFileSnapshot("exports.txt")
  })

  it("of @assay/core/testing is the one that was decided on", async () => {
    await expect(names(testing)).toMatchFileSnapshot("testing/exports.txt")
  })

  it("of @assay/core is its modules in EXPORTS.md, each with a reason: no other module can be imported", () => {
    const rows = readFileSync(`${core}EXPORTS.md`, "utf8").matchAll(/^\| `([\w/]+)` \| (.+) \|$/gm)
    const reasons = new Map([...rows].map(([, module = "", reason = ""]) => [module, reason]))
    const { resolve } = createRequire(import.meta.url)
    for (const path of readdirSync(`${core}src`, { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(".ts") || path === "index.ts") continue
      const module = path.slice(0, -".ts".length).replaceAll("\\", "/")
      const specifier = `@assay/core/${module.replace(/\/index$/, "")}`
      const text = readFileSync(`${core}src/${path}`, "utf8")
      if (reasons.delete(module)) {
        assert.strictEqual(resolve(specifier), `${core}dist/${module}.js`)
        assert.isFalse(text.startsWith("/** @internal"), module)
      } else {
        assert.throws(() => resolve(specifier), /ERR_PACKAGE_PATH_NOT_EXPORTED|not defined by "exports"/, module)
        // What nobody can import has no release that it came with.
        if (!module.startsWith("testing/")) assert.notInclude(text, "@since", module)
      }
    }
    assert.deepStrictEqual([...reasons.keys()], [], "modules that are listed and do not exist")
  })

  it("of a check is every fact that it may read without providing it", () => {
    type Named = Context.Tag.Identifier<(typeof TargetFacts)[keyof typeof TargetFacts]>
    // What does not hold is no program: the compiler compares the two sets.
    const isThere = (fact: Exclude<BuiltIn, ChainState>): Named => fact
    const isRead = (fact: Named): BuiltIn => fact
    assert.isFunction(isThere)
    assert.isFunction(isRead)
    for (const [name, tag] of Object.entries(TargetFacts)) assert.strictEqual(tag.key, `@assay/core/${name}`)
  })
})
