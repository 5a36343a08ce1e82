import { assert, describe, it } from "@effect/vitest"
import type * as Check from "../../src/checks/Check.js"
import * as Checks from "../../src/checks/Checks.js"
import * as Explanations from "../../src/checks/Explanations.js"
import * as ClaimSentences from "../../src/domain/ClaimSentences.js"
import { faultsOf } from "./EvidenceWords.js"

const registry: ReadonlyArray<Check.Any> = [...Checks.all, ...Checks.optional]

/** Two negations in one clause: "no pool that is not burned". An allowance is *unlimited*: that is a term. */
const doubleNegation =
  /\b(?:no|not|nor|none|never|cannot|without|neither)\b[^,;:]*\b(?:not|none|never|cannot|without|un(?!til|less|der|i[qtv]|limited)[a-z]+|invalid|incomplete)\b/i

/** What no evidence proves of a target as a whole, and words that judge an investment. */
const promises = /\b(?:safe|secure|trustworthy|harmless|risk-free|guarantee|invest|profit)/

const faults = (text: string, most: number): ReadonlyArray<string> => {
  const found: ReadonlyArray<readonly [fault: string, holds: boolean]> = [
    [`more than ${most} characters`, text.length > most],
    ["no capital letter at its beginning", !/^[A-Z]/.test(text)],
    ["a period, or another sign, at its end", !/[\w)%]$/.test(text)],
    ["a question", text.includes("?")],
    ["a double negation", doubleNegation.test(text)],
    ["a promise", promises.test(text)],
    ["the name of a service", /\b(?:Slither|GoPlus|Sourcify|Etherscan|Chainalysis|revoke\.cash|MetaMask)\b/i.test(text)]
  ]
  return [
    ...found.flatMap(([fault, holds]) => (holds ? [fault] : [])),
    ...faultsOf({ detail: text, state: "confirmed" })
  ]
}

describe("ClaimSentences", () => {
  it("has a row for every check and none for anything else", () => {
    assert.deepStrictEqual(Object.keys(ClaimSentences.all).sort(), registry.map(({ id }) => id).sort())
  })

  it("has what is true where a claim is refuted, of every claim that can be", () => {
    for (const { id } of registry)
      assert.strictEqual(
        ClaimSentences.all[id]?.absent === null,
        Explanations.all[id]?.refuted === "Never.",
        `${id} is never refuted, or it has no absent sentence`
      )
  })

  it("has fragments in plain words that no reader takes for a promise", () => {
    const wrong = Object.entries(ClaimSentences.all).flatMap(([id, { absent, recommendation }]) => [
      ...(absent === null ? [] : faults(absent, 110).map((fault) => `${id}, absent: ${fault}`)),
      ...faults(recommendation, 200).map((fault) => `${id}, recommendation: ${fault}`)
    ])
    assert.deepStrictEqual(wrong, [])
  })

  it.each([
    ["No approval is not in force", "a double negation"],
    ["The code cannot be unverified", "a double negation"],
    ["The token is safe to buy", "a promise"],
    ["The pools are genuine.", "a period, or another sign, at its end"],
    ["Can it be sold?", "a question"]
  ])("refuses %s", (text, fault) => {
    assert.include(faults(text, 110), fault)
  })

  it("says of one claim nothing that it says of another one", () => {
    const texts = Object.values(ClaimSentences.all).flatMap(({ absent }) => absent ?? [])
    assert.strictEqual(new Set(texts).size, texts.length)
  })
})
