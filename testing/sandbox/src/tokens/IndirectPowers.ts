import { nobody } from "../chain/Account.js"
import * as Artifact from "../chain/Artifact.js"
import { no, yes } from "../truth/Claim.js"
import type { Launch } from "./Launch.js"
import { powerless } from "./Specimens.js"

const day = 86_400n

/** Tokens with an indirect power over them, and their twins without it. */
export const write = ({ stage, clean, deploy, open, own, place, renounce }: Launch) => {
  const { issuer, rewards } = stage.accounts
  const library = own("RewardsLibrary", rewards).address
  const guard = own("PassingGuard").address
  const forwarder = deploy(Artifact.openZeppelin("ERC2771Forwarder"), "forwarder")
  const lock = deploy(Artifact.openZeppelin("TimelockController"), 30n * day, [issuer], [issuer], nobody)

  const power = {
    linked: open(
      place("LinkedToken", "Pearlwort", "PRLW", issuer, library),
      "renounced, and a library that it was linked with mints for one address",
      { "token.mintable": yes("the library raises a balance and the supply") },
      () => [renounce]
    ),
    permitDoor: open(
      place("PermitDoorToken", "Wall Rue", "WLRU", rewards),
      "a permit of the holder is good, and so is one of another key",
      { "token.allowance-bypass": yes("one key permits in the name of all") }
    ),
    guarded: open(
      place("GuardedToken", "Woundwort", "WNDW", issuer, guard),
      "a guard that its owner replaces is asked before each transfer",
      {
        "token.external-call-in-transfer": yes("a transfer calls the guard"),
        "token.pausable": yes("the owner puts a guard there that refuses")
      }
    ),
    pendingOwner: open(
      place("PendingOwnerToken", "Skullcap", "SKLC", issuer),
      "renounced, and who was named before comes in when he likes",
      {
        "control.reclaimable": yes("who was named before accepts"),
        "token.tax-changeable": yes("whoever comes in sets a fee")
      },
      () => [{ from: issuer, name: "transferOwnership", args: [rewards] }, renounce]
    ),
    doubleApproval: open(
      place("DoubleApprovalToken", "Pennyroyal", "PNYR", rewards),
      "who approves anybody approves one more address",
      { "token.allowance-bypass": yes("nobody who approves a router meant to approve that address") }
    ),
    forwarderKey: open(
      place("ForwardedToken", "Hound's Tongue", "HNDT", rewards),
      "believes one key about who called",
      {
        "token.allowance-bypass": yes("that key sends in the name of all"),
        "token.balances-seizable": yes("that key sends in the name of all"),
        "control.single-key": yes("that key sends in the name of all")
      }
    ),
    forwardedNobody: open(
      place("ForwardedMintToken", "Ground Ivy", "GRIV", issuer, rewards),
      "renounced, and believes one key that nobody called",
      {
        "token.mintable": yes("that key mints in the name of the owner, who is nobody"),
        "token.balances-seizable": yes("that key sends in the name of all"),
        "token.powers-survive-renouncing": yes("that key mints in the name of the owner, who is nobody"),
        "control.hidden": yes("that key does what the owner did")
      },
      () => [renounce]
    ),
    forwarderSetter: open(
      place("ForwarderSetterToken", "Navelwort", "NVLW", issuer, forwarder),
      "believes whom its owner says about who called",
      { "token.balances-seizable": yes("the owner has himself believed") }
    ),
    forwardedBatch: open(
      place("ForwardedBatchToken", "Sneezewort", "SNZW", forwarder),
      "believes OpenZeppelin's forwarder about who called, and hands on to itself what anybody puts into a batch",
      { "token.balances-seizable": yes("who ends a call of the batch with somebody's address sends in his name") }
    )
  }
  const honest = {
    forwarded: clean(
      place("ForwardedToken", "Bird's-Foot", "BRDF", forwarder),
      "believes OpenZeppelin's forwarder about who called"
    ),
    forwardedRenounced: open(
      place("ForwardedMintToken", "Moneywort", "MNYW", issuer, forwarder),
      "renounced, and believes OpenZeppelin's forwarder about who called",
      {
        ...powerless,
        "control.hidden": no("it names only those who have signed"),
        "control.single-key": no("nobody holds one")
      },
      () => [renounce]
    ),
    selfRelayed: clean(
      place("ChildToken", "Bistort", "BSTR", rewards),
      "passes on to itself what somebody has signed, and a bridge mints it",
      { "token.mintable": yes("the bridge mints") }
    ),
    longLocked: clean(place("PausableToken", "Quaking Grass", "QKNG", lock), "pausable by a timelock of thirty days", {
      "token.pausable": yes("the timelock is alive"),
      "control.timelocked": yes("nothing gets around thirty days", { delay_seconds: 30 * 86_400 })
    })
  }
  return { power, honest }
}
