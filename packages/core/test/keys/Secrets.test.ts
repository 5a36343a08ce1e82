import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import * as Entropy from "../../src/keys/Entropy.js"
import * as Secrets from "../../src/keys/Secrets.js"

const key = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const provide = (...[first, ...rest]: readonly [number, ...Array<number>]) =>
  Effect.provide(Layer.provide(Secrets.layer([key(first), ...rest.map(key)]), Entropy.layer))
const seal = (text: string, place = "here") => Effect.flatMap(Secrets.Secrets, (secrets) => secrets.seal(text, place))
const open = (text: string, place = "here") => Effect.flatMap(Secrets.Secrets, (secrets) => secrets.open(text, place))

describe("Secrets", () => {
  it.effect("opens what it sealed, never seals the same twice, and shows neither secret nor key", () =>
    Effect.gen(function* () {
      const sealed = yield* Effect.replicateEffect(seal("whsec_a"), 20)
      assert.strictEqual(new Set(sealed).size, 20)
      for (const one of sealed) {
        assert.strictEqual(yield* open(one), "whsec_a")
        assert.notInclude(Buffer.from(one.split(".")[3] ?? "", "base64url").toString("latin1"), "whsec")
      }
    }).pipe(provide(1))
  )

  it.effect("seals with the first key, and opens with an old one until it is taken away", () =>
    Effect.gen(function* () {
      const old = yield* seal("s").pipe(provide(1))
      assert.strictEqual(yield* open(old).pipe(provide(2, 1)), "s")
      const fresh = yield* seal("s").pipe(provide(2, 1))
      assert.strictEqual(yield* open(fresh).pipe(provide(2)), "s")
      const error = yield* Effect.flip(open(old).pipe(provide(2)))
      assert.strictEqual(error.reason, "unknown_key")
      assert.deepStrictEqual(Option.some(error.keyId), Secrets.keyIdOf(old))
      assert.notDeepEqual(Secrets.keyIdOf(old), Secrets.keyIdOf(fresh))
    })
  )

  it.effect("refuses what was changed, cut off, moved to another place, or never sealed", () =>
    Effect.gen(function* () {
      const sealed = yield* seal("whsec_a")
      const [version, id, nonce, text = ""] = sealed.split(".")
      const flipped = `${text.startsWith("A") ? "B" : "A"}${text.slice(1)}`
      const reasons = yield* Effect.forEach(
        [
          open([version, id, nonce, flipped].join(".")),
          open([version, id, nonce, text.slice(0, 8)].join(".")),
          open([version, id, "AAAA", text].join(".")),
          open(sealed, "elsewhere"),
          open("whsec_a")
        ],
        (opening) => Effect.map(Effect.flip(opening), ({ reason }) => reason)
      )
      assert.deepStrictEqual(reasons, ["damaged", "damaged", "damaged", "damaged", "unknown_key"])
    }).pipe(provide(1))
  )

  it("reads a key of 32 bytes in base64 or hex, and nothing else", () => {
    const bytes = Buffer.from(Redacted.value(key(9)))
    for (const text of [bytes.toString("base64"), bytes.toString("base64url"), bytes.toString("hex")])
      assert.deepStrictEqual(
        Option.map(Secrets.parseKey(text), (one) => Buffer.from(Redacted.value(one))),
        Option.some(bytes)
      )
    for (const text of ["", "hunter2", bytes.toString("base64").slice(2), `${bytes.toString("hex")}00`])
      assert.deepStrictEqual(Secrets.parseKey(text), Option.none())
  })
})
