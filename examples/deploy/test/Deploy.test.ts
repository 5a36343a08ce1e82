import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { validate } from "dockerfile-utils"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import * as SettingNames from "../../../packages/server/src/SettingNames.js"
import * as Settings from "../../../packages/server/src/Settings.js"
import * as Tier from "../../../test/Tier.js"

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const read = (name: string) => readFileSync(path(`../${name}`), "utf8")
const run = promisify(execFile)

const dockerfile = read("Dockerfile")
const caddyfile = read("Caddyfile")
const unit = read("assay.service")

interface Service {
  readonly environment?: Readonly<Record<string, string | number>>
  readonly networks?: { readonly inside?: { readonly ipv4_address?: string } }
  readonly read_only?: boolean
  readonly cap_drop?: ReadonlyArray<string>
  readonly stop_grace_period?: string
  readonly restart?: string
  readonly ports?: ReadonlyArray<string>
}

const { services }: { readonly services: Readonly<Record<"assay" | "postgres" | "caddy", Service>> } = parse(
  read("compose.yaml")
)

const isSetting = (name: string) => SettingNames.known.has(name) || SettingNames.known.has(name.replace(/_FILE$/, ""))

/** A server on a free port of this machine. */
const listening = async (answer: Parameters<typeof createServer>[1]) => {
  const server = createServer(answer ?? (() => {}))
  await once(server.listen(0, "127.0.0.1"), "listening")
  return { server, port: (server.address() as AddressInfo).port }
}

describe("the image", () => {
  it("is described without a word that its builder refuses or warns of", () => {
    assert.deepStrictEqual(
      validate(dockerfile).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
      []
    )
  })

  it("runs without root, and writes to its volume alone", () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "))
    assert.match(last, /^USER node$/m)
    assert.notMatch(last, /^USER root$/m)
    const [, volume = ""] = /^VOLUME \["(.+)"\]$/m.exec(last) ?? []
    assert.include(last, `ASSAY_DATABASE=sqlite:${volume}/`)
    for (const [, name = ""] of last.matchAll(/\b(ASSAY_[A-Z_]+)=/g)) assert.isTrue(isSetting(name), name)
  })

  it("is healthy while the process answers, and not where nothing does", async () => {
    const [, command = ""] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile) ?? []
    const [, ...words]: ReadonlyArray<string> = JSON.parse(command)
    const { port, server } = await listening(({ url }, response) => {
      response.writeHead(url === "/api/v1/health/live" ? 200 : 404).end()
    })
    const check = () =>
      run(
        process.execPath,
        words.map((word) => word.replace(":8787/", `:${port}/`))
      )
    await check()
    server.close()
    await once(server, "close")
    const failed = await check().then(
      () => false,
      () => true
    )
    assert.isTrue(failed)
  })
})

describe("the services", () => {
  it("have settings that exist, and give the server time to stop", () => {
    const { environment = {}, stop_grace_period = "" } = services.assay
    for (const name of Object.keys(environment)) assert.isTrue(isSetting(name), name)
    const [, allowed = ""] = /\| `ASSAY_SHUTDOWN_SECONDS` \| `(\d+)` \|/.exec(Settings.markdown()) ?? []
    assert.isAtLeast(Number.parseInt(stop_grace_period, 10), Number(allowed) + 3)
    const [, seconds = ""] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? []
    assert.isAtLeast(Number(seconds), Number(allowed) + 3)
  })

  it("believe the proxy alone about its clients, and let nobody reach the rest", () => {
    const placeOf = (name: keyof typeof services) => services[name].networks?.inside?.ipv4_address
    assert.strictEqual(services.assay.environment?.ASSAY_TRUSTED_PROXIES, `${placeOf("caddy")}/32`)
    assert.include(caddyfile, `reverse_proxy ${placeOf("assay")}:8787`)
    assert.isUndefined(services.assay.ports)
    assert.isUndefined(services.postgres.ports)
  })

  it("start again by themselves, and the server has a file system that it cannot write", () => {
    for (const { restart } of Object.values(services)) assert.strictEqual(restart, "unless-stopped")
    assert.isTrue(services.assay.read_only)
    assert.deepStrictEqual(services.assay.cap_drop, ["ALL"])
  })
})

describe("the unit", () => {
  it.runIf(Tier.landing && existsSync("/usr/bin/systemd-analyze"))(
    "is hardly exposed by systemd's own measure",
    async () => {
      // Fails above 2.0 of 10.
      await run("systemd-analyze", ["security", "--offline=true", "--threshold=20", path("../assay.service")])
    }
  )

  it("has settings that exist", () => {
    for (const [, name = ""] of unit.matchAll(/\b(ASSAY_[A-Z_]+)=/g)) assert.isTrue(isSetting(name), name)
  })
})

describe.runIf(Tier.landing && existsSync("/usr/bin/caddy"))("the proxy", () => {
  it("names the client that it sees, whatever that one says of itself", async () => {
    const upstream = await listening(({ headers, url }, response) => {
      response.end(url === "/api/v1/health/ready" ? "" : JSON.stringify(headers["x-forwarded-for"]))
    })
    const front = await listening(() => {})
    front.server.close()
    const home = mkdtempSync(join(tmpdir(), "assay-caddy-"))
    const adapted = caddyfile.replace(/172\.30\.0\.20:8787/, `127.0.0.1:${upstream.port}`)
    const caddy = spawn("caddy", ["run", "--adapter", "caddyfile", "--config", "-"], {
      env: { PATH: process.env.PATH, HOME: home, ASSAY_DOMAIN: `http://127.0.0.1:${front.port}` },
      stdio: ["pipe", "ignore", "ignore"]
    })
    caddy.stdin.end(`{\n\tadmin off\n}\n${adapted}`)
    try {
      const said = async (left: number): Promise<string> => {
        try {
          const response = await fetch(`http://127.0.0.1:${front.port}/api/v1/limits`, {
            headers: { "x-forwarded-for": "203.0.113.7" }
          })
          if (response.ok) return await response.text()
        } catch {
          // Not there yet.
        }
        if (left === 0) return "nothing"
        await pause(250)
        return said(left - 1)
      }
      assert.strictEqual(await said(80), '"127.0.0.1"')
    } finally {
      caddy.kill()
      upstream.server.close()
      rmSync(home, { recursive: true, force: true })
    }
  })
})
