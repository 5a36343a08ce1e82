import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executesDecisions } from "../../../src/checks/contract/ExecutesDecisions.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Roles from "../../../src/facts/control/Roles.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import {
  alice,
  bob,
  evidence,
  failing,
  inert,
  openZeppelin,
  own,
  person,
  safe,
  said,
  target,
  word
} from "../Scripted.js"

const { functions, topics } = Selectors
const week = 604_800

const waiting = (seconds: number): Account => ({
  code: openZeppelin("TimelockController"),
  calls: { [functions.getMinDelay]: word(BigInt(seconds)), [functions.hasRole]: word(1n) },
  storage: { [word(2n)]: word(BigInt(seconds)) }
})

const governor: Account = {
  code: own("TokenGovernor"),
  calls: { [functions.votingDelay]: word(7_200n), [functions.votingPeriod]: word(50_400n) }
}

const of = (it: Account, options: Partial<Script> = {}): Script => ({
  accounts: { [target]: it, [alice]: person },
  logs: [{ address: target, topics: [topics.RoleGranted, Roles.roleHash("PROPOSER_ROLE"), word(alice), word(bob)] }],
  ...options
})

describe("control.executes-decisions", () => {
  it.effect("is confirmed of a timelock: low with two days of notice, medium with less", () =>
    Effect.gen(function* () {
      for (const [seconds, severity] of [
        [week, "low"],
        [172_800, "low"],
        [172_799, "medium"],
        [3_600, "medium"]
      ] as const) {
        const [item] = yield* evidence(executesDecisions, "contract", of(waiting(seconds)))
        assert.deepInclude(item, {
          state: "confirmed",
          severity,
          value: { by: "schedule", delay_seconds: seconds }
        })
        assert.strictEqual(item?.controller?.kind, "timelock")
      }
    })
  )

  it.effect("is medium of a timelock without a delay, with the account that makes it act", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(executesDecisions, "contract", of(waiting(0)))
      assert.deepInclude(item, { state: "confirmed", severity: "medium" })
    })
  )

  it.effect("is confirmed and low of a governor, where a vote comes first", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(executesDecisions, "contract", of(governor))
      assert.deepInclude(item, { state: "confirmed", severity: "low", value: { by: "vote", delay_seconds: null } })
      assert.deepInclude(item?.controller, { kind: "governor", address: target })
    })
  )

  it.effect("does not apply to other contracts, to a Safe, nor to tokens and wallets", () =>
    Effect.gen(function* () {
      const calls = governor.calls ?? {}
      for (const it of [{ code: inert, calls }, safe(2n, [alice, bob]), { ...governor, calls: {} }])
        assert.deepStrictEqual(yield* said(executesDecisions, "contract", of(it)), [])
      for (const kind of ["token", "wallet"] as const)
        assert.deepStrictEqual(yield* said(executesDecisions, kind, of(governor)), [])
    })
  )

  it.effect("is unknown, at most medium, where a getter of the governor was not read", () =>
    Effect.gen(function* () {
      const fault = failing("eth_call", functions.votingPeriod)
      const [item] = yield* evidence(executesDecisions, "contract", of(governor, { fault }))
      assert.deepInclude(item, { state: "unknown", severity: "medium" })
    })
  )
})
