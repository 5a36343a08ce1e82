import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { proxyAdmin } from "../../../src/checks/contract/ProxyAdmin.js"
import * as Controller from "../../../src/domain/Controller.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Roles from "../../../src/facts/control/Roles.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import {
  account,
  alice,
  bob,
  failing,
  inert,
  logic,
  openZeppelin,
  safe,
  said,
  target,
  transparent,
  word
} from "../Scripted.js"

const { functions, topics } = Selectors

const of = (script: Script) => said(proxyAdmin, "contract", script)

describe("proxy.admin", () => {
  it.effect("is confirmed with the account behind the admin", () =>
    Effect.gen(function* () {
      const [direct] = yield* of(transparent(alice))
      assert.deepInclude(direct, { says: "confirmed", controller: "eoa" })
      const admin = account("3")
      const [through] = yield* of(
        transparent(admin, {
          [admin]: { code: openZeppelin("ProxyAdmin"), calls: { [functions.owner]: word(bob) } },
          [bob]: safe(2n, [alice, account("c"), account("d")])
        })
      )
      assert.deepInclude(through, { says: "confirmed", controller: "safe" })
      assert.deepInclude(through?.value, { admin, authority: admin })
    })
  )

  it.effect("is unknown where the controller behind the admin is unknown, or a read was lost", () =>
    Effect.gen(function* () {
      const [opaque] = yield* of(transparent(bob, { [bob]: { code: inert } }))
      assert.strictEqual(opaque?.says, "unknown: inconclusive")
      const [lost] = yield* of({ ...transparent(alice), fault: failing("eth_getStorageAt") })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )

  it.effect("reports an incomplete controller where a timelock's proposers could not be read", () =>
    Effect.gen(function* () {
      const script = transparent(bob, {
        [bob]: {
          code: openZeppelin("TimelockController"),
          calls: { [functions.getMinDelay]: word(604_800n), [functions.hasRole]: word(1n) },
          storage: { [word(2n)]: word(604_800n) }
        },
        [account("3")]: safe(2n, [alice, account("c"), account("d")])
      })
      const proposer = Roles.roleHash("PROPOSER_ROLE")
      const logs = [{ address: bob, topics: [topics.RoleGranted, proposer, word(account("3")), word(alice)] }]
      const timelock = { address: bob, delaySeconds: 604_800 }
      const [whole] = yield* of({ ...script, logs })
      assert.deepStrictEqual(
        whole?.value?.controller,
        Controller.make("timelock", { ...timelock, threshold: 2, signers: 3 })
      )
      const [lost] = yield* of({ ...script, logs, fault: failing("eth_getLogs") })
      assert.deepStrictEqual(lost?.value?.controller, Controller.incomplete(Controller.make("timelock", timelock)))
    })
  )

  it.effect("does not apply to what is no proxy, to a clone, and to a Safe", () =>
    Effect.gen(function* () {
      const clone = `0x363d3d373d3d3d363d73${logic.slice(2)}5af43d82803e903d91602b57fd5bf3` as const
      for (const each of [{ code: inert }, { code: clone }, safe(1n, [alice])]) {
        assert.deepStrictEqual(yield* of({ accounts: { [target]: each } }), [])
      }
    })
  )
})
