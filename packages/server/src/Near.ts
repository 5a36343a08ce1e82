import { Option } from "effect"

/**
 * What was probably meant by a mistyped name: the one of these that is nearest, with at most two letters changed, added or
 * left out.
 */
export const nearest = (name: string, known: Iterable<string>): Option.Option<string> => {
  let best: { readonly meant: string; readonly edits: number } | undefined
  for (const meant of known) {
    // Two letters of three are another word.
    const limit = Math.min(best === undefined ? maxEdits : best.edits - 1, Math.ceil(meant.length / 3))
    if (Math.abs(name.length - meant.length) > limit) continue
    const edits = editsOf(name, meant)
    if (edits <= limit) best = { meant, edits }
  }
  return Option.map(Option.fromNullable(best), ({ meant }) => meant)
}

const maxEdits = 2

/** The Levenshtein distance. */
const editsOf = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substituted))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
