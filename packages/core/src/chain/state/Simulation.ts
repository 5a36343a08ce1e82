/** @internal */

import { Option } from "effect"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as RpcValue from "../rpc/RpcValue.js"
import type {
  BlockOverride,
  CallOutcome,
  CallRequest,
  SimulatedCall,
  SimulateRequest,
  StateOverride
} from "./ChainState.js"

/**
 * A call's transaction object for `eth_call` and `eth_simulateV1`; what is left open is absent.
 *
 * @see https://ethereum.github.io/execution-apis/api-documentation
 */
const transaction = (request: CallRequest): Record<string, unknown> =>
  defined({
    from: request.from,
    to: request.to,
    data: request.data,
    value: optional(request.value),
    gas: optional(request.gas),
    gasPrice: optional(request.gasPrice)
  })

/** State overrides in JSON-RPC form. */
const stateOverride = (overrides: StateOverride): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(overrides).map(([address, account]) => [
      address,
      defined({
        code: account.code,
        balance: optional(account.balance),
        nonce: optional(account.nonce),
        stateDiff:
          account.stateDiff &&
          Object.fromEntries(
            Object.entries(account.stateDiff).map(([slot, value]) => [RpcValue.word(slot as Hex), RpcValue.word(value)])
          )
      })
    ])
  )

/** Block overrides in JSON-RPC form. */
const blockOverride = (block: BlockOverride): Record<string, unknown> =>
  defined({
    number: optional(block.number),
    time: optional(block.time),
    feeRecipient: block.feeRecipient,
    baseFeePerGas: optional(block.baseFeePerGas),
    prevRandao: block.prevRandao
  })

/**
 * The parameters of `eth_call` at a block; the overrides are there only where they say something, since nodes that do
 * not know them refuse or ignore them.
 */
export const callParams = (request: CallRequest, at: unknown): ReadonlyArray<unknown> => {
  const state = stateOverride(request.overrides ?? {})
  const block = blockOverride(request.block ?? {})
  if (Object.keys(block).length > 0) return [transaction(request), at, state, block]
  return Object.keys(state).length > 0 ? [transaction(request), at, state] : [transaction(request), at]
}

/**
 * The parameters of `eth_simulateV1` at a block: without validation by default, so that senders may be contracts and
 * pay nothing, and without the pretended logs of native transfers.
 *
 * @see https://github.com/ethereum/execution-apis/blob/main/docs-api/docs/ethsimulatev1-notes.mdx
 */
export const simulateParams = (request: SimulateRequest, at: unknown): ReadonlyArray<unknown> => [
  {
    blockStateCalls: request.blocks.map((block) =>
      defined({
        stateOverrides: block.overrides && stateOverride(block.overrides),
        blockOverrides: block.block && blockOverride(block.block),
        calls: block.calls.map(transaction)
      })
    ),
    validation: request.validation ?? false,
    traceTransfers: false
  },
  at
]

/** Reads what `eth_simulateV1` answered; none where it is not one result for each call that was sent. */
export const parseSimulated = (
  request: SimulateRequest,
  result: unknown
): Option.Option<ReadonlyArray<ReadonlyArray<SimulatedCall>>> =>
  Array.isArray(result) && result.length === request.blocks.length
    ? Option.all(
        request.blocks.map((block, index) =>
          Option.flatMap(RpcValue.parseRecord(result[index]), ({ calls }) =>
            Array.isArray(calls) && calls.length === block.calls.length
              ? Option.all(calls.map(parseCall))
              : Option.none()
          )
        )
      )
    : Option.none()

const parseCall = (value: unknown): Option.Option<SimulatedCall> =>
  Option.gen(function* () {
    const call = yield* RpcValue.parseRecord(value)
    const status = yield* RpcValue.parseNumber(call.status)
    if (status > 1) return yield* Option.none()
    const gasUsed = yield* RpcValue.parseNumber(call.gasUsed)
    const logs = yield* Array.isArray(call.logs) ? Option.all(call.logs.map(parseEvent)) : Option.none()
    const returned = RpcValue.parseBytes(call.returnData)
    const error = Option.flatMap(RpcValue.parseRecord(call.error), (record) => RpcValue.parseBytes(record.data))
    const outcome: CallOutcome =
      status === 1
        ? { _tag: "Returned", data: yield* returned }
        : {
            _tag: "Reverted",
            // Some nodes give the data of a revert as the error's, and leave the returned bytes empty.
            data: Option.getOrElse(
              Option.orElse(
                Option.filter(returned, (data) => data !== "0x"),
                () => error
              ),
              () => "0x" as const
            )
          }
    return { outcome, gasUsed, logs }
  })

const parseEvent = (value: unknown): Option.Option<SimulatedCall["logs"][number]> =>
  Option.gen(function* () {
    const log = yield* RpcValue.parseRecord(value)
    const address = yield* RpcValue.parseAccount(log.address)
    const topics = yield* Array.isArray(log.topics) ? Option.all(log.topics.map(RpcValue.parseHash)) : Option.none()
    const data = yield* RpcValue.parseBytes(log.data)
    return { address: Address.checksum(address), topics, data }
  })

const optional = (value: bigint | number | undefined): Hex | undefined =>
  value === undefined ? undefined : RpcValue.quantity(value)

const defined = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
