import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, expect, it } from "@effect/vitest"
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

  it("of the bytecode engine is the modules of the index, so that no other path of it can be imported", () => {
    const paths = Object.keys(JSON.parse(readFileSync(`${core}package.json`, "utf8")).exports)
    const indexed = readFileSync(`${core}src/index.ts`, "utf8").match(/(?<=")\.\/evm\/[\w/]+(?=\.js")/g) ?? []
    assert.deepStrictEqual(
      paths.filter((path) => path.startsWith("./evm")),
      indexed
    )
    assert.notInclude(paths, "./*")
    for (const path of indexed) assert.isTrue(existsSync(`${core}src/${path}.ts`), path)
  })
})
