import { spawnSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as Families from "../../src/telemetry/Families.js"
import * as Series from "./Series.js"

// A package of the system (`apt-get install prometheus`), which a fresh machine does not have.
const promtool = Tier.landing && spawnSync("promtool", ["--version"]).status === 0
const note = promtool ? "" : " (left out of this tier, or promtool is not installed)"
const selected = Series.queries().flatMap(Series.selected)

describe("alerts and dashboard", () => {
  it("every query reads series that exist, and no label that they do not have", () => {
    assert.isAbove(Series.queries().length, 40)
    for (const query of Series.queries()) assert.isAbove(Series.selected(query).length, 0, query.where)
    for (const { labels, series, where } of selected) {
      const family = Families.all.find(
        ({ name, type }) =>
          name === series || (type === "histogram" && series.replace(/_(?:bucket|sum|count)$/, "") === name)
      )
      assert.isDefined(family, `${where}: ${series}`)
      // A histogram has no series of its bare name.
      assert.strictEqual(family?.type === "histogram", family?.name !== series, `${where}: ${series}`)
      // A sum over two families groups by labels of either.
      for (const label of labels) assert.include(family?.labels ?? [], label, `${where}: ${series}`)
    }
  })

  it.runIf(promtool)(`promtool accepts the rules${note}`, () => {
    const { status, stderr, stdout } = spawnSync("promtool", ["check", "rules", Series.alerts], { encoding: "utf8" })
    assert.strictEqual(status, 0, `${stdout}${stderr}`)
  })

  it.runIf(promtool)(`alerts fire when what they name lasts, and not before${note}`, () => {
    const file = Series.alerts.replace(/alerts\.yml$/, "alerts.test.yml")
    const { status, stderr, stdout } = spawnSync("promtool", ["test", "rules", file], { encoding: "utf8" })
    assert.strictEqual(status, 0, `${stdout}${stderr}`)
  })
})
