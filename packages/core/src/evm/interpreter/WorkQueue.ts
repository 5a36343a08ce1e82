/** @internal */

/** What waits to be run. */
export interface Waiting {
  readonly index: number
  readonly offset: number
  readonly state: { readonly stack: { readonly length: number } }
  queued: boolean
}

/**
 * Blocks wait so that the innermost call and the earliest code go first: most merges then happen before what follows runs.
 * A block waits once, however often it is pushed.
 */
export interface WorkQueue<Block extends Waiting> {
  readonly push: (block: Block) => void
  readonly pop: () => Block | undefined
}

/** An empty queue. */
export const make = <Block extends Waiting>(): WorkQueue<Block> => {
  const heap: Array<Block> = []
  const before = (a: Block, b: Block): boolean => {
    const depth = b.state.stack.length - a.state.stack.length
    return depth !== 0 ? depth < 0 : a.offset !== b.offset ? a.offset < b.offset : a.index < b.index
  }
  return {
    push: (node) => {
      if (node.queued) return
      node.queued = true
      heap.push(node)
      let i = heap.length - 1
      while (i > 0) {
        const parent = (i - 1) >> 1
        if (!before(node, heap[parent] as Block)) break
        heap[i] = heap[parent] as Block
        i = parent
      }
      heap[i] = node
    },
    pop: () => {
      const first = heap[0]
      const last = heap.pop()
      if (first === undefined || last === undefined) return undefined
      first.queued = false
      if (heap.length > 0) {
        let i = 0
        for (;;) {
          let child = 2 * i + 1
          if (child >= heap.length) break
          if (child + 1 < heap.length && before(heap[child + 1] as Block, heap[child] as Block)) child++
          if (!before(heap[child] as Block, last)) break
          heap[i] = heap[child] as Block
          i = child
        }
        heap[i] = last
      }
      return first
    }
  }
}
