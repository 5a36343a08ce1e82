import { Context, Effect, Layer } from "effect"

/**
 * Unpredictable bytes, for secrets.
 *
 * @since 0.1.0
 * @category services
 */
export class Entropy extends Context.Tag("@assay/core/Entropy")<
  Entropy,
  {
    readonly bytes: (count: number) => Effect.Effect<Uint8Array>
  }
>() {}

/**
 * The cryptographic generator of the runtime.
 *
 * @see https://www.w3.org/TR/WebCryptoAPI/#Crypto-method-getRandomValues
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Entropy> = Layer.succeed(Entropy, {
  bytes: Effect.fn("Entropy.bytes")((count: number) =>
    Effect.sync(() => globalThis.crypto.getRandomValues(new Uint8Array(count)))
  )
})

/**
 * The same bytes for the same seed. For tests only: the seed reveals every secret.
 *
 * @since 0.1.0
 * @category testing
 */
export const layerSeeded = (seed: number): Layer.Layer<Entropy> =>
  Layer.sync(Entropy, () => {
    // xorshift32 never leaves zero, so a zero seed is replaced.
    let state = seed >>> 0 || 1
    const next = (): number => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return (state >>> 16) & 0xff
    }
    return { bytes: (count) => Effect.sync(() => Uint8Array.from({ length: count }, next)) }
  })
