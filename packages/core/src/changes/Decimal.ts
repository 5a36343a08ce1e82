/** @internal */

/**
 * A decimal number, `digits / 10^scale`: quantities have more digits than a double, and 0.04 - 0.92 is exactly -0.88.
 */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/** The number of a value that is a number or a decimal string; null otherwise. */
export const make = (value: unknown): Decimal | null => {
  const text = typeof value === "number" ? spelled(value) : value
  const parts = typeof text === "string" ? /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) : null
  if (parts === null) return null
  const [, sign = "", whole = "", fraction = ""] = parts
  return { digits: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length }
}

const spelled = (value: number): string =>
  Number.isInteger(value) ? BigInt(value).toString() : String(value).includes("e") ? value.toFixed(20) : String(value)

export const magnitude = ({ digits, scale }: Decimal): Decimal => ({ digits: digits < 0n ? -digits : digits, scale })

const aligned = (a: Decimal, b: Decimal): readonly [bigint, bigint, number] => {
  const scale = Math.max(a.scale, b.scale)
  const raised = (value: Decimal) => value.digits * 10n ** BigInt(scale - value.scale)
  return [raised(a), raised(b), scale]
}

export const minus = (a: Decimal, b: Decimal): Decimal => {
  const [x, y, scale] = aligned(a, b)
  return { digits: x - y, scale }
}

export const times = (a: Decimal, b: Decimal): Decimal => ({ digits: a.digits * b.digits, scale: a.scale + b.scale })

export const isLess = (a: Decimal, b: Decimal): boolean => {
  const [x, y] = aligned(a, b)
  return x < y
}

/**
 * A fraction of a positive whole to three decimals, rounded half away from zero, so that the opposite difference has
 * the same digits.
 */
export const ratio = (part: Decimal, whole: Decimal): string => {
  const [x, y] = aligned(magnitude(part), whole)
  const thousandths = (x * 2000n + y) / (y * 2n)
  return format({ digits: part.digits < 0n ? -thousandths : thousandths, scale: 3 })
}

/** A number as a decimal string: `-0.88`. */
export const format = ({ digits, scale }: Decimal): string => {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0")
  const whole = text.slice(0, text.length - scale)
  const fraction = text.slice(text.length - scale).replace(/0+$/, "")
  return `${digits < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
}
