/** @internal */

import { fromMillis } from "@assay/core/domain/Timestamp"
import type { Time } from "./WorldTime.js"

/**
 * What happened in a simulated world: its last lines, and a hash over all of them, so that a number distinguishes two
 * runs.
 */
export interface Trace {
  readonly note: (who: string, what: string) => void
  /** Oldest first: seconds since the beginning, what the clock on the wall shows, who, and what. */
  readonly lines: () => ReadonlyArray<string>
  /** FNV-1a over every line so far. */
  readonly hash: () => string
}

export const make = (time: Time, kept: number): Trace => {
  const entries: Array<readonly [now: number, wall: number, who: string, what: string]> = []
  let count = 0
  let hash = 0x811c9dc5
  const mix = (text: string) => {
    for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return {
    note: (who, what) => {
      entries[count++ % kept] = [time.now(), time.wall(), who, what]
      hash = Math.imul(hash ^ time.now(), 0x01000193)
      mix(who)
      mix(what)
    },
    lines: () => {
      const oldest = count % kept
      return (count <= kept ? entries : [...entries.slice(oldest), ...entries.slice(0, oldest)]).map(
        ([now, wall, who, what]) =>
          `${(now / 1000).toFixed(3).padStart(12)} ${fromMillis(wall)} ${who.padEnd(8)} ${what}`
      )
    },
    hash: () => (hash >>> 0).toString(16).padStart(8, "0")
  }
}
