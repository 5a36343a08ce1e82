import { type ChildProcess, spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { createRequire } from "node:module"
import type { Socket } from "node:net"
import { delimiter, join } from "node:path"

/** A running anvil process: the address of its JSON-RPC endpoint, and the way to end it. */
export interface Anvil {
  readonly url: string
  readonly port: number
  /** The process id of anvil's supervisor. */
  readonly pid: number
  /** Ends the chain and resolves when its process is gone; harmless when called again. */
  readonly stop: () => Promise<void>
  /** Resolves when the chain process has ended, whoever ended it. */
  readonly ended: Promise<void>
}

/** What to start anvil with; `port` 0 or absent takes a free one. */
export interface Options {
  readonly port?: number | undefined
  readonly arguments?: ReadonlyArray<string> | undefined
}

const require = createRequire(import.meta.url)

const executable = process.platform === "win32" ? "anvil.exe" : "anvil"

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const packaged = (): string | undefined => {
  const architecture = process.arch === "x64" ? "amd64" : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}/bin/${executable}`
  // The platform package is a dependency of @foundry-rs/anvil, so a strict package manager shows it only from there.
  const from = [require, createRequire(require.resolve("@foundry-rs/anvil/package.json"))]
  for (const { resolve } of from) {
    try {
      return resolve(name)
    } catch {}
  }
  return undefined
}

/**
 * The path of the anvil binary: npm's platform package, else `$ANVIL_BIN`, else `anvil` on the PATH.
 * Throws an `Error` that says what to install when there is none.
 */
export const locate = (): string => {
  const candidates = [
    packaged(),
    process.env.ANVIL_BIN,
    ...(process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, executable))
  ]
  const found = candidates.find((path) => path !== undefined && path !== "" && isExecutable(path))
  if (found === undefined) {
    throw new Error(
      `No anvil for ${process.platform}-${process.arch}: install Foundry (https://getfoundry.sh) or set ANVIL_BIN to an anvil binary`
    )
  }
  return found
}

/**
 * Anvil outlives a parent that is killed with SIGKILL, which can run no handler. This process stands between: it holds
 * the read end of a pipe from the parent, and the kernel closes that pipe however the parent ends.
 *
 * Of more than some 500 blocks anvil writes the older states to disk, 5 MB each, and leaves them there when it is killed,
 * so they go to a folder that this process takes away.
 */
const supervisor = `
const { spawn } = require("node:child_process")
const { mkdtempSync, rmSync } = require("node:fs")
const { tmpdir } = require("node:os")
const { join } = require("node:path")
const [binary, ...args] = process.argv.slice(1)
const states = mkdtempSync(join(tmpdir(), "assay-anvil-"))
process.on("exit", () => rmSync(states, { recursive: true, force: true }))
const child = spawn(binary, ["--cache-path", states, ...args], { stdio: ["ignore", "inherit", "inherit"] })
const end = () => child.kill("SIGKILL")
for (const event of ["end", "close", "error"]) process.stdin.on(event, end)
process.stdin.resume()
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, end)
child.on("error", (error) => { console.error(error.message); process.exit(1) })
child.on("exit", (code) => process.exit(code ?? 0))
`

/**
 * Starts anvil on the loopback interface and resolves when it accepts requests. The chain ends with this process and
 * does not keep it alive.
 */
export const start = async (options: Options = {}): Promise<Anvil> => {
  const binary = locate()
  const port = String(options.port ?? 0)
  const anvilArguments = ["--host", "127.0.0.1", "--port", port, "--color", "never", ...(options.arguments ?? [])]
  const child = spawn(process.execPath, ["-e", supervisor, "--", binary, ...anvilArguments], {
    // Out of the terminal's process group: on Ctrl-C the parent decides when the chain goes.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" }
  })
  child.stdin.on("error", () => {})
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve())
    child.once("error", () => resolve())
  })
  const stop = async (): Promise<void> => {
    // Who waits for its end stays until then, though the chain alone keeps no process alive.
    for (const held of [child, child.stdout, child.stderr]) (held as ChildProcess | Socket).ref()
    child.stdin.destroy()
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000)
    await ended
    clearTimeout(timer)
  }
  try {
    const listening = await announcedPort(child)
    release(child)
    return { url: `http://127.0.0.1:${listening}`, port: listening, pid: child.pid ?? 0, stop, ended }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Lets the process end while the chain runs, which then ends too. Otherwise the worker of a test runner that was killed
 * would live on for the sake of its chain, and the chain for the sake of the worker.
 */
const release = (child: ChildProcess): void => {
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as Socket | null)?.unref()
}

/**
 * Anvil prints its port when it listens. Reading it there, unlike picking a free port first and polling, can neither
 * lose a race for the port nor take the answer of another chain for its own.
 */
const announcedPort = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    let output = ""
    let errors = ""
    const timer = setTimeout(() => reject(new Error("anvil did not listen within two minutes")), 120_000)
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      errors = (errors + chunk).slice(-2_000)
    })
    const onOutput = (chunk: string): void => {
      output += chunk
      const port = /Listening on \S+:(\d+)/.exec(output)?.[1]
      if (port !== undefined) {
        clearTimeout(timer)
        child.stdout?.off("data", onOutput)
        // A pipe that nobody drains would block the chain at its next log line.
        child.stdout?.resume()
        resolve(Number(port))
      }
    }
    child.stdout?.setEncoding("utf8").on("data", onOutput)
    child.once("error", (error) => {
      clearTimeout(timer)
      reject(new Error(`anvil could not be started: ${error.message}`))
    })
    child.once("close", (code) => {
      clearTimeout(timer)
      reject(new Error(`anvil ended at its start (exit code ${code}): ${errors.trim().split("\n").at(-1) ?? ""}`))
    })
  })
