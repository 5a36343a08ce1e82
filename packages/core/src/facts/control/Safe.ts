/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as SafeSingletons from "../../data/SafeSingletons.js"
import type { Address } from "../../domain/Address.js"
import type { SafeAccount } from "../../domain/facts/SafeAccount.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import { Opcodes } from "../../evm/bytecode/Opcodes.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import * as ProxyPattern from "../../evm/patterns/ProxyPattern.js"
import * as StorageFlow from "../../evm/summary/StorageFlow.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Getter from "../Getter.js"

/**
 * The setup of a Safe; none where the account is not one.
 *
 * @see https://docs.safe.global
 */
export class Safe extends Context.Tag("@assay/core/Safe")<
  Safe,
  {
    readonly of: (account: Address) => Effect.Effect<Option.Option<Reading<SafeAccount>>, ChainError>
    /** The code that a Safe proxy runs, whatever that code answers; none where the account is no such proxy. */
    readonly singletonOf: (account: Address) => Effect.Effect<Option.Option<Reading<Singleton>>, ChainError>
    /** A Safe's events about changes of its setup since a block, oldest first; a lower bound. */
    readonly changesSince: (account: Address, block: number) => Effect.Effect<ReadonlyArray<SetupChange>, ChainError>
    /** Name and version of a fallback handler that Safe published; none of any other contract. */
    readonly handlerName: (handler: Address) => Effect.Effect<Option.Option<string>, ChainError>
  }
>() {}

/** The contract that a Safe delegates to. `canonical` says whether Safe published it for this chain. */
export type Singleton = Pick<SafeAccount, "singleton" | "canonical">

/** An event of a Safe about its setup, and where it is. */
export interface SetupChange {
  readonly event: (typeof setupEvents)[number]
  readonly block: number
  readonly transaction: Hex
}

const setupEvents = [
  "ChangedThreshold",
  "AddedOwner",
  "EnabledModule",
  "ChangedGuard",
  "ChangedFallbackHandler",
  "ChangedMasterCopy"
] as const

const { functions, topics } = Selectors

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const isProxyOf = yield* OncePerKey.make((code: Hex) => code, isProxy)
  const read = Effect.fn("Safe.of")(function* (account: Address) {
    const reads = yield* Effect.all(
      {
        code: state.code(account),
        singleton: state.storage(account, Slots.safeSingleton),
        guard: state.storage(account, Slots.safeGuard),
        moduleGuard: state.storage(account, Slots.safeModuleGuard),
        fallbackHandler: state.storage(account, Slots.safeFallbackHandler),
        version: Getter.read(state, account, functions.version, Getter.text),
        owners: Getter.read(state, account, functions.getOwners, Getter.addresses),
        threshold: Getter.read(state, account, functions.getThreshold, Getter.int),
        nonce: Getter.read(state, account, functions.nonce, Getter.int),
        modules: Getter.read(state, account, functions.getModulesPaginated, Getter.addresses, [
          Getter.word(sentinel),
          Getter.word(BigInt(modulesAtMost))
        ])
      },
      { concurrency: "unbounded", mode: "either" }
    )
    // A failed getter of something that is no Safe proxy has failed nothing.
    const code = yield* reads.code
    if (!(yield* isProxyOf(code.value))) return Option.none()
    const { fallbackHandler, guard, moduleGuard, modules, nonce, owners, singleton, threshold, version } =
      yield* Either.all({
        singleton: reads.singleton,
        guard: reads.guard,
        moduleGuard: reads.moduleGuard,
        fallbackHandler: reads.fallbackHandler,
        version: reads.version,
        owners: reads.owners,
        threshold: reads.threshold,
        nonce: reads.nonce,
        modules: reads.modules
      })
    const logic = Getter.storedAddress(singleton.value)
    const signers = Option.zipWith(owners.value, threshold.value, (list, count) => ({ list, count }))
    if (Option.isNone(logic) || Option.isNone(signers)) return Option.none()
    const safe: SafeAccount = {
      address: account,
      singleton: logic.value,
      canonical: yield* isCanonical(state, logic.value),
      version: Option.getOrNull(version.value),
      owners: [...signers.value.list].sort(),
      threshold: signers.value.count,
      nonce: Option.getOrElse(nonce.value, () => 0),
      modules: Option.getOrNull(Option.map(modules.value, (list) => [...list].sort())),
      guard: Option.getOrNull(Getter.storedAddress(guard.value)),
      module_guard: Option.getOrNull(Getter.storedAddress(moduleGuard.value)),
      fallback_handler: Option.getOrNull(Getter.storedAddress(fallbackHandler.value))
    }
    return Option.some({ value: safe, observation: owners.observation })
  })
  const readSingleton = Effect.fn("Safe.singletonOf")(function* (account: Address) {
    const reads = yield* Effect.all(
      { code: state.code(account), singleton: state.storage(account, Slots.safeSingleton) },
      { concurrency: "unbounded", mode: "either" }
    )
    if (!(yield* isProxyOf((yield* reads.code).value))) return Option.none()
    const { observation, value } = yield* reads.singleton
    const logic = Getter.storedAddress(value)
    if (Option.isNone(logic)) return Option.none()
    const canonical = yield* isCanonical(state, logic.value)
    return Option.some({ value: { singleton: logic.value, canonical }, observation })
  })
  const changesSince = (account: Address, block: number) =>
    Effect.map(
      state.logs({ address: account, topics: [setupEvents.map((event) => topics[event])] }),
      ({ value }): ReadonlyArray<SetupChange> =>
        value.logs.flatMap((log) => {
          const event = setupEvents.find((name) => topics[name] === log.topics[0])
          return event === undefined || log.blockNumber <= block
            ? []
            : [{ event, block: log.blockNumber, transaction: log.transactionHash }]
        })
    )

  return Safe.of({
    changesSince,
    of: yield* OncePerKey.make((account: Address) => account, read),
    singletonOf: yield* OncePerKey.make((account: Address) => account, readSingleton),
    handlerName: yield* OncePerKey.make(
      (handler: Address) => handler,
      (handler) => handlerName(state, handler)
    )
  })
})

/**
 * Reads everything in one level, and, in a second, the code of a singleton with an address that is not published for
 * the chain.
 */
export const layer: Layer.Layer<Safe, never, ChainState> = Layer.scoped(Safe, make)

const isCanonical = (state: ChainState["Type"], singleton: Address): Effect.Effect<boolean, ChainError> =>
  Option.match(SafeSingletons.find(singleton), {
    onSome: (known) => known.chainIds.includes(state.chain.addressBook),
    onNone: () => false
  })
    ? Effect.succeed(true)
    : Effect.map(state.code(singleton), (code) =>
        Option.isSome(SafeSingletons.findByCodeHash(Bytecode.hash(code.value)))
      )

const handlerName = (state: ChainState["Type"], handler: Address): Effect.Effect<Option.Option<string>, ChainError> => {
  const nameOf = ({ name, version }: SafeSingletons.SafeFallbackHandler) => `${name} ${version}`
  const here = Option.filter(SafeSingletons.findFallbackHandler(handler), ({ chainIds }) =>
    chainIds.includes(state.chain.addressBook)
  )
  if (Option.isSome(here)) return Effect.succeed(Option.some(nameOf(here.value)))
  return Effect.map(state.code(handler), (code) => {
    const hash = Bytecode.hash(code.value)
    return Option.map(
      Option.fromNullable(SafeSingletons.fallbackHandlers.find(({ codeHash }) => codeHash === hash)),
      nameOf
    )
  })
}

const isProxy = (code: Hex): Effect.Effect<boolean> =>
  ProxyPattern.isSafeProxy(code) && onlyDelegates(code)
    ? Effect.map(
        StorageFlow.analyse(code),
        ({ delegations: [found, ...others] }) =>
          others.length === 0 && found?.target.kind === "storage" && found.target.slot === "0x0"
      )
    : Effect.succeed(false)

/**
 * Whether all that a proxy's code can do is to run one slot's code: otherwise its first slot may hold a published
 * singleton for show, while the code lets an account bypass it.
 */
const onlyDelegates = (code: Hex): boolean => {
  const bytecode = Bytecode.parse(code)
  const count = (opcode: number) => bytecode.instructions.filter((found) => found.opcode === opcode).length
  return (
    count(Opcodes.DELEGATECALL) === 1 &&
    count(Opcodes.SLOAD) === 1 &&
    !bytecode.instructions.some(({ opcode }) => beyondDelegating.has(opcode)) &&
    Bytecode.addressConstants(bytecode).length === 0
  )
}

const beyondDelegating: ReadonlySet<number> = new Set([
  Opcodes.CALL,
  Opcodes.CALLCODE,
  Opcodes.CREATE,
  Opcodes.CREATE2,
  Opcodes.SELFDESTRUCT,
  Opcodes.SSTORE,
  Opcodes.CALLER,
  Opcodes.ORIGIN
])

// The list of modules starts and ends at 0x1:
// https://github.com/safe-global/safe-smart-account/blob/main/contracts/base/ModuleManager.sol
const sentinel = 1n

/** The modules of a Safe that are read; where there are as many there may be more. */
export const modulesAtMost = 50
