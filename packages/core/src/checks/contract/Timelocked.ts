import { Array as Arrays, Effect, Option, Schema } from "effect"
import * as Together from "../../chain/Together.js"
import { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import * as Timestamp from "../../domain/Timestamp.js"
import { Control } from "../../facts/control/Control.js"
import * as PlannedChanges from "../../facts/control/PlannedChanges.js"
import * as Check from "../Check.js"

/**
 * Whether whoever has a power over the contract has to wait before he uses it, at least as long as it takes holders to
 * leave ({@link Controller.notice}). A timelock counts where no other function of it acts at once, whoever plans what it
 * does, and only for as long as is left of what it was told before: a plan whose time has come needs no more waiting.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/api/governance#TimelockController
 * @since 0.1.0
 * @category models
 */
export const timelocked = Check.make({
  id: "control.timelocked",
  code: "O-09",
  version: 2,
  targets: ["token", "contract"],
  claim: "Every power has to wait for two days or more",
  polarity: "protective",
  severity: "info",
  dimension: "control",
  value: Schema.Struct({
    /** The shortest time to wait for what was not planned before, none where somebody waits for nothing. */
    delay_seconds: Schema.NullOr(Schema.NonNegativeInt),
    at_once: Schema.Array(
      Schema.Struct({ address: Address, powers: Schema.Array(Schema.String), controller: Controller.Controller })
    ),
    /** Who was told before to use a power, and from when on he can. */
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
      const told = planned.map(({ by, ready_at }) => `${by} does what it was told before from ${ready_at} on`)
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
            detail: [
              ...atOnce.map(({ address, controller, delay }) => `${address} (${controller.kind}) waits ${delay} s`),
              ...told
            ].join(", ")
          })
        ]
      }
      const [gap] = gaps
      if (gap !== undefined) return [Check.unknown(gap.reason, `it could not be told who holds ${gap.what}`, seen)]
      const opaque = living.find(isOpaque)
      if (opaque !== undefined)
        return [Check.unknown("inconclusive", `who is behind ${opaque.address} could not be told`, seen)]
      const [first] = [...living].sort((a, b) => a.delay - b.delay)
      // Nobody has to wait where nobody has a power.
      if (first === undefined) return Check.notApplicable
      const [unread] = unplanned
      if (unread !== undefined)
        return [Check.unknown(unread.reason, `not all that is planned could be told: ${unread.what}`, seen)]
      const untold = soon.find(({ isTold }) => !isTold)
      if (untold !== undefined)
        return [Check.unknown("inconclusive", `it could not be told what ${untold.by} is about to do`, seen)]
      return [
        Check.confirmed({
          ...seen,
          value: { delay_seconds: first.delay, at_once: [], planned, complete: true },
          controller: first.controller,
          at: first.controller.address ?? first.address,
          detail: [...living.map(({ address, delay }) => `${address} waits ${delay} s`), ...told].join(", ")
        })
      ]
    })
})
