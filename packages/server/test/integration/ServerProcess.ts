import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { bin } from "../Bin.js"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of any shape.
  readonly json: any
}

export interface Request {
  readonly key?: string | undefined
  readonly method?: string | undefined
  readonly headers?: Record<string, string> | undefined
  readonly body?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** A built server in a process of its own, on a free port, with settings and nothing else of the environment. */
export class ServerProcess {
  readonly child: ChildProcess
  /** Everything that it wrote so far. */
  log = ""
  readonly ended: Promise<number | null>
  origin = ""

  private constructor(settings: Record<string, string>, program: string) {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(?:ASSAY_|VITEST|NODE_OPTIONS)/.test(name))
    this.child = spawn(process.execPath, [program, "serve"], {
      env: { ...Object.fromEntries(inherited), ASSAY_PORT: "0", ASSAY_LOG_LEVEL: "debug", ...settings },
      stdio: ["ignore", "pipe", "pipe"]
    })
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.log += text
      })
    this.ended = once(this.child, "close").then(([code]) => code)
  }

  /** Starts it, or the command of another version, and resolves when it listens. */
  static async start(settings: Record<string, string>, program = bin): Promise<ServerProcess> {
    const server = new ServerProcess(settings, program)
    for (;;) {
      const found = /(http:\/\/127\.0\.0\.1:\d+)\/api\/v1\/docs/.exec(server.log)
      if (found !== null) {
        server.origin = found[1] ?? ""
        return server
      }
      const over = server.ended.then((code) => {
        throw new Error(`ended with ${code}: ${server.log}`)
      })
      await Promise.race([once(server.child.stdout as NodeJS.EventEmitter, "data"), over])
    }
  }

  /** The end that leaves no handler a chance. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL")
    await this.ended
  }

  /** The end by an operator's signal; answers the exit code. */
  async stop(): Promise<number | null> {
    this.child.kill("SIGTERM")
    return this.ended
  }

  async send(path: string, request: Request = {}): Promise<Answer> {
    const response = await fetch(`${this.origin}/api/v1/${path}`, {
      method: request.method ?? "GET",
      headers: {
        // As it is, unless a test says otherwise: fetch requests a compressed body by itself.
        "accept-encoding": "identity",
        ...(request.key === undefined ? {} : { authorization: `Bearer ${request.key}` }),
        ...request.headers
      },
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.signal === undefined ? {} : { signal: request.signal })
    })
    const text = await response.text()
    const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "")
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }

  async createKey(): Promise<string> {
    const { json, status, text } = await this.send("keys", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ label: "integration" })
    })
    if (status !== 201) throw new Error(`no key: ${status} ${text}`)
    return json.key
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of any shape.
  async usage(key: string): Promise<any> {
    return (await this.send("usage", { key })).json
  }

  /** Every execution of a key, newest first, over all pages. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of any shape.
  async executions(key: string): Promise<ReadonlyArray<any>> {
    const all = []
    let cursor: string | null = null
    do {
      const { json }: Answer = await this.send(
        `executions?limit=100${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
        { key }
      )
      all.push(...json.data)
      cursor = json.next_cursor
    } while (cursor !== null)
    return all
  }
}

/** Repeats a request until the answer is as expected, within a bound; then the test fails with the last answer. */
export const eventually = async <A>(
  ask: () => Promise<A>,
  expected: (answer: A) => boolean,
  seconds = 120
): Promise<A> => {
  const deadline = performance.now() + seconds * 1_000
  for (;;) {
    const answer = await ask()
    if (expected(answer)) return answer
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(answer).slice(0, 1_000)}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** The `index`th of as many wallets as a test wants, none of them used on the chain. */
export const wallet = (index: number): string => `0x${(index + 1).toString(16).padStart(4, "0").padStart(40, "5")}`
