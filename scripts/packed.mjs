import { spawnSync } from "node:child_process"
import { join } from "node:path"

/** The names of the published packages, those that others need first. */
export const published = ["core", "storage-sql", "storage-postgres", "storage-sqlite", "demo", "server", "sdk", "assay"]

/** Runs a command to its end and gives what it printed; what went wrong is thrown with all that it said. */
export const run = (command, args, cwd = ".") => {
  const { status, stderr, stdout } = spawnSync(command, args, {
    cwd,
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
