import { assert, describe, it } from "@effect/vitest"
import * as Reading from "../../../src/chain/state/Reading.js"
import { hashOf } from "../FakeNode.js"

describe("Reading", () => {
  it("gives another value the same observation, and hashes nothing before the observation is used", () => {
    let hashed = 0
    const observation = { method: "eth_call", params_hash: hashOf(1), block_hash: hashOf(2), answer_hash: hashOf(3) }
    const reading = Reading.map(
      {
        value: 20,
        observation: () => {
          hashed++
          return observation
        }
      },
      (value) => value + 1
    )
    assert.strictEqual(reading.value, 21)
    assert.strictEqual(hashed, 0)
    assert.strictEqual(reading.observation(), observation)
  })
})
