import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "../../../src/domain/Hex.js"
import { Pulls } from "../../../src/facts/wallet/Pulls.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Facts from "../../checks/Facts.js"
import { account, alice, person, target, word } from "../../checks/Scripted.js"
import { compile } from "../Compiled.js"

const pulling = compile("Pulling.sol")

const dead = account("0")

const whose = (name: string, storage: { readonly [slot: Hex]: Hex } = {}) =>
  Effect.gen(function* () {
    return (yield* (yield* Pulls).of(target)).value
  }).pipe(
    Effect.provide(Facts.layer),
    Effect.provide(
      ScriptedChain.layer({ accounts: { [target]: { code: pulling(name), storage }, [alice]: person, [dead]: {} } })
    )
  )

describe("from which accounts a spender takes tokens", () => {
  it.effect.each<readonly [string, string]>([
    ["a fallback that is told whom to take from", "ByFallback"],
    ["a fallback with packed calldata", "ByPackedFallback"],
    ["a fallback that goes by one byte", "ByOneByte"],
    ["a fallback that hides its selectors", "ByMaskedSelector"],
    ["a fallback that compares a hash of the selector", "ByHashedSelector"],
    ["what an operator of ERC-777 coins may do", "BySend"],
    ["a list of many at once", "ByMany"],
    ["a token that tells it of a transfer", "ByItsToken"]
  ])("is anybody's of %s", ([_, name]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* whose(name)).kind, "anybody")
    })
  )

  it.effect.each<readonly [string, string]>([
    ["what a token that tells of a transfer is told back", "ByWhatItIsTold"],
    ["whom somebody named before", "ByStored"],
    ["whom somebody named before, as an operator of ERC-777 coins", "BySendOfTheStored"],
    ["many at once by way of Permit2", "ByPermit2"],
    ["whom somebody named to Permit2 before", "ByPermit2OfTheStored"],
    ["whomever by a call that was kept", "ByKeptCall"],
    ["whomever where everybody can have it call itself", "BySelf"],
    ["who signed the transaction, whoever it is that calls", "ByOrigin"],
    ["whomever by a list that everybody enters himself in", "ByMembers"],
    ["whomever by an owner who is gone and whom a password names again", "ByRegained"]
  ])("is not its caller's own of a spender that takes from %s", ([_, name]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* whose(name)).kind, "unclear")
    })
  )

  it.effect("is unknown where nobody may take now, and another account may name a taker", () =>
    Effect.gen(function* () {
      const appointable = (admin: Hex) => whose("ByReappointed", { "0x1": word(admin) })
      assert.strictEqual((yield* appointable(alice)).kind, "unclear")
      assert.strictEqual((yield* appointable(dead)).kind, "own")
      assert.strictEqual((yield* whose("ByNobodyOnce")).kind, "own")
    })
  )

  it.effect("names one of several that may take, and is only its caller's own once none of them is left", () =>
    Effect.gen(function* () {
      const owned = (keeper: Hex) => whose("ByTwoOwners", { "0x1": word(keeper) })
      const told = yield* owned(alice)
      assert.strictEqual(told.kind, "appointed")
      assert.strictEqual(told.kind === "appointed" ? told.controller.address : undefined, alice)
      assert.strictEqual((yield* owned(dead)).kind, "own")
    })
  )

  it.effect("is its caller's own of what takes from whoever calls, by a fallback too, and as an operator", () =>
    Effect.gen(function* () {
      for (const name of ["ForItsCaller", "SendsForItsCaller"])
        assert.strictEqual((yield* whose(name)).kind, "own", name)
    })
  )

  it.effect("accuses nobody who takes for a forwarder's user, for many, what was agreed, or into the owner's own", () =>
    Effect.gen(function* () {
      for (const name of ["ForWhomAForwarderNames", "Disperses", "Collects", "Locks"])
        assert.include(["own", "unclear"], (yield* whose(name)).kind, name)
    })
  )
})
