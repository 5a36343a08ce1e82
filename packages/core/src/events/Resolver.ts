import * as Dns from "node:dns"
import { Array as Arr, Context, Duration, Effect, Layer, Schema } from "effect"

/**
 * Resolves the addresses of a host.
 *
 * @since 0.1.0
 * @category services
 */
export class Resolver extends Context.Tag("@assay/core/Resolver")<
  Resolver,
  {
    /** All addresses of a name, in the order in which to try them; at least one. */
    readonly resolve: (host: string) => Effect.Effect<ReadonlyArray<string>, HostUnresolved>
  }
>() {}

/**
 * Resolves with the given name servers (`address` or `address:port`), within five seconds. Names that they do not know
 * are resolved by the system, with its hosts file and search domains, within another five.
 *
 * The system resolver occupies a thread, which files and RPC endpoints need too, for as long as an untrusted name
 * server takes. So it is used last, and for one name at a time.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerServers = (servers: ReadonlyArray<string>): Layer.Layer<Resolver> =>
  Layer.effect(
    Resolver,
    Effect.map(Effect.makeSemaphore(1), (one) => ({
      resolve: Effect.fn("Resolver.resolve")(function* (host: string) {
        const said = yield* inTime(askServers(host, servers))
        const addresses = said.flatMap((answer) => (answer._tag === "Addresses" ? answer.addresses : []))
        if (addresses.length > 0) return addresses
        if (said.some(({ _tag }) => _tag === "Silence")) return yield* new HostUnresolved()
        // Its slot is free again when the system has answered, not when the caller stops waiting.
        return yield* inTime(askSystem(host).pipe(Effect.uninterruptible, one.withPermits(1), Effect.disconnect))
      })
    }))
  )

/**
 * The same with the name servers of the system.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Resolver> = layerServers([])

/** `None`: there is no such address, or no name server. `Silence`: the name servers did not answer. */
type Said =
  | { readonly _tag: "Addresses"; readonly addresses: ReadonlyArray<string> }
  | { readonly _tag: "None" }
  | { readonly _tag: "Silence" }

type Done = (error: NodeJS.ErrnoException | null, addresses: ReadonlyArray<string>) => void

const askServers = (host: string, servers: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Said>> =>
  Effect.suspend(() => {
    const client = new Dns.Resolver({ timeout: 2_000, tries: 2 })
    if (Arr.isNonEmptyReadonlyArray(servers)) client.setServers(servers)
    return Effect.all([query((done) => client.resolve4(host, done)), query((done) => client.resolve6(host, done))], {
      concurrency: 2
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => client.cancel())))
  })

const query = (ask: (done: Done) => void): Effect.Effect<Said> =>
  Effect.async((resume) => {
    ask((error, addresses) => {
      if (error === null) resume(Effect.succeed({ _tag: "Addresses", addresses }))
      else resume(Effect.succeed({ _tag: unknown.has(error.code ?? "") ? "None" : "Silence" }))
    })
  })

const unknown: ReadonlySet<string> = new Set([Dns.NOTFOUND, Dns.NODATA, Dns.CONNREFUSED, Dns.BADNAME])

const askSystem = (host: string): Effect.Effect<ReadonlyArray<string>, HostUnresolved> =>
  Effect.async((resume) => {
    Dns.lookup(host, { all: true, verbatim: true }, (error, found) =>
      resume(
        error === null && found.length > 0 ? Effect.succeed(found.map(({ address }) => address)) : new HostUnresolved()
      )
    )
  })

const inTime = <A, E>(self: Effect.Effect<A, E>): Effect.Effect<A, E | HostUnresolved> =>
  Effect.timeoutFail(self, { duration: Duration.seconds(5), onTimeout: () => new HostUnresolved() })

/**
 * A name has no address, or no name server answered. It does not contain the name, which may be a secret.
 *
 * @since 0.1.0
 * @category errors
 */
export class HostUnresolved extends Schema.TaggedError<HostUnresolved>()("HostUnresolved", {}) {}
