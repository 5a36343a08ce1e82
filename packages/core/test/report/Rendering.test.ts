import { Address, ReportHtml, ReportMarkdown, ReportText, type RiskReport, Timestamp } from "@assay/core"
import { assert, describe, it } from "vitest"

const address = Address.checksum("0x1C674bf0d074Dc54bb13D1e6291C0cE88054C5b5")
const other = "0x71bE63f3384f5fb98995898A86B02Fb2426c5788"

const hostile = '"><script>alert(1)</script> [x](http://evil.example) **b** `c` | # '

const sentence = (text: string, ...evidence_ids: ReadonlyArray<string>) => ({ text, evidence_ids })

const report: RiskReport.RiskReport = {
  target: "token",
  address,
  name: hostile.slice(0, 32),
  verdict: { level: "unknown", level_at_best: "medium", score: 14 },
  headline: sentence(
    "Not decided, medium risk at best; we could not check whether it can be sold because the read failed; treat as unsafe until another endpoint can read it",
    "trade.honeypot"
  ),
  reasons: [
    { ...sentence(`A finding: ${hostile}`, "token.mintable"), points: 12, controlled_by: "Safe 2 of 3 after 7 days" },
    { ...sentence("A spender is a key", `allowance.spender-risky:${address}:${other}`), points: 1, controlled_by: null }
  ],
  unknowns: [
    {
      ...sentence(
        "We could not check whether it can be sold because the read failed; treat as unsafe until later",
        "trade.honeypot"
      ),
      claims: 1,
      points: 40
    }
  ],
  reassurances: [sentence("The token is on a well-known token list", "token.listed")],
  control: [sentence(`Mint: one private key (${other})`, "token.mintable")],
  exit: {
    sale: sentence("We could not check whether it can be sold; treat as unsafe", "trade.honeypot"),
    taxes: sentence("Tax: purchase 0 %, sale 0 %, transfer 0 %", "trade.taxed"),
    depth: null,
    liquidity: null
  },
  changes: [sentence("high: Liquidity is no longer locked", "liquidity.locked")],
  as_of: { chain: { id: 1, name: "ethereum" }, block: 98, time: Timestamp.fromMillis(1_753_496_244_000) },
  evidence_link: "/evidence/{id}",
  omitted: { reasons: 1, unknown_claims: 2 },
  not_advice: "Evidence at one block, not advice."
}

const texts = [
  report.headline,
  ...report.reasons.slice(1),
  ...report.unknowns,
  ...report.reassurances,
  ...(report.changes ?? [])
].map(({ text }) => text)

const joined = (text: string): string => text.replace(/\s+/g, " ")

describe("ReportText", () => {
  it("stays within 80 columns, and has no control character but the ends of lines", () => {
    const lines = ReportText.plain(report).split("\n")
    for (const line of lines) {
      assert.isAtMost(line.length, 80, line)
      assert.notMatch(line, /\p{C}/u)
    }
  })

  it("says every sentence, with its ids, points and who has the power", () => {
    const text = joined(ReportText.plain(report))
    for (const wanted of texts) assert.include(text, wanted)
    assert.include(text, "Takes 12 points of 100; this power is held by Safe 2 of 3 after 7 days")
    assert.include(text.replaceAll(" ", ""), `[allowance.spender-risky:${address}:${other}]`)
    assert.include(text, "Risk not decided: medium at best")
    assert.include(text, "1 reason and 2 claims that could not be checked, to be treated as unsafe")
    assert.include(text, "As of block 98 of ethereum (1), 2025-07-26T02:17:24.000Z.")
  })

  it("is the same with colours, but for the colours", () => {
    const coloured = ReportText.coloured(report)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences.
    assert.strictEqual(coloured.replace(/\u001b\[[\d;]*m/g, ""), ReportText.plain(report))
    assert.include(coloured, "\u001b[1;33mRisk not decided")
  })
})

describe("ReportMarkdown", () => {
  it("says every sentence and escapes what could be markup", () => {
    const markdown = ReportMarkdown.make(report)
    const unescaped = markdown.replace(/\\([\\`*_{}[\]<>()#!|~&])/g, "$1")
    for (const wanted of texts) assert.include(unescaped, wanted)
    assert.notMatch(markdown, /(?<!\\)<script|(?<!\\)\[x(?<!\\)\]/)
    assert.notMatch(markdown, /(?<!\\)\*\*b(?<!\\)\*\*/)
    assert.include(markdown, "`token.mintable`")
  })
})

describe("ReportHtml", () => {
  const page = ReportHtml.make(report)

  it("says every sentence and escapes what could be markup", () => {
    const text = page.replaceAll("&#39;", "'")
    for (const wanted of texts) assert.include(text, wanted)
    assert.include(page, "&lt;script&gt;alert(1)&lt;/script&gt;")
  })

  it("has no script, loads nothing, and forbids both", () => {
    assert.notMatch(page, /<script|<img|<link|<iframe|\son\w+=|\ssrc=|\shref=|url\(|@import/i)
    assert.include(page, `content="default-src 'none'; style-src 'unsafe-inline'"`)
  })

  it("has a style for paper", () => assert.include(page, "@media print"))
})
