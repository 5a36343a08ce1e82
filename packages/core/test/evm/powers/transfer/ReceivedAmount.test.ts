import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

/** The tax finding of tokens with constant rates, and why; both where a compiler hides what another shows. */
const expected: Record<string, { readonly why: string; readonly tax: string }> = {
  ReflectBot: { why: "who is listed is left with next to nothing, in two books", tax: "unknown" },
  ReflectSimple: { why: "who is listed is left with next to nothing, in shares", tax: "found" },
  ReflectTwo: { why: "all pay the same little, in two books", tax: "none unknown" },
  ReflectSpare: { why: "who is listed pays nothing rather than little, in two books", tax: "none unknown" },
  LoopTax: { why: "who is in an array is left with next to nothing", tax: "unknown" },
  LoopShare: { why: "each in an array gets a part", tax: "unknown" },
  PointedMove: { why: "a place that the owner names decides", tax: "unknown" },
  PointedRead: { why: "a place that the owner names says how much", tax: "unknown" },
  TaxOracleFlag: { why: "another contract decides", tax: "unknown" },
  TaxOracleTry: { why: "another contract decides where it answers", tax: "unknown" },
  TradingOriginTax: { why: "who sent the transaction is asked for in a list", tax: "found" },
  TradingCodeHashTax: { why: "whose code has a hash that the owner names pays", tax: "unknown" },
  CooldownTax: { why: "who sends again within a time that the owner sets pays", tax: "unknown" },
  RateByBalance: { why: "what an account has that the owner names decides", tax: "unknown" },
  RateByCount: { why: "how many transfers there were decides", tax: "unknown found" },
  RateByHash: { why: "whose hash the owner names pays", tax: "unknown" },
  RateBySupply: { why: "what there is of the token decides", tax: "unknown" },
  RateCounted: { why: "what the owner counts up decides", tax: "unknown" },
  RateStoredBot: { why: "who is listed pays a rate that nobody sets and that is not known", tax: "unknown" },
  RateStoredAll: {
    why: "who is listed, as a pool, is spared a rate that nobody sets and that is not known",
    tax: "unknown"
  },
  FourTaxes: { why: "taxes that are usual each come to more together", tax: "unknown" },
  TwoFees: { why: "fees that are usual together are none", tax: "none" },
  SparedNamed: { why: "who is marked by a name of which the code has the hash is spared", tax: "unknown found" },
  SparedPool: { why: "trades with another account than was named are taxed", tax: "found" },
  SparedOwner: { why: "that the owner is spared is no choice over others", tax: "none" },
  RateStoredFlag: { why: "all pay a rate that nobody sets once transfers are open", tax: "none" },
  TaxXorFlag: { why: "a rate that is worked out from numbers is one", tax: "found" }
}

describeCompiled("ReceivedAmount", (pipeline) => {
  const contract = contracts(pipeline, "Arrivals.sol")

  for (const [name, { tax, why }] of Object.entries(expected))
    it.effect(`${why} (${name})`, () =>
      Effect.gen(function* () {
        const { code } = contract(name)
        assert.include(tax.split(" "), TokenPowers.of(code, yield* StorageFlow.analyse(code)).tax.state)
      })
    )
})
