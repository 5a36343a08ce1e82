/** @internal */

/**
 * A bucket of `limit` tokens that is refilled steadily, `limit` tokens per `windowMillis`: it allows short bursts and
 * bounds the long-term rate.
 */
export interface Rate {
  readonly limit: number
  readonly windowMillis: number
}

/** The number of tokens, with fractions, at a time in epoch milliseconds. */
export interface TokenBucket {
  readonly tokens: number
  readonly at: number
}

/** A full bucket. */
export const full = (rate: Rate, now: number): TokenBucket => ({ tokens: rate.limit, at: now })

/** The bucket at a later time. A clock that moved back neither adds nor removes tokens. */
export const refill = (bucket: TokenBucket, rate: Rate, now: number): TokenBucket =>
  now <= bucket.at
    ? bucket
    : { tokens: Math.min(rate.limit, bucket.tokens + ((now - bucket.at) * rate.limit) / rate.windowMillis), at: now }

/** The bucket after one token was taken. Requires at least one. */
export const take = (bucket: TokenBucket): TokenBucket => ({ tokens: bucket.tokens - 1, at: bucket.at })

/** Whole tokens. */
export const remaining = (bucket: TokenBucket): number => Math.floor(bucket.tokens)

/** Milliseconds until the bucket has `tokens`, 0 if it has them. */
export const millisUntil = (bucket: TokenBucket, rate: Rate, tokens: number): number =>
  Math.max(0, Math.ceil(((tokens - bucket.tokens) * rate.windowMillis) / rate.limit))
