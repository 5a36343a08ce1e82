import { describe, it } from "@effect/vitest"
import { assert } from "vitest"
import * as Network from "../../src/http/Network.js"

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

  const clients: ReadonlyArray<readonly [string, string, Record<string, string>, string]> = [
    ["nobody is believed who is not trusted", "198.51.100.1", { "x-forwarded-for": "203.0.113.1" }, "198.51.100.1"],
    ["a trusted proxy is believed", "10.0.0.1", { "x-forwarded-for": "203.0.113.1" }, "203.0.113.1"],
    [
      "what a client made up before its proxy is not",
      "10.0.0.1",
      { "x-forwarded-for": "1.1.1.1, 203.0.113.1" },
      "203.0.113.1"
    ],
    [
      "a chain of trusted proxies is followed",
      "10.0.0.1",
      { "x-forwarded-for": "203.0.113.1, 10.0.0.2" },
      "203.0.113.1"
    ],
    ["a proxy that says nothing is the client", "10.0.0.1", {}, "10.0.0.1"],
    ["a proxy that mumbles is the client", "10.0.0.1", { "x-forwarded-for": "203.0.113.1, unknown" }, "10.0.0.1"],
    ["ports are cut off", "10.0.0.1", { "x-forwarded-for": "203.0.113.1:4711" }, "203.0.113.1"],
    [
      "Forwarded is understood",
      "10.0.0.1",
      { forwarded: 'for=203.0.113.1;proto=https, for="10.0.0.9:80"' },
      "203.0.113.1"
    ],
    ["and its IPv6", "10.0.0.1", { forwarded: 'For="[2001:db8::1]:4711"' }, "2001:db8::1"],
    [
      "and counts before X-Forwarded-For",
      "10.0.0.1",
      { forwarded: "for=_hidden", "x-forwarded-for": "203.0.113.1" },
      "10.0.0.1"
    ]
  ]
  for (const [title, peer, headers, expected] of clients)
    it(title, () => {
      assert.strictEqual(Network.clientOf(peer, headers, trusted), expected)
    })
})
