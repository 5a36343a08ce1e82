import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import * as Draw from "../../../../test/Draw.js"
import * as KeyStore from "../../src/storage/KeyStore.js"
import * as StorageSuite from "../../src/testing/StorageSuite.js"
import { mutants } from "./Mutants.js"

/** What the first case says that does not hold. */
const found = (cases: ReadonlyArray<StorageSuite.Case<never>>): Effect.Effect<Option.Option<string>> =>
  Effect.gen(function* () {
    for (const { effect } of cases) {
      const outcome = yield* Effect.exit(effect)
      if (outcome._tag === "Failure" && outcome.cause._tag === "Fail") return Option.some(outcome.cause.error.message)
      // A suite that fails in another way than by what it says has found nothing.
      if (outcome._tag === "Failure") return yield* Effect.die(outcome.cause)
    }
    return Option.none()
  })

const keysWith = (change: (store: KeyStore.KeyStore["Type"]) => object) =>
  StorageSuite.keyStore(
    Layer.map(KeyStore.layerMemory, (context) =>
      Context.make(KeyStore.KeyStore, change(Context.get(context, KeyStore.KeyStore)) as KeyStore.KeyStore["Type"])
    )
  )

describe("the suite of the stores", () => {
  for (const { cases, name } of Draw.portion(mutants))
    it.effect(`finds a ${name}`, () => Effect.map(found(cases), (message) => assert.isTrue(Option.isSome(message))))

  it.effect("finds nothing in a store that keeps its promises, alone", () =>
    Effect.map(found(StorageSuite.keyStore(KeyStore.layerMemory)), (message) =>
      assert.deepStrictEqual(message, Option.none())
    )
  )

  it.effect("says in one line what is missing, and what gives a Promise in place of an Effect", () =>
    Effect.gen(function* () {
      const lines = yield* Effect.forEach(
        [
          keysWith(({ findByHash: _, ...rest }) => rest),
          keysWith((store) => ({ ...store, find: () => Promise.resolve(Option.none()) })),
          keysWith((store) => ({ ...store, insert: () => Effect.sync(() => Promise.resolve()) }))
        ],
        found
      )
      assert.deepStrictEqual(lines.map(Option.getOrThrow), [
        '"a key is found by its hash and by its id, as it was inserted": KeyStore.findByHash is missing (after KeyStore.insert)',
        '"a key is found by its hash and by its id, as it was inserted": KeyStore.find gave a Promise; give an Effect, as by Effect.promise',
        '"a key is found by its hash and by its id, as it was inserted": KeyStore.insert gave an Effect of a Promise; use Effect.promise'
      ])
    })
  )

  it.effect("names method and case, and shows where what was found differs", () =>
    Effect.gen(function* () {
      const [message] = yield* Effect.forEach(
        [
          keysWith((store) => ({
            ...store,
            insert: (record: KeyStore.KeyRecord) => store.insert({ ...record, label: "x" })
          }))
        ],
        found
      )
      assert.match(
        Option.getOrThrow(message ?? Option.none()),
        /^"a key is found by its hash[^"]*": findByHash: at value\.label expected "my bot [^;]*, got "x" \(after KeyStore\.findByHash\)$/
      )
    })
  )
})
