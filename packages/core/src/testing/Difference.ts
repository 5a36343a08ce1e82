/** @internal */

/** Where two JSON values differ, each place in a line, at most five of them. */
export const between = (expected: unknown, actual: unknown): ReadonlyArray<string> => {
  const places = differences("", expected, actual)
  return places.length <= most ? places : [...places.slice(0, most), `and ${places.length - most} more`]
}

const most = 5

const differences = (path: string, expected: unknown, actual: unknown): ReadonlyArray<string> => {
  if (JSON.stringify(expected) === JSON.stringify(actual)) return []
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const lengths = expected.length === actual.length ? [] : [at(`${path}.length`, expected.length, actual.length)]
    const common = Math.min(expected.length, actual.length)
    return [
      ...lengths,
      ...expected.slice(0, common).flatMap((each, place) => differences(`${path}[${place}]`, each, actual[place]))
    ]
  }
  if (isRecord(expected) && isRecord(actual))
    return [...new Set([...Object.keys(expected), ...Object.keys(actual)])].flatMap((name) =>
      differences(path === "" ? name : `${path}.${name}`, expected[name], actual[name])
    )
  return [at(path, expected, actual)]
}

const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const at = (path: string, expected: unknown, actual: unknown): string =>
  `${path === "" ? "" : `at ${path} `}expected ${shown(expected)}, got ${shown(actual)}`

const longest = 120

const shown = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length <= longest ? text : `${text.slice(0, longest)}…`
}
