import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import type { Severity } from "../../domain/Evidence.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import { type Delegate, Delegation } from "../../facts/wallet/Delegation.js"
import * as Check from "../Check.js"

/**
 * Whether the wallet runs foreign code by an EIP-7702 delegation. A delegate that was reported, that hands on what the
 * wallet receives, or by which others spend what it has, is critical; one that a wallet's maker publishes is low, any other
 * medium.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7702
 * @since 0.1.0
 * @category models
 */
export const delegated = Check.make({
  id: "wallet.delegated",
  code: "W-07",
  version: 3,
  targets: ["wallet"],
  claim: "The wallet runs another contract's code",
  polarity: "risk",
  severity: "critical",
  dimension: "account",
  value: Schema.Struct({
    delegate: Schema.NullOr(Address),
    label: Schema.NullOr(Schema.String),
    kind: Schema.NullOr(Schema.Literal("reported", "forwards", "open", "keyed", "published", "unknown"))
  }),
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* Delegation).of(target.address)
      const seen = { observation: observation() }
      return [
        Option.match(value, {
          onNone: () =>
            Check.refuted({
              ...seen,
              value: { delegate: null, label: null, kind: null },
              detail: "no delegation designator"
            }),
          onSome: (delegate) =>
            Check.confirmed({
              ...seen,
              value: { delegate: delegate.address, label: Option.getOrNull(delegate.label), kind: delegate.kind },
              severity: severities[delegate.kind],
              at: delegate.address,
              detail: `to ${delegate.address}, ${words(delegate)}`
            })
        })
      ]
    })
})

const severities: { readonly [kind in Delegate["kind"]]: Severity } = {
  reported: "critical",
  forwards: "critical",
  open: "critical",
  keyed: "critical",
  published: "low",
  unknown: "medium"
}

const words = ({ by, kind, label, stands, stored, tried }: Delegate): string => {
  const name = Option.getOrElse(label, () => "which nobody is known to publish")
  if (!stands) return `${name}: no code stands there that the wallet could run`
  switch (kind) {
    case "forwards":
      return `${name}: ${tried ? "a payment to the wallet left it at once" : "its code hands on what the wallet is paid"}`
    case "open":
      return Option.contains(by, Selectors.functions.isValidSignature)
        ? `${name}: it takes what nobody signed for signed by the wallet`
        : `${name}: ${tried ? "a stranger who called the wallet made it pay" : "whoever calls the wallet can make it pay"}`
    case "keyed":
      return `${name}: ${stored ? "another account, which the wallet's storage names," : "an account that is written into its code"} can make the wallet pay`
    default:
      return name
  }
}
