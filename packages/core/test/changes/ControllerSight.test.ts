import { assert, describe, it } from "@effect/vitest"
import * as ControllerSight from "../../src/changes/ControllerSight.js"
import * as Controller from "../../src/domain/Controller.js"
import { address, other } from "./Fixtures.js"

const key = Controller.make("eoa", { address })
const council = Controller.make("timelock", { address, delaySeconds: 604_800, threshold: 2, signers: 3 })
const unsigned = Controller.incomplete(Controller.make("timelock", { address, delaySeconds: 604_800 }))
const nobodyKnown = Controller.make("unknown", { address: other })

const counts = (before: unknown, after: unknown) => {
  const { gained, lost } = ControllerSight.between(before, after)
  return { lost, gained }
}

describe("ControllerSight", () => {
  it("takes out controllers that were followed less far, wherever they stand, and leaves the rest as it is", () => {
    assert.deepStrictEqual(
      ControllerSight.between({ upgrade: "admin", controller: council }, { upgrade: "none", controller: unsigned }),
      {
        before: { upgrade: "admin", controller: null },
        after: { upgrade: "none", controller: null },
        lost: 1,
        gained: 0
      }
    )
    assert.deepStrictEqual(counts({ controllers: [key, council] }, { controllers: [key, unsigned] }), {
      lost: 1,
      gained: 0
    })
    assert.deepStrictEqual(counts({ controllers: [nobodyKnown] }, { controllers: [key] }), { lost: 0, gained: 1 })
  })

  it("looks into the rows of a list that stand at the same place, and into none of lists of other lengths", () => {
    const row = (controller: Controller.Controller, delay = 1) => ({ address, delay, controller })
    assert.deepStrictEqual(ControllerSight.between([row(council)], [row(unsigned, 2)]), {
      before: [{ address, delay: 1, controller: null }],
      after: [{ address, delay: 2, controller: null }],
      lost: 1,
      gained: 0
    })
    assert.deepStrictEqual(counts([row(council)], [row(unsigned), row(key)]), { lost: 0, gained: 0 })
  })

  it("explains no other account, delay or number of signers", () => {
    const plain = { lost: 0, gained: 0 }
    assert.deepStrictEqual(counts(key, { ...key, address: other }), plain)
    assert.deepStrictEqual(counts(council, { ...unsigned, delay_seconds: 60 }), plain)
    assert.deepStrictEqual(counts(council, { ...unsigned, threshold: 1 }), plain)
    assert.deepStrictEqual(counts(council, { ...council, threshold: null, signers: null }), plain)
  })

  it("explains no controller that came beside the others, nor one that is gone", () => {
    const plain = { lost: 0, gained: 0 }
    assert.deepStrictEqual(counts([key], [key, nobodyKnown]), plain)
    assert.deepStrictEqual(counts([key, council], [key]), plain)
    assert.deepStrictEqual(counts([nobodyKnown], [Controller.make("unknown", { address })]), plain)
  })
})
