import { Schema } from "effect"
import { AccountKind } from "../../domain/facts/AccountCode.js"
import * as Check from "../Check.js"
import * as Permissions from "./Permissions.js"

/**
 * Whether an operator may move every token of a collection that the wallet has; one item a collection and operator.
 *
 * @see https://eips.ethereum.org/EIPS/eip-721
 * @since 0.1.0
 * @category models
 */
export const allowanceOperator = Check.make({
  id: "allowance.operator",
  code: "W-03",
  version: 1,
  targets: ["wallet"],
  claim: "An operator may move every token of a collection",
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
