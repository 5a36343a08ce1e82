import type { ChainError } from "@assay/core/chain/ChainError"
import * as ChainState from "@assay/core/chain/state/ChainState"
import type { Reading } from "@assay/core/chain/state/Reading"
import * as Check from "@assay/core/checks/Check"
import * as Declaration from "@assay/core/checks/Declaration"
import * as Address from "@assay/core/domain/Address"
import { Effect, Either, Option, Schema } from "effect"
import * as AssayErrors from "./AssayError.js"
import { AssayError } from "./AssayError.js"
import type { BlockRef, Dimension, Observation, Polarity, Severity, Target, UnknownReason } from "./Documents.js"

/**
 * A check that runs beside those of the library. `claim` is a sentence that may hold or not; `severity` the highest that a
 * confirmed item can have. `run` decides it, or answers nothing where the claim does not apply. Raise `version` with each
 * change of its meaning.
 *
 * What `run` throws, and what it has not answered at the deadline of the analysis, makes this claim *unknown*, and no other.
 * A read that fails makes it *unknown* with the reason of that read.
 *
 * @example
 * ```ts
 * import { createAssay, type CustomCheck } from "@assay/sdk"
 *
 * const rich: CustomCheck = {
 *   id: "acme.rich",
 *   version: 1,
 *   targets: ["wallet"],
 *   claim: "The wallet holds more than 100 units of the native coin",
 *   polarity: "neutral",
 *   severity: "info",
 *   dimension: "account",
 *   run: async ({ address }, chain) => {
 *     const { observation, value } = await chain.balance(address)
 *     return {
 *       state: value > 100n * 10n ** 18n ? "confirmed" : "refuted",
 *       value: { balance: value.toString() },
 *       detail: `it holds ${value} wei`,
 *       observation
 *     }
 *   }
 * }
 *
 * export const assay = createAssay({ chains: { ethereum: "https://rpc.example" }, checks: [rich] })
 * ```
 */
export interface CustomCheck {
  readonly id: string
  readonly version: number
  readonly targets: ReadonlyArray<"token" | "wallet" | "contract">
  readonly claim: string
  /**
   * What is true where the claim is refuted, and no more than that proves: "No account can increase the supply". `rules`
   * has it; a report, which knows nothing but the evidence, says "Not so: " and the claim.
   */
  readonly absent?: string | undefined
  /** What a reader can do where the claim is confirmed, or, where it is protective, refuted. */
  readonly recommendation?: string | undefined
  readonly polarity: Polarity
  readonly severity: Severity
  readonly dimension: Dimension
  readonly run: (
    target: Target,
    chain: PinnedChain,
    signal: AbortSignal
  ) => Promise<CustomVerdict | ReadonlyArray<CustomVerdict> | undefined>
}

/**
 * What a check found. `value` is JSON; `subject` are the addresses that the item is about, where there are several items;
 * `observation` is that of the read that decided it.
 */
export type CustomVerdict =
  | {
      readonly state: "confirmed" | "refuted"
      readonly value: unknown
      readonly detail: string
      readonly subject?: ReadonlyArray<string> | undefined
      readonly severity?: Severity | undefined
      readonly observation?: Observation | undefined
    }
  | {
      readonly state: "unknown"
      readonly reason: UnknownReason
      readonly detail: string
      readonly subject?: ReadonlyArray<string> | undefined
    }

/** An answer of the chain, and the observation that repeats it. */
export interface Read<A> {
  readonly value: A
  readonly observation: Observation
}

/**
 * The state of one block. Reads that are made at the same time are sent together; all are counted among those of the
 * analysis. Storage slots are numbers; what is read of them is 32 bytes.
 */
export interface PinnedChain {
  readonly id: number
  readonly block: BlockRef
  readonly code: (address: string) => Promise<Read<`0x${string}`>>
  readonly storage: (address: string, slot: bigint) => Promise<Read<`0x${string}`>>
  readonly balance: (address: string) => Promise<Read<bigint>>
  readonly nonce: (address: string) => Promise<Read<number>>
  /** What a call returns, or `reverted` with the data of the revert. */
  readonly call: (call: {
    readonly to: string
    readonly data: `0x${string}`
    readonly from?: string | undefined
  }) => Promise<Read<{ readonly reverted: boolean; readonly data: `0x${string}` }>>
}

/**
 * The checks as the engine runs them. Throws an `AssayError` where one of them cannot run, or has an id that this library may
 * use: the part of an id before its first dot is the embedder's own.
 */
export const toChecks = (custom: ReadonlyArray<CustomCheck>): ReadonlyArray<ForeignCheck> => {
  const checks = custom.map(toCheck)
  const refused = Declaration.refusal(checks)
  if (Option.isSome(refused)) throw AssayErrors.of(refused.value)
  const taken = custom.find(({ id }) => subjects.has(id.slice(0, id.indexOf("."))))
  if (taken !== undefined)
    throw AssayError.make(
      "invalid_check",
      `Check ${JSON.stringify(taken.id)} has an id that this library may use; begin it with a name of your own, as in "acme.${taken.id.slice(taken.id.indexOf(".") + 1)}".`
    )
  return checks
}

type ForeignCheck = Check.Check<unknown, ChainState.ChainState>

/** What the ids of the library's own checks begin with. */
export const subjects: ReadonlySet<string> = new Set([
  "address",
  "allowance",
  "contract",
  "control",
  "endpoint",
  "holders",
  "liquidity",
  "opinion",
  "proxy",
  "safe",
  "token",
  "trade",
  "wallet"
])

const toCheck = (custom: CustomCheck): ForeignCheck =>
  Check.make({
    id: custom.id,
    code: custom.id,
    version: custom.version,
    targets: custom.targets,
    claim: custom.claim,
    absent: custom.absent,
    recommendation: custom.recommendation,
    polarity: custom.polarity,
    severity: custom.severity,
    dimension: custom.dimension,
    value: Schema.Unknown,
    run: (target) =>
      Effect.gen(function* () {
        const state = yield* ChainState.ChainState
        const answer = yield* Effect.tryPromise({
          try: (signal) => Promise.resolve().then(() => custom.run(target, pinned(state), signal)),
          catch: (thrown) => thrown
        }).pipe(Effect.catchAll((thrown) => (thrown instanceof ReadFailed ? thrown.error : Effect.die(thrown))))
        return [answer ?? []].flat().map(verdictOf)
      })
  })

const verdictOf = (verdict: CustomVerdict): Check.Verdict<unknown> => {
  const subject = verdict.subject?.map(addressOf)
  return verdict.state === "unknown"
    ? Check.unknown(verdict.reason, verdict.detail, { subject })
    : (verdict.state === "confirmed" ? Check.confirmed : Check.refuted)({
        value: verdict.value,
        detail: verdict.detail,
        subject,
        severity: verdict.severity,
        observation: verdict.observation
      })
}

/** A read without an answer: a check that lets it pass is *unknown* for its reason. */
class ReadFailed extends AssayError {
  readonly error: ChainError

  constructor(error: ChainError) {
    super(`The chain did not answer ${error.method}: ${error.detail}.`, {
      code: "read_failed",
      retryable: error.retryable,
      details: { method: error.method, reason: error.reason }
    })
    this.error = error
  }
}

const addressOf = (text: string): Address.Address =>
  Either.getOrThrowWith(Address.parse(text), () =>
    AssayError.make("bad_address", `${JSON.stringify(text)} is no address: 0x and 40 hex digits.`)
  )

const pinned = (state: ChainState.ChainState["Type"]): PinnedChain => {
  const read = <A>(reading: Effect.Effect<Reading<A>, ChainError>): Promise<Read<A>> =>
    Effect.runPromise(
      Effect.match(reading, {
        onSuccess: ({ observation, value }) => Either.right({ value, observation: observation() }),
        onFailure: (error) => Either.left(new ReadFailed(error))
      })
    ).then((answer) => Either.getOrThrowWith(answer, (failed) => failed))
  const of = <A>(text: string, reading: (address: Address.Address) => Effect.Effect<Reading<A>, ChainError>) =>
    Promise.resolve().then(() => read(reading(addressOf(text))))
  return {
    id: state.chain.id,
    block: state.block,
    code: (address) => of(address, state.code),
    storage: (address, slot) =>
      of(address, (parsed) => state.storage(parsed, `0x${slot.toString(16).padStart(64, "0")}`)),
    balance: (address) => of(address, state.balance),
    nonce: (address) => of(address, state.nonce),
    call: ({ data, from, to }) =>
      of(to, (parsed) =>
        state.call({ to: parsed, data, ...(from === undefined ? {} : { from: addressOf(from) }) })
      ).then(({ observation, value }) => ({
        observation,
        value: { reverted: value._tag === "Reverted", data: value.data }
      }))
  }
}
