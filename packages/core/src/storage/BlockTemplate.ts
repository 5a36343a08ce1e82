/** @internal */

import { Option, Schema } from "effect"
import * as Address from "../domain/Address.js"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import { Hex } from "../domain/Hex.js"
import * as SceneSeed from "../domain/SceneSeed.js"
import * as Timestamp from "../domain/Timestamp.js"

/**
 * What a document of an execution was made at: the target, and of the pinned block its hash, number and time in seconds.
 */
export interface Origin {
  readonly address: Address.Address
  readonly hash: Hex
  readonly number: number
  readonly time: number
}

/**
 * A text with symbols in place of the words that follow from its origin, so that texts of one target at two blocks are
 * alike.
 */
export interface BlockTemplate {
  readonly origin: Origin
  readonly text: string
}

/**
 * The template of a text with the document of an execution in its first line, which may be given as it was parsed. None
 * where that line has no origin, or where the template would not give the same text again.
 */
export const make = (text: string, document: unknown = parsedOf(firstLineOf(text))): BlockTemplate | undefined => {
  const origin = originOf(document)
  if (origin === undefined) return undefined
  const values = valuesAt(origin)
  const template = { origin, text: symbolsOf(origin, values, text) }
  return filled(template, values) === text ? template : undefined
}

/** The text that a template was made of. */
export const fill = (template: BlockTemplate): string => filled(template, valuesAt(template.origin))

const filled = ({ text }: BlockTemplate, values: Values): string => {
  const edits: Array<Edit> = []
  edit(edits, text, mark, /([AaDHNRT])(\d*)\u007f/y, ({ 1: kind = "", 2: number }) => values(kind, Number(number)))
  const balance = `":{"balance":"${mark}B`
  edit(edits, text, balance, /([0-9a-f]+)\u007f"/y, ({ 1: rest }, at) => {
    const owner = ownerBefore(text, at, values)
    return owner === undefined
      ? undefined
      : `":{"balance":"0x${(BigInt(`0x${rest}`) + SceneSeed.tailOf(owner)).toString(16)}"`
  })
  const whole = edited(text, edits)
  const [document, rest] = cutAtLineBreak(whole)
  const parsed: unknown = JSON.parse(document)
  if (!isWithRecipes(parsed)) return whole
  const hashes = parsed.recipes.map(({ params }) => CanonicalJson.hash(params))
  const hashed = (part: string) => {
    const edits: Array<Edit> = []
    edit(edits, part, `${mark}S`, /(\d+)\u007f/y, ({ 1: index }) => hashes[Number(index)])
    return edited(part, edits)
  }
  // Symbols are written in JSON as they are, so they can be replaced once the recipes are in their order.
  return hashed(withRecipes(parsed, ({ method, params_hash }) => `${method} ${hashed(params_hash)}`)) + hashed(rest)
}

/** A template as text, with its origin before it. It begins with a character that begins no JSON. */
export const print = ({ origin: { address, hash, number, time }, text }: BlockTemplate): string =>
  `${mark}${address} ${hash} ${number} ${time}\n${text}`

/** The template that was printed so; none where the text is another one. */
export const parse = (printed: string): BlockTemplate | undefined => {
  if (!printed.startsWith(mark)) return undefined
  const [head, rest] = cutAtLineBreak(printed.slice(mark.length))
  const [address, hash, number, time] = head.split(" ")
  return { origin: decodeOrigin({ address, hash, number: Number(number), time: Number(time) }), text: rest.slice(1) }
}

const decodeOrigin = Schema.decodeUnknownSync(
  Schema.Struct({ address: Address.Address, hash: Hex, number: Schema.Int, time: Schema.Int })
)

/** Rare in texts. A text that contains something like a symbol has no template. */
const mark = "\u007f"
const symbol = (name: string): string => `${mark}${name}${mark}`

const Head = Schema.Struct({
  address: Address.Address,
  block: Schema.Struct({ hash: Hex, number: Schema.Int, timestamp: Timestamp.Timestamp })
})
const decodeHead = Schema.decodeUnknownOption(Head)
const originOf = (document: unknown): Origin | undefined =>
  Option.getOrUndefined(
    Option.map(decodeHead(document), ({ address, block: { hash, number, timestamp } }) => ({
      address,
      hash,
      number,
      time: Timestamp.toSeconds(timestamp)
    }))
  )

const decodeJson = Schema.decodeOption(Schema.parseJson())
const parsedOf = (document: string): unknown => Option.getOrUndefined(decodeJson(document))

/** The accounts of scenes. */
const numbers = [
  ...Array.from({ length: SceneSeed.mostBuyers }, (_, index) => [
    SceneSeed.accounts.buyer + index,
    SceneSeed.accounts.peer + index
  ]).flat(),
  ...Object.values(SceneSeed.accounts)
]

const sceneOf = ({ address, hash }: Origin): SceneSeed.SceneSeed => ({ token: address, blockHash: hash })

/** What symbols stand for, each computed once. */
type Values = (kind: string, number: number) => string

const valuesAt = (origin: Origin): Values => {
  const known = new Map<string, string>()
  return (kind, number) => {
    const name = `${kind}${number}`
    const found = known.get(name)
    if (found !== undefined) return found
    const made = valueAt(origin, kind, number)
    known.set(name, made)
    return made
  }
}

/**
 * `H` hash of the block, `N` its number, `D` its date, `T` a time after it, `R` a random number, `A` an account, `a` in
 * small letters. Accounts are those of earlier engines, which 92 of 100 accounts are still: the others stand in the text as
 * they are, so that a process of an earlier version reads what a new one packs.
 */
const valueAt = (origin: Origin, kind: string, number: number): string => {
  switch (kind) {
    case "H":
      return origin.hash
    case "N":
      return String(origin.number)
    case "D":
      return Timestamp.fromMillis(origin.time * 1_000)
    case "T":
      return `0x${(origin.time + number).toString(16)}`
    case "R":
      return SceneSeed.prevRandao(sceneOf(origin), number)
    case "a":
      return SceneSeed.accountWithZeroBytes(sceneOf(origin), number).slice(2)
    default:
      return Address.checksum(SceneSeed.accountWithZeroBytes(sceneOf(origin), number)).slice(2)
  }
}

const symbolsOf = (origin: Origin, values: Values, text: string): string => {
  const words = new Map<string, string>()
  words.set(origin.hash, symbol("H"))
  for (const seconds of secondsIn(text, origin)) words.set(values("R", seconds), symbol(`R${seconds}`))
  const accounts = new Map(numbers.map((number) => [values("a", number), number] as const))
  for (const [account, number] of accounts) words.set(account, symbol(`a${number}`))
  // The spelling of an account takes as long as the account: only of those that stand in the text.
  const checksummed = (account: string): string | undefined => {
    const number = accounts.get(account.toLowerCase())
    return number !== undefined && values("A", number) === account ? symbol(`A${number}`) : undefined
  }
  const edits: Array<Edit> = []
  // What simulated accounts own ends as their address does (`TradeScene.purse`).
  const balance = '":{"balance":"'
  edit(edits, text, balance, /(0x[0-9a-f]+)"/y, ({ 1: amount = "" }, at) => {
    const owner = ownerBefore(text, at, values)
    const rest = owner === undefined ? -1n : BigInt(amount) - SceneSeed.tailOf(owner)
    return rest < 0n ? undefined : `${balance}${symbol(`B${rest.toString(16)}`)}"`
  })
  edits.push(...SceneSeed.amongArguments(text, words))
  const word = /([0-9a-f]{64})(?![0-9a-f])|([0-9a-fA-F]{40})(?![0-9a-fA-F])/y
  edit(edits, text, "0x", word, ({ 1: whole, 2: account = "" }) => {
    if (whole !== undefined) return words.get(`0x${whole}`)
    const found = words.get(account) ?? checksummed(account)
    return found === undefined ? undefined : `0x${found}`
  })
  edit(edits, text, values("D", 0), /(?:)/y, () => symbol("D"))
  edit(edits, text, timeBegins, timeEnds, ({ 1: time }) => {
    const seconds = Number(time) - origin.time
    return seconds < 0 ? undefined : `${timeBegins}${symbol(`T${seconds}`)}"`
  })
  const [document, rest] = cutAtLineBreak(edited(text, edits))
  const places = new Map<string, number>()
  const parsed: unknown = JSON.parse(document)
  const keyed = isWithRecipes(parsed)
    ? withRecipes(
        parsed,
        ({ method, params }) => `${method} ${JSON.stringify(params)}`,
        ({ params_hash }, index) => void places.set(params_hash, index)
      )
    : document
  const withHashes = (part: string) => {
    const edits: Array<Edit> = []
    edit(edits, part, "0x", /[0-9a-f]{64}/y, ({ 0: hash }) => {
      const place = places.get(`0x${hash}`)
      return place === undefined ? undefined : symbol(`S${place}`)
    })
    for (const begins of ["?block=", '"number":', '"to_block":'])
      edit(edits, part, begins, /\d+/y, ({ 0: number }) =>
        number === String(origin.number) ? begins + symbol("N") : undefined
      )
    return edited(part, edits)
  }
  return withHashes(keyed) + withHashes(rest)
}

/** The account in quotation marks that ends there, or that a symbol there stands for. */
const ownerBefore = (text: string, end: number, values: Values): string | undefined => {
  const found = /"0x(?:([0-9a-fA-F]{40})|\u007f([Aa])(\d+)\u007f)$/.exec(text.slice(Math.max(0, end - 43), end))
  return found?.[1] ?? (found?.[2] === undefined ? undefined : values(found[2], Number(found[3])))
}

const timeBegins = '"time":"'
const timeEnds = /(0x[0-9a-f]+)"/y

const secondsIn = (text: string, { time }: Origin): ReadonlySet<number> => {
  const found = new Set<number>()
  edit([], text, timeBegins, timeEnds, ({ 1: moment }) => {
    found.add(Number(moment) - time)
    return undefined
  })
  return found
}

/** What stands in the place of a part of a text. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly by: string
}

/**
 * Edits of what begins so and goes on as a sticky pattern says; undefined leaves it as it is. A string is found ten times as
 * fast as a pattern.
 */
const edit = (
  edits: Array<Edit>,
  text: string,
  begins: string,
  pattern: RegExp,
  by: (match: RegExpExecArray, start: number) => string | undefined
): void => {
  for (let start = text.indexOf(begins); start !== -1; ) {
    let end = start + begins.length
    pattern.lastIndex = end
    const match = pattern.exec(text)
    const other = match === null ? undefined : by(match, start)
    if (match !== null && other !== undefined) {
      end += match[0].length
      edits.push({ start, end, by: other })
    }
    start = text.indexOf(begins, end)
  }
}

/** The text with all of them: one copy, since copies of a large text are what takes time. Of two that overlap the first counts. */
const edited = (text: string, edits: ReadonlyArray<Edit>): string => {
  if (edits.length === 0) return text
  const parts: Array<string> = []
  let done = 0
  for (const { by, end, start } of edits.toSorted((a, b) => a.start - b.start)) {
    if (start < done) continue
    parts.push(text.slice(done, start), by)
    done = end
  }
  parts.push(text.slice(done))
  return parts.join("")
}

const Recipes = Schema.Struct({
  recipes: Schema.Array(
    Schema.Struct({ method: Schema.String, params_hash: Schema.String, params: Schema.Array(Schema.Unknown) })
  )
})
type Recipes = typeof Recipes.Type
const isWithRecipes = Schema.is(Recipes)

/** A document with its recipes of JSON-RPC in the order of a key; those of other sources stay behind them. */
const withRecipes = (
  document: Recipes,
  keyOf: (recipe: Recipes["recipes"][number]) => string,
  each: (recipe: Recipes["recipes"][number], index: number) => void = () => {}
): string => {
  const keyed = document.recipes.map((recipe) => [recipe.method === "GET" ? undefined : keyOf(recipe), recipe] as const)
  const recipes = keyed
    .toSorted(([a], [b]) => (a === undefined ? (b === undefined ? 0 : 1) : b === undefined || a < b ? -1 : 1))
    .map(([, recipe]) => recipe)
  recipes.filter(({ method }) => method !== "GET").forEach(each)
  return JSON.stringify({ ...document, recipes })
}

const firstLineOf = (text: string): string => cutAtLineBreak(text)[0]

/** What is before the first line break, and the rest from it on. JSON has none of its own. */
const cutAtLineBreak = (text: string): readonly [string, string] => {
  const end = text.indexOf("\n")
  return end === -1 ? [text, ""] : [text.slice(0, end), text.slice(end)]
}
