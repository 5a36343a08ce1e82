import { readFileSync } from "node:fs"
import {
  Address,
  type Analysis,
  Analyzer,
  type ChangeReport,
  type Evidence,
  Report,
  ReportMarkdown,
  type RiskReport,
  RiskReport as Schemas,
  Scoring
} from "@assay/core"
import { Targets } from "@assay/sandbox"
import { Effect, Option, Schema } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as World from "../integration/World.js"

type Subject = Pick<Analysis.Analysis, "block" | "evidence" | "facts" | "target">

/** Every sentence by the part of the report that it is in. */
const sentences = (report: RiskReport.RiskReport): ReadonlyArray<readonly [string, RiskReport.ReportSentence]> => [
  ["headline", report.headline],
  ...report.reasons.map((reason) => ["reasons", reason] as const),
  ...report.unknowns.map((unknown) => ["unknowns", unknown] as const),
  ...report.reassurances.map((reassurance) => ["reassurances", reassurance] as const),
  ...report.control.map((line) => ["control", line] as const),
  ...report.decision.because.map((why) => [`because ${report.decision.outcome}`, why] as const),
  // Advice is of a claim, and goes with the last of its items.
  ...report.actions.flatMap((action) => (action.transaction === null ? [] : [["actions", action] as const])),
  ...(report.at_risk === null
    ? []
    : [
        ["at_risk", report.at_risk] as const,
        ...report.at_risk.spenders.map((spender) => ["spenders", spender] as const)
      ]),
  ...(report.holding === null ? [] : [["holding", report.holding] as const]),
  ...(report.largest_sale === null ? [] : [["largest_sale", report.largest_sale] as const]),
  ...Object.entries(report.exit ?? {}).flatMap(([name, sentence]) =>
    sentence === null ? [] : [[name, sentence] as const]
  )
]

/** The same target with other evidence, scored again. */
const withEvidence = (subject: Subject, evidence: ReadonlyArray<Evidence.Evidence>): Subject => ({
  ...subject,
  evidence,
  facts: { ...subject.facts, risk: Scoring.score(evidence) }
})

const states = ["confirmed", "refuted", "unknown"] as const

const inState = (item: Evidence.Evidence, state: (typeof states)[number]): Evidence.Evidence => ({
  ...item,
  state,
  reason: state === "unknown" ? "rpc_error" : null,
  controller: state === "unknown" ? null : item.controller,
  detail: state === "unknown" ? "eth_call failed: timeout; analyse again or use another endpoint" : item.detail,
  value: state === "unknown" ? null : item.value
})

const bytes = (report: RiskReport.RiskReport): number => new TextEncoder().encode(JSON.stringify(report)).length

/** Lets the process that reports on this one be answered. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe("Report", () => {
  let analyses: ReadonlyArray<readonly [string, Analysis.Analysis]>
  beforeAll(async () => {
    const world = await World.start()
    const found: Array<readonly [string, Analysis.Analysis]> = []
    const targets = Tier.all
      ? Object.values(world.sandbox.targets)
      : Targets.documented.map((name) => world.sandbox.targets[name])
    for (const { address, kind, name } of targets) {
      const analyze = Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
        analyzer.analyze({ kind, address: Address.checksum(address), chain: world.chain })
      )
      found.push([name, await world.run(analyze)])
    }
    analyses = found
  })

  it("loses each sentence with any of the items that it names", async () => {
    for (const [name, analysis] of analyses) {
      await turn()
      const told = sentences(Report.make(analysis))
      for (const id of new Set(told.flatMap(([, { evidence_ids }]) => evidence_ids))) {
        assert.isTrue(
          analysis.evidence.some((item) => item.id === id),
          `${name}: ${id}`
        )
        const left = sentences(
          Report.make(
            withEvidence(
              analysis,
              analysis.evidence.filter((item) => item.id !== id)
            )
          )
        )
        for (const [part, { evidence_ids, text }] of told) {
          if (!evidence_ids.includes(id)) continue
          assert.isFalse(
            left.some(([other, sentence]) => other === part && sentence.text === text),
            `${name} without ${id} still says in ${part}: ${text}`
          )
        }
        assert.isFalse(left.some(([, sentence]) => sentence.evidence_ids.includes(id)))
      }
    }
  })

  it("loses each sentence when an item that it names is in another state", async () => {
    for (const [name, analysis] of analyses) {
      await turn()
      const told = sentences(Report.make(analysis))
      for (const id of new Set(told.flatMap(([, { evidence_ids }]) => evidence_ids))) {
        const item = analysis.evidence.find((candidate) => candidate.id === id)
        for (const state of states) {
          if (item === undefined || item.state === state) continue
          const evidence = analysis.evidence.map((other) => (other === item ? inState(item, state) : other))
          const left = sentences(Report.make(withEvidence(analysis, evidence)))
          for (const [part, { evidence_ids, text }] of told)
            assert.isFalse(
              evidence_ids.includes(id) && left.some(([other, sentence]) => other === part && sentence.text === text),
              `${name} with ${id} ${state} still says in ${part}: ${text}`
            )
        }
      }
    }
  })

  it("says of a wallet without a key that what is sent to it is lost, whatever its level", () => {
    const wallets = analyses.filter(([, { target }]) => target.kind === "wallet")
    assert.isNotEmpty(wallets)
    for (const [name, analysis] of wallets) {
      const headline = (keyless: boolean) =>
        Report.make(
          withEvidence(
            analysis,
            analysis.evidence.map((item) =>
              item.id === "address.kind" ? { ...item, value: { kind: "precompile", delegate: null, keyless } } : item
            )
          )
        ).headline
      assert.deepStrictEqual(
        headline(true),
        { text: "Nobody has the key of this address: what is sent to it is lost", evidence_ids: ["address.kind"] },
        name
      )
      assert.notInclude(headline(false).text, "key of this address")
    }
  })

  it("names an item in each sentence, and only items in the state that its part is about", () => {
    for (const [name, analysis] of analyses) {
      const report = Report.make(analysis)
      const stateOf = (id: string) => analysis.evidence.find((item) => item.id === id)?.state
      for (const [part, sentence] of sentences(report)) assert.isNotEmpty(sentence.evidence_ids, `${name} ${part}`)
      for (const { evidence_ids } of report.reasons)
        assert.isTrue(evidence_ids.every((id) => stateOf(id) === (id === "token.listed" ? "refuted" : "confirmed")))
      for (const { evidence_ids } of report.unknowns)
        assert.isTrue(evidence_ids.every((id) => stateOf(id) === "unknown"))
      for (const { evidence_ids } of [...report.reassurances, ...report.control])
        assert.isTrue(evidence_ids.every((id) => stateOf(id) !== "unknown"))
    }
  })

  it("says of what is unknown why, and to treat it as unsafe until something settles it", async () => {
    for (const [name, analysis] of analyses) {
      await turn()
      // As if nothing could be read.
      const blind = withEvidence(
        analysis,
        analysis.evidence.map((item) => inState(item, "unknown"))
      )
      for (const subject of [analysis, blind]) {
        const report = Report.make(subject)
        for (const { text } of report.unknowns)
          assert.match(text, /^We could not check whether .+ because .+; treat as unsafe until [^;]+$/, name)
        if (report.verdict.level === "unknown")
          assert.match(
            report.headline.text,
            /(?:we could not check whether .+ because .+; t|questions? (?:is|are) open.*: whether .+\. T)reat as unsafe until [^;]+$/i
          )
        for (const [part, { text }] of sentences(report))
          assert.notMatch(text, /(?<![@\w/-])safe(?![-\w])/, `${name} ${part}`)
      }
      const report = Report.make(blind)
      assert.isNull(report.verdict.score)
      assert.lengthOf(report.reasons, 0)
      assert.lengthOf(report.reassurances, 0)
      assert.lengthOf(report.control, 0)
      const told = report.unknowns.reduce((sum, { claims }) => sum + claims, 0)
      assert.strictEqual(told + (report.omitted.unknown_claims ?? 0), analysis.evidence.length)
    }
  })

  it("states the tax that contracts paid, also where it decides nothing", () => {
    const [, analysis] = analyses.find(([, { evidence }]) => evidence.some(({ id }) => id === "trade.taxed")) ?? []
    if (analysis === undefined) throw new Error("no token is documented")
    const paid =
      "contracts that sold in the block of their purchase paid: purchase 0.00 %, sale 9.00 %, transfer 0.00 %"
    const taxes = (untold: ReadonlyArray<string>) =>
      Report.make(
        withEvidence(
          analysis,
          analysis.evidence.map((item) =>
            item.id === "trade.taxed"
              ? {
                  ...inState(item, "unknown"),
                  detail: `no block simulation: not offered; ${paid}; the code proves nothing`
                }
              : untold.includes(item.id)
                ? { ...inState(item, "unknown"), detail: "no block simulation: not offered" }
                : item
          )
        )
      ).exit?.taxes
    for (const untold of [[], ["trade.honeypot"]]) {
      const sentence = taxes(untold)
      assert.match(sentence?.text ?? "", /treat as unsafe/)
      assert.include(sentence?.text, paid)
      assert.include(sentence?.evidence_ids ?? [], "trade.taxed")
    }
  })

  it("never gives a level without what it rests on", () => {
    for (const [, analysis] of analyses)
      assert.match(
        Report.make(analysis).headline.text,
        /^(?:Critical|High|Medium|Low|Minimal) risk(?: at least)?: |^A listed token|could not check|^Unknown: between \d+ and \d+ of 100 points\. .+ open|^Private key .+ can take/
      )
  })

  it("accounts for every point that was taken", () => {
    for (const [name, analysis] of analyses) {
      const { omitted, reasons, unknowns, verdict } = Report.make(analysis)
      if (omitted.reasons !== undefined || omitted.unknown_claims !== undefined) continue
      const points = [...reasons, ...unknowns].reduce((sum, { points }) => sum + points, 0)
      assert.strictEqual(points, 100 - (verdict.score ?? 0), name)
    }
  })

  it("is the same for evidence in any order, and for facts that are in no item", async () => {
    for (const [name, analysis] of analyses) {
      await turn()
      const report = JSON.stringify(Report.make(analysis))
      const bare = { ...analysis.facts, token: null, control: null, pools: null, trade: null, proxy: null, safe: null }
      const reversed = { ...analysis, evidence: analysis.evidence.toReversed(), facts: bare }
      assert.strictEqual(JSON.stringify(Report.make(reversed)), report, name)
    }
  })

  it("fits into 3,072 bytes, keeps its confirmed reasons and says what it left out", () => {
    for (const [name, analysis] of analyses) {
      const report = Report.make(analysis)
      const short = Report.compact(report)
      assert.isAtMost(bytes(short), 3_072, name)
      assert.deepStrictEqual(
        short.reasons.map(({ evidence_ids, points }) => [evidence_ids[0], points]),
        report.reasons.map(({ evidence_ids, points }) => [evidence_ids[0], points])
      )
      for (const part of ["reassurances", "control"] as const)
        if (short[part].length < report[part].length)
          assert.isTrue((short.omitted[part] ?? short.omitted.addresses ?? 0) > 0, `${name} ${part}`)
      const claims = (of: RiskReport.RiskReport): number =>
        of.unknowns.reduce((sum, unknown) => sum + unknown.claims, of.omitted.unknown_claims ?? 0)
      assert.strictEqual(claims(short), claims(report))
      for (const [part, sentence] of sentences(short)) assert.isNotEmpty(sentence.evidence_ids, `${name} ${part}`)
    }
  })

  it("calls what the controllers of listed tokens can do disclosed control, and no trap", () => {
    const of = (wanted: string) => {
      const [, analysis] = analyses.find(([name]) => name === wanted) ?? assert.fail(wanted)
      return Report.make(analysis)
    }
    const usdc = of("usdc")
    assert.match(
      usdc.headline.text,
      /^A listed token with disclosed control: its controllers can upgrade the code, block accounts, mint and pause transfers; fresh accounts can sell it/
    )
    assert.include(
      usdc.control.map(({ text }) => text),
      "Pause transfers: one private key (0xcd3B766CCDd6AE721141F452C550Ca635964ce71)"
    )
    assert.strictEqual(usdc.exit?.taxes?.text, "Tax: purchase 0 %, sale 0 %, transfer 0 %")
    assert.match(
      of("usdt").headline.text,
      /^A listed token with disclosed control: its controllers can take balances, .+; fresh accounts can sell it/
    )
    assert.match(
      of("daiLike").headline.text,
      /^Unknown: between \d+ and \d+ of 100 points\. .+ open.*: whether .+\. Treat as unsafe until/
    )
    assert.match(of("weth").headline.text, /^A listed token that no known account controls; fresh accounts can sell it/)
    for (const name of ["usdc", "usdt", "weth"]) assert.notMatch(JSON.stringify(of(name)), /trap|scam|honeypot"?:/i)
  })

  it("says of a token of which nothing grave was found, and of one that is not decided, what a buyer has to know first", () => {
    const headline = (name: string) => {
      const [, analysis] = analyses.find(([each]) => each === name) ?? assert.fail(name)
      return Report.make(analysis).headline
    }
    assert.match(
      headline("plain").text,
      /^Minimal risk: none of the \d+ risks that were checked was found; ten accounts hold 57\.53 % of the circulating supply$/
    )
    assert.include(headline("plain").evidence_ids, "holders.concentrated")
    assert.match(headline("daiLike").text, /of 100 points\. The supply can be increased\. .+ open.*: whether /)
    assert.include(headline("daiLike").evidence_ids, "token.mintable")
  })

  it("cuts the reasons of a decision in the compact form before what explains them, and never within a clause", () => {
    for (const [name, analysis] of analyses) {
      const whole = Report.make(analysis).decision.because
      const short = Report.compact(Report.make(analysis)).decision.because
      for (const [place, { text }] of short.entries()) {
        const full = whole[place]?.text ?? assert.fail(name)
        if (text === full) continue
        const kept = text.slice(0, -" …".length)
        assert.isTrue(text.endsWith(" …") && full.startsWith(kept), `${name}: ${text}`)
        assert.match(full.slice(kept.length), /^(?:: | \(|; |, so | because )/, `${name}: ${text}`)
      }
    }
  })

  it("says who can do what and after how long", () => {
    const [, analysis] = analyses.find(([name]) => name === "timelockOwned") ?? assert.fail()
    assert.strictEqual(
      Report.make(analysis).control[0]?.text,
      "Mint and pause transfers: Safe 2 of 3 after 7 days (timelock 0x71C95911E9a5D330f4D621842EC243EE1343292e)"
    )
  })

  it("cuts and cleans what a token calls itself", () => {
    const [, analysis] = analyses.find(([name]) => name === "usdc") ?? assert.fail()
    const symbol = `\u202eUSDC\u0000\n<b>${"x".repeat(100)}`
    const evidence = analysis.evidence.map((item) =>
      item.id === "token.metadata-readable" ? { ...item, value: { ...(item.value as object), symbol } } : item
    )
    assert.strictEqual(Report.make({ ...analysis, evidence }).name, `USDC <b>${"x".repeat(24)}`)
  })

  it("says of a pool that is no constant product that its depth was not read, and what it holds as the bound of any sale", () => {
    const [, analysis] = analyses.find(([name]) => name === "onlyV3") ?? assert.fail("no onlyV3")
    const item = analysis.evidence.find(({ id }) => id === "liquidity.pools") ?? assert.fail("no pools")
    const { pools } = item.value as { readonly pools: ReadonlyArray<Readonly<Record<string, unknown>>> }
    const depthWith = (change: Readonly<Record<string, unknown>>) =>
      Report.make(
        withEvidence(
          analysis,
          analysis.evidence.map((other) =>
            other === item ? { ...item, value: { pools: pools.map((pool) => ({ ...pool, ...change })) } } : other
          )
        )
      ).exit?.depth?.text
    assert.match(
      depthWith({}) ?? "",
      /Uniswap V3 WETH pool was not read; any sale there pays at most the [\d.,]+ WETH that/
    )
    assert.include(depthWith({ reserve_quote: "12345600000000000000" }), "at most the 12.3 WETH that it holds")
    // The decimals of another quote are not in the evidence.
    assert.include(depthWith({ quote_symbol: "USDC" }), "USDC pool was not read; treat as unsafe until")
    assert.include(depthWith({ kind: "uniswap-v2", reserve_token: "0" }), "because no pool was found to hold any of it")
    assert.match(
      depthWith({ kind: "uniswap-v2", reserve_token: "1000000000000000000000" }) ?? "",
      /^About 54\.1 tokens/
    )
  })

  it("says what changed, and nothing of what could not be compared", () => {
    const [, analysis] = analyses[0] ?? assert.fail()
    const change = {
      id: "token.mintable",
      severity: "high",
      title: `The supply can be increased \u202e${"x ".repeat(200)}`
    }
    const of = (status: string, changes: ReadonlyArray<unknown>) =>
      Report.make(analysis, { changes: { status, changes } as unknown as ChangeReport.ChangeReport }).changes
    const [told] = of("changed", [change]) ?? assert.fail()
    assert.deepStrictEqual(told?.evidence_ids, ["token.mintable"])
    assert.match(told?.text ?? "", /^High: The supply can be increased (?:x )+…$/)
    assert.isAtMost(told?.text.length ?? 0, 130)
    assert.deepStrictEqual(of("unchanged", []), [])
    for (const status of ["baseline", "incomparable"]) assert.isNull(of(status, []))
    const many = Report.make(analysis, {
      changes: {
        status: "changed",
        changes: Array.from({ length: 5 }, () => change)
      } as unknown as ChangeReport.ChangeReport
    })
    assert.lengthOf(many.changes ?? [], 3)
    assert.strictEqual(many.omitted.changes, 2)
    assert.isAtMost(bytes(Report.compact(many)), 3_072)
  })

  it("is what docs/reports shows of the targets that are documented", () => {
    for (const name of Targets.documented) {
      const [, analysis] = analyses.find(([other]) => other === name) ?? assert.fail(name)
      const written = readFileSync(new URL(`../../../../docs/reports/${name}.md`, import.meta.url), "utf8")
      assert.strictEqual(
        ReportMarkdown.make(Report.make(analysis), { analysis }),
        written,
        `${name}: run \`npm run reports\``
      )
    }
  })

  it("is what its schema says", () => {
    for (const [, analysis] of analyses) {
      const report = Report.make(analysis)
      const written: unknown = JSON.parse(JSON.stringify(report))
      assert.deepStrictEqual(Schema.decodeUnknownSync(Schemas.RiskReport)(written), report)
    }
  })

  it("is none of an execution without a result", () => {
    const [, analysis] = analyses[0] ?? assert.fail()
    const result = {
      ...analysis,
      ...analysis.target,
      target: analysis.target.kind,
      execution_id: "exe_01JD0000000000000000000000",
      error: null,
      created_at: analysis.block.timestamp,
      completed_at: analysis.block.timestamp,
      progress: null,
      summary: null,
      summary_status: "skipped",
      summary_reason: "not_requested",
      change_report: null,
      units: 1
    } as unknown as Parameters<typeof Report.ofResult>[0]
    assert.deepStrictEqual(Report.ofResult(result), Option.some(Report.make(analysis)))
    assert.isTrue(Option.isNone(Report.ofResult({ ...result, status: "failed", block: null, evidence: [] })))
  })
})
