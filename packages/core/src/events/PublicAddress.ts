/** @internal */

import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

/**
 * What an IP address can reach.
 *
 * - `public`: a host on the internet.
 * - `private`: a host in the same network or on the same machine (RFC 1918, RFC 6598, loopback, unique local).
 * - `special`: no valid target: where clouds serve credentials (link-local, and the other addresses of their metadata
 *   services), multicast, reserved, for documentation, or no address at all.
 */
export type Reach = "public" | "private" | "special"

/**
 * Classifies an address by its bytes. An IPv6 address that embeds an IPv4 address is classified by both, so that the
 * notation makes no difference. With a zone it is always `special`.
 */
export const reachOf = (address: string): Reach => {
  switch (isIP(address)) {
    case 4:
      return reachOfV4(ipaddr.IPv4.parse(address))
    case 6:
      return address.includes("%") ? "special" : reachOfV6(ipaddr.IPv6.parse(address))
    default:
      return "special"
  }
}

const v4 = (...ranges: ReadonlyArray<string>) => ranges.map((range) => ipaddr.IPv4.parseCIDR(range))
const v6 = (...ranges: ReadonlyArray<string>) => ranges.map((range) => ipaddr.IPv6.parseCIDR(range))

// https://www.rfc-editor.org/rfc/rfc1918, https://www.rfc-editor.org/rfc/rfc6598, https://www.rfc-editor.org/rfc/rfc1122
const privateV4 = v4("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8")

// https://www.iana.org/assignments/iana-ipv4-special-registry: not globally reachable, and the relays of 6to4.
const specialV4 = v4(
  "0.0.0.0/8",
  "169.254.0.0/16",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4"
)

// Where clouds answer the credentials of a machine, besides link-local addresses: in a network that is the machine's own,
// and Azure under one of the internet. https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata and
// https://learn.microsoft.com/en-us/azure/virtual-network/what-is-ip-address-168-63-129-16
const metadataV4 = v4("100.100.100.200/32", "168.63.129.16/32")

// Those of AWS (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html, and the credentials of
// pods), Google Cloud (https://cloud.google.com/compute/docs/metadata/querying-metadata), Oracle and Scaleway.
const metadataV6 = v6("fd00:ec2::/32", "fd20:ce::/32", "fd00:c1::/32", "fd00:42::/32")

// https://www.rfc-editor.org/rfc/rfc4193
const privateV6 = v6("::1/128", "fc00::/7")

// All that IANA has allocated for use on the internet: https://www.iana.org/assignments/ipv6-unicast-address-
// assignments
const globalV6 = v6("2000::/3")

// https://www.iana.org/assignments/iana-ipv6-special-registry, as far as it lies in there: what protocols use, and documentation.
const specialV6 = v6("2001::/23", "2001:db8::/32", "3fff::/20")

const reachOfV4 = (address: ipaddr.IPv4): Reach => {
  if (metadataV4.some((range) => address.match(range))) return "special"
  if (privateV4.some((range) => address.match(range))) return "private"
  return specialV4.some((range) => address.match(range)) ? "special" : "public"
}

const reachOfV6 = (address: ipaddr.IPv6): Reach => {
  if (metadataV6.some((range) => address.match(range))) return "special"
  if (privateV6.some((range) => address.match(range))) return "private"
  const wrapping = wrappings.find(({ range }) => address.match(range))
  if (wrapping !== undefined) return worst(wrapping.carried(address.toByteArray()).map(reachOfV4))
  if (!globalV6.some((range) => address.match(range)) || specialV6.some((range) => address.match(range)))
    return "special"
  const bytes = address.toByteArray()
  return isIsatap(bytes) ? reachOfV4(v4At(bytes, 12)) : "public"
}

const v4At = (bytes: ReadonlyArray<number>, offset: number): ipaddr.IPv4 =>
  new ipaddr.IPv4(bytes.slice(offset, offset + 4))

const last = (bytes: ReadonlyArray<number>) => [v4At(bytes, 12)]

interface Wrapping {
  readonly range: [ipaddr.IPv6, number]
  readonly carried: (bytes: ReadonlyArray<number>) => ReadonlyArray<ipaddr.IPv4>
}

const wrapping = (range: string, carried: Wrapping["carried"]): Wrapping => ({
  range: ipaddr.IPv6.parseCIDR(range),
  carried
})

const wrappings: ReadonlyArray<Wrapping> = [
  // Mapped and compatible: https://www.rfc-editor.org/rfc/rfc4291#section-2.5.5
  wrapping("::ffff:0:0/96", last),
  wrapping("::/96", last),
  // Translated: https://www.rfc-editor.org/rfc/rfc2765#section-2.1
  wrapping("::ffff:0:0:0/96", last),
  // NAT64: https://www.rfc-editor.org/rfc/rfc6052#section-2.1. That of local use, 64:ff9b:1::/48, has the address where the
  // network wants it (https://www.rfc-editor.org/rfc/rfc8215), so it is not global, and not read.
  wrapping("64:ff9b::/96", last),
  // 6to4: https://www.rfc-editor.org/rfc/rfc3056#section-2
  wrapping("2002::/16", (bytes) => [v4At(bytes, 2)]),
  // Teredo, the server and the client, which is inverted: https://www.rfc-editor.org/rfc/rfc4380#section-4
  wrapping("2001::/32", (bytes) => [
    v4At(bytes, 4),
    v4At(
      bytes.map((byte) => byte ^ 0xff),
      12
    )
  ])
]

// https://www.rfc-editor.org/rfc/rfc5214#section-6.1
const isIsatap = (bytes: ReadonlyArray<number>): boolean =>
  (bytes[8] === 0x00 || bytes[8] === 0x02) && bytes[9] === 0x00 && bytes[10] === 0x5e && bytes[11] === 0xfe

const worst = (reaches: ReadonlyArray<Reach>): Reach => {
  if (reaches.includes("special")) return "special"
  return reaches.includes("private") ? "private" : "public"
}
