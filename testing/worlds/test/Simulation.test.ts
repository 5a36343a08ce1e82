import { setImmediate } from "node:timers/promises"
import type { RunId, WatchId, WebhookId } from "@assay/core/domain/Id"
import { EventStore } from "@assay/core/storage/EventStore"
import { ExecutionStore } from "@assay/core/storage/ExecutionStore"
import { QuotaStore } from "@assay/core/storage/QuotaStore"
import type { Storage } from "@assay/core/storage/Storage"
import { type Claim, WatchStore } from "@assay/core/storage/WatchStore"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Option } from "effect"
import * as Draw from "../../../test/Draw.js"
import * as Tier from "../../../test/Tier.js"
import * as Simulation from "../src/Simulation.js"

type Breakage = (stores: Context.Context<Storage>) => Context.Context<Storage>

const broken =
  <I extends Storage, S extends object>(tag: Context.Tag<I, S>, breakIt: (store: S) => Partial<S>): Breakage =>
  (stores) => {
    const store = Context.get(stores as Context.Context<I>, tag)
    return Context.merge(stores, Context.make(tag, { ...store, ...breakIt(store) })) as Context.Context<Storage>
  }

/** The law that is broken first in any of twelve worlds; none where all is well. */
const noticed = async (options: Partial<Simulation.Options>, first: number): Promise<string> => {
  for (let seed = first; seed < first + 12; seed++) {
    await setImmediate()
    const { breach } = Simulation.run({ seed, days: 1, ...options })
    if (Option.isSome(breach)) return breach.value.law
  }
  return "nothing"
}

const twin = (id: RunId): RunId => `run_${id.slice(4).split("").reverse().join("")}`

/** A breakage of the stores that all processes share, or of the code's calls of them, and the law that it breaks. */
const breakages: ReadonlyArray<
  readonly [
    name: string,
    law: string,
    options: Pick<Simulation.Options, "stores" | "code" | "isProven" | "isGone">,
    // The first world that is tried, where it shows in few.
    first?: number
  ]
> = [
  [
    "a unit granted beyond the quota",
    "I1",
    {
      stores: broken(QuotaStore, (store) => ({
        reserve: (request) =>
          store.reserve({ ...request, buckets: request.buckets.map(({ limit, name }) => ({ name, limit: limit + 2 })) })
      }))
    }
  ],
  [
    "a reservation that is settled twice",
    "I2",
    { stores: broken(QuotaStore, (store) => ({ settle: (...args) => Effect.as(store.settle(...args), true) })) }
  ],
  [
    "a failed execution that is paid for",
    "I2",
    { code: broken(QuotaStore, (store) => ({ settle: (id, _, now) => store.settle(id, "committed", now) })) }
  ],
  [
    "a worker that goes on without its lease",
    "I3",
    {
      stores: broken(ExecutionStore, (store) => ({
        renew: (...args) => Effect.as(store.renew(...args), true),
        complete: (...args) => Effect.as(store.complete(...args), true),
        fail: (...args) => Effect.as(store.fail(...args), true)
      }))
    }
  ],
  [
    "a lease that ends before its time",
    "I3",
    {
      stores: broken(WatchStore, (store) => ({ expired: (now, limit) => store.expired(now + 100_000, limit) }))
    }
  ],
  [
    "two runs of a watch at once",
    "I3",
    {
      stores: broken(WatchStore, (store) => ({
        claimDue: (request) =>
          Effect.map(store.claimDue(request), (claims) => [
            ...claims,
            ...claims.map((claim) => ({ ...claim, run: { ...claim.run, id: twin(claim.run.id) } }))
          ])
      }))
    }
  ],
  [
    "a check that does not say when it was made",
    "I4",
    {
      code: broken(WatchStore, (store) => ({
        finishRun: (runId, token, decide) =>
          store.finishRun(runId, token, (watch) => {
            const finish = decide(watch)
            return { ...finish, memory: { ...finish.memory, lastCheckedAt: Option.none() } }
          })
      }))
    }
  ],
  [
    "a check that is made early",
    "I5",
    {
      code: broken(WatchStore, (store) => ({
        claimDue: (request) => store.claimDue({ ...request, now: request.now + 240_000 })
      }))
    }
  ],
  [
    "a grid time that comes twice",
    "I5",
    {
      stores: broken(WatchStore, (store) => ({
        finishRun: (runId, token, decide) =>
          store.finishRun(runId, token, (watch) => {
            const finish = decide(watch)
            const memory = { ...finish.memory, n: finish.memory.n - 1, nextDueAt: Option.some(0) }
            return watch.memory.status._tag === "Active" ? { ...finish, memory } : finish
          })
      }))
    }
  ],
  [
    "events that are lost between run and log",
    "I6",
    {
      stores: broken(WatchStore, (store) => ({
        finishRun: (runId, token, decide) =>
          store.finishRun(runId, token, (watch) => ({ ...decide(watch), events: [] }))
      }))
    }
  ],
  [
    "a message that is called delivered and was not",
    "I6",
    {
      code: broken(EventStore, (store) => ({
        finishDelivery: (id, token, decide) =>
          store.finishDelivery(id, token, (current) => {
            const next = decide(current)
            return { ...next, delivery: { ...next.delivery, status: "delivered", next_attempt_at: null } }
          })
      }))
    }
  ],
  [
    "an endpoint that is disabled, and nobody is told",
    "I6",
    {
      stores: broken(EventStore, (store) => ({
        finishDelivery: (id, token, decide) =>
          store.finishDelivery(id, token, (current) => ({ ...decide(current), events: [] }))
      }))
    }
  ],
  [
    "a message that is asked for once and sent by the schedule",
    "I6",
    {
      stores: broken(EventStore, (store) => ({
        finishDelivery: (id, token, decide) =>
          store.finishDelivery(id, token, (current) => decide({ ...current, asked: false }))
      }))
    }
  ],
  [
    "a message that goes to an address that was given up",
    "I6",
    {
      stores: broken(EventStore, (store) => {
        const first = new Map<WebhookId, string>()
        return {
          claimDeliveries: (request) =>
            Effect.map(store.claimDeliveries(request), (claims) =>
              claims.map((claim) => {
                const { webhook } = claim.endpoint
                const url = first.get(webhook.id) ?? webhook.url
                first.set(webhook.id, url)
                return { ...claim, endpoint: { ...claim.endpoint, webhook: { ...webhook, url } } }
              })
            )
        }
      })
    }
  ],
  [
    "an answer of an old address that is taken for one of the new",
    "I6",
    {
      code: broken(EventStore, (store) => {
        const sent = new Map<string, string>()
        return {
          claimDeliveries: (request) =>
            Effect.tap(store.claimDeliveries(request), (claims) =>
              Effect.sync(() => {
                for (const { endpoint, token } of claims) sent.set(token, endpoint.webhook.url)
              })
            ),
          finishDelivery: (id, token, decide) =>
            store.finishDelivery(id, token, (current) => {
              const { webhook } = current.endpoint
              const url = sent.get(token) ?? webhook.url
              const next = decide({ ...current, endpoint: { ...current.endpoint, webhook: { ...webhook, url } } })
              return {
                ...next,
                endpoint: { ...next.endpoint, webhook: { ...next.endpoint.webhook, url: webhook.url } }
              }
            })
        }
      })
    }
  ],
  [
    "a signing secret in an answer",
    "I7",
    {
      stores: broken(EventStore, (store) => ({
        changeWebhook: (...args) =>
          Effect.map(
            store.changeWebhook(...args),
            Option.map((endpoint) => ({
              ...endpoint,
              webhook: { ...endpoint.webhook, label: endpoint.secrets[0]?.secret ?? null }
            }))
          )
      }))
    }
  ],
  [
    "a report that does not count its changes",
    "I8",
    {
      code: broken(ExecutionStore, (store) => ({
        complete: (token, result, memory) =>
          store.complete(
            token,
            {
              ...result,
              change_report: result.change_report && {
                ...result.change_report,
                counts: { ...result.change_report.counts, low: 7 }
              }
            },
            memory
          )
      }))
    }
  ],
  [
    "a check of a watch that was removed",
    "I9",
    {
      stores: broken(WatchStore, (store) => {
        const claims = new Map<WatchId, Claim>()
        const removed: Array<Claim> = []
        return {
          claimDue: (request) =>
            Effect.map(store.claimDue(request), (claimed) => {
              for (const claim of claimed) claims.set(claim.watch.id, claim)
              return [
                ...claimed,
                ...removed.splice(0).map((claim) => ({ ...claim, run: { ...claim.run, id: twin(claim.run.id) } }))
              ]
            }),
          remove: (keyId, id) =>
            Effect.tap(store.remove(keyId, id), () =>
              Effect.sync(() => removed.push(...Option.toArray(Option.fromNullable(claims.get(id)))))
            )
        }
      })
    }
  ],
  [
    "a change that was acknowledged and not kept",
    "I10",
    { stores: broken(WatchStore, (store) => ({ change: (keyId, id) => store.find(keyId, id) })) }
  ],
  [
    "executions that nobody finishes after a crash",
    "recovery",
    { stores: broken(ExecutionStore, () => ({ expireLeases: () => Effect.succeed([]) })), isProven: false },
    8
  ],
  ["a living process that is taken for a dead one", "I3", { isGone: () => true }],
  ["dead processes that nobody notices", "recovery", { isGone: () => false }, 10],
  [
    "watches that are due and never claimed",
    "progress",
    { stores: broken(WatchStore, () => ({ claimDue: () => Effect.succeed([]), nextDueAt: Effect.succeedNone })) }
  ]
]

// Three worlds in `npm test`, five that are drawn before a change lands, forty in `npm run test:all`, any number in
// `npm run simulate`.
const batch = 5
const batches = [1, 6, 11, 16, 21, 26, 31, 36]

describe("Simulation", () => {
  for (const [index, from] of batches.entries()) {
    const runs = Tier.landing && Draw.isDrawn(index, batches.length)
    it.runIf(runs)(
      Tier.title(runs, `keeps every promise in worlds of two days, whatever goes wrong, from seed ${from} on`),
      { timeout: 1_200_000 },
      async () => {
        const { stackTraceLimit } = Error
        const happened = new Map<string, number>()
        // The stacks of errors that are part of the world cost a third of the time, and nobody reads them.
        Error.stackTraceLimit = 0
        try {
          for (let seed = from; seed < from + batch; seed++) {
            // A world goes by without a pause, and the test runner has to be answered.
            await setImmediate()
            const { breach, counts, trace } = Simulation.run({ seed, days: 2 })
            // A world in which nothing happens breaks no promise.
            for (const what of ["executions", "units", "watches", "runs", "events", "deliveries"])
              happened.set(what, (happened.get(what) ?? 0) + (counts[what] ?? 0))
            if (Option.isSome(breach))
              assert.fail(`seed ${seed}: ${breach.value.law}: ${breach.value.detail}\n${trace.join("\n")}`)
          }
          for (const [what, times] of happened) assert.isAbove(times, 0, what)
        } finally {
          Error.stackTraceLimit = stackTraceLimit
        }
      }
    )
  }

  it("is the same world for the same seed, and another one for another", () => {
    const [first, again, other] = [7, 7, 8].map((seed) => Simulation.run({ seed, days: 1 }))
    assert.isNotEmpty(first?.trace)
    for (const world of [first, other]) assert.deepStrictEqual(world?.breach, Option.none())
    assert.deepStrictEqual([again?.hash, again?.counts], [first?.hash, first?.counts])
    assert.notStrictEqual(other?.hash, first?.hash)
  })

  it("leaves no fiber of a killed process behind, so that a thousand worlds fit into the memory of one", () => {
    const before = Effect.runSync(Fiber.roots).length
    assert.isAbove(Simulation.run({ seed: 9, days: 1 }).counts.killed ?? 0, 0)
    assert.strictEqual(Effect.runSync(Fiber.roots).length, before)
  })

  for (const [name, law, options, first = 1] of breakages)
    it.runIf(Tier.landing)(`notices ${name}`, async () => {
      assert.strictEqual(await noticed(options, first), law)
    })
})
