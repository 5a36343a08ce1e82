import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../Compiled.js"
import * as Coverage from "../Coverage.js"

const followed = ["EitherText", "Walking"]

const notFollowed = [
  "EitherPlace",
  "EitherOfTwoWays",
  "CheckedLater",
  "Striding",
  "StridingUnwritten",
  "GoingBack",
  "GoingBelow",
  "Doubling"
]

describeCompiled("Memory", (pipeline) => {
  // An optimiser rounds the sum down, which is not followed.
  const told = pipeline === "ir" ? followed : [...followed, "GoingBackOnce"]
  const contract = contracts(pipeline, "Pointers.sol")

  for (const name of told)
    it.effect(`keeps what is before the heap where something is put into that: ${name}`, () =>
      Effect.gen(function* () {
        const { code } = contract(name)
        const flow = yield* StorageFlow.analyse(code)
        assert.deepStrictEqual(flow.completeness.gaps, [])
        const writes = flow.functions.flatMap((each) => each.writes)
        assert.deepStrictEqual(
          writes.map(({ keys, slot }) => [slot, ...keys.map(({ kind }) => kind)]),
          [["0x0[k]", "caller"]]
        )
        assert.deepStrictEqual(Coverage.measure(code, flow, 12).misses, [])
      })
    )

  for (const name of notFollowed)
    it.effect(`leaves an entry's account open where its key may be overwritten: ${name}`, () =>
      Effect.gen(function* () {
        const { completeness } = yield* StorageFlow.analyse(contract(name).code)
        assert.include(completeness.gaps, "write_location")
      })
    )
})
