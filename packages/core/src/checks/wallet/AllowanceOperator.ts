import { Schema } from "effect"
import { AccountKind } from "../../domain/facts/AccountCode.js"
import * as Check from "../Check.js"
import * as Permissions from "./Permissions.js"

/**
 * Whether an operator may move every NFT of a collection that the wallet has, or all of an ERC-777 token: an operator
 * that the wallet authorised or a default operator of the token. One item per token and operator.
 *
 * @see https://eips.ethereum.org/EIPS/eip-721
 * @see https://eips.ethereum.org/EIPS/eip-777
 */
export const allowanceOperator = Check.make({
  id: "allowance.operator",
  code: "W-03",
  version: 4,
  targets: ["wallet"],
  claim: "An operator may move all of an NFT collection or ERC-777 token",
  polarity: "risk",
  severity: "high",
  dimension: "approvals",
  value: Schema.NullOr(Schema.Struct({ operator_kind: AccountKind })),
  run: (target) =>
    Permissions.judge(target.address, {
      kind: "operator",
      admits: () => true,
      value: (_, operator_kind) => ({ operator_kind })
    })
})
