import { HttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Either, Option } from "effect"
import * as OutboundProxies from "../src/OutboundProxies.js"
import * as ServerConfig from "../src/ServerConfig.js"
import * as ForwardProxy from "./ForwardProxy.js"

const load = (settings: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ServerConfig.loadProxies, ConfigProvider.fromMap(new Map(Object.entries(settings))))

const both = { HTTP_PROXY: "http://plain.test:1", HTTPS_PROXY: "https://u:hunter2@secure.test" }

describe("OutboundProxies", () => {
  it.effect("sends a URL through the proxy of its scheme, as the lower-case setting before the other says", () =>
    Effect.gen(function* () {
      const via = (settings: Readonly<Record<string, string>>, url: string) =>
        Effect.map(load(settings), (proxies) =>
          Option.getOrNull(Option.map(OutboundProxies.of(proxies, url), ({ shown }) => shown))
        )
      assert.strictEqual(yield* via(both, "http://a.test/key"), "http://plain.test:1")
      assert.strictEqual(yield* via(both, "https://a.test/key"), "https://secure.test")
      assert.strictEqual(yield* via({ HTTP_PROXY: "http://plain.test:1" }, "https://a.test"), null)
      assert.strictEqual(
        yield* via({ ...both, http_proxy: "lower.test:3128" }, "http://a.test"),
        "http://lower.test:3128"
      )
      assert.strictEqual(yield* via({ ...both, http_proxy: "" }, "http://a.test"), "http://plain.test:1")
      assert.strictEqual(yield* via({}, "http://a.test"), null)
    })
  )

  it.effect("reaches this machine and the hosts of NO_PROXY directly", () =>
    Effect.gen(function* () {
      const exceptions = "node.test, .corp.test *.lab.test,10.0.0.0/8,fd00::/8,192.168.1.7:8545,[fd12::1]:8545,::5"
      const some = yield* load({ ...both, NO_PROXY: exceptions })
      const isDirect = (proxies: OutboundProxies.OutboundProxies) => (url: string) =>
        Option.isNone(OutboundProxies.of(proxies, url))
      const direct = [
        "http://127.0.0.1:8545",
        "http://127.9.9.9",
        "http://[::1]:1",
        "http://localhost:8545/",
        "https://dev.localhost",
        "http://0.0.0.0:8545",
        "https://node.test/key",
        "https://a.b.node.test",
        "https://NODE.test.",
        "https://corp.test",
        "https://x.corp.test",
        "https://y.lab.test",
        "http://10.1.2.3:8545",
        "http://[fd00::9]/",
        "http://192.168.1.7:8545",
        "http://[fd12::1]:8545",
        "http://[::5]"
      ]
      const proxied = ["https://othernode.test", "http://11.1.2.3", "https://192.168.1.7", "http://192.168.1.8:8545"]
      assert.deepStrictEqual(
        direct.filter((url) => !isDirect(some)(url)),
        []
      )
      assert.deepStrictEqual(proxied.filter(isDirect(some)), [])
      assert.deepStrictEqual(proxied.filter(isDirect(yield* load({ ...both, no_proxy: "*" }))), proxied)
    })
  )

  it.effect("says in one line which setting is no proxy, and never its password", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [settings: Readonly<Record<string, string>>, line: RegExp]> = [
        [{ HTTPS_PROXY: "socks5://u:hunter2@p.test:1080" }, /^HTTPS_PROXY: expected the URL of an HTTP proxy, such as/],
        [{ https_proxy: "http://u:hunter2@p.test:99999" }, /^https_proxy: expected the URL of an HTTP proxy/],
        [{ HTTP_PROXY: "http://u:%hunter2@p.test" }, /^HTTP_PROXY: expected the URL of an HTTP proxy/],
        [{ NO_PROXY: "10.0.0.0/99" }, /^NO_PROXY: expected hosts, addresses and CIDR ranges .* not "10.0.0.0\/99"/]
      ]
      for (const [settings, line] of cases) {
        const { message } = yield* Effect.flip(load(settings))
        assert.match(message, line)
        assert.notMatch(message, /hunter2|\n/)
      }
    })
  )

  it.live("proves itself to a proxy with the user and password of its URL, of http and of https", () =>
    Effect.gen(function* () {
      const target = yield* Effect.promise(() => ForwardProxy.open({}))
      const port = Number(new URL(target.url).port)
      const proxy = yield* Effect.promise(() => ForwardProxy.open({ "a.test:80": port }, "u s:p@ss"))
      const get = (credentials: string, url: string) => {
        const setting = proxy.url.replace("http://", `http://${credentials}`)
        const proxies = Either.getOrThrow(OutboundProxies.parse(setting))
        const layer = OutboundProxies.layer({
          ...OutboundProxies.none,
          http: Option.some(proxies),
          https: Option.some(proxies)
        })
        return Effect.either(
          Effect.provide(
            Effect.map(HttpClient.get(url), ({ status }) => status),
            layer
          )
        )
      }
      // The target is a proxy too, which knows no host.
      assert.deepStrictEqual(yield* get("u%20s:p%40ss@", "http://a.test/"), Either.right(502))
      assert.deepStrictEqual(target.seen.length, 1)
      assert.isTrue(Either.isLeft(yield* get("", "https://a.test/")))
      assert.isTrue(Either.isLeft(yield* get("u%20s:p%40ss@", "https://a.test/")))
      assert.deepStrictEqual(proxy.seen, ["GET http://a.test/", "CONNECT a.test:443", "CONNECT a.test:443"])
      proxy.close()
      target.close()
    })
  )
})
