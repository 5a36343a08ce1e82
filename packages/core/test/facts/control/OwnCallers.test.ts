import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { controllers } from "../../../src/checks/contract/Controllers.js"
import { mintable } from "../../../src/checks/token/powers/Mintable.js"
import type { Controller } from "../../../src/domain/Controller.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import { roleHash } from "../../../src/facts/control/Roles.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { alice, erc20, person, said, target, word } from "../../checks/Scripted.js"
import { compile } from "../Compiled.js"

const compiled = compile("Itself.sol")

/** A token that is its own owner, with alice as its keeper. */
const token = (contract: string): Script => ({
  accounts: {
    [target]: {
      code: compiled(contract, target),
      calls: erc20,
      storage: { [word(3n)]: word(target), [word(4n)]: word(alice) }
    },
    [alice]: person
  },
  logs: [],
  logsComplete: true
})

const minter = (contract: string) =>
  Effect.map(said(mintable, "token", token(contract)), ([found]) => ({
    says: found?.says,
    by: ((found?.value?.controllers ?? []) as ReadonlyArray<Controller>).map(
      ({ address, kind }) => `${address} ${kind}`
    )
  }))

describe("what only the contract itself may do", () => {
  it.effect("is any account's where one can make it call itself", () =>
    Effect.gen(function* () {
      for (const contract of ["CallsForAnybody", "CallsItsImmutable", "OwnsItselfForAnybody"])
        assert.deepStrictEqual(yield* minter(contract), { says: "confirmed", by: ["null eoa"] }, contract)
    })
  )

  it.effect("is the account's that alone can make it call itself", () =>
    Effect.gen(function* () {
      for (const contract of ["CallsForKeeper", "OwnsItselfForKeeper"])
        assert.deepStrictEqual(yield* minter(contract), { says: "confirmed", by: [`${alice} eoa`] }, contract)
    })
  )

  it.effect("is not said to be nobody's where a variable says which contract is called", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* minter("CallsSink")).says, "confirmed")
    })
  )

  it.effect("is nobody's where its code makes no such call: another function, a payment, or itself only", () =>
    Effect.gen(function* () {
      for (const contract of ["CallsNothing", "CallsWithItself", "CallsOneFunction", "PaysAnybody", "OwnsItself"])
        assert.strictEqual((yield* minter(contract)).says, "refuted", contract)
    })
  )

  it.effect("leaves open who controls a contract that has a role of its own and calls itself for anybody", () =>
    Effect.gen(function* () {
      const granted = roleHash("MINTER_ROLE")
      const script = token("HasRoleForAnybody")
      const itself = script.accounts?.[target]
      const [found] = yield* said(controllers, "token", {
        ...script,
        accounts: {
          ...script.accounts,
          [target]: { ...itself, calls: { ...itself?.calls, [Selectors.functions.hasRole]: word(1n) } }
        },
        logs: [
          {
            address: target,
            topics: [Selectors.topics.RoleGranted, granted, word(target), word(alice)]
          }
        ]
      })
      assert.strictEqual(found?.says, "unknown: inconclusive")
    })
  )
})
