import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Address, type Analysis, Analyzer, Report, ReportHtml } from "@assay/core"
import { Effect } from "effect"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as World from "../integration/World.js"

const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((file) => existsSync(file))
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

const names = ["usdc", "hostileName", "approver"] as const
const views = [
  { width: 1200, colorScheme: "light" },
  { width: 390, colorScheme: "dark" }
] as const

interface View {
  readonly name: string
  readonly width: number
  readonly page: Page
  readonly requests: ReadonlyArray<string>
  readonly complaints: ReadonlyArray<string>
}

describe.runIf(Tier.landing && executablePath !== undefined)("ReportHtml in Chromium", () => {
  let browser: Browser
  const all: Array<View> = []
  beforeAll(async () => {
    const { chain, run, sandbox } = await World.start()
    browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] })
    const contexts = await Promise.all(
      views.map(async ({ colorScheme, width }) => ({
        width,
        context: await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
      }))
    )
    for (const name of names) {
      const { address, kind } = sandbox.targets[name]
      const analysis: Analysis.Analysis = await run(
        Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
          analyzer.analyze({ kind, address: Address.checksum(address), chain })
        )
      )
      const html = ReportHtml.make(Report.make(analysis), { analysis })
      for (const { context, width } of contexts) {
        const page = await context.newPage()
        const requests: Array<string> = []
        const complaints: Array<string> = []
        page.on("request", (request) => requests.push(request.url()))
        page.on("console", (message) => complaints.push(message.text()))
        await page.setContent(html, { waitUntil: "load" })
        all.push({ name, width, page, requests, complaints })
      }
    }
  }, 120_000)
  afterAll(() => browser?.close())

  const of = (width: (typeof views)[number]["width"]) => all.filter((view) => view.width === width)

  it("is accessible in both themes and at both widths, by what axe finds serious", async () => {
    const source = readFileSync(axe, "utf8")
    for (const { name, page, width } of all) {
      // A page in the background is slowed down.
      await page.bringToFront()
      await page.evaluate(source)
      const found = await page.evaluate("axe.run({ resultTypes: ['violations'] })")
      const { violations } = found as { readonly violations: ReadonlyArray<Violation> }
      const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical")
      assert.deepStrictEqual(
        grave.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]),
        [],
        `${name} at ${width}`
      )
    }
  }, 60_000)

  it("is no wider than a telephone, also with every item unfolded", async () => {
    for (const { name, page } of of(390)) {
      const width = await page.evaluate(
        "for (const each of document.querySelectorAll('details')) each.open = true; document.documentElement.scrollWidth"
      )
      assert.strictEqual(width, 390, name)
    }
  })

  it("shows what a contract calls itself as text, in a line of its own direction", async () => {
    for (const { name, page } of of(390)) {
      assert.notMatch((await page.locator("main").textContent()) ?? "", /(?![\n])[\p{Cc}\p{Cf}]/u, name)
      assert.strictEqual(await page.locator("h1 bdi").count(), name === "approver" ? 0 : 1, name)
      assert.strictEqual(await page.locator("script, img, iframe, object").count(), 0, name)
    }
  })

  it("prints on at most two pages, with the diagram and without what is folded", async () => {
    for (const { name, page } of of(1200)) {
      const printed = (await page.pdf({ format: "A4" })).toString("latin1")
      assert.isAtMost((printed.match(/\/Type\s*\/Page\b/g) ?? []).length, 2, name)
      await page.emulateMedia({ media: "print" })
      assert.strictEqual(await page.locator("details:visible").count(), 0, name)
      assert.strictEqual(await page.locator(".diagram:visible").count(), name === "hostileName" ? 0 : 1, name)
    }
  })

  it("has requested nothing, and broken nothing of its own policy", () => {
    for (const { complaints, name, requests } of all) assert.deepStrictEqual([requests, complaints], [[], []], name)
  })
})

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>
}
