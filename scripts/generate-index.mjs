// Writes packages/core/src/index.ts and the paths that packages/core/package.json exports: one a module of
// packages/core/EXPORTS.md, in its order. A module that is marked `@internal` in its first comment cannot stand there.
// `--check` writes nothing and fails where a committed file differs.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const inCore = (path) => fileURLToPath(new URL(`../packages/core/${path}`, import.meta.url))
const read = (path) => readFileSync(inCore(path), "utf8")

const [indexed, alone] = read("EXPORTS.md")
  .split("## By their paths alone")
  .map((part) => [...part.matchAll(/^\| `([\w/]+)` \| \S/gm)].map(([, module]) => module))

const nameOf = (module) => module.slice(module.lastIndexOf("/") + 1)
const twice = indexed.filter((module) => indexed.some((other) => other !== module && nameOf(other) === nameOf(module)))
if (twice.length > 0) throw new Error(`the same name twice: ${twice.join(", ")}`)
const internal = [...indexed, ...alone].filter((module) => /^\/\*\* @internal/.test(read(`src/${module}.ts`)))
if (internal.length > 0) throw new Error(`packages/core/EXPORTS.md lists internal modules: ${internal.join(", ")}`)

const manifest = JSON.parse(read("package.json"))
const paths = [...indexed, ...alone].map((module) => [`./${module.replace(/\/index$/, "")}`, `./dist/${module}.js`])
const exports = { ".": "./dist/index.js", ...Object.fromEntries(paths), "./package.json": "./package.json" }
const generated = {
  "src/index.ts": indexed.map((module) => `export * as ${nameOf(module)} from "./${module}.js"\n`).join(""),
  "package.json": `${JSON.stringify({ ...manifest, exports }, undefined, 2)}\n`
}
for (const [path, wanted] of Object.entries(generated)) {
  if (!process.argv.includes("--check")) writeFileSync(inCore(path), wanted)
  else if (read(path) !== wanted) {
    console.error(`packages/core/${path} is not what packages/core/EXPORTS.md lists: run \`npm run generate\``)
    process.exitCode = 1
  }
}
