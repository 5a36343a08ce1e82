import { Layer } from "effect"
import type { ChainState } from "../chain/ChainState.js"
import * as Allowances from "./Allowances.js"
import type { Code } from "./Code.js"
import type { Control } from "./Control.js"
import * as Delegation from "./Delegation.js"
import * as Frozen from "./Frozen.js"
import * as Permit2Allowances from "./Permit2Allowances.js"
import * as Poisoning from "./Poisoning.js"
import type { Pools } from "./Pools.js"
import * as Portfolio from "./Portfolio.js"
import type { Proxy } from "./Proxy.js"
import * as Sanctions from "./Sanctions.js"
import * as Spenders from "./Spenders.js"
import * as WalletActivity from "./WalletActivity.js"
import * as WalletTransfers from "./WalletTransfers.js"

/**
 * Everything that is read of wallets only.
 *
 * @since 0.1.0
 * @category models
 */
export type WalletFacts =
  | Allowances.Allowances
  | Delegation.Delegation
  | Frozen.Frozen
  | Permit2Allowances.Permit2Allowances
  | Poisoning.Poisoning
  | Portfolio.Portfolio
  | Sanctions.Sanctions
  | Spenders.Spenders
  | WalletActivity.WalletActivity
  | WalletTransfers.WalletTransfers

/**
 * The facts of wallets, over those that tokens and contracts have too.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<WalletFacts, never, ChainState | Code | Control | Pools | Proxy> = Layer.mergeAll(
  Portfolio.layer,
  Spenders.layer,
  Poisoning.layer,
  WalletActivity.layer,
  Delegation.layer,
  Frozen.layer,
  Sanctions.layer
).pipe(Layer.provideMerge(Layer.mergeAll(Allowances.layer, Permit2Allowances.layer, WalletTransfers.layer)))
