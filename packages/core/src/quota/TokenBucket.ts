/** @internal */

/**
 * A bucket that holds `limit` tokens and is filled evenly, `limit` of them every `windowMillis`: short bursts pass,
 * the long-term rate holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rate {
  readonly limit: number
  readonly windowMillis: number
}

/**
 * How many tokens there were, perhaps a fraction, at a moment in epoch milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenBucket {
  readonly tokens: number
  readonly at: number
}

/**
 * A bucket that nobody has taken from.
 *
 * @since 0.1.0
 * @category constructors
 */
export const full = (rate: Rate, now: number): TokenBucket => ({ tokens: rate.limit, at: now })

/**
 * The bucket at a later moment. A clock that went back fills nothing and takes nothing.
 *
 * @since 0.1.0
 * @category combinators
 */
export const refill = (bucket: TokenBucket, rate: Rate, now: number): TokenBucket =>
  now <= bucket.at
    ? bucket
    : { tokens: Math.min(rate.limit, bucket.tokens + ((now - bucket.at) * rate.limit) / rate.windowMillis), at: now }

/**
 * The bucket after one token was taken; there must be one.
 *
 * @since 0.1.0
 * @category combinators
 */
export const take = (bucket: TokenBucket): TokenBucket => ({ ...bucket, tokens: bucket.tokens - 1 })

/**
 * Whole tokens.
 *
 * @since 0.1.0
 * @category combinators
 */
export const remaining = (bucket: TokenBucket): number => Math.floor(bucket.tokens)

/**
 * Milliseconds until `tokens` are there, 0 if they are.
 *
 * @since 0.1.0
 * @category combinators
 */
export const millisUntil = (bucket: TokenBucket, rate: Rate, tokens: number): number =>
  Math.max(0, Math.ceil(((tokens - bucket.tokens) * rate.windowMillis) / rate.limit))
