import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import type { WatchId } from "../../src/domain/Id.js"
import * as Grid from "../../src/watches/Grid.js"

const ids = fc
  .bigInt({ min: 0n, max: 2n ** 128n - 1n })
  .map((value): WatchId => `wat_${value.toString(32).toUpperCase()}`)

const grids = fc
  .record({
    id: ids,
    anchor: fc.integer({ min: 0, max: 4e12 }),
    intervalSeconds: fc.integer({ min: 900, max: 2_592_000 })
  })
  .map(({ id, ...options }) => Grid.make(id, options))

const moments = fc.integer({ min: 0, max: 5e12 })

describe("Grid", () => {
  it("gives an id one phase for ever, below a tenth of the interval and below five minutes", () => {
    fc.assert(
      fc.property(ids, fc.integer({ min: 900, max: 2_592_000 }), moments, moments, (id, intervalSeconds, a, b) => {
        const { phase } = Grid.make(id, { anchor: a, intervalSeconds })
        assert.strictEqual(Grid.make(id, { anchor: b, intervalSeconds }).phase, phase)
        assert.isAtLeast(phase, 0)
        assert.isBelow(phase, Math.min(intervalSeconds * 100, 300_000))
      })
    )
  })

  it("is due first within a minute of its anchor, and then once an interval", () => {
    fc.assert(
      fc.property(grids, fc.integer({ min: 1, max: 10_000 }), (grid, n) => {
        assert.isAtLeast(Grid.due(grid, 0), grid.anchor)
        assert.isBelow(Grid.due(grid, 0), grid.anchor + 60_000)
        assert.strictEqual(Grid.due(grid, n + 1) - Grid.due(grid, n), grid.interval)
        assert.isAbove(Grid.due(grid, 1), Grid.due(grid, 0))
      })
    )
  })

  it("names the first check after any moment: none between is missed, and none before it comes again", () => {
    fc.assert(
      fc.property(grids, moments, (grid, after) => {
        const n = Grid.next(grid, after)
        assert.isAbove(Grid.due(grid, n), after)
        if (n > 0) assert.isAtMost(Grid.due(grid, n - 1), after)
      })
    )
  })

  it("spreads ten thousand watches of one interval evenly over their phases", () => {
    const tenths = new Array<number>(10).fill(0)
    for (let index = 0; index < 10_000; index++) {
      const { phase } = Grid.make(`wat_${index}` as WatchId, { anchor: 0, intervalSeconds: 3_600 })
      const tenth = Math.floor(phase / 30_000)
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }
    for (const count of tenths) assert.approximately(count, 1_000, 200)
  })
})
