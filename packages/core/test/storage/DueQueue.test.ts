import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as DueQueue from "../../src/storage/DueQueue.js"

interface Place {
  readonly group: string
  readonly item: string
  readonly at: number
  readonly order: number
}

const inOrder = (places: ReadonlyArray<Place>): ReadonlyArray<Place> =>
  places.toSorted((a, b) => a.at - b.at || a.order - b.order)

describe("DueQueue", () => {
  it("knows the first of every group, and the groups by their first, after any puts and removals", () => {
    const step = FastCheck.record({
      put: FastCheck.boolean(),
      group: FastCheck.constantFrom("a", "b", "c"),
      item: FastCheck.integer({ min: 0, max: 9 }),
      at: FastCheck.integer({ min: 0, max: 5 })
    })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(step, { maxLength: 60 }), (steps) => {
        const queue = DueQueue.make<string, string>()
        const model = new Map<string, Place>()
        for (const { at, group, item, put } of steps) {
          const name = `item ${item}`
          if (put) {
            const place = { group, item: name, at, order: item }
            queue.put(place)
            model.set(name, place)
          } else {
            queue.remove(name)
            model.delete(name)
          }
          const all = [...model.values()]
          const firsts = ["a", "b", "c"].flatMap(
            (name) => inOrder(all.filter((place) => place.group === name))[0] ?? []
          )
          assert.deepStrictEqual([...queue.heads()], [...inOrder(firsts)])
          for (const first of firsts) assert.deepStrictEqual(queue.first(first.group), first)
        }
      })
    )
  })

  it("is empty again when everything was removed", () => {
    const queue = DueQueue.make<string, string>()
    queue.put({ group: "a", item: "one", at: 1, order: 1 })
    queue.put({ group: "b", item: "one", at: 2, order: 1 })
    assert.strictEqual(queue.first("a"), undefined)
    queue.remove("one")
    queue.remove("one")
    assert.deepStrictEqual([...queue.heads()], [])
  })
})
