import { Checks } from "@assay/core"
import * as surface from "@assay/sdk"
import { assert, describe, expect, it } from "vitest"
import { subjects } from "../src/CustomCheck.js"

describe("the public surface", () => {
  it("is the one that was decided on", async () => {
    await expect(`${Object.keys(surface).sort().join("\n")}\n`).toMatchFileSnapshot("exports.txt")
  })

  it("keeps the ids of the library's own checks from those of embedders", () => {
    const used = [...Checks.all, ...Checks.optional].map(({ id }) => id.slice(0, id.indexOf(".")))
    assert.deepStrictEqual([...subjects], [...new Set(used)].sort())
  })
})
