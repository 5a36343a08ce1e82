import { Schema } from "effect"
import { UnknownReason } from "./Evidence.js"
import { AccountCode } from "./facts/AccountCode.js"
import { AllowanceSet } from "./facts/Allowance.js"
import { ControlGraph } from "./facts/ControlGraph.js"
import { CounterfactualSet } from "./facts/CounterfactualSet.js"
import { Permit2AllowanceSet } from "./facts/Permit2Allowance.js"
import { Pool } from "./facts/Pool.js"
import { ProxyStructure } from "./facts/ProxyStructure.js"
import { SafeAccount } from "./facts/SafeAccount.js"
import { TokenProfile } from "./facts/TokenProfile.js"
import { TradeOutcome } from "./facts/TradeOutcome.js"
import { WalletPortfolio } from "./facts/WalletPortfolio.js"
import { Risk } from "./Risk.js"

/**
 * What was read about a target and what it adds up to. A member is null where it does not apply or was not read;
 * `unread` lists those that could not be read, by member name.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Facts = Schema.Struct({
  risk: Schema.NullOr(Risk),
  account: Schema.NullOr(AccountCode),
  token: Schema.NullOr(TokenProfile),
  proxy: Schema.NullOr(ProxyStructure),
  control: Schema.NullOr(ControlGraph),
  pools: Schema.NullOr(Schema.Array(Pool)),
  trade: Schema.NullOr(TradeOutcome),
  counterfactuals: Schema.NullOr(CounterfactualSet),
  allowances: Schema.NullOr(AllowanceSet),
  permit2: Schema.NullOr(Permit2AllowanceSet),
  portfolio: Schema.NullOr(WalletPortfolio),
  safe: Schema.NullOr(SafeAccount),
  unread: Schema.Record({ key: Schema.String, value: UnknownReason })
}).annotations({ identifier: "Facts" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Facts extends Schema.Schema.Type<typeof Facts> {}
