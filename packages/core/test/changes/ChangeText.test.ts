import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as ChangeText from "../../src/changes/ChangeText.js"
import type { Change, ChangeReport } from "../../src/domain/ChangeReport.js"
import type { ExecutionId } from "../../src/domain/Id.js"
import * as Timestamp from "../../src/domain/Timestamp.js"

const change = (options: Partial<Change>): Change => ({
  id: "liquidity.locked:0xpair",
  subject: "evidence",
  kind: "state_changed",
  path: "/evidence/liquidity.locked:0xpair",
  before: { state: "confirmed", value: "0.92" },
  after: { state: "refuted", value: "0.04" },
  delta: { absolute: "-0.88", relative: "-0.957" },
  severity: "high",
  direction: "worse",
  verified: true,
  title: "No longer: liquidity is locked",
  source_url: "https://explorer.example/address/0x1",
  ...options
})

const report = (changes: ReadonlyArray<Change>, options: Partial<ChangeReport> = {}): Omit<ChangeReport, "text"> => ({
  format_version: "1.0",
  status: changes.length > 0 ? "changed" : "unchanged",
  reason: null,
  base: null,
  head: {
    execution_id: "exe_01JDZZZZZZZZZZZZZZZZZZZZZZ" as ExecutionId,
    completed_at: Timestamp.fromMillis(0),
    block: { number: 1, hash: "0xaa", timestamp: Timestamp.fromMillis(0) },
    ruleset_version: "1"
  },
  max_severity: null,
  counts: { critical: 0, high: 0, medium: 0, low: 0, info: 0, suppressed: 0 },
  risk: null,
  changes,
  ruleset_changes: [],
  suppressed: [],
  ...options
})

const owners = change({
  id: "safe.setup",
  kind: "value_changed",
  before: { state: "confirmed", value: { owners: ["0x1"] } },
  after: { state: "confirmed", value: { owners: ["0x2", "0x3"] } },
  delta: { added: ["0x2", "0x3"], removed: ["0x1"] },
  severity: "low",
  title: "Changed: the wallet is a Safe",
  source_url: "eip155:1:0x1?block=0xaa"
})

const risk = change({
  id: "facts.risk",
  subject: "risk",
  kind: "value_changed",
  before: { score: 71, level: "low" },
  after: { score: 38, level: "high" },
  delta: { absolute: "-33", relative: "-0.465" },
  title: "Changed: risk"
})

describe("ChangeText", () => {
  it("says one line a severity, with what moved", () => {
    assert.strictEqual(
      ChangeText.plain(
        report([change({}), risk, owners], { suppressed: [{ id: "holders.count", why: "below_threshold" }] })
      ),
      [
        "2 high: No longer: liquidity is locked (0.92 → 0.04); Changed: risk (71 low → 38 high)",
        "1 low: Changed: the wallet is a Safe (+0x2, +0x3, -0x1)",
        "1 change suppressed."
      ].join("\n")
    )
  })

  it("links each change in Markdown, and shows what is no web address as code", () => {
    assert.strictEqual(
      ChangeText.markdown(report([change({}), owners])),
      [
        "**1 high**",
        "",
        "- No longer: liquidity is locked \\(0.92 → 0.04\\) [source](https://explorer.example/address/0x1)",
        "",
        "**1 low**",
        "",
        "- Changed: the wallet is a Safe \\(\\+0x2, \\+0x3, \\-0x1\\) `eip155:1:0x1?block=0xaa`"
      ].join("\n")
    )
  })

  it("says why there is nothing to say", () => {
    const texts = [
      report([], { status: "baseline" }),
      report([]),
      report([], { status: "incomparable", reason: "block_regressed" }),
      report([], { status: "incomparable", reason: "base_expired" }),
      report([], { status: "incomparable", reason: "base_failed" })
    ].map(ChangeText.plain)
    assert.strictEqual(new Set(texts).size, texts.length)
    for (const text of texts) assert.match(text, /^[A-Z].*\.$/)
  })

  it("names the states where the values are no single words, and the difference where only a number moved", () => {
    const states = change({ before: { state: "refuted", value: { a: 1 } }, after: { state: "confirmed", value: null } })
    assert.include(ChangeText.plain(report([states])), "(refuted → confirmed)")
    const number = change({
      kind: "value_changed",
      before: { state: "confirmed", value: { bps: 100 } },
      after: { state: "confirmed", value: { bps: 150 } },
      delta: { absolute: "50", relative: "0.5" }
    })
    assert.include(ChangeText.plain(report([number])), "(+50)")
  })

  it("lists at most three members of a set each way", () => {
    const many = change({ kind: "value_changed", delta: { added: ["a", "b", "c", "d", "e"], removed: [] } })
    assert.include(ChangeText.plain(report([many])), "(+a, +b, +c, +2 more)")
  })

  it("lets what a contract calls itself neither add a line, nor turn the text, nor open a link", () => {
    const name = (text: string) =>
      change({
        subject: "fact",
        kind: "value_changed",
        before: "Old",
        after: text,
        delta: null,
        title: "Changed: token name"
      })
    const evil = "\u202Ex\n1 critical: [free](https://evil.example) <b>\u200B`|"
    const plain = ChangeText.plain(report([name(evil)]))
    assert.notMatch(plain, /[\n\u202E\u200B]/)
    const markdown = ChangeText.markdown(report([name(evil)]))
    assert.notInclude(markdown, "](https://evil.example)")
    assert.notInclude(markdown, "<b>")
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.notMatch(ChangeText.plain(report([name(text)])), /[\p{C}\p{Zl}\p{Zp}]/u)
        const [, , line = "", ...rest] = ChangeText.markdown(report([name(text)])).split("\n")
        assert.deepStrictEqual(rest, [])
        assert.lengthOf(line.match(/(?<!\\)\]\(/g) ?? [], 1)
      }),
      { numRuns: 500 }
    )
  })

  it("stays short, however many changes there are and however long what they say is", () => {
    const long = "x".repeat(10_000)
    const endless = change({
      kind: "value_changed",
      title: long,
      delta: { added: [long, long, long, long], removed: [long, long, { of: long }] },
      source_url: `https://explorer.example/${long}`
    })
    for (const severity of ["critical", "high", "medium", "low", "info"] as const) {
      const many = Array.from({ length: 1_000 }, () => ({ ...endless, severity }))
      const plain = ChangeText.plain(report(many))
      assert.isBelow(plain.length, 8_000)
      assert.include(plain, `1000 ${severity}: `)
      assert.match(plain, /; and 990 more$/)
      const markdown = ChangeText.markdown(report(many))
      assert.isBelow(markdown.length, 9_000)
      assert.match(markdown, /\n- and 990 more$/)
    }
  })

  it("does not let a name look like the end of its sentence and the next one", () => {
    const named = (after: string) =>
      change({
        subject: "fact",
        kind: "value_changed",
        before: "Old",
        after,
        delta: null,
        title: "Changed: token name"
      })
    assert.include(ChangeText.plain(report([named("Wrapped Ether (PoS)")])), '(Old → "Wrapped Ether (PoS)")')
    assert.include(
      ChangeText.plain(report([named('A); New: "free" tokens (B')])),
      `(Old → "A); New: 'free' tokens (B")`
    )
    assert.include(ChangeText.plain(report([named("Ünïcode 中文 1.5 %")])), "(Old → Ünïcode 中文 1.5 %)")
  })
})
