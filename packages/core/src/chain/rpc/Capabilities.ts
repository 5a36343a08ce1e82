/** @internal */

import { Effect, Either, Option } from "effect"
import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import type { BlockRef } from "../../domain/BlockRef.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Together from "../../runtime/Together.js"
import * as JsonRpc from "./JsonRpc.js"
import * as RpcValue from "./RpcValue.js"

/**
 * What an endpoint can do, as shown by the result of a probe, never by an error code.
 *
 * - `batch`: answers several calls in one request.
 * - `blockByHash`: reads state at a block hash (EIP-1898).
 * - `codeOverride`: `eth_call` applies overrides of code, balance and storage.
 * - `blockOverride`: `eth_call` applies overrides of block number, time and fee recipient.
 * - `simulateV1`: supports `eth_simulateV1`.
 * - `archive`: reads state at block 1.
 */
export interface Capabilities {
  readonly batch: boolean
  readonly blockByHash: boolean
  readonly codeOverride: boolean
  readonly blockOverride: boolean
  readonly simulateV1: boolean
  readonly archive: boolean
}

/**
 * The result of a probe, per capability: a fault means that it is not known. `head` is the newest block at that time.
 */
export interface Probe {
  readonly head: BlockRef
  readonly capabilities: { readonly [Name in keyof Capabilities]: Either.Either<boolean, JsonRpc.Fault> }
}

type Answer = Either.Either<JsonRpc.RpcAnswer, JsonRpc.Fault>

/**
 * Probes an endpoint in one round trip, and one more for reads by block hash. Fails if the endpoint does not answer, or
 * serves another chain.
 */
export const probe = (options: {
  readonly chainId: number
  readonly one: (call: JsonRpc.RpcCall) => Effect.Effect<Answer>
  /** Sends the call again where the answer cannot be decoded. */
  readonly needed: <A>(
    call: JsonRpc.RpcCall,
    decode: (answer: Answer) => Either.Either<A, JsonRpc.Fault>
  ) => Effect.Effect<Either.Either<A, JsonRpc.Fault>>
  readonly batch: (calls: ReadonlyArray<JsonRpc.RpcCall>) => Effect.Effect<ReadonlyArray<Answer>>
}): Effect.Effect<Probe, JsonRpc.Fault> =>
  Effect.gen(function* () {
    const { batch, needed, one } = options
    const first = yield* Together.all({
      chainId: needed(chainIdCall, chainIdOf),
      head: needed(latestBlock, headOf),
      batch: batch([chainIdCall, { method: "eth_blockNumber", params: [] }]),
      codeOverride: one(stateOverrideCall),
      blockOverride: one(blockOverrideCall),
      simulateV1: one(simulateCall("latest")),
      archive: one({ method: "eth_getBalance", params: [nobody, "0x1"] })
    })
    const served = yield* first.chainId
    if (served !== options.chainId) {
      return yield* Effect.fail(
        JsonRpc.fault({
          reason: "source_unavailable",
          detail: `the endpoint serves chain ${served}, not ${options.chainId}`,
          failure: { code: "wrong_chain", served, expected: options.chainId }
        })
      )
    }
    const head = yield* first.head
    const simulateV1 = shown(first.simulateV1, simulates)
    const at = { blockHash: head.hash }
    const byHash = yield* Together.all([
      one({ method: "eth_getBalance", params: [nobody, at] }),
      one({ method: "eth_call", params: [{ data: numberCode, gas }, at] }),
      ...(Either.isRight(simulateV1) && simulateV1.right ? [one(simulateCall(at))] : [])
    ])
    return {
      head,
      capabilities: {
        batch: all(first.batch.map((answer) => shown(answer, (result) => Option.isSome(number(result))))),
        blockByHash: all([
          ...byHash.slice(0, 2).map((answer) => shown(answer, (result) => Option.isSome(number(result)))),
          ...byHash.slice(2).map((answer) => shown(answer, simulates))
        ]),
        codeOverride: shown(first.codeOverride, (result) => answersWord(result, overriddenState)),
        blockOverride: shown(first.blockOverride, (result) => answersWord(result, overriddenBlock)),
        simulateV1,
        archive: shown(first.archive, (result) => Option.isSome(number(result)))
      }
    }
  })

/** The call that reads the newest block. */
export const latestBlock: JsonRpc.RpcCall = { method: "eth_getBlockByNumber", params: ["latest", false] }

/** Decodes the block of an `eth_getBlockByNumber` answer. */
export const headOf = (answer: Answer): Either.Either<BlockRef, JsonRpc.Fault> =>
  Either.flatMap(answer, (given) =>
    Either.fromOption(parseBlock(given._tag === "Result" ? given.result : null), () =>
      JsonRpc.garbage("eth_getBlockByNumber: not a block")
    )
  )

/** Decodes number, hash and time of a block from JSON. */
export const parseBlock = (value: unknown): Option.Option<BlockRef> =>
  Option.gen(function* () {
    const block = yield* RpcValue.parseRecord(value)
    const number = yield* RpcValue.parseNumber(block.number)
    const hash = yield* RpcValue.parseHash(block.hash)
    // A Date holds 8.64e15 ms at most; a node may say anything.
    const seconds = yield* Option.filter(RpcValue.parseNumber(block.timestamp), (value) => value <= 8.64e12)
    return { number, hash, timestamp: Timestamp.fromMillis(seconds * 1_000) }
  })

// An address that nobody holds.
const nobody = Hash.keccak256(OxHex.fromString("assay probe")).slice(0, 42)

const payer = Hash.keccak256(OxHex.fromString("assay payer")).slice(0, 42)

/** The call that reads the id of the chain. */
export const chainIdCall: JsonRpc.RpcCall = { method: "eth_chainId", params: [] }

// As nearly all calls of this engine state it: where they do not, some nodes give them more than they let a transaction have.
const gas = RpcValue.quantity(1_000_000)

// NUMBER RETURNDATASIZE MSTORE MSIZE RETURNDATASIZE RETURN, as init code: answers the block number.
const numberCode = "0x433d52593df3"

// PUSH1 0 SLOAD ADDRESS BALANCE ADD RETURNDATASIZE MSTORE MSIZE RETURNDATASIZE RETURN: slot 0 plus the balance. No
// PUSH0, so that it runs before Shanghai too; an ignored override answers `0x` or another sum.
const stateOverrideCall: JsonRpc.RpcCall = {
  method: "eth_call",
  params: [
    { to: nobody, gas },
    "latest",
    {
      [nobody]: {
        code: "0x6000543031013d52593df3",
        balance: "0x1",
        stateDiff: { [RpcValue.word("0x0")]: RpcValue.word("0x10") }
      }
    }
  ]
}
const overriddenState = 0x11n

// NUMBER TIMESTAMP ADD COINBASE ADD RETURNDATASIZE MSTORE MSIZE RETURNDATASIZE RETURN, as init code.
const blockOverrideCall: JsonRpc.RpcCall = {
  method: "eth_call",
  params: [
    { data: "0x43420141013d52593df3", gas },
    "latest",
    {},
    { number: "0x7000000", time: "0x77000000", feeRecipient: "0x0000000000000000000000000000000000000007" }
  ]
}
const overriddenBlock = 0x7000000n + 0x77000000n + 7n

// PUSH1 1 RETURNDATASIZE MSTORE MSIZE RETURNDATASIZE RETURN: answers 1, in seven bytes. Sender, gas and price are stated as in
// the trades that it stands for.
const simulateCall = (at: unknown): JsonRpc.RpcCall => ({
  method: "eth_simulateV1",
  params: [
    {
      blockStateCalls: [
        {
          stateOverrides: {
            [nobody]: { code: "0x60013d52593df3" },
            [payer]: { balance: RpcValue.quantity(10n ** 18n) }
          },
          calls: [{ from: payer, to: nobody, data: "0x", gas, gasPrice: RpcValue.quantity(2_000_000_000) }]
        }
      ],
      validation: false,
      traceTransfers: false
    },
    at
  ]
})

const simulates = (answer: JsonRpc.RpcAnswer): boolean => {
  const first = (value: unknown) => (Array.isArray(value) ? value[0] : undefined)
  const block = answer._tag === "Result" ? RpcValue.parseRecord(first(answer.result)) : Option.none()
  const call = Option.flatMap(block, (record) => RpcValue.parseRecord(first(record.calls)))
  return Option.exists(
    Option.flatMap(call, (record) => RpcValue.parseBigInt(record.returnData)),
    (value) => value === 1n
  )
}

/** Decodes the answer of that call. */
export const chainIdOf = (answer: Answer): Either.Either<number, JsonRpc.Fault> =>
  Either.flatMap(answer, (given) =>
    Either.fromOption(number(given), () => JsonRpc.garbage("eth_chainId: not a number"))
  )

const number = (answer: JsonRpc.RpcAnswer): Option.Option<number> =>
  answer._tag === "Result" ? Option.map(RpcValue.parseBigInt(answer.result), Number) : Option.none()

const answersWord = (answer: JsonRpc.RpcAnswer, word: bigint): boolean =>
  answer._tag === "Result" && Option.exists(RpcValue.parseBigInt(answer.result), (value) => value === word)

// An endpoint that said no, in whatever words, does not do it; one that said nothing left it open.
const shown = (answer: Answer, test: (answer: JsonRpc.RpcAnswer) => boolean): Either.Either<boolean, JsonRpc.Fault> =>
  Either.match(answer, {
    onRight: (given) => Either.right(test(given)),
    onLeft: (fault) => (isSilent(fault) ? Either.left(fault) : Either.right(false))
  })

/** Whether a fault says nothing about the capability: the endpoint was down or busy, and may answer later. */
export const isSilent = (fault: JsonRpc.Fault): boolean =>
  fault.kind === "unreachable" || fault.kind === "timeout" || fault.kind === "outage" || fault.reason === "rate_limited"

const all = (parts: ReadonlyArray<Either.Either<boolean, JsonRpc.Fault>>): Either.Either<boolean, JsonRpc.Fault> =>
  parts.some((part) => Either.isRight(part) && !part.right)
    ? Either.right(false)
    : Either.map(Either.all(parts), () => true)
