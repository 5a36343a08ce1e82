/** The words of one evidence item. */
export interface Worded {
  readonly title?: string
  readonly detail: string
  readonly state: string
  readonly reason?: string | null
}

const mostTitle = 80

const mostDetail = 240

const mostAddresses = 2

const addresses = /0x[0-9a-f]{40}(?![0-9a-f])/gi

const shortened = /0x[0-9a-f]+(?:…|\.{2,})/i

const persons = /\b(?:he|him|his|she|her|hers|whoever|whom|somebody|someone|nobody|anybody)\b/i

/** Words that say that something is missing. */
const missing =
  /\b(?:no|not|none|nor|cannot|neither|without|unknown|unreadable|undecided|missing|failed|fails|unsupported|disabled|may|only|fewer|but|could not|too (?:few|little|many|low|long))\b/i

/** Error messages of contracts, which a detail shows in quotes, are not our words. */
const unquoted = (text: string): string => text.replace(/"[^"]*"?/g, "")

/** What is wrong with the words of an evidence item; empty where nothing is. */
export const faultsOf = ({ detail, state, title }: Worded): ReadonlyArray<string> => {
  const words = unquoted(detail)
  const faults: ReadonlyArray<readonly [fault: string, holds: boolean]> = [
    [`a title of ${mostTitle} characters or more`, (title?.length ?? 0) >= mostTitle],
    [`a detail of ${mostDetail} characters or more`, detail.length >= mostDetail],
    [`more than ${mostAddresses} addresses`, (detail.match(addresses)?.length ?? 0) > mostAddresses],
    ["a shortened address", shortened.test(words)],
    ["a pronoun for a person", persons.test(words) || persons.test(title ?? "")],
    ["an unknown item that does not say what is missing", state === "unknown" && !missing.test(words)]
  ]
  return faults.flatMap(([fault, holds]) => (holds ? [fault] : []))
}
