import { no, yes } from "../truth/Claim.js"
import type { Launch } from "./Launch.js"
import { powerless } from "./Specimens.js"

/** Tokens with transfers that call another contract, and their twins with an answer that nobody can change. */
export const write = ({ stage, clean, open, own, place, renounce }: Launch) => {
  const { issuer } = stage.accounts
  const passive = own("PassiveHook").address
  const listing = own("ListingHook", issuer).address

  const asking = { "token.external-call-in-transfer": yes("a transfer asks the hook") }
  const commanded = {
    ...asking,
    "token.pausable": yes("the owner puts a hook there that refuses all"),
    "token.blacklistable": yes("the owner puts a hook there that refuses some"),
    "token.balances-seizable": yes("the owner puts a hook there that takes more than is sent")
  }

  const power = {
    hookOwned: open(
      place("HookOwnedToken", "Sweet Cicely", "SWCY", issuer, passive),
      "what a sender loses is what a hook answers, and the owner replaces the hook",
      commanded
    ),
    hookAwaited: open(
      place("HookEnabledToken", "Hemp Agrimony", "HMPG", issuer),
      "its owner names a hook once and switches it on once, and has done neither",
      commanded
    ),
    hookNamed: open(
      place("HookEnabledToken", "Water Avens", "WTAV", issuer),
      "its hook is named for good and keeps a list, and the owner has not switched it on",
      { ...asking, "token.blacklistable": yes("the owner switches the hook on and puts accounts on its list") },
      () => [{ from: issuer, name: "setHook", args: [listing] }]
    ),
    hookListing: open(
      place("HookFixedToken", "Yellow Iris", "YLIR", issuer, listing),
      "renounced, and asks a hook that keeps a list",
      { ...asking, "token.blacklistable": yes("the owner of the hook puts accounts on its list") },
      () => [renounce]
    )
  }
  const honest = {
    hookFixed: clean(
      place("HookFixedToken", "Marsh Mallow", "MRSM", issuer, passive),
      "asks a hook whose code is fixed and does nothing",
      asking
    ),
    hookRenounced: open(
      place("HookOwnedToken", "Gypsywort", "GYPW", issuer, passive),
      "renounced, and asks a hook whose code is fixed and does nothing",
      { ...powerless, ...asking, "control.single-key": no("nobody holds one") },
      () => [renounce]
    )
  }
  return { power, honest }
}
