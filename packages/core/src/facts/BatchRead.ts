/** @internal */

import { Effect, Option } from "effect"
import { ChainError } from "../chain/ChainError.js"
import type { CallOutcome, ChainState } from "../chain/state/ChainState.js"
import * as Reading from "../chain/state/Reading.js"
import * as Code from "../data/TradeSimulator.js"
import * as Hex from "../domain/Hex.js"
import * as Selectors from "../evm/bytecode/Selectors.js"
import * as Together from "../runtime/Together.js"
import * as Getter from "./Getter.js"

/** One view call among many. */
export interface Read {
  readonly to: Hex.Hex
  readonly data: Hex.Hex
}

/** The first two words of an answer; fewer where it was shorter, none where the call failed. */
export type Answer = ReadonlyArray<bigint>

/** A getter with its argument words. */
export const get = (to: Hex.Hex, selector: Hex.Hex, args: ReadonlyArray<Hex.Hex> = []): Read => ({
  to,
  data: Getter.calldata(selector, args)
})

/** What an account holds of a token. */
export const balanceOf = (token: Hex.Hex, account: Hex.Hex): Read =>
  get(token, Selectors.functions.balanceOf, [Getter.word(account)])

// What a constructor returns is held to the size of a contract, 24,576 bytes: https://eips.ethereum.org/EIPS/eip-170
const mostReads = 360

const bytesPerRead = 65

const gas = 15_000_000n

/** How many reads of contracts that may burn all gas they are given fit in one call: each may take 100,000. */
export const hostileReads = 120

/**
 * Makes view calls, as many as fit in one `eth_call` without a recipient. Its constructor makes the calls and returns
 * the answers, so it needs no contract on the chain and no override. All calls of a batch leave in one round trip; the
 * observation is of its first part.
 */
export const all = (
  state: ChainState["Type"],
  reads: ReadonlyArray<Read>,
  options: { readonly readsPerCall?: number | undefined } = {}
): Effect.Effect<Reading.Reading<ReadonlyArray<Answer>>, ChainError> =>
  Effect.gen(function* () {
    const size = Math.min(options.readsPerCall ?? mostReads, mostReads)
    const parts: Array<ReadonlyArray<Read>> = []
    for (let from = 0; from < Math.max(reads.length, 1); from += size) parts.push(reads.slice(from, from + size))
    const readings = yield* Together.forEach(parts, (part) => readPart(state, part))
    const { observation } = readings[0] as Reading.Reading<unknown>
    return { value: readings.flatMap((reading) => reading.value), observation }
  })

const readPart = (
  state: ChainState["Type"],
  reads: ReadonlyArray<Read>
): Effect.Effect<Reading.Reading<ReadonlyArray<Answer>>, ChainError> =>
  Effect.flatMap(state.call({ data: calldata(reads), gas }), (reading) =>
    isAnswer(reading.value, reads.length)
      ? Effect.succeed(Reading.map(reading, ({ data }) => reads.map((_, index) => answerAt(data, index))))
      : new ChainError({
          reason: "method_unsupported",
          method: "eth_call",
          retryable: false,
          detail: "a call without a recipient did not run its data as a constructor"
        })
  )

/**
 * What a chain answers to a batch, for chains that are made up: `view` gives what a read returns, nothing where it fails.
 * None for a call that is no batch.
 */
export const answer = (data: Hex.Hex, view: (read: Read) => Option.Option<Hex.Hex>): Option.Option<Hex.Hex> => {
  if (!data.startsWith(Code.batchRead)) return Option.none()
  const plan = data.slice(Code.batchRead.length + 64)
  const end = 64 + Number.parseInt(plan.slice(0, 64), 16) * 2
  let answers = ""
  for (let at = 64; at < end; ) {
    const size = Number.parseInt(plan.slice(at + 40, at + 42), 16) * 2
    const read: Read = { to: `0x${plan.slice(at, at + 40)}`, data: `0x${plan.slice(at + 42, at + 42 + size)}` }
    const came = Option.match(view(read), { onNone: () => "", onSome: (bytes) => bytes.slice(2, 2 + 128) })
    answers += (came.length / 2).toString(16).padStart(2, "0") + came.padEnd(128, "0")
    at += 42 + size
  }
  return Option.some<Hex.Hex>(`0x${answers}`)
}

const isAnswer = (outcome: CallOutcome, reads: number): boolean =>
  outcome._tag === "Returned" && Hex.size(outcome.data) === reads * bytesPerRead

const calldata = (reads: ReadonlyArray<Read>): Hex.Hex => {
  const plan = reads
    .map(({ data, to }) => `${to.slice(2)}${Hex.size(data).toString(16).padStart(2, "0")}${data.slice(2)}`)
    .join("")
  const words = Math.ceil(plan.length / 64)
  return `${Code.batchRead}${Getter.word(32n).slice(2)}${Getter.word(BigInt(plan.length / 2)).slice(2)}${plan.padEnd(words * 64, "0")}`
}

const answerAt = (data: Hex.Hex, index: number): Answer => {
  const start = 2 + index * bytesPerRead * 2
  const bytes = Number.parseInt(data.slice(start, start + 2), 16)
  return [0, 1]
    .filter((place) => bytes >= 32 * (place + 1))
    .map((place) => BigInt(`0x${data.slice(start + 2 + place * 64, start + 2 + (place + 1) * 64)}`))
}
