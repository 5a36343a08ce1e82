import { assert, describe, it } from "vitest"
import * as Sampling from "../../src/telemetry/Sampling.js"

const ids = Array.from(
  { length: 1_000 },
  (_, index) => `${"0".repeat(18)}${(index * 72_057_594_037_927).toString(16).padStart(14, "0")}`
)
const taken = (sampler: Sampling.Sampler) => ids.filter(sampler)

describe("Sampling", () => {
  it("a share of traces is the same for every process, and part of every larger share", () => {
    assert.lengthOf(taken(Sampling.ratio(0)), 0)
    assert.lengthOf(taken(Sampling.ratio(1)), ids.length)
    const quarter = taken(Sampling.ratio(0.25))
    assert.approximately(quarter.length, 250, 1)
    assert.includeMembers(taken(Sampling.ratio(0.5)), quarter)
  })

  it("every name of a sampler is understood, with a parent or without", () => {
    for (const name of Sampling.names)
      assert.approximately(
        taken(Sampling.of(name, 0.5)).length,
        name.endsWith("always_on") ? 1_000 : name.endsWith("always_off") ? 0 : 500,
        1
      )
  })
})
