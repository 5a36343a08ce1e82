import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Ownership from "../../../src/facts/control/Ownership.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Facts from "../../checks/Facts.js"
import { alice, bob, failing, nobody, openZeppelin, own, person, target, word } from "../../checks/Scripted.js"
import { compile } from "../Compiled.js"

const { functions, selector } = Selectors
const code = compile("Owned.sol")
const regained = compile("Regained.sol")

const ownershipOf = (script: ScriptedChain.Script) =>
  Effect.flatMap(Ownership.Ownership, (ownership) => ownership.of(target)).pipe(
    Effect.provide(Layer.provideMerge(Facts.layer, ScriptedChain.layer(script)))
  )

/** The contract with words in its variables, from slot 2. */
const of = (name: string, owner: Hex, variables: ReadonlyArray<Hex>, filled?: Hex) =>
  found(code(name, filled), owner, variables)

const found = (runtime: Hex, owner: Hex, variables: ReadonlyArray<Hex>) =>
  Effect.map(
    ownershipOf({
      accounts: {
        [target]: {
          code: runtime,
          calls: { [functions.owner]: word(owner) },
          storage: Object.fromEntries(variables.map((value, index) => [word(BigInt(2 + index)), value]))
        },
        [alice]: person,
        [bob]: person
      }
    }),
    Option.match({
      onNone: () => "no owner" as const,
      onSome: ({ value }) => ({
        takers: value.takeovers.map(({ controller }) => controller.address ?? "anybody"),
        by: value.takeovers.map((each) => each.selector),
        complete: value.complete
      })
    })
  )

const refuted = { takers: [], by: [], complete: true }
const unclear = { takers: [], by: [], complete: false }

describe("Ownership.of", () => {
  it.effect("finds nobody beside the owner where only he hands ownership over, alive or not", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of("Plain", alice, [word(alice)]), refuted)
      assert.deepStrictEqual(yield* of("Plain", nobody, []), refuted)
    })
  )

  it.effect("finds the former owner that lock() keeps, while he is the owner and after", () =>
    Effect.gen(function* () {
      const by = [selector("unlock()")]
      assert.deepStrictEqual(yield* of("Locking", alice, [word(alice)]), { takers: [alice], by, complete: true })
      assert.deepStrictEqual(yield* of("Locking", nobody, [word(nobody), word(bob)]), {
        takers: [bob],
        by,
        complete: true
      })
      // He renounced without a lock before: nobody was kept.
      assert.deepStrictEqual(yield* of("Locking", nobody, []), refuted)
    })
  )

  it.effect("finds an address that only the constructor named", () =>
    Effect.gen(function* () {
      const found = { takers: [bob], by: [selector("reclaim()")], complete: true }
      assert.deepStrictEqual(yield* of("Keeper", nobody, [word(nobody), word(bob)]), found)
      assert.deepStrictEqual(yield* of("ImmutableKeeper", nobody, [], bob), found)
      assert.deepStrictEqual(yield* of("Keeper", nobody, []), refuted)
    })
  )

  it.effect("takes a handover in two steps for what it is, until the owner is gone and it is still open", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of("TwoStep", alice, [word(alice), word(bob)]), refuted)
      assert.deepStrictEqual(yield* of("TwoStep", nobody, []), refuted)
      assert.deepStrictEqual(yield* of("TwoStep", nobody, [word(nobody), word(bob)]), {
        takers: [bob],
        by: [functions.acceptOwnership],
        complete: true
      })
    })
  )

  it.effect("finds anyone where the caller is not checked", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of("Anybody", alice, [word(alice)]), {
        takers: ["anybody"],
        by: [selector("setOwner(address)")],
        complete: true
      })
    })
  )

  it.effect("sees whether an initialiser was used, and whether that can be undone", () =>
    Effect.gen(function* () {
      const used = `0x${"0".repeat(22)}01${alice.slice(2)}` as const
      assert.deepStrictEqual(yield* of("Initialised", alice, [used]), refuted)
      assert.deepStrictEqual(yield* of("Initialised", nobody, []), {
        takers: ["anybody"],
        by: [selector("initialize(address)")],
        complete: true
      })
      assert.deepStrictEqual(yield* of("Resettable", alice, [used]), unclear)
      assert.deepStrictEqual(yield* of("Unreentrant", alice, [used, word(1n)]), refuted)
    })
  )

  it.effect("does not take for used up what counts its calls and works again after some", () =>
    Effect.gen(function* () {
      const variables = [word(nobody), word(1n)]
      assert.deepStrictEqual(yield* found(regained("Once"), nobody, variables), refuted)
      assert.deepStrictEqual(yield* found(regained("Counting"), nobody, variables), unclear)
    })
  )

  it.effect("does not rule out what a list, another contract or an alternative lets through", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of("Asking", alice, [word(alice), word(bob)]), unclear)
      assert.deepStrictEqual(yield* of("Listed", alice, [word(alice)]), unclear)
      assert.deepStrictEqual(yield* of("EitherOf", alice, [word(alice), word(bob)]), {
        takers: [bob],
        by: [selector("setOwner(address)")],
        complete: true
      })
    })
  )

  it.effect("does not rule out that the getter names another account at another time", () =>
    Effect.gen(function* () {
      const lent = compile("Lent.sol")
      assert.deepStrictEqual(yield* found(lent("LentToken"), nobody, []), unclear)
      assert.deepStrictEqual(yield* found(lent("Pausing"), nobody, []), refuted)
      const paused = yield* ownershipOf({
        accounts: {
          [target]: {
            code: lent("Pausing"),
            calls: { [functions.owner]: word(nobody) },
            storage: { [word(1n)]: word(alice) }
          },
          [alice]: person
        }
      })
      assert.isFalse(Option.getOrThrow(paused).value.complete)
    })
  )

  it.effect("has nothing to say where there is no owner, or one that is part of the code", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* of("Fixed", alice, []), "no owner")
      const none = yield* ownershipOf({ accounts: { [target]: { code: own("PlainToken") } } })
      assert.isTrue(Option.isNone(none))
    })
  )

  it.effect.each(["Ownable", "Ownable2Step", "ProxyAdmin", "UpgradeableBeacon"])(
    "finds nobody beside the owner of OpenZeppelin's %s",
    (name) =>
      Effect.gen(function* () {
        const runtime = name.startsWith("Own") ? own("ManagedToken") : openZeppelin(name)
        const found = yield* ownershipOf({
          accounts: {
            [target]: { code: runtime, calls: { [functions.owner]: word(alice) } },
            [alice]: person
          }
        })
        assert.deepInclude(Option.getOrThrow(found).value, { takeovers: [], complete: true })
      })
  )

  it.effect("fails where the owner could not be read and nothing else names him", () =>
    Effect.gen(function* () {
      const lost = yield* Effect.either(
        ownershipOf({
          accounts: { [target]: { code: code("Plain") } },
          fault: failing("eth_call", functions.owner)
        })
      )
      assert.isTrue(lost._tag === "Left")
    })
  )
})
