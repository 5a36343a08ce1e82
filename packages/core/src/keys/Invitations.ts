import { Clock, Effect, Option, Redacted, Schema } from "effect"
import * as Hash from "ox/Hash"
import { KeyLabel } from "../domain/ApiKey.js"
import type { Hex } from "../domain/Hex.js"
import * as Id from "../domain/Id.js"
import type { InvitationRecord } from "../storage/Invitation.js"
import { KeyStore } from "../storage/KeyStore.js"
import type { StorageError } from "../storage/StorageError.js"
import { symbols } from "./ApiKeySecret.js"
import { Entropy } from "./Entropy.js"

/**
 * An invitation to make. Its label has 1 to 100 characters after trimming, `uses` and `days` are 1 or more.
 *
 * @since 0.1.0
 * @category models
 */
export interface NewInvitation {
  readonly label: string
  readonly plan: Option.Option<string>
  readonly uses: number
  readonly days: number
}

/**
 * Makes an invitation, which whoever has its secret can make keys with. Only this answer contains the secret: `asi_` and 32
 * random Base62 characters (190 bits).
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  request: NewInvitation
): Effect.Effect<
  { readonly secret: Redacted.Redacted<string>; readonly record: InvitationRecord },
  StorageError,
  KeyStore | Entropy
> =>
  Effect.gen(function* () {
    const store = yield* KeyStore
    const entropy = yield* Entropy
    let random = ""
    while (random.length < randomLength) random += symbols(yield* entropy.bytes(randomLength))
    const secret = `${prefix}${random.slice(0, randomLength)}`
    const now = yield* Clock.currentTimeMillis
    const record: InvitationRecord = {
      id: yield* Id.make("inv"),
      hash: hashOf(secret),
      label: yield* Effect.orDie(Schema.decode(KeyLabel)(request.label.trim())),
      plan: request.plan,
      uses: request.uses,
      used: 0,
      createdAt: now,
      endsAt: now + request.days * 86_400_000
    }
    yield* store.invite(record)
    return { secret: Redacted.make(secret), record }
  })

/**
 * The hash of what a caller presented as an invitation; none if it has another form.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = (text: Redacted.Redacted<string>): Option.Option<Hex> =>
  shape.test(Redacted.value(text)) ? Option.some(hashOf(Redacted.value(text))) : Option.none()

/**
 * The hash of what names a request to make a key, among those by one invitation.
 *
 * @since 0.1.0
 * @category combinators
 */
export const requestOf = (name: string): Hex => hashOf(name)

const prefix = "asi_"
const randomLength = 32
const shape = /^asi_[0-9A-Za-z]{32}$/

// A slow hash would add nothing to 190 random bits.
const hashOf = (text: string): Hex => Hash.sha256(new TextEncoder().encode(text), { as: "Hex" })
