/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState, type Log } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { CodeReadings } from "../code/CodeReadings.js"
import * as Getter from "../Getter.js"

/**
 * Finds owners and modules of a Safe that its lists do not name. A Safe checks its mappings, and delegated code can
 * write those without the lists.
 *
 * @see https://github.com/safe-global/safe-smart-account/blob/main/contracts/base/ModuleManager.sol
 */
export class UnlistedEntries extends Context.Tag("@assay/core/UnlistedEntries")<
  UnlistedEntries,
  {
    readonly of: (safe: Address, listed: ReadonlyArray<Address>) => Effect.Effect<Entries, ChainError>
  }
>() {}

/**
 * `modules` are enabled and not listed, of those that ever acted. `setupBy` is the code that was run in the Safe's
 * storage when it was set up, where that may have written more than is listed. A lower bound unless `complete`. Code
 * that its owners made it delegate to later leaves no event and is not covered.
 */
export interface Entries {
  readonly modules: ReadonlyArray<Address>
  readonly setupBy: Option.Option<Address>
  readonly complete: boolean
}

// Safe 1.3.0 and later; EnabledModule has its module in the data before 1.4.0.
const setUp = Selectors.topic("SafeSetup(address,address[],uint256,address,address)")
const acted = [
  Selectors.topic("ExecutionFromModuleSuccess(address)"),
  Selectors.topic("ExecutionFromModuleFailure(address)")
]

const isModuleEnabled = Selectors.selector("isModuleEnabled(address)")

// Modules are few; a Safe with more of them has them listed.
const mostAsked = 24

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const flows = yield* CodeReadings

  const scan = yield* OncePerKey.make(
    (safe: Address) => safe,
    (safe) =>
      Effect.map(
        state.logs({ address: safe, topics: [[setUp, ...acted, Selectors.topics.EnabledModule]] }),
        ({ value }) => value
      )
  )

  /** Whether code, run in a Safe's storage, writes nothing but variables of their own slot: no entry of a mapping. */
  const keepsOut = (account: Address) =>
    Effect.gen(function* () {
      const { value } = yield* state.code(account)
      if (Bytecode.isEmpty(value)) return false
      const { completeness, functions } = yield* flows.of(value)
      return completeness.complete && functions.every(({ writes }) => writes.every(({ slot }) => !slot.includes("[")))
    })

  const read = Effect.fn("UnlistedEntries.of")(function* (safe: Address, listed: ReadonlyArray<Address>) {
    const { complete, logs } = yield* scan(safe)
    const named = [...new Set(logs.flatMap((log) => Option.toArray(moduleIn(log))))]
    const asked = named.filter((module) => !listed.includes(module)).slice(0, mostAsked)
    const setupBy = logs.flatMap((log) => Option.toArray(initializerIn(log)))
    const { enabled, foreign } = yield* Together.all({
      enabled: Together.forEach(asked, (module) =>
        Effect.map(Getter.read(state, safe, isModuleEnabled, Getter.bool, [Getter.word(module)]), ({ value }) => ({
          module,
          isEnabled: Option.contains(value, true)
        }))
      ),
      foreign: Together.forEach(setupBy, (account) =>
        Effect.map(keepsOut(account), (isKept) => (isKept ? [] : [account]))
      )
    })
    return {
      modules: enabled.flatMap(({ isEnabled, module }) => (isEnabled ? [module] : [])).sort(),
      setupBy: Option.fromNullable(foreign.flat()[0]),
      complete
    }
  })

  return UnlistedEntries.of({ of: read })
})

/** Scans a Safe's own events in one level, and reads the state of the named accounts in one more. */
export const layer: Layer.Layer<UnlistedEntries, never, ChainState | CodeReadings> = Layer.scoped(UnlistedEntries, make)

const moduleIn = ({ data, topics }: Log): Option.Option<Address> =>
  topics[0] === setUp
    ? Option.none()
    : Option.flatMap(
        Option.orElse(Option.fromNullable(topics[1]), () => Getter.wordAt(data, 0)),
        Getter.storedAddress
      )

/** The fourth argument, which is the third that is not indexed. */
const initializerIn = ({ data, topics }: Log): Option.Option<Address> =>
  topics[0] === setUp ? Option.flatMap(Getter.wordAt(data, 64), Getter.storedAddress) : Option.none()
