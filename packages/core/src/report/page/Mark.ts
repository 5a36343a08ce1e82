/** @internal */

import type { Severity } from "../../domain/Evidence.js"
import type { RiskLevel } from "../../domain/Risk.js"
import * as Sentence from "../Sentence.js"
import { type Attributes, element, type Markup } from "./Markup.js"

/** What is marked: a level of risk or a severity, what speaks for the target, and how something changed. */
export type Marked = RiskLevel | Severity | "good" | "added" | "removed" | "changed"

/** A shape of its own for each: who sees no colour, or a copy in black and white, reads the same. */
export const shape = (marked: Marked, attributes: Attributes = {}): Markup =>
  element(
    "svg",
    { class: `mark ${marked}`, viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", ...attributes },
    element("path", { d: shapes[marked], ...(hollow.has(marked) ? { class: "hollow" } : {}) }),
    signs[marked] === undefined ? null : element("path", { d: signs[marked], class: "sign" })
  )

/** The shape with its word. */
export const badge = (marked: Marked, word: string = Sentence.upper(marked)): Markup =>
  element("span", { class: `badge ${marked}` }, shape(marked), word)

const octagon = "M5 1h6l4 4v6l-4 4H5l-4-4V5z"
const triangle = "M8 1.2 15.4 14.5H.6z"
const diamond = "M8 .8 15.2 8 8 15.2.8 8z"
const square = "M2.5 2.5h11v11h-11z"
const circle = "M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13z"

const shapes: { readonly [marked in Marked]: string } = {
  critical: octagon,
  high: triangle,
  medium: diamond,
  low: square,
  info: circle,
  minimal: circle,
  good: circle,
  unknown: circle,
  added: square,
  removed: square,
  changed: diamond
}

const cross = "M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6"
const exclamation = "M8 6v4M8 12v.6"
const check = "M4.8 8.2l2.2 2.2 4.2-4.6"
const question = "M6 6.3a2 2 0 1 1 2.9 1.8C8.3 8.4 8 8.8 8 9.5M8 11.6v.5"

const signs: { readonly [marked in Marked]?: string } = {
  critical: cross,
  high: exclamation,
  medium: "M8 4.8v4M8 10.6v.6",
  low: "M5 8h6",
  info: "M8 7.2v4M8 4.6v.6",
  minimal: check,
  good: check,
  unknown: question,
  added: "M8 5v6M5 8h6",
  removed: "M5 8h6",
  changed: "M5.5 8h5"
}

const hollow: ReadonlySet<Marked> = new Set(["info", "unknown"])
