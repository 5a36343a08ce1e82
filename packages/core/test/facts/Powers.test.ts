import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pausable } from "../../src/checks/token/Pausable.js"
import * as Getter from "../../src/facts/Getter.js"
import { Powers } from "../../src/facts/Powers.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import * as Facts from "../checks/Facts.js"
import { alice, erc20, failing, person, said, target } from "../checks/Scripted.js"
import { compile } from "./Compiled.js"

const compiled = compile("Launching.sol")

/** A token of `contract` that alice owns, with its switches as they are. */
const launching = (
  contract: string,
  { halted = false, open }: { readonly open: boolean; readonly halted?: boolean }
): ScriptedChain.Script => ({
  accounts: {
    [target]: {
      code: compiled(contract),
      calls: erc20,
      storage: {
        [Getter.word(3n)]: Getter.word(BigInt(alice) | (open ? 1n << 160n : 0n) | (halted ? 1n << 168n : 0n))
      }
    },
    [alice]: person
  }
})

const stoppers = (script: ScriptedChain.Script) =>
  Effect.gen(function* () {
    const { pause } = (yield* (yield* Powers).of(target)).value
    return pause.levers.map(({ selector }) => selector)
  }).pipe(Effect.provide(Facts.layer), Effect.provide(ScriptedChain.layer(script)))

describe("Powers.isSpent", () => {
  it.effect("knows that a function which opened trading for good stops nobody any more", () =>
    Effect.gen(function* () {
      assert.lengthOf(yield* stoppers(launching("OneWay", { open: false })), 1)
      assert.lengthOf(yield* stoppers(launching("OneWay", { open: true })), 0)
      const before = yield* said(pausable, "token", launching("OneWay", { open: false }))
      assert.strictEqual(before[0]?.says, "confirmed")
      const after = yield* said(pausable, "token", launching("OneWay", { open: true }))
      assert.strictEqual(after[0]?.says, "refuted")
    })
  )

  it.effect("leaves the power to whoever can close trading again, or halt it by another switch", () =>
    Effect.gen(function* () {
      for (const contract of ["TwoWays", "Halting"])
        assert.lengthOf(yield* stoppers(launching(contract, { open: true })), 1, contract)
    })
  )

  it.effect("does not know it where the switch could not be read", () =>
    Effect.gen(function* () {
      const [lost] = yield* said(pausable, "token", {
        ...launching("OneWay", { open: true }),
        fault: failing("eth_getStorageAt")
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})
