// Packs each published package as a user would get it, and reads the tarball as their tools would. With `--into FOLDER` the
// tarballs stay there, for `check-installs.mjs --from FOLDER`.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pack, published, run } from "./packed.mjs"

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"))
const downloads = Object.entries(lock.packages).filter(([, entry]) => /^https?:/.test(entry.resolved ?? ""))
if (downloads.length > 0)
  throw new Error(`package-lock.json names download addresses: ${downloads.map(([name]) => name).join(", ")}`)

const [option, into] = process.argv.slice(2)
if (option !== undefined && (option !== "--into" || into === undefined)) throw new Error("usage: [--into FOLDER]")
const folder = into ?? mkdtempSync(join(tmpdir(), "assay-packages-"))
try {
  for (const name of published) {
    const { files, tarball } = pack(name, folder)
    // The files that npm links as commands are committed: in a clone it does so before anything is built.
    const { bin = {}, exports } = JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8"))
    const commands = Object.values(bin).map((path) => path.replace(/^\.\//, ""))
    const strays = files.filter(
      ({ path }) =>
        !(
          /^(?:dist\/|operations\/|package\.json$|README\.md$|LICENSE$|NOTICE\.md$)/.test(path) ||
          commands.includes(path)
        ) || /\.tsbuildinfo$/.test(path)
    )
    if (strays.length > 0) throw new Error(`${name} would publish ${strays.map(({ path }) => path).join(", ")}`)
    // What tsc built of a module that is gone stays in dist; the bundle of the command is made anew by each packing.
    const stale = files.filter(
      ({ path }) =>
        path.endsWith(".js") &&
        !path.startsWith("dist/bin/") &&
        !commands.includes(path) &&
        !existsSync(`packages/${name}/${path.replace(/^dist\//, "src/").replace(/\.js$/, ".ts")}`)
    )
    if (stale.length > 0)
      throw new Error(
        `remove packages/${name}/dist: it has ${stale.map(({ path }) => path).join(", ")} without a source`
      )
    const modules = exports === undefined ? [] : ["dist/index.js", "dist/index.d.ts"]
    for (const wanted of ["README.md", "LICENSE", ...modules, ...commands]) {
      if (!files.some(({ path }) => path === wanted)) throw new Error(`${name} would not publish ${wanted}`)
    }
    run("npx", ["publint", "--strict", tarball])
    if (exports !== undefined) run("npx", ["attw", "--profile", "esm-only", tarball])
    console.log(`${name}: ${files.length} files, publint and are-the-types-wrong agree`)
  }
} finally {
  if (into === undefined) rmSync(folder, { recursive: true })
}
