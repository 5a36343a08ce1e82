import { describe, expect, it } from "@effect/vitest"
import * as surface from "../src/index.js"

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
  it("of @assay/storage-sql is the one that was decided on", async () => {
    await expect(names(surface)).toMatchFileSnapshot("exports.txt")
  })
})
