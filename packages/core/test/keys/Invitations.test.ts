import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Option, Redacted, TestClock } from "effect"
import * as Entropy from "../../src/keys/Entropy.js"
import * as Invitations from "../../src/keys/Invitations.js"
import * as Keys from "../../src/keys/Keys.js"
import { KeyStore } from "../../src/storage/KeyStore.js"
import * as Storage from "../../src/storage/Storage.js"

const layer = Layer.provideMerge(
  Keys.layer({ plans: new Map([["team", 500]]) }),
  Layer.merge(Storage.layerMemory, Entropy.layerSeeded(7))
)

const invite = (changes: Partial<Invitations.NewInvitation> = {}) =>
  Invitations.make({ label: " the team ", plan: Option.some("team"), uses: 1, days: 7, ...changes })

const redeem = (invitation: Option.Option<Redacted.Redacted<string>>, requestName?: string) =>
  Effect.flatMap(Keys.Keys, (keys) =>
    keys.redeem({
      label: "my bot",
      expiresInSeconds: Option.none(),
      invitation,
      requestName: Option.fromNullable(requestName)
    })
  )
const reasonOf = (invitation: Option.Option<Redacted.Redacted<string>>) =>
  Effect.map(Effect.flip(redeem(invitation)), (error) =>
    error._tag === "InvitationRefused" ? error.reason : error._tag
  )
const authenticate = (key: string) => Effect.flatMap(Keys.Keys, (keys) => keys.authenticate(Redacted.make(key)))

describe("an invitation", () => {
  it.effect("is shown once, and stored as a hash with its end", () =>
    Effect.gen(function* () {
      const { record, secret } = yield* invite({ days: 90 })
      assert.match(Redacted.value(secret), /^asi_[0-9A-Za-z]{32}$/)
      assert.deepStrictEqual([record.label, record.endsAt, record.used], ["the team", 90 * 86_400_000, 0])
      const { data } = yield* (yield* KeyStore).invitations({ limit: 9, before: Option.none() })
      assert.deepStrictEqual(data, [record])
      assert.notInclude(JSON.stringify(data), Redacted.value(secret).slice(4, 12))
      assert.notStrictEqual(Redacted.value((yield* invite()).secret), Redacted.value(secret))
    }).pipe(Effect.provide(layer))
  )

  it.effect("makes a key with the units of its plan and of no source, once", () =>
    Effect.gen(function* () {
      const { record, secret } = yield* invite()
      const created = yield* redeem(Option.some(secret))
      assert.deepStrictEqual(Object.keys(created).sort(), ["daily_quota", "hint", "key", "label", "note"])
      assert.strictEqual(created.daily_quota, 500)
      const { dailyQuota, id, source } = yield* authenticate(created.key)
      assert.deepStrictEqual([dailyQuota, source], [500, Option.none()])
      const stored = Option.getOrThrow(yield* (yield* KeyStore).find(id))
      assert.deepStrictEqual(stored.invitation, Option.some({ id: record.id, request: Option.none() }))
      assert.strictEqual(yield* reasonOf(Option.some(secret)), "used_up")
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "is refused with its reason where there is none, or none of this form, or nobody made it, or it is over",
    () =>
      Effect.gen(function* () {
        const { secret } = yield* invite()
        assert.strictEqual(yield* reasonOf(Option.none()), "missing")
        for (const text of ["", "asi_", `${Redacted.value(secret)}0`, "asy_00000000000000000000000000000000"])
          assert.strictEqual(yield* reasonOf(Option.some(Redacted.make(text))), "malformed")
        assert.strictEqual(yield* reasonOf(Option.some(Redacted.make(`asi_${"0".repeat(32)}`))), "unknown")
        yield* TestClock.adjust("7 days")
        assert.strictEqual(yield* reasonOf(Option.some(secret)), "ended")
      }).pipe(Effect.provide(layer))
  )

  it.effect("gives a repeated request another secret of the same key, until that key is used", () =>
    Effect.gen(function* () {
      const { secret } = yield* invite()
      const lost = yield* redeem(Option.some(secret), "request 1")
      const again = yield* redeem(Option.some(secret), "request 1")
      assert.isTrue(Either.isLeft(yield* Effect.either(authenticate(lost.key))))
      yield* authenticate(again.key)
      // The use of a key is stored a second later.
      yield* TestClock.adjust("2 seconds")
      for (const name of ["request 1", "request 2", undefined])
        assert.isTrue(Either.isLeft(yield* Effect.either(redeem(Option.some(secret), name))))
      yield* authenticate(again.key)
    }).pipe(Effect.provide(layer))
  )
})
