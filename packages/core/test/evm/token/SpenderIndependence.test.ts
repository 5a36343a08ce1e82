import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as CodeModel from "../../../src/evm/interpreter/CodeModel.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import * as SpenderIndependence from "../../../src/evm/token/SpenderIndependence.js"
import * as Slices from "../../../src/runtime/Slices.js"
import { contracts, describeCompiled } from "../Compiled.js"

const alike = ["AllAlike", "LooksElsewhere"]

const apart = [
  "ByConstant",
  "ByVariable",
  "ByList",
  "ByDigits",
  "ByOrder",
  "BySize",
  "ByGuard",
  "ByDelegate",
  "ByTax",
  "ByApproval",
  "ByBalance"
]

describeCompiled("SpenderIndependence", (pipeline) => {
  const contract = contracts(pipeline, "Spenders.sol")

  const isAlike = (name: string) =>
    Effect.gen(function* () {
      const { code } = contract(name)
      const flow = yield* StorageFlow.analyse(code)
      return Slices.complete(SpenderIndependence.inSlices(CodeModel.of(code), flow))
    })

  it.effect("is that of a token that makes nothing of who moves tokens, or what every router is not", () =>
    Effect.gen(function* () {
      for (const name of alike) assert.isTrue(yield* isAlike(name), name)
    })
  )

  it.effect("is none where who moves tokens, is approved, or reads a balance may matter", () =>
    Effect.gen(function* () {
      for (const name of apart) assert.isFalse(yield* isAlike(name), name)
    })
  )
})
