import { assert, describe, it } from "@effect/vitest"
import * as EventLoop from "../../src/runtime/EventLoop.js"

const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve, 20))

describe("EventLoop", () => {
  for (const [name, later] of Object.entries({ later: EventLoop.later, byChannel: EventLoop.byChannel }))
    it(`${name} runs once, after what was ready, and not what was taken back`, async () => {
      const seen: Array<string> = []
      later(() => seen.push("later"))
      later(() => seen.push("taken back"))()
      await Promise.resolve().then(() => seen.push("ready"))
      for (let turns = 0; turns < 50 && seen.length < 2; turns++) await nextTurn()
      await nextTurn()
      assert.deepStrictEqual(seen, ["ready", "later"])
    })
})
