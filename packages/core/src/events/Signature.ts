import { Effect, Either, Encoding } from "effect"
import * as Hash from "ox/Hash"
import { Entropy } from "../keys/Entropy.js"

/**
 * The signed content of a delivery. `timestamp` is that of the attempt, in seconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Signed {
  readonly id: string
  readonly timestamp: number
  readonly body: string
}

/**
 * Generates a signing secret: `whsec_` and the base64 of 32 random bytes.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @since 0.1.0
 * @category constructors
 */
export const makeSecret: Effect.Effect<string, never, Entropy> = Effect.flatMap(Entropy, (entropy) =>
  Effect.map(entropy.bytes(32), (bytes) => prefix + Encoding.encodeBase64(bytes))
)

/**
 * The headers of Standard Webhooks: one v1 signature (HMAC-SHA256) per secret, the newest first, so that a receiver
 * with any of them can verify. A secret that is not `whsec_` and the base64 of 24 to 64 bytes is a defect.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @since 0.1.0
 * @category combinators
 */
export const headers = (
  secrets: ReadonlyArray<string>,
  signed: Signed
): { readonly "webhook-id": string; readonly "webhook-timestamp": string; readonly "webhook-signature": string } => ({
  "webhook-id": signed.id,
  "webhook-timestamp": String(signed.timestamp),
  "webhook-signature": secrets.map((secret) => sign(secret, signed)).join(" ")
})

const sign = (secret: string, { body, id, timestamp }: Signed): string => {
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  return `v1,${Encoding.encodeBase64(Hash.hmac256(keyOf(secret), content, { as: "Bytes" }))}`
}

const keyOf = (secret: string): Uint8Array => {
  const key = secret.startsWith(prefix) ? Encoding.decodeBase64(secret.slice(prefix.length)) : Either.left(undefined)
  // The error message must not contain the secret.
  if (Either.isLeft(key) || key.right.length < 24 || key.right.length > 64) throw new Error("not a signing secret")
  return key.right
}

const prefix = "whsec_"
