import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import ipaddr from "ipaddr.js"
import { reachOf } from "../../src/events/PublicAddress.js"

const isPublic = ["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.255.255", "172.32.0.1", "169.253.0.1"]
const isPublicV6 = [
  "2606:4700:4700::1111",
  "2a00:1450:4001:812::200e",
  "2001:4860:4860::8888",
  "2003::1",
  "2620:fe::fe"
]

const isPrivate = [
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.100.100.199",
  "100.100.100.201",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.255",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "192.168.255.255"
]
const isPrivateV6 = ["::1", "fc00::1", "fd00:ec1::254", "fd00:ec3::1", "fdff:ffff::1"]

const isSpecial = [
  "100.100.100.200",
  "168.63.129.16",
  "169.254.170.2",
  "169.254.170.23",
  "0.0.0.0",
  "0.1.2.3",
  "169.254.0.1",
  "169.254.169.254",
  "192.0.0.1",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.7",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.255"
]
const isSpecialV6 = [
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "fd00:c1::a9fe:a9fe",
  "fd00:42::42",
  "::",
  "fe80::1",
  "febf::1",
  "fec0::1",
  "feff::1",
  "ff02::1",
  "ff0e::1",
  "100::1",
  "100:0:0:1::1",
  "2001:2::1",
  "2001:3::1",
  "2001:10::1",
  "2001:20::1",
  "2001:30::1",
  "2001:1ff::1",
  "2001:db8::1",
  "2001:db8:ffff::1",
  "3fff::1",
  "3fff:fff::1",
  "5f00::1",
  "4000::1",
  "8000::1",
  "1::1",
  // NAT64 of local use: where the address stands in it is not for us to know.
  "64:ff9b:1::8.8.8.8",
  "64:ff9b:1:7f00:0:100::",
  "64:ff9b:2::1"
]

/** No text but the address itself means an address here. */
const isNoAddress = [
  "",
  " ",
  "localhost",
  "1.1.1",
  "16843009",
  "0x1010101",
  "01.1.1.1",
  "0177.0.0.1",
  "1.1.1.1 ",
  "1.1.1.1/32",
  "[2606:4700:4700::1111]",
  "2606:4700:4700::1111%eth0",
  "fe80::1%1",
  "::ffff:0177.0.0.1",
  "1.1.1.256",
  "①.1.1.1"
]

const bytesOf = (address: string): ReadonlyArray<number> => ipaddr.IPv4.parse(address).toByteArray()
const hex = (bytes: ReadonlyArray<number>): string => {
  const at = (index: number) => ((bytes[index] ?? 0) * 256 + (bytes[index + 1] ?? 0)).toString(16)
  return `${at(0)}:${at(2)}`
}
const inverted = (bytes: ReadonlyArray<number>) => bytes.map((byte) => byte ^ 0xff)

/** Every way to write an IPv4 address into an IPv6 one that some stack unwraps. */
const wrapped: ReadonlyArray<readonly [string, (address: string) => string]> = [
  ["mapped", (address) => `::ffff:${hex(bytesOf(address))}`],
  ["mapped, in dots", (address) => `::ffff:${address}`],
  ["mapped, spelled out", (address) => `0000:0000:0000:0000:0000:FFFF:${hex(bytesOf(address))}`],
  ["compatible", (address) => `::${hex(bytesOf(address))}`],
  ["compatible, in dots", (address) => `::${address}`],
  ["translated", (address) => `::ffff:0:${hex(bytesOf(address))}`],
  ["NAT64", (address) => `64:ff9b::${hex(bytesOf(address))}`],
  ["6to4", (address) => `2002:${hex(bytesOf(address))}::1`],
  ["6to4, with a host", (address) => `2002:${hex(bytesOf(address))}:1234:5678:9abc:def0:1`],
  ["Teredo client", (address) => `2001:0:0808:0808:0:ffff:${hex(inverted(bytesOf(address)))}`],
  ["Teredo server", (address) => `2001:0:${hex(bytesOf(address))}:0:ffff:${hex(inverted([8, 8, 8, 8]))}`],
  ["ISATAP", (address) => `2606:4700::5efe:${hex(bytesOf(address))}`],
  ["ISATAP, of a global address", (address) => `2606:4700::200:5efe:${hex(bytesOf(address))}`]
]

describe("PublicAddress", () => {
  it("distinguishes public, private and special addresses, at both ends of every range", () => {
    const expected = [
      ...[...isPublic, ...isPublicV6].map((address) => [address, "public"]),
      ...[...isPrivate, ...isPrivateV6].map((address) => [address, "private"]),
      ...[...isSpecial, ...isSpecialV6, ...isNoAddress].map((address) => [address, "special"])
    ]
    assert.deepStrictEqual(
      expected.map(([address = ""]) => [address, reachOf(address)]),
      expected
    )
  })

  it("judges an IPv6 address by the IPv4 address that it carries, however it carries it", () => {
    const cases = [
      ...isPublic.map((address) => [address, "public"] as const),
      ...isPrivate.map((address) => [address, "private"] as const),
      ...isSpecial.map((address) => [address, "special"] as const)
    ]
    const wrong: Array<string> = []
    for (const [name, wrap] of wrapped)
      for (const [address, reach] of cases) {
        // These two are addresses of IPv6 itself.
        if (name.startsWith("compatible") && ["0.0.0.0", "0.0.0.1"].includes(address)) continue
        const found = reachOf(wrap(address))
        if (found !== reach) wrong.push(`${name}: ${wrap(address)} is ${found}, and ${address} is ${reach}`)
      }
    assert.deepStrictEqual(wrong, [])
  })

  it("calls nothing public that another library takes for special", () => {
    // ipaddr.js judges neither what an address carries nor all that IANA has set aside, so it is compared only where it
    // decides.
    const carriers = new Set(["ipv4Mapped", "rfc6145", "rfc6052", "6to4", "teredo"])
    // Anycast of AS112 and AMT, which IANA lists as globally reachable.
    const reachable = new Set(["as112", "amt", "as112v6"])
    const bytes = (length: number) =>
      fc.array(fc.integer({ min: 0, max: 255 }), { minLength: length, maxLength: length })
    fc.assert(
      fc.property(fc.oneof(bytes(4), bytes(16)), (address) => {
        const parsed = ipaddr.fromByteArray(address)
        const range = parsed.range()
        if (range === "unicast" || carriers.has(range) || reachable.has(range)) return
        assert.notStrictEqual(reachOf(parsed.toString()), "public")
      }),
      { numRuns: 5_000 }
    )
  })

  it("gives one answer for every spelling of the same bytes", () => {
    const part = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(fc.array(part, { minLength: 8, maxLength: 8 }), (parts) => {
        const address = new ipaddr.IPv6(parts)
        const reach = reachOf(address.toNormalizedString())
        assert.strictEqual(reachOf(address.toRFC5952String()), reach)
        assert.strictEqual(reachOf(address.toNormalizedString().toUpperCase()), reach)
        assert.strictEqual(reachOf(parts.map((value) => value.toString(16).padStart(4, "0")).join(":")), reach)
      }),
      { numRuns: 1_000 }
    )
  })
})
