import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Either, Layer, Schema, TestClock } from "effect"
import * as Analyzer from "../../src/analysis/Analyzer.js"
import * as TimeLimit from "../../src/analysis/TimeLimit.js"
import * as ChainAccess from "../../src/chain/ChainAccess.js"
import { Transport } from "../../src/chain/rpc/Transport.js"
import * as VerifiedSource from "../../src/chain/sources/VerifiedSource.js"
import type { ChainState } from "../../src/chain/state/ChainState.js"
import * as Check from "../../src/checks/Check.js"
import * as Checks from "../../src/checks/Checks.js"
import type { Analysis } from "../../src/domain/Analysis.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import { erc20, inert, target } from "../checks/Scripted.js"

const script: ScriptedChain.Script = { accounts: { [target]: { code: inert, calls: erc20 } } }

const deadline = 60_000

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Runs while time passes, and says when it ended. */
const passing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    Effect.zip(Effect.either(effect), Clock.currentTimeMillis),
    Effect.forever(Effect.zipRight(Effect.repeatN(turn, 20), TestClock.adjust("5 seconds")))
  )

const over = (changes: Partial<ChainState["Type"]> = {}) =>
  Layer.succeed(ChainAccess.ChainAccess, {
    pin: () => Effect.sync(() => ({ ...ScriptedChain.make(script), ...changes }))
  })

const { chain } = ScriptedChain.make(script)

const request = { kind: "token", address: target, chain, deadline } as const

const analyze = Effect.flatMap(Analyzer.Analyzer, (analyzer) => analyzer.analyze(request))

const analyzed = (checks: ReadonlyArray<Check.Check<unknown, never>>, changes?: Partial<ChainState["Type"]>) =>
  Effect.provide(analyze, Layer.provide(Analyzer.layer([...Checks.all, ...checks]), over(changes)))

const slow = (run: Effect.Effect<ReadonlyArray<Check.Verdict<unknown>>>) =>
  Check.make({
    id: "x.slow",
    code: "X-01",
    version: 1,
    targets: ["token"],
    claim: "It is slow",
    polarity: "risk",
    severity: "high",
    dimension: "exit",
    value: Schema.Unknown,
    run: () => run
  })

const itemOf = ({ evidence }: Analysis, id: string) => evidence.find((item) => item.id === id)

const givenUp = "this check had not ended at the deadline of the analysis; analyse again with more time"

const overdue = { _tag: "UpstreamUnavailable", why: "deadline" }

const failureOf = <A, E extends object>(outcome: Either.Either<A, E>): object =>
  Either.match(outcome, { onLeft: (error) => ({ ...error }), onRight: () => ({ _tag: "no failure" }) })

describe("an analysis with a deadline", () => {
  it.effect("is what it is without one where everything ends in time", () =>
    Effect.gen(function* () {
      const without = Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
        analyzer.analyze({ kind: "token", address: target, chain })
      ).pipe(Effect.provide(Layer.provide(Analyzer.layer(Checks.all), over())))
      assert.deepStrictEqual(yield* analyzed([]), yield* without)
    })
  )

  it.effect.each([
    ["never ends", Effect.never],
    ["cannot be interrupted", Effect.uninterruptible(Effect.never)],
    ["dies when it is interrupted", Effect.onInterrupt(Effect.never, () => Effect.dieMessage("no"))],
    ["never ends being interrupted", Effect.onInterrupt(Effect.never, () => Effect.never)]
  ] as const)("keeps what is decided where a check %s: its claim is unknown", ([_, run]) =>
    Effect.gen(function* () {
      const [outcome, ended] = yield* passing(analyzed([slow(run)]))
      const analysis = Either.getOrThrow(outcome)
      const whole = yield* analyzed([])
      assert.deepInclude(itemOf(analysis, "x.slow"), {
        state: "unknown",
        reason: "budget_exhausted",
        detail: givenUp,
        severity: "high"
      })
      assert.deepStrictEqual(
        analysis.evidence.filter(({ id }) => id !== "x.slow"),
        whole.evidence
      )
      assert.deepStrictEqual({ ...analysis.facts, risk: null }, { ...whole.facts, risk: null })
      assert.strictEqual(analysis.status, "partial")
      assert.isAtMost(ended, deadline)
    })
  )

  it.effect("keeps what is decided where reads never end: what they cost is unknown, facts and claims", () =>
    Effect.gen(function* () {
      const [outcome] = yield* passing(analyzed([], { call: () => Effect.never }))
      const analysis = Either.getOrThrow(outcome)
      assert.strictEqual(itemOf(analysis, "address.kind")?.state, "confirmed")
      assert.deepInclude(itemOf(analysis, "token.standard"), { state: "unknown", reason: "budget_exhausted" })
      assert.strictEqual(analysis.facts.token, null)
      assert.strictEqual(analysis.facts.unread.token, "budget_exhausted")
      assert.isNotNull(analysis.facts.account)
      assert.strictEqual(analysis.sources[0]?.status, "degraded")
    })
  )

  it.effect("fails where nothing was read, or no block is pinned, in time", () =>
    Effect.gen(function* () {
      const never = () => Effect.never
      const silent = { code: never, nonce: never, balance: never, storage: never, call: never, logs: never }
      const [unread, ended] = yield* passing(analyzed([], silent))
      assert.deepInclude(failureOf(unread), overdue)
      assert.isAtMost(ended, deadline)
      yield* TestClock.setTime(0)
      const unpinned = Layer.succeed(ChainAccess.ChainAccess, { pin: never })
      const [outcome] = yield* passing(Effect.provide(analyze, Layer.provide(Analyzer.layer(Checks.all), unpinned)))
      assert.deepInclude(failureOf(outcome), overdue)
    })
  )

  it.effect("fails where reads name the block by number, and it is not shown in time that it stands", () =>
    Effect.gen(function* () {
      const capabilities = Effect.map(ScriptedChain.make(script).capabilities, (all) => ({
        ...all,
        blockByHash: false
      }))
      const [outcome] = yield* passing(analyzed([], { capabilities, stillCanonical: Effect.never }))
      assert.deepInclude(failureOf(outcome), overdue)
      yield* TestClock.setTime(0)
      const [byHash] = yield* passing(analyzed([], { stillCanonical: Effect.never }))
      assert.strictEqual(Either.getOrThrow(byHash).status, "complete")
    })
  )

  it.effect("fails at once where it is over before it begins", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(deadline)
      assert.deepInclude(failureOf(yield* Effect.either(analyzed([]))), overdue)
    })
  )

  it.effect.each([
    ["never answers", "budget_exhausted", givenUp, Effect.never],
    [
      "rejects",
      "source_unavailable",
      /^registry of others: it failed unexpectedly/,
      Effect.promise(() => Promise.reject(new Error("no")))
    ],
    [
      "throws",
      "source_unavailable",
      /^registry of others: it failed unexpectedly/,
      Effect.suspend((): Effect.Effect<never> => JSON.parse("{"))
    ]
  ] as const)("loses the claims of a source that %s, and no other", ([_, reason, detail, look]) =>
    Effect.gen(function* () {
      const registry: VerifiedSource.Registry = {
        name: "registry of others",
        page: () => "https://registry.example",
        look: () => look,
        creation: () => look
      }
      const source = Layer.succeed(VerifiedSource.VerifiedSource, { registries: [registry] })
      const [outcome] = yield* passing(
        Effect.provide(
          analyze,
          Analyzer.layer([...Checks.all, ...Checks.verifiedSource]).pipe(Layer.provide(source), Layer.provide(over()))
        )
      )
      const analysis = Either.getOrThrow(outcome)
      const whole = yield* analyzed([])
      const lost = Checks.verifiedSource.map(({ id }): string => id)
      assert.deepStrictEqual(
        analysis.evidence.filter(({ id }) => !lost.includes(id)),
        whole.evidence
      )
      for (const id of lost) {
        const item = itemOf(analysis, id)
        assert.deepInclude(item, { state: "unknown", reason })
        assert.match(item?.detail ?? "", new RegExp(detail))
      }
    })
  )

  it.effect("of several targets gives each what was decided of it, and verification what was made again", () =>
    Effect.gen(function* () {
      const [outcome] = yield* passing(
        Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
          analyzer.analyzeMany({ chain, deadline, targets: [request, { kind: "wallet", address: target }] })
        ).pipe(Effect.provide(Layer.provide(Analyzer.layer([...Checks.all, slow(Effect.never)]), over())))
      )
      const [token, wallet] = Either.getOrThrow(outcome).map(Either.getOrThrow)
      assert.strictEqual(token?.status, "partial")
      assert.strictEqual(wallet?.status, "complete")
      yield* TestClock.setTime(0)
      const analysis = yield* analyzed([])
      const verify = (repeat: ChainState["Type"]["repeat"]) =>
        passing(
          Effect.flatMap(Analyzer.Analyzer, (analyzer) => analyzer.verify({ analysis, chain, deadline })).pipe(
            Effect.provide(Layer.provide(Analyzer.layer(Checks.all), over({ repeat })))
          )
        )
      const [slowly] = yield* verify(() => Effect.never)
      const { items } = Either.getOrThrow(slowly)
      assert.isNotEmpty(items)
      for (const item of items) assert.deepInclude(item, { outcome: "unavailable", reason: "budget_exhausted" })
    })
  )

  it.effect("names the endpoints that did not answer", () =>
    Effect.gen(function* () {
      const silent: Transport["Type"] = { post: () => Effect.uninterruptible(Effect.never) }
      const [outcome, ended] = yield* passing(
        Effect.provide(
          analyze,
          Layer.provide(
            Analyzer.layer(Checks.all),
            Layer.provide(ChainAccess.layerTransport(), Layer.succeed(Transport, silent))
          )
        )
      )
      assert.deepInclude(failureOf(outcome), overdue)
      const error = Either.getOrThrow(Either.flip(outcome))
      assert.strictEqual(
        error.message,
        "Nothing could be read before the deadline; give it more time, or a faster endpoint. Endpoint 1 of scripted did not answer in time."
      )
      assert.isAtMost(ended, deadline)
    })
  )
})

describe("TimeLimit", () => {
  it.effect("keeps the last tenth of the time for the end, and two seconds at most", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* TimeLimit.make(undefined), undefined)
      assert.deepStrictEqual(yield* TimeLimit.make(1_000), { cut: 900, end: 1_000 })
      assert.deepStrictEqual(yield* TimeLimit.make(deadline), { cut: 58_000, end: deadline })
      yield* TestClock.setTime(2_000)
      assert.deepStrictEqual(yield* TimeLimit.make(1_000), { cut: 1_000, end: 1_000 })
    })
  )
})
