import { BlockList, isIP } from "node:net"

/** Whether a listening address is loopback. */
export const isLoopback = (host: string): boolean => {
  const address = plain(host)
  return host === "localhost" || address === "::1" || (isIP(address) === 4 && address.startsWith("127."))
}

/**
 * The source that limits count by: an IPv4 address, or the /64 of an IPv6 address, because a site has at least a /64.
 */
export const sourceOf = (address: string): string => {
  const text = plain(address)
  return isIP(text) === 6 ? `${groups(text).slice(0, 4).join(":")}::/64` : text
}

/** Whether an address is in one of the networks, given as CIDR ranges or single addresses. */
export const membership = (networks: ReadonlyArray<string>): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const network of networks) {
    const [address = "", prefix] = network.split("/")
    const family = isIP(address) === 6 ? "ipv6" : "ipv4"
    list.addSubnet(address, prefix === undefined ? (family === "ipv6" ? 128 : 32) : Number(prefix), family)
  }
  return (address) => {
    const text = plain(address)
    const version = isIP(text)
    return version !== 0 && list.check(text, version === 6 ? "ipv6" : "ipv4")
  }
}

/** The header in which proxies name their client. */
export type ProxyHeader = "x-forwarded-for" | "forwarded"

/**
 * The client address of a request: the peer, or the first untrusted address in the header that trusted proxies set, read
 * from the nearest proxy outwards. What is left of that address, and every other header, is the client's own word. An
 * entry that is not an address ends the search: the result is the last trusted proxy, so that all its invalid entries
 * count as one source.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7239
 */
export const clientOf = (
  peer: string,
  headers: { readonly [name: string]: string | undefined },
  options: { readonly header: ProxyHeader; readonly isTrusted: (address: string) => boolean }
): string => {
  const field = headers[options.header]
  const entries = field === undefined ? [] : split(field, ",")
  let client = plain(peer)
  while (options.isTrusted(client)) {
    const entry = entries.pop()
    const hop = entry === undefined ? "" : withoutPort(options.header === "forwarded" ? forOf(entry) : entry.trim())
    if (isIP(hop) === 0) break
    client = hop
  }
  return client
}

/** The `for` of an element of `Forwarded`; empty where there is none, or more than one. */
const forOf = (element: string): string => {
  const nodes = split(element, ";").flatMap((pair) => /^\s*for\s*=\s*(.*?)\s*$/is.exec(pair)?.[1] ?? [])
  const [node = ""] = nodes
  if (nodes.length !== 1) return ""
  const quoted = /^"(.*)"$/s.exec(node)?.[1]
  return quoted === undefined ? node : quoted.replace(/\\(.)/gs, "$1")
}

/**
 * The parts of a list that are outside of quoted strings. Quotes are matched from the right: a proxy may quote what its
 * client chose (`host`), and a client may leave a quote open in what the proxy appends to.
 */
const split = (text: string, separator: string): Array<string> => {
  const parts: Array<string> = []
  let quoted = false
  let end = text.length
  for (let index = text.length - 1; index >= 0; index--) {
    if (text[index] === '"' && !(quoted && isEscaped(text, index))) quoted = !quoted
    else if (text[index] === separator && !quoted) {
      parts.push(text.slice(index + 1, end))
      end = index
    }
  }
  return [text.slice(0, end), ...parts.reverse()]
}

const isEscaped = (text: string, index: number): boolean => {
  let before = index
  while (text[before - 1] === "\\") before--
  return (index - before) % 2 === 1
}

const withoutPort = (node: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(node)?.[1]
  if (bracketed !== undefined) return plain(bracketed)
  return plain(/^[^:]*:\d+$/.test(node) ? node.slice(0, node.indexOf(":")) : node)
}

// An IPv4 address that arrives over an IPv6 socket is written ::ffff:a.b.c.d, or with its last 32 bits in hexadecimal; a
// link-local one may name its interface.
const plain = (address: string): string => {
  const unzoned = address.replace(/%.*$/, "").toLowerCase()
  if (isIP(unzoned) !== 6) return unzoned
  const words = groups(unzoned)
  if (words.slice(0, 6).join() !== "0,0,0,0,0,ffff") return unzoned
  return words
    .slice(6)
    .flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 255])
    .join(".")
}

const groups = (address: string): ReadonlyArray<string> => {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((word) => word.toString(16)).join(":")
  )
  const [head = "", tail] = hex.split("::")
  const before = head === "" ? [] : head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  return [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0"), ...after].map((group) =>
    Number.parseInt(group, 16).toString(16)
  )
}
