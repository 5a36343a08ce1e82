/** @internal */

/** Text that is HTML already. Only this module makes it, so that no other text becomes markup. */
export interface Markup {
  readonly html: string
}

export type Content = Markup | string | number | null | undefined | ReadonlyArray<Content>

export interface Attributes {
  readonly [name: string]: string | number | undefined
}

/** An element of HTML or SVG. Its text and the values of its attributes are escaped, and shown as they are. */
export const element = (name: string, attributes: Attributes = {}, ...content: ReadonlyArray<Content>): Markup => {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escape(String(value))}"`]
  )
  const open = `<${name}${written.join("")}>`
  return { html: isVoid.has(name) ? open : `${open}${htmlOf(content)}</${name}>` }
}

/** Several one after the other. */
export const join = (...content: ReadonlyArray<Content>): Markup => ({ html: htmlOf(content) })

/** A document of a style and a body, which loads nothing and runs nothing. */
export const page = (options: {
  readonly title: string
  readonly style: string
  readonly policy: string
  readonly body: Markup
}): string =>
  [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    element("meta", { "http-equiv": "Content-Security-Policy", content: options.policy }).html,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    element("title", {}, options.title).html,
    // What the policy has the hash of.
    `<style>${options.style}</style>`,
    "</head>",
    `<body>${options.body.html}</body>`,
    "</html>",
    ""
  ].join("\n")

/** Text without what draws nothing or turns the direction: it may come from a contract. */
export const visible = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")

const isVoid: ReadonlySet<string> = new Set(["meta", "br", "hr"])

const htmlOf = (content: Content): string => {
  if (content === null || content === undefined) return ""
  if (typeof content === "string") return escape(content)
  if (typeof content === "number") return String(content)
  return "html" in content ? content.html : content.map(htmlOf).join("")
}

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => visible(text).replace(/[&<>"']/g, (character) => entities[character] ?? "")
