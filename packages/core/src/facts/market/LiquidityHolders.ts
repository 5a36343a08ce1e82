/** @internal */

import { Array as Arrays, Effect, Either, Option } from "effect"
import * as Hash from "ox/Hash"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import * as KnownCode from "../../data/KnownCode.js"
import type * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import * as Hex from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as StorageFlow from "../../evm/summary/StorageFlow.js"
import * as Together from "../../runtime/Together.js"
import { Control } from "../control/Control.js"
import { Safe } from "../control/Safe.js"
import * as Getter from "../Getter.js"
import * as Locks from "./Locks.js"

/**
 * What an account is that holds liquidity, and where it is a vault, what that says; `minor` was not looked at, `unknown`
 * could not be.
 */
export interface LiquidityHolder {
  readonly kind: "locked" | "key" | "safe" | "timelock" | "contract" | "minor" | "unknown"
  readonly vault: Option.Option<Vault>
}

type Vault = Pick<Locks.LockRecord, "name" | "owner" | "unlocksAt">

/** What accounts are, and why one of them could not be looked at; null where each could that was to be. */
export interface LiquidityHolders {
  readonly of: (account: Address.Address) => LiquidityHolder
  readonly gap: UnknownReason | null
}

/** An account of some kind that is no vault. */
export const ofKind = (kind: LiquidityHolder["kind"]): LiquidityHolder => ({ kind, vault: Option.none() })

const { functions, selector } = Selectors

const mostInspected = 8

const mostClassified = 2

// Of all that the token's pools hold, in basis points; who has a smaller pool is looked at less closely.
const mainWeight = 500

/**
 * Classifies the largest holders of a pool, given largest first. Where a pair is named, contracts that may be vaults of
 * its shares are checked: a level more, as for the controller of a contract.
 */
export const make = Effect.gen(function* () {
  const state = yield* ChainState
  const control = yield* Control
  const safe = yield* Safe

  const inspect = (
    accounts: ReadonlyArray<Address.Address>,
    options: { readonly pair: Option.Option<Address.Address>; readonly weight: number }
  ): Effect.Effect<LiquidityHolders> =>
    Effect.map(
      Together.forEach(
        accounts.slice(0, options.weight >= mainWeight ? mostInspected : mostClassified),
        (account, place) =>
          Effect.map(Effect.either(look(account, options.pair, place)), (seen) => [account, seen] as const)
      ),
      (looked) => {
        const seen = new Map(looked)
        return {
          of: (account) =>
            Either.getOrElse(seen.get(account) ?? Either.right(ofKind("minor")), () => ofKind("unknown")),
          gap: Arrays.getLefts(seen.values())[0]?.reason ?? null
        }
      }
    )

  const look = (
    account: Address.Address,
    pair: Option.Option<Address.Address>,
    place: number
  ): Effect.Effect<LiquidityHolder, ChainError> =>
    Effect.gen(function* () {
      const { value: code } = yield* state.code(account)
      if (!Bytecode.isContract(code)) return ofKind("key")
      const kept = Option.all({ name: vaultOf(code), pair })
      const vault = Option.isNone(kept) ? Option.none() : yield* vaultLock(kept.value.name, account, kept.value.pair)
      if (Option.isSome(vault)) return { kind: "locked", vault }
      return ofKind(place < mostClassified ? yield* deciderOf(account, code) : "contract")
    })

  /**
   * Whether several signers, or one who has to wait, decide for a contract, or one key for a Safe. What is behind any other is
   * not followed.
   */
  const deciderOf = (account: Address.Address, code: Hex.Hex) =>
    Effect.gen(function* () {
      const multisig = yield* safe.of(account)
      const isSigned = Option.exists(
        multisig,
        ({ value }) => value.canonical && value.threshold > 1 && value.modules?.length === 0
      )
      if (isSigned) {
        // One key may run as many of its owners as have to sign.
        const { value } = yield* control.classify(account)
        return value.kind === "safe" ? "safe" : isKey(value.kind) ? "key" : "contract"
      }
      const selectors = yield* StorageFlow.selectorsOf(code)
      if (!selectors.includes(functions.getMinDelay)) return "contract"
      const { value } = yield* control.classify(account)
      // A wait that is too short to leave weighs no more than none.
      const isHeldUp = Controller.exposure(value) < Controller.exposure(Controller.make("eoa"))
      return value.kind === "timelock" && isHeldUp ? "timelock" : "contract"
    })

  /** What a vault of published code says, where it keeps this token. */
  const vaultLock = (name: KnownCode.KnownTemplate["name"], vault: Address.Address, token: Address.Address) => {
    const get = <A>(signature: string, decode: Getter.Decoder<A>) =>
      Effect.map(Getter.read(state, vault, selector(signature), decode), ({ value }) => value)
    const isTimelock = name === "TokenTimelock"
    return Effect.map(
      Together.all({
        kept: isTimelock ? get("token()", Getter.address) : Effect.succeedSome(token),
        owner: get(isTimelock ? "beneficiary()" : "owner()", Getter.address),
        until: get(isTimelock ? "releaseTime()" : "start()", Getter.uint)
      }),
      ({ kept, owner, until }) =>
        Option.map(
          Option.filter(Option.all({ kept, owner, until }), (read) => read.kept === token),
          (read): Vault => ({ name, owner: read.owner, unlocksAt: Locks.endOf(read.until) })
        )
    )
  }

  return { inspect }
})

const isKey = (kind: Controller.ControllerKind): boolean => kind === "eoa" || kind === "delegated_eoa"

/** Which published vault a code is: the same but for the words that its constructor wrote. */
const vaultOf = (code: Hex.Hex): Option.Option<KnownCode.KnownTemplate["name"]> =>
  Option.fromNullable(
    KnownCode.vaults.find(({ codeHash, size, values }) => {
      if (Hex.size(code) < size) return false
      let digits = code.slice(2, 2 + 2 * size).toLowerCase()
      for (const offset of values)
        digits = `${digits.slice(0, 2 * offset)}${"0".repeat(64)}${digits.slice(2 * offset + 64)}`
      return Hash.keccak256(`0x${digits}`) === codeHash
    })?.name
  )
