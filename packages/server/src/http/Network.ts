import { BlockList, isIP } from "node:net"

/**
 * Whether a listening address is loopback.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isLoopback = (host: string): boolean => {
  const address = plain(host)
  return host === "localhost" || address === "::1" || (isIP(address) === 4 && address.startsWith("127."))
}

/**
 * The source that limits count by: an IPv4 address, or the /64 of an IPv6 address, because a site has at least a /64.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sourceOf = (address: string): string => {
  const text = plain(address)
  return isIP(text) === 6 ? `${groups(text).slice(0, 4).join(":")}::/64` : text
}

/**
 * Whether an address is in one of the networks, given as CIDR ranges or single addresses.
 *
 * @since 0.1.0
 * @category constructors
 */
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

/**
 * The client address of a request: the peer, or the first untrusted address in the headers of trusted proxies, read
 * from the nearest proxy outwards. `Forwarded` takes precedence over `X-Forwarded-For`. An entry that is not an address
 * ends the search: the result is the last trusted proxy, so that all its invalid entries count as one source.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7239
 * @since 0.1.0
 * @category combinators
 */
export const clientOf = (
  peer: string,
  headers: { readonly [name: string]: string | undefined },
  isTrusted: (address: string) => boolean
): string => {
  const hops = hopsOf(headers)
  let client = plain(peer)
  while (isTrusted(client)) {
    const hop = hops.pop()
    if (hop === undefined || isIP(hop) === 0) break
    client = hop
  }
  return client
}

const hopsOf = (headers: { readonly [name: string]: string | undefined }): Array<string> => {
  if (headers.forwarded !== undefined)
    return headers.forwarded.split(",").map((element) => {
      const pair = element.split(";").find((part) => /^\s*for\s*=/i.test(part))
      return pair === undefined
        ? ""
        : withoutPort(
            pair
              .slice(pair.indexOf("=") + 1)
              .trim()
              .replaceAll('"', "")
          )
    })
  return (headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((hop) => withoutPort(hop.trim()))
    .filter((hop) => hop !== "")
}

const withoutPort = (node: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(node)?.[1]
  if (bracketed !== undefined) return plain(bracketed)
  return plain(/^[^:]*:\d+$/.test(node) ? node.slice(0, node.indexOf(":")) : node)
}

// An IPv4 address that arrives over an IPv6 socket is written ::ffff:a.b.c.d; a link-local one may name its interface.
const plain = (address: string): string => {
  const unzoned = address.replace(/%.*$/, "")
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(unzoned)?.[1]
  return mapped ?? unzoned.toLowerCase()
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
