import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { Destinations, layer, type Options } from "../../src/events/Destination.js"
import { HostUnresolved, Resolver } from "../../src/events/Resolver.js"

/** Names with their addresses; other names do not exist. */
const resolving = (names: { readonly [host: string]: ReadonlyArray<string> }): Layer.Layer<Resolver> =>
  Layer.succeed(Resolver, {
    resolve: (host) => {
      const found = names[host]
      return found === undefined ? new HostUnresolved() : Effect.succeed(found)
    }
  })

const names = {
  "example.com": ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"],
  "one-is-private.example": ["93.184.216.34", "10.0.0.1"],
  "last-is-mapped.example": ["93.184.216.34", "2606:4700::1", "::ffff:127.0.0.1"],
  "metadata.example": ["169.254.169.254"],
  "alibaba.example": ["100.100.100.200"],
  "aws.example": ["fd00:ec2::254"],
  "one-is-metadata.example": ["192.168.1.1", "::ffff:100.100.100.200"],
  "nat64.example": ["64:ff9b::7f00:1"],
  "zone.example": ["fe80::1%eth0"],
  "empty.example": [],
  "xn--bcher-kva.example": ["93.184.216.34"],
  localhost: ["127.0.0.1", "::1"],
  "localhost.": ["127.0.0.1"]
}

const check = (url: string, options: Options = {}) =>
  Effect.flatMap(Destinations, (destinations) => destinations.check(url)).pipe(
    Effect.map((found) => found.addresses.join(" ")),
    Effect.catchAll(({ reason }) => Effect.succeed(reason)),
    Effect.provide(layer(options).pipe(Layer.provide(resolving(names))))
  )

const table = (cases: ReadonlyArray<readonly [url: string, expected: string]>, options: Options = {}) =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(cases, ([url]) => Effect.map(check(url, options), (answer) => [url, answer]))
    assert.deepStrictEqual(
      found,
      cases.map(([url, expected]) => [url, expected])
    )
  })

describe("Destination", () => {
  it.effect("allows https to public addresses, and answers all of them", () =>
    table([
      ["https://example.com", names["example.com"].join(" ")],
      ["https://example.com:443/hooks?token=1#part", names["example.com"].join(" ")],
      ["HTTPS://EXAMPLE.COM/", names["example.com"].join(" ")],
      ["https://bücher.example/", "93.184.216.34"],
      ["https://93.184.216.34/", "93.184.216.34"],
      ["https://[2606:2800:220:1:248:1893:25c8:1946]/", "2606:2800:220:1:248:1893:25c8:1946"]
    ])
  )

  it.effect("refuses what is no URL, another scheme, and credentials", () =>
    table([
      ["", "bad_url"],
      ["example.com", "bad_url"],
      ["https://", "bad_url"],
      ["https://exa mple.com/", "bad_url"],
      ["https://1.2.3.4.5/", "bad_url"],
      ["https://256.256.256.256/", "bad_url"],
      ["https://example.com:99999/", "bad_url"],
      ["https://[fe80::1%25eth0]/", "bad_url"],
      ["https://[fe80::1%eth0]/", "bad_url"],
      ["https://[::ffff:0177.0.0.1]/", "bad_url"],
      [`https://example.com/${"a".repeat(2_048)}`, "bad_url"],
      ["http://example.com/", "scheme"],
      ["ftp://example.com/", "scheme"],
      ["file:///etc/passwd", "scheme"],
      ["gopher://127.0.0.1:70/_GET", "scheme"],
      ["data:text/plain,hi", "scheme"],
      ["unix:/var/run/docker.sock", "scheme"],
      ["javascript:alert(1)", "scheme"],
      ["https://user@example.com/", "userinfo"],
      ["https://user:pass@example.com/", "userinfo"],
      ["https://:pass@example.com/", "userinfo"],
      ["https://example.com@127.0.0.1/", "userinfo"],
      ["https://127.0.0.1\\@example.com/", "address"]
    ])
  )

  it.effect("calls public hosts at the port of the scheme only, or at those that are allowed", () =>
    Effect.gen(function* () {
      const found = names["example.com"].join(" ")
      yield* table([
        ["https://example.com:8443/", "port"],
        ["https://example.com:80/", "port"],
        ["https://93.184.216.34:22/", "port"],
        // What is private is refused as that, whatever its port.
        ["https://metadata.example:8443/", "address"]
      ])
      yield* table(
        [
          ["https://example.com:8443/", found],
          ["https://example.com/", found],
          ["https://example.com:8444/", "port"]
        ],
        { ports: [443, 8443] }
      )
      yield* table(
        [
          ["http://example.com/", found],
          ["http://example.com:8080/", "port"],
          ["http://127.0.0.1:8080/", "127.0.0.1"]
        ],
        { allowHttp: true, allowPrivate: true }
      )
    })
  )

  it.effect("refuses this machine and its network in every spelling of an address", () =>
    table(
      [
        "https://127.0.0.1/",
        "https://127.1/",
        "https://127.0.1/",
        "https://2130706433/",
        "https://017700000001/",
        "https://0x7f000001/",
        "https://0x7f.0x0.0x0.0x1/",
        "https://0177.0.0.1/",
        "https://0177.0.0.01/",
        "https://127.0.0.1./",
        "https://①②⑦.⓪.⓪.①/",
        "https://127。0。0。1/",
        "https://127%2e0%2e0%2e1/",
        "https://1%32%37.0.0.1/",
        "https://0/",
        "https://0.0.0.0/",
        "https://0x0/",
        "https://10.0.0.1/",
        "https://167772161/",
        "https://192.168.1.1/",
        "https://3232235777/",
        "https://172.16.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://0xA9FEA9FE/",
        "https://2852039166/",
        "https://0251.0376.0251.0376/",
        "https://255.255.255.255/",
        "https://4294967295/",
        "https://[::]/",
        "https://[::1]/",
        "https://[0:0:0:0:0:0:0:1]/",
        "https://[::127.0.0.1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:7f00:1]/",
        "https://[0:0:0:0:0:ffff:a9fe:a9fe]/",
        "https://[::ffff:0:127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[64:ff9b::169.254.169.254]/",
        "https://[64:ff9b:1::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[2002:a9fe:a9fe::]/",
        "https://[2001:0:7f00:1::]/",
        "https://[2001::80ff:fffe]/",
        "https://[fc00::1]/",
        "https://[fd00:ec2::254]/",
        "https://[fe80::1]/",
        "https://[fec0::1]/",
        "https://[ff02::1]/",
        "https://[2001:db8::1]/",
        "https://localhost/",
        "https://LOCALHOST/",
        "https://localhost./",
        "https://metadata.example/",
        "https://nat64.example/",
        "https://zone.example/",
        "https://one-is-private.example/",
        "https://last-is-mapped.example/"
      ].map((url) => [url, "address"] as const)
    )
  )

  it.effect("refuses a name without an address", () =>
    table([
      ["https://nowhere.example/", "unresolvable"],
      ["https://empty.example/", "unresolvable"]
    ])
  )

  it.effect("allows hosts of the own network where the operator says so, but never link-local ones", () =>
    table(
      [
        ["https://localhost/", "127.0.0.1 ::1"],
        ["https://192.168.1.1/", "192.168.1.1"],
        ["https://[fd00::1]/", "fd00::1"],
        ["https://one-is-private.example/", "93.184.216.34 10.0.0.1"],
        ["http://192.168.1.1/", "scheme"],
        ["https://169.254.169.254/", "address"],
        ["https://[::ffff:169.254.169.254]/", "address"],
        ["https://[fe80::1]/", "address"],
        ["https://0.0.0.0/", "address"],
        ["https://224.0.0.1/", "address"]
      ],
      { allowPrivate: true }
    )
  )

  it.effect("never calls what gives the credentials of a machine of a cloud, in any spelling and under any name", () =>
    table(
      [
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "1684301000",
        "0x64.0x64.0x64.0xc8",
        "168.63.129.16",
        "[fd00:ec2::254]",
        "[fd00:0ec2:0:0:0:0:0:254]",
        "[fd20:ce::254]",
        "[fd00:c1::a9fe:a9fe]",
        "[fe80::a9fe:a9fe]",
        "[::ffff:100.100.100.200]",
        "[::ffff:6464:64c8]",
        "[64:ff9b::100.100.100.200]",
        "[64:ff9b::a9fe:a9fe]",
        "[64:ff9b:1::a9fe:a9fe]",
        "[2002:6464:64c8::]",
        "[2002:a9fe:aa02::1]",
        "metadata.example",
        "alibaba.example",
        "aws.example",
        "one-is-metadata.example"
      ].map((host) => [`http://${host}/latest/meta-data/`, "address"] as const),
      { allowHttp: true, allowPrivate: true, ports: [80, 443] }
    )
  )

  it.effect("allows http where the operator says so, to public addresses", () =>
    table(
      [
        ["http://example.com/", names["example.com"].join(" ")],
        ["http://127.0.0.1/", "address"],
        ["ftp://example.com/", "scheme"]
      ],
      { allowHttp: true }
    )
  )

  it.effect("resolves a name once, and answers what was checked", () =>
    Effect.gen(function* () {
      const asked = yield* Ref.make(0)
      const rebinding = Layer.succeed(Resolver, {
        resolve: () =>
          Effect.map(
            Ref.updateAndGet(asked, (count) => count + 1),
            (count) => (count === 1 ? ["93.184.216.34"] : ["127.0.0.1"])
          )
      })
      const answers = yield* Effect.gen(function* () {
        const destinations = yield* Destinations
        const first = yield* destinations.check("https://rebinding.example/hook")
        const second = yield* Effect.flip(destinations.check("https://rebinding.example/hook"))
        return { first, second: second.reason }
      }).pipe(Effect.provide(layer().pipe(Layer.provide(rebinding))))
      assert.deepStrictEqual(answers, {
        first: { url: "https://rebinding.example/hook", addresses: ["93.184.216.34"] },
        second: "address"
      })
      assert.strictEqual(yield* Ref.get(asked), 2)
    })
  )
})
