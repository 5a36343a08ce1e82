import { assert, describe, it } from "vitest"
import * as Judge from "../src/Judge.js"
import type { Row, Truth } from "../src/Oracle.js"
import type { Claim, Said } from "../src/Product.js"
import * as Trial from "../src/Trial.js"

const claim = (id: string, state: Claim["state"], controller: Claim["controller"] = null): Claim => ({
  id,
  state,
  severity: "high",
  detail: "",
  controller
})

const allRefuted = Object.values(Judge.claimsOf)
  .flat()
  .map((id) => claim(id, "refuted"))

/** Everything refuted but these, at a level. */
const said = (level: string, ...claims: ReadonlyArray<Claim>): Said => ({
  level,
  score: null,
  coverage: 1,
  claims: [...allRefuted.filter(({ id }) => !claims.some((other) => other.id === id)), ...claims]
})

const saw = (...rows: ReadonlyArray<Row>): Truth => ({ isControlled: true, rows, log: [] })
const honest = { truth: saw(), said: said("minimal") }
const composition = { ...Trial.base, condition: "flag", lever: "immutable" } as const
const timelock = { kind: "timelock", delay_seconds: 7 * 86_400, threshold: null }
const key = { kind: "eoa", delay_seconds: null, threshold: null }

const rows = Object.keys(Judge.claimsOf) as ReadonlyArray<Row>

describe("a verdict on a token with a deed that was seen", () => {
  it.each(rows)("%s: is false safety where every claim of the row is refuted, at whatever level", (row) => {
    const { reasons, verdict } = Judge.judge(composition, { truth: saw(row), said: said("critical") }, honest)
    assert.strictEqual(verdict, "false safety")
    assert.lengthOf(reasons, 1)
  })

  it.each(rows)("%s: is false safety where no claim of the row applies", (row) => {
    const nothing = { level: "unknown", score: null, coverage: 1, claims: [] }
    assert.strictEqual(Judge.judge(composition, { truth: saw(row), said: nothing }, honest).verdict, "false safety")
  })

  it.each(rows)("%s: is false safety at minimal or low, even where a claim is unknown or a key's", (row) => {
    const [id = ""] = Judge.claimsOf[row]
    for (const level of ["minimal", "low"])
      for (const item of [claim(id, "unknown"), claim(id, "confirmed", key)])
        assert.strictEqual(
          Judge.judge(composition, { truth: saw(row), said: said(level, item) }, honest).verdict,
          "false safety"
        )
  })

  it.each(rows.flatMap((row) => Judge.claimsOf[row].map((id) => [row, id] as const)))(
    "%s: one doubt about %s is enough to be unknown",
    (row, id) => {
      const { verdict } = Judge.judge(
        composition,
        { truth: saw(row), said: said("unknown", claim(id, "unknown")) },
        honest
      )
      assert.strictEqual(verdict, "unknown")
    }
  )

  it("is no false safety at a low level that a credited controller gives", () => {
    const item = claim("token.pausable", "confirmed", timelock)
    assert.strictEqual(
      Judge.judge(composition, { truth: saw("stopped"), said: said("low", item) }, honest).verdict,
      "told"
    )
    const hasty = claim("token.pausable", "confirmed", { ...timelock, delay_seconds: 3_600 })
    assert.strictEqual(
      Judge.judge(composition, { truth: saw("stopped"), said: said("low", hasty) }, honest).verdict,
      "false safety"
    )
  })

  it("is named by the claim of its part, and named otherwise by another of the row", () => {
    const by = (id: string) =>
      Judge.judge(composition, { truth: saw("stopped"), said: said("high", claim(id, "confirmed")) }, honest).verdict
    assert.strictEqual(by("token.pausable"), "told")
    assert.strictEqual(by("token.blacklistable"), "named otherwise")
    assert.strictEqual(by("token.mintable"), "false safety")
  })

  it("is no deed where nothing was seen, or where sales failed before", () => {
    const quiet = { truth: saw(), said: said("minimal") }
    assert.strictEqual(Judge.judge(composition, quiet, honest).verdict, "no deed")
    const shut = { truth: { ...saw("stopped"), isControlled: false }, said: said("minimal") }
    assert.strictEqual(Judge.judge(composition, shut, honest).verdict, "no deed")
  })
})

describe("a twin", () => {
  const trap = { truth: saw("stopped"), said: said("high", claim("token.pausable", "confirmed")) }

  it("is accused by every claim of a row that is confirmed", () => {
    const twin = {
      truth: saw(),
      said: said("high", claim("token.mintable", "confirmed"), claim("trade.taxed", "unknown"))
    }
    const { accusations, twin: kept } = Judge.judge(composition, trap, twin)
    assert.deepStrictEqual(accusations, ["token.mintable"])
    assert.strictEqual(kept, "kept")
  })

  it("is thrown away, and accused of nothing, where a deed works or its sales fail", () => {
    const confirmed = said("high", claim("token.mintable", "confirmed"))
    for (const truth of [saw("inflated"), { ...saw(), isControlled: false }]) {
      const { accusations, twin } = Judge.judge(composition, trap, { truth, said: confirmed })
      assert.deepStrictEqual(accusations, [])
      assert.strictEqual(twin, "thrown away")
    }
  })
})
