/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as KnownDelegates from "../../data/KnownDelegates.js"
import type { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Together from "../../runtime/Together.js"

/**
 * The threshold of a multisig and its signers: accounts with a key, and accounts with code, several of which one key
 * may control. `lent` are keys with delegated code of unknown origin, which may sign for another account as well.
 */
export interface Quorum {
  readonly threshold: number
  readonly keys: ReadonlyArray<Address>
  readonly coded: ReadonlyArray<Address>
  readonly lent: ReadonlyArray<Address>
}

/**
 * Classifies the owners of a Safe. Null where the threshold alone decides: it is more than one, and all owners are
 * keys.
 */
export const of = (
  state: ChainState["Type"],
  owners: ReadonlyArray<Address>,
  threshold: number
): Effect.Effect<Quorum | null, ChainError> =>
  Effect.map(
    Together.forEach(owners, (owner) =>
      Effect.map(state.code(owner), ({ value }) => {
        const delegate = Bytecode.delegate(value)
        return {
          owner,
          isKey: !Bytecode.isContract(value),
          isLent: Option.exists(delegate, (to) =>
            Option.isNone(
              Option.orElse(KnownDelegates.find(state.chain.addressBook, to), () => KnownDelegates.findOnAnyChain(to))
            )
          )
        }
      })
    ),
    (signers) => {
      const coded = signers.flatMap(({ isKey, owner }) => (isKey ? [] : [owner]))
      const keys = signers.flatMap(({ isKey, owner }) => (isKey ? [owner] : []))
      const lent = signers.flatMap(({ isLent, owner }) => (isLent ? [owner] : []))
      return threshold > 1 && coded.length + lent.length === 0 ? null : { threshold, keys, coded, lent }
    }
  )

/**
 * The controller of a multisig at `account`. A single key, where one key controls enough signers for the threshold;
 * unknown, where hidden signers may add up to that; else the smallest number of different controllers that reach the
 * threshold. `controllerOf` gives the controller of a signer with code, none where nobody controls it.
 */
export const decide = (
  account: Address,
  { coded, keys, lent, threshold }: Quorum,
  controllerOf: (signer: Address) => Option.Option<Controller.Controller>
): Controller.Controller => {
  const signers = coded.flatMap((signer) => Option.toArray(Option.map(controllerOf(signer), standing)))
  const votes = new Map<Address, number>()
  for (const key of [...keys, ...signers.flatMap((signer) => (signer._tag === "key" ? [signer.key] : []))])
    votes.set(key, (votes.get(key) ?? 0) + 1)
  const count = (tag: Standing["_tag"]): number => signers.filter(({ _tag }) => _tag === tag).length
  const needed = threshold - count("anybody")
  if (needed <= 0) return Controller.make("eoa")
  const [first] = [...votes].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  const [key, most] = first ?? [undefined, 0]
  if (key !== undefined && most >= needed) return Controller.make("eoa", { address: key })
  if (most + count("hidden") + lent.length >= needed) return Controller.make("unknown", { address: account })
  const groups = [...votes.values(), ...Array.from({ length: count("hidden") + count("several") }, () => 1)].sort(
    (a, b) => b - a
  )
  return Controller.make("safe", { address: account, threshold: fewest(groups, needed), signers: groups.length })
}

/** What one signer is to the others. */
type Standing =
  | { readonly _tag: "key"; readonly key: Address }
  | { readonly _tag: "anybody" }
  | { readonly _tag: "several" }
  | { readonly _tag: "hidden" }
  | { readonly _tag: "nobody" }

const standing = (controller: Controller.Controller): Standing => {
  switch (controller.kind) {
    case "eoa":
    case "delegated_eoa":
      return controller.address === null ? { _tag: "anybody" } : { _tag: "key", key: controller.address }
    case "safe":
      return { _tag: "several" }
    // Who waited may be one key, and so may who has the votes.
    case "timelock":
      return controller.threshold === null ? { _tag: "hidden" } : { _tag: "several" }
    case "governor":
    case "contract":
    case "unknown":
      return { _tag: "hidden" }
    case "dead":
      return { _tag: "nobody" }
  }
}

/** The smallest number of groups that reaches the threshold; all of them where they are too few. */
const fewest = (groups: ReadonlyArray<number>, needed: number): number => {
  let sum = 0
  for (const [index, size] of groups.entries()) {
    sum += size
    if (sum >= needed) return index + 1
  }
  return groups.length
}
