/** @internal */

import { Option, Schema } from "effect"
import { Address } from "../domain/Address.js"
import type { Evidence } from "../domain/Evidence.js"
import { HolderKind } from "../domain/facts/HolderKind.js"
import type { ReportHolder, ReportSentence } from "../domain/RiskReport.js"
import * as Findings from "./Findings.js"
import * as Sentence from "./Sentence.js"

/** The largest holders that were found, and which of them are insiders. */
export const rows = (findings: Findings.Findings): ReadonlyArray<ReportHolder> => {
  const insiders = insidersOf(findings)
  return top(findings).map(({ address, kind, share_bps }) => ({
    address,
    kind,
    share_bps,
    insider: Option.getOrNull(Option.map(insiders, (known) => known.has(address)))
  }))
}

/** Who holds the token, in one sentence: how much is in few accounts, with insiders, and with those they sent to. */
export const sentence = (findings: Findings.Findings): ReportSentence | null => {
  const largest = Findings.inState(findings, "holders.top", "confirmed")
  const concentrated = decided(findings, "holders.concentrated")
  const insiders = decided(findings, "holders.insiders")
  const holders = top(findings)
  const [first] = holders
  const parts = [
    ...(concentrated === undefined
      ? []
      : [`${concentrated.state === "confirmed" ? "concentrated: " : ""}${gist(concentrated)}`]),
    ...(insiders === undefined
      ? []
      : [
          insiders.state === "confirmed"
            ? insiders.detail
            : insiders.detail.replace(/^insiders hold /, "insiders hold only ")
        ]),
    ...(first === undefined ? [] : [largestOf(first, holders.length)]),
    ...(largest !== undefined && Schema.is(Top)(largest.value) && !largest.value.complete
      ? ["of a sample of holders, so another one may have more"]
      : [])
  ]
  return parts.length === 0
    ? null
    : Sentence.of(
        parts.join("; "),
        [first === undefined ? undefined : largest, concentrated, insiders].flatMap((item) => item ?? [])
      )
}

/** What an item of shares says first: one account that has as much as ten is said once. */
export const gist = ({ detail }: Pick<Evidence, "detail">): string =>
  Sentence.gist(detail).replace(
    /(\S+ %) of the circulating supply in one account, \1 in ten$/,
    "$1 of the circulating supply in one account"
  )

/** That ten accounts hold half of the supply or more, which is no risk by itself and which a buyer has to know; none elsewhere. */
export const few = (findings: Findings.Findings): Option.Option<{ readonly text: string; readonly item: Evidence }> =>
  Option.fromNullable(decided(findings, "holders.concentrated")).pipe(
    Option.bindTo("item"),
    Option.bind("shares", ({ item }) => Schema.decodeUnknownOption(Shares)(item.value)),
    Option.filter(({ shares: { top_10_bps } }) => top_10_bps >= half),
    Option.map(({ item, shares: { complete, top_10_bps } }) => ({
      item,
      text: `ten accounts hold ${complete ? "" : "at least "}${percent(top_10_bps)} of the circulating supply`
    }))
  )

const Shares = Schema.Struct({ top_10_bps: Schema.NonNegativeInt, complete: Schema.Boolean })

const half = 5_000

const largestOf = ({ kind, share_bps }: Pick<ReportHolder, "kind" | "share_bps">, count: number): string =>
  count === 1
    ? `the only holder that was found is ${names[kind]}`
    : `the largest holder that was found is ${names[kind]} with ${percent(share_bps)} of the supply`

const Top = Schema.Struct({
  complete: Schema.Boolean,
  holders: Schema.Array(Schema.Struct({ address: Address, kind: HolderKind, share_bps: Schema.NonNegativeInt }))
})

const Insiders = Schema.Struct({ holders: Schema.Array(Schema.Struct({ address: Address })) })

const top = (findings: Findings.Findings): (typeof Top.Type)["holders"] => {
  const item = Findings.inState(findings, "holders.top", "confirmed")
  return item !== undefined && Schema.is(Top)(item.value) ? item.value.holders : []
}

const decided = (findings: Findings.Findings, check: string): Evidence | undefined => {
  const item = Findings.one(findings, check)
  return item === undefined || item.state === "unknown" ? undefined : item
}

const insidersOf = (findings: Findings.Findings): Option.Option<ReadonlySet<Address>> =>
  Option.flatMap(Option.fromNullable(decided(findings, "holders.insiders")), ({ value }) =>
    Option.map(
      Schema.decodeUnknownOption(Insiders)(value),
      ({ holders }) => new Set(holders.map(({ address }) => address))
    )
  )

const percent = (bps: number): string => `${bps / 100} %`

const names: { readonly [kind in HolderKind]: string } = {
  burn: "a burn address",
  pool: "a pool",
  locker: "a locker",
  vault: "the vault of an exchange",
  self: "the token itself",
  controller: "an account that the token names as its owner or admin",
  contract: "a contract",
  account: "an account without code",
  unknown: "an account"
}
