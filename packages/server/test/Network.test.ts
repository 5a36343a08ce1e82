import { describe, it } from "@effect/vitest"
import { assert } from "vitest"
import * as Network from "../src/Network.js"

describe("Network", () => {
  it("an IPv4 address is a source, an IPv6 one its /64, however it is written", () => {
    assert.strictEqual(Network.sourceOf("192.0.2.1"), "192.0.2.1")
    assert.strictEqual(Network.sourceOf("::ffff:192.0.2.1"), "192.0.2.1")
    assert.strictEqual(Network.sourceOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64")
    assert.strictEqual(Network.sourceOf("2001:0DB8:0001:0002::9"), "2001:db8:1:2::/64")
    assert.strictEqual(Network.sourceOf("2001:db8::9"), "2001:db8:0:0::/64")
    assert.strictEqual(Network.sourceOf("::1"), "0:0:0:0::/64")
    assert.strictEqual(Network.sourceOf("fe80::1%eth0"), "fe80:0:0:0::/64")
    assert.strictEqual(Network.sourceOf("64:ff9b::192.0.2.1"), "64:ff9b:0:0::/64")
  })

  it("only this machine reaches a loopback address", () => {
    for (const host of ["127.0.0.1", "127.1.2.3", "localhost", "::1", "::ffff:127.0.0.1"])
      assert.isTrue(Network.isLoopback(host), host)
    for (const host of ["0.0.0.0", "::", "192.168.0.1", "127.example.com", "example.com"])
      assert.isFalse(Network.isLoopback(host), host)
  })

  const trusted = Network.membership(["10.0.0.0/8", "192.0.2.1", "fd00::/8"])

  it("a network holds its addresses and no others", () => {
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "192.0.2.1", "fd12::1"])
      assert.isTrue(trusted(address), address)
    for (const address of ["11.0.0.1", "192.0.2.2", "fe80::1", "nonsense", ""])
      assert.isFalse(trusted(address), address)
  })

  const byFor: ReadonlyArray<readonly [string, string, string | undefined, string]> = [
    ["nobody is believed who is not trusted", "198.51.100.1", "203.0.113.1", "198.51.100.1"],
    ["a trusted proxy is believed", "10.0.0.1", "203.0.113.1", "203.0.113.1"],
    ["what a client sent itself is left of its address", "10.0.0.1", "1.1.1.1, 203.0.113.1", "203.0.113.1"],
    ["a chain of trusted proxies is followed", "10.0.0.1", "203.0.113.1, 10.0.0.2", "203.0.113.1"],
    ["a proxy on an IPv6 socket is the same proxy", "::ffff:10.0.0.1", "203.0.113.1, ::ffff:a00:2", "203.0.113.1"],
    ["a proxy that says nothing is the client", "10.0.0.1", undefined, "10.0.0.1"],
    ["a proxy that does not know is the client", "10.0.0.1", "203.0.113.1, unknown", "10.0.0.1"],
    ["an empty entry is not skipped", "10.0.0.1", "203.0.113.1, ", "10.0.0.1"],
    ["an entry that is no address is not skipped", "10.0.0.1", "203.0.113.1, 10.0.0.2, 256.1.1.1", "10.0.0.1"],
    ["all of a chain trusted, the farthest is the client", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["ports are cut off", "10.0.0.1", "203.0.113.1:4711", "203.0.113.1"],
    ["brackets of IPv6 too", "10.0.0.1", "[2001:DB8::1]:4711", "2001:db8::1"],
    ["IPv4 in IPv6 is IPv4", "10.0.0.1", "::ffff:203.0.113.1", "203.0.113.1"],
    ["also in hexadecimal", "10.0.0.1", "0:0:0:0:0:FFFF:CB00:7101", "203.0.113.1"]
  ]
  for (const [title, peer, field, expected] of byFor)
    it(`X-Forwarded-For: ${title}`, () => {
      const options = { header: "x-forwarded-for", isTrusted: trusted } as const
      const headers = { "x-forwarded-for": field, forwarded: "for=192.0.2.66", "x-real-ip": "192.0.2.66" }
      assert.strictEqual(Network.clientOf(peer, headers, options), expected)
    })

  const byForwarded: ReadonlyArray<readonly [string, string | undefined, string]> = [
    ["a chain of trusted proxies is followed", 'for=203.0.113.1;proto=https, for="10.0.0.9:80"', "203.0.113.1"],
    ["IPv6 is in quotes and brackets", 'proto=http;For="[2001:db8::1]:4711"', "2001:db8::1"],
    ["names are of any case, spaces are allowed", " by=10.0.0.1 ; FOR = 203.0.113.1 ", "203.0.113.1"],
    ["a proxy that says nothing is the client", undefined, "10.0.0.1"],
    ["a proxy that hides its client is the client", "for=203.0.113.1, for=_hidden", "10.0.0.1"],
    ["a proxy that does not know is the client", 'for=203.0.113.1, for="unknown:80"', "10.0.0.1"],
    ["an element without an address is not skipped", "for=203.0.113.1, proto=https", "10.0.0.1"],
    ["an empty element is not skipped", "for=203.0.113.1,", "10.0.0.1"],
    ["two addresses in one element are none", "for=203.0.113.1;for=203.0.113.2", "10.0.0.1"],
    ["a quoted host is no element", 'for=203.0.113.1;host="a, for=1.1.1.1"', "203.0.113.1"],
    ["nor is what it escapes", 'for=203.0.113.1;host="a\\", for=1.1.1.1;x=\\""', "203.0.113.1"],
    ["a quoted host is no pair", 'for=203.0.113.1;host="a;for=1.1.1.1;b"', "203.0.113.1"],
    ["a quote that a client leaves open ends before its proxy", 'for="1.1.1.1, for=203.0.113.1', "203.0.113.1"],
    ["an escape that a client leaves open too", "for=1.1.1.1\\, for=203.0.113.1", "203.0.113.1"],
    ["escapes are undone", 'for="203\\.0.113.1"', "203.0.113.1"]
  ]
  for (const [title, field, expected] of byForwarded)
    it(`Forwarded: ${title}`, () => {
      const options = { header: "forwarded", isTrusted: trusted } as const
      const headers = { forwarded: field, "x-forwarded-for": "192.0.2.66", "x-real-ip": "192.0.2.66" }
      assert.strictEqual(Network.clientOf("10.0.0.1", headers, options), expected)
    })
})
