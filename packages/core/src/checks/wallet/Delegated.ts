import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import type { Severity } from "../../domain/Evidence.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import { type Delegate, Delegation } from "../../facts/wallet/Delegation.js"
import * as Check from "../Check.js"

/**
 * Whether the wallet runs other code by an EIP-7702 delegation. A delegate that is reported as malicious, that forwards
 * what the wallet receives, or that lets other accounts spend its assets, is critical; one published by a wallet vendor
 * is low; any other is medium, and *unknown* where it was not found who can make the wallet pay by it, or where anybody
 * may become such an account.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7702
 */
export const delegated = Check.make({
  id: "wallet.delegated",
  code: "W-07",
  version: 4,
  targets: ["wallet"],
  claim: "The wallet delegates to a contract's code (EIP-7702)",
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
              detail: "the account has no EIP-7702 delegation"
            }),
          onSome: (delegate) => {
            const name = `delegates to ${delegate.address} (${Option.getOrElse(delegate.label, () => "no known publisher")})`
            if (delegate.kind === "unknown" && !delegate.restricted)
              return Check.unknown(
                "inconclusive",
                `${name}, and it was not found who can make the wallet pay by its code`,
                seen
              )
            return Check.confirmed({
              ...seen,
              value: { delegate: delegate.address, label: Option.getOrNull(delegate.label), kind: delegate.kind },
              severity: severities[delegate.kind],
              at: delegate.address,
              detail: `${name}${words(delegate)}`
            })
          }
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

const words = ({ by, kind, stands, stored, tried }: Delegate): string => {
  if (!stands) return ": no code is deployed there now"
  switch (kind) {
    case "forwards":
      return `: ${tried ? "a simulated payment to the wallet was forwarded at once" : "its code forwards what the wallet receives"}`
    case "open":
      return Option.contains(by, Selectors.functions.isValidSignature)
        ? ": it accepts invalid signatures as signatures of the wallet"
        : `: ${tried ? "in simulation a caller without any role made the wallet pay" : "any caller can make the wallet pay"}`
    case "keyed":
      return `: ${stored ? "another account, named in the wallet's storage," : "a hard-coded account"} can make the wallet pay`
    default:
      return ""
  }
}
