import { spawn } from "node:child_process"

/** A server in a process of its own, which says on its output where it listens: `args` are those of Node. */
export const started = async (args, directory, env = {}) => {
  const child = spawn(process.execPath, ["--max-semi-space-size=64", ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise((resolve) => child.once("close", resolve))
  const waiting = new Set()
  let output = ""
  // The log is read to its end, as whoever collects it would.
  child.stdout.setEncoding("utf8").on("data", (text) => {
    const lines = (output + text).split("\n")
    output = lines.pop()
    if (waiting.size > 0) for (const line of lines) for (const hear of waiting) hear(line)
  })
  /** What of the next line that is like this is like it. */
  const said = (pattern) =>
    new Promise((resolve, reject) => {
      const hear = (line) => {
        const found = pattern.exec(line)
        if (found === null) return
        waiting.delete(hear)
        resolve(found)
      }
      waiting.add(hear)
      ended.then((code) => reject(new Error(`${args.join(" ")} ended with ${code}: ${output}`)))
    })
  const [origin] = await said(/http:\/\/127\.0\.0\.1:\d+/)
  const stop = () => {
    child.kill("SIGTERM")
    return ended
  }
  return { origin, said, signal: (name) => child.kill(name), stop, pid: child.pid }
}
