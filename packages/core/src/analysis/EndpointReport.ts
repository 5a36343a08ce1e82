import { Effect, Either, Option, Redacted, Schema } from "effect"
import type { EndpointSettings } from "../chain/ChainAccess.js"
import type { Chain } from "../chain/Chains.js"
import * as Diagnosis from "../chain/Diagnosis.js"
import * as EndpointFailure from "../chain/EndpointFailure.js"
import type { Transport } from "../chain/rpc/Transport.js"
import { BlockRef } from "../domain/BlockRef.js"
import { UnknownReason } from "../domain/Evidence.js"
import { ChainRef } from "../domain/Target.js"
import * as CapabilityLosses from "./CapabilityLosses.js"

const Answer = Schema.Union(Schema.Boolean, UnknownReason)

/**
 * An endpoint that answers: what it was shown to do, or why that could not be found out, and how fast it is.
 * `log_blocks` is 0 where it found no events, `burst` null where its rates are stated.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AnsweringEndpoint = Schema.Struct({
  endpoint: Schema.Int,
  status: Schema.Literal("answers"),
  block: BlockRef,
  block_age_seconds: Schema.Number,
  latency_ms: Schema.Number,
  batch: Schema.Int,
  log_blocks: Schema.Int,
  burst: Schema.NullOr(
    Schema.Struct({
      requests: Schema.Int,
      answered: Schema.Int,
      limited: Schema.Int,
      millis: Schema.Number
    })
  ),
  capabilities: Schema.Struct({
    batch: Answer,
    block_by_hash: Answer,
    code_override: Answer,
    block_override: Answer,
    simulate_v1: Answer,
    archive: Answer
  })
}).annotations({ identifier: "AnsweringEndpoint" })

/**
 * An endpoint that does not serve this chain, and why: `detail` is a sentence, `failure` its parts. Neither has a part of its
 * URL.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FailedEndpoint = Schema.Struct({
  endpoint: Schema.Int,
  status: Schema.Literal("failed"),
  reason: UnknownReason,
  detail: Schema.String,
  failure: EndpointFailure.EndpointFailure
}).annotations({ identifier: "FailedEndpoint" })

/**
 * Checks that can be unknown because no endpoint of the chain was shown to have what they need. `certain` is false where
 * that could not be found out.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EndpointLoss = Schema.Struct({
  need: Schema.Literal(
    "batch",
    "block_by_hash",
    "code_override",
    "block_override",
    "simulate_v1",
    "archive",
    "logs",
    "history"
  ),
  certain: Schema.Boolean,
  checks: Schema.Array(Schema.String)
}).annotations({ identifier: "EndpointLoss" })

/**
 * The endpoints of a chain in their order, the first at 1, and what their limits cost.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EndpointReport = Schema.Struct({
  chain: ChainRef,
  endpoints: Schema.Array(Schema.Union(AnsweringEndpoint, FailedEndpoint)),
  losses: Schema.Array(EndpointLoss)
}).annotations({ identifier: "EndpointReport" })

/**
 * @since 0.1.0
 * @category models
 */
export interface EndpointReport extends Schema.Schema.Type<typeof EndpointReport> {}

/**
 * What was found out about each endpoint of a chain, in their order.
 *
 * @since 0.1.0
 * @category models
 */
export type Found = Either.Either<Diagnosis.Diagnosis, EndpointFailure.EndpointFailed>

/**
 * Examines all endpoints of a chain at once. `settings` are the limits and headers of single ones, by their URL.
 *
 * @since 0.1.0
 * @category constructors
 */
export const examine = (
  chain: Chain,
  settings: ReadonlyMap<string, EndpointSettings> = new Map()
): Effect.Effect<ReadonlyArray<Found>, never, Transport> =>
  Effect.forEach(
    chain.endpoints,
    (url) => {
      const known = settings.get(url)
      const secrets = Object.values(known?.headers ?? {}).map(Redacted.value)
      return Effect.either(Diagnosis.make({ url, chainId: chain.id, settings: known, secrets }))
    },
    { concurrency: "unbounded" }
  )

/**
 * The checks that these endpoints can make unknown; none where no endpoint answers, because then all are.
 *
 * @since 0.1.0
 * @category combinators
 */
export const lossesOf = (found: ReadonlyArray<Found>): ReadonlyArray<CapabilityLosses.Loss> => {
  const diagnoses = found.flatMap((each) => Option.toArray(Either.getRight(each)))
  return diagnoses.length === 0 ? [] : CapabilityLosses.of(diagnoses)
}

/**
 * The report of what was found.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ id, name }: Pick<Chain, "id" | "name">, found: ReadonlyArray<Found>): EndpointReport => ({
  chain: { id, name },
  endpoints: found.map((each, place) =>
    Either.match(each, {
      onLeft: ({ failure, reason }) => ({
        endpoint: place + 1,
        status: "failed" as const,
        reason,
        detail: EndpointFailure.sentenceOf({ ...failure, chain: name, endpoint: place + 1 }),
        failure
      }),
      onRight: (diagnosis) => ({
        endpoint: place + 1,
        status: "answers" as const,
        block: diagnosis.head,
        block_age_seconds: diagnosis.headAgeSeconds,
        latency_ms: diagnosis.latencyMillis,
        batch: diagnosis.batch,
        log_blocks: diagnosis.logBlocks,
        burst: Option.getOrNull(diagnosis.burst),
        capabilities: {
          batch: Either.merge(diagnosis.capabilities.batch),
          block_by_hash: Either.merge(diagnosis.capabilities.blockByHash),
          code_override: Either.merge(diagnosis.capabilities.codeOverride),
          block_override: Either.merge(diagnosis.capabilities.blockOverride),
          simulate_v1: Either.merge(diagnosis.capabilities.simulateV1),
          archive: Either.merge(diagnosis.capabilities.archive)
        }
      })
    })
  ),
  losses: lossesOf(found).map(({ certain, checks, need }) => ({ need: needNames[need], certain, checks }))
})

const needNames = {
  batch: "batch",
  blockByHash: "block_by_hash",
  codeOverride: "code_override",
  blockOverride: "block_override",
  simulateV1: "simulate_v1",
  archive: "archive",
  logs: "logs",
  history: "history"
} as const satisfies { readonly [Name in CapabilityLosses.Need]: string }
