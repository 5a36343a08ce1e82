/** @internal */

import { BigInt as BigInts, Effect, Option } from "effect"
import { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as Code from "../../data/ManagerCode.js"
import type { Hex } from "../../domain/Hex.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"
import type * as ConcentratedLiquidity from "./ConcentratedLiquidity.js"

/** A pool to look at. */
export interface Subject {
  readonly id: Hex
  readonly tickSpacing: number
}

// What a constructor returns is held to 24,576 bytes, and a pool may need 53 words of it.
const mostPools = 14

const gas = 30_000_000n

/** Reads pools of a manager, in as few calls as they fit, which leave together; none for a pool that does not exist. */
export const read = (
  state: ChainState["Type"],
  manager: Hex,
  subjects: ReadonlyArray<Subject>
): Effect.Effect<ReadonlyArray<Option.Option<ConcentratedLiquidity.PoolState>>, ChainError> => {
  const parts: Array<ReadonlyArray<Subject>> = []
  for (let from = 0; from < subjects.length; from += mostPools) parts.push(subjects.slice(from, from + mostPools))
  return Effect.map(
    Together.forEach(parts, (part) => readPart(state, manager, part)),
    (answers) => answers.flat()
  )
}

const readPart = (
  state: ChainState["Type"],
  manager: Hex,
  subjects: ReadonlyArray<Subject>
): Effect.Effect<ReadonlyArray<Option.Option<ConcentratedLiquidity.PoolState>>, ChainError> =>
  Effect.flatMap(state.call({ data: calldata(manager, subjects), gas }), ({ value }) =>
    Option.match(value._tag === "Returned" ? decode(value.data, subjects) : Option.none(), {
      onNone: () => unreadable,
      onSome: (found) => Effect.succeed(found)
    })
  )

/** Why the state of pools is not known. */
export const unreadable = new ChainError({
  reason: "inconclusive",
  method: "eth_call",
  retryable: false,
  detail: "the manager of the pools does not give their state"
})

const calldata = (manager: Hex, subjects: ReadonlyArray<Subject>): Hex =>
  Getter.calldata(Code.managerLens, [
    Getter.word(32n),
    Getter.word(BigInt(1 + 2 * subjects.length)),
    Getter.word(manager),
    ...subjects.flatMap(({ id, tickSpacing }) => [id, Getter.word(BigInt.asUintN(256, BigInt(tickSpacing)))])
  ])

const decode = (
  data: Hex,
  subjects: ReadonlyArray<Subject>
): Option.Option<ReadonlyArray<Option.Option<ConcentratedLiquidity.PoolState>>> =>
  Option.gen(function* () {
    let at = 0
    const next = () => Option.map(Getter.wordAt(data, 32 * at++), BigInt)
    const signed = () => Option.map(next(), (word) => BigInt.asIntN(256, word))
    const tick = () => Option.map(signed(), Number)
    const found: Array<Option.Option<ConcentratedLiquidity.PoolState>> = []
    for (let pool = 0; pool < subjects.length; pool++) {
      const slot0 = yield* next()
      if (slot0 === 0n) {
        found.push(Option.none())
        continue
      }
      const liquidity = yield* next()
      const [lowest, highest, count] = [yield* tick(), yield* tick(), Number(yield* next())]
      const marks: Array<readonly [tick: number, net: bigint]> = []
      for (let mark = 0; mark < count; mark++) marks.push([yield* tick(), yield* signed()])
      const price = slot0 & (2n ** 160n - 1n)
      const current = Number(BigInt.asIntN(24, slot0 >> 160n))
      found.push(Option.some({ price, liquidity, ranges: rangesOf({ current, liquidity, lowest, highest, marks }) }))
    }
    return found
  })

const rangesOf = ({
  current,
  highest,
  liquidity,
  lowest,
  marks
}: {
  readonly current: number
  readonly liquidity: bigint
  readonly lowest: number
  readonly highest: number
  readonly marks: ReadonlyArray<readonly [tick: number, net: bigint]>
}): ReadonlyArray<ConcentratedLiquidity.Range> => {
  const sorted = [...marks].sort(([a], [b]) => a - b)
  const below = BigInts.sumAll(sorted.filter(([tick]) => tick <= current).map(([, net]) => net))
  let here = liquidity - below
  let lower = lowest
  const ranges: Array<ConcentratedLiquidity.Range> = []
  for (const [tick, net] of [...sorted, [highest + 1, 0n] as const]) {
    if (here > 0n && tick > lower) ranges.push({ lower, upper: tick, liquidity: here })
    here += net
    lower = tick
  }
  return ranges
}
