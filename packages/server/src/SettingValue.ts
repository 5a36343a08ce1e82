/** @internal The values of settings as an operator writes them. On the left is what is expected. */
import { isIP } from "node:net"
import type * as ChainAccess from "@assay/core/chain/ChainAccess"
import * as Url from "@assay/core/domain/Url"
import * as Plan from "@assay/core/keys/Plan"
import * as Secrets from "@assay/core/keys/Secrets"
import { Array as Arr, Either, LogLevel, Option, Redacted } from "effect"
import * as Host from "./Host.js"
import type * as Network from "./Network.js"

/** Reads a value; `given` is what it depends on besides. */
export type Parse<A, In = unknown> = (value: string, given: In) => Either.Either<A, string>

/** Any text. */
export const text: Parse<string> = Either.right

/** An integer between these two, which are included. */
export const integer =
  (minimum: number, maximum: number): Parse<number> =>
  (value) =>
    /^\d{1,15}$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
      ? Either.right(Number(value))
      : Either.left(`an integer from ${minimum} to ${maximum}`)

/** One of these words. */
export const oneOf =
  <const Word extends string>(...words: ReadonlyArray<Word>): Parse<Word> =>
  (value) =>
    Either.fromNullable(
      words.find((word) => word === value),
      () => words.join(" or ")
    )

/** `on` or `off`. */
export const onOff: Parse<boolean> = (value, given) =>
  Either.map(oneOf("on", "off")(value, given), (word) => word === "on")

/** `true` or `false`, as the settings of OpenTelemetry are. */
export const trueFalse: Parse<boolean> = (value, given) =>
  Either.map(oneOf("true", "false")(value.toLowerCase(), given), (word) => word === "true")

/** A share, from 0 to 1. */
export const share: Parse<number> = (value) =>
  /^(?:[01](?:\.0{1,9})?|0?\.\d{1,9})$/.test(value) ? Either.right(Number(value)) : Either.left("a number from 0 to 1")

/** The URL of a collector, which may hold a key. */
export const collector: Parse<Redacted.Redacted<string>> = (value) =>
  isHttpUrl(value) ? Either.right(Redacted.make(value)) : Either.left("an http(s) URL")

/**
 * `name=value,other=value`, percent-encoded.
 *
 * @see https://www.w3.org/TR/baggage/#header-content
 */
export const pairs: Parse<{ readonly [name: string]: string }> = (value) => {
  const expected = "names with values, such as name=value,other=value"
  const parsed = listed(value).map((pair) => /^([^\s=,;]+)\s*=\s*([^,;]*)$/.exec(pair))
  const read = parsed.map((found) =>
    Either.try(() => [found?.[1] ?? "", decodeURIComponent(found?.[2]?.trim() ?? "")] as const)
  )
  return parsed.some((found) => found === null) || read.some(Either.isLeft)
    ? Either.left(expected)
    : Either.right(Object.fromEntries(Arr.getRights(read)))
}

/** `pairs`, as headers. */
export const secretPairs: Parse<{ readonly [name: string]: Redacted.Redacted<string> }> = (value, given) =>
  Either.flatMap(pairs(value, given), (read) =>
    Object.entries(read).every(([name, content]) => headerName.test(name) && /^[\x20-\x7e]+$/.test(content))
      ? Either.right(
          Object.fromEntries(
            Object.entries(read).map(([name, content]) => [name.toLowerCase(), Redacted.make(content)] as const)
          )
        )
      : Either.left("headers such as api-key=…,other=…")
  )

/** `name:units,other:units`: the units per UTC day of each plan, at most 50 of them. */
export const plans: Parse<Plan.Plans> = (value) => {
  const found = listed(value).map((plan) => /^([^:]+):(\d{1,10})$/.exec(plan))
  const read = new Map(found.map((parts) => [parts?.[1] ?? "", Number(parts?.[2])]))
  return found.length <= 50 &&
    read.size === found.length &&
    [...read].every(([name, units]) => Plan.isName(name) && units <= 1_000_000_000)
    ? Either.right(read)
    : Either.left(
        "at most 50 plans with units, such as team:500,desk:5000: names of 1 to 32 lower case letters, digits and hyphens, each once and none of them none; units from 0 to 1000000000"
      )
}

/** A key in visible ASCII characters. */
export const key: Parse<Redacted.Redacted<string>> = (value) =>
  /^[\x21-\x7e]+$/.test(value) ? Either.right(Redacted.make(value)) : Either.left("a key without white space")

/** The keys that encrypt webhook secrets, the current one first. */
export const secretsKeys: Parse<Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>> = (value) => {
  const texts = value.split(/[\s,]+/)
  const keys = Arr.getSomes(texts.map(Secrets.parseKey))
  return keys.length === texts.length && Arr.isNonEmptyReadonlyArray(keys)
    ? Either.right(keys)
    : Either.left("keys of 32 bytes in base64 or hex, the current one first, as `openssl rand -base64 32` makes them")
}

/** Where the database is. */
export type Database =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Sqlite"; readonly filename: string }
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted<string> }

/** `sqlite:<path>`, the URL of a Postgres database, or `memory:`. */
export const database: Parse<Database> = (value) => {
  if (value === "memory:") return Either.right({ _tag: "Memory" })
  const filename = /^sqlite:(.+)$/.exec(value)?.[1]
  if (filename !== undefined) return Either.right({ _tag: "Sqlite", filename })
  const { hostname = "", pathname = "", protocol = "" } = urlOf(value) ?? {}
  return /^postgres(?:ql)?:$/.test(protocol) && hostname !== "" && pathname.length > 1
    ? Either.right({ _tag: "Postgres", url: Redacted.make(value) })
    : Either.left("sqlite:<path>, postgres://<user>:<password>@<host>/<database> or memory:")
}

const urlOf = (value: string): URL | undefined => Option.getOrUndefined(Url.parse(value))

const isHttpUrl = (value: string): boolean => /^https?:$/.test(urlOf(value)?.protocol ?? "")

/** The URL of a source or model. Evidence and logs show it, so it must not hold a secret. */
export const shownUrl: Parse<string> = (value) => {
  const { hash = "", password = "", search = "", username = "" } = urlOf(value) ?? {}
  return isHttpUrl(value) && `${username}${password}${search}${hash}` === ""
    ? Either.right(value)
    : Either.left("an http(s) URL without user, password, query or fragment")
}

/** `off`, `on` for a public server, or the URL of another one. */
export const source =
  (publicUrl: string): Parse<Option.Option<string>> =>
  (value, given) => {
    if (value === "on") return Either.right(Option.some(publicUrl))
    if (value === "off") return Either.right(Option.none())
    return Either.mapBoth(shownUrl(value, given), { onLeft: (url) => `on, off or ${url}`, onRight: Option.some })
  }

const entries = (value: string): ReadonlyArray<readonly [string, string]> =>
  value
    .split(/,(?=\s*\d+\s*=)/)
    .map((entry) => [entry.slice(0, entry.indexOf("=")).trim(), entry.slice(entry.indexOf("=") + 1).trim()] as const)

/** The endpoints of each chain, in order of preference. */
export type Endpoints = Arr.NonEmptyReadonlyArray<{
  readonly id: number
  readonly urls: readonly [string, ...string[]]
}>

/** `1=https://…|https://…,8453=https://…`. */
export const endpoints: Parse<Endpoints> = (value) => {
  const expected = "chain ids with http(s) endpoints, such as 1=https://…|https://…,8453=https://…"
  const parsed: Array<Endpoints[number]> = []
  for (const [id, urls] of entries(value)) {
    const [first, ...rest] = urls.split("|").map((url) => url.trim())
    if (!/^[1-9]\d{0,15}$/.test(id) || first === undefined || ![first, ...rest].every(isHttpUrl))
      return Either.left(expected)
    if (parsed.some((other) => other.id === Number(id)))
      return Either.left(`each chain once, but ${id} is listed twice`)
    parsed.push({ id: Number(id), urls: [first, ...rest] })
  }
  return Arr.isNonEmptyReadonlyArray(parsed) ? Either.right(parsed) : Either.left(expected)
}

/** The id of a chain that has endpoints. */
export const chainOf: Parse<number, Endpoints> = (value, given) =>
  Either.fromNullable(
    given.find(({ id }) => String(id) === value)?.id,
    () => `a chain id of ASSAY_RPC_URLS (${given.map(({ id }) => id).join(", ")})`
  )

/**
 * What is said of endpoints, in the places that they have in `ASSAY_RPC_URLS`: `1=first|second,8453=first`, where nothing
 * is said of a place that is empty.
 */
export const ofEndpoints =
  <A>(parse: Parse<A>): Parse<ReadonlyArray<readonly [url: string, value: A]>, Endpoints> =>
  (value, given) => {
    const parsed: Array<readonly [string, A]> = []
    for (const [id, places] of entries(value)) {
      const chain = given.find((each) => String(each.id) === id)
      if (chain === undefined) return Either.left("chain ids of ASSAY_RPC_URLS, each with a value for its endpoints")
      const values = places.split("|").map((place) => place.trim())
      if (values.length > chain.urls.length)
        return Either.left(`at most ${chain.urls.length} endpoints of chain ${id}, as in ASSAY_RPC_URLS`)
      for (const [place, url] of chain.urls.entries()) {
        const own = values[place] ?? ""
        if (own === "") continue
        const read = parse(own, given)
        if (Either.isLeft(read)) return Either.left(read.left)
        parsed.push([url, read.right])
      }
    }
    return Either.right(parsed)
  }

/** What one endpoint takes. */
export interface EndpointLimits extends NonNullable<ChainAccess.EndpointSettings["limits"]> {}

const limitNames: { readonly [name: string]: keyof EndpointLimits } = {
  calls: "callsPerSecond",
  requests: "requestsPerSecond",
  batch: "batch",
  logs: "logBlocks"
}

/** `calls:25 requests:10 batch:10 logs:500`. */
export const endpointLimits: Parse<EndpointLimits> = (value) => {
  const parsed: { -readonly [Name in keyof EndpointLimits]: EndpointLimits[Name] } = {}
  for (const part of value.split(/\s+/)) {
    const [, word = "", number = ""] = /^([a-z]+):(\d{1,9})$/.exec(part) ?? []
    const name = limitNames[word]
    if (name === undefined || parsed[name] !== undefined || Number(number) < 1)
      return Either.left("limits of at least 1 such as 1=calls:25 requests:10 batch:10 logs:500, each at most once")
    parsed[name] = Number(number)
  }
  return Either.right(parsed)
}

// https://www.rfc-editor.org/rfc/rfc9110#name-tokens, without the headers that belong to the message itself.
const headerName =
  /^(?!(?:host|connection|content-(?:length|type|encoding)|transfer-encoding)$)[!#$%&'*+.^_`|~0-9a-z-]+$/i

/** The headers of one endpoint: `x-api-key: …; x-app: …`. */
export const headers: Parse<NonNullable<ChainAccess.EndpointSettings["headers"]>> = (value) => {
  const parsed: { [name: string]: Redacted.Redacted<string> } = {}
  for (const part of value.split(";")) {
    const [name = "", ...rest] = part.split(":")
    const content = rest.join(":").trim()
    if (!headerName.test(name.trim()) || !/^[\x20-\x7e]+$/.test(content))
      return Either.left("headers such as 1=x-api-key: …, those of one endpoint with ; between them")
    parsed[name.trim().toLowerCase()] = Redacted.make(content)
  }
  return Either.right(parsed)
}

/** Block explorers by chain: `31337=http://…`. */
export const explorers: Parse<{ readonly [chainId: number]: string }> = (value) => {
  const parsed = entries(value)
  return parsed.every(([id, url]) => /^[1-9]\d{0,15}$/.test(id) && isHttpUrl(url))
    ? Either.right(Object.fromEntries(parsed))
    : Either.left("chain ids with one explorer URL each, such as 31337=http://…")
}

/** CIDR ranges. */
export const networks: Parse<ReadonlyArray<string>> = (value) => {
  const parsed = listed(value).filter((network) => network !== "")
  return parsed.every(isNetwork) ? Either.right(parsed) : Either.left("CIDR ranges, such as 10.0.0.0/8,fd00::/8")
}

const listed = (value: string): ReadonlyArray<string> => value.split(",").map((each) => each.trim())

const isNetwork = (network: string): boolean => {
  const [address = "", prefix, ...more] = network.split("/")
  const bits = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : undefined
  return (
    bits !== undefined &&
    more.length === 0 &&
    (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  )
}

/** The header in which proxies name their client, in lower case. */
export const proxyHeader: Parse<Network.ProxyHeader> = (value, given) =>
  Either.mapLeft(
    oneOf("x-forwarded-for", "forwarded")(value.toLowerCase(), given),
    () => "X-Forwarded-For or Forwarded"
  )

/** A port; 0 takes a free one. */
export const port: Parse<number> = (value, given) =>
  Either.mapLeft(integer(0, 65_535)(value, given), (expected) =>
    // https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
    /^(?:tcp|udp|sctp):\/\//.test(value)
      ? `${expected} (Kubernetes sets this variable for a service of the same name: rename the service, or set enableServiceLinks to false)`
      : expected
  )

/** Ports, such as `443,8443`. */
export const ports: Parse<ReadonlyArray<number>> = (value, given) =>
  Either.mapLeft(
    Either.all(listed(value).map((each) => integer(1, 65_535)(each, given))),
    () => "ports from 1 to 65535, such as 443,8443"
  )

/** What the Host header may say. */
export const hosts: Parse<ReadonlyArray<Host.Host>> = (value) =>
  Option.match(Option.all(listed(value).map(Host.parse)), {
    onNone: () =>
      Either.left("host names or addresses, each with a port or without, such as assay.example,10.0.0.5:8787,[::1]"),
    onSome: Either.right
  })

const logLevels: { readonly [name: string]: LogLevel.LogLevel } = {
  trace: LogLevel.Trace,
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error,
  none: LogLevel.None
}

/** From which level on the log has lines. */
export const logLevel: Parse<LogLevel.LogLevel> = (value) =>
  Either.fromNullable(logLevels[value.toLowerCase()], () => `one of ${Object.keys(logLevels).join(", ")}`)
