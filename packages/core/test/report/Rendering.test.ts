import { createHash } from "node:crypto"
import {
  Address,
  type Analysis,
  type ChangeReport,
  type Evidence,
  ReportHtml,
  ReportMarkdown,
  ReportText,
  type RiskReport,
  Timestamp
} from "@assay/core"
import { assert, describe, it } from "vitest"
import * as Mark from "../../src/report/page/Mark.js"
import * as Style from "../../src/report/page/Style.js"

const address = Address.checksum("0x1C674bf0d074Dc54bb13D1e6291C0cE88054C5b5")
const other = "0x71bE63f3384f5fb98995898A86B02Fb2426c5788"

const hostile = '"><script>alert(1)</script> [x](http://evil.example) **b** `c` | # '

const sentence = (text: string, ...evidence_ids: ReadonlyArray<string>) => ({ text, evidence_ids })

const report: RiskReport.RiskReport = {
  target: "token",
  address,
  name: hostile.slice(0, 32),
  verdict: { level: "unknown", level_at_best: "medium", score: 14, range: { worst: 14, best: 54 }, coverage: 0.6 },
  decision: {
    outcome: "unknown",
    because: [sentence("We could not check whether it can be sold", "trade.honeypot")],
    policy: { block_from: "critical", review_from: "medium" }
  },
  headline: sentence(
    "Unknown: between 14 and 54 of 100 points. One question is open: whether it can be sold (the read failed). Treat as unsafe until another endpoint can read it",
    "trade.honeypot"
  ),
  actions: [
    {
      ...sentence("Revoke the approval of private key 0x71bE63…6c5788", "allowance.outstanding"),
      transaction: {
        to: address,
        function: "approve(address,uint256)",
        arguments: [other, "0"],
        data: "0x095ea7b3",
        command: `cast send --from ${other} ${address} "approve(address,uint256)" ${other} 0`
      }
    }
  ],
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
  powers: [],
  at_risk: null,
  holding: sentence("7.42 % of the circulating supply in one account, 57.53 % in ten", "holders.concentrated"),
  holders: [],
  largest_sale: null,
  exit: {
    sale: sentence("We could not check whether it can be sold; treat as unsafe", "trade.honeypot"),
    taxes: sentence("Tax: purchase 0 %, sale 0 %, transfer 0 %", "trade.taxed"),
    depth: null,
    liquidity: null
  },
  changes: [sentence("high: Liquidity is no longer locked", "liquidity.locked")],
  as_of: { chain: { id: 1, name: "ethereum" }, block: 98, time: Timestamp.fromMillis(1_753_496_244_000) },
  not_checked: ["trade.honeypot"],
  evidence_link: "/evidence/{id}",
  omitted: { reasons: 1, unknown_claims: 2 },
  not_advice: "Evidence at one block, not advice."
}

const texts = [
  // The verdict above it says the rest.
  { text: report.headline.text.replace("Unknown: between 14 and 54 of 100 points. ", "") },
  ...report.actions,
  ...(report.holding === null ? [] : [report.holding]),
  ...report.reasons.slice(1),
  ...report.unknowns,
  ...report.reassurances,
  ...(report.changes ?? [])
].map(({ text }) => text)

const joined = (text: string): string => text.replace(/\s+/g, " ")

describe("ReportText", () => {
  it("stays within 80 columns but for commands, which are copied as one line, and has no control character but the ends of lines", () => {
    const lines = ReportText.plain(report).split("\n")
    for (const line of lines) {
      if (!line.startsWith("  cast send")) assert.isAtMost(line.length, 80, line)
      assert.notMatch(line, /\p{C}/u)
    }
  })

  it("says every sentence, with its ids, points and who has the power", () => {
    const text = joined(ReportText.plain(report))
    for (const wanted of texts) assert.include(text, wanted)
    assert.include(text, "Takes 12 points; this power is held by Safe 2 of 3 after 7 days")
    assert.include(text.replaceAll(" ", ""), `[allowance.spender-risky:${address}:${other}]`)
    assert.include(text, "Unknown: between 14 and 54 of 100 points, more is better")
    assert.include(text, "Not decided, so do not allow it: critical risk is blocked and medium risk reviewed")
    assert.include(text, ` ${report.actions[0]?.transaction?.command} `)
    assert.include(text, "1 reason and 2 claims that could not be checked, to be treated as unsafe")
    assert.include(text, "As of block 98 of ethereum (1), 2025-07-26T02:17:24.000Z.")
  })

  it("is the same with colours, but for the colours", () => {
    const coloured = ReportText.coloured(report)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences.
    assert.strictEqual(coloured.replace(/\u001b\[[\d;]*m/g, ""), ReportText.plain(report))
    assert.include(coloured, "\u001b[1;33mUnknown: between")
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
    assert.include(markdown, `\`${report.actions[0]?.transaction?.command}\``)
  })
})

describe("ReportHtml", () => {
  const page = ReportHtml.make(report)
  const explorer = "https://explorer.example/address/"
  const item = (id: string, part: Partial<Evidence.Evidence> = {}): Evidence.Evidence => ({
    state: "confirmed",
    source_url: `${explorer}${address}`,
    id,
    version: 1,
    category: "control",
    title: "A claim",
    detail: `${hostile} ${"x".repeat(10_000)} \u202egnp\u2066`,
    value: null,
    polarity: "risk",
    severity: "critical",
    verified: false,
    reason: null,
    controller: null,
    observation: null,
    ...part
  })
  const analysis = {
    target: { kind: "token", address, chain: report.as_of.chain },
    evidence: [
      item("token.mintable", {
        controller: {
          kind: "eoa",
          address: Address.checksum(other),
          delay_seconds: null,
          threshold: null,
          signers: null
        }
      }),
      item("trade.honeypot", { state: "unknown", reason: "rpc_error", source_url: "javascript:alert(1)" }),
      item("token.listed", { polarity: "protective", source_url: `eip155:1:${address}` }),
      item("holders.top", {
        polarity: "neutral",
        value: { complete: false, holders: [{ address: other, kind: "burn_address", share_bps: 1_234 }] }
      }),
      item("trade.taxed", {
        value: { buy_tax_bps: 500, sell_tax_bps: 9_000, transfer_tax_bps: null }
      })
    ],
    facts: {
      risk: { range: { worst: 14, best: 71 }, coverage: 0.919 },
      control: null
    }
  } as unknown as Pick<Analysis.Analysis, "evidence" | "facts" | "target">
  const whole = ReportHtml.make(report, { analysis })

  it("says every sentence and escapes what could be markup", () => {
    for (const each of [page, whole]) {
      const text = each.replace(/<a class="mono"[^>]*title="(0x\w{40})">[^<]*<\/a>/g, "$1").replaceAll("&#39;", "'")
      for (const wanted of texts) assert.include(text, wanted)
      assert.include(each, "&lt;script&gt;alert(1)&lt;/script&gt;")
      assert.notMatch(each, /[\u202a-\u202e\u2066-\u2069]/)
    }
  })

  it("has no script, loads nothing, and forbids both", () => {
    for (const each of [page, whole]) {
      assert.notMatch(each, /<script|<img|<link|<iframe|<use|\son\w+=|\ssrc=|\sstyle=|url\(|@import/i)
      for (const [, href = ""] of each.matchAll(/\shref="([^"]*)"/g))
        assert.match(href, /^(?:#[\w-]+|https:\/\/explorer\.example\/address\/0x\w{40})$/)
      const [, style = ""] = /<style>([\s\S]*)<\/style>/.exec(each) ?? []
      const hash = createHash("sha256").update(style).digest("base64")
      assert.include(
        each,
        `content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; base-uri &#39;none&#39;`
      )
    }
  })

  it("leads each number and each shortened account to what it stands for", () => {
    for (const each of [page, whole]) {
      const places = new Set([...each.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id))
      const links = [...each.matchAll(/\shref="#([^"]*)"/g)].map(([, id]) => id)
      assert.isNotEmpty(links)
      for (const link of links) assert.isTrue(places.has(link), link)
      assert.lengthOf([...each.matchAll(/\sid="/g)], places.size)
      for (const id of ["token.mintable", `allowance.spender-risky:${address}:${other}`])
        assert.include(each, `<code>${id}</code>`)
      assert.include(each, `>${other}<`)
    }
    assert.include(whole, `href="${explorer}${other}"`)
    assert.notInclude(page, 'href="http')
  })

  it("folds under a sentence the items that it rests on, and cuts what a contract made long", () => {
    assert.match(whole, /<details>.*Confirmed<\/span> · A claim\. .*inferred from the bytecode/)
    assert.include(whole, "not decided (rpc_error)")
    assert.notMatch(whole, /x{700}/)
    assert.notInclude(page, "<details>")
  })

  it("shows the span of a score that is not decided over every level that it may be", () => {
    assert.include(whole, "Score 14 to 71 on a scale")
    assert.deepStrictEqual(
      [...whole.matchAll(/class="on-text"[^>]*>(\w+)</g)].map(([, level]) => level),
      ["Critical", "High", "Medium", "Low"]
    )
    assert.include(whole, "Decided: 91 % of the checks")
  })

  it("distinguishes severities by colour, by shape and by word", () => {
    const severities = ["critical", "high", "medium", "low", "info", "unknown"] as const
    const [, colours = ""] = /:root\{([^}]*)\}/.exec(Style.style) ?? []
    const of = (severity: (typeof severities)[number]) => {
      const { html } = Mark.badge(severity)
      return [
        new RegExp(`--${severity}:(#\\w+)`).exec(colours)?.[1],
        [...html.matchAll(/\sd="([^"]+)"/g)].join(),
        html.replace(/<[^>]+>/g, "")
      ]
    }
    for (const place of [0, 1, 2])
      assert.strictEqual(new Set(severities.map((severity) => of(severity)[place])).size, 6)
  })

  it("draws holders and taxes where they are known, and says what is not", () => {
    const text = whole.replace(/<[^>]+>/g, "")
    assert.include(text, "Largest holders, by share of the supply; not all holders were found")
    assert.include(text, "burn address12.34 %")
    assert.include(text, "Sale90 %Transfernot measured")
  })

  it("begins with what changed, and shows both scores", () => {
    const change = (id: string, part: Partial<ChangeReport.Change>): ChangeReport.Change => ({
      id,
      subject: "evidence",
      kind: "state_changed",
      path: "",
      before: null,
      after: null,
      delta: null,
      severity: "critical",
      direction: "worse",
      verified: true,
      title: `The supply can be increased ${hostile}`,
      source_url: "",
      ...part
    })
    const changes = {
      status: "changed",
      changes: [
        change("token.mintable", {}),
        change("trade.taxed", { kind: "visibility_lost", severity: "info", title: "The tax on a trade" })
      ]
    } as unknown as ChangeReport.ChangeReport
    const before = {
      ...analysis,
      facts: { ...analysis.facts, risk: { range: { worst: 90, best: 90 } } }
    } as typeof analysis
    const both = ReportHtml.make(report, { analysis, before, changes })
    const text = both.replace(/<[^>]+>/g, "\n").replace(/\n+/g, "\n")
    assert.match(text, /What changed\nCritical\nThe supply can be increased [\s\S]*Decided otherwise, for the worse\./)
    assert.match(text, /Info\nThe tax on a trade[\s\S]*Cannot be read any more\.\n/)
    assert.isBelow(text.indexOf("What changed"), text.indexOf("What speaks against it"))
    assert.lengthOf(text.match(/What changed/g) ?? [], 1)
    assert.match(both, /Before<[\s\S]*Score 90 on a scale[\s\S]*Now<[\s\S]*Score 14 to 71 on a scale/)
  })

  it("has a style for paper", () => assert.include(page, "@media print"))
})
