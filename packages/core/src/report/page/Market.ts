/** @internal */

import { Option, Schema } from "effect"
import { checkId } from "../../domain/Evidence.js"
import { Pool } from "../../domain/facts/Pool.js"
import type { RiskReport } from "../../domain/RiskReport.js"
import * as Findings from "../Findings.js"
import * as Sale from "../Sale.js"
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

const drawn: ReadonlySet<string> = new Set(["holders.top", "trade.taxed", "liquidity.pools"])

const Metadata = Schema.Struct({ decimals: Schema.NonNegativeInt })

/**
 * What a sale pays in the deepest pool of constant product, from nothing to where its price has halved, beside what it
 * would pay at today's price. Drawn where the report says how much can be sold.
 */
export const curve = ({ findings, footnotes }: Shown, { exit }: RiskReport): Markup | null => {
  const metadata = Findings.inState(findings, "token.metadata-readable", "confirmed")
  const pools = Findings.inState(findings, "liquidity.pools", "confirmed")
  const deepest = Sale.deepestOf(Sale.byQuote(poolsOf(findings)))
  if (exit === null || exit.depth === null || deepest === undefined || pools === undefined) return null
  if (metadata === undefined || !Schema.is(Metadata)(metadata.value) || deepest.quote_symbol !== "WETH") return null
  const tokens = Number(deepest.reserve_token) / 10 ** metadata.value.decimals
  const quote = Number(deepest.reserve_quote) / 1e18
  // Where the price is the part p of today's, x · y = k: the reserve of the token has grown by 1/√p. Its swap fee is left out.
  const at = (part: number) => ({ sold: tokens * (1 / Math.sqrt(part) - 1), paid: quote * (1 - Math.sqrt(part)) })
  const end = at(0.5)
  const x = (sold: number): number => round(left + (sold / end.sold) * (width - left - right))
  const y = (paid: number): number => round(height - bottom - (paid / (end.paid * 1.45)) * (height - bottom - top))
  const points = Array.from({ length: 41 }, (_, step) => at(1 - step * 0.0125)).map(
    ({ paid, sold }) => `${x(sold)},${y(paid)}`
  )
  const marks = [0.95, 0.9, 0.75].map((part) => ({ ...at(part), loss: Math.round((1 - part) * 100) }))
  return figure(
    [
      `What a sale pays in the ${deepest.exchange} ${deepest.quote_symbol} pool, before taxes and fees; dashed: at today's price`,
      footnotes.refs({ evidence_ids: [pools.id, metadata.id] })
    ],
    element(
      "svg",
      {
        class: "curve",
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        role: "img",
        "aria-label": marks
          .map(
            ({ loss, paid, sold }) => `${amount(sold)} tokens pay ${amount(paid)} WETH and lower the price by ${loss} %`
          )
          .join("; ")
      },
      element("path", { class: "axis", d: `M${left} ${height - bottom}H${width - right}` }),
      element("path", { class: "even", d: `M${x(0)} ${y(0)}L${x(end.sold)} ${y((quote / tokens) * end.sold)}` }),
      element("polyline", { class: "line", points: points.join(" ") }),
      marks.map(({ loss, paid, sold }) => [
        element("circle", { class: "dot", cx: x(sold), cy: y(paid), r: 4 }),
        element(
          "text",
          { x: x(sold) + 10, y: y(paid) + 16 },
          element("tspan", { class: "number" }, `−${loss} %`),
          loss === 5 ? null : ` ${amount(sold)} for ${amount(paid)} WETH`
        )
      ]),
      element(
        "text",
        { x: width - right, y: height - 6, "text-anchor": "end" },
        `tokens sold, up to ${amount(end.sold)}`
      )
    )
  )
}

// As wide as a telephone, so that its text stays legible there.
const [width, height] = [440, 200]
const [left, right, top, bottom] = [4, 8, 8, 24]

const figure = (caption: Parameters<typeof element>[2], ...content: ReadonlyArray<Markup>): Markup =>
  element("figure", {}, element("figcaption", {}, caption), content)

/** Three digits, cut and not rounded: nothing is promised that the pool does not pay. */
const amount = (value: number): string => {
  if (value === 0) return "0"
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2)
  return Number((Math.floor(value / unit) * unit).toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 12 })
}

const round = (value: number): number => Math.round(value * 10) / 10
