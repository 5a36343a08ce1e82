import { createSocket } from "node:dgram"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Scope, TestClock } from "effect"
import { HostUnresolved, layer, layerServers, Resolver } from "../../src/events/Resolver.js"

type Zone = { readonly [name: string]: { readonly a?: string; readonly aaaa?: string } | "silent" }

interface NameServer {
  readonly address: string
  /** Done at the first query for a name that it keeps silent about. */
  readonly kept: Deferred.Deferred<void>
}

/** A name server on a free port of this machine; what is not in its zone does not exist. */
const serving = (zone: Zone): Effect.Effect<NameServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const kept = yield* Deferred.make<void>()
    const socket = yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createSocket>>((resume) => {
        const socket = createSocket("udp4")
        socket.on("message", (message, { address, port }) => {
          const { end, name } = nameIn(message)
          const isV6 = message.readUInt16BE(end) === 28
          const found = zone[name]
          if (found === "silent") return Deferred.unsafeDone(kept, Exit.void)
          const text = isV6 ? found?.aaaa : found?.a
          const bytes =
            text === undefined ? Buffer.alloc(0) : isV6 ? bytesOfV6(text) : Buffer.from(text.split(".").map(Number))
          const question = message.subarray(12, end + 4)
          const head = Buffer.alloc(12)
          message.copy(head, 0, 0, 2)
          // Response, recursion available; NXDOMAIN where the name is not in the zone.
          head.writeUInt16BE(0x8180 + (found === undefined ? 3 : 0), 2)
          head.writeUInt16BE(1, 4)
          head.writeUInt16BE(bytes.length === 0 ? 0 : 1, 6)
          const answer = Buffer.alloc(12)
          answer.writeUInt16BE(0xc00c, 0)
          answer.writeUInt16BE(isV6 ? 28 : 1, 2)
          answer.writeUInt16BE(1, 4)
          answer.writeUInt16BE(bytes.length, 10)
          const parts = bytes.length === 0 ? [head, question] : [head, question, answer, bytes]
          return socket.send(Buffer.concat(parts), port, address)
        })
        socket.bind(0, "127.0.0.1", () => resume(Effect.succeed(socket)))
      }),
      (socket) => Effect.async<void>((resume) => void socket.close(() => resume(Effect.void)))
    )
    return { address: `127.0.0.1:${socket.address().port}`, kept }
  })

const bytesOfV6 = (text: string): Buffer =>
  Buffer.from(text.split(":").flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 0xff]))

const nameIn = (message: Buffer): { readonly name: string; readonly end: number } => {
  const labels: Array<string> = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("ascii", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 }
}

const resolve = (host: string, server: NameServer) =>
  Effect.flatMap(Resolver, (resolver) => resolver.resolve(host)).pipe(Effect.provide(layerServers([server.address])))

describe("Resolver", () => {
  it.scopedLive("finds all addresses of a name", () =>
    Effect.gen(function* () {
      const server = yield* serving({
        "both.example": { a: "93.184.216.34", aaaa: "2606:2800:220:1:248:1893:25c8:1946" },
        "four.example": { a: "10.0.0.1" },
        "six.example": { aaaa: "0:0:0:0:0:ffff:7f00:1" }
      })
      assert.deepStrictEqual(yield* resolve("both.example", server), [
        "93.184.216.34",
        "2606:2800:220:1:248:1893:25c8:1946"
      ])
      assert.deepStrictEqual(yield* resolve("four.example", server), ["10.0.0.1"])
      assert.deepStrictEqual(yield* resolve("six.example", server), ["::ffff:127.0.0.1"])
    })
  )

  it.scopedLive("queries the system for what the name servers do not know, such as this machine's own names", () =>
    Effect.gen(function* () {
      const server = yield* serving({ "other.example": {} })
      const found = yield* resolve("localhost", server)
      assert.isTrue(found.every((address) => address === "127.0.0.1" || address === "::1"))
      for (const host of ["nowhere.invalid", "other.example"])
        assert.instanceOf(yield* Effect.flip(resolve(host, server)), HostUnresolved)
    })
  )

  it.scoped("waits five seconds for a name server that keeps silent", () =>
    Effect.gen(function* () {
      const server = yield* serving({ "silent.example": "silent" })
      const waiting = yield* Effect.fork(Effect.flip(resolve("silent.example", server)))
      yield* Deferred.await(server.kept)
      yield* TestClock.adjust("5 seconds")
      assert.instanceOf(yield* Fiber.join(waiting), HostUnresolved)
    })
  )

  it.live("does not repeat the name where there is none", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.flatMap(Resolver, (resolver) => resolver.resolve("secret-name.invalid")))
      assert.notInclude(`${String(error)}${JSON.stringify(error)}`, "secret-name")
    }).pipe(Effect.provide(layer))
  )
})
