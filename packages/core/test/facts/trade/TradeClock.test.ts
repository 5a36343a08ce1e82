import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import type { CallOutcome, ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Timestamp from "../../../src/domain/Timestamp.js"
import type { Proxy } from "../../../src/facts/code/Proxy.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as TradeClock from "../../../src/facts/trade/TradeClock.js"

const token = Address.checksum(`0x${"11".repeat(20)}`)
const logic = Address.checksum(`0x${"22".repeat(20)}`)
const seconds = 1_735_689_600
const number = 1_000n

interface World {
  readonly codes: { readonly [address: string]: Hex }
  readonly chainId?: number
  readonly seen?: CallOutcome
}

const observation = () => assert.fail("nothing here is shown to a reader")

/** The clock of a token with these codes, and how often a number was read. */
const clockOf = ({ chainId = 31_337, codes, seen }: World) =>
  Effect.gen(function* () {
    let asked = 0
    const state = {
      block: { number: Number(number), timestamp: Timestamp.fromMillis(seconds * 1_000) },
      chain: { id: chainId, addressBook: chainId },
      code: (address: string) => Effect.succeed({ value: codes[address] ?? "0x", observation }),
      call: () =>
        Effect.sync(() => {
          asked++
          return { value: seen ?? { _tag: "Returned", data: Getter.word(number) }, observation }
        })
    } as unknown as ChainState["Type"]
    const proxy = {
      of: () => Effect.succeed({ value: { implementations: [logic] }, observation })
    } as unknown as Proxy["Type"]
    return { clock: yield* TradeClock.make(state, proxy, token), asked: () => asked }
  })

const planOf = (...after: ReadonlyArray<number>): TradeClock.Plan => ({
  overrides: {},
  blocks: after.map((passed) => ({ block: { time: seconds + passed }, steps: [] }))
})

const numbersIn = ({ blocks }: TradeClock.Plan) => blocks.map(({ block }) => Number(block.prevRandao))

// PUSH1 NUMBER, NUMBER, JUMPDEST, NUMBER, STOP, and what no jump gets to.
const asking: Hex = "0x6043435b430043"
const paced: Hex = "0x6043445b440043"

describe("TradeClock", () => {
  it.effect("replaces the opcode only in instructions that can run", () =>
    Effect.gen(function* () {
      const { clock } = yield* clockOf({ codes: { [token]: asking } })
      assert.deepStrictEqual(clock.paced(planOf(12)).overrides, { [token]: { code: paced } })
    })
  )

  it.effect("keeps what else is pretended of the token", () =>
    Effect.gen(function* () {
      const { clock } = yield* clockOf({ codes: { [token]: asking } })
      const stateDiff = { [Getter.word(1n)]: Getter.word(2n) }
      const { overrides } = clock.paced({ ...planOf(12), overrides: { [token]: { stateDiff } } })
      assert.deepStrictEqual(overrides, { [token]: { stateDiff, code: paced } })
    })
  )

  it.effect("gives a block as many blocks as go by in its time, and each one more than the one before", () =>
    Effect.gen(function* () {
      const { clock } = yield* clockOf({ codes: { [token]: asking } })
      const after = [12, 13, 14, 3_600, 86_400]
      assert.deepStrictEqual(numbersIn(clock.paced(planOf(...after))), [1_001, 1_002, 1_003, 1_300, 8_200])
      assert.deepStrictEqual(numbersIn(clock.paced(planOf(12))), [1_001], "no matter what was asked before")
    })
  )

  it.effect("goes at the pace of the chain, and at the usual one where contracts see the numbers of another", () =>
    Effect.gen(function* () {
      const base = yield* clockOf({ codes: { [token]: asking }, chainId: 8_453 })
      assert.deepStrictEqual(numbersIn(base.clock.paced(planOf(86_400))), [1_000 + 43_200])
      const elsewhere = { _tag: "Returned", data: Getter.word(50n) } as const
      const other = yield* clockOf({ codes: { [token]: asking }, chainId: 8_453, seen: elsewhere })
      assert.deepStrictEqual(numbersIn(other.clock.paced(planOf(86_400))), [50 + 7_200])
    })
  )

  it.effect("changes nothing and reads nothing where the code does not read the block number", () =>
    Effect.gen(function* () {
      const { asked, clock } = yield* clockOf({ codes: { [token]: "0x60430043" } })
      const plan = planOf(12)
      assert.strictEqual(clock.paced(plan), plan)
      assert.strictEqual(asked(), 0)
    })
  )

  it.effect("reaches the code behind a proxy", () =>
    Effect.gen(function* () {
      const { clock } = yield* clockOf({ codes: { [token]: "0xf400", [logic]: asking } })
      assert.deepStrictEqual(clock.paced(planOf(12)).overrides, { [logic]: { code: paced } })
    })
  )

  it.effect("takes an opcode that the token has no other use for, and fails where there is none", () =>
    Effect.gen(function* () {
      const { clock } = yield* clockOf({ codes: { [token]: "0x434400" } })
      const { blocks, overrides } = clock.paced(planOf(12))
      assert.deepStrictEqual(overrides, { [token]: { code: "0x414400" } })
      assert.strictEqual(BigInt(blocks[0]?.block.feeRecipient ?? 0), 1_001n)
      const none = yield* Effect.either(clockOf({ codes: { [token]: "0x43444100" } }))
      assert.isTrue(Either.isLeft(none) && none.left instanceof ChainError)
    })
  )

  it.effect("fails where the endpoint does not give the number", () =>
    Effect.gen(function* () {
      const seen = { _tag: "Reverted", data: "0x" } as const
      const answer = yield* Effect.either(clockOf({ codes: { [token]: asking }, seen }))
      assert.isTrue(Either.isLeft(answer) && answer.left.reason === "method_unsupported")
    })
  )
})
