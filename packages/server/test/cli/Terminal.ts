import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { bin } from "../Bin.js"

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** The bundled command on a pseudo-terminal, as a person runs it; the pseudo-terminal is that of `script` of bsdutils. */
export class Terminal {
  readonly child: ChildProcess
  /** All that the terminal was sent, with the characters that steer it. */
  written = ""
  readonly ended: Promise<number | null>

  /** `columns` is how wide the window is, 80 without it, and `redirection` what a shell has behind the command. */
  constructor(
    args: ReadonlyArray<string>,
    settings: Readonly<Record<string, string>> = {},
    { columns = 80, redirection = "" }: { readonly columns?: number; readonly redirection?: string } = {}
  ) {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(?:ASSAY_|VITEST|NODE_OPTIONS|NO_COLOR|FORCE_COLOR|COLUMNS)/.test(name)
    )
    const command = [process.execPath, bin, ...args].map(quoted).join(" ")
    const line = `stty cols ${columns} && exec ${command} ${redirection}`
    this.child = spawn("script", ["--quiet", "--return", "--flush", "--command", line, "/dev/null"], {
      env: { ...Object.fromEntries(inherited), TERM: "xterm", ...settings },
      stdio: ["pipe", "pipe", "inherit"]
    })
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.written += text
    })
    this.ended = once(this.child, "close").then(([code]) => code)
  }

  /** Resolves when the terminal shows it; rejects when the command ends without. */
  async shows(pattern: RegExp): Promise<void> {
    const over = this.ended.then((code) => {
      if (!pattern.test(this.written)) throw new Error(`ended with ${code}: ${this.written}`)
    })
    while (!pattern.test(this.written))
      await Promise.race([once(this.child.stdout as NodeJS.EventEmitter, "data"), over])
  }

  /** Presses a key, such as Ctrl-C, which is `\u0003`. */
  press(key: string): void {
    this.child.stdin?.write(key)
  }

  /** Sends a signal to the command itself, and none to the terminal. */
  signal(signal: NodeJS.Signals): void {
    const { pid } = this.child
    process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")), signal)
  }

  /** What is on the screen at the end: of a line that was written over, its last text. */
  get screen(): string {
    return this.written
      .split(/\r?\n/)
      .map((line) => line.replaceAll("\u001b[2K", "\r").split("\r").at(-1) ?? "")
      .join("\n")
  }

  /** Whether the next thing that is written begins a line. */
  get isAtStart(): boolean {
    return ["\n", "\r\u001b[2K"].some((end) => this.written.endsWith(end)) || this.written === ""
  }

  close(): void {
    this.child.kill("SIGKILL")
  }
}
