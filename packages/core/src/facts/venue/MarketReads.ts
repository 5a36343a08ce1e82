/** @internal */

import { Effect } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import * as BatchRead from "../BatchRead.js"

/** A contract that may exist: the reads that show it, and how to decode their answers. */
export interface Candidate<A> {
  readonly reads: ReadonlyArray<BatchRead.Read>
  readonly decode: (answers: ReadonlyArray<BatchRead.Answer>) => ReadonlyArray<A>
}

/** Reads all candidates by one call. */
export const all = <A>(
  state: ChainState["Type"],
  wanted: ReadonlyArray<Candidate<A>>
): Effect.Effect<Reading.Reading<ReadonlyArray<A>>, ChainError> =>
  Effect.map(
    BatchRead.all(
      state,
      wanted.flatMap((candidate) => candidate.reads)
    ),
    (reading) =>
      Reading.map(reading, (answers) => {
        let at = 0
        return wanted.flatMap((candidate) => {
          const own = answers.slice(at, at + candidate.reads.length)
          at += candidate.reads.length
          return candidate.decode(own)
        })
      })
  )
