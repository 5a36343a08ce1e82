import { Effect, JSONSchema, Option, Schema } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import * as Explorer from "../chain/sources/Explorer.js"
import { ChainState } from "../chain/state/ChainState.js"
import type { Address } from "../domain/Address.js"
import type { Controller } from "../domain/Controller.js"
import type { Dimension, Evidence, Observation, Polarity, Severity, UnknownReason } from "../domain/Evidence.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"
import type { Recipe } from "../domain/Recipe.js"
import type { Source } from "../domain/Source.js"
import type { Target, TargetKind } from "../domain/Target.js"
import * as Defect from "../facts/Defect.js"
import * as Remedies from "./Remedies.js"

/**
 * The result of a check for one subject of its claim. `subject` has the address parts of the item id, empty for a check
 * with a single item. `at` is the account that the source URL shows, the target by default.
 *
 * @since 0.1.0
 * @category models
 */
export type Verdict<V> = Decided<V> | Undecided

/**
 * The claim is proved to hold, or proved not to hold.
 *
 * @since 0.1.0
 * @category models
 */
export interface Decided<V> {
  readonly _tag: "Confirmed" | "Refuted"
  readonly subject: ReadonlyArray<Address>
  readonly value: V
  readonly detail: string
  readonly severity: Option.Option<Severity>
  readonly controller: Option.Option<Controller>
  readonly observation: Option.Option<Observation>
  readonly verified: boolean
  readonly at: Option.Option<Address>
  readonly consulted: ReadonlyArray<Consulted>
}

/**
 * The claim applies but could not be decided; `detail` says what was missing.
 *
 * @since 0.1.0
 * @category models
 */
export interface Undecided {
  readonly _tag: "Unknown"
  readonly subject: ReadonlyArray<Address>
  readonly reason: UnknownReason
  readonly detail: string
  /** The highest severity that the claim can have here; none where that is the severity of the check. */
  readonly severity: Option.Option<Severity>
  /** Who alone can have the power that the claim describes, where that is known. */
  readonly controller: Option.Option<Controller>
  readonly observation: Option.Option<Observation>
  readonly consulted: ReadonlyArray<Consulted>
}

/**
 * An off-chain source of a verdict. `url` is the page for the reader; `recipe` describes how to repeat the request,
 * where there was an answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Consulted extends Pick<Source, "name" | "url" | "kind"> {
  readonly answered: boolean
  readonly recipe: Option.Option<Recipe>
}

interface DecidedOptions<V> {
  readonly value: V
  readonly detail: string
  readonly subject?: ReadonlyArray<Address> | undefined
  readonly severity?: Severity | undefined
  readonly controller?: Controller | undefined
  readonly observation?: Observation | undefined
  /** False where the state is inferred from bytecode, not read or simulated; true by default. */
  readonly verified?: boolean | undefined
  readonly at?: Address | undefined
  /** The off-chain sources of the verdict; the item links to the first. */
  readonly consulted?: ReadonlyArray<Consulted> | undefined
}

const decided =
  (tag: "Confirmed" | "Refuted") =>
  <V>(options: DecidedOptions<V>): Decided<V> => ({
    _tag: tag,
    subject: options.subject ?? [],
    value: options.value,
    detail: options.detail,
    severity: Option.fromNullable(options.severity),
    controller: Option.fromNullable(options.controller),
    observation: Option.fromNullable(options.observation),
    verified: options.verified ?? true,
    at: Option.fromNullable(options.at),
    consulted: options.consulted ?? []
  })

/**
 * The claim holds.
 *
 * @since 0.1.0
 * @category constructors
 */
export const confirmed = decided("Confirmed")

/**
 * The claim is proved not to hold: everything relevant was read.
 *
 * @since 0.1.0
 * @category constructors
 */
export const refuted = decided("Refuted")

/**
 * The claim applies and could not be decided.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unknown = (
  reason: UnknownReason,
  detail: string,
  options: {
    readonly subject?: ReadonlyArray<Address> | undefined
    readonly severity?: Severity | undefined
    readonly controller?: Controller | undefined
    readonly observation?: Observation | undefined
    readonly consulted?: ReadonlyArray<Consulted> | undefined
  } = {}
): Undecided => ({
  _tag: "Unknown",
  subject: options.subject ?? [],
  reason,
  detail,
  severity: Option.fromNullable(options.severity),
  controller: Option.fromNullable(options.controller),
  observation: Option.fromNullable(options.observation),
  consulted: options.consulted ?? []
})

/**
 * The claim does not apply to this target: no item.
 *
 * @since 0.1.0
 * @category constructors
 */
export const notApplicable: ReadonlyArray<never> = []

/**
 * One claim about a target. `run` reads facts and returns one verdict per subject; an empty list means that the claim
 * does not apply. Its R has exactly the services that it reads. It never retries, logs, caches or reads a clock.
 * `severity` is the highest severity it can give. `power` marks claims with a weight that depends on the controller.
 *
 * @since 0.1.0
 * @category models
 */
export interface Check<V, R> extends CheckRule {
  readonly run: (target: Target) => Effect.Effect<ReadonlyArray<Verdict<V>>, ChainError, R>
}

/**
 * The declaration of a check without its `run` function. `absent` is said where the claim is refuted, and must not say more
 * than that proves; `recommendation` is one step for a reader of the confirmed claim, or of a protection that is missing.
 *
 * @since 0.1.0
 * @category models
 */
export interface CheckRule {
  readonly id: string
  readonly code: string
  readonly version: number
  readonly targets: ReadonlyArray<TargetKind>
  readonly claim: string
  readonly absent?: string | undefined
  readonly recommendation?: string | undefined
  readonly polarity: Polarity
  readonly severity: Severity
  readonly dimension: Dimension
  readonly power: boolean
  readonly value: Schema.Schema.AnyNoContext
  readonly tolerance: EvidenceRule["tolerance"]
  readonly volatile: boolean
}

/**
 * A check with any value and requirements, for generic constraints; a `ReadonlyArray` of it loses the requirements.
 *
 * @since 0.1.0
 * @category models
 */
// biome-ignore lint/suspicious/noExplicitAny: the constraint of a generic must admit every R.
export type Any = Check<any, any>

/**
 * The services that the checks of a tuple require.
 *
 * @since 0.1.0
 * @category models
 */
export type Requirements<C extends Any> = C extends Check<infer _V, infer R> ? R : never

/**
 * Declares a check.
 *
 * @example
 * ```ts
 * import { Check, ChainState } from "@assay/core"
 * import { Effect, Schema } from "effect"
 *
 * const rich = Check.make({
 *   id: "wallet.rich",
 *   code: "X-01",
 *   version: 1,
 *   targets: ["wallet"],
 *   claim: "The wallet holds more than 100 native units",
 *   polarity: "neutral",
 *   severity: "info",
 *   dimension: "account",
 *   value: Schema.Struct({ balance: Schema.String }),
 *   run: (target) =>
 *     Effect.gen(function*() {
 *       const state = yield* ChainState.ChainState
 *       const { observation, value } = yield* state.balance(target.address)
 *       const verdict = value > 100n * 10n ** 18n ? Check.confirmed : Check.refuted
 *       return [verdict({ value: { balance: value.toString() }, detail: "by eth_getBalance", observation: observation() })]
 *     })
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <V, I, R>(options: {
  readonly id: string
  readonly code: string
  readonly version: number
  readonly targets: ReadonlyArray<TargetKind>
  readonly claim: string
  readonly absent?: string | undefined
  readonly recommendation?: string | undefined
  readonly polarity: Polarity
  readonly severity: Severity
  readonly dimension: Dimension
  readonly power?: boolean | undefined
  readonly value: Schema.Schema<V, I>
  readonly tolerance?: EvidenceRule["tolerance"] | undefined
  readonly volatile?: boolean | undefined
  readonly run: (target: Target) => Effect.Effect<ReadonlyArray<Verdict<V>>, ChainError, R>
}): Check<V, R> => ({
  ...options,
  power: options.power ?? false,
  tolerance: options.tolerance ?? null,
  volatile: options.volatile ?? false
})

const itemId = (check: CheckRule, subject: ReadonlyArray<Address>): string => [check.id, ...subject].join(":")

/**
 * The evidence of a check, its off-chain sources, and the bugs of this engine that it met.
 *
 * @since 0.1.0
 * @category models
 */
export interface Judged {
  readonly evidence: ReadonlyArray<Evidence>
  readonly consulted: ReadonlyArray<Consulted>
  readonly defects: ReadonlyArray<Defect.Defect>
}

/**
 * Runs a check and returns its evidence. A `ChainError` or a defect becomes one unknown item of this check only.
 *
 * @since 0.1.0
 * @category combinators
 */
export const evaluate = <V, R>(
  check: Check<V, R>,
  target: Target
): Effect.Effect<ReadonlyArray<Evidence>, never, R | ChainState> =>
  Effect.gen(function* () {
    const { defects, evidence } = yield* judge(check, target)
    yield* Defect.report(defects, yield* ChainState, target)
    return evidence
  })

/**
 * Like `evaluate`, with the off-chain sources of the evidence. Its defects are left to the caller to log.
 *
 * @since 0.1.0
 * @category combinators
 */
export const judge = <V, R>(check: Check<V, R>, target: Target): Effect.Effect<Judged, never, R | ChainState> =>
  Effect.flatMap(ChainState, (state) =>
    Effect.suspend(() => check.run(target)).pipe(
      Effect.catchTag("ChainError", (error) =>
        Effect.succeed([unknown(error.reason, `${error.method} failed: ${error.detail}`)])
      ),
      Effect.map(
        (verdicts): Judged => ({
          evidence: verdicts.map((verdict) => evidenceOf(check, target, state, verdict)),
          consulted: verdicts.flatMap((verdict) => verdict.consulted),
          defects: []
        })
      ),
      Defect.at(() => ({ part: "check", name: check.id, of: target.address })),
      Defect.catchAll((defect) => {
        const lost = unknown("internal_error", `${Defect.describe(defect)}; ${Remedies.of.internal_error}`)
        const evidence = [evidenceOf(check, target, state, lost)]
        return Effect.succeed<Judged>({ evidence, consulted: [], defects: [defect] })
      })
    )
  )

const evidenceOf = <V, R>(
  check: Check<V, R>,
  target: Target,
  { block, chain }: ChainState["Type"],
  verdict: Verdict<V>
): Evidence => {
  const observation = Option.getOrNull(verdict.observation)
  const at = verdict._tag === "Unknown" ? Option.none<Address>() : verdict.at
  const common = {
    source_url:
      verdict.consulted[0]?.url ??
      Explorer.addressUrl(
        chain,
        block,
        Option.getOrElse(at, () => target.address)
      ),
    id: itemId(check, verdict.subject),
    version: check.version,
    category: check.dimension,
    title: check.claim,
    detail: verdict.detail,
    polarity: check.polarity,
    observation
  }
  return verdict._tag === "Unknown"
    ? {
        ...common,
        state: "unknown",
        value: null,
        severity: Option.getOrElse(verdict.severity, () => check.severity),
        verified: false,
        reason: verdict.reason,
        controller: Option.getOrNull(verdict.controller)
      }
    : {
        ...common,
        state: verdict._tag === "Confirmed" ? "confirmed" : "refuted",
        value: Schema.encodeSync(check.value as Schema.Schema<V>)(verdict.value),
        severity: Option.getOrElse(verdict.severity, () => check.severity),
        verified: verdict.verified,
        reason: null,
        controller: Option.getOrNull(verdict.controller)
      }
}

/**
 * The public rule of a check, as it is declared. `Checks.rule` also has the sentences of the checks of this library.
 *
 * @since 0.1.0
 * @category combinators
 */
export const rule = (check: CheckRule): EvidenceRule => ({
  id: check.id,
  code: check.code,
  version: check.version,
  targets: check.targets,
  title: check.claim,
  claim: check.claim,
  absent: check.absent ?? null,
  recommendation: check.recommendation ?? null,
  category: check.dimension,
  polarity: check.polarity,
  severity: check.severity,
  power: check.power,
  value_type: JSONSchema.make(check.value),
  tolerance: check.tolerance,
  volatile: check.volatile
})
