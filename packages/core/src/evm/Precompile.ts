/** @internal */

/**
 * Whether an address is one of those at which chains keep functions of their own, such as `ecrecover`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isPrecompile = (address: bigint): boolean => address > 0n && address < 0x400n
