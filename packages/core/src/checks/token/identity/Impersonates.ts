import { Effect, Option, Schema } from "effect"
import * as ChainBook from "../../../chain/ChainBook.js"
import { ChainState } from "../../../chain/state/ChainState.js"
import * as TokenLists from "../../../data/TokenLists.js"
import { Address } from "../../../domain/Address.js"
import { Token } from "../../../facts/market/Token.js"
import * as Check from "../../Check.js"
import * as Confusables from "./Confusables.js"

/**
 * Whether the token has the name or symbol of a listed token of the chain, but is another contract. Look-alike letters
 * count as equal. Who has both the name and the symbol of one listed token pretends to be it, which is critical; one of them
 * is found in honest tokens too.
 */
export const impersonates = Check.make({
  id: "token.impersonates",
  code: "M-03",
  version: 2,
  targets: ["token"],
  claim: "The token uses the name or symbol of a listed token",
  polarity: "risk",
  severity: "critical",
  dimension: "identity",
  value: Schema.Struct({ listed: Schema.Array(Address), list: Schema.String }),
  run: (target) =>
    Effect.gen(function* () {
      const { chain } = yield* ChainState
      const book = yield* ChainBook.of(chain.addressBook)
      const { addresses, listed } = book
      if (listed.length === 0) return Check.notApplicable
      const { observation, value } = yield* (yield* Token).of(target.address)
      // That it copies neither name nor symbol says more than that it does not copy both.
      const seen = { observation: observation(), severity: "high" } as const
      const list = TokenLists.source.name
      const native = Option.map(addresses, ({ wrappedNative }) => wrappedNative)
      const isItself =
        ChainBook.isListed(book, target.address) || Option.exists(native, (token) => token.address === target.address)
      if (isItself)
        return [Check.refuted({ ...seen, value: { listed: [], list }, detail: `the token itself is on ${list}` })]
      const names = [value.name, value.symbol].flatMap((text) => (text === null ? [] : [Confusables.fold(text)]))
      const has = (text: string) => names.includes(Confusables.fold(text))
      const alike = listed.filter((token) => has(token.symbol) || has(token.name))
      const copied = alike.find((token) => has(token.symbol) && has(token.name))
      const first = copied ?? alike[0]
      return [
        first === undefined
          ? Check.refuted({
              ...seen,
              value: { listed: [], list },
              detail: `no token on ${list} has a similar name or symbol`
            })
          : Check.confirmed({
              ...seen,
              value: { listed: alike.map((token) => token.address as Address).sort(), list },
              ...(copied === undefined ? {} : { severity: "critical" as const }),
              at: first.address as Address,
              detail: `the genuine ${first.symbol} on ${list} is ${first.address}`
            })
      ]
    })
})
