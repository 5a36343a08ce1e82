import { Schema } from "effect"
import { AccountKind } from "../../domain/facts/AccountCode.js"
import { Quantity } from "../../domain/Quantity.js"
import * as Check from "../Check.js"
import * as Permissions from "./Permissions.js"

/**
 * Whether a spender has an unlimited allowance: all of a token that the wallet has or will receive. One item per token
 * and spender. A spender without code of its own is a private key: high, and medium where the token made the approval up.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 */
export const allowanceUnlimited = Check.make({
  id: "allowance.unlimited",
  code: "W-02",
  version: 3,
  targets: ["wallet"],
  claim: "A spender has an unlimited allowance of a token",
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
