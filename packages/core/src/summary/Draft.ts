/** @internal */

import { Either, Schema } from "effect"
import type { Evidence } from "../domain/Evidence.js"
import * as Briefing from "./Briefing.js"

/**
 * What a model has to answer: the level and the score of its input, and sentences that each name the items which they
 * rest on, with their states.
 */
export const Draft = Schema.Struct({
  level: Schema.Literal("minimal", "low", "medium", "high", "critical", "unknown"),
  score: Schema.NullOr(Schema.Number),
  sentences: Schema.Array(
    Schema.Struct({
      text: Schema.String,
      evidence: Schema.Array(
        Schema.Struct({ id: Schema.String, state: Schema.Literal("confirmed", "refuted", "unknown") })
      )
    })
  )
})

export interface Draft extends Schema.Schema.Type<typeof Draft> {}

type Sentence = Draft["sentences"][number]

/**
 * Why a text is not shown.
 *
 * - `shape`: no sentence, too many or too long ones, or characters that no sentence needs.
 * - `evidence`: a sentence cites no item, or one that does not exist.
 * - `state`: it misstates the state of an item, or says the opposite.
 * - `risk`: it names another score or level.
 * - `reassurance`: it calls something safe, or gives advice.
 * - `link`, `address`, `number`: it has one that is not in its input.
 */
export type Refusal = "shape" | "evidence" | "state" | "risk" | "reassurance" | "link" | "address" | "number"

/**
 * The text of a draft, each sentence followed by the ids that it rests on, or why it is refused. One sentence that cannot
 * be borne out refuses the whole: what is left out of a text is part of what it says.
 */
export const examine = (draft: Draft, briefing: Briefing.Briefing): Either.Either<string, Refusal> => {
  if (briefing.risk === null || draft.level !== briefing.risk.level || draft.score !== briefing.risk.score)
    return Either.left("risk")
  if (draft.sentences.length === 0 || draft.sentences.length > mostSentences) return Either.left("shape")
  for (const sentence of draft.sentences) {
    const refusal = fault(sentence, briefing)
    if (refusal !== undefined) return Either.left(refusal)
  }
  return Either.right(draft.sentences.map(show).join(" "))
}

const mostSentences = 8
const mostCharacters = 320
const mostCited = 6

const show = ({ evidence, text }: Sentence): string =>
  `${text.trim()} [${[...new Set(evidence.map(({ id }) => id))].join(", ")}]`

const fault = (sentence: Sentence, briefing: Briefing.Briefing): Refusal | undefined => {
  const text = sentence.text.trim()
  if (text === "" || text.length > mostCharacters || /[\p{C}<>`[\]{}|\\*#_~^]/u.test(text)) return "shape"
  if (sentence.evidence.length === 0 || sentence.evidence.length > mostCited) return "evidence"
  const cited: Array<Evidence> = []
  for (const { id, state } of sentence.evidence) {
    const item = briefing.evidence.get(id)
    if (item === undefined) return "evidence"
    if (item.state !== state) return "state"
    cited.push(item)
  }
  const words = withoutKnown(text, briefing)
  if (words === undefined) return "address"
  if (!saysAsMuch(words, cited)) return "state"
  if (link.test(words)) return "link"
  if (Briefing.numeralsIn(words).some((numeral) => !briefing.numerals.has(numeral))) return "number"
  if (reassurance.test(hasSafe(briefing) ? words.replace(safeAccount, " ") : words)) return "reassurance"
  const levels = [...words.matchAll(riskLevel)].map((match) => (match[1] ?? match[2] ?? "").toLowerCase())
  return levels.some((level) => level !== briefing.risk?.level) ? "risk" : undefined
}

const negation =
  /\b(?:no|not|never|none|nobody|nothing|neither|nor|cannot|without|unable|lacks?|absent|refuted|ruled out|fails?)\b|n['’]t\b/i

const uncertainty =
  /\b(?:unknown|undecided|unclear|uncertain|undetermined|unresolved|whether|may|might|could not be|cannot be (?:told|decided|determined|excluded|ruled out)|not (?:be )?(?:known|decided|determined|told|ruled out|excluded))\b/i

/**
 * Whether a sentence matches the states of its items, as far as its words show: a sentence about refuted items has to
 * negate, one about confirmed items must not, one about unknown items has to express doubt. Negative claims can be
 * worded either way.
 */
const saysAsMuch = (text: string, cited: ReadonlyArray<Evidence>): boolean => {
  const states = new Set(cited.map(({ state }) => state))
  if (states.size > 1) return false
  if (states.has("unknown")) return uncertainty.test(text)
  if (cited.some(({ title }) => negation.test(title))) return true
  return states.has("refuted") === negation.test(text)
}

// A name that others chose is not held against the sentence that quotes it, unless it would itself be refused.
const withoutKnown = (text: string, briefing: Briefing.Briefing): string | undefined => {
  let words = text
  for (const name of briefing.quotable)
    if (!reassurance.test(name) && !link.test(name))
      words = words.replaceAll(`"${name}"`, " ").replaceAll(`“${name}”`, " ")
  for (const id of briefing.evidence.keys()) words = words.replaceAll(id, " ")
  words = words.replace(Briefing.addressPattern, (address) =>
    briefing.addresses.has(address.toLowerCase()) ? " " : address
  )
  return /0x[0-9a-fA-F]/.test(words) ? undefined : words
}

// With or without a scheme: programs turn words with a dot between letters into links.
const link = /:\/\/|\bwww\b|@[\p{L}\p{N}]|[\p{L}\p{N}-]\.[\p{L}]{2,}/iu

const reassurance =
  /\b(?:safe|safer|safest|safely|safety|secure|secured|securely|security|trust|trusted|trustworthy|legit|legitimate|harmless|reliable|reputable|risk[- ]free|no risks?|without risk|guaranteed?|guarantees|recommend(?:ed|s)?|advise[ds]?|should (?:buy|sell|hold|invest)|worth buying|good investment)\b/i

const hasSafe = (briefing: Briefing.Briefing): boolean =>
  [...briefing.evidence.values()].some(({ controller, id }) => controller?.kind === "safe" || id.startsWith("safe."))

// The product of that name, in the only ways that cannot be read as an adjective.
const safeAccount =
  /\b(?:a|the|this|that|another|of-\d+) Safe\b(?= (?:account|multisig|wallet|contract|proxy|with|of|whose|singleton)\b|[.,;])/g

const riskLevel =
  /\b(minimal|low|medium|moderate|high|critical|severe)[- ]risk\b|\brisk(?: level)?(?: is| of|:)? (minimal|low|medium|moderate|high|critical|severe)\b/gi
