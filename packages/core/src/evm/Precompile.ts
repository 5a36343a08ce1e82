/** @internal */

/**
 * Whether an address is in the range in which chains keep functions of their own, such as `ecrecover`, whether or not one
 * stands there.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isReserved = (address: bigint): boolean => address > 0n && address < 0x400n
