import type * as HttpClient from "@effect/platform/HttpClient"
import { Effect, Either, Option, Schema, type Scope } from "effect"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as CreationRecord from "./CreationRecord.js"
import * as HttpSource from "./HttpSource.js"
import * as SourceReading from "./SourceReading.js"
import type { Registry, SourceMatch } from "./VerifiedSource.js"

/**
 * The public server.
 *
 * @since 0.1.0
 * @category constructors
 */
export const publicUrl = "https://sourcify.dev/server"

/**
 * Sourcify, through version 2 of its API, without a key. `url` selects another server, to which readers are linked
 * then.
 *
 * @see https://docs.sourcify.dev/docs/api/
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: HttpSource.HttpSourceOptions & { readonly url?: string | undefined } = {}
): Effect.Effect<Registry, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.map(HttpSource.make("Sourcify", options), (source) => {
    const base = (options.url ?? publicUrl).replace(/\/+$/, "")
    // Source and creation come from one URL, so that it is requested once.
    const ask = (at: SourceReading.Asked, address: Address) =>
      source.get(
        { url: `${base}/v2/contract/${at.chain.id}/${address}?fields=runtimeBytecode.onchainBytecode,deployment` },
        decode
      )
    return {
      name: "Sourcify",
      page: ({ chain }, address) =>
        base === publicUrl
          ? `https://repo.sourcify.dev/${chain.id}/${address}`
          : `${base}/v2/contract/${chain.id}/${address}`,
      look: (at, address) =>
        Effect.map(ask(at, address), (answer) =>
          Option.map(answer.value, ({ match }) => SourceReading.fromAnswer({ ...answer, value: match }, at))
        ),
      creation: (at, address) =>
        Effect.map(ask(at, address), (answer) =>
          Option.map(answer.value, ({ creation }) => SourceReading.fromAnswer({ ...answer, value: creation }, at))
        )
    }
  })

const Level = Schema.NullOr(Schema.Literal("exact_match", "match"))

const Told = Schema.optional(Schema.NullOr(Schema.Union(Schema.String, Schema.Number)))

const Deployment = Schema.Struct({ transactionHash: Told, blockNumber: Told, deployer: Told })

const Contract = Schema.Struct({
  match: Level,
  runtimeMatch: Level,
  creationMatch: Level,
  runtimeBytecode: Schema.optional(Schema.NullOr(Schema.Struct({ onchainBytecode: Schema.NullOr(Schema.String) }))),
  deployment: Schema.optional(Schema.NullOr(Deployment))
})

const Refusal = Schema.Struct({ customCode: Schema.String })

interface Entry {
  readonly match: SourceMatch
  readonly creation: Option.Option<CreationRecord.CreationRecord>
}

const decode: HttpSource.Decode<Option.Option<Entry>> = (body, status) => {
  const contract = Schema.decodeUnknownOption(Contract)(body)
  if (Option.isSome(contract))
    return Either.right(Option.some({ match: matchOf(contract.value), creation: creationOf(contract.value) }))
  const refusal = Schema.decodeUnknownOption(Refusal)(body)
  return status === 404 && Option.exists(refusal, ({ customCode }) => customCode === "unsupported_chain")
    ? Either.right(Option.none())
    : Either.left({ reason: "source_unavailable", detail: "its answer is not what its documentation says" })
}

// What was verified by the creation alone says nothing of code that a constructor or an upgrade can make different.
const matchOf = ({ match, runtimeBytecode, runtimeMatch }: typeof Contract.Type): SourceMatch => ({
  level: runtimeMatch === "exact_match" ? "exact" : match === null ? "none" : "partial",
  code: Option.map(
    Option.filter(Option.fromNullable(runtimeBytecode?.onchainBytecode), (code) =>
      /^0x(?:[0-9a-fA-F]{2})+$/.test(code)
    ),
    (code) => Bytecode.hash(code.toLowerCase() as Hex)
  )
})

// Contracts with an unknown creation have entries with null in every member.
const creationOf = ({ deployment }: typeof Contract.Type): Option.Option<CreationRecord.CreationRecord> =>
  Option.filter(
    Option.map(Option.fromNullable(deployment), ({ blockNumber, deployer, transactionHash }) =>
      CreationRecord.parse({ transaction: transactionHash, creator: deployer, block: blockNumber })
    ),
    ({ block, creator, transaction }) => Option.isSome(transaction) || Option.isSome(creator) || Option.isSome(block)
  )
