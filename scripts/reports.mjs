// `npm run reports`: writes docs/reports/, the reports of fifteen sandbox targets and of the three tokens that everybody knows.
// A test analyses the same targets and compares (packages/core/test/report/Report.test.ts).
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Analyzer, ChainAccess, Checks, Report, ReportMarkdown } from "@assay/core"
import { Sandbox, Targets } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { sandboxChain } from "./sandboxChain.mjs"

const folder = fileURLToPath(new URL("../docs/reports/", import.meta.url))

const engine = Analyzer.layer(Checks.all).pipe(
  Layer.provide(ChainAccess.layerJsonRpc({ headTtl: "1 hour" })),
  Layer.provide(NodeHttpClient.layerUndici)
)

const write = (sandbox) =>
  Effect.gen(function* () {
    const analyzer = yield* Analyzer.Analyzer
    const chain = sandboxChain(sandbox)
    const rows = []
    for (const name of Targets.documented) {
      const { address, description, kind } = sandbox.targets[name]
      const analysis = yield* analyzer.analyze({ kind, address, chain })
      const report = Report.make(analysis)
      const bytes = Buffer.byteLength(JSON.stringify(Report.compact(report)))
      writeFileSync(`${folder}${name}.md`, ReportMarkdown.make(report, { analysis }))
      rows.push(`| [${name}](${name}.md) | ${kind} | ${description} | ${bytes} | about ${Math.ceil(bytes / 4)} |`)
    }
    writeFileSync(`${folder}README.md`, `${[...heading, ...rows].join("\n")}\n`)
  })

const heading = [
  "# Reports",
  "",
  "What `Report` says of fifteen targets of the sandbox chain, and of USDC, USDT and WETH as they are deployed there: their",
  "code is the real one, or USDT's shape, their pools and holders are the sandbox's. `npm run reports` writes these files.",
  "[Pictures](pictures/README.md) show the HTML form of ten.",
  "",
  "| report | kind | what it is | bytes of compact JSON | tokens, at four bytes each |",
  "|---|---|---|---|---|"
]

const sandbox = await Sandbox.start()
try {
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(folder)) if (file.endsWith(".md")) rmSync(`${folder}${file}`)
  await Effect.runPromise(Effect.provide(write(sandbox), engine))
} finally {
  await sandbox.stop()
}
