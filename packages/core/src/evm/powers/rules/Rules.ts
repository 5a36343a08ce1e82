/** @internal */

import * as FieldMask from "../../summary/conditions/FieldMask.js"
import { approvalGate } from "./ApprovalGateRule.js"
import { balanceRedirect } from "./BalanceRedirectRule.js"
import { balanceSeizure } from "./BalanceSeizureRule.js"
import { custodyDrain } from "./CustodyDrainRule.js"
import type { Sign } from "./DetectorRule.js"
import { hardcodedFee } from "./HardcodedFeeRule.js"
import { indirectTransferCondition } from "./IndirectTransferConditionRule.js"
import { lostTransfer } from "./LostTransferRule.js"
import { mintPrice } from "./MintPriceRule.js"
import { receivedAmount } from "./ReceivedAmountRule.js"
import { refusal } from "./RefusalRule.js"
import { senderSurcharge } from "./SenderSurchargeRule.js"
import { serviceDestruction } from "./ServiceDestructionRule.js"
import { serviceDue } from "./ServiceDueRule.js"
import { serviceGate } from "./ServiceGateRule.js"
import { shownBalance } from "./ShownBalanceRule.js"
import { transferGate } from "./TransferGateRule.js"
import { transferHook } from "./TransferHookRule.js"
import { transferMint } from "./TransferMintRule.js"
import { transferOutcome } from "./TransferOutcomeRule.js"
import { unbackedMint } from "./UnbackedMintRule.js"

/** Every rule. Levers of a power are named in this order. */
export const all = [
  transferGate,
  indirectTransferCondition,
  approvalGate,
  shownBalance,
  transferOutcome,
  serviceGate,
  hardcodedFee,
  lostTransfer,
  receivedAmount,
  senderSurcharge,
  refusal,
  unbackedMint,
  mintPrice,
  transferMint,
  balanceSeizure,
  balanceRedirect,
  custodyDrain,
  serviceDue,
  serviceDestruction,
  transferHook
] as const

/** The name of a rule. */
export type Id = (typeof all)[number]["id"]

/** What a rule found that is left out, because another rule found as much of the same, whatever becomes of that. */
export interface Precedence {
  readonly of: Id
  readonly yieldsTo: Id
  readonly where: (own: Sign, other: Sign) => boolean
}

const isOfSameVariable = ({ gate: own }: Sign, { gate: other }: Sign): boolean =>
  own !== undefined &&
  other !== undefined &&
  own.slot === other.slot &&
  FieldMask.overlap(FieldMask.maskOf(own.field), FieldMask.maskOf(other.field))

const isLeverOfSameVariable = (own: Sign, other: Sign): boolean =>
  other.levers.length > 0 && isOfSameVariable(own, other)

const isOfSameKind = ({ gate: own }: Sign, { gate: other }: Sign): boolean =>
  own !== undefined && own.slot === other?.slot && own.kind === other.kind

/** Of a function that is known to take from others no more is to be said. */
const isDoubtOfSameFunction = (own: Sign, other: Sign): boolean =>
  own.certain === false &&
  own.power === other.power &&
  own.levers.some(({ selector }) => other.levers.some((lever) => lever.selector === selector))

/** Which rule yields to which. Findings of rules that are not named here all count. */
export const precedence: ReadonlyArray<Precedence> = [
  { of: "indirect-transfer-condition", yieldsTo: "transfer-gate", where: isOfSameKind },
  { of: "transfer-outcome", yieldsTo: "transfer-gate", where: isOfSameVariable },
  { of: "transfer-outcome", yieldsTo: "indirect-transfer-condition", where: isOfSameVariable },
  { of: "lost-transfer", yieldsTo: "hardcoded-fee", where: isOfSameVariable },
  { of: "approval-gate", yieldsTo: "transfer-gate", where: isLeverOfSameVariable },
  { of: "shown-balance", yieldsTo: "transfer-gate", where: isLeverOfSameVariable },
  { of: "shown-balance", yieldsTo: "indirect-transfer-condition", where: isLeverOfSameVariable },
  { of: "balance-redirect", yieldsTo: "balance-seizure", where: isDoubtOfSameFunction }
]

/**
 * The remaining findings of each rule, in the order of the rules. A finding that yields still makes others yield to it.
 */
export const withoutYielding = (found: ReadonlyMap<Id, ReadonlyArray<Sign>>): ReadonlyArray<Sign> =>
  all.flatMap(({ id }) => {
    const stronger = precedence.filter(({ of }) => of === id)
    return (found.get(id) ?? []).filter(
      (sign) =>
        !stronger.some(({ where, yieldsTo }) => found.get(yieldsTo)?.some((other) => where(sign, other)) === true)
    )
  })
