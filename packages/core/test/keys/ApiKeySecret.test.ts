import { createHash } from "node:crypto"
import * as zlib from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Layer, Option, Redacted } from "effect"
import * as ApiKeySecret from "../../src/keys/ApiKeySecret.js"
import * as Entropy from "../../src/keys/Entropy.js"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const random = FastCheck.string({
  unit: FastCheck.constantFrom(...alphabet),
  minLength: 32,
  maxLength: 32
})

describe("ApiKeySecret", () => {
  it("computes the standard CRC-32", () => {
    // The check value of the CRC catalogue, and others that were computed with zlib.
    assert.strictEqual(ApiKeySecret.crc32("123456789"), 0xcbf43926)
    assert.strictEqual(ApiKeySecret.crc32(""), 0)
    assert.strictEqual(ApiKeySecret.crc32("The quick brown fox jumps over the lazy dog"), 0x414fa339)
    // Node has it from version 20.15 on.
    if (zlib.crc32 !== undefined)
      FastCheck.assert(
        FastCheck.property(random, (text) => assert.strictEqual(ApiKeySecret.crc32(text), zlib.crc32(text)))
      )
  })

  it.effect("generates secrets of one format, all different, that it parses again", () =>
    Effect.gen(function* () {
      const secrets = yield* Effect.replicateEffect(ApiKeySecret.make, 500)
      assert.strictEqual(new Set(secrets.map(Redacted.value)).size, 500)
      for (const secret of secrets) {
        assert.match(Redacted.value(secret), /^asy_[0-9A-Za-z]{38}$/)
        assert.deepStrictEqual(
          Option.map(ApiKeySecret.parse(secret), Redacted.value),
          Option.some(Redacted.value(secret))
        )
      }
    }).pipe(Effect.provide(Entropy.layer))
  )

  it.effect("draws random bytes until it has enough without bias", () =>
    Effect.gen(function* () {
      const secret = yield* ApiKeySecret.make
      assert.match(Redacted.value(secret), /^asy_0{32}/)
    }).pipe(
      Effect.provide(
        Layer.sync(Entropy.Entropy, () => {
          let calls = 0
          // 248 and more are refused; one byte in 32 is not.
          return {
            bytes: (count) =>
              Effect.sync(() => {
                calls++
                return Uint8Array.from({ length: count }, (_, index) => (index === calls % 32 ? 0 : 248 + (index % 8)))
              })
          }
        })
      )
    )
  )

  it("maps the same number of byte values to every character", () => {
    const every = ApiKeySecret.symbols(Uint8Array.from({ length: 256 }, (_, index) => index))
    assert.strictEqual(every.length, 248)
    for (const symbol of alphabet) assert.strictEqual(every.split(symbol).length - 1, 4, symbol)
  })

  it("refuses a secret with any one character changed, or two neighbours swapped", () =>
    FastCheck.assert(
      FastCheck.property(
        random,
        FastCheck.nat({ max: 37 }),
        FastCheck.constantFrom(...alphabet),
        (text, at, replacement) => {
          const secret = ApiKeySecret.fromRandom(text)
          const index = at + 4
          const changed = secret.slice(0, index) + replacement + secret.slice(index + 1)
          assert.strictEqual(Option.isSome(ApiKeySecret.parse(Redacted.make(changed))), changed === secret)
          const swapped =
            secret.slice(0, index) + secret.charAt(index + 1) + secret.charAt(index) + secret.slice(index + 2)
          assert.strictEqual(Option.isSome(ApiKeySecret.parse(Redacted.make(swapped))), swapped === secret)
        }
      )
    ))

  it("refuses other formats, also with a trailing newline", () => {
    const secret = ApiKeySecret.fromRandom("a".repeat(32))
    assert.isTrue(Option.isSome(ApiKeySecret.parse(Redacted.make(secret))))
    for (const text of ["", "asy_", secret.slice(1), `${secret}0`, `${secret}\n`, ` ${secret}`, secret.toUpperCase()])
      assert.isTrue(Option.isNone(ApiKeySecret.parse(Redacted.make(text))), JSON.stringify(text))
  })

  it("takes the hint from the random part only, and hashes the whole secret", () => {
    const secret = Redacted.make(ApiKeySecret.fromRandom("7Hq2abcdefghijklmnopqrstuvwxx9Kd"))
    assert.strictEqual(ApiKeySecret.hint(secret), "asy_7Hq2…x9Kd")
    assert.strictEqual(
      ApiKeySecret.hash(secret),
      `0x${createHash("sha256").update(Redacted.value(secret)).digest("hex")}`
    )
  })

  it.effect("gives the same bytes for the same seed, and others for another", () =>
    Effect.gen(function* () {
      const of = (seed: number) =>
        Effect.map(Effect.provide(ApiKeySecret.make, Entropy.layerSeeded(seed)), Redacted.value)
      assert.strictEqual(yield* of(1), yield* of(1))
      assert.notStrictEqual(yield* of(1), yield* of(2))
      assert.notStrictEqual(yield* of(0), yield* of(2))
    })
  )
})
