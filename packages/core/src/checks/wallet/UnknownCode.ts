import { Effect, Option, Schema } from "effect"
import { ChainState } from "../../chain/state/ChainState.js"
import * as KnownDelegates from "../../data/KnownDelegates.js"
import { Address } from "../../domain/Address.js"
import { Code } from "../../facts/code/Code.js"
import * as PublishedBuilds from "../../facts/code/PublishedBuilds.js"
import { Safe } from "../../facts/control/Safe.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether a part of the code of a contract wallet is of no known publisher. It is low: who can make the wallet pay is the
 * subject of `wallet.open`. It does not apply to an account with a private key, whatever it delegates to, nor to a Safe,
 * which has its own checks.
 */
export const unknownCode = Check.make({
  id: "wallet.unknown-code",
  code: "W-18",
  version: 1,
  targets: ["wallet"],
  claim: "No known publisher wrote the wallet's code",
  polarity: "risk",
  severity: "low",
  dimension: "account",
  value: Schema.Struct({ others: Schema.Array(Address) }),
  run: (target) =>
    Effect.gen(function* () {
      const account = yield* (yield* Code).of(target.address)
      if (account.value.kind !== "contract") return Check.notApplicable
      if (Option.isSome(yield* (yield* Safe).singletonOf(target.address))) return Check.notApplicable
      const { chain } = yield* ChainState
      const { observation, value } = yield* PublishedBuilds.of(target.address)
      const { builds, resolved } = value
      // A delegate that a wallet's maker publishes may also stand behind a proxy.
      const others = value.others.filter((address) =>
        Option.isNone(
          Option.orElse(KnownDelegates.find(chain.addressBook, address), () => KnownDelegates.findOnAnyChain(address))
        )
      )
      const seen = { value: { others }, observation: observation() }
      if (others.length > 0)
        return [Check.confirmed({ ...seen, detail: `the code at ${Phrases.few(others)} is not a known build` })]
      if (!resolved || builds.length + value.others.length === 0)
        return [
          Phrases.unknown("inconclusive", "not all of the implementation code was found", {
            observation: seen.observation
          })
        ]
      return [Check.refuted({ ...seen, detail: "all of its code is a known published build" })]
    })
})
