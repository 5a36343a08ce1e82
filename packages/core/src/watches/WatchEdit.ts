/** @internal */

import { Option, Schema } from "effect"
import * as Suppression from "../changes/Suppression.js"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"
import type { TargetKind } from "../domain/Target.js"
import type { WatchOptions } from "../domain/Watch.js"
import type { StoredWatch, WatchContent } from "../storage/WatchStore.js"
import * as Grid from "./Grid.js"
import * as Transition from "./Transition.js"

/** The changes to a watch. What is not named stays, inside `options` too. */
export interface WatchChange {
  readonly label?: string | undefined
  readonly intervalSeconds?: number | undefined
  readonly options?: Partial<WatchOptions> | undefined
}

/** The current values of what can be changed in a watch. */
export const contentOf = ({ label, memory, options, updatedAt }: StoredWatch): WatchContent => ({
  label,
  memory,
  options,
  updatedAt
})

/**
 * A watch after a change by its owner, none if that changes nothing. A new interval begins a new grid and resets
 * failures; nothing else moves the grid.
 */
export const changed = (watch: StoredWatch, change: WatchChange, now: number): Option.Option<WatchContent> => {
  const label = change.label ?? watch.label
  const options = { ...watch.options, ...change.options }
  const intervalSeconds = change.intervalSeconds ?? watch.memory.grid.interval / 1000
  const isMoved = intervalSeconds * 1000 !== watch.memory.grid.interval
  if (label === watch.label && !isMoved && CanonicalJson.hash(options) === CanonicalJson.hash(watch.options))
    return Option.none()
  const memory = isMoved
    ? Transition.apply(
        watch.memory,
        { _tag: "Rescheduled", grid: Grid.make(watch.id, { anchor: now, intervalSeconds }) },
        now
      ).memory
    : watch.memory
  return Option.some({ label, options, memory, updatedAt: now })
}

/**
 * Why options are refused: they name something that does not exist, or that has no threshold for the kind of target.
 * None where they are valid. Options that were accepted before (`kept`) stay valid after a change of the rules.
 */
export const refusal = (
  { ignore = [], thresholds = {} }: Partial<WatchOptions>,
  options: {
    readonly kind: TargetKind
    readonly rules: ReadonlyArray<EvidenceRule>
    /** The ids of the checks that only some deployments have; accepted everywhere. */
    readonly optional: ReadonlyArray<string>
    readonly kept: WatchOptions
  }
): Option.Option<OptionsRefused> => {
  const { kept, kind, optional, rules } = options
  const checks = new Set([...rules.map(({ id }) => id), ...optional])
  const measured = Suppression.thresholdIds(rules, kind)
  const refused: OptionsRefused["refused"] = [
    ...ignore.flatMap((id, index) =>
      kept.ignore.includes(id) || Suppression.isIgnorable(id, checks)
        ? []
        : [{ path: ["ignore", index], detail: "No check and no fact has this id." }]
    ),
    ...Object.keys(thresholds).flatMap((id) =>
      Object.hasOwn(kept.thresholds, id) || measured.includes(id)
        ? []
        : [{ path: ["thresholds", id], detail: `What has a threshold on a ${kind}: ${measured.join(", ")}.` }]
    )
  ]
  return refused.length === 0 ? Option.none() : Option.some(new OptionsRefused({ refused }))
}

/**
 * Options of a watch that would have no effect: where they are among the options, and which values are possible there.
 */
export class OptionsRefused extends Schema.TaggedError<OptionsRefused>()("OptionsRefused", {
  refused: Schema.Array(
    Schema.Struct({
      path: Schema.Array(Schema.Union(Schema.String, Schema.NonNegativeInt)),
      detail: Schema.String
    })
  )
}) {}
