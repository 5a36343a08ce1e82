import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as StorageFlow from "../../src/evm/summary/StorageFlow.js"
import { artifact, contracts } from "./Compiled.js"
import * as Coverage from "./Coverage.js"

const names = [
  "ListedFee",
  "GrowingFees",
  "NumberedFee",
  "OneOfTwoFees",
  "NumberedHalt",
  "NumberedLists",
  "GrowingLists",
  "MadeAgain",
  "OneOnOneOff",
  "Spilling",
  "EitherWord",
  "BelowHeap",
  "NearCaller",
  "SizedByProxy",
  "WrappingAllowance",
  "Kept",
  "Worked",
  "NamedEntries"
]

const artifacts = [
  "openzeppelin-contracts-4/build/contracts/ERC20PresetMinterPauser.json",
  "openzeppelin-contracts-4/build/contracts/ERC20PresetFixedSupply.json",
  "openzeppelin-contracts-4/build/contracts/ERC1155PresetMinterPauser.json",
  "openzeppelin-contracts-4/build/contracts/TimelockController.json"
]

/** What calls of a fully followed code do beyond what the analysis reports. */
const missesOf = (code: `0x${string}`, times: number) =>
  Effect.map(StorageFlow.analyse(code), (flow) =>
    flow.completeness.gaps.some((gap) => gap !== "delegatecall") ? undefined : Coverage.measure(code, flow, times)
  )

describe("Coverage", () => {
  it.effect.each(["optimised", "ir"] as const)(
    "reports everything that calls do, for code that is hard to follow: %s",
    (pipeline) =>
      Effect.gen(function* () {
        const compiled = contracts(pipeline, "Places.sol")
        const incomplete: Array<string> = []
        let stores = 0
        for (const name of names) {
          const found = yield* missesOf(compiled(name).code, 12)
          if (found === undefined) incomplete.push(name)
          else {
            assert.deepStrictEqual(found.misses, [], name)
            stores += found.stores
          }
        }
        assert.deepStrictEqual(incomplete, ["BelowHeap"])
        assert.isAbove(stores, 200)
      })
  )

  it.effect("reports everything that calls do, for the most deployed code", () =>
    Effect.gen(function* () {
      for (const path of artifacts) {
        const found = yield* missesOf(artifact(path), 12)
        assert.deepStrictEqual(found?.misses, [], path)
        assert.isAbove(found?.stores ?? 0, 5, path)
      }
    })
  )

  it.effect("reports a write that no function is said to make", () =>
    Effect.gen(function* () {
      const code = artifact(artifacts[0] as string)
      const flow = yield* StorageFlow.analyse(code)
      const silent = { ...flow, functions: flow.functions.map((each) => ({ ...each, writes: each.writes.slice(1) })) }
      assert.isNotEmpty(Coverage.measure(code, silent, 40).misses)
    })
  )
})
