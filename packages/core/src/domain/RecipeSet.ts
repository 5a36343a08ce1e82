import { Schema } from "effect"
import { Recipe } from "./Recipe.js"

/**
 * Recipes in which what several parameters share is written once. `{"$shared": n}` in the `params` of a recipe, or in an
 * entry of `shared` after the nth, stands for entry n of `shared`. `params_hash` is of the parameters with the entries put in.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RecipeSet = Schema.Struct({
  recipes: Schema.Array(Recipe),
  shared: Schema.Array(Schema.Unknown)
}).annotations({
  identifier: "RecipeSet",
  description:
    'The recipes of an execution. `{"$shared": n}` anywhere in `params`, or in a later entry of `shared`, stands for entry n of `shared`; `params_hash` is of the parameters with the entries put in.'
})

/**
 * @since 0.1.0
 * @category models
 */
export interface RecipeSet extends Schema.Schema.Type<typeof RecipeSet> {}

/** A value with shorter JSON is written each time: a reference takes some 15 characters. */
const minimumLength = 64

/**
 * Writes the parts that recipes share once.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (recipes: ReadonlyArray<Recipe>): RecipeSet => {
  const counts = new Map<string, number>()
  const count = (value: unknown): void => {
    const text = longText(value)
    if (text === undefined) return
    const seen = counts.get(text) ?? 0
    counts.set(text, seen + 1)
    // The parts of what repeats as a whole repeat with it.
    if (seen === 0) for (const part of partsOf(value)) count(part)
  }
  for (const { params } of recipes) for (const param of params) count(param)

  const shared: Array<unknown> = []
  const places = new Map<string, number>()
  const write = (value: unknown): unknown => {
    const text = longText(value)
    if (text === undefined) return value
    if ((counts.get(text) ?? 0) < 2) return writeParts(value)
    const place = places.get(text) ?? shared.push(writeParts(value)) - 1
    places.set(text, place)
    return { [reference]: place }
  }
  const writeParts = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(write)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, write(part)]))
  }
  return { recipes: recipes.map((recipe) => ({ ...recipe, params: recipe.params.map(write) })), shared }
}

/**
 * The recipes of a set with everything in its place, as `Analyzer.verify` takes them. A reference to an entry that is not
 * before it is left as it is, so that the parameters do not have their hash.
 *
 * @since 0.1.0
 * @category combinators
 */
export const recipesOf = ({ recipes, shared }: RecipeSet): ReadonlyArray<Recipe> => {
  const known: Array<unknown> = []
  const read = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(read)
    if (typeof value !== "object" || value === null) return value
    const members = Object.entries(value)
    const [name, place] = members[0] ?? []
    if (members.length === 1 && name === reference && typeof place === "number" && place in known) return known[place]
    return Object.fromEntries(members.map(([member, part]) => [member, read(part)]))
  }
  for (const entry of shared) known.push(read(entry))
  return recipes.map((recipe) => ({ ...recipe, params: recipe.params.map(read) }))
}

const reference = "$shared"

/** The JSON of a value that is worth a reference. */
const longText = (value: unknown): string | undefined => {
  if (typeof value === "string" ? value.length + 2 < minimumLength : typeof value !== "object" || value === null)
    return undefined
  const text = JSON.stringify(value)
  return text.length < minimumLength ? undefined : text
}

const partsOf = (value: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value
  return typeof value === "object" && value !== null ? Object.values(value) : []
}
