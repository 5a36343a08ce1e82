/** @internal */

import { Either, Schema } from "effect"
import { Address } from "../domain/Address.js"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import { Hex } from "../domain/Hex.js"
import * as SceneSeed from "../domain/SceneSeed.js"
import * as Timestamp from "../domain/Timestamp.js"

/**
 * What a document of an execution was made at: the target, and of the pinned block its hash, number and time in seconds.
 */
export interface Origin {
  readonly address: Address
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
 * The template of a text with the document of an execution in its first line. None where that line has no origin, or
 * where the template would not give the same text again.
 */
export const make = (text: string): BlockTemplate | undefined => {
  const origin = originOf(firstLineOf(text))
  if (origin === undefined) return undefined
  const template = { origin, text: symbolsOf(origin, text) }
  return fill(template) === text ? template : undefined
}

/** The text that a template was made of. */
export const fill = ({ origin, text }: BlockTemplate): string => {
  const values = new Map<string, string>()
  const valueOf = (symbol: string, kind: string, number: string): string => {
    const known = values.get(symbol)
    if (known !== undefined) return known
    const made = value(origin, kind, Number(number))
    values.set(symbol, made)
    return made
  }
  const filled = text
    .replace(/\u007f([AaDHNRT])(\d*)\u007f/g, valueOf)
    .replace(
      /"(0x[0-9a-fA-F]{40})":\{"balance":"\u007fB([0-9a-f]+)\u007f"/g,
      (_, owner: string, rest: string) =>
        `"${owner}":{"balance":"0x${(BigInt(`0x${rest}`) + tailOf(owner)).toString(16)}"`
    )
  const [document, rest] = cutAtLineBreak(filled)
  const parsed: unknown = JSON.parse(document)
  if (!isWithRecipes(parsed)) return filled
  const hashes = parsed.recipes.map(({ params }) => CanonicalJson.hash(params))
  const hashed = (part: string) =>
    part.replace(/\u007fS(\d+)\u007f/g, (symbol, index: string) => hashes[Number(index)] ?? symbol)
  // Symbols are written in JSON as they are, so they can be replaced once the recipes are in their order.
  return hashed(withRecipes(parsed, ({ method, params_hash }) => `${method} ${hashed(params_hash)}`) + rest)
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
  Schema.Struct({ address: Address, hash: Hex, number: Schema.Int, time: Schema.Int })
)

/** Rare in texts. A text that contains something like a symbol has no template. */
const mark = "\u007f"
const symbol = (name: string): string => `${mark}${name}${mark}`

const Head = Schema.parseJson(
  Schema.Struct({
    address: Address,
    block: Schema.Struct({ hash: Hex, number: Schema.Int, timestamp: Timestamp.Timestamp })
  })
)
const decodeHead = Schema.decodeEither(Head)
const originOf = (document: string): Origin | undefined =>
  Either.getOrUndefined(
    Either.map(decodeHead(document), ({ address, block: { hash, number, timestamp } }) => ({
      address,
      hash,
      number,
      time: Timestamp.toSeconds(timestamp)
    }))
  )

/** The accounts of scenes. */
const numbers = [
  ...Array.from({ length: SceneSeed.mostBuyers }, (_, index) => [
    SceneSeed.accounts.buyer + index,
    SceneSeed.accounts.peer + index
  ]).flat(),
  ...Object.values(SceneSeed.accounts)
]

const sceneOf = ({ address, hash }: Origin): SceneSeed.SceneSeed => ({ token: address, blockHash: hash })

/**
 * `H` hash of the block, `N` its number, `D` its date, `T` a time after it, `R` a random number, `A` an account, `a` in
 * small letters. Accounts are those of earlier engines, which 92 of 100 accounts are still: the others stand in the text as
 * they are, so that a process of an earlier version reads what a new one packs.
 */
const value = (origin: Origin, kind: string, number: number): string => {
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
    case "A":
      return SceneSeed.accountWithZeroBytes(sceneOf(origin), number).slice(2)
    default:
      return SceneSeed.accountWithZeroBytes(sceneOf(origin), number).slice(2).toLowerCase()
  }
}

const symbolsOf = (origin: Origin, text: string): string => {
  const [document] = cutAtLineBreak(text)
  const words = new Map<string, string>()
  const add = (name: string, kind: string, number = 0) => void words.set(value(origin, kind, number), symbol(name))
  add("H", "H")
  for (const seconds of secondsIn(document, origin)) add(`R${seconds}`, "R", seconds)
  for (const number of numbers) {
    const account = value(origin, "A", number)
    words.set(account, symbol(`A${number}`))
    words.set(account.toLowerCase(), symbol(`a${number}`))
  }
  let result = withArguments(withoutTails(text), words)
    .replace(/0x[0-9a-f]{64}(?![0-9a-f])/g, (word) => words.get(word) ?? word)
    .replace(/(?<=0x)[0-9a-fA-F]{40}(?![0-9a-fA-F])/g, (word) => words.get(word) ?? word)
    .replaceAll(value(origin, "D", 0), symbol("D"))
  result = result.replace(/"time":"(0x[0-9a-f]+)"/g, (found, time: string) => {
    const seconds = Number(time) - origin.time
    return seconds < 0 ? found : `"time":"${symbol(`T${seconds}`)}"`
  })
  const [replaced, rest] = cutAtLineBreak(result)
  const places = new Map<string, number>()
  const parsed: unknown = JSON.parse(replaced)
  const keyed = isWithRecipes(parsed)
    ? withRecipes(
        parsed,
        ({ method, params }) => `${method} ${JSON.stringify(params)}`,
        ({ params_hash }, index) => void places.set(params_hash, index)
      )
    : replaced
  return (keyed + rest)
    .replace(/0x[0-9a-f]{64}/g, (word) => {
      const place = places.get(word)
      return place === undefined ? word : symbol(`S${place}`)
    })
    .replace(/([?]block=|"number":|"to_block":)(\d+)/g, (found, before: string, number: string) =>
      number === String(origin.number) ? before + symbol("N") : found
    )
}

/** What simulated accounts own ends as their address does (`TradeScene.purse`). */
const withoutTails = (text: string): string =>
  text.replace(/"(0x[0-9a-fA-F]{40})":\{"balance":"(0x[0-9a-f]+)"/g, (found, owner: string, balance: string) => {
    const rest = BigInt(balance) - tailOf(owner)
    return rest < 0n ? found : `"${owner}":{"balance":"${symbol(`B${rest.toString(16)}`)}"`
  })

const tailOf = (owner: string): bigint => BigInt(`0x${owner.slice(-12)}`)

const secondsIn = (document: string, { time }: Origin): ReadonlySet<number> =>
  new Set([...document.matchAll(/"time":"(0x[0-9a-f]+)"/g)].map(([, found]) => Number(found) - time))

/** Accounts among the arguments of a call: after zeros, which may be more than those of its own word, or begin it. */
const withArguments = (text: string, words: ReadonlyMap<string, string>): string => {
  const parts: Array<string> = []
  let done = 0
  for (const { 0: zeros, index } of text.matchAll(/0{24,}/g)) {
    const end = index + zeros.length
    for (const start of [end, end - 1, end - 2]) {
      const word = start < done ? undefined : words.get(text.slice(start, start + 40))
      if (word === undefined) continue
      parts.push(text.slice(done, start), word)
      done = start + 40
      break
    }
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
