import { Effect, Option, Schema } from "effect"
import * as ChainBook from "../../../chain/ChainBook.js"
import { ChainState } from "../../../chain/state/ChainState.js"
import * as TokenLists from "../../../data/TokenLists.js"
import * as Check from "../../Check.js"

/** Whether the token's address is on the token list of its chain. An unlisted token is not worse for it. */
export const listed = Check.make({
  id: "token.listed",
  code: "M-04",
  version: 1,
  targets: ["token"],
  claim: "The token is on a well-known token list",
  polarity: "protective",
  severity: "info",
  dimension: "identity",
  value: Schema.Struct({ list: Schema.String, symbol: Schema.NullOr(Schema.String) }),
  run: (target) =>
    Effect.gen(function* () {
      const { chain, code } = yield* ChainState
      const book = yield* ChainBook.of(chain.addressBook)
      if (book.listed.length === 0) return Check.notApplicable
      const { observation } = yield* code(target.address)
      const list = TokenLists.source.name
      const seen = { observation: observation() }
      return Option.match(ChainBook.findListed(book, target.address), {
        onNone: () => [
          Check.refuted({ ...seen, value: { list, symbol: null }, detail: `the address is not on ${list}` })
        ],
        onSome: ({ symbol }) => [
          Check.confirmed({ ...seen, value: { list, symbol }, detail: `${list} has this address as ${symbol}` })
        ]
      })
    })
})
