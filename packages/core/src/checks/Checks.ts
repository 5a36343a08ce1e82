import { addressKind } from "./address/AddressKind.js"
import { endpointCapable } from "./address/EndpointCapable.js"
import type * as Check from "./Check.js"
import { controllers } from "./contract/Controllers.js"
import { hiddenController } from "./contract/HiddenController.js"
import { implementationUninitialised } from "./contract/ImplementationUninitialised.js"
import { owner } from "./contract/Owner.js"
import { proxyKind } from "./contract/ProxyKind.js"
import { renounced } from "./contract/Renounced.js"
import { roles } from "./contract/Roles.js"
import { selfdestructReachable } from "./contract/SelfdestructReachable.js"
import { singleKey } from "./contract/SingleKey.js"
import { upgradeable } from "./contract/Upgradeable.js"
import { honeypot } from "./token/Honeypot.js"
import { impersonates } from "./token/Impersonates.js"
import { insiders } from "./token/Insiders.js"
import { liquidityBurned } from "./token/LiquidityBurned.js"
import { liquidityPools } from "./token/LiquidityPools.js"
import { metadataReadable } from "./token/MetadataReadable.js"
import { mintable } from "./token/Mintable.js"
import { tokenStandard } from "./token/TokenStandard.js"
import { tradeRoute } from "./token/TradeRoute.js"
import { tradeTax } from "./token/TradeTax.js"
import { allowanceOperator } from "./wallet/AllowanceOperator.js"
import { allowanceOutstanding } from "./wallet/AllowanceOutstanding.js"
import { allowanceUnlimited } from "./wallet/AllowanceUnlimited.js"
import { delegated } from "./wallet/Delegated.js"
import { safeModules } from "./wallet/SafeModules.js"
import { safeSetup } from "./wallet/SafeSetup.js"

/**
 * Every check of this library. Embedders run these, some of these, or these and their own:
 * `Analyzer.layer([...Checks.all, mine])`.
 *
 * @since 0.1.0
 * @category models
 */
export const all = [
  addressKind,
  endpointCapable,
  tokenStandard,
  metadataReadable,
  impersonates,
  selfdestructReachable,
  proxyKind,
  upgradeable,
  implementationUninitialised,
  owner,
  controllers,
  renounced,
  hiddenController,
  roles,
  singleKey,
  mintable,
  tradeRoute,
  honeypot,
  tradeTax,
  liquidityPools,
  liquidityBurned,
  insiders,
  allowanceOutstanding,
  allowanceUnlimited,
  allowanceOperator,
  delegated,
  safeSetup,
  safeModules
] as const

/**
 * What the checks of this library read, each of it once.
 *
 * @since 0.1.0
 * @category models
 */
export type Requirements = Check.Requirements<(typeof all)[number]>
