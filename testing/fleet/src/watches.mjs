import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as Version from "@assay/core/analysis/Version"
import * as ChainAccess from "@assay/core/chain/ChainAccess"
import * as Chains from "@assay/core/chain/Chains"
import * as Checks from "@assay/core/checks/Checks"
import * as Id from "@assay/core/domain/Id"
import * as Watch from "@assay/core/domain/Watch"
import * as EventBell from "@assay/core/events/EventBell"
import * as Relay from "@assay/core/events/Relay"
import * as Executions from "@assay/core/executions/Executions"
import * as Entropy from "@assay/core/keys/Entropy"
import * as Keys from "@assay/core/keys/Keys"
import * as Quota from "@assay/core/quota/Quota"
import * as WatchStore from "@assay/core/storage/WatchStore"
import * as Bell from "@assay/core/watches/Bell"
import * as Grid from "@assay/core/watches/Grid"
import * as Scheduler from "@assay/core/watches/Scheduler"
import * as Transition from "@assay/core/watches/Transition"
import { PgStorage } from "@assay/storage-postgres"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Effect, Layer, ManagedRuntime, Option, Redacted } from "effect"
import { answers } from "./results.mjs"

const hour = 3_600_000

/** One in so many watches also wants a notice that nothing changed. */
export const perNotice = 4

/**
 * Makes keys and their hourly watches, and the first check of the first `checked` of them, which is what their next one is
 * compared with: by the scheduler as it is, in this process. Answers the keys, and `spread`, which says when each watch is
 * due next.
 */
export const make = async ({ checked, keys, limits, results, url, watches }) => {
  const { answer, targetOf } = answers(results)
  // A recorded analysis does not read its chain.
  const endpoint = results.endpoint ?? "http://127.0.0.1:1"
  const chain = Chains.make({
    id: 31337,
    name: "sandbox",
    endpoints: [endpoint],
    addressBook: 1,
    explorer: Option.none()
  })
  const targets = Array.from({ length: watches }, (_, index) => targetOf(index + 1))
  const numbers = new Map(targets.map(({ address }, index) => [address, index + 1]))
  const engine = Analyzer.layer(Checks.all).pipe(
    Layer.provide(ChainAccess.layerJsonRpc()),
    Layer.provide(NodeHttpClient.layerUndici)
  )
  const recorded = Layer.succeed(Analyzer.Analyzer, {
    analyze: ({ address }) =>
      Effect.map(Clock.currentTimeMillis, (at) => answer(Number(BigInt(address)), { at, hour: 0 })),
    analyzeMany: () => Effect.dieMessage("not asked for"),
    verify: () => Effect.dieMessage("not asked for"),
    ruleset: Effect.succeed(results.ruleset),
    engineVersion: Version.engine
  })
  const Stores = PgStorage.layer({ url: Redacted.make(url) })
  const Accounts = Keys.layer({ dailyQuota: limits.dailyQuota }).pipe(Layer.provide(Entropy.layer))
  const Scheduling = Scheduler.layer({ concurrency: 32, perKey: 32 }).pipe(
    Layer.provide(Layer.mergeAll(Executions.layer(), Bell.layer, Relay.layer())),
    Layer.provide(
      Layer.mergeAll(
        results.targets === undefined ? recorded : engine,
        EventBell.layer,
        Quota.layer({
          unitsPerSourceDay: Option.some(limits.unitsPerSourceDay),
          globalDailyUnits: Option.some(limits.globalDailyUnits)
        }),
        Chains.layer([chain])
      )
    )
  )
  const run = async (layer, effect) => {
    const runtime = ManagedRuntime.make(Layer.provideMerge(layer, Stores))
    try {
      return await runtime.runPromise(effect)
    } finally {
      await runtime.dispose()
    }
  }

  const accounts = await run(
    Accounts,
    Effect.gen(function* () {
      const service = yield* Keys.Keys
      const made = yield* Effect.forEach(Array.from({ length: keys }), (_, index) =>
        Effect.gen(function* () {
          const { key } = yield* service.create({
            label: `fleet ${index}`,
            expiresInSeconds: Option.none(),
            source: Option.some("192.0.2.1")
          })
          return { key, id: (yield* service.authenticate(Redacted.make(key))).id }
        })
      )
      const store = yield* WatchStore.WatchStore
      const now = yield* Clock.currentTimeMillis
      yield* each(watches, (number) =>
        Effect.gen(function* () {
          const id = yield* Id.make("wat")
          const grid = Grid.make(id, { anchor: now - hour, intervalSeconds: 3600 })
          yield* store.create(
            {
              id,
              keyId: made[number % keys].id,
              target: { ...targets[number - 1], chain: { id: chain.id, name: chain.name } },
              label: "",
              options: { ...Watch.defaultOptions, notify_unchanged: number % perNotice === 0 },
              createdAt: now,
              updatedAt: now,
              memory: {
                ...Transition.created(grid, "Active"),
                nextDueAt: Option.some(number <= checked ? now : now + hour)
              },
              revision: 1,
              live: Option.none()
            },
            watches
          )
        })
      )
      return made
    })
  )

  const began = performance.now()
  await run(
    Scheduling,
    Effect.gen(function* () {
      const store = yield* WatchStore.WatchStore
      yield* Scheduler.Scheduler
      while (Option.exists(yield* store.nextDueAt, (due) => due <= Date.now()) || (yield* store.tokens).length > 0)
        yield* Effect.sleep("200 millis")
    })
  )
  const checksTook = performance.now() - began

  /** Those that are not being checked, one after the other, evenly, in `millis` from `start` on. */
  const spread = ({ millis, start }) =>
    run(
      Layer.empty,
      Effect.gen(function* () {
        const store = yield* WatchStore.WatchStore
        for (const { id: keyId } of accounts) {
          const { data } = yield* store.list(keyId, noFilter, { limit: watches, before: Option.none() })
          yield* Effect.forEach(
            data,
            ({ id, target }) => {
              const due = start + Math.floor(((numbers.get(target.address) - 1) / watches) * millis)
              const { phase, ...grid } = Grid.make(id, { anchor: due - hour, intervalSeconds: 3600 })
              return store.change(keyId, id, ({ label, live, memory, options }) =>
                Option.isSome(live)
                  ? Option.none()
                  : Option.some({
                      label,
                      options,
                      updatedAt: due,
                      memory: {
                        ...memory,
                        grid: { ...grid, phase, anchor: due - hour - phase },
                        n: 0,
                        nextDueAt: Option.some(due)
                      }
                    })
              )
            },
            { concurrency: 8, discard: true }
          )
        }
      })
    )

  return { accounts, endpoints: `${chain.id}=${endpoint}`, spread, checksTook }
}

const each = (count, make) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index + 1),
    make,
    { concurrency: 16, discard: true }
  )

const noFilter = { state: Option.none(), kind: Option.none(), address: Option.none(), failing: Option.none() }
