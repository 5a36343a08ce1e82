import { describe, it } from "@effect/vitest"
import * as Storage from "../../src/storage/Storage.js"
import * as StorageSuite from "../../src/testing/StorageSuite.js"

const suite = StorageSuite.suite("Storage.layerMemory", Storage.layerMemory, { persistent: false })

describe(suite.name, () => {
  for (const { effect, title } of suite.cases) it.effect(title, () => effect)
})
