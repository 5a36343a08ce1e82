import type * as HttpClient from "@effect/platform/HttpClient"
import { Effect, Either, Layer, Option, Schema } from "effect"
import type { Address } from "../../domain/Address.js"
import * as HttpSource from "./HttpSource.js"
import { type Opinions, SecondOpinion, type TokenClaim } from "./SecondOpinion.js"
import * as SourceReading from "./SourceReading.js"

/**
 * The public API.
 *
 * @since 0.1.0
 * @category constructors
 */
export const publicUrl = "https://api.gopluslabs.io"

/**
 * GoPlus Security as a second opinion, field by field: `"1"` is yes, `"0"` is no, and everything else (a missing field,
 * `""`, `"-1"`) is no statement. Its public API allows 30 requests per minute without a key.
 *
 * @see https://docs.gopluslabs.io/reference/api-overview
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: HttpSource.HttpSourceOptions & { readonly url?: string | undefined } = {}
): Layer.Layer<SecondOpinion, never, HttpClient.HttpClient> =>
  Layer.scoped(
    SecondOpinion,
    Effect.map(HttpSource.make("GoPlus", { perSecond: 0.5, timeout: "6 seconds", ...options }), (source) => {
      const base = (options.url ?? publicUrl).replace(/\/+$/, "")
      const tokenUrl = ({ chain }: SourceReading.Asked, address: Address) =>
        `${base}/api/v1/token_security/${chain.id}?contract_addresses=${address}`
      const accountUrl = ({ chain }: SourceReading.Asked, address: Address) =>
        `${base}/api/v1/address_security/${address}?chain_id=${chain.id}`
      const ask = <A>(at: SourceReading.Asked, url: string, decode: HttpSource.Decode<Option.Option<A>>) =>
        Effect.map(source.get({ url }, decode), (answer) =>
          Option.map(answer.value, (value) => SourceReading.fromAnswer({ ...answer, value }, at))
        )
      return {
        name: "GoPlus",
        tokenPage: (at, address) =>
          base === publicUrl ? `https://gopluslabs.io/token-security/${at.chain.id}/${address}` : tokenUrl(at, address),
        token: (at, address) => ask(at, tokenUrl(at, address), ofToken(address)),
        accountPage: accountUrl,
        account: (at, address) => ask(at, accountUrl(at, address), ofAccount)
      }
    })
  )

const fields: { readonly [claim in TokenClaim]: string } = {
  honeypot: "is_honeypot",
  mintable: "is_mintable",
  pausable: "transfer_pausable",
  blacklistable: "is_blacklisted",
  balances_seizable: "owner_change_balance",
  tax_changeable: "slippage_modifiable",
  hidden_control: "hidden_owner",
  reclaimable: "can_take_back_ownership"
}

const accusations = [
  "blackmail_activities",
  "blacklist_doubt",
  "cybercrime",
  "darkweb_transactions",
  "fake_kyc",
  "financial_crime",
  "honeypot_related_address",
  "malicious_mining_activities",
  "money_laundering",
  "phishing_activities",
  "sanctioned",
  "stealing_attack"
] as const

const Answer = Schema.Struct({ code: Schema.Int, result: Schema.optional(Schema.Unknown) })

const Members = Schema.Record({ key: Schema.String, value: Schema.Unknown })

type Members = typeof Members.Type

// It answers 200 to everything: 1 is success, 2 success in part, 4029 too many requests, 2018 and 2022 a chain that it
// does not cover, 2020 and 2021 nothing known. https://docs.gopluslabs.io/reference/response-details
const decode =
  <A>(read: (result: Members) => A): HttpSource.Decode<Option.Option<A>> =>
  (body) => {
    const answer = Schema.decodeUnknownOption(Answer)(body)
    switch (Option.getOrUndefined(answer)?.code) {
      case 1:
      case 2:
      case 2020:
      case 2021:
        return Either.right(
          Option.some(
            read(
              Option.getOrElse(
                Option.flatMap(answer, ({ result }) => Schema.decodeUnknownOption(Members)(result)),
                () => ({})
              )
            )
          )
        )
      case 2018:
      case 2022:
        return Either.right(Option.none())
      case 4029:
        return Either.left({ reason: "rate_limited", detail: "it takes no more requests for now" })
      default:
        return Either.left({ reason: "source_unavailable", detail: "its answer is not what its documentation says" })
    }
  }

const said = (value: unknown): Option.Option<boolean> =>
  value === "1" ? Option.some(true) : value === "0" ? Option.some(false) : Option.none()

const opinions = <Claim extends string>(
  members: Members,
  fieldOf: ReadonlyArray<readonly [Claim, string]>
): Opinions<Claim> =>
  Object.fromEntries(fieldOf.map(([claim, field]) => [claim, said(members[field])])) as unknown as Opinions<Claim>

const ofToken = (address: Address) =>
  decode((result) =>
    opinions(
      Option.getOrElse(Schema.decodeUnknownOption(Members)(result[address.toLowerCase()]), () => ({})),
      Object.entries(fields) as ReadonlyArray<[TokenClaim, string]>
    )
  )

const ofAccount = decode((result) =>
  opinions<string>(
    result,
    accusations.map((field) => [field, field])
  )
)
