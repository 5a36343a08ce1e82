import { Array as Arrays, Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import * as Count from "../../domain/Count.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import * as Timestamp from "../../domain/Timestamp.js"
import { Control } from "../../facts/control/Control.js"
import * as PlannedChanges from "../../facts/control/PlannedChanges.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether every power over the contract has a delay of at least the notice that holders need to exit
 * ({@link Controller.notice}). A timelock counts where none of its other functions acts without the delay. A pending
 * operation counts with what is left of its delay only.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/api/governance#TimelockController
 */
export const timelocked = Check.make({
  id: "control.timelocked",
  code: "O-09",
  version: 2,
  targets: ["token", "contract"],
  claim: "Every power has a delay of at least 2 days",
  polarity: "protective",
  severity: "info",
  dimension: "control",
  value: Schema.Struct({
    /** The shortest delay of a new operation; null where an account has no delay. */
    delay_seconds: Schema.NullOr(Schema.NonNegativeInt),
    at_once: Schema.Array(
      Schema.Struct({ address: Address, powers: Schema.Array(Schema.String), controller: Controller.Controller })
    ),
    /** The pending operations that use a power, and when each can be executed. */
    planned: Schema.Array(Schema.Struct({ by: Address, ready_at: Timestamp.Timestamp })),
    complete: Schema.Boolean
  }),
  run: (target) =>
    Effect.gen(function* () {
      const control = yield* Control
      const [{ observation, value }, plans] = yield* Together.all([
        control.of(target.address),
        control.planned(target.address)
      ])
      const gaps = ControlGraph.decidingGaps(value)
      const direct = value.edges.filter((edge) => edge.to === target.address && !ControlGraph.isSigner(edge.power))
      const holders = yield* Together.forEach([...new Set(direct.map((edge) => edge.from))].sort(), (address) =>
        Effect.map(control.classify(address), ({ value: controller }) => {
          const own = direct.filter((edge) => edge.from === address)
          return {
            address,
            powers: own.map((edge) => edge.power).sort(),
            controller,
            delay: Math.max(controller.delay_seconds ?? 0, Math.min(...own.map((edge) => edge.delay_seconds ?? 0)))
          }
        })
      )
      // A Safe is its own controller.
      const itself = value.nodes.some(({ address }) => address === target.address) ? value.controller : null
      const own =
        itself === null
          ? []
          : [{ address: target.address, powers: [], controller: itself, delay: itself.delay_seconds ?? 0 }]
      const living = [...holders, ...own].filter(({ controller }) => controller.kind !== "dead")
      const seen = { observation: observation() }
      const isOpaque = ({ controller }: (typeof living)[number]) =>
        controller.kind === "unknown" || controller.kind === "contract"
      const { changes, gaps: unplanned } = PlannedChanges.orNone(plans)
      const sooner = yield* Together.forEach(
        changes.flatMap(({ by, calls, notice }) =>
          Option.toArray(Option.map(notice, ({ from, left }) => ({ by, from, left, isTold: Option.isSome(calls) })))
        ),
        (plan) => Effect.map(control.classify(plan.by), ({ value: controller }) => ({ ...plan, controller }))
      )
      const soon = sooner.filter(({ left }) => left < Controller.notice)
      const due = soon.filter(({ isTold }) => isTold)
      const atOnce = [
        ...living.filter((holder) => !isOpaque(holder) && holder.delay < Controller.notice),
        ...Arrays.dedupeWith(due, (a, b) => a.by === b.by).map(({ by, controller }) => ({
          address: by,
          powers: ControlGraph.powersOver(value, target.address, by),
          controller,
          delay: controller.delay_seconds ?? 0
        }))
      ]
      const planned = Arrays.dedupeWith(
        sooner.filter(({ isTold }) => isTold).map(({ by, from }) => ({ by, ready_at: Timestamp.fromSeconds(from) })),
        (a, b) => a.by === b.by && a.ready_at === b.ready_at
      ).sort((a, b) => (a.ready_at === b.ready_at ? (a.by < b.by ? -1 : 1) : a.ready_at < b.ready_at ? -1 : 1))
      const told = planned.map(({ by, ready_at }) => `${by} can execute a pending operation from ${ready_at}`)
      if (atOnce.length > 0) {
        const [first] = atOnce
        const delays = atOnce.map(({ delay }) => delay)
        return [
          Check.refuted({
            ...seen,
            value: {
              delay_seconds: Math.min(...delays) > 0 ? Math.min(...delays) : null,
              at_once: atOnce.map(({ address, controller, powers }) => ({ address, powers, controller })),
              planned,
              complete: gaps.length === 0 && unplanned.length === 0
            },
            controller: first?.controller,
            at: first?.address,
            detail: Phrases.few([
              ...atOnce.map(
                ({ address, controller, delay }) =>
                  `${address} (${controller.kind}) has a delay of ${Count.duration(delay)}`
              ),
              ...told
            ])
          })
        ]
      }
      const [gap] = gaps
      if (gap !== undefined) return [Phrases.unknown(gap.reason, Phrases.gap(gap), seen)]
      const opaque = living.find(isOpaque)
      if (opaque !== undefined)
        return [Phrases.unknown("inconclusive", `the controller of ${opaque.address} was not determined`, seen)]
      const [first] = [...living].sort((a, b) => a.delay - b.delay)
      // Without powers there is nothing to delay.
      if (first === undefined) return Check.notApplicable
      const [unread] = unplanned
      if (unread !== undefined) return [Phrases.unknown(unread.reason, Phrases.gap(unread), seen)]
      const untold = soon.find(({ isTold }) => !isTold)
      if (untold !== undefined)
        return [
          Phrases.unknown("inconclusive", `the calls of a pending operation of ${untold.by} are not public`, seen)
        ]
      return [
        Check.confirmed({
          ...seen,
          value: { delay_seconds: first.delay, at_once: [], planned, complete: true },
          controller: first.controller,
          at: first.controller.address ?? first.address,
          detail: Phrases.few([
            ...living.map(({ address, delay }) => `${address} has a delay of ${Count.duration(delay)}`),
            ...told
          ])
        })
      ]
    })
})
