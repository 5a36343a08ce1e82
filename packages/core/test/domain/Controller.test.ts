import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as Controller from "../../src/domain/Controller.js"

describe("Controller.weakest", () => {
  it("puts one key before what is not known, that before contracts, signers and delays, and nobody last", () => {
    const order = [
      Controller.make("eoa"),
      Controller.make("unknown", { address: "0xffffffffffffffffffffffffffffffffffffffff" as never }),
      Controller.make("contract", { address: "0x0000000000000000000000000000000000000001" as never }),
      Controller.make("safe", { threshold: 1, signers: 2 }),
      Controller.make("timelock", { delaySeconds: 604_800 }),
      Controller.make("dead")
    ]
    for (let first = 0; first < order.length; first++) {
      const rest = order.slice(first)
      assert.deepStrictEqual(Option.getOrUndefined(Controller.weakest([...rest].reverse())), order[first])
    }
    assert.isTrue(Option.isNone(Controller.weakest([])))
  })

  it("puts who waits less before who waits more, and one key before several who wait as long", () => {
    const timelock = Controller.make("timelock", { delaySeconds: 604_800 })
    const order = [
      Controller.make("eoa", { address: "0xffffffffffffffffffffffffffffffffffffffff" as never }),
      Controller.make("timelock", { delaySeconds: 3_600 }),
      timelock,
      { ...timelock, threshold: 2, signers: 3 },
      { ...timelock, delay_seconds: 2 * 604_800 }
    ]
    for (let first = 0; first < order.length; first++) {
      const rest = order.slice(first)
      for (const listed of [rest, [...rest].reverse()])
        assert.deepStrictEqual(Option.getOrUndefined(Controller.weakest(listed)), order[first])
    }
  })
})
