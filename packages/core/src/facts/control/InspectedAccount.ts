/** @internal */

import { Option } from "effect"
import type * as Reading from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import type { ControllerKind } from "../../domain/Controller.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { Quantity } from "../../domain/Quantity.js"
import type { Principal } from "./CallAuthorities.js"
import type { Quorum } from "./Quorum.js"

/**
 * What an account is, and who can make it act.
 *
 * - `acts`: it acts by itself: by a key, by signatures, by votes, after a delay, or by rules of its code that any account can
 *   use. Otherwise it does only what one of its `principals` has it do, or any account (`anyone`).
 * - `quorum`: who signs; null if each signer is a key of its own.
 * - `shown`: accounts near it that decide nothing.
 * - `complete`: nobody else can make it act. `lost`: why a read failed that may have named another account.
 */
export interface InspectedAccount {
  readonly kind: ControllerKind
  readonly delay: number | null
  readonly threshold: number | null
  readonly signers: ReadonlyArray<Address> | null
  readonly quorum: Quorum | null
  readonly voting: { readonly delay: Quantity; readonly period: Quantity } | null
  readonly acts: boolean
  readonly anyone: boolean
  readonly principals: ReadonlyArray<Principal>
  readonly shown: ReadonlyArray<Principal>
  readonly complete: boolean
  readonly lost: Option.Option<UnknownReason>
  readonly observation: Reading.Reading<unknown>["observation"]
}

/**
 * An account of a kind: one that does nothing by itself and that nobody can make act, unless `members` say otherwise.
 */
export const make = (
  kind: ControllerKind,
  observation: InspectedAccount["observation"],
  members: Partial<Omit<InspectedAccount, "kind" | "observation">> = {}
): InspectedAccount => ({
  kind,
  observation,
  delay: null,
  threshold: null,
  signers: null,
  quorum: null,
  voting: null,
  acts: false,
  anyone: false,
  principals: [],
  shown: [],
  complete: true,
  lost: Option.none(),
  ...members
})
