/** @internal */

import type { ValueSource } from "./ValueSource.js"

/**
 * Whether an address is a precompile of every chain, with an answer that depends only on its input: 0x01 to 0x11 as of
 * Prague, and P256VERIFY at 0x100. Precompiles of single chains may answer anything.
 *
 * @see https://eips.ethereum.org/EIPS/eip-2537
 * @see https://eips.ethereum.org/EIPS/eip-7951
 */
export const isPrecompile = (address: bigint): boolean => (address > 0n && address <= 0x11n) || address === 0x100n

/** The same of where the address of a contract that is called comes from. */
export const isPrecompiled = (origin: ValueSource): boolean =>
  origin.kind === "constant" && isPrecompile(BigInt(origin.value))

/**
 * Whether an address is in the range in which chains keep functions of their own, such as `ecrecover`, whether or not one
 * stands there.
 */
export const isReserved = (address: bigint): boolean => address > 0n && address < 0x400n
