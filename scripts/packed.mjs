import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The names of the published packages, those that others need first. */
export const published = ["core", "storage-sql", "storage-postgres", "storage-sqlite", "demo", "server", "sdk", "assay"]

/** Runs a command to its end and gives what it printed; what went wrong is thrown with all that it said. */
export const run = (command, args, cwd = ".", env = {}) => {
  const { status, stderr, stdout } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 300_000
  })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}\n${stdout}\n${stderr}`)
  return stdout
}

/** Packs a package into a folder as a user would get it. */
export const pack = (name, folder) => {
  const [{ filename, files }] = JSON.parse(
    run("npm", ["pack", "--json", "--pack-destination", folder], `packages/${name}`)
  )
  return { tarball: join(folder, filename), files }
}

/** The tarball of a package in a folder that another check packed it into, by the name that npm gave it. */
export const packedIn = (folder, name) => {
  const manifest = JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8"))
  const tarball = join(folder, `${manifest.name.replace(/^@/, "").replace("/", "-")}-${manifest.version}.tgz`)
  if (!existsSync(tarball)) throw new Error(`${folder} has no tarball of ${manifest.name}`)
  return tarball
}

/**
 * Installs packages in an empty folder by npm: of this release, as no registry has it yet, by the tarballs of it.
 *
 * Nothing is compiled here: what `npm ci` compiled for the repository is the same release.
 */
export const install = (place, words, tarballs) => {
  mkdirSync(place)
  const overrides = Object.fromEntries(
    [...tarballs].flatMap(([name, file]) => (words.includes(name) ? [] : [[name, `file:${file}`]]))
  )
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, type: "module", overrides }))
  const wanted = words.map((word) => tarballs.get(word) ?? word)
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ...wanted], place)
  const compiled = "node_modules/better-sqlite3"
  if (existsSync(join(place, compiled)))
    cpSync(`${compiled}/build`, join(place, compiled, "build"), { recursive: true })
}
