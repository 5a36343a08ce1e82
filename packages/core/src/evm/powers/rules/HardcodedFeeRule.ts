/** @internal */

import * as SingleUse from "../../token/SingleUse.js"
import * as VariableWriter from "../../token/VariableWriter.js"
import * as HardcodedFee from "../transfer/HardcodedFee.js"
import * as TransferGate from "../transfer/TransferGate.js"
import { type DetectorRule, may } from "./DetectorRule.js"
import * as GateLevers from "./GateLevers.js"

/** A storage variable that decides which transfers pay a fee with a hard-coded rate. */
export const hardcodedFee = {
  id: "hardcoded-fee",
  powers: ["tax"],
  needs: ["token"],
  *find(model) {
    const { flow, token } = model
    const { levies } = yield* HardcodedFee.of(model)
    const isFollowed = (yield* model.sums()).every(({ trace }) => trace.complete)
    return levies.map((levy) => {
      const { hidden, setters } = VariableWriter.reaching(flow, token, levy)
      // A function that only exempts accounts takes from nobody, and an exemption of the privileged caller himself is
      // no power over others.
      const isSparing = levy.passes === "nonzero" && levy.kind === "list"
      const isOfCaller = isSparing && TransferGate.isOfCaller(flow, levy.slot)
      const gate = {
        ...levy,
        setters: setters.filter(({ writes }) => !isSparing || (!isOfCaller && !writes.every(VariableWriter.isPutting))),
        decisive: levy.decisive && !hidden && isFollowed
      }
      return {
        power: "tax",
        gate: { kind: levy.kind, slot: levy.slot, field: levy.field },
        levers: GateLevers.of(model, gate),
        mayBeSpent: ({ selector }) => SingleUse.isSingleUse(flow, selector)
      }
    })
  },
  *doubts(model) {
    return may((yield* HardcodedFee.of(model)).untold, ["tax"])
  }
} as const satisfies DetectorRule
