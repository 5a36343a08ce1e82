import { Schema } from "effect"
import { AccountKind } from "../../domain/facts/AccountCode.js"
import { Quantity } from "../../domain/Quantity.js"
import * as Check from "../Check.js"
import * as Permissions from "./Permissions.js"

/**
 * Whether a spender may move all of a token that the wallet has or will ever get; one item a token and spender. A
 * spender without code of its own is a person or a key, which makes it high.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 * @since 0.1.0
 * @category models
 */
export const allowanceUnlimited = Check.make({
  id: "allowance.unlimited",
  code: "W-02",
  version: 1,
  targets: ["wallet"],
  claim: "A spender may move all of a token",
  polarity: "risk",
  severity: "high",
  dimension: "approvals",
  value: Schema.NullOr(
    Schema.Struct({
      amount: Schema.NullOr(Quantity),
      balance: Schema.NullOr(Quantity),
      spender_kind: AccountKind
    })
  ),
  run: (target) =>
    Permissions.judge(target.address, {
      kind: "erc20",
      admits: ({ unlimited }) => unlimited,
      value: ({ amount, balance }, spender_kind) => ({ amount, balance, spender_kind })
    })
})
