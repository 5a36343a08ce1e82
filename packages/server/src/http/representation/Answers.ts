import type { Effect } from "effect"

/**
 * An answer that can be sent again. It was read at this version of its key (`StorageVersion.ofKey`), and is the same at another
 * one where `again` finds the same `mark`, until `until` (epoch milliseconds). `headers` are names and values in turns, without
 * those that differ between requests. `body` has a character for each byte (latin1), so that Node writes it together with the
 * header; undefined where there is none.
 */
export interface Answer {
  readonly version: number
  readonly basis: { readonly mark: string; readonly until: number }
  readonly again: Effect.Effect<Answer["basis"], unknown>
  readonly route: string
  readonly status: number
  readonly headers: ReadonlyArray<string>
  readonly body: string | undefined
}

/**
 * The answers that were sent last, at most about `maxBytes` of them: beyond that, the one that was not used for longest is
 * dropped.
 */
export interface Answers {
  readonly get: (key: string) => Answer | undefined
  readonly put: (key: string, answer: Answer) => void
  readonly remove: (key: string) => void
}

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

const sizeOf = (key: string, { basis, body, headers }: Answer): number =>
  overhead +
  2 * key.length +
  2 * headers.reduce((sum, part) => sum + part.length, 0) +
  (body?.length ?? 0) +
  2 * basis.mark.length

/** What the objects around the bytes take, in bytes. */
const overhead = 512
