import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as Changes from "../../src/changes/Changes.js"
import * as ChangeText from "../../src/changes/ChangeText.js"
import { ChangeReport } from "../../src/domain/ChangeReport.js"
import type { Evidence, EvidenceState } from "../../src/domain/Evidence.js"
import * as Scoring from "../../src/risk/Scoring.js"
import { execution, item } from "./Fixtures.js"

const mintable = (state: EvidenceState) => item("token.mintable", state, { severity: "critical" })
const paused = (state: EvidenceState) => item("token.pausable", state, { severity: "critical" })
const owner = (value: string) => item("control.owner", "confirmed", { polarity: "neutral", severity: "info", value })
const thin = (depth_usd: number) => item("liquidity.thin", "confirmed", { category: "market", value: { depth_usd } })
const modules = (members: ReadonlyArray<string>) =>
  item("safe.modules", "confirmed", { severity: "high", value: { modules: members } })
const approval = item("allowance.unlimited:0xa:0xb", "confirmed", { category: "approvals", severity: "low" })

const base = [mintable("refuted"), paused("refuted"), owner("0x1"), thin(100_000), modules(["0x1"])]

const read = (evidence: ReadonlyArray<Evidence>, options: Parameters<typeof execution>[1] = {}): Changes.Comparison =>
  Changes.compare({
    base: Option.some({ result: execution(base, { block: 5 }), known: {}, reported: {} }),
    head: execution(evidence, { block: 6, ...options }),
    score: Scoring.score
  })

/** The base with some items in place of those of the same id. */
const but = (...items: ReadonlyArray<Evidence>): ReadonlyArray<Evidence> => [
  ...base.filter(({ id }) => items.every((each) => each.id !== id)),
  ...items
]

const told = ({ report }: Changes.Comparison) => {
  assert.isTrue(Schema.is(ChangeReport)(report))
  assert.strictEqual(report.text, ChangeText.plain(report))
  assert.strictEqual(report.max_severity, report.changes[0]?.severity ?? null)
  assert.strictEqual(report.counts.suppressed, report.suppressed.length)
  assert.strictEqual(
    report.changes.length,
    (["critical", "high", "medium", "low", "info"] as const).reduce((sum, each) => sum + report.counts[each], 0)
  )
  return {
    changes: report.changes.map(({ id, verified }) => `${id} ${verified ? "verified" : "unverified"}`).sort(),
    suppressed: report.suppressed.map(({ id, why }) => `${id} ${why}`)
  }
}

describe("reproduced", () => {
  it("verifies what the second reading shows too, and leaves the rest as it is", () => {
    const inferred = { ...approval, verified: false }
    const first = read(but(mintable("confirmed"), inferred))
    assert.deepStrictEqual(told(Changes.reproduced(first, read(but(mintable("confirmed"), inferred), { block: 7 }))), {
      changes: ["allowance.unlimited:0xa:0xb unverified", "facts.risk verified", "token.mintable verified"],
      suppressed: []
    })
  })

  it("suppresses what the second reading contradicts, with the risk that it moved, and keeps what is remembered", () => {
    const first = read(but(mintable("confirmed"), approval))
    const second = read(but(approval), { block: 7 })
    const result = Changes.reproduced(first, second)
    assert.deepStrictEqual(told(result), {
      changes: ["allowance.unlimited:0xa:0xb verified"],
      suppressed: ["facts.risk not_reproduced", "token.mintable not_reproduced"]
    })
    assert.deepStrictEqual(result.report.risk, second.report.risk)
    assert.deepStrictEqual([result.known, result.reported], [first.known, first.reported])
  })

  it("is unchanged where nothing is left", () => {
    const result = Changes.reproduced(read(but(mintable("confirmed"))), read(base, { block: 7 }))
    assert.strictEqual(result.report.status, "unchanged")
    assert.deepStrictEqual(told(result).changes, [])
  })

  it("takes what the second reading could not see for neither", () => {
    const first = read(but(mintable("confirmed"), paused("confirmed")))
    const blind = read(but(mintable("unknown"), paused("confirmed")), { block: 7 })
    const { changes, suppressed } = told(Changes.reproduced(first, blind))
    assert.include(changes, "token.mintable unverified")
    assert.include(changes, "token.pausable verified")
    assert.deepStrictEqual(suppressed, [])
    const failed = read(but(mintable("unknown")), { block: 7 })
    assert.deepStrictEqual(told(Changes.reproduced(read(but(mintable("confirmed"))), failed)), {
      changes: ["facts.risk unverified", "token.mintable unverified"],
      suppressed: []
    })
  })

  it("does not take a reading that cannot be compared for a contradiction", () => {
    const first = read(but(mintable("confirmed")))
    const lagging = read(base, { block: 4 })
    assert.strictEqual(lagging.report.status, "incomparable")
    assert.deepStrictEqual(told(Changes.reproduced(first, lagging)), told(Changes.unverified(first)))
  })

  it("lets numbers move on between the readings, and nothing else", () => {
    const again = (one: Evidence, other: Evidence) =>
      told(Changes.reproduced(read(but(one)), read(but(other), { block: 7 })))
    assert.deepStrictEqual(again(thin(1_000), thin(1_010)).suppressed, [])
    assert.deepStrictEqual(again(thin(1_000), thin(400_000)).suppressed, ["liquidity.thin not_reproduced"])
    assert.deepStrictEqual(again(owner("0x2"), owner("0x2")).changes, ["control.owner verified"])
    assert.deepStrictEqual(again(owner("0x2"), owner("0x3")).suppressed, ["control.owner not_reproduced"])
  })

  it("requires of a set that all that came is there and all that went is not", () => {
    const again = (one: ReadonlyArray<string>, other: ReadonlyArray<string>) =>
      told(Changes.reproduced(read(but(modules(one))), read(but(modules(other)), { block: 7 })))
    assert.deepStrictEqual(again(["0x1", "0x2"], ["0x1", "0x2", "0x3"]).changes, ["safe.modules verified"])
    assert.deepStrictEqual(again(["0x1", "0x2"], ["0x1", "0x3"]).suppressed, ["safe.modules not_reproduced"])
    assert.deepStrictEqual(again(["0x2"], ["0x1", "0x2"]).suppressed, ["safe.modules not_reproduced"])
  })

  it("leaves a report without changes alone", () => {
    const same = read(base)
    assert.strictEqual(Changes.reproduced(same, read(but(mintable("confirmed")))).report, same.report)
    const baseline = Changes.compare({ base: Option.none(), head: execution(base), score: Scoring.score })
    assert.strictEqual(Changes.reproduced(baseline, same).report, baseline.report)
    assert.strictEqual(Changes.unverified(baseline).report, baseline.report)
  })
})

describe("unverified", () => {
  it("marks high and critical changes, and no other", () => {
    assert.deepStrictEqual(told(Changes.unverified(read(but(mintable("confirmed"), approval)))).changes, [
      "allowance.unlimited:0xa:0xb verified",
      "facts.risk unverified",
      "token.mintable unverified"
    ])
  })
})
