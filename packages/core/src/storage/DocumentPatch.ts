/** @internal */

/**
 * The difference between two similar texts: steps of three numbers (words of the base to copy, words of it to skip,
 * UTF-16 units of `inserted` to insert), and all insertions in one text.
 */
export interface DocumentPatch {
  readonly steps: ReadonlyArray<number>
  readonly inserted: string
}

/**
 * The patch that makes `text` of `base`. Every pair of texts has one; it is short where most of the text is in the base,
 * in whatever order. A word that is replaced by another, such as a block hash, is inserted once, however often it occurs.
 */
export const make = (base: string, text: string): DocumentPatch => {
  const from = wordsOf(base)
  const to = wordsOf(text)
  const placesAt = placesIn(base, from)
  const steps: Array<number> = []
  const inserted: Array<string> = []
  const words = new Replacements()
  let [at, kept, toAt] = [0, 0, 0]
  const step = (moved: number, piece: string) => {
    if (moved === 1) words.learn(from[at] ?? "", piece)
    steps.push(kept, moved, piece.length)
    inserted.push(piece)
    at += moved
    kept = 0
  }
  const isKept = (place: number, toPlace: number): boolean => words.of(from[place]) === to[toPlace]
  /** How many words from here on are equal in both texts. */
  const worth = (place: number, toPlace: number): number => {
    let count = 0
    for (let ahead = 0; ahead < lookAhead && toPlace + ahead < to.length; ahead++)
      if (isKept(place + ahead, toPlace + ahead)) count++
    return count
  }
  /** Where else in the base the text goes on, if anywhere. */
  const elsewhere = (): number | undefined => {
    let best: number | undefined
    let most = 0
    const consider = (place: number) => {
      const count = worth(place, toAt)
      if (!isKept(place, toAt) || count < most) return
      if (count === most && best !== undefined && Math.abs(best - at) <= Math.abs(place - at)) return
      best = place
      most = count
    }
    const run = to.slice(toAt, toAt + runLength).map((word) => words.before(word))
    for (const place of placesAt(run.join(""))) consider(place)
    const [first = ""] = run
    if (best === undefined && first.length >= longLength) for (const place of placesAt(first)) consider(place)
    return best
  }
  while (toAt < to.length) {
    if (isKept(at, toAt)) {
      at++
      kept++
      toAt++
      continue
    }
    const here = worth(at + 1, toAt + 1)
    const other = here === lookAhead ? undefined : elsewhere()
    if (other !== undefined && worth(other, toAt) > here) {
      step(other - at, "")
      continue
    }
    if (at < from.length && here >= lookAhead / 2) {
      step(1, to[toAt] ?? "")
      toAt++
      continue
    }
    const start = toAt
    do toAt++
    while (toAt < to.length && !isKept(at, toAt) && elsewhere() === undefined)
    step(0, to.slice(start, toAt).join(""))
  }
  steps.push(kept)
  return { steps, inserted: inserted.join("") }
}

/**
 * The text that a patch was made of, by the same base; another base gives another text. None where the patch goes past
 * an end of what it is made of.
 */
export const apply = (base: string, { inserted, steps }: DocumentPatch): string | undefined => {
  const from = wordsOf(base)
  const words = new Replacements()
  const parts: Array<string> = []
  let [at, used] = [0, 0]
  for (let index = 0; index < steps.length; index += 3) {
    const [kept = 0, moved = 0, length = 0] = steps.slice(index, index + 3)
    const end = at + kept
    if (end > from.length || used + length > inserted.length) return undefined
    for (; at < end; at++) parts.push(words.of(from[at]) ?? "")
    const piece = inserted.slice(used, used + length)
    if (moved === 1) words.learn(from[at] ?? "", piece)
    parts.push(piece)
    at += moved
    if (at < 0 || at > from.length) return undefined
    used += length
  }
  return parts.join("")
}

/**
 * Letters and digits that belong together, and what is between them. Long ones are calls and code in hex: those are cut
 * at the zeros before a short argument and every 32 bytes, so that one argument can be replaced.
 */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text.match(/0{8,}|f{8,}|(?:0x)?(?:(?!0{8}|f{8})[0-9A-Za-z_]){1,64}|[^0-9A-Za-z_]+/g) ?? []

/** What stands for a word of the base from where it was replaced on, the same for who makes a patch and who applies it. */
class Replacements {
  readonly #new = new Map<string, string>()
  readonly #old = new Map<string, string>()
  /** Of the words that are replaced: most words have another length, and are not looked up. */
  readonly #lengths = new Set<number>()
  learn(word: string, replacement: string): void {
    if (word.length < learnedLength || replacement.length < learnedLength) return
    this.#new.set(word, replacement)
    this.#lengths.add(word.length)
    this.#old.set(replacement, word)
  }
  of(word: string | undefined): string | undefined {
    return word === undefined || !this.#lengths.has(word.length) ? word : (this.#new.get(word) ?? word)
  }
  before(word: string): string {
    return this.#old.get(word) ?? word
  }
}

/** A shorter word often changes by chance, so its replacement at one position does not hold at others. */
const learnedLength = 3
/** So many words in a row are looked for elsewhere in the base; alone one that is long, such as an address. */
const runLength = 6
const longLength = 16
const lookAhead = 16
/** A word that occurs more often says little about a position. */
const placesAtMost = 8

/**
 * Where a run of words is in the base, or a long word. Most patches replace words where they are and look for few, so the
 * first ones are searched in the text, which costs less than an index of it; the answers are the same.
 */
const placesIn = (base: string, words: ReadonlyArray<string>): ((run: string) => ReadonlyArray<number>) => {
  const starts = startsOf(words)
  let searches = 0
  let index: ReadonlyMap<string, ReadonlyArray<number>> | undefined
  return (run) => {
    if (searches++ < searchesAtMost) return search(base, words, starts, run)
    index ??= placesOf(words)
    return index.get(run) ?? []
  }
}

/** So many searches cost about as much as the index. */
const searchesAtMost = 64

/** Where each word begins in the text, and where the last one ends. */
const startsOf = (words: ReadonlyArray<string>): Uint32Array => {
  const starts = new Uint32Array(words.length + 1)
  let end = 0
  words.forEach((word, place) => {
    end += word.length
    starts[place + 1] = end
  })
  return starts
}

/** What `placesOf` has of one run. */
const search = (
  base: string,
  words: ReadonlyArray<string>,
  starts: Uint32Array,
  run: string
): ReadonlyArray<number> => {
  const places: Array<number> = []
  if (run === "") return places
  for (let found = base.indexOf(run); found >= 0; found = base.indexOf(run, found + 1)) {
    const place = placeOf(starts, found)
    if (place === undefined) continue
    const end = starts[Math.min(place + runLength, words.length)]
    if (end === found + run.length) places.push(place)
    if (run.length >= longLength && words[place] === run) places.push(place)
    if (places.length >= placesAtMost) break
  }
  return places.slice(0, placesAtMost)
}

/** The word that begins there, if one does. */
const placeOf = (starts: Uint32Array, at: number): number | undefined => {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) < at) low = middle + 1
    else high = middle
  }
  return starts[low] === at ? low : undefined
}

/** Where each run of words is in the base, and each long word. */
const placesOf = (words: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const places = new Map<string, Array<number>>()
  const note = (text: string, place: number) => {
    const known = places.get(text)
    if (known === undefined) places.set(text, [place])
    else if (known.length < placesAtMost) known.push(place)
  }
  words.forEach((word, place) => {
    note(words.slice(place, place + runLength).join(""), place)
    if (word.length >= longLength) note(word, place)
  })
  return places
}
