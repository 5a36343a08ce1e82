/** @internal */

/**
 * What a privileged account can do to the holders of a token, or to the users of another contract: there, transfers
 * stand for users' calls, and balances for what is due to accounts.
 *
 * - `mint`: raise the supply or a balance. `pause`: stop all transfers. `blacklist`: stop one account, `whitelist`: let
 *   only listed ones through. `limit`: bound amounts, balances or the time between transfers. `tax`: change the part of
 *   an amount that does not arrive. `seize`: lower a balance or move it, or take what others put into the contract.
 *   `bypass`: spend without an allowance.
 */
export const powers = ["mint", "pause", "blacklist", "whitelist", "limit", "tax", "seize", "bypass"] as const

/** One of {@link powers}. */
export type Power = (typeof powers)[number]

/** Those by which transfers are stopped. */
export const stopping = ["pause", "blacklist", "whitelist", "limit"] as const satisfies ReadonlyArray<Power>

/** One value for each power. */
export const ofEach = <A>(of: (power: Power) => A): { readonly [power in Power]: A } => ({
  mint: of("mint"),
  pause: of("pause"),
  blacklist: of("blacklist"),
  whitelist: of("whitelist"),
  limit: of("limit"),
  tax: of("tax"),
  seize: of("seize"),
  bypass: of("bypass")
})
