import { no, yes } from "../truth/Claim.js"
import type { Launch } from "./Launch.js"
import type { Call } from "./Specimens.js"

/** Tokens with a hidden function or variable that stops, bounds or taxes transfers. */
export const write = ({ arm, call, clean, open, place, stage }: Launch) => {
  const { issuer } = stage.accounts
  const kept = (contract: string, name: string, symbol: string) => place(contract, name, symbol, issuer)

  const power = {
    leftLocked: open(kept("LeftLockedToken", "Hemlock", "HMLK"), "whoever resets its lock may leave it taken", {
      "token.pausable": yes("a lock that is taken stops transfers")
    }),
    etherDoor: open(kept("EtherDoorToken", "Henbane", "HNBN"), "seven wei turn transfers on and off", {
      "token.pausable": yes("one address sends seven wei")
    }),
    approvalDoor: open(kept("ApprovalDoorToken", "Monkshood", "MNKS"), "one address approves whom it stops", {
      "token.blacklistable": yes("an approval of a certain amount stops whom it is for")
    }),
    lentPool: open(
      kept("LentPoolToken", "Bryony", "BRYN"),
      "one address allows itself what the pool has",
      { "token.allowance-bypass": yes("the pool allowed nobody anything") },
      (pair) => [arm(pair)]
    ),
    divided: open(kept("UnitToken", "Spurge", "SPRG"), "amounts are divided by a number that may be nothing", {
      "token.pausable": yes("nothing is divided by zero")
    }),
    counted: open(kept("CountedToken", "Darnel", "DRNL"), "each account sends so many times", {
      "token.limits-changeable": yes("one address says how many times")
    }),
    turnedAway: open(kept("TurnedAwayToken", "Baneberry", "BNBR"), "accounts in an array cannot send", {
      "token.blacklistable": yes("one address puts accounts into the array")
    }),
    steppedFee: open(kept("SteppedFeeToken", "Wolfsbane", "WLFS"), "a fee goes up by steps", {
      "token.tax-changeable": yes("one address takes as many steps as it likes")
    }),
    lateFee: open(kept("LateFeeToken", "Cowbane", "CWBN"), "a fee of 99 % from a moment on", {
      "token.tax-changeable": yes("one address says from when on")
    }),
    chosenFee: open(kept("ChosenFeeToken", "Ragwort", "RGWT"), "one of two fees", {
      "token.tax-changeable": yes("one address says which of them, and one is 99 %")
    }),
    sentFee: open(kept("SentFeeToken", "Tansy", "TNSY"), "what one address sends to itself is the fee", {
      "token.tax-changeable": yes("one address sends itself 99")
    }),
    sentMark: open(kept("SentMarkToken", "Mandrake", "MNDR"), "to whom one address sends nothing, he is stopped", {
      "token.blacklistable": yes("one address sends nothing to whom it stops")
    }),
    sentDelay: open(
      kept("SentDelayToken", "Sweet Gale", "SWTG"),
      "what one address sends somebody stops him for a year",
      {
        "token.blacklistable": yes("one address sends something to whom it stops")
      }
    )
  }
  const lowered = kept("LoweredFeeToken", "Chervil", "CHRV")
  const lower: Call = { from: issuer, name: "lower", args: [0n] }
  call(lowered, lower)
  const named = kept("NamedOnceToken", "Lovage", "LVGE")
  const opened = kept("OpenedBySendingToken", "Woodruff", "WDRF")
  const paced = kept("PacedToken", "Yarrow", "YRRW")
  const honest = {
    unlocked: clean(kept("UnlockedToken", "Sorrel", "SRRL"), "whoever resets its lock lets go of it"),
    transientLock: clean(kept("TransientLockToken", "Borage", "BRGE"), "a lock that lasts for a transaction"),
    loweredFee: clean(lowered, "a fee that only went down is nothing by now"),
    namedOnce: clean(named, "its pool was named once", {
      "control.single-key": no("what one address could do it did")
    }),
    openedBySending: clean(opened, "it opened with a transfer of its keeper to the pool", {
      "control.single-key": no("what one address could do it did")
    }),
    paced: clean(paced, "whoever bought it can buy more a minute later", {
      "control.single-key": no("what one address could do it did")
    })
  }
  call(named, arm(honest.namedOnce.pair))
  call(paced, arm(honest.paced.pair))
  const { pair } = honest.openedBySending
  call(opened, arm(pair), { from: issuer, name: "transfer", args: [pair, 0n] })
  return { power, honest }
}
