// Installs the packed packages in empty folders by the lines that the READMEs print, and starts what they install. Then tries the
// SDK where it runs (scripts/whereItRuns.mjs), with `--all` also where that takes minutes. With `--from FOLDER` they are those
// that `check-packages.mjs --into FOLDER` packed.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { install, pack, packedIn, published, run } from "./packed.mjs"
import * as WhereItRuns from "./whereItRuns.mjs"

/** The first line of a README that installs something. */
const lineOf = (name) => {
  const line = /^npm install .*$/m.exec(readFileSync(`packages/${name}/README.md`, "utf8"))?.[0]
  if (line === undefined) throw new Error(`packages/${name}/README.md does not say how to install it`)
  return line
}

// What is run of each package after it was installed.
const tries = {
  // Every path that it exports, and none of an internal module.
  core: [
    "node",
    [
      "--input-type=module",
      "-e",
      `import { createRequire } from "node:module"
       import { Analyzer } from "@assay/core"
       Analyzer.layer([])
       const { exports } = createRequire(import.meta.url)("@assay/core/package.json")
       const paths = Object.keys(exports).filter((path) => !/package.json$|summary.model|testing$/.test(path))
       for (const path of paths) await import("@assay/core" + path.slice(1))
       for (const path of ["evm/interpreter/AbstractInterpreter", "facts/Getter", "storage/BlockTemplate"])
         await import("@assay/core/" + path).then(
           () => { throw new Error(path + " can be imported") },
           ({ code }) => { if (code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw new Error(path + ": " + code) }
         )
       console.log(paths.length)`
    ]
  ],
  "storage-sql": [
    "node",
    [
      "--input-type=module",
      "-e",
      'import("@assay/storage-sql").then(({ SqlDatabase }) => SqlDatabase.operation("none"))'
    ]
  ],
  "storage-postgres": [
    "node",
    [
      "--input-type=module",
      "-e",
      'import("effect").then(({ Redacted }) => import("@assay/storage-postgres").then((all) => all.PgStorage.layer({ url: Redacted.make("postgres://127.0.0.1/assay") })))'
    ]
  ],
  "storage-sqlite": [
    "node",
    ["--input-type=module", "-e", 'import("@assay/storage-sqlite").then((all) => all.SqliteStorage.layer({}))']
  ],
  // The saved chain, read by the command as it is installed; ten documents, or one line that says what went wrong.
  demo: ["node_modules/.bin/assay", ["demo", "--json"]],
  server: ["node_modules/.bin/assay", ["--help"]],
  // By import and by require, where Node.js can load a module so. Nothing answers at that port.
  sdk: [
    "node",
    [
      "--input-type=module",
      "-e",
      `import { createRequire } from "node:module"
       import * as imported from "@assay/sdk"
       const required = process.features.require_module ? createRequire(import.meta.url)("@assay/sdk") : imported
       for (const { AssayError, createAssay } of [imported, required]) {
         const assay = createAssay({ chains: { ethereum: "http://127.0.0.1:1" } })
         const error = await assay.report("0xdAC17F958D2ee523a2206206994597C13D831ec7").catch((thrown) => thrown)
         console.log(error instanceof AssayError, error.code)
         await assay.close()
       }`
    ]
  ],
  assay: ["node_modules/.bin/assay", ["--help"]]
}

// What a program may have beside it: the SDK brings its own Effect.
const beside = { sdk: ["effect@4"] }

/** What the output of some of them has to contain. */
const expected = {
  core: (output) => Number(output) > 100,
  demo: (output) => {
    const levels = new Map(
      output
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
        .map(({ name, verdict }) => [name, verdict.level])
    )
    return levels.size === 10 && levels.get("plain") === "minimal" && levels.get("honeypot") === "critical"
  },
  server: (output) => /\banalyze\b/.test(output),
  sdk: (output) => /^(?:true endpoint_unreachable\n){2}$/.test(output),
  assay: (output) => /\banalyze\b/.test(output)
}

/** A command that is to end with 1 and this line, and nothing else. */
const refuses = (command, args, place, line) => {
  const { status, stderr, stdout } = spawnSync(command, args, { cwd: place, encoding: "utf8", timeout: 60_000 })
  if (status !== 1 || stdout !== "" || !line.test(stderr))
    throw new Error(`${command} ${args.join(" ")} ended with ${status} and ${stdout}${stderr}`)
}

/** The demo chain of a terminal: a line to paste works while it runs, and so does `use`, and Ctrl-C ends it with 0. */
const demonstrates = async (place, use) => {
  const child = spawn("node_modules/.bin/assay", ["demo", "--no-analyze"], { cwd: place, stdio: "pipe" })
  const ended = once(child, "close")
  try {
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text
      if (output.includes("Ctrl-C")) child.stdout.emit("ready")
    })
    await Promise.race([once(child.stdout, "ready"), ended])
    const lineOf = (name) => new RegExp(`^${name}[\\s\\S]*?npx assay (.*)`, "m").exec(output)?.[1]?.split(" ") ?? []
    const args = lineOf("honeypot")
    const { status, stdout } = spawnSync("node_modules/.bin/assay", [...args, "--json"], {
      cwd: place,
      encoding: "utf8",
      timeout: 120_000
    })
    if (status !== 2 || JSON.parse(stdout).verdict.level !== "critical")
      throw new Error(`assay ${args.join(" ")} ended with ${status}: ${output}${stdout}`)
    const [, address, , endpoint] = lineOf("plain")
    await use(endpoint, address)
  } finally {
    child.kill("SIGINT")
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`assay demo ended with ${code}`)
}

/** Prints what was seen, and how long it took. */
const timed = async (title, what) => {
  const start = performance.now()
  await what()
  console.log(`${title} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
}

const folder = mkdtempSync(join(tmpdir(), "assay-installs-"))
try {
  const nameOf = (name) => (name === "assay" ? name : `@assay/${name}`)
  const from = process.argv.indexOf("--from")
  const tarballOf = (name) => (from < 0 ? pack(name, folder).tarball : packedIn(process.argv[from + 1], name))
  const tarballs = new Map(published.map((name) => [nameOf(name), tarballOf(name)]))
  for (const name of published) {
    const line = lineOf(name)
    await timed(`${name}: ${line}`, () => {
      const place = join(folder, name)
      install(place, [...line.split(" ").slice(2), ...(beside[name] ?? [])], tarballs)
      const [command, args] = tries[name]
      const output = run(command, args, place)
      if (expected[name]?.(output) === false) throw new Error(`${name}: ${args.join(" ")} wrote ${output}`)
      if (name === "server")
        refuses(
          command,
          ["demo"],
          place,
          /^assay: the demo chain is a package of its own; run: npm install @assay\/demo\n$/
        )
    })
  }
  await demonstrates(join(folder, "assay"), async (endpoint, address) => {
    const trials = process.argv.includes("--all") ? { ...WhereItRuns.trials, ...WhereItRuns.slow } : WhereItRuns.trials
    for (const [title, trial] of Object.entries(trials))
      await timed(title, () => trial({ folder, tarballs, endpoint, address }))
  })
} finally {
  rmSync(folder, { recursive: true })
}
