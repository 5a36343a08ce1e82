import { Option } from "effect"

/**
 * A host as a request names it: a name or an address, lower-case, IPv6 in brackets, and the port where there is one.
 */
export interface Host {
  readonly name: string
  readonly port: Option.Option<number>
}

/**
 * The host in a `Host` header, a request target or a setting; none where the text is anything else.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-7.2
 */
export const parse = (text: string): Option.Option<Host> => {
  const found = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]\\]+)(?::(\d{1,5}))?$/i.exec(text)
  const [, name = "", port] = found ?? []
  return found === null || Number(port ?? 0) > 65_535
    ? Option.none()
    : Option.some({
        name: name.toLowerCase().replace(/\.$/, ""),
        port: port === undefined ? Option.none() : Option.some(Number(port))
      })
}

/** The names of this machine for itself. */
export const loopback: ReadonlyArray<Host> = ["localhost", "127.0.0.1", "[::1]"].map((name) => ({
  name,
  port: Option.none()
}))

/** Whether a host is one of those allowed. One without a port allows every port. */
export const isAllowed = (allowed: ReadonlyArray<Host>, host: Host): boolean =>
  allowed.some(
    ({ name, port }) =>
      name === host.name &&
      Option.match(port, { onNone: () => true, onSome: (only) => Option.contains(host.port, only) })
  )

/**
 * Whether an `Origin` header names another origin than the host of the request. `null` is another one.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6454#section-7
 */
export const isForeign = (origin: string, host: string | undefined): boolean => {
  const scheme = /^https?:\/\//.exec(origin)?.[0]
  // Both through the same parser, because the port of a scheme may be left out.
  return scheme === undefined || host === undefined || hostOf(origin) !== hostOf(`${scheme}${host}`)
}

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined)
