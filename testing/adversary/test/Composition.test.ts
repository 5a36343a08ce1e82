import { assert, describe, it } from "vitest"
import * as Composition from "../src/Composition.js"
import * as Shrink from "../src/Shrink.js"
import * as Source from "../src/Source.js"
import * as Tally from "../src/Tally.js"
import * as Trial from "../src/Trial.js"

describe("a composition", () => {
  const drawn = Array.from({ length: 4_000 }, (_, seed) => Composition.draw(seed))

  it("is the same for the same seed, and its parts go together", () => {
    for (const composition of drawn.slice(0, 200)) {
      assert.deepStrictEqual(Composition.draw(composition.seed), composition)
      assert.isTrue(Composition.fits(composition))
    }
  })

  it("has every part of the grammar in some seed", () => {
    const missing = Composition.dimensions.flatMap((dimension) =>
      Composition.grammar[dimension]
        .filter((part) => !drawn.some((composition) => composition[dimension] === part))
        .map((part) => `${dimension} ${part}`)
    )
    assert.deepStrictEqual(missing, [])
  })

  it("differs from its twin in the source", () => {
    const same = drawn
      .slice(0, 60)
      .filter(({ lever, state, twin }) => twin === "absent" || (lever === "none" && state === "live"))
      .filter((composition) => {
        const body = (role: Source.Role) => Source.write(composition, role).text.replaceAll(/Trap|Twin/g, "")
        // An allowance that is spent without one is what its lever does.
        return body("trap") === body("twin")
      })
    assert.deepStrictEqual(
      same.map(({ seed }) => seed),
      []
    )
  })
})

describe("shrinking", () => {
  it("leaves the parts that are needed, and no other", async () => {
    const odd = {
      ...Trial.base,
      books: "packed",
      sender: "account",
      exemption: "key",
      order: "gatesLast",
      form: "wrap"
    } as const
    const fewest = await Shrink.shrink(odd, async ({ sender }) => sender === "account")
    assert.deepStrictEqual(fewest, { ...Trial.base, sender: "account" })
  })

  it("gives up in the end", async () => {
    let tries = 0
    await Shrink.shrink(Composition.draw(1), async () => {
      tries++
      return true
    })
    assert.isAtMost(tries, Shrink.patience)
  })
})

describe("the summary", () => {
  const said = { level: "minimal", score: 98, coverage: 1, claims: [] }
  const truth = { isControlled: true, rows: [], log: [] }
  const trial = (seed: number, verdict: "told" | "false safety" | "no deed", twin: "kept" | "thrown away") => ({
    composition: { ...Trial.base, seed },
    said: { trap: said, twin: said },
    truth: { trap: truth, twin: truth },
    judgement: { verdict, twin, reasons: [], accusations: seed === 3 ? ["token.mintable"] : [] }
  })

  it("counts each token once, by verdict, by part and by the books of its twin", () => {
    const tally = Tally.of([
      trial(1, "told", "kept"),
      trial(2, "false safety", "thrown away"),
      trial(3, "no deed", "kept")
    ])
    assert.deepStrictEqual(tally.counts, { deeds: 2, told: 1, otherwise: 0, unknown: 0, falseSafety: 1 })
    assert.strictEqual(tally.noDeed, 1)
    assert.deepStrictEqual(tally.seeds, [2])
    assert.strictEqual(tally.harmless, 1)
    assert.deepStrictEqual(tally.parts["condition window"], tally.counts)
    // Where no exchange is known, no level is an honest one's.
    const elsewhere = { ...trial(4, "told", "kept"), composition: { ...Trial.base, venues: "unknown" as const } }
    assert.deepStrictEqual(Tally.of([elsewhere]).twins.levels, {})
    assert.deepStrictEqual(tally.twins, {
      kept: 2,
      thrownAway: 1,
      accused: [{ seed: 3, claims: ["token.mintable"] }],
      levels: { plain: { kept: 2, harmless: 2 } }
    })
  })
})
