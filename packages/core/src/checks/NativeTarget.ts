/** @internal */

import { Effect } from "effect"
import { ChainState } from "../chain/state/ChainState.js"
import * as Implementation from "../facts/native/Implementation.js"
import type * as Check from "./Check.js"
import * as Phrases from "./Phrases.js"

/**
 * A check as it judges tokens that the chain itself implements, without code: its claim is decided where getters and events
 * decide it, and *unknown* otherwise. One that does not apply does not apply there either. Other targets are judged as they are,
 * without a further read.
 *
 * What is decided is listed, so that a new check is not believed of a code of one byte before its author lists it.
 */
export const over = <V, R>(check: Check.Check<V, R>): Check.Check<V, R | ChainState> => ({
  ...check,
  run: (target) =>
    target.kind === "wallet" || !Implementation.mayBeAt(target.address)
      ? check.run(target)
      : Effect.gen(function* () {
          const by = yield* Implementation.of(yield* ChainState, target.address)
          if (by === "code" || always.has(check.id) || (by === "chain" && ofTheChain.has(check.id)))
            return yield* check.run(target)
          const why = by === "chain" ? ofChain(check.id) : ofNobody
          if (by === "chain" && isAboutTrade(check.id)) return [Phrases.unknown("inconclusive", why)]
          return (yield* check.run(target)).map(({ subject }) => Phrases.unknown("inconclusive", why, { subject }))
        })
})

/** Those that name no pool: what nobody looked for is not absent. */
const isAboutTrade = (id: string): boolean => /^(?:trade|liquidity)\./.test(id) && id !== "liquidity.fake-pool"

const ofChain = (id: string): string =>
  isAboutTrade(id)
    ? `the token is implemented by the chain itself and traded on the chain's own exchange ${Implementation.exchange}, where no trade was tried`
    : "the token is implemented by the chain itself, so there is no code to read, and a network upgrade can change it"

const ofNobody = "its address and its code are those of a token of the chain itself, but its factory does not know it"

/** Claims about the endpoint, about what getters say, and about transfers that happened. */
const always: ReadonlySet<string> = new Set([
  "address.kind",
  "contract.creation-record",
  "contract.provenance",
  "endpoint.capable",
  "holders.concentrated",
  "holders.insiders",
  "holders.top",
  "opinion.flagged",
  "opinion.honeypot",
  "opinion.powers",
  "token.impersonates",
  "token.listed",
  "token.metadata-anomalous",
  "token.metadata-readable",
  "token.native",
  "token.standard"
])

/** Claims about roles and lists, which the chain answers for its own tokens. */
const ofTheChain: ReadonlySet<string> = new Set([
  "control.change-planned",
  "control.controllers",
  "control.hidden",
  "control.owner",
  "control.reclaimable",
  "control.renounced",
  "control.roles",
  "control.single-key",
  "control.timelocked",
  "token.allowance-bypass",
  "token.balances-seizable",
  "token.blacklistable",
  "token.limits-changeable",
  "token.mintable",
  "token.pausable",
  "token.powers-survive-renouncing",
  "token.tax-changeable",
  "token.whitelist-only"
])
