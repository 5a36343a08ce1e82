/** @internal */

import { Schema } from "effect"

/**
 * What an account that holds a token is. `vault` keeps the tokens of all pools of an exchange, and deposits.
 * `controller` is one that the token itself names as its owner or admin; `account` has no code of its own (a key, or a
 * key that delegates by EIP-7702); `unknown` was not classified, since others hold more.
 */
export const HolderKind = Schema.Literal(
  "burn",
  "pool",
  "locker",
  "vault",
  "self",
  "controller",
  "contract",
  "account",
  "unknown"
).annotations({ identifier: "HolderKind" })

export type HolderKind = typeof HolderKind.Type
