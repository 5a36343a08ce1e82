import { Clock, Effect, Either, Option } from "effect"
import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import type { BlockRef } from "../domain/BlockRef.js"
import type { UnknownReason } from "../domain/Evidence.js"
import * as Timestamp from "../domain/Timestamp.js"
import type { EndpointSettings } from "./ChainAccess.js"
import { EndpointFailed } from "./EndpointFailure.js"
import type { Capabilities } from "./rpc/Capabilities.js"
import * as Endpoint from "./rpc/Endpoint.js"
import * as JsonRpc from "./rpc/JsonRpc.js"
import * as RpcValue from "./rpc/RpcValue.js"
import { Transport } from "./rpc/Transport.js"

/**
 * What one endpoint was shown to do, and how fast. It is measured now and not remembered.
 *
 * - `capabilities`: per capability whether it has it, or why that could not be found out.
 * - `headAgeSeconds`: how old its newest block is.
 * - `latencyMillis`: the median of five single calls.
 * - `batch`: calls that it answered in one request: 100 at most are tried, 1 where it takes no batches.
 * - `burst`: requests that were sent at once; none where the rates of the endpoint are stated, which is not put to the test.
 * - `logBlocks`: the widest range of blocks in which it found the events of an address; 0 where it found none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Diagnosis {
  readonly head: BlockRef
  readonly headAgeSeconds: number
  readonly capabilities: { readonly [Name in keyof Capabilities]: Either.Either<boolean, UnknownReason> }
  readonly latencyMillis: number
  readonly batch: number
  readonly burst: Option.Option<Burst>
  readonly logBlocks: number
}

/**
 * What became of requests that were sent at once: answered, or refused for their rate; the others failed otherwise.
 *
 * @since 0.1.0
 * @category models
 */
export interface Burst {
  readonly requests: number
  readonly answered: number
  readonly limited: number
  readonly millis: number
}

/**
 * Examines an endpoint with at most about 60 requests, none of which concerns a target. Fails where the endpoint does not
 * answer, or serves another chain.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly url: string
  readonly chainId: number
  readonly settings?: EndpointSettings | undefined
  readonly secrets?: ReadonlyArray<string> | undefined
}): Effect.Effect<Diagnosis, EndpointFailed, Transport> =>
  Effect.gen(function* () {
    const { chainId, secrets, url } = options
    const limits = options.settings?.limits
    const transport = yield* Transport
    const clean = JsonRpc.redact(url, secrets)
    const endpoint = yield* Endpoint.make(transport, url, chainId, { limits, secrets, patience: "10 seconds" })
    const { capabilities, head } = yield* Effect.mapError(
      endpoint.probe,
      (fault) => new EndpointFailed({ failure: JsonRpc.failureOf(fault), reason: fault.reason })
    )
    const send = (calls: ReadonlyArray<JsonRpc.RpcCall>) => JsonRpc.exchange(transport, url, calls, clean)
    const now = yield* Clock.currentTimeMillis
    return {
      head,
      headAgeSeconds: Math.max(0, Math.round((now - Timestamp.toMillis(head.timestamp)) / 1_000)),
      capabilities: {
        batch: reasonOf(capabilities.batch),
        blockByHash: reasonOf(capabilities.blockByHash),
        codeOverride: reasonOf(capabilities.codeOverride),
        blockOverride: reasonOf(capabilities.blockOverride),
        simulateV1: reasonOf(capabilities.simulateV1),
        archive: reasonOf(capabilities.archive)
      },
      latencyMillis: yield* medianOf(5, send),
      batch: Either.getOrElse(capabilities.batch, () => false) ? yield* largestBatch(send, limits?.batch ?? 100) : 1,
      logBlocks: yield* widestRange(send, Math.min(head.number, limits?.logBlocks ?? head.number), head.number),
      burst:
        limits?.callsPerSecond === undefined && limits?.requestsPerSecond === undefined
          ? Option.some(yield* burstOf(32, send))
          : Option.none()
    }
  }).pipe(Effect.scoped)

type Send = (
  calls: ReadonlyArray<JsonRpc.RpcCall>
) => Effect.Effect<ReadonlyArray<Either.Either<JsonRpc.RpcAnswer, JsonRpc.Fault>>>

const reasonOf = Either.mapLeft(({ reason }: JsonRpc.Fault) => reason)

// An address that nobody holds.
const nobody = Hash.keccak256(OxHex.fromString("assay diagnosis")).slice(0, 42)

const newest: JsonRpc.RpcCall = { method: "eth_blockNumber", params: [] }

const timed = <A>(effect: Effect.Effect<A>) =>
  Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis
    const value = yield* effect
    return { value, millis: (yield* Clock.currentTimeMillis) - begun }
  })

const medianOf = (times: number, send: Send) =>
  Effect.map(
    Effect.forEach(Array.from({ length: times }), () => timed(send([newest]))),
    (measured) => measured.map(({ millis }) => millis).sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0
  )

const sizes = [100, 50, 25, 10, 5]

// The probe has shown that it takes two.
const largestBatch = (send: Send, most: number) =>
  Effect.gen(function* () {
    for (const size of [...new Set(sizes.map((size) => Math.min(size, most)))]) {
      const calls = Array.from({ length: size }, () => ({ method: "eth_getBalance", params: [nobody, "latest"] }))
      if ((yield* send(calls)).every(Either.isRight)) return size
    }
    return Math.min(2, most)
  })

// As a scan of an analysis does: the whole history, else what the endpoint names, else an eighth of it.
const widestRange = (send: Send, widest: number, last: number) =>
  Effect.gen(function* () {
    let span = Math.max(1, widest)
    for (let tries = 0; tries < 8; tries++) {
      const filter = {
        address: nobody,
        fromBlock: RpcValue.quantity(Math.max(0, last - span + 1)),
        toBlock: RpcValue.quantity(last)
      }
      const [answer] = yield* send([{ method: "eth_getLogs", params: [filter] }])
      if (answer === undefined) return 0
      if (Either.isRight(answer)) return Option.exists(JsonRpc.resultOf(answer.right), Array.isArray) ? span : 0
      if (answer.left.reason !== "log_range_limited" || span === 1) return 0
      const smaller = Math.max(1, Math.floor(span / 8))
      const named = Option.getOrElse(answer.left.blockSpan, () => smaller)
      span = named < span ? named : smaller
    }
    return 0
  })

const burstOf = (requests: number, send: Send): Effect.Effect<Burst> =>
  Effect.map(
    timed(Effect.forEach(Array.from({ length: requests }), () => send([newest]), { concurrency: "unbounded" })),
    ({ millis, value }) => ({
      requests,
      answered: value.flat().filter(Either.isRight).length,
      limited: value.flat().filter((answer) => Either.isLeft(answer) && answer.left.reason === "rate_limited").length,
      millis
    })
  )
