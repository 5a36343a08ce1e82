import { assert, describe, it } from "@effect/vitest"
import { Either, Option } from "effect"
import { ChainError } from "../../../../src/chain/ChainError.js"
import * as BlockedSales from "../../../../src/checks/token/trade/BlockedSales.js"
import type { Replay, Trial } from "../../../../src/facts/trade/HolderReplay.js"
import { address, blocked, contractRuns, observation, outcome, trial } from "../Trades.js"

const trapped = outcome({ runs: contractRuns({ sell: blocked("no") }) })

const held = (routed: boolean, index: number): Trial =>
  trial("blocked", { holder: address(String(index)), routed, error: Option.some("held") })

const replayed = (trials: ReadonlyArray<Trial>, later: ReadonlyArray<Trial> = trials) => ({
  value: {
    trials,
    later: [{ when: "in_a_month", control: "ok", trials: later, observation: () => observation }],
    complete: true,
    untried: false,
    method: "call",
    control: "unavailable"
  } satisfies Replay,
  observation: () => observation
})

const all = [held(true, 1), held(true, 2), held(false, 3), held(false, 4)]

describe("blocked sales", () => {
  it("are shown by two contracts and most holders, two of them at the router, now and a month later", () => {
    const sales = BlockedSales.of(trapped, replayed(all))
    assert.strictEqual(sales._tag, "blocked")
    assert.include(sales._tag === "blocked" ? sales.detail : "", '4 of 4 holders, now or 30 days later; error: "held"')
    assert.isTrue(Option.isSome(BlockedSales.ofRead(trapped, Either.right(replayed(all)))))
  })

  it("are unclear where most holders are not free and any of it is missing", () => {
    const free = all.map((one): Trial => ({ ...one, state: "unshown" }))
    const tags = [
      BlockedSales.of(trapped, replayed(all.map((one) => ({ ...one, routed: false })))),
      BlockedSales.of(trapped, replayed(all, free)),
      BlockedSales.of(outcome({ runs: contractRuns() }), replayed(all)),
      BlockedSales.of(outcome({ runs: contractRuns({ sell: blocked("no"), control: "failed" }) }), replayed(all))
    ].map(({ _tag }) => _tag)
    assert.deepStrictEqual(tags, ["unclear", "unclear", "unclear", "unclear"])
  })

  it("are open where holders are free, or too few are known, and nothing is said of holders that were not read", () => {
    const free = all.map((one): Trial => ({ ...one, state: "free" }))
    assert.strictEqual(BlockedSales.of(trapped, replayed(free))._tag, "open")
    assert.strictEqual(BlockedSales.of(trapped, replayed(all.slice(0, 3)))._tag, "open")
    const lost = new ChainError({ reason: "rpc_error", method: "eth_getLogs", retryable: true, detail: "no" })
    assert.isTrue(Option.isNone(BlockedSales.ofRead(trapped, Either.left(lost))))
  })

  it("may be where no contract sold, and are not where one did", () => {
    assert.isTrue(BlockedSales.mayBe(trapped))
    assert.isTrue(BlockedSales.mayBe(outcome()))
    assert.isFalse(BlockedSales.mayBe(outcome({ runs: contractRuns() })))
  })
})
