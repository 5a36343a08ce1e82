import { mkdtempSync, rmSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterAll, afterEach, assert, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as TestPostgres from "../../../storage-postgres/test/TestPostgres.js"
import { type Answer, eventually, ServerProcess } from "./ServerProcess.js"

const database = await TestPostgres.database()
afterAll(() => database?.drop())

const directory = mkdtempSync(join(tmpdir(), "assay-readiness-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const running = new Set<ServerProcess>()
afterEach(async () => {
  for (const server of running) await server.kill()
  running.clear()
})

const start = async (settings: Record<string, string>): Promise<ServerProcess> => {
  const server = await ServerProcess.start({
    ASSAY_RPC_URLS: "1=http://127.0.0.1:1",
    ASSAY_SECRETS_KEY: "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=",
    ...settings
  })
  running.add(server)
  return server
}

/** What both health checks answer while a query of the database waits for its answer. */
const meanwhile = async (server: ServerProcess, asked: Promise<Answer>) => {
  let isAnswered = false
  void asked.then(() => {
    isAnswered = true
  })
  const live = await server.send("health/live")
  const ready = await server.send("health/ready")
  assert.isFalse(isAnswered, "the health checks waited for the database")
  assert.strictEqual(live.status, 200)
  return ready
}

TestPostgres.describeAtLanding(database)("a server on a Postgres database", () => {
  it("that answers nothing is not ready, with the reason, before any call of it fails, and is again when it answers", async () => {
    const server = await start({ ASSAY_DATABASE: database?.url ?? "" })
    const key = await server.createKey()
    assert.strictEqual((await server.send("health/ready")).status, 200)
    const thaw = await database?.freeze()
    try {
      const asked = server.send("usage", { key })
      // The last good answer may be kept for five seconds.
      await eventually(
        () => server.send("health/ready"),
        ({ status }) => status === 503
      )
      const ready = await meanwhile(server, server.send("usage", { key }))
      assert.match(ready.json.cause, /does not answer/)
      assert.strictEqual((await asked).status, 503)
    } finally {
      thaw?.()
    }
    await eventually(
      () => server.send("health/ready"),
      ({ status }) => status === 200
    )
    assert.strictEqual((await server.send("usage", { key })).status, 200)
  })

  it("on a host that is gone is not ready, with the reason, and is again when the host is back", async () => {
    const { hostname, port } = new URL(database?.url ?? "")
    const wire = await Wire.start(Number(port), hostname)
    const url = new URL(database?.url ?? "")
    url.port = String(wire.port)
    const server = await start({ ASSAY_DATABASE: url.href, ASSAY_DATABASE_CONNECTIONS: "3" })
    const key = await server.createKey()
    wire.isCut = true
    await eventually(
      () => server.send("health/ready"),
      ({ status }) => status === 503
    )
    // All connections are taken, and others wait for one.
    const asked = Array.from({ length: 6 }, () => server.send("usage", { key }))
    const ready = await meanwhile(server, Promise.race(asked))
    assert.match(ready.json.cause, /does not answer/)
    await Promise.all(asked)
    wire.isCut = false
    await eventually(
      () => server.send("health/ready"),
      ({ status }) => status === 200
    )
    assert.strictEqual((await server.send("usage", { key })).status, 200)
    wire.stop()
  })
})

describe.runIf(Tier.landing)("a server on a SQLite database", () => {
  it("that another process has locked is not ready, with the reason, and answers what needs no lock meanwhile", async () => {
    const file = join(directory, "locked.db")
    const server = await start({ ASSAY_DATABASE: `sqlite:${file}` })
    const key = await server.createKey()
    assert.strictEqual((await server.send("health/ready")).status, 200)
    const other = new Database(file, { readonly: false, timeout: 0 })
    other.exec("BEGIN IMMEDIATE")
    await eventually(
      () => server.send("health/ready"),
      ({ status }) => status === 503
    )
    const create = server.send("keys", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ label: "locked" })
    })
    const ready = await meanwhile(server, create)
    assert.strictEqual(ready.json.cause, "Another process has locked the database file.")
    assert.strictEqual((await server.send("usage", { key })).status, 200)
    assert.strictEqual((await create).status, 503)
    other.exec("ROLLBACK")
    other.close()
    await eventually(
      () => server.send("health/ready"),
      ({ status }) => status === 200
    )
    await server.createKey()
  })
})

/** A wire to a server that can be cut: then nothing comes through any more, and neither side hears of it. */
class Wire {
  isCut = false
  private readonly sockets = new Set<Socket>()

  private readonly server: Server
  readonly port: number

  private constructor(server: Server, port: number) {
    this.server = server
    this.port = port
  }

  static start(port: number, host: string): Promise<Wire> {
    return new Promise((resolve) => {
      const server = createServer((near) => {
        const far = connect(port, host)
        for (const socket of [near, far]) wire.sockets.add(socket.on("error", () => {}))
        near.on("data", (chunk) => wire.isCut || far.write(chunk))
        far.on("data", (chunk) => wire.isCut || near.write(chunk))
        near.on("close", () => far.destroy())
        far.on("close", () => near.destroy())
      })
      let wire: Wire
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        wire = new Wire(server, typeof address === "object" && address !== null ? address.port : 0)
        resolve(wire)
      })
    })
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy()
    this.server.close()
  }
}
