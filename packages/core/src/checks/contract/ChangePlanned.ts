import { Effect, Option, Schema } from "effect"
import * as Together from "../../chain/Together.js"
import { Address } from "../../domain/Address.js"
import { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import { Control } from "../../facts/control/Control.js"
import * as PlannedChanges from "../../facts/control/PlannedChanges.js"
import * as Check from "../Check.js"

/**
 * Whether a timelock, or an AccessManager, was told to use a power over the contract, or to wait less, and has not done so:
 * what is left of its delay is all the time there is. It does not apply where nobody has to wait.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/api/governance#TimelockController-CallScheduled-bytes32-uint256-address-uint256-bytes-bytes32-uint256-
 * @see https://github.com/compound-finance/compound-protocol/blob/master/contracts/Timelock.sol
 * @since 0.1.0
 * @category models
 */
export const changePlanned = Check.make({
  id: "control.change-planned",
  code: "O-10",
  version: 1,
  targets: ["token", "contract"],
  claim: "Something is planned that uses a power over the contract",
  polarity: "risk",
  severity: "medium",
  dimension: "control",
  value: Schema.Struct({
    plans: Schema.Array(
      Schema.Struct({
        by: Address,
        id: Hex,
        /** From when on it can be done. */
        ready_at: Timestamp.Timestamp,
        /** From when on a power over the contract can be used by it, none where others wait as long as before. */
        effective_at: Schema.NullOr(Timestamp.Timestamp),
        /** What is called, by the first four bytes of the call. */
        calls: Schema.Array(Schema.Struct({ to: Address, selector: Schema.String }))
      })
    ),
    complete: Schema.Boolean
  }),
  run: (target) =>
    Effect.gen(function* () {
      const control = yield* Control
      const [{ value: graph }, found] = yield* Together.all([
        control.of(target.address),
        control.planned(target.address)
      ])
      if (Option.isNone(found)) {
        // A read that was lost may have told of somebody who waits.
        const lost = graph.unread.find(({ reason }) => reason !== "inconclusive")
        return lost === undefined
          ? Check.notApplicable
          : [Check.unknown(lost.reason, `it could not be told who holds ${lost.what}`)]
      }
      const { observation, value } = found.value
      const told = value.changes.flatMap((change) =>
        Option.toArray(Option.map(change.calls, (calls) => ({ ...change, calls })))
      )
      const seen = {
        value: {
          plans: told
            .map(({ by, calls, id, notice, ready }) => ({
              by,
              id,
              ready_at: Timestamp.fromSeconds(ready),
              effective_at: Option.getOrNull(Option.map(notice, (wait) => Timestamp.fromSeconds(wait.from))),
              calls: calls.map(({ data, target: to }) => ({ to, selector: data.slice(0, 10) }))
            }))
            .sort((a, b) => (a.ready_at === b.ready_at ? (a.id < b.id ? -1 : 1) : a.ready_at < b.ready_at ? -1 : 1)),
          complete: value.gaps.length === 0 && told.length === value.changes.length
        },
        observation: observation()
      }
      const [first] = seen.value.plans
      if (first !== undefined) {
        const isSoon = told.some(PlannedChanges.isSoon)
        return [
          Check.confirmed({
            ...seen,
            severity: isSoon ? "medium" : "low",
            at: first.by,
            detail: seen.value.plans.map(({ by, id, ready_at }) => `${by} can do ${id} from ${ready_at} on`).join(", ")
          })
        ]
      }
      const [gap] = value.gaps
      if (gap !== undefined)
        return [
          Check.unknown(gap.reason, `not all that is planned could be told: ${gap.what}`, {
            observation: observation()
          })
        ]
      const [untold] = value.changes
      return untold === undefined
        ? [Check.refuted({ ...seen, detail: "nothing that is planned is about it" })]
        : [
            Check.unknown("inconclusive", `it could not be told what ${untold.by} is about to do (${untold.id})`, {
              observation: observation()
            })
          ]
    })
})
