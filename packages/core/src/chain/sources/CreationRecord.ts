import { Option } from "effect"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as RpcValue from "../rpc/RpcValue.js"

/**
 * What a registry records about the creation of a contract; a member is absent if the registry has none. `creator` is
 * repeated as the registry reports it, not checked: it can be the signer or the called account.
 *
 * @since 0.1.0
 * @category models
 */
export interface CreationRecord {
  readonly transaction: Option.Option<Hex>
  readonly creator: Option.Option<Address.Address>
  readonly factory: Option.Option<Address.Address>
  readonly block: Option.Option<number>
  readonly createdAt: Option.Option<Timestamp.Timestamp>
}

/**
 * Decodes the members of an answer: `block` and `seconds` since the epoch are decimal text or numbers. What is missing,
 * empty or malformed is absent.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = (told: {
  readonly transaction: unknown
  readonly creator: unknown
  readonly factory?: unknown
  readonly block: unknown
  readonly seconds?: unknown
}): CreationRecord => ({
  transaction: RpcValue.parseHash(told.transaction),
  creator: account(told.creator),
  factory: account(told.factory),
  block: count(told.block),
  createdAt: Option.map(
    Option.filter(count(told.seconds), (seconds) => seconds <= Timestamp.lastSecond),
    (seconds) => Timestamp.fromSeconds(seconds)
  )
})

const account = (value: unknown): Option.Option<Address.Address> =>
  Option.filter(Option.map(RpcValue.parseAccount(value), Address.checksum), (address) => address !== Address.zero)

const count = (value: unknown): Option.Option<number> => {
  const read = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value
  return typeof read === "number" && Number.isSafeInteger(read) && read >= 0 ? Option.some(read) : Option.none()
}
