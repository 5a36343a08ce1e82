import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { type Id, Timestamp, type Watch, type WatchHistory, WatchHtml } from "@assay/core"
import { type Browser, chromium } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as Documents from "../../src/testing/Documents.js"

const hour = 3_600_000
const start = Date.UTC(2026, 10, 20)

const hostile = `<script>alert("x")</script> \u202egnp`

type Check = WatchHistory.WatchHistoryCheck

const run = (place: number, part: Partial<Watch.WatchRun> = {}): Watch.WatchRun => ({
  id: `run_${place}` as Id.RunId,
  scheduled_for: Timestamp.fromMillis(start + place * hour),
  started_at: Timestamp.fromMillis(start + place * hour),
  finished_at: Timestamp.fromMillis(start + place * hour + 5_000),
  trigger: "schedule",
  status: "succeeded",
  units: 1,
  execution_id: null,
  change_status: "unchanged",
  max_severity: null,
  error_code: null,
  error: null,
  ...part
})

const change = (part: Partial<Check["changes"][number]> = {}): Check["changes"][number] => ({
  id: "token.mintable",
  subject: "evidence",
  kind: "state_changed",
  severity: "critical",
  direction: "worse",
  title: `The supply can be increased ${hostile}`,
  ...part
})

const decided = (score: number, level: "minimal" | "low" | "high" = "low"): Check["risk"] => ({
  score,
  level,
  range: { worst: score, best: score }
})

const open: Check["risk"] = { score: 24, level: "unknown", range: { worst: 24, best: 96 } }

const checks: ReadonlyArray<Check> = [
  ...[0, 1, 2].map((place) => ({ run: run(place), risk: decided(82), changes: [] })),
  { run: run(3), risk: open, changes: [] },
  {
    run: run(4, { status: "failed", error: `eth_call failed ${hostile}`, error_code: "upstream" }),
    risk: null,
    changes: []
  },
  { run: run(5), risk: decided(82), changes: [] },
  { run: run(6), risk: decided(31, "high"), changes: [change(), change({ id: "token.taxed", severity: "low" })] },
  { run: run(7), risk: { ...decided(95, "minimal"), range: { worst: 95, best: 99 } } as Check["risk"], changes: [] },
  {
    run: run(8),
    risk: decided(95, "minimal"),
    changes: [change({ severity: "info", direction: "better", title: "Better" })]
  }
]

const history = (part: Partial<WatchHistory.WatchHistory> = {}): WatchHistory.WatchHistory => ({
  watch: {
    id: "wat_01JD0000000000000000000000",
    target: "token",
    address: Documents.address(7),
    label: `Mine ${hostile}`,
    interval_seconds: 3_600,
    chain: { id: 1, name: "ethereum" },
    state: "active"
  } as unknown as Watch.Watch,
  checks,
  isWhole: true,
  ...part
})

const textOf = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, "")
    .replace(/<[^>]+>/g, "\n")
    .replace(/\n+/g, "\n")

/** Everything that the drawing has of a class. */
const drawn = (html: string, name: string) =>
  html.match(new RegExp(`<(?:line|circle|path) (?:class="${name}"|class="${name}" )[^>]*>`, "g")) ?? []

describe("The page of a watch", () => {
  const page = WatchHtml.make(history())

  it("draws each decided check as a point, and joins only those that follow each other", () => {
    assert.lengthOf(drawn(page, "dot"), 7)
    // 0-1, 1-2, 5-6, 6-7, 7-8: none over the check that is open, nor over the one without a result.
    assert.lengthOf(drawn(page, "line"), 5)
  })

  it("draws what is not decided as the span that it may have, and never as a point or a line", () => {
    const only = WatchHtml.make(history({ checks: checks.filter(({ risk }) => risk === open) }))
    const [span, ...others] = drawn(only, "span open")
    assert.isEmpty([...others, ...drawn(only, "dot"), ...drawn(only, "line")])
    // 24 and 96 of 180 pixels above 208.
    assert.match(span ?? "", /y1="164\.8" y2="35\.2"/)
    assert.match(textOf(only), /Unknown: between 24 and 96 of 100 points/)
    assert.match(only, /aria-label="Score of 1 check; none is decided; 1 not decided; 0 with changes"/)
  })

  it("draws a check without a result as a cross, and says why in the table", () => {
    assert.lengthOf(drawn(page, "miss"), 1)
    assert.match(textOf(page), /No result: failed: eth_call failed/)
  })

  it("says in words what it draws, with each check in the table and equal ones in one row", () => {
    assert.match(
      page,
      /aria-label="Score of 9 checks; 7 decided, from 31 to 95 of 100 points; 1 not decided; 1 without a result; 2 with changes"/
    )
    const body = page.slice(page.indexOf("<tbody>"))
    assert.lengthOf(body.match(/<tr>/g) ?? [], 7)
    assert.match(textOf(body), /2026-11-20 00:00\n to \n02:00\n3\n82\nLow/)
    assert.match(textOf(body), /1\n24 to 96\nUnknown/)
    assert.match(textOf(body), /1\n95, up to 99\nMinimal/)
  })

  it("marks each check with changes by the gravest of them, and lists all changes with its number, the newest first", () => {
    const marks = [...page.matchAll(/<svg x="[\d.]+%" y="0" class="moved (\w+)">[\s\S]*?class="number"[^>]*>(\d+)</g)]
    assert.deepStrictEqual(
      marks.map(([, severity, number]) => [severity, number]),
      [
        ["critical", "1"],
        ["info", "2"]
      ]
    )
    const text = textOf(page)
    assert.match(text, /Info\nBetter\n2\. 2026-11-20 08:00: decided otherwise, for the better\n/)
    assert.isBelow(text.indexOf("\nBetter\n"), text.indexOf("The supply can be increased"))
    assert.match(text, /\nCritical\nThe supply[^\n]+\n1\. [^\n]+\nLow\nThe supply/)
  })

  it("says that the newest check has no result before the verdict of an earlier one", () => {
    const [failed] = checks.filter(({ risk }) => risk === null)
    const late = WatchHtml.make(history({ checks: [...checks, ...(failed === undefined ? [] : [failed])] }))
    assert.match(textOf(late), /The newest check, at .+, has no result \(failed: .+treat as unsafe until/)
    assert.notMatch(textOf(page), /has no result \(/)
    const nothing = WatchHtml.make(history({ checks: [] }))
    assert.match(textOf(nothing), /Unknown: no check has a result/)
    assert.notInclude(nothing, 'class="timeline"')
  })

  it("escapes what could be markup, has no script and loads nothing", () => {
    for (const each of [page, WatchHtml.make(history({ isWhole: false }))]) {
      assert.notMatch(each, /<script|<img|<link|\u202e| style=|https?:\/\//)
      assert.include(each, "default-src &#39;none&#39;")
    }
  })
})

const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((file) => existsSync(file))
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

describe.runIf(Tier.landing && executablePath !== undefined)("The page of a watch in Chromium", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] })
  }, 60_000)
  afterAll(() => browser?.close())

  it("is accessible by what axe finds serious, fits on a telephone and requests nothing, in light and in dark", async () => {
    const source = readFileSync(axe, "utf8")
    const many = Array.from(
      { length: 100 },
      (_, place): Check => ({ ...(checks[place % 9] as Check), run: run(place) })
    )
    for (const [width, colorScheme] of [
      [1200, "light"],
      [390, "dark"]
    ] as const) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
      for (const html of [history(), history({ checks: [] }), history({ checks: many, isWhole: false })].map(
        WatchHtml.make
      )) {
        const page = await context.newPage()
        const requests: Array<string> = []
        page.on("request", (request) => requests.push(request.url()))
        page.on("console", (message) => requests.push(message.text()))
        await page.setContent(html, { waitUntil: "load" })
        assert.strictEqual(await page.evaluate("document.documentElement.scrollWidth"), width)
        assert.deepStrictEqual(requests, [])
        await page.evaluate(source)
        const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
          readonly violations: ReadonlyArray<{ readonly id: string; readonly impact: string }>
        }
        assert.deepStrictEqual(
          violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id),
          []
        )
        await page.close()
      }
      await context.close()
    }
  }, 60_000)
})
