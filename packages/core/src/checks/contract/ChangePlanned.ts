import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Count from "../../domain/Count.js"
import { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import { Control } from "../../facts/control/Control.js"
import * as PlannedChanges from "../../facts/control/PlannedChanges.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether a timelock or an AccessManager has a pending operation that uses a power over the contract or shortens a
 * delay. Holders have what is left of that operation's delay to react. The check does not apply where no power has a
 * delay.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/api/governance#TimelockController-CallScheduled-bytes32-uint256-address-uint256-bytes-bytes32-uint256-
 * @see https://github.com/compound-finance/compound-protocol/blob/master/contracts/Timelock.sol
 */
export const changePlanned = Check.make({
  id: "control.change-planned",
  code: "O-10",
  version: 1,
  targets: ["token", "contract"],
  claim: "A timelocked operation on the contract is pending",
  polarity: "risk",
  severity: "medium",
  dimension: "control",
  value: Schema.Struct({
    plans: Schema.Array(
      Schema.Struct({
        by: Address,
        id: Hex,
        /** When the operation can be executed. */
        ready_at: Timestamp.Timestamp,
        /** When the operation lets an account use a power over the contract; null where no delay gets shorter. */
        effective_at: Schema.NullOr(Timestamp.Timestamp),
        /** The calls of the operation, by their selectors. */
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
        // A failed read may hide a timelock.
        const lost = graph.unread.find(({ reason }) => reason !== "inconclusive")
        return lost === undefined ? Check.notApplicable : [Phrases.unknown(lost.reason, Phrases.gap(lost))]
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
            detail: `${Count.of(seen.value.plans.length, "pending operation")}; first: ${first.by} can execute ${first.id} from ${first.ready_at}`
          })
        ]
      }
      const [gap] = value.gaps
      if (gap !== undefined)
        return [
          Phrases.unknown(gap.reason, Phrases.gap(gap), {
            observation: observation()
          })
        ]
      const [untold] = value.changes
      return untold === undefined
        ? [Check.refuted({ ...seen, detail: "no pending operation of its timelocks concerns the contract" })]
        : [
            Phrases.unknown(
              "inconclusive",
              `the calls of pending operation ${untold.id} of ${untold.by} are not public`,
              {
                observation: observation()
              }
            )
          ]
    })
})
