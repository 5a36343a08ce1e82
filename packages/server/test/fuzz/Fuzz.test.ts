import { Executions, Id, QuotaStore, Timestamp } from "@assay/core"
import { HttpServer } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, LogLevel, Schema } from "effect"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as Contract from "../Contract.js"
import * as TestServer from "../TestServer.js"
import * as Exchange from "./Exchange.js"
import * as Requests from "./Requests.js"

const seed = Number(process.env.ASSAY_FUZZ_SEED ?? Draw.draw)
const requests = Number(process.env.ASSAY_FUZZ_REQUESTS ?? (Tier.all ? 20_000 : 300))

const server = TestServer.over(Layer.provideMerge(Executions.layer({ slotsPerKey: 1_000 }), TestServer.atOnce), {
  limits: { ...TestServer.config.limits, dailyQuota: 1_000_000, burstPerMinute: 10_000_000 }
})

const secretsOf = (text: string): ReadonlyArray<string> => text.match(/asy_[0-9A-Za-z]{38}|whsec_[\w+/=-]{20,}/g) ?? []

describe("any bytes that come to the server", () => {
  it.scopedLive.runIf(Tier.landing)(
    `are answered as the document says, cost what the response says and give no secret away (seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const context = yield* Layer.build(server)
        const inside = <A, E>(effect: Effect.Effect<A, E, Layer.Layer.Success<typeof server>>) =>
          Effect.provide(effect, context)
        const { address } = yield* inside(HttpServer.HttpServer)
        const port = address._tag === "TcpAddress" ? address.port : 0
        const keyIds = new Set<Id.KeyId>()
        const secrets = new Set<string>([TestServer.chain.endpoints[0] ?? "", "secret-path"])
        const newKey = inside(
          Effect.gen(function* () {
            const key = yield* TestServer.createKey
            keyIds.add((yield* TestServer.send("/api/v1/keys/self", { key })).json.id)
            return key
          })
        )
        const keys: [string, ...Array<string>] = [yield* newKey, yield* newKey]
        const ids: Record<string, Array<string>> = { exe: [], wat: [], whk: [], dlv: [] }
        const roll = Requests.dice(seed)
        const faults = new Map<string, string>()
        let units = 0
        // Requests that may have cost a unit of which no response says so: none came, or it is one of an agent.
        let unseen = 0

        for (let index = 0; index < requests; index++) {
          const attempt = Requests.attempt(roll, { keys, ids })
          const { bytes, isClosed } = yield* Effect.promise(() => Exchange.send(port, attempt))
          const methods =
            attempt.expected.length > 0
              ? attempt.expected.map(({ method }) => method)
              : [/^[A-Z]+/.exec(attempt.parts[0]?.toString("latin1") ?? "")?.[0] ?? ""]
          const { received, rest } = Exchange.responses(bytes, methods)
          const found = [
            ...(isClosed ? [] : ["the connection stayed open"]),
            ...(rest === "" ? [] : [`no response: ${rest.slice(0, 100)}`]),
            ...(attempt.isWhole && received.length === 0 ? ["no response"] : [])
          ]
          unseen += Math.max(0, Math.max(1, attempt.expected.length) - received.length)
          unseen += attempt.expected.filter(({ target }) => target.includes("/mcp")).length
          for (const [place, one] of received.entries()) {
            // Node ends what is under way when the client has ended its half of the connection.
            if (one.status === 499 && !attempt.isWhole) {
              unseen++
              continue
            }
            const of = attempt.expected[place]
            const isStream = one.headers.get("content-type")?.startsWith("text/event-stream") === true
            if (of === undefined) found.push(...Contract.faultsOfUnknown(one, methods[place] === "HEAD"))
            else if (!isStream) found.push(...Contract.faults(of.method, of.target, one))
            if (one.status >= 500) found.push(`${one.status}`)
            const charged = Number(one.headers.get("units-charged") ?? 0)
            if (one.status >= 400 && charged !== 0) found.push("a refused request is charged")
            units += charged
            const isNew = one.status === 201 || (of?.target.includes("rotate-secret") === true && one.status === 200)
            const shown = secretsOf(one.text)
            if (!isNew && shown.length > 0) found.push("a secret in a response")
            for (const secret of secrets)
              if (one.text.includes(secret) || [...one.headers.values()].some((value) => value.includes(secret)))
                found.push("a secret of before in a response")
            for (const secret of shown) secrets.add(secret)
            for (const [, prefix = "", id = ""] of one.text.matchAll(/"((?:exe|wat|whk|dlv))(_[0-9A-Z]{26})"/g))
              if (one.status < 300) ids[prefix] = [`${prefix}${id}`, ...(ids[prefix] ?? [])].slice(0, 8)
          }
          if (found.length > 0) {
            const sent = keys.reduce(
              (text, key) => text.replaceAll(key, "$KEY"),
              Buffer.concat(attempt.parts).toString("latin1")
            )
            // One of each kind is enough to read.
            if (faults.size < 10)
              faults.set(
                found.join("; ").replaceAll(/[0-9a-zA-Z_-]{16,}/g, ""),
                [
                  `request ${index} of seed ${seed} (${attempt.kind}): ${found.join("; ")}`,
                  JSON.stringify(sent.slice(0, 2_000)),
                  bytes.toString("latin1").slice(0, 2_000),
                  `Again: ASSAY_FUZZ_SEED=${seed} ASSAY_FUZZ_REQUESTS=${index + 1} npm run fuzz`
                ].join("\n")
              )
          }
          // A key that was revoked or rotated is of no more use.
          for (const [place, key] of keys.entries()) {
            if (!received.some(({ status, text }) => [201, 204, 401].includes(status) && text !== undefined)) break
            const { status } = yield* inside(TestServer.send("/api/v1/usage", { key }))
            if (status === 401) keys[place] = yield* newKey
          }
        }

        assert.strictEqual(faults.size, 0, [...faults.values()].join("\n\n"))
        const store = yield* inside(QuotaStore.QuotaStore)
        const day = Timestamp.dayOf(Date.now())
        let counted = 0
        for (const id of keyIds) {
          const { reserved, used } = yield* store.count(Schema.decodeUnknownSync(Id.KeyId)(id), day)
          counted += used + reserved
        }
        assert.isAtLeast(counted, units, "what the responses say that it cost")
        assert.isAtMost(counted, units + unseen, "what the responses say that it cost")
        assert.strictEqual((yield* inside(TestServer.send("/api/v1/health/live"))).status, 200)
        const { status } = yield* inside(TestServer.send(`/api/v1/token/${TestServer.target.works}`, { key: keys[0] }))
        assert.strictEqual(status, 200)
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None)),
    Math.max(60_000, requests * 50)
  )
})
