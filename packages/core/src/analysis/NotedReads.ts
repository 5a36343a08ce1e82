/** @internal */

import { Effect } from "effect"
import * as BlockUse from "../chain/state/BlockUse.js"
import type { ChainState } from "../chain/state/ChainState.js"
import type { Reading } from "../chain/state/Reading.js"

/** The view of an analysis, with notes of what it read and how it used its block. */
export interface NotedReads {
  readonly state: ChainState["Type"]
  readonly use: BlockUse.BlockUse
  /** Each read that was answered, once; none where one failed. */
  readonly taken: () => ReadonlyArray<NotedRead> | undefined
}

/** A read as text, its reading, and whether its observation is used. */
export interface NotedRead {
  readonly request: string
  readonly reading: Reading<unknown>
  readonly isObserved: boolean
}

export const make = (state: ChainState["Type"]): NotedReads => {
  const use = BlockUse.watched(state.block)
  const notes: Array<{
    readonly method: Method
    readonly args: ReadonlyArray<unknown>
    readonly reading: Reading<unknown>
    isObserved: boolean
  }> = []
  let isLost = false
  const noted = Object.fromEntries(
    methods.map((method) => [
      method,
      (...args: ReadonlyArray<unknown>) =>
        Effect.map(
          Effect.tapError(callOf(state, method, args), () =>
            Effect.sync(() => {
              isLost = true
            })
          ),
          (reading): Reading<unknown> => {
            const note = { method, args, reading, isObserved: false }
            notes.push(note)
            return {
              value: reading.value,
              observation: () => {
                note.isObserved = true
                return reading.observation()
              }
            }
          }
        )
    ])
  )
  return {
    state: { ...state, ...noted, block: use.block },
    use,
    taken: () => {
      if (isLost) return undefined
      const reads = new Map<string, NotedRead>()
      for (const { args, isObserved, method, reading } of notes) {
        const request = print([method, args])
        reads.set(request, { request, reading, isObserved: isObserved || reads.get(request)?.isObserved === true })
      }
      return [...reads.values()]
    }
  }
}

/** Makes a read again that was noted as text. */
export const repeat = (state: ChainState["Type"], request: string) =>
  Effect.suspend(() => {
    const [method, args] = JSON.parse(request, (_, value) =>
      typeof value === "string" && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value
    ) as [Method, ReadonlyArray<unknown>]
    return callOf(state, method, args)
  })

/** A request or an answer as text; large numbers are marked as such. */
export const print = (value: unknown): string =>
  JSON.stringify(value, (_, member) => (typeof member === "bigint" ? `${member}n` : member))

const methods = [
  "code",
  "codeAt",
  "storage",
  "storageAt",
  "balance",
  "nonce",
  "call",
  "logs",
  "receipt",
  "simulate"
] as const satisfies ReadonlyArray<keyof ChainState["Type"]>
type Method = (typeof methods)[number]

const callOf = (state: ChainState["Type"], method: Method, args: ReadonlyArray<unknown>) =>
  (state[method] as (...args: ReadonlyArray<unknown>) => ReturnType<ChainState["Type"][Method]>)(
    ...args
  ) as Effect.Effect<Reading<unknown>, Effect.Effect.Error<ReturnType<ChainState["Type"][Method]>>>
