/** @internal */

import { Option, Schema } from "effect"
import { checkId } from "../../domain/Evidence.js"
import { Pool } from "../../domain/facts/Pool.js"
import * as Findings from "../Findings.js"
import * as Sale from "../Sale.js"
import * as Sentence from "../Sentence.js"
import type { Accounts } from "./Accounts.js"
import * as Bars from "./Bars.js"
import type { Footnotes } from "./Footnotes.js"
import { element, type Markup } from "./Markup.js"

/** What a figure needs to name its evidence and its accounts. */
export interface Shown {
  readonly findings: Findings.Findings
  readonly accounts: Accounts
  readonly footnotes: Footnotes
}

const Holders = Schema.Struct({
  complete: Schema.Boolean,
  holders: Schema.Array(Schema.Struct({ address: Schema.String, kind: Schema.String, share_bps: Schema.Number }))
})

/** The largest holders by their share of the supply. */
export const holders = ({ accounts, findings, footnotes }: Shown): Markup | null => {
  const item = Findings.inState(findings, "holders.top", "confirmed")
  if (item === undefined || !Schema.is(Holders)(item.value) || item.value.holders.length === 0) return null
  const { complete, holders } = item.value
  return figure(
    [
      "Largest holders, by share of the supply",
      complete ? "" : "; not all holders were found",
      footnotes.refs({ evidence_ids: [item.id] })
    ],
    Bars.make(
      holders.map(({ address, kind, share_bps }) => ({
        label: element("span", {}, accounts.one(address), kind === "account" ? "" : ` ${kind.replaceAll("_", " ")}`),
        parts: [{ percent: share_bps / 100, mark: kind === "pool" ? "info" : "low" }],
        number: Bars.percentOf(share_bps)
      }))
    )
  )
}

const Rates = Schema.Struct({
  buy_tax_bps: Schema.NullOr(Schema.Number),
  sell_tax_bps: Schema.NullOr(Schema.Number),
  transfer_tax_bps: Schema.NullOr(Schema.Number)
})

/** What a purchase, a sale and a transfer lose. A rate that was not measured has no bar and says so. */
export const taxes = ({ findings, footnotes }: Shown): Markup | null => {
  const item = Findings.one(findings, "trade.taxed")
  if (item === undefined || item.state === "unknown" || !Schema.is(Rates)(item.value)) return null
  const rates = [
    ["Purchase", item.value.buy_tax_bps],
    ["Sale", item.value.sell_tax_bps],
    ["Transfer", item.value.transfer_tax_bps]
  ] as const
  if (rates.every(([, bps]) => bps === 0)) return null
  return figure(
    ["Tax", footnotes.refs({ evidence_ids: [item.id] })],
    Bars.make(
      rates.map(([label, bps]) => ({
        label,
        parts: bps === null ? [] : [{ percent: bps / 100, mark: "high" }],
        number: bps === null ? "not measured" : Bars.percentOf(bps)
      }))
    )
  )
}

const Pools = Schema.Struct({ pools: Schema.Array(Pool) })
const Burned = Schema.Struct({ burned_bps: Schema.Number })
const Locked = Schema.Struct({ locked_bps: Schema.Number, until: Schema.NullOr(Schema.String) })
const Withdrawable = Schema.Struct({ share_bps: Schema.Number })

const poolsOf = (findings: Findings.Findings): ReadonlyArray<Pool> => {
  const item = Findings.inState(findings, "liquidity.pools", "confirmed")
  return Option.match(Schema.decodeUnknownOption(Pools)(item?.value), {
    onNone: () => [],
    onSome: ({ pools }) => pools
  })
}

/** Of each pool, which part of its liquidity is burned, is locked, and can be withdrawn by insiders or one account. */
export const liquidity = ({ findings, footnotes }: Shown): Markup | null => {
  const ids: Array<string> = []
  const rows = poolsOf(findings).flatMap((pool): ReadonlyArray<Bars.Row> => {
    const value = (check: string): unknown => {
      const item = findings.items.find(({ id, state }) => id === `${check}:${pool.address}` && state !== "unknown")
      if (item !== undefined) ids.push(item.id)
      return item?.value
    }
    const [burned, locked, taken] = [
      value("liquidity.burned"),
      value("liquidity.locked"),
      value("liquidity.held-by-insiders")
    ]
    const parts = [
      ...(Schema.is(Burned)(burned) ? [{ bps: burned.burned_bps, word: "burned", mark: "good" }] : []),
      ...(Schema.is(Locked)(locked) ? [{ bps: locked.locked_bps, word: "locked", mark: "low" }] : []),
      ...(Schema.is(Withdrawable)(taken) ? [{ bps: taken.share_bps, word: "can be withdrawn", mark: "high" }] : [])
    ].filter(({ bps }) => bps > 0)
    // Shares of two readings may overlap: then they are no parts of one bar.
    const isWhole = parts.reduce((sum, { bps }) => sum + bps, 0) <= 10_000
    return parts.length === 0
      ? []
      : [
          {
            label: `${pool.exchange} ${pool.quote_symbol}`,
            parts: isWhole ? parts.map(({ bps, mark }) => ({ percent: bps / 100, mark })) : [],
            number: parts.map(({ bps, word }) => `${Bars.percentOf(bps)} ${word}`).join(", ")
          }
        ]
  })
  return rows.length === 0
    ? null
    : figure(["Liquidity, by who can take it out", footnotes.refs({ evidence_ids: ids })], Bars.make(rows))
}

/** The ids of what the figures rest on, for the footnotes of a page. */
export const cited = (findings: Findings.Findings): ReadonlyArray<string> =>
  findings.items.filter(({ id, state }) => state !== "unknown" && drawn.has(checkId(id))).map(({ id }) => id)

/** The accounts that the figures name. */
export const accountsOf = (findings: Findings.Findings): ReadonlyArray<string> => {
  const value: unknown = Findings.inState(findings, "holders.top", "confirmed")?.value
  return Schema.is(Holders)(value) ? value.holders.map(({ address }) => address) : []
}

const drawn: ReadonlySet<string> = new Set(["holders.top", "trade.taxed", "trade.honeypot", "liquidity.pools"])

const Metadata = Schema.Struct({ decimals: Schema.NonNegativeInt })

/**
 * What a sale pays in the deepest pool of constant product, after its fee and the tax of the token, beside what it would pay
 * at today's price. The points are the largest sales that the report names: both are of one market (`Sale.marketOf`).
 */
export const curve = ({ findings, footnotes }: Shown): Markup | null => {
  const metadata = Findings.inState(findings, "token.metadata-readable", "confirmed")
  const found = Sale.marketOf(findings)
  if (Option.isNone(found) || metadata === undefined || !Schema.is(Metadata)(metadata.value)) return null
  const market = found.value
  const { pool, pools, quote, sellable, taxed, token } = market
  const { decimals } = metadata.value
  // The decimals of other quotes differ from chain to chain.
  if (pool.quote_symbol !== "WETH" || quote === 0n) return null
  const end = token / 5n
  if (end === 0n) return null
  const x = (sold: bigint): number => round(left + part(sold, end) * (width - left - right))
  const y = (paid: bigint): number => round(height - bottom - part(paid, quote) * 4.8 * (height - bottom - top))
  const points = Array.from({ length: steps + 1 }, (_, step) => (end * BigInt(step)) / BigInt(steps))
  const marks = Sale.sizesOf(market)
    .filter(({ amount }) => amount !== "0")
    .map(({ amount, loss_bps, receives }) => ({ sold: BigInt(amount), paid: BigInt(receives), loss: loss_bps / 100 }))
  const tokens = (amount: bigint): string => Sentence.amount(amount, decimals)
  const coins = (amount: bigint): string => `${Sentence.amount(amount, 18)} WETH`
  return figure(
    [
      `What a sale pays in the ${pool.exchange} ${pool.quote_symbol} pool, after ${Sale.takenOf(market)}; dashed: at today's price${marks.length === 0 ? "" : `; points: a loss of ${Sentence.list(marks.map(({ loss }) => String(loss)))} %`}`,
      footnotes.refs({
        evidence_ids: [pools, sellable, metadata, ...(taxed === undefined ? [] : [taxed])].map(({ id }) => id)
      })
    ],
    element(
      "svg",
      {
        class: "curve",
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        role: "img",
        "aria-label":
          marks.length === 0
            ? `${tokens(end)} tokens pay at most ${coins(Sale.paid(market, end))}`
            : marks
                .map(({ loss, paid, sold }) => `${tokens(sold)} tokens pay ${coins(paid)}, a loss of ${loss} %`)
                .join("; ")
      },
      element("path", { class: "axis", d: `M${left} ${height - bottom}H${width - right}` }),
      element("path", { class: "even", d: `M${x(0n)} ${y(0n)}L${x(end)} ${y(quote / 5n)}` }),
      element("polyline", {
        class: "line",
        points: points.map((sold) => `${x(sold)},${y(Sale.paid(market, sold))}`).join(" ")
      }),
      marks.map(({ loss, paid, sold }) => [
        element("circle", { class: "dot", cx: x(sold), cy: y(paid), r: 4 }),
        loss === 1
          ? null
          : element(
              "text",
              { x: x(sold) + 10, y: y(paid) + 16 },
              element("tspan", { class: "number" }, `−${loss} %`),
              ` ${tokens(sold)} for ${coins(paid)}`
            )
      ]),
      element("text", { x: width - right, y: height - 6, "text-anchor": "end" }, `tokens sold, up to ${tokens(end)}`)
    )
  )
}

const steps = 40

/** The share of one amount in another, of which a number has enough digits for a drawing. */
const part = (amount: bigint, of: bigint): number => Number((amount * 1_000_000n) / of) / 1_000_000

// As wide as a telephone, so that its text stays legible there.
const [width, height] = [440, 200]
const [left, right, top, bottom] = [4, 8, 8, 24]

const figure = (caption: Parameters<typeof element>[2], ...content: ReadonlyArray<Markup>): Markup =>
  element("figure", {}, element("figcaption", {}, caption), content)

const round = (value: number): number => Math.round(value * 10) / 10
