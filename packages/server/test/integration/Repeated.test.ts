import { mkdtemp, rm } from "node:fs/promises"
import { connect, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as TestPostgres from "../../../storage-postgres/test/TestPostgres.js"
import { ServerProcess } from "./ServerProcess.js"

const address = "0x5555555555555555555555555555555555550001"
const body = JSON.stringify({ target: "wallet", address })
const hook = JSON.stringify({ url: "http://127.0.0.1:9/" })

const settings = (database: string) => ({
  ASSAY_DATABASE: database,
  ASSAY_SECRETS_KEY: "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=",
  ASSAY_RPC_URLS: "31337=http://127.0.0.1:1",
  ASSAY_SCHEDULER: "off",
  ASSAY_WEBHOOKS_ALLOW_HTTP: "on",
  ASSAY_WEBHOOKS_ALLOW_PRIVATE: "on"
})

const post = (server: ServerProcess, path: string, text: string, options: { key?: string; name?: string } = {}) =>
  server.send(path, {
    key: options.key,
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(options.name === undefined ? {} : { "idempotency-key": options.name })
    },
    body: text
  })

describe.runIf(Tier.landing)("a request that is repeated with its Idempotency-Key", () => {
  it("makes nothing more after the server was killed, and answers with the same secret", async () => {
    const directory = await mkdtemp(join(tmpdir(), "assay-repeated-"))
    const database = `sqlite:${join(directory, "assay.db")}`
    const first = await ServerProcess.start(settings(database))
    const key = await first.createKey()
    const watch = await post(first, "watches", body, { key, name: "a" })
    const webhook = await post(first, "webhooks", hook, { key, name: "a" })
    assert.deepStrictEqual([watch.status, webhook.status], [201, 201], watch.text + webhook.text)
    await first.kill()
    const second = await ServerProcess.start(settings(database))
    try {
      assert.strictEqual((await post(second, "watches", body, { key, name: "a" })).json.id, watch.json.id)
      assert.deepStrictEqual((await post(second, "webhooks", hook, { key, name: "a" })).json, webhook.json)
      assert.strictEqual((await second.send("watches", { key })).json.data.length, 1)
    } finally {
      await second.stop()
      await rm(directory, { recursive: true })
    }
  })
})

/** Between a server and its database: takes the answer to a statement away, or all answers while it is frozen. */
class Line {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #lost: string | undefined
  #held: Array<() => void> | undefined

  private constructor(host: string, port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, host)
      let cut = false
      for (const socket of [near, far]) {
        this.#sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => {
          near.destroy()
          far.destroy()
        })
      }
      near.on("data", (data) => {
        if (this.#lost !== undefined && data.toString("latin1").includes(this.#lost)) {
          cut = true
          this.#lost = undefined
        }
        far.write(data)
      })
      far.on("data", (data) => {
        if (cut) near.destroy()
        else if (this.#held === undefined) near.write(data)
        else this.#held.push(() => near.write(data))
      })
    })
  }

  static async to(url: string): Promise<{ readonly line: Line; readonly url: string }> {
    const there = new URL(url)
    const line = new Line(there.hostname, Number(there.port))
    await new Promise<void>((resolve) => line.#server.listen(0, "127.0.0.1", resolve))
    there.host = `127.0.0.1:${(line.#server.address() as { readonly port: number }).port}`
    return { line, url: there.href }
  }

  /** The next statement with this text is carried out, and its connection is gone before the answer. */
  loseAnswerTo(text: string): void {
    this.#lost = text
  }

  freeze(): void {
    this.#held = []
  }

  thaw(): void {
    for (const write of this.#held ?? []) write()
    this.#held = undefined
  }

  stop(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

const database = await TestPostgres.database()
afterAll(() => database?.drop())

TestPostgres.describeAtLanding(database)("a server with a Postgres that does not answer", () => {
  let line: Line
  let server: ServerProcess

  beforeAll(async () => {
    const there = new URL(database?.url ?? "")
    there.password = "unused"
    const opened = await Line.to(there.href)
    line = opened.line
    server = await ServerProcess.start(settings(opened.url))
  })
  afterAll(async () => {
    line?.thaw()
    await server?.kill()
    line?.stop()
  })

  const count = async (table: string) => {
    const [row] = (await database?.query(`SELECT count(*)::int AS n FROM ${table}`)) ?? []
    return row?.n
  }

  it("says that it does not know whether a key was made, after a commit that lost its answer", async () => {
    const before = await count("api_key")
    line.loseAnswerTo("INSERT INTO api_key")
    const refused = await post(server, "keys", '{"label":"a"}')
    assert.deepStrictEqual([refused.status, refused.json?.code], [503, "storage_unavailable"], refused.text)
    assert.include(refused.json.detail, "It is not known whether a key was made.")
    assert.strictEqual(await count("api_key"), Number(before) + 1)
  })

  it("makes one watch and one webhook of a request that lost its answer and is repeated with its name", async () => {
    const key = await server.createKey()
    for (const [path, text, table] of [
      ["watches", body, "watch"],
      ["webhooks", hook, "webhook"]
    ] as const) {
      line.loseAnswerTo("COMMIT")
      await post(server, path, text, { key, name: "a" })
      const made = await post(server, path, text, { key, name: "a" })
      assert.strictEqual(made.status, 201, made.text)
      assert.strictEqual(await count(table), 1)
      assert.strictEqual((await post(server, path, text, { key, name: "a" })).json.id, made.json.id)
    }
  })

  it("says so too of a write that a frozen database carries out later", async () => {
    const key = await server.createKey()
    assert.strictEqual((await server.send("usage", { key })).status, 200)
    const before = await count("api_key")
    line.freeze()
    const refused = await post(server, "keys", '{"label":"a"}')
    line.thaw()
    assert.strictEqual(refused.status, 503, refused.text)
    assert.include(refused.json.detail, "It is not known whether a key was made.")
    assert.isAtLeast(Number(await count("api_key")), Number(before) + 1)
  })
})
