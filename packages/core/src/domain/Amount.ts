/** @internal */

/** A coin as amounts of it are written. */
export interface Coin {
  readonly symbol: string
  readonly decimals: number
}

/**
 * Units of a coin with its symbol: "28.33 WETH", "500000 USDC". Four significant digits: a value that a pool gives is no more
 * precise.
 */
export const inWords = (units: string, { decimals, symbol }: Coin): string => {
  const digits = units.padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals)
  const shown = whole === "0" ? (/^0*/.exec(fraction)?.[0].length ?? 0) + 4 : Math.max(0, 4 - whole.length)
  const kept = fraction.slice(0, shown).replace(/0+$/, "")
  return `${kept === "" ? whole : `${whole}.${kept}`} ${symbol}`
}
