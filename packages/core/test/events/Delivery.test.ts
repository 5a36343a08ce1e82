import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, LogLevel, Option, Scope, TestClock, TestContext } from "effect"
import { Webhook as Verifier } from "standardwebhooks"
import * as Draw from "../../../../test/Draw.js"
import type { WebhookId } from "../../src/domain/Id.js"
import { fromMillis } from "../../src/domain/Timestamp.js"
import * as Delivery from "../../src/events/Delivery.js"
import * as Destination from "../../src/events/Destination.js"
import * as EventBell from "../../src/events/EventBell.js"
import * as Resolver from "../../src/events/Resolver.js"
import * as Webhooks from "../../src/events/Webhooks.js"
import * as WebhookTransport from "../../src/events/WebhookTransport.js"
import * as Entropy from "../../src/keys/Entropy.js"
import * as Secrets from "../../src/keys/Secrets.js"
import * as RateLimit from "../../src/quota/RateLimit.js"
import * as EventStore from "../../src/storage/EventStore.js"
import * as Processes from "../../src/storage/Processes.js"
import * as Storage from "../../src/storage/Storage.js"
import * as EventSteps from "../../src/testing/EventSteps.js"
import * as StorageFault from "../../src/testing/StorageFault.js"
import { caller, mine, recovered, theirs, watch } from "./News.js"
import { endpoint, type Outside, office, outside, provenEndpoint, type Sent, status, tell } from "./Post.js"
import * as Receiver from "./Receiver.js"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const world = (from: Outside) => Layer.provideMerge(office(from), Storage.layerMemory)

const deliveries = (id: WebhookId) =>
  Effect.flatMap(Webhooks.Webhooks, (webhooks) =>
    Effect.map(webhooks.deliveries(caller(mine), id, { limit: 100, cursor: Option.none() }), ({ data }) => data)
  )

const get = (id: WebhookId) => Effect.flatMap(Webhooks.Webhooks, (webhooks) => webhooks.get(caller(mine), id))

const logged = (...types: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const store = yield* EventStore.EventStore
    const page = yield* store.read(mine, { after: 0, types: [], watchId: Option.none(), limit: 1_000 })
    return page._tag === "Events" ? page.events.filter(({ type }) => types.includes(type)) : []
  })

/** A worker that lives as long as the scope of the test. */
const working = (options: Delivery.Options = {}) =>
  Layer.build(Delivery.layer({ noticeSeconds: options.intervalSeconds, ...options }))

const settled = TestClock.adjust("1 millis")

// Each test has a clock of its own, and a step of a clock waits for timers: tests at once wait for the same ones.
describe("Delivery", { concurrent: true }, () => {
  it.scoped("sends links below the path of its API, while the log keeps them from the root", () => {
    const from = outside()
    return Effect.gen(function* () {
      yield* endpoint({ url: "https://one.example/", eventTypes: ["watch.changed"] })
      yield* tell({ ...recovered(mine, "change"), body: yield* EventSteps.changed(watch, "high") })
      yield* Delivery.sendDue({ basePath: "/risk" })
      const sent = from.sent.map(({ body }) => JSON.parse(body).data.changes_url)
      assert.deepStrictEqual(sent, ["/risk/api/v1/executions/exe/changes"])
      const kept = (yield* logged("watch.changed")).map(({ data }) => "changes_url" in data && data.changes_url)
      assert.deepStrictEqual(kept, ["/api/v1/executions/exe/changes"])
    }).pipe(Effect.provide(world(from)))
  })

  it.scoped(
    "sends an event at once to every endpoint that wants it, signed, to the addresses that were checked",
    () => {
      const from = outside()
      return Effect.gen(function* () {
        yield* working()
        yield* settled
        const one = yield* endpoint({ url: "https://one.example/" })
        yield* endpoint({ url: "https://two.example/", eventTypes: ["watch.failing"] })
        yield* endpoint({ url: "https://three.example/" }, theirs)
        const [event] = yield* tell(recovered(mine, "a"))
        yield* settled
        const [sent] = from.sent
        if (sent === undefined || event === undefined) return assert.fail("nothing was sent")
        assert.strictEqual(from.sent.length, 1)
        assert.deepStrictEqual([sent.url, sent.addresses], ["https://one.example/", ["93.184.216.34"]])
        assert.deepStrictEqual(JSON.parse(sent.body), event)
        assert.deepStrictEqual(sent.headers, {
          "webhook-id": event.id,
          "webhook-timestamp": String(Math.floor(sent.at / 1_000)),
          "webhook-signature": new Verifier(one.secret).sign(event.id, new Date(sent.at), sent.body)
        })
        const [delivery] = yield* deliveries(one.id)
        assert.deepStrictEqual([delivery?.status, delivery?.attempt, delivery?.http_status], ["delivered", 1, 200])
        assert.isNotNull((yield* get(one.id)).last_success_at)
      }).pipe(Effect.provide(world(from)))
    }
  )

  it.scoped("sends what another process appended, within a second", () => {
    const from = outside()
    return Effect.gen(function* () {
      yield* working()
      yield* endpoint()
      yield* TestClock.adjust("10 seconds")
      yield* Effect.flatMap(EventStore.EventStore, (store) => store.append([recovered(mine, "a")], 10_000))
      assert.strictEqual(from.sent.length, 0)
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(from.sent.length, 1)
    }).pipe(Effect.provide(world(from)))
  })

  it.scoped("sends anew at once what a process was sending that is gone, and nothing of one that lives", () => {
    const from = { ...outside(), answer: () => Effect.never }
    return Effect.gen(function* () {
      yield* endpoint({ url: "https://one.example/" })
      const life = yield* Scope.make()
      // A kill: what it claimed stays claimed, and only its name shows that it is gone.
      const sender = yield* Layer.build(Layer.fresh(Processes.layerMemory)).pipe(Scope.extend(life))
      yield* Effect.provide(working({ graceSeconds: 0 }), sender)
      yield* tell(recovered(mine, "a"))
      yield* settled
      assert.strictEqual(from.sent.length, 1)
      const other = yield* Layer.build(Layer.fresh(Processes.layerMemory))
      yield* Effect.provide(working(), other)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(from.sent.length, 1)
      yield* Scope.close(life, Exit.void)
      yield* TestClock.adjust("3 seconds")
      const ids = from.sent.map(({ headers }) => headers["webhook-id"])
      assert.strictEqual(ids.length, 2)
      assert.strictEqual(ids[0], ids[1])
    }).pipe(Effect.provide(world(from)))
  })

  it.scoped("tries again by the schedule, ten times in all, the same message with a new timestamp each", () => {
    const from = { ...outside(), answer: () => status(500) }
    return Effect.gen(function* () {
      yield* working({ intervalSeconds: 600 })
      const { id } = yield* provenEndpoint()
      yield* tell(recovered(mine, "a"))
      yield* TestClock.adjust("6 days")
      assert.strictEqual(from.sent.length, 10)
      const nominal = [
        5 * second,
        5 * minute,
        30 * minute,
        2 * hour,
        5 * hour,
        10 * hour,
        14 * hour,
        20 * hour,
        24 * hour
      ]
      const gaps = from.sent.slice(1).map(({ at }, index) => at - (from.sent[index]?.at ?? 0))
      gaps.forEach((gap, index) => {
        assert.isAtLeast(gap, (nominal[index] ?? 0) * 0.8)
        assert.isAtMost(gap, (nominal[index] ?? 0) * 1.2 + 1)
      })
      assert.strictEqual(new Set(from.sent.map(({ body }) => body)).size, 1)
      assert.strictEqual(new Set(from.sent.map(({ headers }) => headers["webhook-id"])).size, 1)
      for (const { at, headers } of from.sent)
        assert.strictEqual(headers["webhook-timestamp"], String(Math.floor(at / 1_000)))
      const [delivery] = yield* deliveries(id)
      assert.deepStrictEqual(
        [delivery?.status, delivery?.attempt, delivery?.error_class, delivery?.next_attempt_at],
        ["exhausted", 10, "status", null]
      )
    }).pipe(Effect.provide(world(from)))
  })

  it.scoped("waits for as long as the endpoint demands, in seconds or until a date, up to a day", () => {
    const from = outside()
    return Effect.gen(function* () {
      yield* working({ intervalSeconds: 600 })
      yield* endpoint()
      const answers = ["7200", "Thu, 01 Jan 1970 05:00:00 GMT", "999999999", "soon"]
      from.answer = () => status(429, answers[from.sent.length - 1])
      yield* tell(recovered(mine, "a"))
      yield* TestClock.adjust("30 hours")
      assert.deepStrictEqual(
        from.sent.slice(0, 4).map(({ at }) => at),
        [0, 2 * hour, 5 * hour, 29 * hour]
      )
    }).pipe(Effect.provide(world(from)))
  })

  it.scoped("says why an attempt failed, and does not call what may not be called", () => {
    const from = outside()
    return Effect.gen(function* () {
      const { id } = yield* provenEndpoint()
      const outcome = (name: string) =>
        Effect.gen(function* () {
          const [event] = yield* tell(recovered(mine, name))
          yield* Delivery.sendDue()
          const found = (yield* deliveries(id)).find(({ event_id }) => event_id === event?.id)
          return [found?.status, found?.error_class, found?.http_status, from.sent.length]
        })
      for (const reason of ["timeout", "connection", "tls"] as const) {
        from.answer = () => new WebhookTransport.WebhookUnanswered({ reason })
        from.sent.length = 0
        assert.deepStrictEqual(yield* outcome(reason), ["pending", reason, null, 1])
      }
      from.sent.length = 0
      from.addresses = () => []
      assert.deepStrictEqual(yield* outcome("dns"), ["pending", "dns", null, 0])
      // Checked again at each attempt: the name has moved into the own network.
      from.addresses = () => ["93.184.216.34", "::ffff:169.254.169.254"]
      assert.deepStrictEqual(yield* outcome("address"), ["pending", "forbidden_address", null, 0])
      from.addresses = () => ["93.184.216.34"]
      from.answer = () => Effect.die("a bug")
      assert.deepStrictEqual(yield* outcome("bug"), ["pending", "connection", null, 1])
    }).pipe(Effect.provide(world(from)), Logger.withMinimumLogLevel(LogLevel.None))
  })

  it.scoped(
    "disables an endpoint that is gone, drops its pending deliveries, and reports it to the log and the others",
    () => {
      const from = outside()
      return Effect.gen(function* () {
        const news = ["webhook.disabled", "webhook.failing", "watch.recovered"] as const
        const gone = yield* endpoint({ url: "https://gone.example/", eventTypes: news })
        const other = yield* endpoint({ url: "https://other.example/", eventTypes: ["webhook.disabled"] })
        from.answer = ({ url }) => status(url.includes("gone") ? 410 : 200)
        yield* tell(recovered(mine, "a"), recovered(mine, "b"), recovered(mine, "c"))
        yield* Delivery.sendDue({ concurrency: 1 })
        const { disabled_reason, state } = yield* get(gone.id)
        assert.deepStrictEqual([state, disabled_reason], ["disabled", "gone"])
        assert.deepStrictEqual(
          from.sent.map(({ url }) => url),
          ["https://gone.example/", "https://other.example/"]
        )
        assert.deepStrictEqual(
          (yield* deliveries(gone.id)).map(({ status }) => status),
          ["dropped", "dropped", "dropped"]
        )
        const [told] = yield* logged("webhook.disabled")
        assert.deepStrictEqual(told?.data, { webhook_id: gone.id, url: "https://gone.example/", reason: "gone" })
        assert.deepStrictEqual(JSON.parse(from.sent[1]?.body ?? ""), told)
        assert.strictEqual((yield* get(other.id)).state, "enabled")
        // The log has what it missed.
        assert.strictEqual((yield* logged("watch.recovered")).length, 3)
        yield* tell(recovered(mine, "d"))
        assert.strictEqual(yield* Delivery.sendDue(), 0)
      }).pipe(Effect.provide(world(from)))
    }
  )

  it.scoped("reports once after a day of only failures, and disables after five", () => {
    const from = { ...outside(), answer: () => status(503) }
    return Effect.gen(function* () {
      yield* working({ intervalSeconds: 3_600 })
      const { id } = yield* provenEndpoint()
      const start = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const sixHours = (from: number, to: number) =>
        Effect.forEach(
          Array.from({ length: to - from }, (_, index) => from + index),
          (n) => Effect.zipRight(tell(recovered(mine, `${n}`)), TestClock.adjust("6 hours")),
          { discard: true }
        )
      yield* sixHours(0, 4)
      assert.deepStrictEqual(yield* logged("webhook.failing", "webhook.disabled"), [])
      yield* sixHours(4, 19)
      const [failing, ...more] = yield* logged("webhook.failing", "webhook.disabled")
      assert.deepStrictEqual(more, [])
      assert.strictEqual(failing?.type, "webhook.failing")
      assert.strictEqual((yield* get(id)).state, "enabled")
      yield* sixHours(19, 22)
      assert.deepStrictEqual(
        (yield* logged("webhook.failing", "webhook.disabled")).map(({ type }) => type),
        ["webhook.failing", "webhook.disabled"]
      )
      const after = yield* get(id)
      assert.deepStrictEqual([after.state, after.disabled_reason], ["disabled", "failing"])
      assert.isAtLeast((from.sent.at(-1)?.at ?? 0) - start, 5 * 24 * hour)
      const tried = from.sent.length
      yield* TestClock.adjust("5 days")
      assert.strictEqual(from.sent.length, tried)

      // Switched on again it begins anew, and is reported anew.
      yield* Effect.flatMap(Webhooks.Webhooks, (webhooks) => webhooks.change(caller(mine), id, { state: "enabled" }))
      yield* sixHours(30, 36)
      assert.deepStrictEqual(
        (yield* logged("webhook.failing", "webhook.disabled")).map(({ type }) => type),
        ["webhook.failing", "webhook.disabled", "webhook.failing"]
      )
    }).pipe(Effect.provide(world(from)))
  })

  it.scoped("tries five times at most where nothing succeeded yet, whatever there is to send", () => {
    const from = { ...outside(), answer: () => status(404) }
    return Effect.gen(function* () {
      const { id } = yield* endpoint()
      yield* tell(...Array.from({ length: 9 }, (_, index) => recovered(mine, `${index}`)))
      yield* Delivery.sendDue({ concurrency: 1 })
      yield* TestClock.adjust("6 days")
      yield* Delivery.sendDue({ concurrency: 1 })
      assert.strictEqual(from.sent.length, 5)
      const { disabled_reason, state } = yield* get(id)
      assert.deepStrictEqual([state, disabled_reason], ["disabled", "unproven"])
      // The log has what it missed, and says why.
      assert.strictEqual((yield* logged("watch.recovered")).length, 9)
      const [told] = yield* logged("webhook.disabled")
      assert.strictEqual(told?.type === "webhook.disabled" && told.data.reason, "unproven")
    }).pipe(Effect.provide(world(from)))
  })

  for (const moment of ["before", "after"] as const)
    it.scoped(`reports a failing endpoint once, also where a process ends ${moment} it is written`, () => {
      const from = { ...outside(), answer: () => status(500) }
      return Effect.gen(function* () {
        const { id } = yield* provenEndpoint()
        const store = yield* EventStore.EventStore
        yield* store.changeWebhook(mine, id, (found) => ({
          ...found,
          webhook: { ...found.webhook, failing_since: fromMillis(0) },
          failures: 20
        }))
        yield* TestClock.adjust("6 days")
        yield* tell(recovered(mine, "a"))
        const crashed = Effect.die("crashed")
        const forgetful = Layer.succeed(EventStore.EventStore, {
          ...store,
          finishDelivery: (...end: Parameters<typeof store.finishDelivery>) =>
            moment === "before" ? crashed : Effect.zipRight(store.finishDelivery(...end), crashed)
        })
        yield* Effect.provide(Delivery.sendDue(), forgetful)
        const news = logged("webhook.failing", "webhook.disabled")
        assert.strictEqual((yield* news).length, moment === "before" ? 0 : 2)
        yield* TestClock.adjust("1 minutes")
        yield* Delivery.sendDue()
        assert.deepStrictEqual(
          (yield* news).map(({ type }) => type),
          ["webhook.failing", "webhook.disabled"]
        )
        assert.strictEqual((yield* get(id)).state, "disabled")
      }).pipe(Effect.provide(world(from)), Logger.withMinimumLogLevel(LogLevel.None))
    })

  it.scoped("does not report an endpoint as failing after another message got through", () => {
    const from = outside()
    return Effect.gen(function* () {
      const { id } = yield* provenEndpoint()
      const store = yield* EventStore.EventStore
      yield* store.changeWebhook(mine, id, (found) => ({
        ...found,
        webhook: { ...found.webhook, failing_since: fromMillis(0) },
        failures: 20
      }))
      yield* TestClock.adjust("6 days")
      from.answer = () =>
        from.sent.length === 1 ? status(200) : Effect.zipRight(Effect.sleep("1 seconds"), status(500))
      yield* working()
      yield* tell(recovered(mine, "a"), recovered(mine, "b"))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(from.sent.length, 2)
      assert.deepStrictEqual(yield* logged("webhook.failing", "webhook.disabled"), [])
      const { failing_since, state } = yield* get(id)
      assert.deepStrictEqual([state, failing_since], ["enabled", fromMillis(6 * 24 * hour + second)])
    }).pipe(Effect.provide(world(from)))
  })

  it.scoped("counts failures anew after one success", () => {
    const from = outside()
    return Effect.gen(function* () {
      yield* working({ intervalSeconds: 3_600 })
      const { id } = yield* provenEndpoint()
      for (let n = 0; n < 40; n++) {
        from.answer = () => status(n % 3 === 2 ? 200 : 500)
        yield* tell(recovered(mine, `${n}`))
        yield* TestClock.adjust("6 hours")
      }
      assert.deepStrictEqual(yield* logged("webhook.failing", "webhook.disabled"), [])
      assert.strictEqual((yield* get(id)).state, "enabled")
    }).pipe(Effect.provide(world(from)))
  })

  it.scoped("has at most two messages to one endpoint under way, and does not let it hold up the others", () => {
    const from = outside()
    return Effect.gen(function* () {
      yield* working({ concurrency: 4 })
      yield* endpoint({ url: "https://slow.example/" })
      yield* endpoint({ url: "https://fast.example/" })
      let open = 0
      let most = 0
      from.answer = ({ url }) =>
        url.includes("fast")
          ? status(200)
          : Effect.sync(() => {
              most = Math.max(most, ++open)
            }).pipe(
              Effect.zipRight(Effect.sleep("15 seconds")),
              Effect.zipRight(status(200)),
              Effect.ensuring(Effect.sync(() => open--))
            )
      yield* tell(...Array.from({ length: 9 }, (_, index) => recovered(mine, `${index}`)))
      yield* settled
      const to = (host: string) => from.sent.filter(({ url }) => url.includes(host)).length
      assert.deepStrictEqual([to("fast"), to("slow")], [9, 2])
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(to("slow"), 4)
      yield* TestClock.adjust("1 minutes")
      assert.deepStrictEqual([to("fast"), to("slow"), most], [9, 9, 2])
    }).pipe(Effect.provide(world(from)))
  })

  it.scoped("has at most so many messages under way as it may", () => {
    const from = outside()
    return Effect.gen(function* () {
      yield* working({ concurrency: 3 })
      for (const name of ["a", "b", "c", "d", "e"]) yield* endpoint({ url: `https://${name}.example/` })
      let open = 0
      let most = 0
      from.answer = () =>
        Effect.sync(() => {
          most = Math.max(most, ++open)
        }).pipe(
          Effect.zipRight(Effect.sleep("1 seconds")),
          Effect.zipRight(status(200)),
          Effect.ensuring(Effect.sync(() => open--))
        )
      yield* tell(...Array.from({ length: 10 }, (_, index) => recovered(mine, `${index}`)))
      yield* TestClock.adjust("1 minutes")
      assert.deepStrictEqual([from.sent.length, most], [50, 3])
    }).pipe(Effect.provide(world(from)))
  })

  it.scoped("sends again what a worker took with it, once its lease is over", () => {
    const from = outside()
    return Effect.gen(function* () {
      const { id } = yield* endpoint()
      const reached = yield* Deferred.make<void>()
      from.answer = () => Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never)
      const scope = yield* Scope.make()
      yield* Scope.extend(working({ graceSeconds: 0 }), scope)
      yield* tell(recovered(mine, "a"))
      yield* Deferred.await(reached)
      const closing = yield* Effect.fork(Scope.close(scope, yield* Effect.exit(Effect.void)))
      yield* settled
      yield* Fiber.join(closing)
      from.answer = () => status(200)
      yield* working()
      yield* TestClock.adjust("58 seconds")
      assert.strictEqual(from.sent.length, 1)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(from.sent.length, 2)
      const [delivery] = yield* deliveries(id)
      // What nobody heard of was no attempt.
      assert.deepStrictEqual([delivery?.status, delivery?.attempt], ["delivered", 1])
    }).pipe(Effect.provide(world(from)))
  })

  it.scoped("lets messages that are under way come to their end when it is closed", () => {
    const from = outside()
    return Effect.gen(function* () {
      const { id } = yield* endpoint()
      from.answer = () => Effect.zipRight(Effect.sleep("3 seconds"), status(200))
      const scope = yield* Scope.make()
      yield* Scope.extend(working(), scope)
      yield* tell(recovered(mine, "a"))
      yield* settled
      const closing = yield* Effect.fork(Scope.close(scope, yield* Effect.exit(Effect.void)))
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(closing)
      const [delivery] = yield* deliveries(id)
      assert.deepStrictEqual([delivery?.status, delivery?.attempt], ["delivered", 1])
      yield* tell(recovered(mine, "b"))
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(from.sent.length, 1)
    }).pipe(Effect.provide(world(from)))
  })

  it.effect("delivers every event to every endpoint, whichever call of the store fails or is the last", () =>
    Effect.gen(function* () {
      const delivers = (broken: StorageFault.Fault) => {
        const from = outside()
        return Effect.gen(function* () {
          const one = yield* endpoint({ url: "https://one.example/" })
          const two = yield* endpoint({ url: "https://two.example/" })
          const events = yield* tell(recovered(mine, "a"), recovered(mine, "b"))
          const unlucky = ({ url }: Sent) => from.sent.filter((sent) => sent.url === url).length === 1
          from.answer = (sent) => status(sent.url.includes("two") && unlucky(sent) ? 500 : 200)
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* working()
              yield* Effect.sleep("3 seconds")
            })
          ).pipe(
            Effect.provide(
              Layer.provideMerge(
                Layer.effectDiscard(
                  Effect.flatMap(StorageFault.StorageFault, (fault) => fault.arm(Option.some(broken)))
                ),
                StorageFault.layer
              )
            ),
            Effect.fork,
            Effect.tap(() => TestClock.adjust("10 seconds")),
            Effect.flatMap(Fiber.join)
          )
          // Another process finds what is left.
          yield* working({ intervalSeconds: 30 })
          yield* TestClock.adjust("2 minutes")
          for (const { id, url } of [one, two]) {
            assert.deepStrictEqual(
              (yield* deliveries(id)).map(({ status }) => status),
              ["delivered", "delivered"]
            )
            const got = new Set(
              from.sent.filter((sent) => sent.url === url).map(({ headers }) => headers["webhook-id"])
            )
            assert.sameMembers(
              Array.from(got),
              events.map(({ id }) => id)
            )
          }
        }).pipe(
          Effect.scoped,
          Effect.provide(office(from)),
          Effect.provide(Storage.layerMemory),
          Effect.provide(TestContext.TestContext)
        )
      }
      // Each has a clock of its own, and a step of a clock waits for timers: many at once wait for the same ones.
      yield* Effect.forEach(Draw.portion(StorageFault.each(12)), delivers, { concurrency: 16, discard: true })
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )

  it.scoped("writes neither secrets nor URLs to the log of the process", () => {
    const from = outside()
    const lines: Array<string> = []
    const keeping = Logger.replace(
      Logger.defaultLogger,
      Logger.map(Logger.logfmtLogger, (line) => {
        lines.push(line)
      })
    )
    return Effect.gen(function* () {
      const { secret } = yield* endpoint()
      const store = yield* EventStore.EventStore
      const forgetful = Layer.succeed(EventStore.EventStore, {
        ...store,
        finishDelivery: () => Effect.die(new Error("the store broke"))
      })
      for (const answer of [() => status(200), () => status(500), () => Effect.die(new Error("a bug"))]) {
        from.answer = answer
        yield* tell(recovered(mine, `${lines.length}`))
        yield* TestClock.adjust("2 minutes")
        yield* Effect.provide(Delivery.sendDue(), forgetful)
      }
      assert.isAbove(lines.length, 2)
      const text = lines.join("\n")
      assert.notInclude(text, secret.slice(6))
      assert.notInclude(text, "very-secret")
      assert.notInclude(text, "example.com")
    }).pipe(Effect.provide(world(from)), Effect.provide(keeping))
  })

  it.scopedLive("is verified by another implementation, over real sockets, and comes again until it is taken", () =>
    Effect.gen(function* () {
      const verified: Array<unknown> = []
      const secrets: Array<string> = []
      const receiver = yield* Receiver.plain((response, { body, headers }) => {
        const plainHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
        verified.push(new Verifier(secrets[0] ?? "").verify(body, plainHeaders))
        response.writeHead(verified.length === 1 ? 500 : 204).end()
      })
      const lab = { allowHttp: true, allowPrivate: true }
      yield* Effect.gen(function* () {
        const webhooks = yield* Webhooks.Webhooks
        const made = yield* endpoint({ url: `http://localhost:${receiver.port}/hook` })
        secrets.push(made.secret)
        const [event] = yield* tell(recovered(mine, "a"))
        yield* Delivery.sendDue()
        const [failed] = yield* deliveries(made.id)
        assert.deepStrictEqual([failed?.status, failed?.http_status], ["pending", 500])
        yield* webhooks.redeliver(caller(mine), made.id, failed?.id ?? "dlv_01ARZ3NDEKTSV4RRFFQ69G5FAV")
        yield* Delivery.sendDue()
        assert.deepStrictEqual(verified, [event, event])
        const [delivery] = yield* deliveries(made.id)
        assert.deepStrictEqual([delivery?.status, delivery?.attempt, delivery?.http_status], ["delivered", 2, 204])
        assert.isAtLeast(delivery?.latency_ms ?? -1, 0)
      }).pipe(
        Effect.provide(
          Layer.mergeAll(Webhooks.layer(), WebhookTransport.layer()).pipe(
            Layer.provideMerge(Layer.provide(Destination.layer(lab), Resolver.layer)),
            Layer.provideMerge(
              Layer.mergeAll(
                EventBell.layer,
                Layer.provideMerge(Secrets.layerEphemeral, Entropy.layer),
                RateLimit.layer(),
                Storage.layerMemory
              )
            )
          )
        )
      )
    })
  )
})
