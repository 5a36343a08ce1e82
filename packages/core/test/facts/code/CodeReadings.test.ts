import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as CodeModel from "../../../src/evm/interpreter/CodeModel.js"
import * as TokenPowers from "../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import * as CodeReadings from "../../../src/facts/code/CodeReadings.js"
import { artifact } from "../../evm/Compiled.js"

const preset = artifact("openzeppelin-contracts-4/build/contracts/ERC20PresetMinterPauser.json")
const fixed = artifact("openzeppelin-contracts-4/build/contracts/ERC20PresetFixedSupply.json")
const short = "0x6000356000556000355460015500"

/** Conditions in a row, each on all that came before it: as much work as a code may be. */
const long = ((): `0x${string}` => {
  const word = (value: number): string => value.toString(16).padStart(4, "0")
  let code = "6000"
  while (code.length < 2 * 24_000) {
    const offset = code.length / 2
    code += `61${word(offset)}35018061${word(offset + 13)}578080555b`
  }
  return `0x${code}`
})()

/** Turns of the event loop while something runs. */
const turnsDuring = <A>(effect: Effect.Effect<A>): Effect.Effect<number> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const seen = { turns: 0, handle: setImmediate(() => {}) }
      const turn = () => {
        seen.turns++
        seen.handle = setImmediate(turn)
      }
      seen.handle = setImmediate(turn)
      return seen
    }),
    (seen) => Effect.map(effect, () => seen.turns),
    (seen) => Effect.sync(() => clearImmediate(seen.handle))
  )

describe("CodeReadings", () => {
  it.scopedLive("say what the readings of the code itself say", () =>
    Effect.gen(function* () {
      const flows = yield* CodeReadings.make()
      const flow = yield* StorageFlow.analyse(preset)
      assert.strictEqual(JSON.stringify(yield* flows.of(preset)), JSON.stringify(flow))
      assert.strictEqual(JSON.stringify(yield* flows.powers(preset)), JSON.stringify(TokenPowers.of(preset, flow)))
      const [mint] = (yield* flows.powers(preset)).mint.levers
      if (mint === undefined || mint.selector === "fallback") throw new Error("no lever")
      assert.strictEqual(
        JSON.stringify(yield* flows.at(preset, mint.selector, new Map())),
        JSON.stringify(StorageFlow.functionAt(preset, mint.selector, new Map()))
      )
    })
  )

  it.scopedLive("read a code once for all callers, at once or later", () =>
    Effect.gen(function* () {
      const flows = yield* CodeReadings.make()
      const [first, second] = yield* Effect.all([flows.of(fixed), flows.of(fixed)], { concurrency: "unbounded" })
      assert.strictEqual(first, second)
      assert.strictEqual(yield* flows.of(fixed), first)
      assert.strictEqual(yield* flows.powers(fixed), yield* flows.powers(fixed))
    })
  )

  it.scopedLive("keep the newest answers, up to a number of bytes", () =>
    Effect.gen(function* () {
      const flows = yield* CodeReadings.make({ maxBytes: 200_000 })
      const first = yield* flows.of(fixed)
      assert.strictEqual(yield* flows.of(fixed), first)
      // The same but for what stands behind its end, so that each of them takes as much.
      const others = Array.from({ length: 8 }, (_, i): `0x${string}` => `${fixed}0${i}`)
      for (const other of others) yield* flows.of(other)
      const last = yield* flows.of(others[7] ?? "0x")
      assert.notStrictEqual(yield* flows.of(fixed), first)
      assert.strictEqual(yield* flows.of(others[7] ?? "0x"), last)
    })
  )

  it.scopedLive("leave the answer to others where one asker is interrupted", () =>
    Effect.gen(function* () {
      const flows = yield* CodeReadings.make()
      const first = yield* Effect.fork(flows.of(preset))
      yield* Effect.yieldNow()
      const second = yield* Effect.fork(flows.of(preset))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      assert.isTrue((yield* Fiber.join(second)).completeness.complete)
    })
  )

  it.scoped("leave the event loop room while the longest code is read, also where the clock stands still", () =>
    Effect.gen(function* () {
      const flows = yield* CodeReadings.make()
      const slices = [...StorageFlow.analyseInSlices(CodeModel.of(long), yield* StorageFlow.selectorsOf(long))].length
      assert.isAbove(slices, 256)
      assert.isAtLeast(yield* turnsDuring(flows.of(long)), Math.floor(slices / 64))
      assert.isFalse((yield* flows.of(long)).completeness.complete)
    })
  )

  it.scopedLive("take turns, so that a long code does not hold up a short one", () =>
    Effect.gen(function* () {
      const flows = yield* CodeReadings.make()
      const done: Array<string> = []
      yield* Effect.all(
        [Effect.map(flows.of(long), () => done.push("long")), Effect.map(flows.of(short), () => done.push("short"))],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(done, ["short", "long"])
    })
  )
})
