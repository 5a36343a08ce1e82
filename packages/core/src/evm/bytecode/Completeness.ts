/** @internal */

import * as Bytecode from "./Bytecode.js"
import { Opcodes } from "./Opcodes.js"

/**
 * How much was seen. `total*` count the SLOAD and SSTORE instructions in any block that begins at offset 0 or a
 * JUMPDEST and is not metadata; `attributed*` count those that some function was seen to run, with the slot located
 * every time. `ratio` is attributed through total over both. Unused code makes the ratio smaller and takes nothing from
 * `complete`, which says that every path of every entry was followed, every write located, and no foreign code runs on
 * this storage; `gaps` says what is missing for it.
 */
export interface Completeness {
  readonly attributedSload: number
  readonly totalSload: number
  readonly attributedSstore: number
  readonly totalSstore: number
  readonly ratio: number
  readonly complete: boolean
  readonly gaps: ReadonlyArray<Gap>
}

/**
 * Why an analysis is not complete: a jump that could not be followed or a bound that was hit, a write to a slot that
 * could not be located, or code of another contract that runs on this storage.
 */
export type Gap = "control_flow" | "write_location" | "delegatecall"

/** Offsets of the SLOAD and SSTORE that a function ran, and of those that could not be located at least once. */
export interface Attribution {
  readonly ran: ReadonlySet<number>
  readonly lost: ReadonlySet<number>
}

/** How much of a code its functions were seen to run. */
export const measure = (
  bytecode: Bytecode.Bytecode,
  analyses: ReadonlyArray<Attribution>,
  gaps: ReadonlyArray<Gap>
): Completeness => {
  const possible = Bytecode.offsets(bytecode)
  const ran = new Set(analyses.flatMap((analysis) => [...analysis.ran]))
  const lost = new Set(analyses.flatMap((analysis) => [...analysis.lost]))
  let [attributedSload, totalSload, attributedSstore, totalSstore] = [0, 0, 0, 0]
  for (const { offset, opcode } of bytecode.instructions) {
    if (opcode !== Opcodes.SLOAD && opcode !== Opcodes.SSTORE) continue
    if (!possible.has(offset) && !ran.has(offset)) continue
    const attributed = ran.has(offset) && !lost.has(offset) ? 1 : 0
    if (opcode === Opcodes.SLOAD) {
      totalSload++
      attributedSload += attributed
    } else {
      totalSstore++
      attributedSstore += attributed
    }
  }
  const total = totalSload + totalSstore
  return {
    attributedSload,
    totalSload,
    attributedSstore,
    totalSstore,
    ratio: total === 0 ? 1 : (attributedSload + attributedSstore) / total,
    complete: gaps.length === 0,
    gaps
  }
}
