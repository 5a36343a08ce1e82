import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { balancesSeizable } from "../../../src/checks/token/powers/BalancesSeizable.js"
import { mintable } from "../../../src/checks/token/powers/Mintable.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, erc20, person, said, target } from "../../checks/Scripted.js"
import { compile } from "../Compiled.js"

const compiled = compile("Bridges.sol")

const bridge = account("b")

/** A token that one bridge may mint and burn; alice relays messages to it. */
const by = (code: string): Script => ({
  accounts: {
    [target]: { code: compiled("Bridged", bridge), calls: erc20 },
    [bridge]: { code: compiled(code) },
    [alice]: person
  }
})

describe("a power of a contract", () => {
  it.effect("is not held where its code has no call of the function", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said(balancesSeizable, "token", by("Minting")))[0]?.says, "refuted")
      assert.strictEqual((yield* said(mintable, "token", by("Minting")))[0]?.says, "confirmed")
    })
  )

  it.effect("is held where its code calls the function, any function, or other code", () =>
    Effect.gen(function* () {
      for (const code of ["Burning", "CallingAnything", "Delegating"])
        assert.strictEqual((yield* said(balancesSeizable, "token", by(code)))[0]?.says, "confirmed", code)
    })
  )
})
