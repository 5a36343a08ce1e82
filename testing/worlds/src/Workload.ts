/** @internal */

import * as Chains from "@assay/core/chain/Chains"
import type { Caller } from "@assay/core/domain/Caller"
import { EventType } from "@assay/core/domain/Event"
import { Severity } from "@assay/core/domain/Evidence"
import type { WatchId, WebhookId } from "@assay/core/domain/Id"
import { TargetKind } from "@assay/core/domain/Target"
import { Events } from "@assay/core/events/Events"
import { Webhooks } from "@assay/core/events/Webhooks"
import { Executions } from "@assay/core/executions/Executions"
import type { Keys } from "@assay/core/keys/Keys"
import { Documents } from "@assay/core/testing"
import { Watches } from "@assay/core/watches/Watches"
import { Effect, Option } from "effect"
import type { SeededRandom } from "./SeededRandom.js"
import type { Memory } from "./WorldMemory.js"

/** The services that clients call. */
export type Api = Keys | Executions | Watches | Webhooks | Events

/** An action of a client. Its answer is shown to everybody. */
export type Action = (caller: Caller) => Effect.Effect<unknown, unknown, Api>

/** The next action of a client. */
export interface Workload {
  readonly next: () => readonly [name: string, action: Action]
}

/** The chain of all targets; its endpoint is a secret. */
export const chain: Chains.Chain = Chains.make({ id: 1, endpoints: ["https://rpc.example/rpc-secret"] })

export const make = (random: SeededRandom, memory: Memory): Workload => {
  let labels = 0
  let places = 0
  const some = <A>(items: ReadonlyArray<A>): Option.Option<A> => {
    const [first, ...others] = items
    return first === undefined ? Option.none() : Option.some(random.pick([first, ...others]))
  }
  const target = () => ({
    kind: random.pick([TargetKind.literals[0], ...TargetKind.literals]),
    address: Documents.address(random.between(1, 5)),
    chain
  })
  const label = () => `label ${labels++}`
  const interval = () => random.pick([900, 900, 3600, 3600, 7 * 3600, 86_400])
  const options = () => ({
    verify: random.chance(0.7),
    notify_unchanged: random.chance(0.2),
    min_severity: random.pick(["low", ...Severity.literals] as const)
  })

  const analyse: Action = (caller) =>
    Effect.flatMap(Executions, (executions) =>
      executions.run({ caller, ...target(), summary: "not_requested", compareTo: Option.none() })
    ).pipe(
      Effect.tap((result) => Effect.sync(() => memory.ran(result))),
      Effect.tapErrorTag("DeadlineExceeded", ({ execution_id }) => Effect.sync(() => memory.started(execution_id)))
    )

  const create: Action = (caller) =>
    Effect.suspend(() => {
      const wished = { label: label(), interval: interval(), isPaused: random.chance(0.1), isThere: true }
      return Effect.flatMap(Watches, (watches) =>
        watches.create(caller, {
          ...target(),
          label: wished.label,
          intervalSeconds: wished.interval,
          options: options(),
          paused: wished.isPaused
        })
      ).pipe(Effect.tap(({ value }) => Effect.sync(() => memory.made(value, wished))))
    })

  const ofWatch = (id: WatchId): readonly [string, Action] => {
    const missed = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.tapError(effect, (error) =>
        Effect.sync(() => (error._tag === "WatchNotFound" ? memory.misses(id) : undefined))
      )
    const change =
      (
        wished: Parameters<Memory["expects"]>[1],
        act: (watches: Watches["Type"], caller: Caller) => ReturnType<Watches["Type"]["change"]>
      ): Action =>
      (caller) =>
        Effect.suspend(() => {
          const { done } = memory.expects(id, wished)
          return Effect.flatMap(Watches, (watches) => act(watches, caller)).pipe(
            Effect.tap(({ value }) =>
              Effect.sync(() => {
                done()
                memory.sees(value)
              })
            ),
            missed
          )
        })
    const remove: Action = (caller) =>
      Effect.suspend(() => {
        const { done } = memory.expects(id, { isThere: false })
        return Effect.tap(
          Effect.flatMap(Watches, (watches) => watches.remove(caller, id)),
          () => Effect.sync(done)
        )
      })
    const runNow: Action = (caller) =>
      Effect.flatMap(Watches, (watches) => watches.runNow(caller, id)).pipe(
        Effect.tap((run) => Effect.sync(() => memory.asked(id, run))),
        missed
      )
    const look: Action = (caller) =>
      Effect.flatMap(Watches, (watches) => watches.get(caller, id)).pipe(
        Effect.tap(({ value }) => Effect.sync(() => memory.sees(value))),
        missed
      )
    const page = { limit: 20, cursor: Option.none() }
    const history: Action = (caller) =>
      Effect.flatMap(Watches, (watches) =>
        Effect.zip(watches.runs(caller, id, page), watches.changes(caller, id, page))
      )
    const text = label()
    const seconds = interval()
    return random.pick<readonly [string, Action]>([
      [
        "rename",
        change({ label: text }, (watches, caller) => watches.change(caller, id, { label: text }, Option.none()))
      ],
      [
        "reschedule",
        change({ interval: seconds }, (watches, caller) =>
          watches.change(caller, id, { intervalSeconds: seconds }, Option.none())
        )
      ],
      [
        "set options",
        change({}, (watches, caller) => watches.change(caller, id, { options: options() }, Option.none()))
      ],
      ["pause", change({ isPaused: true }, (watches, caller) => watches.pause(caller, id))],
      ["resume", change({ isPaused: false }, (watches, caller) => watches.resume(caller, id))],
      ["resume", change({ isPaused: false }, (watches, caller) => watches.resume(caller, id))],
      ["remove", remove],
      ["run now", runNow],
      ["run now", runNow],
      ["look", look],
      ["history", history]
    ])
  }

  // No two endpoints have one, so that what is sent there is meant for one of them.
  const newUrl = () => `https://host-${random.between(1, 9)}.example/hook-${places++}`

  const addWebhook: Action = (caller) =>
    Effect.suspend(() => {
      const url = newUrl()
      return Effect.flatMap(Webhooks, (webhooks) =>
        webhooks.create(caller, {
          url,
          label: null,
          eventTypes: random.chance(0.5) ? EventType.literals : ["watch.changed", "watch.failing", "quota.exhausted"],
          watchIds: null,
          minSeverity: random.chance(0.7) ? null : "high"
        })
      ).pipe(
        // The answer shows a secret, and so it must be.
        Effect.map(({ id }) => memory.madeWebhook(id, url))
      )
    })

  const ofWebhook = (id: WebhookId): readonly [string, Action] => {
    const move: Action = (caller) =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const url = newUrl()
        const { done } = memory.moves(id, url)
        const { url: told } = yield* webhooks.change(caller, id, { url })
        done(told)
      })
    // What is tried is often still on its way there.
    const tryAndMove: Action = (caller) =>
      Effect.flatMap(Webhooks, (webhooks) => webhooks.ping(caller, id)).pipe(
        Effect.zipRight(Effect.sleep(random.between(0, 200))),
        Effect.zipRight(move(caller))
      )
    return random.pick<readonly [string, Action]>([
      ["move endpoint", move],
      ["try and move endpoint", tryAndMove],
      ["try and move endpoint", tryAndMove],
      ["ping", (caller) => Effect.flatMap(Webhooks, (webhooks) => webhooks.ping(caller, id))],
      ["rotate", (caller) => Effect.asVoid(Effect.flatMap(Webhooks, (webhooks) => webhooks.rotate(caller, id, 3600)))],
      ["enable", (caller) => Effect.flatMap(Webhooks, (webhooks) => webhooks.change(caller, id, { state: "enabled" }))],
      [
        "disable",
        (caller) => Effect.flatMap(Webhooks, (webhooks) => webhooks.change(caller, id, { state: "disabled" }))
      ],
      [
        "redeliver",
        (caller) =>
          Effect.gen(function* () {
            const webhooks = yield* Webhooks
            const page = yield* webhooks.deliveries(caller, id, { limit: 20, cursor: Option.none() })
            const delivery = some(page.data)
            return Option.isNone(delivery) ? page : yield* webhooks.redeliver(caller, id, delivery.value.id)
          })
      ],
      [
        "remove endpoint",
        (caller) =>
          Effect.suspend(() => {
            memory.removedWebhook(id, false)
            return Effect.tap(
              Effect.flatMap(Webhooks, (webhooks) => webhooks.remove(caller, id)),
              () => Effect.sync(() => memory.removedWebhook(id, true))
            )
          })
      ]
    ])
  }

  const readEvents: Action = (caller) =>
    Effect.flatMap(Events, (events) =>
      events.read(
        caller,
        { after: Option.none(), types: [], watchId: Option.none() },
        { limit: 20, waitSeconds: random.pick([0, 0, 20]) }
      )
    )

  const lookAgain: Action = (caller) =>
    Option.match(some(memory.executions()), {
      onNone: () => Effect.void,
      onSome: (id) =>
        Effect.flatMap(Executions, (executions) => executions.get(caller, id)).pipe(
          Effect.tap((result) => Effect.sync(() => memory.seesResult(result))),
          Effect.tapErrorTag("ExecutionNotFound", () => Effect.sync(() => memory.missesResult(id)))
        )
    })

  return {
    next: () => {
      const watch = some(memory.watches())
      const webhook = some(memory.webhooks())
      const throwOf = random.between(0, 100)
      if (memory.watches().length < 4 && (Option.isNone(watch) || throwOf < 12)) return ["create", create]
      if (Option.isSome(watch) && throwOf < 50) return ofWatch(watch.value)
      if (memory.webhooks().length < 2 && (Option.isNone(webhook) || throwOf < 54)) return ["add endpoint", addWebhook]
      if (Option.isSome(webhook) && throwOf < 62) return ofWebhook(webhook.value)
      if (throwOf < 70) return ["read events", readEvents]
      if (throwOf < 78) return ["look again", lookAgain]
      return ["analyse", analyse]
    }
  }
}
