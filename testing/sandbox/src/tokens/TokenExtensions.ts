import type { Launch } from "./Launch.js"

/** Plain tokens that do more than EIP-20 requires. */
export const write = ({ clean, place }: Launch) => {
  const honest = {
    payable: clean(place("PayableToken", "Centaury", "CNTR"), "OpenZeppelin's ERC1363"),
    flash: clean(place("FlashToken", "Lady's Smock", "LDYS"), "OpenZeppelin's ERC20FlashMint"),
    authorized: clean(place("AuthorizedToken", "Agrimony", "AGRM"), "sends by signature (EIP-3009)"),
    batch: clean(place("BatchToken", "Milkwort", "MLKW"), "sends to many at once"),
    snapshot: clean(place("SnapshotToken", "Scabious", "SCBS"), "remembers what everybody had at marked moments")
  }
  return { honest }
}
