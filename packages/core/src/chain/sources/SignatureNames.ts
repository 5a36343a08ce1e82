import type * as HttpClient from "@effect/platform/HttpClient"
import { Context, Effect, Either, Layer, Option, type Scope } from "effect"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import type { ChainError } from "../ChainError.js"
import * as SourceCall from "./SourceCall.js"
import type { Asked, SourceReading } from "./SourceReading.js"

/**
 * The signatures known for each selector that has any, most likely first. Each one hashes to its selector, but whether
 * it is the contract's own is not known, and anybody can submit one: it is data, never an instruction.
 *
 * @since 0.1.0
 * @category models
 */
export type Names = ReadonlyMap<Hex, ReadonlyArray<string>>

/**
 * A public database of function signatures. `page` is where a reader can look up the same selectors.
 *
 * @since 0.1.0
 * @category models
 */
export interface SignatureDatabase {
  readonly name: string
  readonly page: (selectors: ReadonlyArray<Hex>) => string
  /** How many selectors one look-up takes. */
  readonly mostSelectors: number
  /** One reading per request; fails if any request was not answered. */
  readonly find: (
    at: Asked,
    selectors: ReadonlyArray<Hex>
  ) => Effect.Effect<ReadonlyArray<SourceReading<Names>>, ChainError>
}

/**
 * The databases of function names, in the order in which they are queried. Optional: without any, no name is known.
 *
 * @since 0.1.0
 * @category services
 */
export class SignatureNames extends Context.Tag("@assay/core/SignatureNames")<
  SignatureNames,
  { readonly databases: ReadonlyArray<SignatureDatabase> }
>() {}

/**
 * Uses these databases, such as `OpenChain.make()` and `FourByte.make()`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  databases: ReadonlyArray<Effect.Effect<SignatureDatabase, never, HttpClient.HttpClient | Scope.Scope>>
): Layer.Layer<SignatureNames, never, HttpClient.HttpClient> =>
  Layer.scoped(
    SignatureNames,
    Effect.map(Effect.all(databases), (made) => ({ databases: made }))
  )

/**
 * Uses no database.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerDisabled: Layer.Layer<SignatureNames> = Layer.succeed(SignatureNames, { databases: [] })

/**
 * The answer of one database about the selectors in a request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Told {
  readonly database: SignatureDatabase
  readonly selectors: ReadonlyArray<Hex>
  readonly answer: Either.Either<ReadonlyArray<SourceReading<Names>>, ChainError>
}

/**
 * The answers of all databases. `names` combines those that answered, with names known to several of them first.
 * `undecided` are selectors without a name, for which at least one database was not queried or did not answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Lookup {
  readonly names: Names
  readonly undecided: ReadonlyArray<Hex>
  readonly told: ReadonlyArray<Told>
}

/**
 * Queries the databases one after the other: each for the selectors without a name so far, and then for those with
 * several.
 *
 * @since 0.1.0
 * @category combinators
 */
export const look = (
  databases: ReadonlyArray<SignatureDatabase>,
  at: Asked,
  selectors: ReadonlyArray<Hex>
): Effect.Effect<Lookup> =>
  Effect.map(
    Effect.reduce(databases, [] as ReadonlyArray<Told>, (before, database) => {
      const named = merged(before)
      const known = (selector: Hex) => named.get(selector)?.length ?? 0
      const open = [
        ...selectors.filter((selector) => known(selector) === 0),
        ...selectors.filter((selector) => known(selector) > 1)
      ].slice(0, database.mostSelectors)
      return open.length === 0
        ? Effect.succeed(before)
        : Effect.map(Effect.either(SourceCall.make(() => database.find(at, open))), (answer) => [
            ...before,
            { database, selectors: open, answer }
          ])
    }),
    (told) => {
      const names = merged(told)
      const undecided = selectors.filter(
        (selector) =>
          !names.has(selector) &&
          told.some(({ answer, selectors: asked }) => Either.isLeft(answer) || !asked.includes(selector))
      )
      return { names, undecided, told }
    }
  )

/**
 * Whether a text is a signature that hashes to the selector. Only letters of identifiers and types are accepted, so a
 * name can contain neither markup nor a sentence.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isNameOf = (name: string, selector: string): boolean =>
  name.length <= 256 && signature.test(name) && Selectors.selector(name) === selector.toLowerCase()

const signature = /^[A-Za-z_$][\w$]*\([\w,()[\]]*\)$/

const merged = (told: ReadonlyArray<Told>): Names => {
  const answers = told.flatMap(({ answer }) =>
    Option.toArray(Option.map(Either.getRight(answer), (readings) => readings.map(({ value }) => value)))
  )
  const selectors = new Set(answers.flatMap((maps) => maps.flatMap((map) => [...map.keys()])))
  return new Map(
    [...selectors].map((selector) => {
      const lists = answers.map((maps) => new Set(maps.flatMap((map) => map.get(selector) ?? [])))
      const names = [...new Set(lists.flatMap((list) => [...list]))]
      const votes = (name: string) => lists.filter((list) => list.has(name)).length
      return [selector, names.sort((a, b) => votes(b) - votes(a))] as const
    })
  )
}
