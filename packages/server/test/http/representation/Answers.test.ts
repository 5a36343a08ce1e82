import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assert } from "vitest"
import * as Answers from "../../../src/http/representation/Answers.js"

const answer = (bytes: number): Answers.Answer => ({
  version: 1,
  basis: { mark: "", until: 1 },
  again: Effect.fail("not asked"),
  route: "/",
  status: 200,
  headers: [],
  body: "a".repeat(bytes)
})

describe("Answers", () => {
  it("keeps the answers that were used last within its bytes, and counts what it drops or replaces", () => {
    const answers = Answers.make(10_000)
    answers.put("a", answer(3_000))
    answers.put("b", answer(3_000))
    assert.isDefined(answers.get("a"))
    answers.put("c", answer(3_000))
    assert.isDefined(answers.get("a"))
    assert.isUndefined(answers.get("b"))
    for (let times = 0; times < 10; times++) answers.put("a", answer(3_000))
    assert.isDefined(answers.get("c"))
    answers.remove("a")
    answers.put("d", answer(3_000))
    assert.isDefined(answers.get("c"))
  })

  it("keeps nothing that is larger than all it may keep", () => {
    const answers = Answers.make(10_000)
    answers.put("a", answer(3_000))
    answers.put("b", answer(20_000))
    assert.isUndefined(answers.get("a"))
    assert.isUndefined(answers.get("b"))
  })
})
