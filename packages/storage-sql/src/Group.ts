import { Effect } from "effect"

/**
 * Items that wait for their turn.
 *
 * @since 0.1.0
 * @category models
 */
export interface Group<Item> {
  /** Adds an item. Where nobody leads, `fork` is given what runs one group after another until none waits. */
  readonly join: (item: Item, fork: (lead: Effect.Effect<void>) => void) => void
  /** Takes back an item that is not being run. */
  readonly leave: (item: Item) => void
}

/**
 * Runs items that wait at the same moment together, at most `most` of them: what comes while others are run waits, and is in
 * the next group.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Item>(most: number, run: (items: ReadonlyArray<Item>) => Effect.Effect<void>): Group<Item> => {
  const waiting = new Set<Item>()
  let isLed = false
  const lead = Effect.gen(function* () {
    while (waiting.size > 0) {
      // Callers that have the answer of the last group, or are called in this turn, may join.
      yield* nextTurn
      const items = [...waiting].slice(0, most)
      for (const item of items) waiting.delete(item)
      yield* run(items)
    }
    isLed = false
  })
  return {
    join: (item, fork) => {
      waiting.add(item)
      if (isLed) return
      isLed = true
      fork(lead)
    },
    leave: (item) => {
      waiting.delete(item)
    }
  }
}

const nextTurn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})
