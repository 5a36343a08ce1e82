import * as Chains from "@assay/core/chain/Chains"
import type { KeyId } from "@assay/core/domain/Id"
import * as Delivery from "@assay/core/events/Delivery"
import * as Destination from "@assay/core/events/Destination"
import * as EventBell from "@assay/core/events/EventBell"
import * as Events from "@assay/core/events/Events"
import * as Relay from "@assay/core/events/Relay"
import { Resolver } from "@assay/core/events/Resolver"
import * as Webhooks from "@assay/core/events/Webhooks"
import { WebhookTransport } from "@assay/core/events/WebhookTransport"
import * as Executions from "@assay/core/executions/Executions"
import * as Reaper from "@assay/core/executions/Reaper"
import * as Entropy from "@assay/core/keys/Entropy"
import * as Keys from "@assay/core/keys/Keys"
import * as Secrets from "@assay/core/keys/Secrets"
import * as Quota from "@assay/core/quota/Quota"
import * as RateLimit from "@assay/core/quota/RateLimit"
import { EventStore } from "@assay/core/storage/EventStore"
import { ExecutionStore } from "@assay/core/storage/ExecutionStore"
import { KeyStore } from "@assay/core/storage/KeyStore"
import { Processes } from "@assay/core/storage/Processes"
import { QuotaStore } from "@assay/core/storage/QuotaStore"
import * as Storage from "@assay/core/storage/Storage"
import { WatchStore } from "@assay/core/storage/WatchStore"
import { ScriptedAnalyzer } from "@assay/core/testing"
import * as Bell from "@assay/core/watches/Bell"
import * as RunReaper from "@assay/core/watches/RunReaper"
import * as Scheduler from "@assay/core/watches/Scheduler"
import * as Watches from "@assay/core/watches/Watches"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import * as Callers from "./Callers.js"
import * as DeliveryLaw from "./DeliveryLaw.js"
import * as Faults from "./Faults.js"
import * as Fleet from "./Fleet.js"
import * as Ledger from "./Ledger.js"
import * as Operator from "./Operator.js"
import * as Receivers from "./Receivers.js"
import * as SeededRandom from "./SeededRandom.js"
import * as Witness from "./Witness.js"
import { type Api, chain } from "./Workload.js"
import * as WorldChain from "./WorldChain.js"
import * as WorldProcess from "./WorldProcess.js"
import * as WorldReports from "./WorldReports.js"
import * as WorldSchedule from "./WorldSchedule.js"
import * as WorldStorage from "./WorldStorage.js"
import * as WorldTime from "./WorldTime.js"
import * as WorldTrace from "./WorldTrace.js"

/**
 * A world to simulate. The same options make the same world, to the last step.
 *
 * - `days`: for how long things go wrong; after that they are left alone until everything has come to its end.
 * - `lines`: how many lines of what happened are kept, the last 200.
 * - `isProven`: whether processes learn that another one has ended; by default in most worlds. In the others, as on a
 *   network disk, only leases decide. `isGone`: what they take for the end of another one, by default the truth.
 * - `storage`: what keeps everything, in memory without. Each of its calls has to end without waiting, as real time does
 *   not pass in a world. It is to be empty.
 * - `stores`, `code`: for showing that the simulation notices. They replace the stores that all processes share, and
 *   every process's calls of them.
 */
export interface Options {
  readonly seed: number
  readonly days: number
  readonly lines?: number | undefined
  readonly isProven?: boolean | undefined
  readonly isGone?: ((process: string) => boolean) | undefined
  readonly storage?: Context.Context<Storage.Storage> | undefined
  readonly stores?: ((stores: Context.Context<Storage.Storage>) => Context.Context<Storage.Storage>) | undefined
  readonly code?: ((stores: Context.Context<Storage.Storage>) => Context.Context<Storage.Storage>) | undefined
}

/**
 * What became of a world: what must not have been, none where all was well; the last lines of what happened, oldest first;
 * a hash over all of them; and how often what happened.
 */
export interface Outcome {
  readonly seed: number
  readonly breach: Option.Option<Witness.Breach>
  readonly trace: ReadonlyArray<string>
  readonly hash: string
  readonly counts: { readonly [what: string]: number }
}

/**
 * Lets a simulated world go by, at once: the real program on a clock, a chain, stores, endpoints and people that are not.
 * Stores fail, processes die between any two store calls or freeze, two of them live at once, clocks are set forward and
 * back. Every store call is held against the promises of the service (`Witness.Law`); the first breach ends it.
 */
export const run = (options: Options): Outcome => WorldProcess.forgetting(() => history(options))

const history = (options: Options): Outcome => {
  let streams = 0
  const random = () => SeededRandom.make(options.seed, streams++)
  const time = WorldTime.make({ startsAt: 1_767_225_600_000 + options.seed * 1_000, random: random() })
  const trace = WorldTrace.make(time, options.lines ?? 200)
  const witness = Witness.make(time, trace)
  const { check } = witness
  const count = new Map<string, number>()

  const look = (text: string) =>
    check(
      "I7",
      !/asy_[0-9A-Za-z]{38}|whsec_|v1\.[0-9a-f]{16}\.|rpc-secret/.test(text),
      () => `a secret is shown in ${text}`
    )

  const faults = Faults.make(time, trace, random())
  const upstream = WorldChain.make(time, random())
  const operator = Operator.make(witness, random())
  const reports = WorldReports.make(witness)
  const perKey = 2
  const ledger: Ledger.Ledger = Ledger.make(witness, {
    quotasOf: operator.quotasOf,
    isRemoved: (id) => schedule.isRemoved(id),
    latest: faults.latest,
    onResult: reports.look
  })
  const schedule: WorldSchedule.Schedule = WorldSchedule.make(witness, {
    latest: faults.latest,
    perKey,
    isPaid: (id) => ["complete", "partial"].includes(ledger.find(id)?.status ?? "")
  })
  const deliveryLaw = DeliveryLaw.make(witness, schedule)
  const receivers = Receivers.make(time, random(), {
    onMessage: look,
    onSent: deliveryLaw.sent,
    onAccepted: deliveryLaw.accepted
  })

  const kept = Option.match(Option.fromNullable(options.storage), {
    onNone: () => Effect.runSync(Effect.scoped(Layer.build(Storage.layerMemory))),
    onSome: (storage) =>
      WorldStorage.immediate(storage, (operation, defect) =>
        check("error", false, () => `${operation} fails with ${defect}`)
      )
  })
  const broken = (options.stores ?? same)(kept)
  const watched = Context.empty().pipe(
    Context.add(KeyStore, operator.keys(Context.get(broken, KeyStore))),
    Context.add(QuotaStore, ledger.units(Context.get(broken, QuotaStore))),
    Context.add(ExecutionStore, ledger.executions(Context.get(broken, ExecutionStore))),
    Context.add(WatchStore, schedule.watches(Context.get(broken, WatchStore))),
    Context.add(EventStore, deliveryLaw.events(Context.get(broken, EventStore))),
    Context.add(Processes, Context.get(broken, Processes))
  )
  const shared = (options.code ?? same)(watched)

  const settings = random()
  const intervalSeconds = settings.chance(0.05) ? 15 : settings.pick([300, 600])
  const concurrency = settings.pick([2, 5])
  const keys = settings.pick([1, 2, 2, 3])
  const isMostly = settings.chance(0.7)
  const isProven = options.isProven ?? isMostly
  // Every process has the same key, as the store is one.
  const secrets = Secrets.layer([Redacted.make(new Uint8Array(32).fill(7))])
  const program = (seed: number) =>
    Layer.mergeAll(
      Keys.layer(),
      Watches.layer(),
      Webhooks.layer(),
      Events.layer({ intervalSeconds: 5 }),
      Reaper.layer({ intervalSeconds, noticeSeconds: intervalSeconds }),
      RunReaper.layer({ intervalSeconds, noticeSeconds: intervalSeconds }),
      Scheduler.layer({ perKey, concurrency, pollSeconds: intervalSeconds }),
      Delivery.layer({ intervalSeconds, concurrency, noticeSeconds: intervalSeconds })
    ).pipe(
      Layer.provideMerge(Executions.layer()),
      Layer.provide([Relay.layer({ intervalSeconds }), Bell.layer, Destination.layer()]),
      Layer.provide([
        Quota.layer(),
        RateLimit.layer(),
        EventBell.layer,
        Layer.provideMerge(secrets, Entropy.layerSeeded(seed)),
        Chains.layer([chain])
      ]),
      Layer.provide([
        ScriptedAnalyzer.layer(upstream.analyze),
        Layer.succeed(Resolver, receivers.resolver),
        Layer.succeed(WebhookTransport, receivers.transport)
      ])
    )

  /** What a process leaves behind is finished by the others, where these are left in peace. */
  const mourn = (process: string) => {
    const diedAt = time.now()
    const left = [
      ...ledger.running().flatMap(({ holder, id }) => (holder === process ? [id] : [])),
      ...schedule.running().flatMap(({ holder, id }) => (holder === process ? [id] : []))
    ]
    const leaseSeconds = isProven ? 0 : 120
    const limit = (leaseSeconds + intervalSeconds + 15) * 1000
    time.after(limit, () => {
      if (!faults.wasFairSince(diedAt) || !fleet.hasServedSince(diedAt + Math.max(0, leaseSeconds - 5) * 1000)) return
      tally(isProven ? "takeovers" : "recoveries")
      const running = new Set<string>([...ledger.running(), ...schedule.running()].map(({ id }) => id))
      for (const id of left)
        check("recovery", !running.has(id), () => `${id} still runs ${limit / 1000} s after ${process} died`)
    })
  }
  const tally = (what: string) => count.set(what, (count.get(what) ?? 0) + 1)

  const luck = random()
  const surroundings: WorldProcess.Surroundings = {
    witness,
    random: luck,
    stores: shared,
    processes: (self) => ({
      self: isProven ? Option.some(self) : Option.none(),
      gone: (names) => Effect.sync(() => new Set(names.filter(options.isGone ?? witness.isGone)))
    }),
    faultOf: (process, operation) => {
      const fault = faults.faultOf(process, operation)
      if (Option.isSome(fault)) tally(fault.value.kind)
      return fault
    },
    latencyOf: faults.latencyOf,
    frozenFor: faults.frozenFor,
    onLog: look,
    onDeath: (process, how) => {
      tally(how)
      mourn(process)
    }
  }
  const fleet: Fleet.Fleet<Api> = Fleet.make(time, random(), {
    start: (number) => WorldProcess.start(`p${number}`, program(luck.between(1, 2 ** 31)), surroundings),
    plan: faults.plan
  })

  time.run(1)
  const [founder] = fleet.processes()
  const owners: Array<Callers.Owner> = []
  for (let number = 0; number < keys; number++)
    founder?.call(
      Effect.flatMap(Keys.Keys, (keys) =>
        Effect.gen(function* () {
          const created = yield* keys.create({
            label: `owner ${number}`,
            expiresInSeconds: Option.none(),
            source: Option.none()
          })
          const secret = Redacted.make(created.key)
          return { secret, caller: yield* keys.authenticate(secret) }
        })
      ),
      (exit) => {
        if (Option.isSome(exit) && exit.value._tag === "Success") owners.push(exit.value.value)
      }
    )
  time.run(1)
  check("error", owners.length === keys, () => "no keys could be made")
  const people = Callers.make(witness, random(), {
    owners,
    processes: fleet.processes,
    onOutput: look,
    onRemoved: schedule.removed,
    hasUnit: ledger.hasUnit,
    pace: 25 * minute
  })

  time.run(options.days * 24 * hour)

  const isOver = () => witness.breaches().length > 0
  const outcome = (): Outcome => ({
    seed: options.seed,
    breach: Option.fromNullable(witness.breaches()[0]),
    trace: trace.lines(),
    hash: trace.hash(),
    counts: Object.fromEntries([...count, ...ledger.counts(), ...schedule.counts(), ...deliveryLaw.counts()])
  })
  if (isOver()) return outcome()

  // From here on nothing goes wrong any more.
  for (const part of [faults, upstream, operator, receivers]) part.calm()
  people.rest()
  const last = fleet.renew()
  trace.note("world", "is calm")
  for (
    let waited = 0;
    waited < 40 * hour && !isOver() && (waited < 40 * minute || !deliveryLaw.isQuiet());
    waited += 10 * minute
  )
    time.run(10 * minute)
  for (let waited = 0; waited < 20 * minute && !isOver(); waited += 1_000) {
    if (ledger.running().length === 0 && schedule.running().length === 0) break
    time.run(1_000)
  }
  check("progress", people.areResting(), () => "somebody still waits for an answer")
  ledger.settled()
  schedule.settled()
  deliveryLaw.settled(schedule.told())
  const stored = (keyId: KeyId) =>
    Effect.runSync(Context.get(kept, WatchStore).list(keyId, everyWatch, { limit: 1_000, before: Option.none() })).data
  for (const { caller } of owners)
    for (const { id, memory } of stored(caller.id)) {
      const due = Option.getOrElse(memory.nextDueAt, () => Number.POSITIVE_INFINITY)
      check("progress", due > time.wall() - 2 * minute, () => `${id} is due since ${time.wall() - due} ms`)
    }
  people.review(last)
  for (let waited = 0; waited < 60 && !isOver() && !people.isReviewed(); waited++) time.run(1_000)
  check("I10", people.isReviewed(), () => "the review did not come to its end")

  return outcome()
}

const same = (stores: Context.Context<Storage.Storage>) => stores

const minute = 60_000
const hour = 60 * minute

const everyWatch = { state: Option.none(), kind: Option.none(), address: Option.none(), failing: Option.none() }
