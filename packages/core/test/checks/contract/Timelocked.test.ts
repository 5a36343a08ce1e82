import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { timelocked } from "../../../src/checks/contract/Timelocked.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Roles from "../../../src/facts/control/Roles.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import {
  account,
  alice,
  bob,
  failing,
  inert,
  nobody,
  openZeppelin,
  person,
  safe,
  said,
  target,
  word
} from "../Scripted.js"

const { functions, topics } = Selectors
const week = 604_800
const timelock = account("7")

const waiting = (seconds: number): Account => ({
  code: openZeppelin("TimelockController"),
  calls: { [functions.getMinDelay]: word(BigInt(seconds)), [functions.hasRole]: word(1n) },
  storage: { [word(2n)]: word(BigInt(seconds)) }
})

const owned = (owner: `0x${string}`, accounts: Script["accounts"] = {}, options: Partial<Script> = {}) =>
  said(timelocked, "contract", {
    accounts: {
      [target]: { code: inert, calls: { [functions.owner]: word(owner) } },
      [alice]: person,
      [bob]: person,
      ...accounts
    },
    logs: [
      { address: timelock, topics: [topics.RoleGranted, Roles.roleHash("PROPOSER_ROLE"), word(alice), word(bob)] }
    ],
    ...options
  })

describe("control.timelocked", () => {
  it.effect("is confirmed of a timelock as owner, whoever plans what it does", () =>
    Effect.gen(function* () {
      const [item] = yield* owned(timelock, { [timelock]: waiting(week) })
      assert.deepInclude(item, { says: "confirmed", controller: "timelock" })
      assert.deepStrictEqual(item?.value, { delay_seconds: week, at_once: [], planned: [], complete: true })
    })
  )

  it.effect("is refuted of a key, of signers, of a short delay and of none", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* owned(alice))[0]?.says, "refuted")
      const signers = safe(2n, [alice, account("c"), account("d")])
      assert.strictEqual((yield* owned(bob, { [bob]: signers }))[0]?.says, "refuted")
      const [short] = yield* owned(timelock, { [timelock]: waiting(3_600) })
      assert.deepInclude(short, { says: "refuted" })
      assert.strictEqual(short?.value?.delay_seconds, 3_600)
      const [none] = yield* owned(timelock, { [timelock]: waiting(0) })
      assert.deepInclude(none, { says: "refuted", controller: "eoa" })
      assert.strictEqual(none?.value?.delay_seconds, null)
    })
  )

  it.effect("is refuted where one power of several need not wait", () =>
    Effect.gen(function* () {
      const [item] = yield* said(timelocked, "contract", {
        accounts: {
          [target]: { code: inert, calls: { [functions.owner]: word(timelock), [functions.admin]: word(alice) } },
          [timelock]: waiting(week),
          [alice]: person
        },
        logs: []
      })
      assert.strictEqual(item?.says, "refuted")
    })
  )

  it.effect("does not apply where nobody has a power", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(timelocked, "contract", { accounts: { [target]: { code: inert } } }), [])
      assert.deepStrictEqual(yield* owned(nobody), [])
    })
  )

  it.effect("is unknown where the controller is unknown, or a read was lost", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* owned(bob, { [bob]: { code: inert } }))[0]?.says, "unknown: inconclusive")
      const [lost] = yield* owned(
        timelock,
        { [timelock]: waiting(week) },
        { fault: failing("eth_call", functions.governance) }
      )
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})
