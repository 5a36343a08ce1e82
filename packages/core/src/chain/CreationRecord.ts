import { Option } from "effect"
import * as Address from "../domain/Address.js"
import type { Hex } from "../domain/Hex.js"
import * as Timestamp from "../domain/Timestamp.js"
import * as RpcValue from "./RpcValue.js"

/**
 * What a registry says of how a contract was created; nothing where it does not tell. Whether its `creator` is the account
 * that signed or the one that was called is the registry's to mean: it is repeated, not checked.
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
 * Reads the members of an answer: decimal text or a number of `block` and of `seconds` since the epoch; what is missing,
 * empty or of another form, as the transaction of a contract of the first block, is not told.
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
