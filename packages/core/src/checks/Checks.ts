import type { Option } from "effect"
import * as ClaimSentences from "../domain/ClaimSentences.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"
import { addressKind } from "./address/AddressKind.js"
import { endpointCapable } from "./address/EndpointCapable.js"
import * as Check from "./Check.js"
import type { CheckInvalid } from "./CheckInvalid.js"
import { changePlanned } from "./contract/ChangePlanned.js"
import { codeReplaced } from "./contract/CodeReplaced.js"
import { compiler } from "./contract/Compiler.js"
import { controllers } from "./contract/Controllers.js"
import { creationRecord } from "./contract/CreationRecord.js"
import { delegatecallMutable } from "./contract/DelegatecallMutable.js"
import { executesDecisions } from "./contract/ExecutesDecisions.js"
import { functionList } from "./contract/FunctionList.js"
import { functionNames } from "./contract/FunctionNames.js"
import { hiddenController } from "./contract/HiddenController.js"
import { implementationMissing } from "./contract/ImplementationMissing.js"
import { implementationUninitialised } from "./contract/ImplementationUninitialised.js"
import { knownGoodCode } from "./contract/KnownGoodCode.js"
import { owner } from "./contract/Owner.js"
import { provenance } from "./contract/Provenance.js"
import { proxyAdmin } from "./contract/ProxyAdmin.js"
import { proxyKind } from "./contract/ProxyKind.js"
import { reclaimable } from "./contract/Reclaimable.js"
import { renounced } from "./contract/Renounced.js"
import { roles } from "./contract/Roles.js"
import { selfdestructReachable } from "./contract/SelfdestructReachable.js"
import { singleKey } from "./contract/SingleKey.js"
import { timelocked } from "./contract/Timelocked.js"
import { upgradeable } from "./contract/Upgradeable.js"
import { upgradeableNow } from "./contract/UpgradeableNow.js"
import { upgradedRecently } from "./contract/UpgradedRecently.js"
import { verified } from "./contract/Verified.js"
import * as Declaration from "./Declaration.js"
import { secondOpinionFlagged } from "./opinion/SecondOpinionFlagged.js"
import { secondOpinionHoneypot } from "./opinion/SecondOpinionHoneypot.js"
import { secondOpinionPowers } from "./opinion/SecondOpinionPowers.js"
import { concentrated } from "./token/holders/Concentrated.js"
import { insiders } from "./token/holders/Insiders.js"
import { topHolders } from "./token/holders/TopHolders.js"
import { impersonates } from "./token/identity/Impersonates.js"
import { listed } from "./token/identity/Listed.js"
import { metadataAnomalous } from "./token/identity/MetadataAnomalous.js"
import { metadataReadable } from "./token/identity/MetadataReadable.js"
import { nativeToken } from "./token/identity/NativeToken.js"
import { tokenStandard } from "./token/identity/TokenStandard.js"
import { fakePool } from "./token/liquidity/FakePool.js"
import { liquidityBurned } from "./token/liquidity/LiquidityBurned.js"
import { liquidityInsiders } from "./token/liquidity/LiquidityInsiders.js"
import { liquidityLocked } from "./token/liquidity/LiquidityLocked.js"
import { liquidityPools } from "./token/liquidity/LiquidityPools.js"
import { liquidityThin } from "./token/liquidity/LiquidityThin.js"
import { liquidityWithdrawn } from "./token/liquidity/LiquidityWithdrawn.js"
import { lockEnds } from "./token/liquidity/LockEnds.js"
import { lockExpiring } from "./token/liquidity/LockExpiring.js"
import { allowanceBypass } from "./token/powers/AllowanceBypass.js"
import { balancesSeizable } from "./token/powers/BalancesSeizable.js"
import { blacklistable } from "./token/powers/Blacklistable.js"
import { externalCallInTransfer } from "./token/powers/ExternalCallInTransfer.js"
import { limitsChangeable } from "./token/powers/LimitsChangeable.js"
import { mintable } from "./token/powers/Mintable.js"
import { pausable } from "./token/powers/Pausable.js"
import { powersSurviveRenouncing } from "./token/powers/PowersSurviveRenouncing.js"
import { taxChangeable } from "./token/powers/TaxChangeable.js"
import { whitelistOnly } from "./token/powers/WhitelistOnly.js"
import { buyBlocked } from "./token/trade/BuyBlocked.js"
import { environmentDependent } from "./token/trade/EnvironmentDependent.js"
import { holdersBlocked } from "./token/trade/HoldersBlocked.js"
import { honeypot } from "./token/trade/Honeypot.js"
import { sellLimited } from "./token/trade/SellLimited.js"
import { tradeRoute } from "./token/trade/TradeRoute.js"
import { tradeTax } from "./token/trade/TradeTax.js"
import { activity } from "./wallet/Activity.js"
import { allowanceOperator } from "./wallet/AllowanceOperator.js"
import { allowanceOutstanding } from "./wallet/AllowanceOutstanding.js"
import { allowancePermit2 } from "./wallet/AllowancePermit2.js"
import { allowanceSpenderRisky } from "./wallet/AllowanceSpenderRisky.js"
import { allowanceUnlimited } from "./wallet/AllowanceUnlimited.js"
import { delegated } from "./wallet/Delegated.js"
import { frozen } from "./wallet/Frozen.js"
import { walletOpen } from "./wallet/Open.js"
import { poisoned } from "./wallet/Poisoned.js"
import { safeGuard } from "./wallet/SafeGuard.js"
import { safeModules } from "./wallet/SafeModules.js"
import { safeSetup } from "./wallet/SafeSetup.js"
import { safeSingleSignature } from "./wallet/SafeSingleSignature.js"
import { safeUnknownSingleton } from "./wallet/SafeUnknownSingleton.js"
import { safeWeakened } from "./wallet/SafeWeakened.js"
import { sanctioned } from "./wallet/Sanctioned.js"
import { unknownCode } from "./wallet/UnknownCode.js"

export { CheckInvalid } from "./CheckInvalid.js"

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
  provenance,
  tokenStandard,
  nativeToken,
  metadataReadable,
  metadataAnomalous,
  impersonates,
  listed,
  selfdestructReachable,
  codeReplaced,
  delegatecallMutable,
  externalCallInTransfer,
  compiler,
  functionList,
  knownGoodCode,
  proxyKind,
  proxyAdmin,
  upgradeable,
  upgradeableNow,
  implementationUninitialised,
  implementationMissing,
  upgradedRecently,
  owner,
  controllers,
  renounced,
  reclaimable,
  hiddenController,
  roles,
  singleKey,
  timelocked,
  executesDecisions,
  changePlanned,
  mintable,
  pausable,
  blacklistable,
  whitelistOnly,
  taxChangeable,
  limitsChangeable,
  balancesSeizable,
  allowanceBypass,
  powersSurviveRenouncing,
  tradeRoute,
  buyBlocked,
  honeypot,
  sellLimited,
  tradeTax,
  holdersBlocked,
  environmentDependent,
  liquidityPools,
  liquidityThin,
  liquidityWithdrawn,
  liquidityBurned,
  liquidityLocked,
  lockExpiring,
  lockEnds,
  liquidityInsiders,
  fakePool,
  topHolders,
  concentrated,
  insiders,
  allowanceOutstanding,
  allowanceUnlimited,
  allowanceOperator,
  allowancePermit2,
  allowanceSpenderRisky,
  delegated,
  sanctioned,
  frozen,
  poisoned,
  walletOpen,
  unknownCode,
  activity,
  safeSetup,
  safeSingleSignature,
  safeUnknownSingleton,
  safeModules,
  safeGuard,
  safeWeakened
] as const

/**
 * The checks that query registries of contracts; `VerifiedSource` has to be provided. They join the set only where one
 * is configured: `Analyzer.layer([...Checks.all, ...Checks.verifiedSource])`.
 *
 * @since 0.1.0
 * @category models
 */
export const verifiedSource = [verified, creationRecord] as const

/**
 * The check that queries databases of signatures; `SignatureNames` has to be provided.
 *
 * @since 0.1.0
 * @category models
 */
export const signatureNames = [functionNames] as const

/**
 * The checks that repeat what another service says; `SecondOpinion` has to be provided.
 *
 * @since 0.1.0
 * @category models
 */
export const secondOpinion = [secondOpinionHoneypot, secondOpinionPowers, secondOpinionFlagged] as const

/**
 * What the checks of this library read, each of it once.
 *
 * @since 0.1.0
 * @category models
 */
export type Requirements = Check.Requirements<(typeof all)[number]>

/**
 * All checks that need a source that not every deployment has.
 *
 * @since 0.1.0
 * @category constructors
 */
export const optional = [...verifiedSource, ...signatureNames, ...secondOpinion] as const

const builtIn: ReadonlyMap<string, Check.CheckRule> = new Map<string, Check.CheckRule>(
  [...all, ...optional].map((check) => [check.id, check])
)

/**
 * The first of these checks that cannot run beside the others, and why: an id that is malformed, given twice or that of a
 * built-in check, or a declaration with something else than its type says. None where all can.
 *
 * An analyser with such a check is not built: its layer dies with the `CheckInvalid`, a mistake in the program.
 *
 * @since 0.1.0
 * @category combinators
 */
export const refusal = (checks: ReadonlyArray<Check.Any>): Option.Option<CheckInvalid> =>
  Declaration.refusal(checks, builtIn)

/**
 * The public rule of a check, for the registry that the API serves: with the sentences of this library for its own, which a
 * program that only declares a check does not load.
 *
 * @since 0.1.0
 * @category combinators
 */
export const rule = (check: Check.CheckRule): EvidenceRule => ({
  ...Check.rule(check),
  ...ClaimSentences.all[check.id]
})

/**
 * Whether a check is one of this library, or a copy of one that runs it in another way.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isBuiltIn = (check: Check.CheckRule): boolean => Declaration.isBuiltIn(check, builtIn)
