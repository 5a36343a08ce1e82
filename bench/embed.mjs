import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import { Sandbox } from "@assay/sandbox"
import { build } from "esbuild"
import { median } from "../scripts/quantiles.mjs"
import { tenLines } from "../scripts/tenLines.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const embedder = (workspace) => join(workspace, "examples/sdk")

// What else an application reads a chain with, and how it begins.
const others = {
  viem: ["viem@2.57.1", `export { createPublicClient, http } from "viem"`],
  ethers: ["ethers@6.17.0", `export { Contract, JsonRpcProvider } from "ethers"`],
  whatsabi: ["@shazow/whatsabi@0.27.0", `export { autoload } from "@shazow/whatsabi"`]
}
const installed = (folder) => {
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }')
  const specifiers = Object.values(others).map(([specifier]) => specifier)
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...specifiers], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"]
  })
}

/** Runs a module in a process of its own, in a folder, and gives what it prints. */
const fresh = (folder, code, args = []) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", code, ...args], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"]
    })
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text
    })
    child.once("close", (status) =>
      status === 0 ? resolve(JSON.parse(output)) : reject(new Error(`a process ended with ${status}`))
    )
  })

const began = "const began = performance.now(), used = process.cpuUsage()"
const ended = `const { system, user } = process.cpuUsage(used)
console.log(JSON.stringify({ wall: performance.now() - began, cpu: (system + user) / 1000, said: globalThis.said }))`

const imports = (specifiers) =>
  `${began}
${specifiers.map((specifier) => `await import(${JSON.stringify(specifier)})`).join("\n")}
${ended}`

const firstVerdict = `${began}
const { createAssay } = await import("@assay/sdk")
const [endpoints, id, address] = process.argv.slice(1)
const assay = createAssay({ chains: { local: { id: Number(id), endpoints, addressBook: 1 } } })
const { verdict } = await assay.report({ address, kind: "token" })
globalThis.said = verdict.level + " " + verdict.score
${ended}
await assay.close()`

const bytesOf = (files) => ({
  minified: files.reduce((sum, file) => sum + statSync(file).size, 0),
  gzip: files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0)
})

const ofOthers = async (folder) => {
  const sizes = {}
  for (const [name, [specifier, contents]] of Object.entries(others)) {
    const outfile = join(folder, `${name}.js`)
    const stdin = { contents, resolveDir: folder }
    await build({ stdin, bundle: true, minify: true, format: "esm", platform: "browser", outfile, logLevel: "error" })
    sizes[specifier] = bytesOf([outfile])
  }
  return sizes
}

const kB = (bytes) => `${Math.round(bytes / 1000)}`.padStart(8)
const row = (name, cells) => console.log(`${name.padEnd(46)}${cells.join("")}`)
const range = (values, digits) => {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits))
  return `${median(values).toFixed(digits)} (${least}..${most})`.padStart(22)
}

const print = (name, all, others) =>
  row(name, [
    range(
      all.map(({ wall }) => wall),
      0
    ),
    range(
      all.map(({ cpu }) => cpu),
      0
    ),
    ...(others === undefined
      ? []
      : [
          range(
            all.map(({ cpu }, round) => cpu / others[round].cpu),
            2
          )
        ]),
    `  ${[...new Set(all.map(({ said = "" }) => said))]}`
  ])

/** What the ten lines cost an application: main.mjs says what the figures mean. */
export const embed = async (args) => {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: "string", default: "9" }, against: { type: "string" } }
  })
  const rounds = Array.from({ length: Number(values.rounds) })
  const folder = mkdtempSync(join(tmpdir(), "assay-embed-"))
  const sandbox = await Sandbox.start()
  try {
    installed(folder)
    const { analyzed, imported, partsOf, wasm } = await tenLines(join(folder, "assay"))
    console.log("embed: kB of a minified bundle, and with gzip\n")
    const sizes = {
      "createAssay, imported": bytesOf(imported),
      "createAssay, one analysis on Ethereum": bytesOf(analyzed),
      "and the WebAssembly of evmole": bytesOf(wasm),
      ...(await ofOthers(folder))
    }
    for (const [name, { gzip, minified }] of Object.entries(sizes)) row(name, [kB(minified), kB(gzip)])
    console.log("\nkB of its parts\n")
    for (const [part, bytes] of partsOf(analyzed).filter(([, bytes]) => bytes > 5_000)) row(part, [kB(bytes)])

    const ours = embedder(root)
    const base = "effect and its fetch client"
    const importing = {
      [base]: [ours, imports(["effect", "@effect/platform/FetchHttpClient"])],
      "@assay/sdk": [ours, imports(["@assay/sdk"])],
      ...(values.against === undefined
        ? {}
        : { "@assay/sdk before": [embedder(values.against), imports(["@assay/sdk"])] }),
      ...Object.fromEntries(
        Object.values(others).map(([specifier, contents]) => [
          specifier,
          [folder, imports([/from "(.*)"/.exec(contents)[1]])]
        ])
      )
    }
    // A round that counts for nothing brings every file into memory.
    const times = await measured(importing, [undefined, ...rounds])
    console.log(`\nms of a first import, in ${rounds.length} fresh processes each: wall, CPU, × the CPU of ${base}\n`)
    for (const [name, all] of Object.entries(times)) print(name, all, times[base])

    const { address } = sandbox.targets.plain
    const at = [sandbox.url, String(sandbox.chainId), address]
    const judging = {
      "@assay/sdk": [ours, firstVerdict, at],
      ...(values.against === undefined ? {} : { "@assay/sdk before": [embedder(values.against), firstVerdict, at] })
    }
    const judged = await measured(judging, [undefined, ...rounds])
    console.log("\nms of import and first verdict on plain, in as many: wall, CPU, × the CPU of before\n")
    for (const [name, all] of Object.entries(judged)) print(name, all, judged["@assay/sdk before"])
  } finally {
    await sandbox.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What each prints, by round; every other round in the opposite order. */
const measured = async (variants, rounds) => {
  const printed = Object.fromEntries(Object.keys(variants).map((name) => [name, []]))
  for (const [round] of rounds.entries()) {
    const entries = Object.entries(variants)
    for (const [name, variant] of round % 2 === 0 ? entries : entries.reverse())
      printed[name].push(await fresh(...variant))
  }
  return Object.fromEntries(Object.entries(printed).map(([name, all]) => [name, all.slice(1)]))
}
