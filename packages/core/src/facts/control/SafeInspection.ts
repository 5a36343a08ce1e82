/** @internal */

import { Effect, Either, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type * as Reading from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import type { SafeAccount } from "../../domain/facts/SafeAccount.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Together from "../../runtime/Together.js"
import * as InspectedAccount from "./InspectedAccount.js"
import * as Quorum from "./Quorum.js"
import * as Safes from "./Safe.js"
import type { UnlistedEntries } from "./UnlistedEntries.js"

/** Who can make a Safe of published code act: its signers, and its modules, listed or not. */
export const of = (
  facts: {
    readonly state: ChainState["Type"]
    readonly safe: Safes.Safe["Type"]
    readonly unlisted: UnlistedEntries["Type"]
  },
  account: Address,
  { observation, value: setup }: Reading.Reading<SafeAccount>
): Effect.Effect<InspectedAccount.InspectedAccount, ChainError> =>
  Effect.gen(function* () {
    const { modules, owners, threshold } = setup
    const [quorum, isOpen, entries] = yield* Together.all([
      Quorum.of(facts.state, owners, threshold),
      passesCalls(facts, setup),
      Effect.either(facts.unlisted.of(account, modules ?? []))
    ])
    const unlisted = Either.match(entries, { onLeft: () => [], onRight: (found) => found.modules })
    const isListed = Either.match(entries, {
      onLeft: () => false,
      onRight: ({ complete, setupBy }) => complete && Option.isNone(setupBy)
    })
    return InspectedAccount.make("safe", observation, {
      threshold,
      signers: owners,
      quorum,
      acts: true,
      principals: [...(modules ?? []), ...unlisted].map((module) => ({ power: "module", account: module, delay: 0 })),
      complete: modules !== null && modules.length < Safes.modulesAtMost && !isOpen && isListed,
      lost: Either.match(entries, {
        onLeft: ({ reason }) => Option.some(reason),
        onRight: ({ complete }) => (complete ? Option.none() : Option.some("log_range_limited"))
      })
    })
  })

/**
 * Whether any account can have a Safe call a fallback handler of unknown code. The Safe forwards the call and is its sender.
 *
 * @see https://github.com/safe-global/safe-smart-account/blob/main/contracts/base/FallbackManager.sol
 */
const passesCalls = (
  { safe, state }: { readonly safe: Safes.Safe["Type"]; readonly state: ChainState["Type"] },
  { fallback_handler: handler }: SafeAccount
): Effect.Effect<boolean, ChainError> =>
  handler === null
    ? Effect.succeed(false)
    : Effect.map(
        Together.all([safe.handlerName(handler), state.code(handler)]),
        ([name, { value }]) => Option.isNone(name) && !Bytecode.isEmpty(value)
      )
