import type { Row } from "./Database.js"
import { eventually, type ServerProcess, wallet } from "./ServerProcess.js"

/** What a caller can have been promised. */
export const kinds = ["execution", "key", "watch", "run", "event"] as const

export type Kind = (typeof kinds)[number]

/** Something that a server answered, and when this was here, by `performance.now()`. */
export interface Acknowledged {
  readonly at: number
  readonly kind: Kind
  readonly what: string
  /** Whether another server has it too. */
  readonly isAt: (server: ServerProcess) => Promise<boolean>
}

const post = (body: unknown) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** Callers of one server who analyse, make keys, watch and read events, with a short pause, until they are stopped. */
export class Load {
  readonly acknowledged: Array<Acknowledged> = []
  readonly #server: ServerProcess
  readonly #watched: { readonly address: string; readonly kind: string }
  readonly #pause: number
  readonly #callers: Array<Promise<void>> = []
  #failed: unknown
  #caller = ""
  #wallets = 0
  #isStopping = false

  constructor(server: ServerProcess, watched: { readonly address: string; readonly kind: string }, pause = 20) {
    this.#server = server
    this.#watched = watched
    this.#pause = pause
  }

  async start(): Promise<void> {
    this.#caller = await this.#key()
    for (const step of [this.#analyse, this.#analyse, this.#makeKey, this.#watch])
      this.#callers.push(this.#repeat(step.bind(this)))
  }

  /** Resolves when every caller has its last answer. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#callers)
    if (this.#failed !== undefined) throw this.#failed
  }

  async #repeat(step: () => Promise<void>): Promise<void> {
    try {
      while (!this.#isStopping) {
        await step()
        await new Promise((resolve) => setTimeout(resolve, this.#pause))
      }
    } catch (error) {
      this.#failed ??= error
    }
  }

  #note(kind: Kind, what: string, isAt: Acknowledged["isAt"]): void {
    this.acknowledged.push({ at: performance.now(), kind, what, isAt })
  }

  /** Resolves when so many more of each kind are acknowledged, within ten minutes. */
  async until(more: number): Promise<void> {
    const from = this.acknowledged.length
    await eventually(
      async () => kinds.map((kind) => this.acknowledged.slice(from).filter((each) => each.kind === kind).length),
      (counts) => this.#failed !== undefined || counts.every((count) => count >= more),
      600
    )
    if (this.#failed !== undefined) throw this.#failed
  }

  async #analyse(): Promise<void> {
    const key = this.#caller
    const { json, status, text } = await this.#server.send(`wallet/${wallet(this.#wallets++)}`, { key })
    if (status !== 200) throw new Error(text)
    const said = JSON.stringify(json)
    this.#note("execution", json.execution_id, async (server) => {
      const again = await server.send(`executions/${json.execution_id}`, { key })
      return JSON.stringify(again.json) === said
    })
  }

  async #makeKey(): Promise<void> {
    await this.#key()
  }

  async #key(): Promise<string> {
    const key = await this.#server.createKey()
    this.#note("key", key.slice(0, 8), async (server) => (await server.send("keys/self", { key })).status === 200)
    return key
  }

  /** A watch of a key of its own, with a check and what is reported of it. */
  async #watch(): Promise<void> {
    const key = await this.#key()
    const { address, kind } = this.#watched
    const options = { verify: false, notify_unchanged: true }
    const body = { target: kind, address, label: "load", paused: true, options }
    const made = await this.#server.send("watches", { key, ...post(body) })
    if (made.status !== 201) throw new Error(made.text)
    const { id } = made.json
    this.#note("watch", id, async (server) => (await server.send(`watches/${id}`, { key })).json.label === "load")
    const run = await this.#server.send(`watches/${id}/run`, { key, method: "POST" })
    if (run.status !== 202) throw new Error(run.text)
    this.#note("run", run.json.id, async (server) => {
      const { json } = await server.send(`watches/${id}/runs`, { key })
      return json.data.some((found: Row) => found.id === run.json.id)
    })
    let events: ReadonlyArray<Row> = []
    while (events.length === 0) events = (await this.#server.send("events?wait=10", { key })).json.data
    for (const event of events) {
      const said = JSON.stringify(event)
      this.#note("event", event.id, async (server) => {
        const { json } = await server.send("events", { key })
        return json.data.some((found: Row) => JSON.stringify(found) === said)
      })
    }
  }
}
