import { Chains } from "@assay/core"
import { Deployment, Server, ServerConfig } from "@assay/server"
import { Effect, Exit, Layer, Logger, LogLevel, Scope } from "effect"

/** Assay below /risk of this program, reading a chain by its endpoint, until it is closed. */
export const open = (endpoint: string) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(layer(endpoint), scope)
      const handlers = Effect.all({
        node: Server.nodeHandler(),
        web: Server.webHandler({ sourceOf: (request) => addresses.get(request) })
      })
      const made = yield* handlers.pipe(Effect.provide(services), Scope.extend(scope))
      return { ...made, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
    })
  )

export type Assay = Awaited<ReturnType<typeof open>>

/** The IP address of the client of a web request, which the request itself does not have. */
export const addresses = new WeakMap<Request, string>()

const layer = (endpoint: string) =>
  Deployment.layerServices().pipe(
    Layer.provideMerge(
      ServerConfig.layerOf({
        basePath: "/risk",
        chains: [Chains.make({ id: 31337, endpoints: [endpoint], addressBook: 1 })],
        // Kept in memory: name a database here, or give `layerServices` a storage.
        database: { _tag: "Memory" }
      })
    ),
    Layer.provide(Logger.minimumLogLevel(LogLevel.Warning))
  )
