import { connect, createServer, type Server, type Socket } from "node:net"

/** What a pooler in transaction mode accepts in a startup message. */
const accepted = ["user", "database", "application_name", "client_encoding"]

/**
 * A pooler in transaction mode, as PgBouncer has it: each transaction of a client runs on the server connection that has
 * been idle longest, and the client keeps it only until the transaction ends. What a client leaves in a session is found by
 * others, and lost to itself.
 *
 * @see https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export interface TransactionPooler {
  readonly url: string
  /** How often a client went on with another server connection than it had before. */
  readonly switches: () => number
  readonly stop: () => Promise<void>
}

export const start = async (target: string, size: number): Promise<TransactionPooler> => {
  const { hostname, pathname, port, username } = new URL(target)
  const all = await Promise.all(
    Array.from({ length: size }, () =>
      Backend.open({ hostname, port: Number(port), username, database: pathname.slice(1) })
    )
  )
  const idle = [...all]
  const waiting: Array<(backend: Backend) => void> = []
  let switches = 0

  const acquire = (): Promise<Backend> => {
    const first = idle.shift()
    return first === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(first)
  }
  const release = (backend: Backend): void => {
    const next = waiting.shift()
    if (next === undefined) idle.push(backend)
    else next(backend)
  }

  const serve = (client: Socket): void => {
    client.setNoDelay(true)
    let isStarted = false
    let held: Backend | undefined
    let before: Backend | undefined
    let isAcquiring = false
    let unanswered = 0
    const backlog: Array<Buffer> = []
    const messages = new Messages()

    const pump = async (): Promise<void> => {
      if (isAcquiring) return
      if (held === undefined && backlog.length > 0) {
        isAcquiring = true
        const backend = await acquire()
        isAcquiring = false
        if (before !== undefined && before !== backend) switches++
        held = backend
        before = backend
        backend.toClient = (message) => {
          client.write(message)
          if (message[0] !== ready) return
          unanswered--
          if (unanswered > 0 || message[5] !== idleStatus) return
          backend.toClient = () => {}
          held = undefined
          release(backend)
          void pump()
        }
      }
      for (let message = backlog.shift(); message !== undefined && held !== undefined; message = backlog.shift()) {
        if (message[0] === query || message[0] === sync) unanswered++
        held.socket.write(message)
      }
    }

    client.on("data", (chunk) => {
      for (const message of messages.of(chunk, isStarted)) {
        if (isStarted) {
          if (message[0] !== terminate) backlog.push(message)
          continue
        }
        const code = message.readInt32BE(4)
        if (code === sslRequest) client.write("N")
        else {
          const names = message
            .subarray(8)
            .toString()
            .split("\0")
            .filter((_, index) => index % 2 === 0)
          const unknown = names.find((name) => name !== "" && !accepted.includes(name))
          if (code !== version3 || unknown !== undefined) return client.destroy()
          isStarted = true
          client.write(
            Buffer.concat([framed("R", int32(0)), framed("K", int32(1), int32(1)), framed("Z", Buffer.from("I"))])
          )
        }
      }
      void pump()
    })
    client.on("error", () => {})
    // A transaction that its client leaves open is rolled back by a new one, as by the end of its connection.
    client.on("close", () => {
      if (held === undefined) return
      const backend = held
      backend.toClient = (message) => {
        if (message[0] !== ready || message[5] !== idleStatus) return
        backend.toClient = () => {}
        release(backend)
      }
      backend.socket.write(framed("Q", Buffer.from("ROLLBACK\0")))
    })
  }

  const server: Server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const listening = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `postgres://${username}@127.0.0.1:${listening}${pathname}`,
    switches: () => switches,
    stop: async () => {
      for (const { socket } of all) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    }
  }
}

const [ready, query, sync, terminate, idleStatus] = [..."ZQSXI"].map((letter) => letter.charCodeAt(0))
const version3 = 196_608
const sslRequest = 80_877_103

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const framed = (type: string, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

/** Cuts a stream into messages; those of a startup have no type. */
class Messages {
  private rest = Buffer.alloc(0)

  of(chunk: Buffer | string, isTyped: boolean): ReadonlyArray<Buffer> {
    this.rest = Buffer.concat([this.rest, Buffer.from(chunk)])
    const start = isTyped ? 1 : 0
    const whole: Array<Buffer> = []
    while (this.rest.length >= start + 4) {
      const length = start + this.rest.readInt32BE(start)
      if (this.rest.length < length) break
      whole.push(this.rest.subarray(0, length))
      this.rest = this.rest.subarray(length)
    }
    return whole
  }
}

/** A connection to the server. */
class Backend {
  readonly socket: Socket
  toClient: (message: Buffer) => void = () => {}

  private constructor(socket: Socket) {
    this.socket = socket
  }

  static async open(to: {
    readonly hostname: string
    readonly port: number
    readonly username: string
    readonly database: string
  }): Promise<Backend> {
    const socket = connect(to.port, to.hostname).setNoDelay(true)
    const backend = new Backend(socket)
    const messages = new Messages()
    const parameters = `user\0${to.username}\0database\0${to.database}\0client_encoding\0UTF8\0\0`
    const startup = Buffer.concat([int32(version3), Buffer.from(parameters)])
    socket.write(Buffer.concat([int32(startup.length + 4), startup]))
    socket.on("error", () => {})
    await new Promise<void>((resolve) => {
      backend.toClient = (message) => {
        if (message[0] === ready) resolve()
      }
      socket.on("data", (chunk) => {
        for (const message of messages.of(chunk, true)) backend.toClient(message)
      })
    })
    backend.toClient = () => {}
    return backend
  }
}
