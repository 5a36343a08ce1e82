import type { Launch } from "./Launch.js"

/** Tokens written for little gas: with unchecked sums, and with slots of their own. */
export const write = ({ clean, place }: Launch) => {
  const honest = {
    lean: clean(
      place("LeanToken", "Lady's Mantle", "LDYM"),
      "a lean token with unchecked sums and a permit of its own"
    ),
    seeded: clean(place("SeededToken", "Harebell", "HRBL"), "a token in assembly, with seeds instead of slots")
  }
  return { honest }
}
