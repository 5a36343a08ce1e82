import { execFileSync } from "node:child_process"
import { chownSync, existsSync, readdirSync } from "node:fs"
import { createServer } from "node:net"
import { delimiter, join } from "node:path"

/*
 * The Postgres of this machine, for tests and benchmarks that start one on files of their own.
 */

/** The folder of its programs: the usual place of Debian, or one on PATH; undefined where there is none. */
export const binaries = () => {
  const debian = "/usr/lib/postgresql"
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  return [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env.PATH ?? "").split(delimiter).filter((place) => place !== "")
  ].find((place) => ["initdb", "postgres"].every((name) => existsSync(join(place, name))))
}

/** The user and the group as which a server runs that refuses to run as root, for `spawn`; empty where this is not root. */
export const account = () => (process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {})

/** Gives files to that user. */
export const give = (...paths) => {
  const { gid, uid } = account()
  if (uid !== undefined) for (const path of paths) chownSync(path, uid, gid)
}

/** A cluster in a folder of that user; `more` are options of initdb. */
export const initialise = (bin, directory, ...more) => {
  const data = join(directory, "data")
  const options = ["-D", data, "-U", "assay", "-A", "trust", "-E", "UTF8", "--locale=C", ...more]
  execFileSync(join(bin, "initdb"), options, { ...account(), cwd: directory, stdio: "ignore" })
  return data
}

const idOf = (flag) => {
  for (const user of ["postgres", "nobody"])
    try {
      return Number(execFileSync("id", [flag, user], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
    } catch {}
  throw new Error("no user but root could run Postgres")
}

export const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
