/** @internal */

import { bands, type Risk } from "../../domain/Risk.js"
import * as Sentence from "../Sentence.js"
import { element, type Markup } from "./Markup.js"

/**
 * The score on a scale of the five levels, from 0 to 100: a mark, or the span from the worst to the best that it may be
 * where something is unknown.
 */
export const make = ({ range }: Pick<Risk, "range">): Markup => {
  const { best, worst } = range
  const isSpan = best > worst
  const says = isSpan ? `${worst} to ${best}` : `${worst}`
  const middle = (worst + best) / 2
  return element(
    "svg",
    { class: "scale", role: "img", "aria-label": `Score ${says} on a scale from 0, the worst, to 100, the best` },
    bands.map(({ level, upTo }, place) => {
      const from = bands[place - 1]?.upTo ?? 0
      const isOn = best > (place === 0 ? -1 : from) && worst <= upTo
      const isLast = place === bands.length - 1
      return element(
        "g",
        { class: level },
        element("rect", {
          class: isOn ? "band on" : "band",
          x: `${from + (place === 0 ? 0 : 0.15)}%`,
          width: `${upTo - from - (isLast ? 0 : 0.3)}%`,
          y: 28,
          height: 8
        }),
        element(
          "text",
          {
            class: isOn ? "on-text" : undefined,
            x: `${isLast ? 100 : from}%`,
            y: 54,
            "text-anchor": isLast ? "end" : "start"
          },
          Sentence.upper(level)
        )
      )
    }),
    element("rect", {
      class: isSpan ? "span open" : "span",
      x: `${isSpan ? worst : Math.min(Math.max(worst - 0.4, 0), 99.2)}%`,
      width: `${isSpan ? best - worst : 0.8}%`,
      y: 23,
      height: 18,
      rx: 2
    }),
    element(
      "text",
      {
        class: "value",
        x: `${middle < 8 ? 0 : middle > 92 ? 100 : middle}%`,
        y: 15,
        "text-anchor": middle < 8 ? "start" : middle > 92 ? "end" : "middle"
      },
      says
    )
  )
}
