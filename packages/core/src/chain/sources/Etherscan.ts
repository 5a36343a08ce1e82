import type * as HttpClient from "@effect/platform/HttpClient"
import { Effect, Either, Option, type Redacted, Schema, type Scope } from "effect"
import type { Address } from "../../domain/Address.js"
import * as CreationRecord from "./CreationRecord.js"
import * as Explorer from "./Explorer.js"
import * as HttpSource from "./HttpSource.js"
import * as SourceReading from "./SourceReading.js"
import type { Registry, SourceMatch } from "./VerifiedSource.js"

/**
 * The public API for all its chains.
 *
 * @since 0.1.0
 * @category constructors
 */
export const publicUrl = "https://api.etherscan.io/v2/api"

/**
 * The Etherscan family of explorers, through version 2 of its API. Requires a key. The key is sent in the query of the
 * request, as the API requires, and is in nothing that readers see.
 *
 * @see https://docs.etherscan.io/api-reference/endpoint/getsourcecode
 * @see https://docs.etherscan.io/api-reference/endpoint/getcontractcreation
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: HttpSource.HttpSourceOptions & {
    readonly key: Redacted.Redacted<string>
    readonly url?: string | undefined
  }
): Effect.Effect<Registry, never, HttpClient.HttpClient | Scope.Scope> =>
  // Its free plan takes three requests a second, and it answers with whole sources.
  Effect.map(HttpSource.make("Etherscan", { perSecond: 3, maxBodyBytes: 8 * 1024 * 1024, ...options }), (source) => {
    const base = options.url ?? publicUrl
    return {
      name: "Etherscan",
      page: ({ block, chain }, address) => Explorer.addressUrl(chain, block, address),
      look: (at, address) =>
        Effect.map(
          source.get(
            {
              url: `${base}?chainid=${at.chain.id}&module=contract&action=getsourcecode&address=${address}`,
              secrets: { apikey: options.key }
            },
            decode
          ),
          (answer) => Option.map(answer.value, (value) => SourceReading.fromAnswer({ ...answer, value }, at))
        ),
      creation: (at, address) =>
        Effect.map(
          source.get(
            {
              url: `${base}?chainid=${at.chain.id}&module=contract&action=getcontractcreation&contractaddresses=${address}`,
              secrets: { apikey: options.key }
            },
            decodeCreation(address)
          ),
          (answer) => Option.map(answer.value, (value) => SourceReading.fromAnswer({ ...answer, value }, at))
        )
    }
  })

const Contract = Schema.Struct({
  status: Schema.Literal("1"),
  result: Schema.NonEmptyArray(
    Schema.Struct({ SourceCode: Schema.String, ABI: Schema.String, SimilarMatch: Schema.optional(Schema.String) })
  )
})

const Refusal = Schema.Struct({ status: Schema.Literal("0"), result: Schema.String })

// Blockscout answers an address alone, or nothing with these words, for a contract that is not verified. Which address is not
// looked at: an answer with a source names none, and both answer one request for one contract.
const Bare = Schema.Struct({
  status: Schema.Literal("1"),
  result: Schema.Tuple(Schema.Struct({ Address: Schema.String, SourceCode: Schema.optional(Schema.Undefined) }))
})

const Unverified = Schema.Struct({
  message: Schema.Literal("Contract source code not verified"),
  result: Schema.NullOr(Schema.Tuple())
})

const decode: HttpSource.Decode<Option.Option<SourceMatch>> = (body) => {
  if (Schema.is(Unverified)(body) || Schema.is(Bare)(body))
    return Either.right(Option.some({ level: "none", code: Option.none() }))
  return Option.match(Schema.decodeUnknownOption(Contract)(body), {
    onNone: () => refused(body),
    onSome: ({ result }) => Either.right(Option.some(matchOf(result[0])))
  })
}

const Creation = Schema.Struct({
  status: Schema.Literal("1"),
  result: Schema.NonEmptyArray(
    Schema.Struct({
      contractAddress: Schema.String,
      contractCreator: Schema.String,
      txHash: Schema.String,
      blockNumber: Schema.optional(Schema.String),
      timestamp: Schema.optional(Schema.String),
      contractFactory: Schema.optional(Schema.String)
    })
  )
})

// Also the answer for contracts with an unknown creation.
const Nothing = Schema.Struct({
  message: Schema.Literal("No data found"),
  result: Schema.NullOr(Schema.Tuple())
})

const decodeCreation =
  (address: Address): HttpSource.Decode<Option.Option<Option.Option<CreationRecord.CreationRecord>>> =>
  (body) => {
    const told = Option.flatMap(Schema.decodeUnknownOption(Creation)(body), ({ result: [first] }) =>
      Option.liftPredicate(first, (each) => each.contractAddress.toLowerCase() === address.toLowerCase())
    )
    if (Option.isNone(told)) return Schema.is(Nothing)(body) ? Either.right(Option.some(Option.none())) : refused(body)
    const { blockNumber, contractCreator, contractFactory, timestamp, txHash } = told.value
    return Either.right(
      Option.some(
        Option.some(
          CreationRecord.parse({
            transaction: txHash,
            creator: contractCreator,
            factory: contractFactory,
            block: blockNumber,
            seconds: timestamp
          })
        )
      )
    )
  }

// It answers 200 to everything, and says in words what went wrong.
const refused = (body: unknown): Either.Either<Option.Option<never>, HttpSource.HttpFault> => {
  const refusal = Option.match(Schema.decodeUnknownOption(Refusal)(body), {
    onNone: () => "",
    onSome: ({ result }) => result
  })
  if (/unsupported chainid|not supported for this chain/i.test(refusal)) return Either.right(Option.none())
  if (/rate limit|too many/i.test(refusal))
    return Either.left({ reason: "rate_limited", detail: "it takes no more requests for now" })
  return Either.left({
    reason: "source_unavailable",
    detail: /api key/i.test(refusal) ? "it does not take the key" : "its answer is not what its documentation says"
  })
}

const matchOf = ({ ABI, SimilarMatch, SourceCode }: (typeof Contract.Type)["result"][0]): SourceMatch => ({
  level:
    SourceCode === "" || ABI === "Contract source code not verified"
      ? "none"
      : SimilarMatch === undefined || SimilarMatch === ""
        ? "exact"
        : "partial",
  code: Option.none()
})
