/** @internal */

import * as TransferHook from "../transfer/TransferHook.js"
import type { DetectorRule, Doubts, Sign } from "./DetectorRule.js"
import * as Lever from "./Lever.js"
import { type Power, stopping } from "./Power.js"

/** Another contract that a transfer calls. Whoever puts another one there has it refuse, or take more. */
export const transferHook = {
  id: "transfer-hook",
  powers: [...stopping, "seize"],
  needs: ["token"],
  *find({ flow, token }) {
    const hooks = TransferHook.of(flow, token)
    const isTaking = hooks.some(({ takes }) => takes)
    return hooks.flatMap(
      (hook): ReadonlyArray<Sign> => [
        signOf("pause", hook, hook.stops),
        signOf("blacklist", hook, hook.stops && hook.tells),
        ...(isTaking ? [signOf("seize", hook, hook.takes)] : [])
      ]
    )
  },
  *doubts({ flow, token }): Generator<undefined, Doubts, undefined> {
    const hooks = TransferHook.of(flow, token)
    const asking: ReadonlyArray<Power> = [
      ...(hooks.length > 0 ? stopping : []),
      ...(hooks.some(({ takes }) => takes) ? (["seize"] as const) : [])
    ]
    return Object.fromEntries(asking.map((power) => [power, "asks"]))
  }
} as const satisfies DetectorRule

const signOf = (power: Power, { setters }: TransferHook.TransferHook, certain: boolean): Sign => ({
  power,
  levers: setters.map(({ place, ...setter }) => ({
    ...Lever.of({ ...setter, certain }),
    variable: { ...place, passes: undefined }
  }))
})
