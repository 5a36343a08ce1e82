// Makes what is published of this package, in dist: the module, the saved chain of the sandbox, and the licences of the
// contracts on it. The chain is the one that `npm start` saves, so it is built once for the same sources.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { Sandbox, SavedState, Targets } from "@assay/sandbox"
import { bundle } from "../../../scripts/bundle.mjs"
import * as Cache from "../../../scripts/start/cache.mjs"
import * as CodesOnChain from "./CodesOnChain.mjs"

const demo = fileURLToPath(new URL("..", import.meta.url))
const modules = join(demo, "../../node_modules")
const { contracts } = JSON.parse(readFileSync(join(demo, "contracts.json"), "utf8"))

// What the sandbox has of others is on the chain, and all that is on the chain has to be listed.
const { dependencies } = JSON.parse(readFileSync(join(demo, "../../testing/sandbox/package.json"), "utf8"))
const tools = ["@foundry-rs/anvil", "solc"]
const unlisted = Object.keys(dependencies).filter((name) => !(name in contracts) && !tools.includes(name))
if (unlisted.length > 0) throw new Error(`packages/demo/contracts.json does not list ${unlisted.join(", ")}`)

const notice = [
  "# Notice",
  "",
  "The code of this package is under the MIT licence (`LICENSE`). The saved chain, `dist/chain/state.json.gz`, holds the",
  "bytecode of contracts by others, each a work of its own, next to contracts of Assay under the MIT licence. The sources of",
  "each are in the npm package that is named, in that version; the texts of their licences are in `dist/licenses`.",
  "",
  "| contracts | npm package | licence | note |",
  "|---|---|---|---|",
  ...Object.entries(contracts).map(([name, { license, note = "", what }]) => {
    const { name: real, version } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"))
    return `| ${what} | \`${real}\` ${version} | ${license} | ${note} |`
  }),
  ""
].join("\n")

if (process.argv.includes("--notice")) writeFileSync(join(demo, "NOTICE.md"), notice)
else if (readFileSync(join(demo, "NOTICE.md"), "utf8") !== notice)
  throw new Error("packages/demo/NOTICE.md is not up to date: run `node packages/demo/scripts/build.mjs --notice`")

const licenses = join(demo, "dist/licenses")
rmSync(licenses, { recursive: true, force: true })
mkdirSync(licenses, { recursive: true })
for (const [name, { copyright }] of Object.entries(contracts)) {
  const to = join(licenses, `${name.replace("/", "__")}.txt`)
  if (existsSync(join(modules, name, "LICENSE"))) cpSync(join(modules, name, "LICENSE"), to)
  else {
    if (copyright === undefined) throw new Error(`${name} has no text of its licence`)
    const mit = readFileSync(join(demo, "LICENSE"), "utf8").replace(/^Copyright .*$/m, copyright)
    if (!mit.includes(copyright)) throw new Error("packages/demo/LICENSE has no line of its copyright")
    writeFileSync(to, mit)
  }
}

await bundle({ entryPoints: ["packages/demo/src/index.ts"], outfile: "packages/demo/dist/index.js", banner: {} })

// Started once, for what a chain without a sandbox does not show; the first start of these sources builds and saves it.
const sandbox = await Sandbox.start({ state: Cache.chain })
const { chainId, head, targets } = sandbox
await sandbox.stop()
const found = SavedState.find(Cache.chain)
if (found === undefined) throw new Error(`the chain could not be saved in ${Cache.chain}`)

const unlistedCodes = CodesOnChain.unlisted(JSON.parse(readFileSync(found.file, "utf8")))
if (unlistedCodes.length > 0)
  throw new Error(
    `packages/demo/contracts.json does not list what these accounts have as code:\n${unlistedCodes
      .map(({ accounts, hash }) => `${accounts.join(", ")}: ${hash}`)
      .join("\n")}`
  )

const label = {
  client: found.client,
  chainId,
  head,
  arguments: Sandbox.anvilArguments,
  settings: [
    // Anvil starts its clock at the genesis time, whatever it loads.
    { method: "evm_setTime", params: [head.timestamp] },
    ...Sandbox.environment,
    ...Sandbox.mining
  ],
  targets: Targets.demonstrated.map((name) => {
    const { address, description, kind } = targets[name]
    return { name, kind, address, description }
  })
}
const unfinished = join(demo, `dist/chain-${process.pid}`)
mkdirSync(unfinished)
try {
  writeFileSync(join(unfinished, "state.json.gz"), gzipSync(readFileSync(found.file), { level: 9 }))
  writeFileSync(join(unfinished, "label.json"), JSON.stringify(label))
  rmSync(join(demo, "dist/chain"), { recursive: true, force: true })
  renameSync(unfinished, join(demo, "dist/chain"))
} finally {
  rmSync(unfinished, { recursive: true, force: true })
}
