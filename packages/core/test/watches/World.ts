import { type Context, Effect, Layer, Option, TestClock } from "effect"
import { type AnalyzeRequest, TargetMismatch, UpstreamUnavailable } from "../../src/analysis/Analyzer.js"
import * as Chains from "../../src/chain/Chains.js"
import type { Analysis } from "../../src/domain/Analysis.js"
import type { KeyState } from "../../src/domain/ApiKey.js"
import type { Caller } from "../../src/domain/Caller.js"
import * as Id from "../../src/domain/Id.js"
import * as EventBell from "../../src/events/EventBell.js"
import * as Relay from "../../src/events/Relay.js"
import * as Executions from "../../src/executions/Executions.js"
import * as Reaper from "../../src/executions/Reaper.js"
import * as Quota from "../../src/quota/Quota.js"
import { EventStore } from "../../src/storage/EventStore.js"
import { KeyStore } from "../../src/storage/KeyStore.js"
import type { Storage } from "../../src/storage/Storage.js"
import * as StorageMemory from "../../src/storage/Storage.js"
import * as Documents from "../../src/testing/Documents.js"
import * as ScriptedAnalyzer from "../../src/testing/ScriptedAnalyzer.js"
import * as Bell from "../../src/watches/Bell.js"
import * as RunReaper from "../../src/watches/RunReaper.js"
import * as Scheduler from "../../src/watches/Scheduler.js"
import * as Watches from "../../src/watches/Watches.js"

export const chain = Chains.make({ id: 1, endpoints: ["http://localhost:8545"] })

/** What the chain says at this moment, and how its endpoint behaves. */
export interface Sky {
  mintable: "confirmed" | "refuted"
  mood: "fine" | "down" | "mismatch" | "broken"
  /** What a second reading says; the same as the first one by default. */
  again: "same" | "otherwise" | "none"
  takes: string
  block: number
  /** Addresses by when their analysis began. */
  readonly began: Array<{ readonly address: string; readonly at: number; readonly ended: () => boolean }>
}

export const makeSky = (): Sky => ({
  mintable: "refuted",
  mood: "fine",
  again: "same",
  takes: "1 second",
  block: 21_000_000,
  began: []
})

const read = (
  sky: Sky,
  { address, apartFrom, chain, kind }: AnalyzeRequest
): Effect.Effect<Analysis, TargetMismatch | UpstreamUnavailable> =>
  Effect.suspend((): Effect.Effect<Analysis, TargetMismatch | UpstreamUnavailable> => {
    if (sky.mood === "down" || (apartFrom !== undefined && sky.again === "none"))
      return new UpstreamUnavailable({ sources_failed: [{ name: "rpc", reason: "rpc_error" }] })
    if (sky.mood === "mismatch")
      return new TargetMismatch({
        detected: "eoa",
        target: { kind, address, chain: { id: chain.id, name: chain.name } }
      })
    if (sky.mood === "broken") return Effect.dieMessage("a bug")
    const opposite = sky.mintable === "confirmed" ? "refuted" : "confirmed"
    const state = apartFrom !== undefined && sky.again === "otherwise" ? opposite : sky.mintable
    const analysis = Documents.analysis(
      { kind, address, chain: { id: chain.id, name: chain.name } },
      [Documents.evidence("token.mintable", state)],
      sky.block++
    )
    return Effect.succeed({ ...analysis, content_hash: `sha256:${state === "confirmed" ? "1" : "0"}`.padEnd(71, "0") })
  })

export const analyzer = (sky: Sky) =>
  ScriptedAnalyzer.layer((request) =>
    Effect.gen(function* () {
      const at = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      let hasEnded = false
      sky.began.push({ address: request.address, at, ended: () => hasEnded })
      yield* Effect.ensuring(
        Effect.sleep(sky.takes as "1 second"),
        Effect.sync(() => {
          hasEnded = true
        })
      )
      return yield* read(sky, request)
    })
  )

export interface ProcessOptions {
  readonly scheduler?: Scheduler.Options | undefined
  readonly watches?: Watches.Options | undefined
  readonly executions?: Executions.Options | undefined
  readonly reaperSeconds?: number | undefined
}

/** What a process of the service runs, without its clockwork, so that a test decides when what looks, looks. */
export const services = (sky: Sky, options: ProcessOptions = {}) =>
  // No clock runs while a test ends, so nothing may wait for one then.
  Watches.layer({ graceSeconds: 0, ...options.watches }).pipe(
    Layer.provideMerge(Executions.layer({ graceSeconds: 0, ...options.executions })),
    Layer.provideMerge(Quota.layer()),
    Layer.provideMerge(Layer.mergeAll(analyzer(sky), Chains.layer([chain]), Bell.layer)),
    Layer.provideMerge(Relay.layer({ intervalSeconds: 1_000_000 })),
    Layer.provideMerge(EventBell.layer)
  )

const often = (seconds: number) => ({ intervalSeconds: seconds, noticeSeconds: seconds })

/** A whole process. It polls seldom, so that a test of days takes no minutes. */
export const process = (sky: Sky, options: ProcessOptions = {}) =>
  Layer.mergeAll(
    Scheduler.layer({ pollSeconds: 100_000, graceSeconds: 0, ...options.scheduler }),
    RunReaper.layer(often(options.reaperSeconds ?? 100_000)),
    Reaper.layer(often(options.reaperSeconds ?? 100_000))
  ).pipe(Layer.provideMerge(services(sky, options)))

export const inMemory = (sky: Sky, options?: ProcessOptions) =>
  Layer.provideMerge(process(sky, options), StorageMemory.layerMemory)

export const on = (storage: Context.Context<Storage>) => Layer.succeedContext(storage)

export const storage = StorageMemory.layerMemory

export type Owner = Caller["id"]

export const makeCaller = (
  options: { readonly dailyQuota?: number; readonly state?: KeyState; readonly expiresAt?: number } = {}
): Effect.Effect<Caller, never, KeyStore> =>
  Effect.gen(function* () {
    const keys = yield* KeyStore
    const id = yield* Id.make("key")
    yield* Effect.orDie(
      keys.insert({
        id,
        hashVersion: 1,
        hash: `0x${id}`,
        hint: "hint",
        label: "label",
        state: options.state ?? "active",
        dailyQuota: options.dailyQuota ?? 50,
        createdAt: 0,
        expiresAt: Option.fromNullable(options.expiresAt),
        lastUsedAt: Option.none(),
        source: Option.none(),
        former: Option.none(),
        plan: Option.none(),
        invitation: Option.none()
      })
    )
    return { id, dailyQuota: options.dailyQuota ?? 50, source: Option.none() }
  })

export const newWatch = (changes: Partial<Watches.NewWatch> = {}): Watches.NewWatch => ({
  kind: "token",
  address: Documents.address(7),
  chain,
  label: "mine",
  intervalSeconds: 3_600,
  options: {},
  paused: false,
  ...changes
})

export const create = (caller: Caller, changes?: Partial<Watches.NewWatch>) =>
  Effect.flatMap(Watches.Watches, (watches) =>
    Effect.map(watches.create(caller, newWatch(changes)), ({ value }) => value.id)
  )

export const get = (caller: Caller, id: Id.WatchId) =>
  Effect.flatMap(Watches.Watches, (watches) => Effect.map(watches.get(caller, id), ({ value }) => value))

export const pause = (caller: Caller, id: Id.WatchId) =>
  Effect.flatMap(Watches.Watches, (watches) => Effect.map(watches.pause(caller, id), ({ value }) => value))

/** Newest first. */
export const runs = (caller: Caller, id: Id.WatchId) =>
  Effect.flatMap(Watches.Watches, (watches) =>
    Effect.map(watches.runs(caller, id, { limit: 100, cursor: Option.none() }), ({ data }) => data)
  )

/** All that the log has of a key, oldest first, once all pending events were brought there. */
export const events = (caller: Caller) =>
  Effect.gen(function* () {
    yield* (yield* Relay.Relay).drain
    const page = yield* (yield* EventStore).read(caller.id, {
      after: 0,
      types: [],
      watchId: Option.none(),
      limit: 1_000
    })
    return page._tag === "Events" ? page.events : []
  })

export const types = (caller: Caller) => Effect.map(events(caller), (all) => all.map(({ type }) => type))

/** Waits until a watch is due, and then a little. */
export const untilDue = (caller: Caller, id: Id.WatchId, more = 0) =>
  Effect.gen(function* () {
    const { next_due_at } = yield* get(caller, id)
    if (next_due_at === null) return yield* Effect.dieMessage("not due")
    const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    yield* TestClock.adjust(Math.max(0, Date.parse(next_due_at) - now) + more)
  })
