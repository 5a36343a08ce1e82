import { createCipheriv, createDecipheriv, createHash } from "node:crypto"
import { type Array as Arr, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Entropy } from "./Entropy.js"

/**
 * Encrypts the secrets of callers, so that stores and their copies hold only ciphertext. `place` is where a secret
 * belongs, such as the id of its endpoint: a ciphertext that was moved elsewhere is refused.
 *
 * A sealed secret is `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url.
 *
 * @since 0.1.0
 * @category services
 */
export class Secrets extends Context.Tag("@assay/core/Secrets")<
  Secrets,
  {
    /** The id of the key that seals. */
    readonly keyId: string
    readonly seal: (secret: string, place: string) => Effect.Effect<string>
    /** Opens what any of the keys has sealed. */
    readonly open: (sealed: string, place: string) => Effect.Effect<string, SecretUnreadable>
  }
>() {}

/**
 * Seals with the first key and opens with all of them, by AES-256-GCM. A key is 32 bytes; its id is the beginning of a
 * hash of it, 16 hex digits. For a new key, put it first and keep the old one until everything is sealed again.
 *
 * @see https://nvlpubs.nist.gov/nistpubs/Legacy/SP/nistspecialpublication800-38d.pdf
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  keys: Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>
): Layer.Layer<Secrets, never, Entropy> =>
  Layer.effect(
    Secrets,
    Effect.map(Entropy, (entropy) => {
      const byId = new Map(keys.map((key) => [idOf(key), key]))
      const [current] = keys
      const keyId = idOf(current)
      return {
        keyId,
        seal: Effect.fn("Secrets.seal")((secret: string, place: string) =>
          Effect.map(entropy.bytes(nonceBytes), (nonce) => {
            const cipher = createCipheriv(algorithm, Redacted.value(current), nonce)
            cipher.setAAD(Buffer.from(place))
            const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()])
            return [version, keyId, Buffer.from(nonce).toString("base64url"), text.toString("base64url")].join(".")
          })
        ),
        open: Effect.fn("Secrets.open")((sealed: string, place: string) => {
          const id = Option.getOrElse(keyIdOf(sealed), () => "none")
          const key = byId.get(id)
          return key === undefined
            ? new SecretUnreadable({ reason: "unknown_key", keyId: id })
            : Effect.try({
                try: () => decipher(sealed, place, key),
                catch: () => new SecretUnreadable({ reason: "damaged", keyId: id })
              })
        })
      }
    })
  )

/**
 * A new key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeKey: Effect.Effect<Redacted.Redacted<Uint8Array>, never, Entropy> = Effect.flatMap(
  Entropy,
  (entropy) => Effect.map(entropy.bytes(32), (bytes) => Redacted.make(bytes))
)

/**
 * A key that nobody else ever has, for stores that live as long as the process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerEphemeral: Layer.Layer<Secrets, never, Entropy> = Layer.unwrapEffect(
  Effect.map(makeKey, (key) => layer([key]))
)

/**
 * The key in a text: 32 bytes in base64 or 64 hex digits; none where it is anything else.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parseKey = (text: string): Option.Option<Redacted.Redacted<Uint8Array>> => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Option.some(Redacted.make(Uint8Array.from(Buffer.from(text, "hex"))))
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
    ? Option.some(Redacted.make(Uint8Array.from(Buffer.from(text, "base64"))))
    : Option.none()
}

/**
 * The id of the key that sealed a secret; none where the text is not sealed.
 *
 * @since 0.1.0
 * @category combinators
 */
export const keyIdOf = (sealed: string): Option.Option<string> =>
  Option.fromNullable(/^v1\.([0-9a-f]{16})\.[\w-]+\.[\w-]+$/.exec(sealed)?.[1])

// A hash does not reveal the key. The purpose in its input keeps this hash distinct from every other use.
const idOf = (key: Redacted.Redacted<Uint8Array>): string =>
  createHash("sha256").update("assay secrets key").update(Redacted.value(key)).digest("hex").slice(0, 16)

const decipher = (sealed: string, place: string, key: Redacted.Redacted<Uint8Array>): string => {
  const [, , nonce = "", text = ""] = sealed.split(".")
  const bytes = Buffer.from(text, "base64url")
  const opened = createDecipheriv(algorithm, Redacted.value(key), Buffer.from(nonce, "base64url"), {
    authTagLength: tagBytes
  })
  opened.setAAD(Buffer.from(place))
  opened.setAuthTag(bytes.subarray(-tagBytes))
  return opened.update(bytes.subarray(0, -tagBytes), undefined, "utf8") + opened.final("utf8")
}

const version = "v1"
const algorithm = "aes-256-gcm"
const nonceBytes = 12
const tagBytes = 16

/**
 * A sealed secret cannot be opened: none of the keys has sealed it, or it was sealed for another record.
 *
 * @since 0.1.0
 * @category errors
 */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  reason: Schema.Literal("unknown_key", "damaged"),
  keyId: Schema.String
}) {}
