import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Option } from "effect"
import { ChainError } from "../../../../src/chain/ChainError.js"
import { holdersBlocked } from "../../../../src/checks/token/trade/HoldersBlocked.js"
import type { Trial } from "../../../../src/facts/trade/HolderReplay.js"
import { evidence, observation, trial, valueOf, type World } from "../Trades.js"

const of = (replay: World["replay"]) =>
  Effect.map(evidence(holdersBlocked, replay === undefined ? {} : { replay }), (items) => items[0])

interface Value {
  readonly complete: boolean
  readonly blocked: ReadonlyArray<string>
  readonly restricted: ReadonlyArray<string>
  readonly free: ReadonlyArray<string>
}

const held = trial("blocked", { error: Option.some("bot") })

const listed = trial("restricted", { error: Option.some("not listed") })

const some = (count: number, one: Trial): ReadonlyArray<Trial> => Array.from({ length: count }, () => one)

describe("trade.holders-blocked", () => {
  it.effect.each([
    [12, 0, "critical"],
    [7, 5, "critical"],
    [2, 1, "critical"],
    [6, 6, "high"],
    [2, 10, "high"],
    [2, 0, "high"],
    [1, 0, "high"],
    [1, 8, "high"]
  ] as const)("of %d blocked and %d free holders is confirmed and graded %s", ([blocked, free, severity]) =>
    Effect.gen(function* () {
      const item = yield* of({ trials: [...some(blocked, held), ...some(free, trial("free"))] })
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, severity)
      assert.deepStrictEqual(item?.value, {
        complete: true,
        since: "now",
        blocked: some(blocked, held).map(({ holder }) => holder),
        restricted: [],
        free: some(free, trial("free")).map(({ holder }) => holder),
        reason: "bot"
      })
      assert.deepStrictEqual(item?.observation, observation)
    })
  )

  it.effect.each([
    [11, 0, 0, "high", "11 of 11 sampled holders can transfer to other holders only and have no pool to sell in"],
    [10, 1, 0, "high", "; 1 cannot transfer at all"],
    [9, 2, 0, "critical", "; 2 cannot transfer at all"],
    [10, 0, 1, "critical", "; 1 can transfer to anybody"],
    [3, 0, 6, "high", "; 6 can transfer to anybody"],
    [2, 0, 0, "high", "2 of 2 sampled holders can transfer to other holders only"]
  ] as const)(
    "of %d that can transfer to holders only, %d blocked and %d free is confirmed and graded %s",
    ([restricted, blocked, free, severity, words]) =>
      Effect.gen(function* () {
        const item = yield* of({
          trials: [...some(restricted, listed), ...some(blocked, held), ...some(free, trial("free"))]
        })
        assert.deepStrictEqual([item?.state, item?.severity], ["confirmed", severity])
        assert.include(item?.detail ?? "", words)
        assert.strictEqual(valueOf<Value>(item).restricted.length, restricted)
      })
  )

  it.effect("is confirmed by plain calls too, which need nothing of the endpoint", () =>
    Effect.gen(function* () {
      const item = yield* of({ method: "call", control: "unavailable", trials: [...some(3, held), trial("unshown")] })
      assert.strictEqual(item?.state, "confirmed")
      assert.isFalse(valueOf<Value>(item).complete)
      assert.strictEqual(item?.severity, "critical")
    })
  )

  it.effect("is refuted where all that were tried let go, and they were enough or all there are", () =>
    Effect.gen(function* () {
      for (const replay of [
        { trials: some(3, trial("free")), complete: false },
        { trials: some(1, trial("free")), complete: true }
      ]) {
        assert.strictEqual((yield* of(replay))?.state, "refuted")
      }
    })
  )

  it.effect("is refuted where one in ten is blocked, as by an issuer that froze it, and reports that", () =>
    Effect.gen(function* () {
      const item = yield* of({ trials: [held, ...some(9, trial("free"))] })
      assert.strictEqual(item?.state, "refuted")
      assert.strictEqual(valueOf<Value>(item).blocked.length, 1)
      assert.strictEqual(valueOf<Value>(item).free.length, 9)
      assert.include(item?.detail ?? "", "1 of 10")
    })
  )

  it.effect.each<readonly [string, World["replay"], string]>([
    ["a control that failed", { trials: some(3, held), control: "failed" }, "inconclusive"],
    ["holders of whom nothing is known", { trials: some(12, trial("unshown")) }, "inconclusive"],
    ["holders that could make it worse", { trials: [held, ...some(11, trial("unshown"))] }, "inconclusive"],
    [
      "plain calls that were not refused",
      { method: "call", control: "unavailable", trials: some(12, trial("unshown")) },
      "method_unsupported"
    ],
    ["too few holders of more", { trials: some(2, trial("free")), complete: false }, "inconclusive"],
    ["no holder found where more may be", { trials: [], complete: false }, "inconclusive"],
    ["too few holders of many that are known", { trials: some(2, trial("free")), untried: true }, "inconclusive"],
    ["nothing but contracts among those that were looked at", { trials: [], untried: true }, "inconclusive"],
    [
      "holders that could not be read",
      new ChainError({ reason: "log_range_limited", method: "eth_getLogs", retryable: false, detail: "too many" }),
      "log_range_limited"
    ]
  ])("stays unknown at %s", ([, replay, reason]) =>
    Effect.gen(function* () {
      const item = yield* of(replay)
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, reason)
      assert.strictEqual(item?.severity, "critical")
    })
  )

  const free = some(4, trial("free"))
  const laterSeen = (when: string) => ({ ...observation, params_hash: `0x0${when.length}` as const })
  const at = (when: "in_a_month" | "in_a_year", trials: ReadonlyArray<Trial>) =>
    ({ when, trials, control: "ok", observation: () => laterSeen(when) }) as const

  it.effect("is confirmed where holders can let go today and not later, and says since when", () =>
    Effect.gen(function* () {
      for (const [later, since] of [
        [[at("in_a_month", free), at("in_a_year", some(4, held))], "in_a_year"],
        [[at("in_a_month", some(4, held)), at("in_a_year", some(4, held))], "in_a_month"],
        [[at("in_a_month", some(4, held)), at("in_a_year", free)], "in_a_month"]
      ] as const) {
        const item = yield* of({ trials: free, later })
        assert.strictEqual(item?.state, "confirmed")
        assert.strictEqual(item?.severity, "critical")
        assert.strictEqual(valueOf(item).since, since)
        assert.strictEqual(valueOf<Value>(item).blocked.length, 4)
        assert.deepStrictEqual(item?.observation, laterSeen(since))
      }
      const worse = yield* of({ trials: [held, ...free], later: [at("in_a_month", some(5, held))] })
      assert.deepStrictEqual([worse?.severity, valueOf(worse).since], ["critical", "in_a_month"])
    })
  )

  it.effect("is refuted where they can at every moment, and unknown where a later one was not shown", () =>
    Effect.gen(function* () {
      const month = at("in_a_month", free)
      const refuted = yield* of({ trials: free, later: [month, at("in_a_year", free)] })
      assert.deepStrictEqual([refuted?.state, valueOf(refuted).since], ["refuted", null])
      for (const year of [
        at("in_a_year", some(4, trial("unshown"))),
        { ...at("in_a_year", free), control: "failed" }
      ]) {
        const item = yield* of({ trials: free, later: [month, year] } as World["replay"])
        assert.deepStrictEqual([item?.state, item?.reason], ["unknown", "inconclusive"])
        assert.strictEqual(
          (yield* of({ trials: some(4, held), later: [month, year] } as World["replay"]))?.state,
          "confirmed"
        )
      }
    })
  )

  it.effect("is not graded by plain calls where a later moment could be worse", () =>
    Effect.gen(function* () {
      const item = yield* of({ method: "call", control: "unavailable", trials: [held, held] })
      assert.deepStrictEqual([item?.state, item?.reason], ["unknown", "method_unsupported"])
    })
  )

  it.effect("says where the pool is why nothing was shown", () =>
    Effect.gen(function* () {
      const item = yield* of({ trials: some(4, trial("unshown", { error: Option.some("the pool is empty") })) })
      assert.match(
        item?.detail ?? "",
        /^0 of 4 sampled holders cannot sell or transfer; 4 of 4 have no result; error: "the pool is empty"; the code /
      )
    })
  )

  it.effect("does not apply to a token that nobody with a key holds, nor to one that is not fungible", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* of({ trials: [], complete: true }), undefined)
      assert.deepStrictEqual(yield* evidence(holdersBlocked, { standard: "erc721" }), [])
    })
  )

  it.effect("applies where no exchange is known", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(holdersBlocked, { covered: false, replay: { trials: some(4, held) } })
      assert.strictEqual(item?.state, "confirmed")
    })
  )

  it.effect.prop(
    "not knowing some holders never changes the grade, only the state to unknown",
    [
      FastCheck.array(FastCheck.tuple(FastCheck.constantFrom(held, listed, trial("free")), FastCheck.boolean()), {
        minLength: 1,
        maxLength: 12
      })
    ],
    ([holders]) =>
      Effect.gen(function* () {
        const before = yield* of({ trials: holders.map(([one]) => one) })
        const after = yield* of({ trials: holders.map(([one, lost]) => (lost ? trial("unshown") : one)) })
        assert.isTrue(
          after?.state === "unknown" || (after?.state === before?.state && after?.severity === before?.severity)
        )
      })
  )
})
