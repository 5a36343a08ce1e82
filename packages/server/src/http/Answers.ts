/**
 * An answer that can be sent again. It was read at `version` and holds until `until` (epoch milliseconds) if nothing is
 * committed meanwhile. `headers` are names and values in turns, without those that differ between requests.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  readonly version: number
  readonly until: number
  readonly route: string
  readonly status: number
  readonly headers: ReadonlyArray<string>
  readonly body: Uint8Array | undefined
}

/**
 * The answers that were sent last, at most about `maxBytes` of them: beyond that, the one that was not used for longest is
 * dropped.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answers {
  readonly get: (key: string) => Answer | undefined
  readonly put: (key: string, answer: Answer) => void
  readonly remove: (key: string) => void
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (maxBytes: number): Answers => {
  // Insertion order is order of use.
  const kept = new Map<string, Answer>()
  let bytes = 0

  const remove = (key: string): void => {
    const answer = kept.get(key)
    if (answer === undefined) return
    kept.delete(key)
    bytes -= sizeOf(key, answer)
  }

  return {
    remove,
    get: (key) => {
      const answer = kept.get(key)
      if (answer === undefined) return undefined
      kept.delete(key)
      kept.set(key, answer)
      return answer
    },
    put: (key, answer) => {
      remove(key)
      kept.set(key, answer)
      bytes += sizeOf(key, answer)
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) return
        remove(oldest)
      }
    }
  }
}

const sizeOf = (key: string, { body, headers }: Answer): number =>
  overhead + 2 * key.length + 2 * headers.reduce((sum, part) => sum + part.length, 0) + (body?.byteLength ?? 0)

/** What the objects around the bytes take, in bytes. */
const overhead = 512
