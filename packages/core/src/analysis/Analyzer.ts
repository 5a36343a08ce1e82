import { Clock, Context, Effect, Either, Fiber, Layer, Option, Schema } from "effect"
import { ChainAccess } from "../chain/ChainAccess.js"
import type { ChainError } from "../chain/ChainError.js"
import { ChainState } from "../chain/ChainState.js"
import type { Chain } from "../chain/Chains.js"
import * as Explorer from "../chain/Explorer.js"
import type { Reading } from "../chain/Reading.js"
import * as Check from "../checks/Check.js"
import * as TokenLists from "../data/TokenLists.js"
import type { Address } from "../domain/Address.js"
import type { Analysis } from "../domain/Analysis.js"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import * as ContentHash from "../domain/ContentHash.js"
import { type Evidence, UnknownReason } from "../domain/Evidence.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"
import type { Facts } from "../domain/Facts.js"
import { AccountKind } from "../domain/facts/AccountCode.js"
import type { Source } from "../domain/Source.js"
import type { Target, TargetKind } from "../domain/Target.js"
import * as Timestamp from "../domain/Timestamp.js"
import type { Warning } from "../domain/Warning.js"
import * as Allowances from "../facts/Allowances.js"
import * as Code from "../facts/Code.js"
import * as Control from "../facts/Control.js"
import * as Functions from "../facts/Functions.js"
import * as Minters from "../facts/Minters.js"
import * as Pools from "../facts/Pools.js"
import * as Proxy from "../facts/Proxy.js"
import * as Safe from "../facts/Safe.js"
import * as Token from "../facts/Token.js"
import * as Trade from "../facts/Trade.js"
import * as Scoring from "../risk/Scoring.js"
import * as Version from "./Version.js"

/**
 * Analyses one target at one block.
 *
 * @since 0.1.0
 * @category services
 */
export class Analyzer extends Context.Tag("@assay/core/Analyzer")<
  Analyzer,
  {
    /**
     * Reads, judges and scores. Fails with `TargetMismatch` where a token or contract has no code, and with
     * `UpstreamUnavailable` where nothing could be read or the pinned block was replaced meanwhile; whatever else goes
     * wrong is evidence that stays unknown.
     */
    readonly analyze: (request: AnalyzeRequest) => Effect.Effect<Analysis, TargetMismatch | UpstreamUnavailable>
    readonly rules: ReadonlyArray<EvidenceRule>
    readonly engineVersion: string
    readonly rulesetVersion: string
  }
>() {}

/**
 * What to analyse; the newest block is read where none is given.
 *
 * @since 0.1.0
 * @category models
 */
export interface AnalyzeRequest {
  readonly kind: TargetKind
  readonly address: Address
  readonly chain: Chain
  readonly block?: Option.Option<number> | undefined
}

/**
 * The facts that every check may read without its embedder providing them.
 *
 * @since 0.1.0
 * @category models
 */
export type BuiltIn = ChainState | Layer.Layer.Success<typeof facts>

/**
 * An analyser that runs these checks. What they read beyond the built-in facts is required of the embedder, so a source
 * that is not provided does not compile.
 *
 * @example
 * ```ts
 * import { Analyzer, Checks } from "@assay/core"
 *
 * const everything = Analyzer.layer(Checks.all)
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <const C extends ReadonlyArray<Check.Any>>(
  checks: C,
  options: {
    /** The most JSON-RPC calls that one analysis may send; 600 by default. */
    readonly maxCalls?: number | undefined
  } = {}
): Layer.Layer<Analyzer, never, ChainAccess | Exclude<Check.Requirements<C[number]>, BuiltIn>> =>
  Layer.effect(Analyzer, make(checks, options.maxCalls ?? 600))

const make = <const C extends ReadonlyArray<Check.Any>>(checks: C, maxCalls: number) =>
  Effect.gen(function* () {
    const access = yield* ChainAccess
    const provided = yield* Effect.context<Exclude<Check.Requirements<C[number]>, BuiltIn>>()
    const rules = checks.map(Check.rule)
    const rulesetVersion = `${Version.ruleset}+${CanonicalJson.hash(rules.map((rule) => `${rule.id} ${rule.version}`).sort()).slice(2, 10)}`

    const analyze = Effect.fn("Analyzer.analyze")(function* (request: AnalyzeRequest) {
      const state = yield* Effect.mapError(
        access.pin({ chain: request.chain, block: request.block ?? Option.none(), maxCalls }),
        (error) => unavailable(request.chain, error)
      )
      const context = yield* Effect.map(
        Layer.build(Layer.provideMerge(facts, Layer.succeed(ChainState, state))),
        (built) => Context.merge(provided, built)
      )
      return yield* Effect.provide(run({ checks, rules, rulesetVersion, request }), context)
    }, Effect.scoped)

    return Analyzer.of({ analyze, rules, engineVersion: Version.engine, rulesetVersion })
  })

const run = <const C extends ReadonlyArray<Check.Any>>(options: {
  readonly checks: C
  readonly rules: ReadonlyArray<EvidenceRule>
  readonly rulesetVersion: string
  readonly request: AnalyzeRequest
}) =>
  Effect.gen(function* () {
    const { request } = options
    const state = yield* ChainState
    const target: Target = {
      kind: request.kind,
      address: request.address,
      chain: { id: request.chain.id, name: request.chain.name }
    }
    // Started before the account is known, so that the common case loses no round trip; interrupted on a mismatch.
    const judged = yield* Effect.fork(
      Effect.all(
        {
          evidence: Effect.map(
            Effect.forEach(
              options.checks.filter((check) => check.targets.includes(target.kind)),
              (check) => Check.evaluate(check, target),
              { concurrency: "unbounded" }
            ),
            (lists) => lists.flat().sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
          ),
          facts: readFacts(target)
        },
        { concurrency: "unbounded" }
      )
    )
    const account = yield* Effect.either((yield* Code.Code).of(target.address))
    if (Either.isRight(account) && target.kind !== "wallet" && account.right.value.code_size === 0) {
      yield* Fiber.interrupt(judged)
      return yield* new TargetMismatch({ detected: account.right.value.kind })
    }
    // Without nonce or balance it cannot be told what stands there, but code that was read to be none is no contract.
    if (Either.isLeft(account) && target.kind !== "wallet") {
      const code = yield* Effect.either(state.code(target.address))
      if (Either.isRight(code) && code.right.value === "0x") return yield* unavailable(request.chain, account.left)
    }
    // Asked for beside the second level. Where reads name the block by hash they cannot change under us, and this only
    // tells whether that block was orphaned; where they name it by number it is asked again when all are in.
    const orphaned = yield* Effect.fork(Effect.either(state.stillCanonical))
    const { evidence, facts } = yield* Fiber.join(judged)
    const byHash = Either.match(yield* Effect.either(state.capabilities), {
      onLeft: () => false,
      onRight: (capabilities) => capabilities.blockByHash
    })
    const canonical = yield* byHash ? Fiber.join(orphaned) : Effect.either(state.stillCanonical)
    if (Either.isLeft(canonical) && !byHash) return yield* unavailable(request.chain, canonical.left)
    if (Either.isRight(canonical) && !canonical.right) {
      return yield* new UpstreamUnavailable({
        sources_failed: [{ name: sourceName(request.chain), reason: "conflicting_sources" }]
      })
    }
    if (Either.isLeft(account) && evidence.every((item) => item.observation === null)) {
      return yield* unavailable(request.chain, account.left)
    }

    const now = yield* Clock.currentTimeMillis
    const risk = Scoring.score(evidence)
    const document: Omit<Analysis, "content_hash"> = {
      target,
      status: evidence.some(lost) || Object.keys(facts.unread).length > 0 ? "partial" : "complete",
      block: state.block,
      engine_version: Version.engine,
      ruleset_version: options.rulesetVersion,
      evidence,
      facts: { ...facts, risk },
      sources: sources(state, evidence, Timestamp.fromMillis(now)),
      warnings: yield* warnings(target)
    }
    const volatile = new Set(options.rules.filter((rule) => rule.volatile).map((rule) => rule.id))
    return { ...document, content_hash: ContentHash.contentHash(document, volatile) } satisfies Analysis
  })

const facts = Layer.mergeAll(Minters.layer, Trade.layer, Allowances.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Control.layer, Functions.layer, Pools.layer)),
  Layer.provideMerge(Layer.mergeAll(Token.layer, Proxy.layer, Safe.layer)),
  Layer.provideMerge(Code.layer)
)

const readFacts = (target: Target): Effect.Effect<Omit<Facts, "risk">, never, BuiltIn> =>
  Effect.gen(function* () {
    const unread: Record<string, UnknownReason> = {}
    const note = (name: keyof Facts) => (error: ChainError) =>
      Effect.sync(() => {
        unread[name] = error.reason
        return null
      })
    const read = <A, R>(name: keyof Facts, effect: Effect.Effect<Reading<A>, ChainError, R>) =>
      Effect.catchAll(
        Effect.map(effect, (reading): A | null => reading.value),
        note(name)
      )
    const readOptional = <A, R>(name: keyof Facts, effect: Effect.Effect<Option.Option<Reading<A>>, ChainError, R>) =>
      Effect.catchAll(
        Effect.map(effect, (reading): A | null => Option.getOrNull(Option.map(reading, ({ value }) => value))),
        note(name)
      )
    const nothing = Effect.succeed(null)
    const isToken = target.kind === "token"
    const isWallet = target.kind === "wallet"
    const pools = yield* Pools.Pools
    const all = yield* Effect.all(
      {
        account: read(
          "account",
          Effect.flatMap(Code.Code, (code) => code.of(target.address))
        ),
        token: isToken
          ? read(
              "token",
              Effect.flatMap(Token.Token, (token) => token.of(target.address))
            )
          : nothing,
        proxy: isWallet
          ? nothing
          : read(
              "proxy",
              Effect.flatMap(Proxy.Proxy, (proxy) => proxy.of(target.address))
            ),
        control: isWallet
          ? nothing
          : read(
              "control",
              Effect.flatMap(Control.Control, (control) => control.of(target.address))
            ),
        pools: isToken && pools.covered ? read("pools", pools.of(target.address)) : nothing,
        trade:
          isToken && pools.covered
            ? readOptional(
                "trade",
                Effect.flatMap(Trade.Trade, (trade) => trade.of(target.address))
              )
            : nothing,
        allowances: isWallet
          ? read(
              "allowances",
              Effect.flatMap(Allowances.Allowances, (allowances) => allowances.of(target.address))
            )
          : nothing,
        safe: isToken
          ? nothing
          : readOptional(
              "safe",
              Effect.flatMap(Safe.Safe, (safe) => safe.of(target.address))
            )
      },
      { concurrency: "unbounded" }
    )
    return { ...all, unread }
  })

// The reasons that say that a source failed, in contrast to those that say that what was read does not decide.
const failures: ReadonlySet<UnknownReason> = new Set<UnknownReason>([
  "rpc_error",
  "source_unavailable",
  "rate_limited",
  "method_unsupported",
  "archive_required",
  "log_range_limited",
  "budget_exhausted",
  "dependency_unknown"
])

const lost = (item: Evidence): boolean => item.reason !== null && failures.has(item.reason)

const sourceName = (chain: Chain): string => `${chain.name} JSON-RPC`

const sources = (
  state: ChainState["Type"],
  evidence: ReadonlyArray<Evidence>,
  fetchedAt: Timestamp.Timestamp
): ReadonlyArray<Source> => {
  const ofChain: Source = {
    name: sourceName(state.chain),
    url: Explorer.blockUrl(state.chain, state.block),
    kind: "chain",
    status: evidence.some(lost) ? "degraded" : "ok",
    fetched_at: fetchedAt
  }
  const list: Source = {
    name: TokenLists.source.name,
    url: TokenLists.source.url,
    kind: "list",
    status: "ok",
    fetched_at: fetchedAt
  }
  return evidence.some((item) => item.id === "token.impersonates") ? [ofChain, list] : [ofChain]
}

const warnings = (target: Target) =>
  Effect.map(
    Pools.Pools,
    (pools): ReadonlyArray<Warning> =>
      target.kind === "token" && !pools.covered
        ? [
            {
              code: "not_covered",
              detail: "No exchange of this chain is known to this engine; trading was not simulated."
            }
          ]
        : []
  )

const unavailable = (chain: Chain, error: ChainError): UpstreamUnavailable =>
  new UpstreamUnavailable({ sources_failed: [{ name: sourceName(chain), reason: error.reason }] })

/**
 * No code stands at a token or contract address on that chain; `detected` is what does.
 *
 * @since 0.1.0
 * @category errors
 */
export class TargetMismatch extends Schema.TaggedError<TargetMismatch>()("TargetMismatch", {
  detected: AccountKind
}) {}

/**
 * Nothing could be read of the chain.
 *
 * @since 0.1.0
 * @category errors
 */
export class UpstreamUnavailable extends Schema.TaggedError<UpstreamUnavailable>()("UpstreamUnavailable", {
  sources_failed: Schema.Array(Schema.Struct({ name: Schema.String, reason: UnknownReason }))
}) {}
