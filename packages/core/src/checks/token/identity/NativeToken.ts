import { Array as Arrays, Effect, Option, Schema } from "effect"
import { ChainState } from "../../../chain/state/ChainState.js"
import * as Facts from "../../../domain/facts/NativeToken.js"
import * as Implementation from "../../../facts/native/Implementation.js"
import * as NativeToken from "../../../facts/native/NativeToken.js"
import * as Check from "../../Check.js"
import * as Phrases from "../../Phrases.js"

/**
 * Whether the chain itself implements the token, as Tempo does TIP-20 tokens, and what its getters say: supply and cap, whether
 * it is paused, the transfer policy with who edits its lists, the roles with their members, and the token that it is quoted
 * in. It does not apply to a token with code of its own.
 *
 * @see https://docs.tempo.xyz/protocol/tip20/spec
 */
export const nativeToken = Check.make({
  id: "token.native",
  code: "A-09",
  version: 1,
  targets: ["token"],
  claim: "The chain itself implements the token",
  polarity: "neutral",
  severity: "info",
  dimension: "identity",
  tolerance: { kind: "relative", amount: 0.1 },
  value: Schema.Struct(Facts.NativeToken.fields),
  run: (target) =>
    Effect.gen(function* () {
      if (!Implementation.mayBeAt(target.address)) return Check.notApplicable
      const state = yield* ChainState
      const { observation, value: by } = yield* Implementation.recognised(state, target.address)
      if (by === "code") return Check.notApplicable
      const read = yield* NativeToken.of(state, target.address)
      if (Option.isNone(read))
        return [
          Phrases.unknown(
            "inconclusive",
            "the token has the address and the code of a TIP-20 token, but the factory of TIP-20 tokens does not know it",
            { observation: observation() }
          )
        ]
      const { document } = read.value.value
      return [Check.confirmed({ value: document, detail: detailOf(document), observation: observation() })]
    })
})

const detailOf = ({ complete, paused, policy, quote_token: quote, roles }: Facts.NativeToken): string => {
  const held = Object.entries(Arrays.groupBy(roles, ({ role }) => role))
  return [
    `a TIP-20 token${paused === true ? ", paused now" : ""}`,
    `transfer policy: ${policy === null ? "not read" : policyText(policy)}`,
    `quoted in ${quote ?? "no token"}`,
    `${held.length === 0 ? "no known role member" : held.map(([role, of]) => `${Phrases.brief(role)} of ${Phrases.few(of.map(({ member }) => member))}`).join(", ")}${complete ? "" : ", others may exist"}`
  ].join("; ")
}

const policyText = ({ kind, recipient, sender }: Facts.TransferPolicy): string =>
  kind === "compound" ? `${listText(sender)} for senders, ${listText(recipient)} for recipients` : listText(sender)

const listText = ({ admin, id, kind }: Facts.ListPolicy): string => {
  switch (kind) {
    case "allow_all":
      return "allows every account"
    case "reject_all":
      return "rejects every account"
    case "whitelist":
    case "blacklist":
      return `${kind} ${id}${admin === null ? ", which nobody can edit" : `, edited by ${admin}`}`
    case "compound":
    case "unknown":
      return "not known"
  }
}
