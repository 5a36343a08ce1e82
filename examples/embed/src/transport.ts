import { connect } from "node:net"
import { Address, Analyzer, ChainAccess, Chains, Checks, Transport } from "@assay/core"
import { Console, Effect, Either, Layer } from "effect"

/** Sends JSON-RPC over the socket file of a node on this machine (`ipc:///path/to/geth.ipc`), a connection for each request. */
const layerIpc = Layer.succeed(Transport.Transport, {
  post: (url, body) =>
    Effect.timeoutFail(exchange(new URL(url).pathname, body), {
      duration: "20 seconds",
      onTimeout: () => new Transport.TransportError({ reason: "timeout", afterMillis: 20_000 })
    })
})

const exchange = (path: string, request: string) =>
  Effect.async<Transport.TransportReply, Transport.TransportError>((resume) => {
    const lost = (systemCode?: string) =>
      resume(Effect.fail(new Transport.TransportError({ reason: "unreachable", systemCode })))
    let body = ""
    const socket = connect(path, () => socket.write(request))
      .setEncoding("utf8")
      .on("data", (text: string) => {
        body += text
        if (isWhole(body)) {
          resume(Effect.succeed({ status: 200, headers: { "content-type": "application/json" }, body }))
          socket.destroy()
        }
      })
      .on("error", (error: NodeJS.ErrnoException) => lost(error.code))
      .on("end", () => lost())
    // When the analysis ends or is interrupted.
    return Effect.sync(() => socket.destroy())
  })

// Nothing says how long an answer is. A piece of one may end with a bracket too, but is no JSON.
const isWhole = (text: string) => /[}\]]\s?$/.test(text.slice(-2)) && Either.isRight(Either.try(() => JSON.parse(text)))

const Engine = Analyzer.layer(Checks.all).pipe(Layer.provide(ChainAccess.layerTransport()), Layer.provide(layerIpc))

const program = Effect.gen(function* () {
  const [endpoint = "", text = ""] = process.argv.slice(2)
  const analyzer = yield* Analyzer.Analyzer
  const { facts } = yield* analyzer.analyze({
    kind: "token",
    address: yield* Address.parse(text),
    chain: Chains.make({ id: 31337, endpoints: [endpoint], addressBook: 1 })
  })
  yield* Console.log(`${facts.token?.symbol}: ${facts.risk?.level} risk`)
})

Effect.runPromise(Effect.provide(program, Engine))
