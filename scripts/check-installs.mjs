// Installs the packed packages in empty folders by the lines that the READMEs print, and starts what they install.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pack, published, run } from "./packed.mjs"

/** The first line of a README that installs something. */
const lineOf = (name) => {
  const line = /^npm install .*$/m.exec(readFileSync(`packages/${name}/README.md`, "utf8"))?.[0]
  if (line === undefined) throw new Error(`packages/${name}/README.md does not say how to install it`)
  return line
}

// What each package is asked after it was installed.
const tries = {
  core: ["node", ["--input-type=module", "-e", 'import("@assay/core").then(({ Analyzer }) => Analyzer.layer([]))']],
  "storage-sqlite": [
    "node",
    ["--input-type=module", "-e", 'import("@assay/storage-sqlite").then((all) => all.SqliteStorage.layer({}))']
  ],
  server: ["node_modules/.bin/assay", ["--help"]]
}

const folder = mkdtempSync(join(tmpdir(), "assay-installs-"))
try {
  const tarballs = new Map(published.map((name) => [`@assay/${name}`, pack(name, folder).tarball]))
  for (const name of published) {
    const line = lineOf(name)
    const place = join(folder, name)
    mkdirSync(place)
    const words = line.split(" ").slice(2)
    // No registry has the other packages of this release yet.
    const overrides = Object.fromEntries(
      [...tarballs].flatMap(([other, file]) => (words.includes(other) ? [] : [[other, `file:${file}`]]))
    )
    writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, overrides }))
    const wanted = words.map((word) => tarballs.get(word) ?? word)
    // Nothing is compiled here: what `npm ci` compiled for the repository is the same release, or the try below fails.
    run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ...wanted], place)
    const compiled = "node_modules/better-sqlite3"
    if (existsSync(join(place, compiled)))
      cpSync(`${compiled}/build`, join(place, compiled, "build"), { recursive: true })
    const [command, args] = tries[name]
    run(command, args, place)
    console.log(`${name}: ${line}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}
