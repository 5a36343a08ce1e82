/** @internal */

import { Clock, Context, Duration, Effect, Either, Fiber, Option, Schedule } from "effect"
import { ChainAccess } from "../chain/ChainAccess.js"
import * as ChainBook from "../chain/ChainBook.js"
import type { ChainError } from "../chain/ChainError.js"
import type { Chain } from "../chain/Chains.js"
import * as Explorer from "../chain/sources/Explorer.js"
import * as BlockUse from "../chain/state/BlockUse.js"
import { ChainState } from "../chain/state/ChainState.js"
import type { Reading } from "../chain/state/Reading.js"
import * as Check from "../checks/Check.js"
import * as Checks from "../checks/Checks.js"
import * as ForeignCheck from "../checks/ForeignCheck.js"
import * as NativeTarget from "../checks/NativeTarget.js"
import * as TokenLists from "../data/TokenLists.js"
import type { Analysis } from "../domain/Analysis.js"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import * as ContentHash from "../domain/ContentHash.js"
import type { Evidence, Observation, UnknownReason } from "../domain/Evidence.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"
import type { Facts } from "../domain/Facts.js"
import type { Recipe } from "../domain/Recipe.js"
import type { Source } from "../domain/Source.js"
import type { Target } from "../domain/Target.js"
import * as Timestamp from "../domain/Timestamp.js"
import type { VerifiedItem } from "../domain/Verification.js"
import type { Warning } from "../domain/Warning.js"
import * as Evmole from "../evm/bytecode/Evmole.js"
import * as Code from "../facts/code/Code.js"
import * as CodeReadings from "../facts/code/CodeReadings.js"
import * as Earlier from "../facts/code/Earlier.js"
import * as Proxy from "../facts/code/Proxy.js"
import * as Control from "../facts/control/Control.js"
import * as Safe from "../facts/control/Safe.js"
import * as Defect from "../facts/Defect.js"
import * as Pools from "../facts/market/Pools.js"
import * as Token from "../facts/market/Token.js"
import * as Counterfactual from "../facts/powers/Counterfactual.js"
import * as Trade from "../facts/trade/Trade.js"
import * as Allowances from "../facts/wallet/Allowances.js"
import * as Permit2Allowances from "../facts/wallet/Permit2Allowances.js"
import * as Portfolio from "../facts/wallet/Portfolio.js"
import * as Sanctions from "../facts/wallet/Sanctions.js"
import * as Scoring from "../risk/Scoring.js"
import * as Together from "../runtime/Together.js"
import { traced } from "../runtime/Traced.js"
import * as Turns from "../runtime/Turns.js"
import { TargetMismatch, UpstreamUnavailable } from "./AnalysisError.js"
import type { AnalyzeManyRequest, AnalyzeRequest, VerifyRequest } from "./AnalyzeRequest.js"
import * as FactSet from "./FactSet.js"
import * as NotedReads from "./NotedReads.js"
import * as QuietRuns from "./QuietRuns.js"
import * as TimeLimit from "./TimeLimit.js"
import * as Version from "./Version.js"

/** Reads, judges and scores with these checks, sending at most so many JSON-RPC calls an analysis. */
export const make = <const C extends ReadonlyArray<Check.Any>>(checks: C, maxCalls: number) =>
  Effect.gen(function* () {
    const refused = Checks.refusal(checks)
    // A mistake in the program: its author sees it before anything is read.
    if (Option.isSome(refused)) return yield* Effect.die(refused.value)
    // Without it, functions would be missing in silence.
    yield* Evmole.load
    const access = yield* ChainAccess
    const provided = yield* Effect.context<Exclude<Check.Requirements<C[number]>, FactSet.BuiltIn>>()
    const rules = checks.map(Checks.rule)
    const versions = [...rules.map((rule) => `${rule.id} ${rule.version}`).sort(), `risk ${Scoring.methodologyVersion}`]
    const rulesetVersion = `${Version.ruleset}+${CanonicalJson.hash(versions).slice(2, 10)}`

    const pin = (
      request: Pick<AnalyzeRequest, "chain" | "block" | "priority" | "waitUntil">,
      budget: number,
      limit: TimeLimit.TimeLimit | undefined,
      insteadOf?: ChainState["Type"]
    ) =>
      // Facts and checks read the book: it is loaded here, where the wait for it ends with the time that there is.
      ChainBook.of(request.chain.addressBook).pipe(
        Effect.zipRight(
          access.pin({
            chain: request.chain,
            block: request.block ?? Option.none(),
            maxCalls: budget,
            ...(insteadOf === undefined ? {} : { insteadOf }),
            ...timing(request, limit)
          })
        ),
        TimeLimit.until(limit?.end, TimeLimit.over),
        Effect.catchAll((error) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            limit !== undefined && now >= limit.cut
              ? overdue(request.chain, error.endpoints)
              : unavailable(request.chain, error)
          )
        )
      )

    /**
     * Runs on a pinned block. If the block was replaced meanwhile, it starts again at the present one, with the rest of
     * the budget and of the time. If the chain keeps forking, the last result counts.
     */
    const atStandingBlock = <A, E, R>(
      request: Parameters<typeof pin>[0],
      budget: number,
      limit: TimeLimit.TimeLimit | undefined,
      use: (state: ChainState["Type"]) => Effect.Effect<A, E, R>,
      isReplaced: (result: A) => boolean
    ) => {
      const attempt = (
        budget: number,
        again: number,
        insteadOf?: ChainState["Type"]
      ): Effect.Effect<A, E | UpstreamUnavailable, R> =>
        Effect.scoped(
          Effect.gen(function* () {
            const state = yield* pin(request, budget, limit, insteadOf)
            const result = yield* use(state)
            return { state, result, left: budget - (yield* state.spending).calls }
          })
        ).pipe(
          Effect.flatMap(({ left, result, state }) =>
            isReplaced(result) && again > 0 && left > 0 ? attempt(left, again - 1, state) : Effect.succeed(result)
          )
        )
      return attempt(budget, replacementsAtMost)
    }

    // The view of an analysis, for another one that has to be independent of it.
    const views = new WeakMap<Analysis, ChainState["Type"]>()

    const elsewhere = (request: AnalyzeRequest, limit: TimeLimit.TimeLimit | undefined, { analysis }: Apart) => {
      const view = views.get(analysis)
      if (view === undefined) return Effect.succeedNone
      const at = { chain: request.chain, block: Option.none(), maxCalls, ...timing(request, limit) }
      return access.pin({ ...at, apartFrom: view }).pipe(
        TimeLimit.until(limit?.end, TimeLimit.over),
        Effect.option,
        // An endpoint that is behind, or on another branch, has not seen what is to be seen again.
        Effect.map(
          Option.filter(({ block }) => block.number > analysis.block.number || block.hash === analysis.block.hash)
        )
      )
    }

    const later = (request: AnalyzeRequest, limit: TimeLimit.TimeLimit | undefined, { analysis, waitSeconds }: Apart) =>
      pin(request, maxCalls, limit).pipe(
        Effect.filterOrFail(
          ({ block }) => block.number > analysis.block.number,
          () => failed(request.chain, "inconclusive", "no_later_block")
        ),
        Effect.retry(Schedule.spaced(Duration.seconds(2)).pipe(Schedule.upTo(Duration.seconds(waitSeconds)))),
        TimeLimit.until(
          limit?.end,
          Effect.suspend(() => overdue(request.chain))
        )
      )

    const pinApart = (request: AnalyzeRequest, limit: TimeLimit.TimeLimit | undefined, apart: Apart) =>
      Effect.flatMap(
        elsewhere(request, limit, apart),
        Option.match({ onNone: () => later(request, limit, apart), onSome: (state) => Effect.succeed(state) })
      )

    const turns = yield* Turns.make
    const quietRuns = QuietRuns.make({ maxBytes: mostKept })
    // What checks of others read is not known.
    const areBuiltIn = checks.every(Checks.isBuiltIn)
    const outside = checks.filter(isOutside)
    const flows = yield* CodeReadings.make()
    const withFacts = (state: ChainState["Type"]) =>
      Effect.map(
        FactSet.build(Context.make(ChainState, state).pipe(Context.add(CodeReadings.CodeReadings, flows))),
        (built) => Context.merge(provided, built)
      )

    const by = { rules, rulesetVersion }
    const runOne = (request: AnalyzeRequest, limit: TimeLimit.TimeLimit | undefined) =>
      Effect.provideService(run({ ...by, checks, request, limit }), Earlier.Earlier, {
        analysis: request.earlier ?? Option.none()
      })

    const inFull = (request: AnalyzeRequest, limit: TimeLimit.TimeLimit | undefined, state: ChainState["Type"]) =>
      Effect.flatMap(withFacts(state), (facts) => Effect.provide(runOne(request, limit), facts))

    /** What the checks say that read beside the chain: these are made anew each time. */
    const besides = (target: Target, request: QuietRuns.Request, state: ChainState["Type"]) => {
      const asked = outside.filter((check) => check.targets.includes(target.kind))
      if (asked.length === 0) return Effect.succeed<ReadonlyArray<Check.Judged>>([])
      return Effect.flatMap(withFacts(state), (facts) =>
        Together.forEach(asked, (check) => judge(check, target)).pipe(
          Effect.tap((judged) =>
            Defect.report(
              judged.flatMap((each) => each.defects),
              state,
              target
            )
          ),
          Effect.provideService(Earlier.Earlier, { analysis: request.earlier }),
          Effect.provide(facts)
        )
      )
    }

    const recurring = (request: AnalyzeRequest & QuietRuns.Request, state: ChainState["Type"]) => {
      const target = targetOf(request)
      return Effect.flatMap(
        quietRuns.takeOver(request, state, besides(target, request, state)),
        Option.match({
          onSome: ([analysis, others]) =>
            others.length === 0
              ? Effect.succeed(analysis)
              : compose({ ...by, state, target, facts: analysis.facts, warnings: analysis.warnings })([
                  { evidence: analysis.evidence, consulted: [], defects: [] },
                  ...others
                ]),
          onNone: () => {
            const reads = NotedReads.make(state)
            return Effect.flatMap(inFull(request, undefined, reads.state), ({ analysis, ofChain }) =>
              Effect.as(
                Effect.flatMap(ofChain, (kept) => quietRuns.keep(request, reads, kept)),
                analysis
              )
            )
          }
        })
      )
    }

    const analyze = Effect.fn("Analyzer.analyze")(
      function* (request: AnalyzeRequest) {
        const limit = yield* TimeLimit.make(request.deadline)
        const isRecurring =
          request.recurring === true &&
          areBuiltIn &&
          limit === undefined &&
          Option.isNone(request.block ?? Option.none()) &&
          request.apartFrom === undefined
        const repeated = { ...request, earlier: request.earlier ?? Option.none() }
        const analyzeAt = (state: ChainState["Type"]) =>
          (isRecurring
            ? recurring(repeated, state)
            : Effect.map(inFull(request, limit, state), ({ analysis }) => analysis)
          ).pipe(Effect.tap((analysis) => views.set(analysis, state)))
        return yield* request.apartFrom === undefined
          ? Effect.flatten(
              atStandingBlock(
                request,
                // What is read first leaves a full analysis as many calls as it has otherwise.
                isRecurring ? maxCalls + quietRuns.calls(repeated) : maxCalls,
                limit,
                (state) => Effect.either(Effect.scoped(analyzeAt(state))),
                isOfReplacedBlock
              )
            )
          : Effect.flatMap(pinApart(request, limit, request.apartFrom), analyzeAt)
      },
      Effect.scoped,
      turns.run
    )

    const analyzeMany = Effect.fn("Analyzer.analyzeMany")(
      function* ({ targets, ...common }: AnalyzeManyRequest) {
        const limit = yield* TimeLimit.make(common.deadline)
        return yield* atStandingBlock(
          common,
          maxCalls * targets.length,
          limit,
          (state) =>
            Effect.scoped(
              Effect.flatMap(withFacts(state), (facts) =>
                Effect.provide(
                  Effect.forEach(
                    targets,
                    (target) =>
                      Effect.either(
                        Effect.map(runOne({ ...target, chain: common.chain }, limit), ({ analysis }) => analysis)
                      ),
                    {
                      concurrency: targetsAtOnce
                    }
                  ),
                  facts
                )
              )
            ),
          (results) => results.some(isOfReplacedBlock)
        )
      },
      Effect.scoped,
      turns.run
    )

    const verify = Effect.fn("Analyzer.verify")(
      function* ({ analysis, chain, deadline }: VerifyRequest) {
        const { block, evidence, recipes } = analysis
        const limit = yield* TimeLimit.make(deadline)
        const state = yield* pin({ chain, block: Option.some(block.number) }, maxCalls, limit)
        if (state.block.hash !== block.hash) {
          return yield* failed(chain, "conflicting_sources", "block_differs")
        }
        const keyOf = (observed: Pick<Recipe, "method" | "params_hash">) => `${observed.method} ${observed.params_hash}`
        // A recipe with other parameters than the hashed ones is invalid.
        const valid = recipes.filter(({ params, params_hash }) => CanonicalJson.hash(params) === params_hash)
        const again = new Map(
          valid.map((recipe) => [keyOf(recipe), Either.left(TimeLimit.over) as Either.Either<Observation, ChainError>])
        )
        yield* Together.forEach(valid, (recipe) =>
          Effect.map(Effect.either(state.repeat(recipe)), (made) => again.set(keyOf(recipe), made))
        ).pipe(TimeLimit.until(limit?.cut, Effect.void))
        const items = evidence.flatMap(({ id, observation }): ReadonlyArray<VerifiedItem> => {
          if (observation === null) return []
          const made = again.get(keyOf(observation))
          if (made === undefined) return [{ id, outcome: "unavailable", reason: "method_unsupported" }]
          return [
            Either.match(made, {
              onLeft: ({ reason }) => ({ id, outcome: "unavailable", reason }) as const,
              onRight: ({ answer_hash }) =>
                ({ id, outcome: answer_hash === observation.answer_hash ? "agrees" : "differs", reason: null }) as const
            })
          ]
        })
        return { block, items }
      },
      Effect.scoped,
      turns.run
    )

    return {
      analyze,
      analyzeMany,
      verify,
      ruleset: Effect.succeed({ rules, optional: Checks.optional.map(({ id }) => id), version: rulesetVersion }),
      engineVersion: Version.engine
    }
  })

// Nothing is waited for that comes too late.
const timing = (
  { priority, waitUntil }: Pick<AnalyzeRequest, "priority" | "waitUntil">,
  limit: TimeLimit.TimeLimit | undefined
) => {
  const until = limit === undefined ? waitUntil : Math.min(waitUntil ?? limit.cut, limit.cut)
  return { ...(priority === undefined ? {} : { priority }), ...(until === undefined ? {} : { waitUntil: until }) }
}

type Apart = NonNullable<AnalyzeRequest["apartFrom"]>

const targetOf = ({ address, chain, kind }: AnalyzeRequest): Target => ({
  kind,
  address,
  chain: { id: chain.id, name: chain.name }
})

/** Whether a check of this library reads beside the chain. */
const isOutside = ({ id }: Check.Any): boolean => Checks.optional.some((check) => check.id === id)

const judge = <C extends Check.Any>(check: C, target: Target) =>
  (Checks.isBuiltIn(check) ? Check.judge(NativeTarget.over(check), target) : ForeignCheck.judge(check, target)).pipe(
    traced(check.id, spanOfCheck)
  )

/** What an analysis is composed by: its rules, and their version. */
interface By {
  readonly rules: ReadonlyArray<EvidenceRule>
  readonly rulesetVersion: string
}

/** The document of what was judged and read. */
const compose =
  (
    options: By & {
      readonly state: ChainState["Type"]
      readonly target: Target
      readonly facts: Omit<Facts, "risk">
      readonly warnings: ReadonlyArray<Warning>
    }
  ) =>
  (judged: ReadonlyArray<Check.Judged>): Effect.Effect<Analysis> =>
    Effect.gen(function* () {
      const { facts, rules, rulesetVersion, state, target } = options
      const evidence = judged.flatMap((each) => each.evidence).sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
      const ofChain = judged.filter(({ consulted }) => consulted.length === 0).flatMap((each) => each.evidence)
      const consulted = judged.flatMap((each) => each.consulted)
      const now = yield* Clock.currentTimeMillis
      const document: Omit<Analysis, "content_hash"> = {
        target,
        status: evidence.some(isPartial) || Object.keys(facts.unread).length > 0 ? "partial" : "complete",
        block: BlockUse.pinned(state.block),
        engine_version: Version.engine,
        ruleset_version: rulesetVersion,
        evidence,
        facts: { ...facts, risk: Scoring.score(evidence) },
        recipes: [...QuietRuns.recipesOf(evidence, yield* state.recipes), ...outsideRecipes(consulted)],
        sources: sources(state, ofChain, consulted, Timestamp.fromMillis(now)),
        warnings: options.warnings
      }
      const volatile = new Set(rules.filter((rule) => rule.volatile).map((rule) => rule.id))
      return { ...document, content_hash: ContentHash.contentHash(document, volatile) }
    })

/** An analysis, and what it would be without the checks that read beside the chain. */
interface Ran {
  readonly analysis: Analysis
  readonly ofChain: Effect.Effect<Analysis>
}

const run = <const C extends ReadonlyArray<Check.Any>>(
  options: By & {
    readonly checks: C
    readonly request: AnalyzeRequest
    readonly limit: TimeLimit.TimeLimit | undefined
  }
) =>
  Effect.gen(function* () {
    const { limit, request } = options
    const state = yield* ChainState
    const unwatched = { ...state, block: BlockUse.pinned(state.block) }
    const target = targetOf(request)
    const asked = options.checks.filter((check) => check.targets.includes(target.kind))
    const said: Array<Check.Judged | undefined> = asked.map(() => undefined)
    const reading = yield* readFacts(target)
    // Started before the account is known, so that the common case loses no round trip; interrupted on a mismatch. It is
    // never waited for: a check of others may not end when it is interrupted.
    const judged = yield* Effect.forkDaemon(
      Together.all([
        Together.forEach(asked, (check, place) =>
          Effect.map(
            // What is judged anew each time may use the block as it likes.
            isOutside(check)
              ? Effect.provideService(judge(check, target), ChainState, unwatched)
              : judge(check, target),
            (judged) => {
              said[place] = judged
            }
          )
        ),
        reading.run
      ])
    )
    yield* Effect.addFinalizer(() => Fiber.interruptFork(judged))
    const account = yield* Effect.either(
      Defect.asChainError((yield* Code.Code).of(target.address)).pipe(TimeLimit.until(limit?.cut, TimeLimit.over))
    )
    if (Either.isRight(account) && target.kind !== "wallet" && account.right.value.code_size === 0)
      return yield* new TargetMismatch({ detected: account.right.value.kind, target })
    // Without nonce or balance the kind of the account is not known, but empty code means that it is no contract.
    if (Either.isLeft(account) && target.kind !== "wallet") {
      const code = yield* Effect.either(TimeLimit.until(limit?.cut, TimeLimit.over)(state.code(target.address)))
      if (Either.isRight(code) && code.right.value === "0x") return yield* unavailable(request.chain, account.left)
    }
    // Read beside the second level. Reads by block hash cannot change, and this only shows whether the block was
    // orphaned. Where reads use the block number, it is checked again after the last one.
    const orphaned = yield* Effect.fork(Effect.either(state.stillCanonical))
    yield* Fiber.join(judged).pipe(TimeLimit.until(limit?.cut, Effect.void))
    const facts = reading.taken()
    const all = yield* Effect.forEach(asked, (check, place) => {
      const done = said[place]
      return done === undefined
        ? Check.judge({ ...check, run: () => Effect.succeed(tooSlow) }, target)
        : Effect.succeed(done)
    })
    yield* Defect.report([...all.flatMap((each) => each.defects), ...facts.defects], state, target)
    const saidOfChain = all.filter(({ consulted }) => consulted.length === 0).flatMap((each) => each.evidence)
    const inTime = TimeLimit.until(limit?.end, TimeLimit.over)
    const byHash = Either.match(yield* Effect.either(inTime(state.capabilities)), {
      onLeft: () => false,
      onRight: (capabilities) => capabilities.blockByHash
    })
    const canonical = yield* Effect.either(inTime(byHash ? Effect.flatten(Fiber.join(orphaned)) : state.stillCanonical))
    if (Either.isLeft(canonical) && !byHash) return yield* unavailable(request.chain, canonical.left)
    if (Either.isRight(canonical) && !canonical.right) {
      return yield* failed(request.chain, "conflicting_sources", "block_replaced")
    }
    if (
      Either.isLeft(account) &&
      account.left.reason !== "internal_error" &&
      saidOfChain.every((item) => item.observation === null)
    ) {
      return yield* unavailable(request.chain, account.left)
    }

    const composed = compose({
      ...options,
      state,
      target,
      facts: facts.read,
      warnings: yield* warnings(target).pipe(TimeLimit.until(limit?.end, Effect.succeed([])))
    })
    const analysis = yield* composed(all)
    const ofChain = asked.some(isOutside)
      ? composed(all.filter((_, place) => !asked.slice(place, place + 1).some(isOutside)))
      : Effect.succeed(analysis)
    return { analysis, ofChain } satisfies Ran
  }).pipe(Effect.scoped)

const spanOfCheck = () => ({ attributes: { part: "check" } })

/** What is said for a check that was given up. */
const tooSlow = [
  Check.unknown(
    "budget_exhausted",
    "this check had not ended at the deadline of the analysis; analyse again with more time"
  )
]

interface FactsRead {
  readonly read: Omit<Facts, "risk">
  readonly defects: ReadonlyArray<Defect.Defect>
}

/** Facts that are read while `run` runs; `taken` are those that are there, and the others are unread for want of time. */
interface FactsReading {
  readonly run: Effect.Effect<void, never, FactSet.BuiltIn>
  readonly taken: () => FactsRead
}

const readFacts = (target: Target): Effect.Effect<FactsReading, never, FactSet.BuiltIn> =>
  Effect.gen(function* () {
    const unread: Record<string, UnknownReason> = {}
    const defects: Array<Defect.Defect> = []
    const note = (name: keyof Facts, reason: UnknownReason) =>
      Effect.sync(() => {
        unread[name] = reason
        return null
      })
    const noted = <A, R>(name: keyof Facts, effect: Effect.Effect<A | null, ChainError, R>) =>
      effect.pipe(
        Effect.catchAll(({ reason }) => note(name, reason)),
        Defect.catchAll((defect) => {
          defects.push(defect)
          return note(name, "internal_error")
        })
      )
    const read = <A, R>(name: keyof Facts, effect: Effect.Effect<Reading<A>, ChainError, R>) =>
      noted(
        name,
        Effect.map(effect, (reading): A | null => reading.value)
      )
    const readOptional = <A, R>(name: keyof Facts, effect: Effect.Effect<Option.Option<Reading<A>>, ChainError, R>) =>
      noted(
        name,
        Effect.map(effect, (reading): A | null => Option.getOrNull(Option.map(reading, ({ value }) => value)))
      )
    const nothing = Effect.succeed(null)
    const isToken = target.kind === "token"
    const isWallet = target.kind === "wallet"
    const pools = yield* Pools.Pools
    const all = {
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
      pools: isToken
        ? readOptional("pools", Effect.whenEffect(pools.of(target.address), pools.covers(target.address)))
        : nothing,
      trade: isToken
        ? readOptional(
            "trade",
            Effect.flatMap(Trade.Trade, (trade) => trade.of(target.address))
          )
        : nothing,
      counterfactuals: isToken
        ? readOptional(
            "counterfactuals",
            Effect.flatMap(Counterfactual.Counterfactual, (counterfactual) => counterfactual.of(target.address))
          )
        : nothing,
      allowances: isWallet
        ? read(
            "allowances",
            Effect.flatMap(Allowances.Allowances, (allowances) => allowances.of(target.address))
          )
        : nothing,
      permit2: isWallet
        ? readOptional(
            "permit2",
            Effect.flatMap(Permit2Allowances.Permit2Allowances, (permit2) => permit2.of(target.address))
          )
        : nothing,
      portfolio: isWallet
        ? read(
            "portfolio",
            Effect.flatMap(Portfolio.Portfolio, (portfolio) => portfolio.of(target.address))
          )
        : nothing,
      safe: isToken
        ? nothing
        : readOptional(
            "safe",
            Effect.flatMap(Safe.Safe, (safe) => safe.of(target.address))
          )
    }
    const done = new Map<string, unknown>()
    return {
      run: Effect.asVoid(
        Together.forEach(Object.entries(all), ([name, effect]: readonly [string, FactRead]) =>
          Effect.map(effect, (value) => done.set(name, value))
        )
      ),
      taken: () => {
        const late = Object.keys(all).filter((name) => !done.has(name))
        const values = Object.fromEntries(Object.keys(all).map((name) => [name, done.get(name) ?? null]))
        return {
          read: {
            ...(values as { [Name in keyof typeof all]: Effect.Effect.Success<(typeof all)[Name]> }),
            unread: { ...unread, ...Object.fromEntries(late.map((name) => [name, TimeLimit.over.reason])) }
          },
          defects
        }
      }
    }
  })

type FactRead = Effect.Effect<unknown, never, FactSet.BuiltIn>

// Bytes: some 2,000 targets.
const mostKept = 64 * 1024 * 1024

// A chain that replaces more blocks than these while one is read is not to be read now.
const replacementsAtMost = 3

const isOfReplacedBlock = (result: Either.Either<Analysis, TargetMismatch | UpstreamUnavailable>): boolean =>
  Either.isLeft(result) &&
  result.left._tag === "UpstreamUnavailable" &&
  result.left.sources_failed.some(({ reason }) => reason === "conflicting_sources")

// Enough that a round trip is shared by many, and few enough that their documents fit in memory.
const targetsAtOnce = 16

// The reasons that mean a failed source, in contrast to readings that do not decide.
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

const isPartial = (item: Evidence): boolean => lost(item) || item.reason === "internal_error"

const sourceName = (chain: Chain): string => `${chain.name} JSON-RPC`

const sources = (
  state: ChainState["Type"],
  evidence: ReadonlyArray<Evidence>,
  consulted: ReadonlyArray<Check.Consulted>,
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
  return [ofChain, ...(evidence.some((item) => ofTheList.has(item.id)) ? [list] : []), ...outside(consulted, fetchedAt)]
}

/** Checks that depend on the token list of the engine. */
const ofTheList: ReadonlySet<string> = new Set(["token.impersonates", "token.listed"])

const outsideRecipes = (consulted: ReadonlyArray<Check.Consulted>): ReadonlyArray<Recipe> => [
  ...new Map(
    consulted.flatMap(({ recipe }) => Option.toArray(recipe)).map((recipe) => [recipe.params_hash, recipe])
  ).values()
]

const outside = (consulted: ReadonlyArray<Check.Consulted>, fetchedAt: Timestamp.Timestamp): ReadonlyArray<Source> => {
  const places = new Map(consulted.map((place) => [`${place.name} ${place.url}`, place]))
  return [...places]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { kind, name, url }]) => {
      const asked = consulted.filter((place) => place.name === name && place.url === url)
      const answered = asked.filter((place) => place.answered)
      return {
        name,
        url,
        kind,
        status: answered.length === asked.length ? "ok" : answered.length === 0 ? "failed" : "degraded",
        fetched_at: fetchedAt
      }
    })
}

const warnings = (target: Target) =>
  Effect.gen(function* () {
    const uncovered = (detail: string): ReadonlyArray<Warning> => [{ code: "not_covered", detail }]
    if (target.kind === "token") {
      // A defect there has its own items.
      const covered = yield* Effect.either(Defect.asChainError((yield* Pools.Pools).covers(target.address)))
      return Either.isRight(covered) && !covered.right
        ? uncovered("No exchange of this chain is known to this engine; trading was not simulated.")
        : []
    }
    if (target.kind !== "wallet") return []
    const screening = yield* Effect.either(Defect.asChainError((yield* Sanctions.Sanctions).of(target.address)))
    return Either.isRight(screening) && Option.isNone(screening.right)
      ? uncovered("No sanctions oracle of this chain is known to this engine; the wallet was not screened.")
      : []
  })

const unavailable = (chain: Chain, error: ChainError): UpstreamUnavailable =>
  TimeLimit.isOver(error)
    ? overdue(chain)
    : new UpstreamUnavailable({
        sources_failed: [{ name: sourceName(chain), reason: error.reason }],
        endpoints: error.endpoints
      })

const overdue = (chain: Chain, endpoints: UpstreamUnavailable["endpoints"] = []): UpstreamUnavailable =>
  new UpstreamUnavailable({
    sources_failed: [{ name: sourceName(chain), reason: TimeLimit.over.reason }],
    why: "deadline",
    endpoints
  })

const failed = (chain: Chain, reason: UnknownReason, why: UpstreamUnavailable["why"]): UpstreamUnavailable =>
  new UpstreamUnavailable({ sources_failed: [{ name: sourceName(chain), reason }], why })
