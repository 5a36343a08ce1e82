/** @internal */

import { Either, Option } from "effect"
import type { BlockRef } from "../../domain/BlockRef.js"
import * as CanonicalJson from "../../domain/CanonicalJson.js"
import type { Observation } from "../../domain/Evidence.js"
import type { Hex } from "../../domain/Hex.js"
import type { Recipe } from "../../domain/Recipe.js"
import * as JsonRpc from "../rpc/JsonRpc.js"
import * as RpcValue from "../rpc/RpcValue.js"
import type { PinnedRead } from "./PinnedRead.js"
import type { Reading } from "./Reading.js"

/** Makes readings of answers, and keeps the recipe of each reading that became evidence. */
export interface Observations {
  /** The reading of a value that was computed from answers; `answer` is what is hashed. */
  readonly observe: <A>(method: string, value: A, params: ReadonlyArray<unknown>, answer: () => unknown) => Reading<A>
  /** The reading of an answer to a read; a fault where the answer has another type than the read. */
  readonly answered: (
    read: PinnedRead,
    params: ReadonlyArray<unknown>,
    answer: JsonRpc.RpcAnswer
  ) => Either.Either<Reading<unknown>, JsonRpc.Fault>
  /** How to repeat each observation made so far. */
  readonly recipes: () => ReadonlyArray<Recipe>
}

export const make = (block: BlockRef): Observations => {
  const recipes = new Map<string, Recipe>()
  const observe: Observations["observe"] = (method, value, params, answer) => {
    let observed: Observation | undefined
    return {
      value,
      observation: () => {
        if (observed !== undefined) return observed
        const params_hash = CanonicalJson.hash(params)
        recipes.set(`${method} ${params_hash}`, { method, params_hash, params })
        observed = { method, params_hash, block_hash: block.hash, answer_hash: CanonicalJson.hash(answer()) }
        return observed
      }
    }
  }
  return {
    observe,
    answered: ({ decode, method }, params, answer) =>
      Option.match(decode(answer), {
        onNone: () => Either.left(unreadable),
        onSome: (value) => Either.right(observe(method, value, params, () => hashed(method, answer)))
      }),
    recipes: () => [...recipes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, recipe]) => recipe)
  }
}

const unreadable = JsonRpc.garbage("the answer is not of the type that was asked for")

// A revert has no result to hash; nodes put its data into errors of many shapes, so one shape is hashed. So is one shape
// of what nodes write in several.
const hashed = (method: string, answer: JsonRpc.RpcAnswer): unknown => {
  if (answer._tag === "Reverted") return { reverted: answer.data }
  return Option.getOrElse(normalized.get(method)?.(answer.result) ?? Option.none(), () => answer.result)
}

const normalized: ReadonlyMap<string, (result: unknown) => Option.Option<Hex>> = new Map([
  ["eth_getCode", RpcValue.parseCode],
  ["eth_getStorageAt", RpcValue.parseWord],
  ["eth_getBalance", (result: unknown) => Option.map(RpcValue.parseBigInt(result), RpcValue.quantity)],
  ["eth_call", RpcValue.parseBytes]
])
