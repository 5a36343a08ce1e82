import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { ChainError } from "../../../../src/chain/ChainError.js"
import { environmentDependent } from "../../../../src/checks/token/trade/EnvironmentDependent.js"
import type { TradeEnvironment, TradeOutcome, TradeRun } from "../../../../src/domain/facts/TradeOutcome.js"
import * as Timestamp from "../../../../src/domain/Timestamp.js"
import { allRuns, blocked, evidence, leg, observation, outcome, unreached, valueOf } from "../Trades.js"

const of = (trade: TradeOutcome) => Effect.map(evidence(environmentDependent, { trade }), (items) => items[0])

type Where = Partial<TradeEnvironment>

const isIn = ({ environment }: TradeRun, where: Where) =>
  Object.entries(where).every(([name, value]) => environment[name as keyof TradeEnvironment] === value)

/** All runs alike, but for those in some environments. */
const runsWith = (fields: Partial<TradeRun>, ...wheres: ReadonlyArray<Where>) =>
  allRuns().map((run) => (wheres.some((where) => isIn(run, where)) ? { ...run, ...fields } : run))

const trapped: Partial<TradeRun> = { sell: blocked("no"), sold_bps: null, sell_again: null }

const base: Where = { method: "simulate_v1", sells: "in_hours", fees: "paid" }
const everybody: Where = { method: "simulate_v1", fees: "paid" }

interface Value {
  readonly complete: boolean
  readonly differences: ReadonlyArray<{
    readonly leg: string
    readonly differs: string
    readonly because: string
    readonly first: TradeEnvironment
    readonly first_saw: string
    readonly second: TradeEnvironment
    readonly second_saw: string
  }>
}

describe("trade.environment-dependent", () => {
  it.effect("is refuted where everything was compared and ended alike, sold or not", () =>
    Effect.gen(function* () {
      for (const runs of [allRuns(), allRuns(trapped), allRuns({ sell: leg({ tax_bps: 500 }) })]) {
        const item = yield* of(outcome({ runs }))
        assert.strictEqual(item?.state, "refuted")
        assert.deepStrictEqual(item?.value, { complete: true, differences: [], simulated_pool: false })
        assert.deepStrictEqual(item?.observation, observation)
      }
    })
  )

  it.effect.each([
    ["a sale that closes within a day", runsWith(trapped, { sells: "in_a_day" }), "high", "time"],
    [
      "a sale that closes within a month",
      runsWith(trapped, { method: "simulate_v1", sells: "in_a_month" }),
      "high",
      "time"
    ],
    ["a sale that closes within a year", runsWith(trapped, { sells: "in_a_year" }), "high", "time"],
    ["a sale that closes in a month of blocks", runsWith(trapped, { begins: "in_a_month" }), "high", "time"],
    ["a sale that closes in a year of blocks", runsWith(trapped, { begins: "in_a_year" }), "high", "time"],
    [
      "a sale that opens in time only",
      runsWith(trapped, { ...everybody, sells: "in_hours" }, { ...everybody, sells: "at_once" }),
      "high",
      "time"
    ],
    [
      "a sale where gas costs nothing only",
      runsWith(trapped, everybody, { method: "override" }, { method: "constructor" }),
      "high",
      "fees"
    ],
    ["a sale by contracts only", runsWith(trapped, { method: "simulate_v1" }), "high", "contract"],
    ["a sale in the block of the purchase only", runsWith(trapped, base, { sells: "in_a_day" }), "high", "time"],
    [
      "an anti-bot rule of the purchase's block",
      runsWith(trapped, { method: "simulate_v1", sells: "at_once" }),
      "low",
      "time"
    ],
    ["a rule against contracts", runsWith(trapped, { method: "override" }), "low", "contract"],
    [
      "a purchase that contracts cannot make",
      runsWith({ buy: blocked(), sell: unreached }, { method: "override" }),
      "low",
      "contract"
    ],
    ["a tax that begins later", runsWith({ sell: leg({ tax_bps: 5_000 }) }, { sells: "in_a_day" }), "high", "time"],
    ["a tax that ends later", runsWith({ sell: leg({ tax_bps: 5_000 }) }, base), "high", "time"],
    [
      "a tax that contracts do not pay",
      runsWith({ sell: leg({ tax_bps: 5_000 }) }, { method: "simulate_v1" }),
      "high",
      "contract"
    ],
    [
      "a tax that contracts pay alone",
      runsWith({ sell: leg({ tax_bps: 5_000 }) }, { method: "constructor" }),
      "low",
      "contract"
    ]
  ] as const)("is confirmed at %s", ([, runs, severity, because]) =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs }))
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, severity)
      assert.include(
        valueOf<Value>(item).differences.map((difference) => difference.because),
        because
      )
    })
  )

  it.effect("reports the pair that differs and what each saw", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: runsWith(trapped, { sells: "in_a_day" }) }))
      assert.deepStrictEqual(valueOf<Value>(item).differences, [
        {
          leg: "sell",
          differs: "state",
          because: "time",
          first: { method: "simulate_v1", begins: "now", sells: "in_hours", fees: "paid" },
          first_saw: "works",
          second: { method: "simulate_v1", begins: "now", sells: "in_a_day", fees: "paid" },
          second_saw: "refused"
        }
      ])
      assert.strictEqual(item?.detail, "a sale works for an account hours later, but fails for an account a day later")
    })
  )

  it.effect("is confirmed where one account sells and another like it does not", () =>
    Effect.gen(function* () {
      const [, large] = allRuns()
      const runs = allRuns().map((one) =>
        one.sender === large?.sender &&
        one.spent === large.spent &&
        one.environment.sells === "in_hours" &&
        one.environment.method === "simulate_v1"
          ? { ...one, sell: blocked(), sold_bps: 0, refused_bps: 10_000 }
          : one
      )
      const item = yield* of(outcome({ runs }))
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, "high")
      assert.strictEqual(valueOf<Value>(item).differences[0]?.because, "sender")
    })
  )

  it.effect("does not hold a limit of the size for a difference of the environment", () =>
    Effect.gen(function* () {
      // Only a hundredth of a holding is sold, and contracts sell more than that at once.
      const limited = runsWith({ sold_bps: 100, refused_bps: 10_000 }, base)
      const runs = limited.map((run) => (run.environment.method === "simulate_v1" ? run : { ...run, ...trapped }))
      const item = yield* of(outcome({ runs }))
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, "inconclusive")
    })
  )

  it.effect.each([
    ["a month", { begins: "in_a_month" }],
    ["a year", { begins: "in_a_year" }],
    ["a contract", { method: "override" }],
    ["a constructor", { method: "constructor" }]
  ] as const)("stays unknown, with the reason, where %s is missing", ([, where]) =>
    Effect.gen(function* () {
      const runs = allRuns().filter((run) => !isIn(run, where))
      const item = yield* of(
        outcome({
          runs,
          unavailable: [
            { method: "override", begins: "now", reason: "rate_limited", detail: "slow down" },
            { method: "override", begins: "in_a_month", reason: "rate_limited", detail: "slow down" },
            { method: "override", begins: "in_a_year", reason: "rate_limited", detail: "slow down" },
            { method: "constructor", begins: "now", reason: "rate_limited", detail: "slow down" }
          ]
        })
      )
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, "rate_limited")
      assert.strictEqual(item?.severity, "high")
    })
  )

  it.effect.each([
    ["a control that failed somewhere", runsWith({ control: "failed" }, { sells: "in_a_day" }), "inconclusive"],
    ["a control that failed everywhere", allRuns({ control: "failed" }), "inconclusive"],
    ["a purchase that nobody could make", allRuns({ buy: blocked(), sell: unreached }), "inconclusive"],
    [
      "contracts without a block that has fees",
      allRuns().map((run) =>
        run.environment.method === "simulate_v1"
          ? run
          : { ...run, environment: { ...run.environment, fees: "none" as const } }
      ),
      "method_unsupported"
    ],
    [
      "a pool that takes no token with a tax",
      allRuns({ sell: leg({ state: "underpaid", tax_bps: null }) }),
      "inconclusive"
    ]
  ] as const)("stays unknown at %s", ([, runs, reason]) =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs }))
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, reason)
    })
  )

  it.effect("compares transfers at a moment that the code names with those of today", () =>
    Effect.gen(function* () {
      const at = Timestamp.fromSeconds(1_798_848_000)
      const [usual] = allRuns()
      assert.isDefined(usual)
      const then = (transfer: TradeRun["transfer"]) => [
        ...allRuns(),
        { ...usual, environment: { ...usual.environment, sells: "at_a_moment" as const, at }, transfer }
      ]
      assert.strictEqual((yield* of(outcome({ runs: then(leg()) })))?.state, "refuted")
      for (const stopped of [blocked("not now"), leg({ state: "no_effect", tax_bps: null })]) {
        const item = yield* of(outcome({ runs: then(stopped) }))
        assert.strictEqual(item?.state, "confirmed")
        assert.strictEqual(item?.severity, "high")
        assert.strictEqual(
          item?.detail,
          "a transfer works for an account hours later, but fails for an account on 2027-01-02"
        )
      }
      // Whoever trades sooner or later could.
      const refused = runsWith({ transfer: blocked("not now") }, base)
      const shut = yield* of(outcome({ runs: refused }))
      assert.strictEqual(shut?.state, "confirmed")
      assert.strictEqual(shut?.severity, "high")
      assert.include(shut?.detail, "a transfer fails for an account hours later, but works for")
      // What was not seen is not the same as before.
      const item = yield* of(outcome({ runs: then(unreached) }))
      assert.strictEqual(item?.state, "unknown")
      assert.include(item?.detail, "no transfer could be simulated for an account on 2027-01-02")
    })
  )

  const anyRuns = FastCheck.tuple(
    ...allRuns().map((run) =>
      FastCheck.constantFrom(run, { ...run, ...trapped }, { ...run, buy: blocked(), sell: unreached })
    )
  )

  it.effect.prop(
    "losing environments only ever makes it unknown",
    [
      anyRuns,
      FastCheck.subarray(["simulate_v1", "override now", "override in_a_month", "override in_a_year", "constructor"])
    ],
    ([runs, lost]) =>
      Effect.gen(function* () {
        const left = runs.filter(
          ({ environment: { begins, method } }) => !lost.some((name) => `${method} ${begins}`.startsWith(name))
        )
        const before = yield* of(outcome({ runs }))
        const after = yield* of(outcome({ runs: left }))
        assert.isTrue(
          after?.state === "unknown" || (after?.state === before?.state && after?.severity === before?.severity)
        )
      })
  )

  it.effect("is unknown without a pool and where the pools could not be read, and does not apply elsewhere", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* evidence(environmentDependent, {}))[0]?.reason, "inconclusive")
      const trade = new ChainError({ reason: "rate_limited", method: "eth_call", retryable: true, detail: "slow down" })
      assert.strictEqual((yield* evidence(environmentDependent, { trade }))[0]?.reason, "rate_limited")
      assert.match(
        (yield* evidence(environmentDependent, { covered: false }))[0]?.detail ?? "",
        /^sales were not tried: no exchange is known on this chain/
      )
      assert.deepStrictEqual(yield* evidence(environmentDependent, { standard: "erc721", trade: outcome() }), [])
    })
  )
})
