import { FetchHttpClient } from "@effect/platform"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Effect, Either, Layer, Option, Redacted } from "effect"
import * as Analyzer from "../../src/analysis/Analyzer.js"
import * as Sources from "../../src/analysis/Sources.js"
import { ChainAccess } from "../../src/chain/ChainAccess.js"
import type { Chain } from "../../src/chain/Chains.js"
import * as Etherscan from "../../src/chain/sources/Etherscan.js"
import * as FourByte from "../../src/chain/sources/FourByte.js"
import * as GoPlus from "../../src/chain/sources/GoPlus.js"
import * as OpenChain from "../../src/chain/sources/OpenChain.js"
import * as SecondOpinion from "../../src/chain/sources/SecondOpinion.js"
import * as SignatureNames from "../../src/chain/sources/SignatureNames.js"
import * as Sourcify from "../../src/chain/sources/Sourcify.js"
import * as VerifiedSource from "../../src/chain/sources/VerifiedSource.js"
import { addressKind } from "../../src/checks/address/AddressKind.js"
import * as Checks from "../../src/checks/Checks.js"
import { checkId } from "../../src/domain/Evidence.js"
import type { TargetKind } from "../../src/domain/Target.js"
import * as Scoring from "../../src/risk/Scoring.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import * as Recorded from "../chain/Recorded.js"
import * as FakeService from "../chain/sources/FakeService.js"
import { erc20, openZeppelin, target } from "../checks/Scripted.js"

// On a chain that the address book does not know, so that no exchange has to be scripted.
const chain: Chain = {
  id: 31_337,
  name: "scripted",
  shortName: "scripted",
  endpoints: ["http://127.0.0.1:1"],
  explorer: Option.some("https://explorer.example"),
  addressBook: 31_337
}

const code = openZeppelin("ProxyAdmin")

const token: ScriptedChain.Script = { accounts: { [target]: { code, calls: erc20 } }, chain }

// Of those that read the chain one is enough here.
const everything = Analyzer.layer([
  addressKind,
  ...Checks.verifiedSource,
  ...Checks.signatureNames,
  ...Checks.secondOpinion
])

const analyze = (kind: TargetKind) =>
  Effect.flatMap(Analyzer.Analyzer, (analyzer) => analyzer.analyze({ kind, address: target, chain }))

const over = (script: ScriptedChain.Script) =>
  Layer.succeed(ChainAccess, { pin: () => Effect.sync(() => ScriptedChain.make(script)) })

const plain = Effect.suspend(() =>
  Effect.provide(analyze("token"), Analyzer.layer([addressKind]).pipe(Layer.provide(over(token))))
)

/** All optional sources at one service that answers as the public ones do. */
const served = (behaviour: FakeService.Behaviour = answering) =>
  Effect.map(FakeService.start(behaviour), (service) => {
    const options = { perSecond: Number.POSITIVE_INFINITY, retryDelay: 0, keep: 0, rest: 0 }
    return {
      service,
      sources: Layer.mergeAll(
        VerifiedSource.layer([
          Sourcify.make({ ...options, url: `${service.url}/sourcify` }),
          Etherscan.make({ ...options, url: `${service.url}/etherscan`, key: Redacted.make("hunter2") })
        ]),
        SignatureNames.layer([
          OpenChain.make({ ...options, url: `${service.url}/names` }),
          FourByte.make({ ...options, url: `${service.url}/more-names` })
        ]),
        GoPlus.layer({ ...options, url: `${service.url}/goplus` })
      ).pipe(Layer.provide(FetchHttpClient.layer))
    }
  })

const creation = Recorded.etherscan.creation(target, { blockNumber: "1" })

const answering: FakeService.Behaviour = ({ path, query }) =>
  path.startsWith("/sourcify/")
    ? { body: Recorded.sourcify.exact(code) }
    : path === "/etherscan"
      ? { body: query.action === "getcontractcreation" ? creation : Recorded.etherscan.unverified }
      : path.startsWith("/names/")
        ? { body: Recorded.signatures.found }
        : path.startsWith("/more-names/")
          ? { body: Recorded.fourByte.none }
          : path.startsWith("/goplus/api/v1/token_security/")
            ? { body: Recorded.goplus.token(target, {}) }
            : { body: Recorded.goplus.account({}) }

const outside = [
  "contract.creation-record",
  "contract.function-names",
  "contract.verified",
  "opinion.honeypot",
  "opinion.powers"
]

describe("optional sources", () => {
  it.scoped("add their evidence and are listed with the page that readers are sent to, never with a key", () =>
    Effect.gen(function* () {
      const { service, sources } = yield* served()
      const analysis = yield* Effect.provide(
        analyze("token"),
        everything.pipe(Layer.provide(sources), Layer.provide(over(token)))
      )
      const states = Object.fromEntries(
        analysis.evidence.filter(({ id }) => outside.includes(id)).map(({ id, state }) => [id, state])
      )
      assert.deepStrictEqual(states, {
        "contract.creation-record": "confirmed",
        "contract.function-names": "refuted",
        "contract.verified": "confirmed",
        "opinion.honeypot": "refuted",
        "opinion.powers": "refuted"
      })
      assert.strictEqual(analysis.status, (yield* plain).status)
      assert.deepStrictEqual(
        analysis.sources.map(({ kind, name, status }) => [name, kind, status]),
        [
          ["scripted JSON-RPC", "chain", "ok"],
          ["4byte.directory", "service", "ok"],
          ["Etherscan", "service", "ok"],
          ["GoPlus", "service", "ok"],
          ["Sourcify", "service", "ok"],
          ["signature database", "service", "ok"]
        ]
      )
      assert.strictEqual(
        analysis.evidence.find(({ id }) => id === "contract.verified")?.source_url,
        `${service.url}/sourcify/v2/contract/31337/${target}`
      )
      assert.notInclude(JSON.stringify(analysis), "hunter2")
      assert.isTrue(service.requests.some(({ query }) => query.apikey === "hunter2"))
      assert.strictEqual(service.requests.filter(({ path }) => path.startsWith("/goplus")).length, 1)
    })
  )

  it.scoped("leave the recipe of every answer that evidence rests on, once each", () =>
    Effect.gen(function* () {
      const { sources } = yield* served()
      const analysis = yield* Effect.provide(
        analyze("token"),
        everything.pipe(Layer.provide(sources), Layer.provide(over(token)))
      )
      const web = analysis.recipes.filter(({ method }) => method === "GET")
      const hashes = web.map(({ params_hash }) => params_hash)
      assert.lengthOf([...new Set(hashes)], hashes.length)
      for (const { id, observation } of analysis.evidence)
        if (outside.includes(id)) {
          assert.strictEqual(observation?.block_hash, analysis.block.hash)
          assert.include(hashes, observation?.params_hash)
        }
    })
  )

  it.scoped("that are away cost their own checks alone, and are listed as failed while the chain stays ok", () =>
    Effect.gen(function* () {
      const there = yield* served()
      const away = yield* served(() => "reset")
      const run = (sources: typeof there.sources) =>
        Effect.provide(analyze("token"), everything.pipe(Layer.provide(sources), Layer.provide(over(token))))
      const [good, bad] = [yield* run(there.sources), yield* run(away.sources)]
      assert.strictEqual(bad.status, "partial")
      const others = (analysis: typeof good) => analysis.evidence.filter(({ id }) => !outside.includes(id))
      assert.deepStrictEqual(others(bad), others(good))
      assert.deepStrictEqual(
        bad.evidence.filter(({ id }) => outside.includes(id)).map(({ id, reason, state }) => [id, state, reason]),
        outside.map((id) => [id, "unknown", "source_unavailable"])
      )
      assert.deepStrictEqual(
        bad.sources.map(({ name, status }) => [name, status]),
        [
          ["scripted JSON-RPC", "ok"],
          ["4byte.directory", "failed"],
          ["Etherscan", "failed"],
          ["GoPlus", "failed"],
          ["Sourcify", "failed"],
          ["signature database", "failed"]
        ]
      )
      const [before, after] = [Scoring.score(good.evidence), Scoring.score(bad.evidence)]
      assert.isAtMost(after.score ?? 0, before.score ?? 100)
      assert.isTrue(after.level === before.level || after.level === "unknown")
    })
  )

  it.scoped("do not stand in for a chain that could not be read at all", () =>
    Effect.gen(function* () {
      const { sources } = yield* served()
      const failure = yield* Effect.either(
        Effect.provide(
          analyze("wallet"),
          everything.pipe(Layer.provide(sources), Layer.provide(over({ ...token, fault: () => "rate_limited" })))
        )
      )
      assert.strictEqual(Either.isLeft(failure) && failure.left._tag, "UpstreamUnavailable")
    })
  )

  it.scoped("judge a wallet too", () =>
    Effect.gen(function* () {
      const { sources } = yield* served()
      const analysis = yield* Effect.provide(
        analyze("wallet"),
        everything.pipe(Layer.provide(sources), Layer.provide(over({ accounts: { [target]: { nonce: 1 } }, chain })))
      )
      assert.deepInclude(
        analysis.evidence.find(({ id }) => checkId(id) === "opinion.flagged"),
        { state: "refuted" }
      )
    })
  )

  it.effect("that are disabled say so, and are no failure", () =>
    Effect.gen(function* () {
      const disabled = Layer.mergeAll(
        VerifiedSource.layerDisabled,
        SignatureNames.layerDisabled,
        SecondOpinion.layerDisabled
      )
      const analysis = yield* Effect.provide(
        analyze("token"),
        everything.pipe(Layer.provide(disabled), Layer.provide(over(token)))
      )
      assert.strictEqual(analysis.status, (yield* plain).status)
      assert.deepStrictEqual(
        analysis.evidence.filter(({ id }) => outside.includes(id)).map(({ reason }) => reason),
        outside.map(() => "source_disabled" as const)
      )
    })
  )

  it.effect("are part of the ruleset, and required where one of their checks is", () =>
    Effect.gen(function* () {
      const version = Effect.map(
        Effect.flatMap(Analyzer.Analyzer, ({ ruleset }) => ruleset),
        ({ version }) => version
      )
      const plain = yield* Effect.provide(version, Layer.provide(Analyzer.layer(Checks.all), over(token)))
      const sourced = yield* Effect.provide(
        version,
        Analyzer.layer([...Checks.all, ...Checks.verifiedSource]).pipe(
          Layer.provide([over(token), VerifiedSource.layerDisabled])
        )
      )
      assert.notStrictEqual(plain, sourced)
      const unprovided = Analyzer.layer([...Checks.all, ...Checks.verifiedSource, ...Checks.secondOpinion])
      expectTypeOf(unprovided).toEqualTypeOf<
        Layer.Layer<Analyzer.Analyzer, never, ChainAccess | VerifiedSource.VerifiedSource | SecondOpinion.SecondOpinion>
      >()
      // @ts-expect-error: no registry of sources is provided.
      const missing: Layer.Layer<Analyzer.Analyzer, never, ChainAccess> = Analyzer.layer(Checks.verifiedSource)
      assert.isTrue(Layer.isLayer(missing))
    })
  )
})

const added = (sources: Partial<Sources.Sources>) =>
  Sources.checks({ ...Sources.none, ...sources })
    .slice(Checks.all.length)
    .map(({ id }) => id)

describe("the choice of sources", () => {
  it("add their checks where they are configured, and none otherwise", () => {
    assert.deepStrictEqual(Sources.checks(Sources.none), [...Checks.all])
    const ofRegistries = ["contract.verified", "contract.creation-record"]
    assert.deepStrictEqual(added({ sourcify: Option.some("https://x.example") }), ofRegistries)
    assert.deepStrictEqual(
      added({ etherscan: Option.some({ key: Redacted.make("k"), url: "https://x.example" }) }),
      ofRegistries
    )
    assert.deepStrictEqual(added({ signatures: Option.some("https://x.example") }), ["contract.function-names"])
    assert.deepStrictEqual(added({ fourByte: Option.some("https://x.example") }), ["contract.function-names"])
    assert.deepStrictEqual(added({ goplus: Option.some("https://x.example") }), [
      "opinion.honeypot",
      "opinion.powers",
      "opinion.flagged"
    ])
  })
})
