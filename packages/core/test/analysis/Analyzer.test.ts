import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Cause, Context, Effect, Either, Exit, Layer, Option, Ref, Schema, TestClock } from "effect"
import * as Analyzer from "../../src/analysis/Analyzer.js"
import * as Version from "../../src/analysis/Version.js"
import { ChainAccess } from "../../src/chain/ChainAccess.js"
import * as ChainBook from "../../src/chain/ChainBook.js"
import { ChainError } from "../../src/chain/ChainError.js"
import type { Chain } from "../../src/chain/Chains.js"
import type { ChainState } from "../../src/chain/state/ChainState.js"
import { addressKind } from "../../src/checks/address/AddressKind.js"
import * as Check from "../../src/checks/Check.js"
import * as Checks from "../../src/checks/Checks.js"
import { impersonates } from "../../src/checks/token/identity/Impersonates.js"
import { listed } from "../../src/checks/token/identity/Listed.js"
import { Analysis } from "../../src/domain/Analysis.js"
import { checkId } from "../../src/domain/Evidence.js"
import type { AccountKind } from "../../src/domain/facts/AccountCode.js"
import type { TargetKind } from "../../src/domain/Target.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import { alice, bob, erc20, failing, inert, person, target } from "../checks/Scripted.js"

// On a chain that the address book does not know, so that no exchange has to be scripted.
const chain: Chain = {
  id: 31_337,
  name: "scripted",
  shortName: "scripted",
  endpoints: ["http://user:secret@127.0.0.1:1"],
  explorer: Option.none(),
  addressBook: 31_337
}

const token: ScriptedChain.Script = { accounts: { [target]: { code: inert, calls: erc20 } }, chain }

type Pin = ChainAccess["Type"]["pin"]

const pinning = (pin: Pin) => Layer.succeed(ChainAccess, { pin })

const over = (script: ScriptedChain.Script, changes: Partial<ChainState["Type"]> = {}) =>
  pinning(() => Effect.sync(() => ({ ...ScriptedChain.make({ chain, ...script }), ...changes })))

const analyze = (kind: TargetKind, options: Partial<Analyzer.AnalyzeRequest> = {}) =>
  Effect.flatMap(Analyzer.Analyzer, (analyzer) => analyzer.analyze({ kind, address: target, chain, ...options }))

const standard = Analyzer.layer(Checks.all)

const analyzed = (kind: TargetKind, script: ScriptedChain.Script, changes?: Partial<ChainState["Type"]>) =>
  analyze(kind).pipe(Effect.provide(Layer.provide(standard, over(script, changes))))

/** Its members: an error that passed a span is a proxy, which chai follows for ever. */
const failure = <A, E extends object, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.either(effect),
    Either.match({ onLeft: (error): object => ({ ...error }), onRight: () => ({ _tag: "no failure" }) })
  )

const unavailable = (reason: string) => ({
  _tag: "UpstreamUnavailable",
  sources_failed: [{ name: "scripted JSON-RPC", reason }],
  why: reason === "conflicting_sources" ? "block_replaced" : "unreadable",
  endpoints: []
})

const lost = (method = "eth_getBlockByNumber") =>
  new ChainError({ reason: "source_unavailable", method, retryable: true, detail: "no endpoint" })

const itemOf = (analysis: Analysis, id: string) => analysis.evidence.find((item) => item.id === id)

class Oracle extends Context.Tag("test/Oracle")<Oracle, { readonly ask: Effect.Effect<boolean, ChainError> }>() {}

const mine = Check.make({
  id: "token.blessed",
  code: "Z-01",
  version: 1,
  targets: ["token"],
  claim: "The oracle blesses the token",
  polarity: "protective",
  severity: "low",
  dimension: "identity",
  value: Schema.Struct({ blessed: Schema.Boolean }),
  run: () =>
    Effect.gen(function* () {
      const blessed = yield* (yield* Oracle).ask
      const verdict = blessed ? Check.confirmed : Check.refuted
      return [verdict({ value: { blessed }, detail: "by the oracle" })]
    })
})

describe("Analyzer.analyze", () => {
  it.effect("gives a whole document of the target at the pinned block, evidence in the order of ids", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const analysis = yield* analyzed("token", token)
      assert.isTrue(Schema.is(Analysis)(analysis))
      assert.deepStrictEqual(JSON.parse(JSON.stringify(analysis)), analysis)
      assert.deepStrictEqual(analysis.target, {
        kind: "token",
        address: target,
        chain: { id: 31_337, name: "scripted" }
      })
      assert.strictEqual(analysis.status, "complete")
      assert.strictEqual(analysis.block.number, 1_000_000)
      assert.strictEqual(analysis.engine_version, Version.engine)
      const ids = analysis.evidence.map((item) => item.id)
      assert.includeMembers(ids, ["address.kind", "token.standard", "token.metadata-readable", "proxy.kind"])
      assert.deepStrictEqual(ids, [...ids].sort())
      assert.strictEqual(analysis.facts.token?.symbol, "JNP")
      assert.isNotNull(analysis.facts.risk)
      assert.deepStrictEqual(analysis.facts.unread, {})
      assert.deepStrictEqual(
        analysis.sources.map(({ fetched_at, kind, name, status }) => ({ fetched_at, kind, name, status })),
        [{ fetched_at: "2023-11-14T22:13:20.000Z", kind: "chain", name: "scripted JSON-RPC", status: "ok" }]
      )
      assert.notInclude(JSON.stringify(analysis), "secret")
    })
  )

  it.effect("gives the same bytes of the same state, whoever repeats the request", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* analyzed("token", token), yield* analyzed("token", token))
    })
  )

  it.effect("pins the requested block, the newest by default, with 600 calls or as many as configured", () =>
    Effect.gen(function* () {
      const seen = yield* Ref.make<ReadonlyArray<Parameters<Pin>[0]>>([])
      const access = pinning((options) =>
        Effect.as(
          Ref.update(seen, (all) => [...all, options]),
          ScriptedChain.make(token)
        )
      )
      const of = (layer: typeof standard, options: Partial<Analyzer.AnalyzeRequest>) =>
        Effect.provide(analyze("token", options), Layer.provide(layer, access))
      yield* of(standard, {})
      yield* of(Analyzer.layer(Checks.all, { maxCalls: 9 }), { block: Option.some(77) })
      assert.deepStrictEqual(yield* Ref.get(seen), [
        { chain, block: Option.none(), maxCalls: 600 },
        { chain, block: Option.some(77), maxCalls: 9 }
      ])
    })
  )

  it.effect.each<readonly [AccountKind, string, ScriptedChain.Account]>([
    ["eoa", "that has sent something", person],
    ["eoa", "that holds something", { balance: 1n }],
    ["empty", "address", {}]
  ])("refuses an %s %s as token or contract, and takes it as wallet", ([detected, _, it]) =>
    Effect.gen(function* () {
      const script = { accounts: { [target]: it }, chain }
      for (const kind of ["token", "contract"] as const)
        assert.deepStrictEqual(yield* failure(analyzed(kind, script)), {
          _tag: "TargetMismatch",
          detected,
          target: { kind, address: target, chain: { id: 31_337, name: "scripted" } }
        })
      const analysis = yield* analyzed("wallet", script)
      assert.strictEqual(analysis.facts.account?.kind, detected)
    })
  )

  it.effect("takes a contract as a wallet, and a request with a kind has the evidence of that kind", () =>
    Effect.gen(function* () {
      const kinds = new Map<string, ReadonlyArray<string>>(Checks.all.map((check) => [check.id, check.targets]))
      for (const kind of ["token", "wallet", "contract"] as const) {
        const analysis = yield* analyzed(kind, token)
        assert.isNotEmpty(analysis.evidence)
        for (const item of analysis.evidence) assert.include(kinds.get(checkId(item.id)) ?? [], kind)
      }
    })
  )

  it.effect("says that no exchange is known, of tokens alone, and no sanctions oracle, of wallets alone", () =>
    Effect.gen(function* () {
      const warned = (kind: TargetKind) =>
        Effect.map(analyzed(kind, token), ({ warnings }) => warnings.map(({ code, detail }) => [code, detail] as const))
      const [ofToken, ...moreOfToken] = yield* warned("token")
      assert.isEmpty(moreOfToken)
      assert.strictEqual(ofToken?.[0], "not_covered")
      assert.include(ofToken?.[1], "exchange")
      assert.deepStrictEqual(yield* warned("contract"), [])
      const [ofWallet, ...moreOfWallet] = yield* warned("wallet")
      assert.isEmpty(moreOfWallet)
      assert.strictEqual(ofWallet?.[0], "not_covered")
      assert.include(ofWallet?.[1], "sanctions oracle")
    })
  )

  it.effect("is unavailable where no block could be pinned, and names no endpoint", () =>
    Effect.gen(function* () {
      const error = yield* failure(
        analyze("token").pipe(
          Effect.provide(
            Layer.provide(
              standard,
              pinning(() => lost())
            )
          )
        )
      )
      assert.deepStrictEqual(error, unavailable("source_unavailable"))
    })
  )

  it.effect(
    "ends where what is known about the chain cannot be loaded, rather than finding no pool or listed token",
    () =>
      Effect.gen(function* () {
        const offline = () => Promise.reject(new Error("offline"))
        const exit = yield* Effect.exit(Effect.provideService(analyzed("token", token), ChainBook.Loader, offline))
        const [defect] = Exit.isFailure(exit) ? Cause.defects(exit.cause) : []
        assert.instanceOf(defect, Analyzer.PartUnavailable)
      })
  )

  it.effect("is unavailable where every read failed, whatever the target", () =>
    Effect.gen(function* () {
      for (const kind of ["token", "wallet", "contract"] as const) {
        const error = yield* failure(analyzed(kind, { ...token, fault: () => "rate_limited" }))
        assert.deepStrictEqual(error, unavailable("rate_limited"))
      }
    })
  )

  it.effect("is unavailable where the block was orphaned meanwhile, though every read was answered", () =>
    Effect.gen(function* () {
      for (const blockByHash of [true, false]) {
        const error = yield* failure(
          analyzed("token", { ...token, capabilities: { blockByHash } }, { stillCanonical: Effect.succeed(false) })
        )
        assert.deepStrictEqual(error, unavailable("conflicting_sources"))
      }
    })
  )

  /** A chain with first blocks that are replaced while they are read; each view of it has sent some calls. */
  const replacing = (times: number, calls = 100) => {
    const pins: Array<Parameters<Pin>[0]> = []
    const views: Array<ChainState["Type"]> = []
    const layer = pinning((request) =>
      Effect.sync(() => {
        pins.push(request)
        const count = pins.length
        const state: ChainState["Type"] = {
          ...ScriptedChain.make(token),
          stillCanonical: Effect.sync(() => count > times),
          spending: Effect.succeed({ requests: 1, calls, levels: 1 })
        }
        views.push(state)
        return state
      })
    )
    return { pins, views, layer: Layer.provide(standard, layer) }
  }

  it.effect("begins anew where the block was replaced, with what is left of the budget and of the patience", () =>
    Effect.gen(function* () {
      for (const times of [1, 2, 3]) {
        const { layer, pins, views } = replacing(times)
        const waitUntil = 1_000_000
        const analysis = yield* Effect.provide(analyze("token", { waitUntil }), layer)
        assert.strictEqual(analysis.status, "complete")
        assert.deepStrictEqual(
          pins.map((pin) => pin.maxCalls),
          [600, 500, 400, 300].slice(0, times + 1)
        )
        assert.deepStrictEqual([...new Set(pins.map((pin) => pin.waitUntil))], [waitUntil])
        assert.deepStrictEqual(
          pins.map((pin) => pin.insteadOf === undefined),
          pins.map((_, index) => index === 0)
        )
        for (const [index, pin] of pins.slice(1).entries()) assert.strictEqual(pin.insteadOf, views[index])
      }
    })
  )

  it.effect("gives up on a chain that goes on replacing the block, or once the budget is spent", () =>
    Effect.gen(function* () {
      for (const [calls, expected] of [
        [100, 4],
        [300, 2],
        [600, 1]
      ] as const) {
        const { layer, pins } = replacing(9, calls)
        const error = yield* failure(Effect.provide(analyze("token"), layer))
        assert.deepStrictEqual(error, unavailable("conflicting_sources"))
        assert.strictEqual(pins.length, expected)
      }
    })
  )

  it.effect("begins anew with all targets where the block of one was replaced", () =>
    Effect.gen(function* () {
      const { layer, pins } = replacing(1)
      const targets = [
        { kind: "token", address: target },
        { kind: "contract", address: target }
      ] as const
      const results = yield* Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
        analyzer.analyzeMany({ chain, targets })
      ).pipe(Effect.provide(layer))
      assert.isTrue(results.every(Either.isRight))
      assert.deepStrictEqual(
        pins.map((pin) => pin.maxCalls),
        [1_200, 1_100]
      )
    })
  )

  it.effect("reads the block again after the last read where reads name it by number", () =>
    Effect.gen(function* () {
      const asked = yield* Ref.make(0)
      const stillCanonical = Effect.map(
        Ref.updateAndGet(asked, (count) => count + 1),
        (count) => count === 1
      )
      const error = yield* failure(
        analyzed("token", { ...token, capabilities: { blockByHash: false } }, { stillCanonical })
      )
      assert.deepStrictEqual(error, unavailable("conflicting_sources"))
      yield* Ref.set(asked, 0)
      const byHash = yield* analyzed("token", token, { stillCanonical })
      assert.strictEqual(byHash.status, "complete")
      assert.strictEqual(yield* Ref.get(asked), 1)
    })
  )

  it.effect("stands where reads named the block by hash and only the second read of the block failed", () =>
    Effect.gen(function* () {
      const analysis = yield* analyzed("token", token, { stillCanonical: lost() })
      assert.strictEqual(analysis.status, "complete")
    })
  )

  it.effect("is partial where a source failed, with the reason in evidence and facts and the source degraded", () =>
    Effect.gen(function* () {
      const analysis = yield* analyzed("token", { ...token, fault: failing("eth_call") })
      assert.strictEqual(analysis.status, "partial")
      assert.deepInclude(itemOf(analysis, "token.standard"), { state: "unknown", reason: "rate_limited", value: null })
      assert.strictEqual(itemOf(analysis, "address.kind")?.state, "confirmed")
      assert.strictEqual(analysis.facts.token, null)
      assert.strictEqual(analysis.facts.unread.token, "rate_limited")
      assert.strictEqual(analysis.sources[0]?.status, "degraded")
    })
  )

  it.effect("is complete where what was read does not decide", () =>
    Effect.gen(function* () {
      // A jump to where the caller says: no code can be followed to its end.
      const analysis = yield* analyzed("token", {
        accounts: { [target]: { code: "0x5f3556", calls: erc20 } },
        chain
      })
      const undecided = analysis.evidence.filter((item) => item.state === "unknown")
      assert.isNotEmpty(undecided)
      for (const item of undecided) assert.strictEqual(item.reason, "inconclusive")
      assert.strictEqual(analysis.status, "complete")
      assert.strictEqual(analysis.sources[0]?.status, "ok")
    })
  )

  it.effect("names the token list as a source where one of its checks said something, and only there", () =>
    Effect.gen(function* () {
      // The list covers this chain, on which no exchange would have to be scripted.
      const covered = { ...chain, addressBook: 4_663 }
      const kinds = (checks: ReadonlyArray<typeof listed | typeof impersonates | typeof addressKind>, on: Chain) =>
        Effect.map(
          Effect.provide(
            analyze("token", { chain: on }),
            Layer.provide(
              Analyzer.layer(checks),
              pinning(() => Effect.sync(() => ScriptedChain.make({ ...token, chain: on })))
            )
          ),
          ({ sources }) => sources.map(({ kind }) => kind)
        )
      assert.deepStrictEqual(yield* kinds([listed], covered), ["chain", "list"])
      assert.deepStrictEqual(yield* kinds([impersonates], covered), ["chain", "list"])
      assert.deepStrictEqual(yield* kinds([addressKind], covered), ["chain"])
      assert.deepStrictEqual(yield* kinds([listed], chain), ["chain"])
    })
  )

  it.effect("is partial where the calls were used up before all was read, and never better than the whole", () =>
    Effect.gen(function* () {
      const script: ScriptedChain.Script = {
        accounts: { [target]: { code: inert, calls: erc20 }, [alice]: person, [bob]: { code: inert } },
        chain
      }
      const whole = yield* analyzed("token", script)
      let exhausted = 0
      for (let most = 1; most < 40; most += 3) {
        let calls = 0
        const outcome = yield* Effect.either(
          analyzed("token", { ...script, fault: () => (++calls > most ? "budget_exhausted" : undefined) })
        )
        if (Either.isLeft(outcome)) {
          assert.deepStrictEqual({ ...outcome.left } as unknown, unavailable("budget_exhausted"))
          continue
        }
        const analysis = outcome.right
        if (calls <= most) {
          assert.strictEqual(analysis.content_hash, whole.content_hash)
          continue
        }
        exhausted++
        assert.strictEqual(analysis.status, "partial")
        assert.include(
          [...analysis.evidence.map((item) => item.reason), ...Object.values(analysis.facts.unread)],
          "budget_exhausted"
        )
        assert.isAtMost(analysis.facts.risk?.score ?? -1, whole.facts.risk?.score ?? -1)
        for (const item of analysis.evidence)
          if (item.state !== "unknown") assert.strictEqual(item.state, itemOf(whole, item.id)?.state, item.id)
      }
      assert.isAbove(exhausted, 2)
    })
  )

  it.effect("loses to a balance or nonce that was not read what rests on it and nothing else", () =>
    Effect.gen(function* () {
      const analysis = yield* analyzed("token", { ...token, fault: failing("eth_getBalance") })
      assert.strictEqual(analysis.status, "partial")
      assert.strictEqual(itemOf(analysis, "address.kind")?.state, "unknown")
      assert.strictEqual(itemOf(analysis, "token.standard")?.state, "confirmed")
    })
  )

  it.effect("never judges an address without code as a token, also where its kind was not read", () =>
    Effect.gen(function* () {
      for (const method of ["eth_getBalance", "eth_getTransactionCount"]) {
        const script = { accounts: { [target]: person }, chain, fault: failing(method) }
        assert.deepStrictEqual(yield* failure(analyzed("token", script)), unavailable("rate_limited"))
        assert.strictEqual((yield* analyzed("wallet", script)).status, "partial")
      }
    })
  )
})

describe("Analyzer.layer", () => {
  const checks = [...Checks.all, mine] as const
  const blessing = (ask: Effect.Effect<boolean, ChainError>) =>
    Analyzer.layer(checks).pipe(Layer.provide([over(token), Layer.succeed(Oracle, { ask })]))

  it.effect("runs a check of the embedder's own beside all others", () =>
    Effect.gen(function* () {
      const analysis = yield* Effect.provide(analyze("token"), blessing(Effect.succeed(true)))
      assert.deepInclude(itemOf(analysis, "token.blessed"), { state: "confirmed", value: { blessed: true } })
      const without = yield* analyzed("token", token)
      assert.deepStrictEqual(
        analysis.evidence.filter((item) => item.id !== "token.blessed"),
        without.evidence
      )
    })
  )

  it.effect("lets a failed source of its own cost that check alone", () =>
    Effect.gen(function* () {
      const analysis = yield* Effect.provide(analyze("token"), blessing(lost("oracle")))
      assert.strictEqual(analysis.status, "partial")
      assert.deepStrictEqual(
        analysis.evidence.filter((item) => item.reason === "source_unavailable").map((item) => item.id),
        ["token.blessed"]
      )
    })
  )

  it.effect("gives each set of checks a version of its own, and each set its rules", () =>
    Effect.gen(function* () {
      const versionOf = <const C extends ReadonlyArray<Check.Check<never, never>>>(all: C) =>
        Effect.flatMap(Analyzer.Analyzer, ({ engineVersion, ruleset }) =>
          Effect.map(ruleset, (all) => ({ ...all, engineVersion }))
        ).pipe(Effect.provide(Layer.provide(Analyzer.layer(all), over(token))))
      const versions = yield* Effect.forEach(
        [
          Checks.all,
          [...Checks.all, mine],
          [...Checks.all, { ...mine, version: 2 }],
          [...Checks.all, { ...mine, id: "token.cursed" }],
          [mine]
        ],
        (all) =>
          Effect.map(versionOf(all as unknown as ReadonlyArray<Check.Check<never, never>>), ({ rules, version }) => {
            assert.deepStrictEqual(
              rules.map((rule) => rule.id),
              all.map((check) => check.id)
            )
            return version
          })
      )
      assert.lengthOf([...new Set(versions)], versions.length)
      for (const version of versions) assert.match(version, /^\d{4}\.\d+\.\d+\+[0-9a-f]{8}$/)
      const again = yield* versionOf([mine] as unknown as ReadonlyArray<Check.Check<never, never>>)
      assert.strictEqual(again.version, versions.at(-1))
      assert.strictEqual(again.engineVersion, Version.engine)
      const turned = yield* versionOf([mine, ...Checks.all] as unknown as ReadonlyArray<Check.Check<never, never>>)
      assert.strictEqual(turned.version, versions[1])
    })
  )

  it("does not compile without the source of a check, and requires nothing but the chain without one", () => {
    expectTypeOf<Check.Requirements<(typeof Checks.all)[number]>>().not.toBeAny()
    expectTypeOf<Check.Requirements<(typeof Checks.all)[number]>>().not.toBeUnknown()
    expectTypeOf<Analyzer.BuiltIn>().not.toBeAny()
    expectTypeOf(standard).toEqualTypeOf<Layer.Layer<Analyzer.Analyzer, never, ChainAccess>>()
    const unprovided = Analyzer.layer([...Checks.all, mine])
    expectTypeOf(unprovided).toEqualTypeOf<Layer.Layer<Analyzer.Analyzer, never, ChainAccess | Oracle>>()
    // @ts-expect-error: the oracle is not provided.
    const missing: Layer.Layer<Analyzer.Analyzer, never, ChainAccess> = Analyzer.layer([...Checks.all, mine])
    assert.isTrue(Layer.isLayer(missing))
  })
})

describe("an analyser on demand", () => {
  const inner = Layer.provide(Analyzer.layer([addressKind]), over(token))

  /** Its answer, with how often the engine was loaded: `load` gets the number of times. */
  const counted = (load: (times: number) => Layer.Layer<Analyzer.Analyzer>) =>
    Effect.map(Ref.make(0), (times) => ({
      times: Ref.get(times),
      layer: Analyzer.layerOnDemand(
        Effect.map(
          Ref.updateAndGet(times, (n) => n + 1),
          load
        )
      )
    }))

  it.effect("loads the engine with the first use, and once for all that use it at the same time", () =>
    Effect.gen(function* () {
      const { layer, times } = yield* counted(() => inner)
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* Analyzer.Analyzer).engineVersion, Version.engine)
        assert.strictEqual(yield* times, 0)
        const [first, second, ruleset] = yield* Effect.all(
          [analyze("token"), analyze("token"), Effect.flatMap(Analyzer.Analyzer, (analyzer) => analyzer.ruleset)],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(second, first)
        assert.strictEqual(first.ruleset_version, ruleset.version)
        assert.strictEqual(yield* times, 1)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("fails the use that cannot load it, and loads it for the next one", () =>
    Effect.gen(function* () {
      const { layer, times } = yield* counted((n) => (n === 1 ? Layer.die("no such file") : inner))
      yield* Effect.gen(function* () {
        const failed = yield* Effect.exit(analyze("token"))
        assert.isTrue(Exit.isFailure(failed) && Cause.isDie(failed.cause))
        assert.strictEqual((yield* analyze("token")).status, "complete")
        assert.strictEqual(yield* times, 2)
      }).pipe(Effect.provide(layer))
    })
  )
})
