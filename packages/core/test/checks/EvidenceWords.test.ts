import { assert, describe, it } from "@effect/vitest"
import * as Checks from "../../src/checks/Checks.js"
import { faultsOf } from "./EvidenceWords.js"

const registry = [...Checks.all, ...Checks.optional]

const address = `0x${"ab".repeat(20)}`

const confirmed = (detail: string, title = "The supply can be increased") => ({ title, detail, state: "confirmed" })

const unknown = (detail: string) => ({ detail, state: "unknown", reason: "inconclusive" })

describe("the words of evidence", () => {
  it("keep every claim under 80 characters, without a pronoun for a person", () => {
    const wrong = registry.flatMap(({ claim, id }) =>
      faultsOf({ title: claim, detail: "", state: "confirmed" }).map((fault) => `${id}: ${fault}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it.each([
    ["two full addresses and a count", confirmed(`${address}, ${address} and 3 more`)],
    ["what was missing", unknown("the decimals could not be read")],
    ["the error of a contract, which is not our text", confirmed('a sale failed; error: "he is 0x12… of nobody"')]
  ])("accept %s", (_, item) => {
    assert.deepStrictEqual(faultsOf(item), [])
  })

  it.each([
    ["a long title", confirmed("", "a".repeat(80)), "a title of 80 characters or more"],
    ["a long detail", confirmed("a".repeat(240)), "a detail of 240 characters or more"],
    ["three addresses", confirmed([address, address, address].join(", ")), "more than 2 addresses"],
    ["a shortened address", confirmed("0x12ab…cd34 is the owner"), "a shortened address"],
    ["a pronoun", confirmed("whoever owns it"), "a pronoun for a person"],
    ["an unknown item without a gap", unknown("the owner"), "an unknown item that does not say what is missing"]
  ])("refuse %s", (_, item, fault) => {
    assert.deepStrictEqual(faultsOf(item), [fault])
  })
})
