/** @internal */

import type { AnalysisResult } from "@assay/core/domain/AnalysisResult"
import type { Caller } from "@assay/core/domain/Caller"
import * as CanonicalJson from "@assay/core/domain/CanonicalJson"
import type { ExecutionId, RunId, WatchId, WebhookId } from "@assay/core/domain/Id"
import type { Page } from "@assay/core/domain/Page"
import type { Watch, WatchRun } from "@assay/core/domain/Watch"
import { Webhooks } from "@assay/core/events/Webhooks"
import { Executions } from "@assay/core/executions/Executions"
import { Watches } from "@assay/core/watches/Watches"
import { Effect, Option } from "effect"
import type { Witness } from "./Witness.js"

/** What may be true of a watch: several values where an answer was lost. */
export interface Expected {
  readonly label: ReadonlySet<string>
  readonly interval: ReadonlySet<number>
  readonly isPaused: ReadonlySet<boolean>
  readonly isThere: ReadonlySet<boolean>
}

/** One of the things that may be changed of a watch. */
export type Wished = { readonly [K in keyof Expected]?: Expected[K] extends ReadonlySet<infer A> ? A : never }

/** What a client learnt and may rely on. */
export interface Memory {
  readonly watches: () => ReadonlyArray<WatchId>
  readonly webhooks: () => ReadonlyArray<WebhookId>
  readonly executions: () => ReadonlyArray<ExecutionId>
  readonly made: (watch: Watch, wished: Required<Wished>) => void
  readonly madeWebhook: (id: WebhookId, url: string) => void
  /** It is to be called elsewhere: possible from now on, and certain once `done` gets the URL that it reports. */
  readonly moves: (id: WebhookId, url: string) => { readonly done: (url: string) => void }
  readonly removedWebhook: (id: WebhookId, isCertain: boolean) => void
  readonly ran: (result: AnalysisResult) => void
  readonly started: (id: ExecutionId) => void
  readonly asked: (id: WatchId, run: WatchRun) => void
  /** A change is on its way: what it makes is possible from now on, and certain once `done` is called. */
  readonly expects: (id: WatchId, wished: Wished) => { readonly done: () => void }
  readonly sees: (watch: Watch) => void
  readonly misses: (id: WatchId) => void
  readonly seesResult: (result: AnalysisResult) => void
  readonly missesResult: (id: ExecutionId) => void
  /** Looks at all of it. */
  readonly review: (caller: Caller) => Effect.Effect<void, unknown, Executions | Watches | Webhooks>
}

export interface World {
  readonly name: string
  readonly onRemoved: (id: WatchId) => void
  readonly hasUnit: (id: ExecutionId) => boolean
}

export const make = ({ check }: Witness, { hasUnit, name, onRemoved }: World): Memory => {
  const watches = new Map<WatchId, Expected>()
  const webhooks = new Map<WebhookId, { readonly urls: ReadonlySet<string>; readonly isThere: ReadonlySet<boolean> }>()
  const executions = new Map<ExecutionId, Option.Option<string>>()
  const runs = new Map<RunId, WatchId>()

  const isThere = ({ isThere }: { readonly isThere: ReadonlySet<boolean> }) => !isThere.has(false)
  const isPossible = ({ isThere }: { readonly isThere: ReadonlySet<boolean> }) => isThere.has(true)

  const widen = (id: WatchId, wished: Wished, certain: "certain" | "possible") => {
    const expected = watches.get(id)
    if (expected === undefined) return
    const next = <A>(before: ReadonlySet<A>, value: A | undefined): ReadonlySet<A> =>
      value === undefined ? before : certain === "certain" ? new Set([value]) : new Set([...before, value])
    watches.set(id, {
      label: next(expected.label, wished.label),
      interval: next(expected.interval, wished.interval),
      isPaused: next(expected.isPaused, wished.isPaused),
      isThere: next(expected.isThere, wished.isThere)
    })
  }

  const sees = (watch: Watch) => {
    const expected = watches.get(watch.id)
    if (expected === undefined) return
    const { id } = watch
    const told = (what: string, possible: ReadonlySet<unknown>, value: unknown) =>
      check(
        "I10",
        possible.has(value),
        () => `${name} sees ${id} with ${what} ${value}, told ${[...possible].join(" or ")}`
      )
    check("I10", isPossible(expected), () => `${name} sees ${id}, which was removed`)
    told("label", expected.label, watch.label)
    told("interval", expected.interval, watch.interval_seconds)
    told("paused", expected.isPaused, watch.state === "paused")
    check("I4", watch.counts.checks === 0 || watch.last_checked_at !== null, () => `${id} was checked, and not when`)
  }
  const misses = (id: WatchId) => {
    const expected = watches.get(id)
    if (expected !== undefined) check("I10", !isThere(expected), () => `${name} does not find ${id} any more`)
  }
  const seesResult = (result: AnalysisResult) => {
    const known = executions.get(result.execution_id)
    if (known === undefined) return
    // The order of members is no promise: a store may give them in the one of their schema.
    const text = CanonicalJson.stringify(result)
    if (Option.isSome(known))
      check("I10", known.value === text, () => `${name} sees ${result.execution_id} with another content`)
    else if (result.status !== "running") executions.set(result.execution_id, Option.some(text))
  }
  const missesResult = (id: ExecutionId) =>
    check("I10", !executions.has(id), () => `${name} does not find ${id} any more`)

  return {
    watches: () => Array.from(watches).flatMap(([id, expected]) => (isPossible(expected) ? [id] : [])),
    webhooks: () => Array.from(webhooks).flatMap(([id, expected]) => (isPossible(expected) ? [id] : [])),
    executions: () => Array.from(executions.keys()),
    made: (watch, wished) => {
      watches.set(watch.id, {
        label: new Set([wished.label]),
        interval: new Set([wished.interval]),
        isPaused: new Set([wished.isPaused]),
        isThere: new Set([wished.isThere])
      })
      sees(watch)
    },
    madeWebhook: (id, url) => {
      webhooks.set(id, { urls: new Set([url]), isThere: new Set([true]) })
    },
    moves: (id, url) => {
      const known = webhooks.get(id)
      if (known !== undefined) webhooks.set(id, { ...known, urls: new Set([...known.urls, url]) })
      return {
        done: (told) => {
          check("I10", told === url, () => `${name} moved ${id} to ${url}, told ${told}`)
          const present = webhooks.get(id)
          if (present !== undefined) webhooks.set(id, { ...present, urls: new Set([url]) })
        }
      }
    },
    removedWebhook: (id, isCertain) => {
      const known = webhooks.get(id)
      if (known !== undefined) webhooks.set(id, { ...known, isThere: new Set(isCertain ? [false] : [true, false]) })
    },
    // What a caller that joined sees has no unit; the stored one may have.
    ran: (result) => {
      executions.set(
        result.execution_id,
        result.units === 0 ? Option.none() : Option.some(CanonicalJson.stringify(result))
      )
    },
    // One that was joined is named too where its own process stood still before it had its unit, and may be taken back.
    started: (id) => {
      if (!executions.has(id) && hasUnit(id)) executions.set(id, Option.none())
    },
    asked: (id, run) => {
      runs.set(run.id, id)
    },
    expects: (id, wished) => {
      widen(id, wished, "possible")
      return {
        done: () => {
          widen(id, wished, "certain")
          if (wished.isThere === false) onRemoved(id)
        }
      }
    },
    sees,
    misses,
    seesResult,
    missesResult,
    review: (caller) =>
      Effect.gen(function* () {
        const all = yield* Watches
        const engine = yield* Executions
        const listed = new Set<WatchId>()
        let cursor = Option.none<string>()
        do {
          const page = yield* all.list(caller, everything, { limit: 100, cursor })
          for (const watch of page.data) {
            listed.add(watch.id)
            sees(watch)
          }
          cursor = Option.fromNullable(page.next_cursor)
        } while (Option.isSome(cursor))
        for (const [id, expected] of watches) {
          check(
            "I10",
            listed.has(id) ? isPossible(expected) : !isThere(expected),
            () => `${name}: ${id} is not listed as told`
          )
          if (!listed.has(id)) continue
          sees((yield* all.get(caller, id)).value)
          const kept = new Map<RunId, WatchRun>()
          do {
            const page: Page<WatchRun> = yield* all.runs(caller, id, { limit: 100, cursor })
            for (const run of page.data) kept.set(run.id, run)
            cursor = Option.fromNullable(page.next_cursor)
          } while (Option.isSome(cursor))
          for (const [runId, watchId] of runs)
            if (watchId === id) check("I10", kept.has(runId), () => `${name} asked for ${runId}, which is not there`)
        }
        const endpoints = new Map(
          (yield* (yield* Webhooks).list(caller, { limit: 100, cursor: Option.none() })).data.map((webhook) => [
            webhook.id,
            webhook
          ])
        )
        for (const [id, expected] of webhooks) {
          const found = endpoints.get(id)
          check(
            "I10",
            found === undefined ? !isThere(expected) : isPossible(expected) && expected.urls.has(found.url),
            () => `${name}: endpoint ${id} is not as told`
          )
        }
        for (const id of executions.keys()) seesResult(yield* engine.get(caller, id))
      })
  }
}

const everything = { state: Option.none(), kind: Option.none(), address: Option.none(), failing: Option.none() }
