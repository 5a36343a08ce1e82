// `npm run pictures`: writes docs/reports/pictures/, the HTML reports of ten sandbox targets as Chromium shows them: wide and
// on a telephone, in light and in dark. It needs Debian's chromium, or Chrome.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Analyzer, ChainAccess, Checks, Report, ReportHtml } from "@assay/core"
import { Sandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { chromium } from "playwright-core"
import { sandboxChain } from "./sandboxChain.mjs"

const folder = fileURLToPath(new URL("../docs/reports/pictures/", import.meta.url))
const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((file) => existsSync(file))

const names = [
  "usdc",
  "stakedToken",
  "timelockOwned",
  "bridgedToken",
  "daiLike",
  "honeypot",
  "plain",
  "hostileName",
  "moduleSafe",
  "approver"
]
const widths = [1200, 390]
const themes = ["light", "dark"]
// A page is whole but where it is longer than Chromium paints at once.
const mostHeight = 16_000
const quality = 6

const engine = Analyzer.layer(Checks.all).pipe(
  Layer.provide(ChainAccess.layerJsonRpc({ headTtl: "1 hour" })),
  Layer.provide(NodeHttpClient.layerUndici)
)

const pages = (sandbox) =>
  Effect.forEach(names, (name) =>
    Effect.gen(function* () {
      const analyzer = yield* Analyzer.Analyzer
      const { address, kind } = sandbox.targets[name]
      const analysis = yield* analyzer.analyze({ kind, address, chain: sandboxChain(sandbox) })
      return [name, ReportHtml.make(Report.make(analysis), { analysis })]
    })
  )

/** A picture in WebP, which Chromium writes itself. */
const picture = async (context, html, width) => {
  const page = await context.newPage()
  await page.setContent(html)
  const height = await page.evaluate("document.documentElement.scrollHeight")
  const session = await context.newCDPSession(page)
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width, height: Math.min(height, mostHeight), scale: 1 }
  })
  await page.close()
  return Buffer.from(data, "base64")
}

const sandbox = await Sandbox.start()
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
try {
  const all = await Effect.runPromise(Effect.provide(pages(sandbox), engine))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const width of widths)
    for (const colorScheme of themes) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
      for (const [name, html] of all) {
        const file = `${name}-${width}-${colorScheme}.webp`
        const bytes = await picture(context, html, width)
        writeFileSync(`${folder}${file}`, bytes)
        console.log(`${file} ${bytes.length} bytes`)
      }
      await context.close()
    }
  const rows = names.map(
    (name) =>
      `| ${name} | ${widths.flatMap((width) => themes.map((theme) => `[${theme}](${name}-${width}-${theme}.webp)`)).join(" | ")} |`
  )
  writeFileSync(`${folder}README.md`, `${[...heading(), ...rows].join("\n")}\n`)
} finally {
  await browser.close()
  await sandbox.stop()
}

function heading() {
  return [
    "# Pictures",
    "",
    "The HTML reports of ten targets of the sandbox chain, 1,200 and 390 pixels wide; `npm run pictures` writes them.",
    "",
    `| target | ${widths.flatMap((width) => themes.map((theme) => `${width} px, ${theme}`)).join(" | ")} |`,
    "|---|---|---|---|---|"
  ]
}
