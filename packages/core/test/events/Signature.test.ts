import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { Webhook } from "standardwebhooks"
import * as Signature from "../../src/events/Signature.js"
import * as Entropy from "../../src/keys/Entropy.js"

const signed = (timestamp: number) => ({ id: "evt_01", timestamp, body: JSON.stringify({ text: "Ünïcode ✓", n: 1 }) })

const secretOf = (length: number): string => `whsec_${Buffer.alloc(length, 7).toString("base64")}`

describe("Signature", () => {
  it("agrees with the example of the specification's library, byte for byte", () => {
    const { "webhook-signature": signature } = Signature.headers(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: 1_614_265_330,
      body: '{"test": 2432232314}'
    })
    assert.strictEqual(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  })

  it.effect("makes secrets of 32 bytes that differ", () =>
    Effect.gen(function* () {
      const secrets = yield* Effect.replicateEffect(Signature.makeSecret, 20)
      for (const secret of secrets) {
        assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
        assert.strictEqual(Buffer.from(secret.slice(6), "base64").length, 32)
      }
      assert.strictEqual(new Set(secrets).size, secrets.length)
    }).pipe(Effect.provide(Entropy.layer))
  )

  it.live("is verified by another implementation with any of the secrets, during a rotation too", () =>
    Effect.gen(function* () {
      const secrets = [secretOf(24), secretOf(32), secretOf(64)]
      const message = signed(Math.floor((yield* Clock.currentTimeMillis) / 1000))
      const headers = Signature.headers(secrets, message)
      assert.strictEqual(headers["webhook-signature"].split(" ").length, 3)
      for (const secret of secrets)
        assert.deepStrictEqual(new Webhook(secret).verify(message.body, headers), { text: "Ünïcode ✓", n: 1 })
      assert.throws(() => new Webhook(secretOf(25)).verify(message.body, headers))
      assert.throws(() => new Webhook(secretOf(24)).verify(`${message.body} `, headers))
      assert.throws(() => new Webhook(secretOf(24)).verify(message.body, { ...headers, "webhook-id": "evt_02" }))
    })
  )

  it("refuses secrets of other lengths or spellings, without repeating them", () => {
    for (const secret of [secretOf(23), secretOf(65), secretOf(32).slice(6), "whsec_", "whsec_!!!!", ""]) {
      const error = (() => {
        try {
          Signature.headers([secret], signed(0))
          return undefined
        } catch (cause) {
          return cause
        }
      })()
      assert.instanceOf(error, Error)
      if (secret !== "") assert.notInclude(String(error), secret)
    }
  })
})
