/** @internal */

import { Effect, type Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import type * as Address from "../../domain/Address.js"
import * as Part from "../../runtime/Part.js"
import * as Implementation from "./Implementation.js"
import type { Tip20 } from "./Tip20.js"
import type { Admission } from "./Tip403.js"

/** What the chain says of a token that it implements; none of any other, without a read where the address is one of no such token. */
export const of = (
  state: ChainState["Type"],
  address: Address.Address
): Effect.Effect<Option.Option<Reading<Tip20>>, ChainError> =>
  Effect.flatMap(Implementation.of(state, address), (by) =>
    by === "chain" ? Effect.asSome(Effect.flatMap(tip20, ({ read }) => read(state, address))) : Effect.succeedNone
  )

/**
 * Whether the transfer policy of a token that the chain implements lets an account send, and receive; none of any other
 * token, and where the registry of policies does not answer.
 */
export const admits = (
  state: ChainState["Type"],
  address: Address.Address,
  account: Address.Address
): Effect.Effect<Option.Option<Reading<Admission>>, ChainError> =>
  Effect.flatMap(Implementation.of(state, address), (by) =>
    by === "chain" ? Effect.flatMap(tip20, (part) => part.admits(state, address, account)) : Effect.succeedNone
  )

// Of use on one chain only.
const tip20 = Effect.suspend(() => Part.load("the tokens of Tempo", () => import("./Tip20.js")))
