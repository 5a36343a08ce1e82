/** @internal */

/** A count with its noun: "1 pool", "2 pools", "2 registries". */
export const of = (items: number, noun: string, plural = `${noun}s`): string =>
  `${items} ${items === 1 ? noun : plural}`

/** A number of seconds in whole units of the largest that fits, rounded down: "7 days". */
export const duration = (seconds: number): string => {
  const [size, unit] = units.find(([length]) => seconds >= length) ?? [1, "second"]
  return of(Math.floor(seconds / size), unit)
}

const units = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"]
] as const
