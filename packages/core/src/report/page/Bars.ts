/** @internal */

import { element, type Markup } from "./Markup.js"

/** A row of bars: what it is of, its parts in percent from the left, and the number that is written beside it. */
export interface Row {
  readonly label: Markup | string
  readonly parts: ReadonlyArray<{ readonly percent: number; readonly mark: string }>
  readonly number: string
}

/** Shares of one hundred percent, one a row. The numbers are text; the bars only repeat them. */
export const make = (rows: ReadonlyArray<Row>): Markup =>
  element(
    "dl",
    { class: "bars" },
    rows.map(({ label, number, parts }) => {
      let end = 0
      return element(
        "div",
        {},
        element("dt", {}, label),
        element(
          "dd",
          { "aria-hidden": "true" },
          element(
            "svg",
            { class: "bar" },
            element("rect", { class: "track", width: "100%", height: 10, rx: 2 }),
            parts.map(({ mark, percent }) => {
              const x = end
              end += percent
              return percent <= 0
                ? null
                : element("rect", {
                    class: `fill ${mark}`,
                    x: `${round(x)}%`,
                    width: `${round(percent)}%`,
                    height: 10,
                    rx: 2
                  })
            })
          )
        ),
        element("dd", { class: "number" }, number)
      )
    })
  )

/** The share of a number of basis points: "12.34 %". */
export const percentOf = (bps: number): string => `${bps / 100} %`

const round = (value: number): number => Math.round(value * 100) / 100
