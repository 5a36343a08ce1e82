/** @internal */

import * as Sentence from "../Sentence.js"
import { type Content, element, join, type Markup } from "./Markup.js"

/** How the accounts of a page are shown: short in a text, whole in the list at its end, and linked to the chain's explorer. */
export interface Accounts {
  /** A text with its addresses shortened. */
  readonly text: (text: string) => Markup
  /** One address, shortened. */
  readonly one: (address: string) => Markup
  /** Every address that a text had, whole, in the order of the page. */
  readonly list: Markup | null
}

/**
 * `texts` are those of the page, in its order; `links` give an account's page at an explorer, where the chain has a known
 * one.
 */
export const make = (texts: ReadonlyArray<string>, explorer: string | undefined): Accounts => {
  const all = [...new Set(texts.flatMap((text) => text.match(address) ?? []))]
  const one = (found: string): Markup =>
    element("a", { class: "mono", href: `#${anchor(found)}`, title: found }, Sentence.short(found))
  return {
    one,
    text: (text) => {
      const parts: Array<Content> = []
      let end = 0
      for (const { 0: found, index } of text.matchAll(address)) {
        parts.push(text.slice(end, index), one(found))
        end = index + found.length
      }
      return join(parts, text.slice(end))
    },
    list:
      all.length === 0
        ? null
        : element(
            "dl",
            { class: "accounts" },
            all.map((each) => [
              element("dt", { class: "mono" }, Sentence.short(each)),
              element(
                "dd",
                { class: "mono", id: anchor(each) },
                explorer === undefined
                  ? each
                  : element("a", { href: `${explorer}${each}`, rel: "noopener noreferrer" }, each)
              )
            ])
          )
  }
}

/** The address of an explorer's pages of accounts, by a link that evidence of the chain has; none where it has none. */
export const explorerOf = (links: ReadonlyArray<string>): string | undefined =>
  links
    .map((link) => /^https?:\/\/[^\s"'<>]+\/address\/(?=0x[0-9a-fA-F]{40}$)/.exec(link)?.[0])
    .find((link) => link !== undefined)

const address = /\b0x[0-9a-fA-F]{40}\b/g

const anchor = (found: string): string => `a-${found.toLowerCase()}`
