import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import * as Families from "../../src/telemetry/Families.js"

const guide = fileURLToPath(new URL("../../../../docs/guides/operate-the-server.md", import.meta.url))

describe("Families", () => {
  it("the guide has the table of all metrics", () => {
    assert.include(readFileSync(guide, "utf8"), Families.markdown())
  })

  it("names are those of Prometheus: one each, base units at the end, _total for what is counted", () => {
    const names = Families.all.map(({ name }) => name)
    assert.strictEqual(new Set(names).size, names.length)
    for (const { labels, name, type } of Families.all) {
      assert.match(name, /^(?:assay|nodejs|process)_[a-z_]+$/)
      assert.strictEqual(name.endsWith("_total"), type === "counter", name)
      assert.notMatch(name, /_(?:ms|millis|kb|percent|count|sum|bucket)$/)
      for (const label of labels) assert.match(label, /^[a-z]+$/)
    }
  })
})
