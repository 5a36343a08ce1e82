import * as Checks from "@assay/core/checks/Checks"
import * as Explanations from "@assay/core/checks/Explanations"
import * as Evidence from "@assay/core/domain/Evidence"
import type * as EvidenceRule from "@assay/core/domain/EvidenceRule"
import * as ObservedEvidence from "@assay/core/domain/ObservedEvidence"
import { Effect, Option } from "effect"
import * as Near from "../Near.js"
import type * as ExitCode from "./ExitCode.js"
import * as Lines from "./Lines.js"
import { Refusal } from "./Refusal.js"
import type * as ResultFile from "./ResultFile.js"
import { Shell } from "./Shell.js"

/** The arguments of `assay explain`: an item of a result, or without one the rule alone. */
export interface Request<E, R> {
  readonly id: string
  readonly result: Option.Option<Effect.Effect<ResultFile.Kept, E, R>>
  readonly json: boolean
}

/** Says what a check claims, what an item of it says and why, and how to make its observation again. */
export const run = <E, R>(request: Request<E, R>) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const checkId = Evidence.checkId(request.id)
    const rule = Option.fromNullable(rules.find(({ id }) => id === checkId))
    const item = yield* Effect.transposeMapOption(request.result, (result) =>
      Effect.flatMap(result, ({ analysis }) =>
        Effect.mapError(
          ObservedEvidence.find(analysis, request.id),
          () =>
            new Refusal({
              detail: `the result has no item ${JSON.stringify(request.id)}; ${nearest(request.id, analysis.evidence)}`
            })
        )
      )
    )
    if (Option.isNone(rule) && Option.isNone(item))
      return yield* new Refusal({
        detail: `there is no check ${JSON.stringify(checkId)}; ${meantBy(checkId)}`
      })
    yield* shell.write(
      request.json
        ? `${JSON.stringify({
            rule: Option.getOrNull(rule),
            explanation: Explanations.all[checkId] ?? null,
            item: Option.getOrNull(item),
            command: Option.getOrNull(Option.flatMap(item, commandOf))
          })}\n`
        : [...Option.toArray(Option.map(rule, ruleText)), ...Option.toArray(Option.map(item, itemText))].join("\n")
    )
    const code: ExitCode.ExitCode = 0
    return code
  })

const rules: ReadonlyArray<EvidenceRule.EvidenceRule> = [...Checks.all, ...Checks.optional].map(Checks.rule)

/** The ids with a word of this one, else the one that is nearest to it. */
const meantBy = (id: string): string => {
  const words = id
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2)
  const ids = rules.map((rule) => rule.id)
  const wordy = ids.filter((each) => words.some((word) => each.includes(word)))
  const best = wordy.filter((each) => words.every((word) => each.includes(word)))
  const ends = new Map(ids.map((each) => [each.split(".")[1] ?? each, each]))
  const near = Option.orElse(Near.nearest(id, ids), () =>
    Option.flatMapNullable(Near.nearest(id, ends.keys()), (end) => ends.get(end))
  )
  const meant = [best, Option.toArray(near), wordy].find((each) => each.length > 0) ?? []
  return meant.length === 0
    ? `its id is in the evidence, such as ${ids[0]}`
    : `did you mean ${meant
        .slice(0, 8)
        .join(", ")
        .replace(/, ([^,]*)$/, " or $1")}?`
}

const ruleText = (rule: EvidenceRule.EvidenceRule): string => {
  const explanation = Explanations.all[rule.id]
  return [
    Lines.wrap(`${rule.id}, version ${rule.version}`),
    Lines.wrap(rule.claim, "  ", "  "),
    Lines.wrap(`Asked of: ${rule.targets.join(", ")}. Part of the risk: ${rule.category}.`, "  ", "  "),
    Lines.wrap(
      `If confirmed it is ${meaning[rule.polarity]}; severity ${rule.severity} at most${rule.power ? ", less where its controller is restrained" : ""}.`,
      "  ",
      "  "
    ),
    ...(rule.volatile
      ? [Lines.wrap("It is a claim of a moment: only changes for the worse are news.", "  ", "  ")]
      : []),
    ...(explanation === undefined
      ? []
      : [
          "\n",
          Lines.wrap(explanation.how, "  ", "  "),
          Lines.wrap(explanation.confirmed, "  Confirmed: ", "    "),
          Lines.wrap(explanation.refuted, "  Refuted:   ", "    "),
          Lines.wrap(explanation.unknown, "  Unknown:   ", "    "),
          Lines.wrap("A read that fails leaves it unknown too, with the reason of the failure.", "  ", "  ")
        ]),
    ...(rule.absent === null ? [] : ["\n", Lines.wrap(`If refuted: ${rule.absent}.`, "  ", "  ")]),
    ...(rule.recommendation === null
      ? []
      : [
          Lines.wrap(
            `What to do if ${rule.polarity === "protective" ? "refuted" : "confirmed"}: ${rule.recommendation}.`,
            "  ",
            "  "
          )
        ])
  ].join("")
}

const meaning: { readonly [P in Evidence.Polarity]: string } = {
  risk: "bad for a holder",
  protective: "good for a holder",
  neutral: "neither good nor bad for a holder"
}

const itemText = (item: ObservedEvidence.ObservedEvidence): string =>
  [
    Lines.wrap(`${item.state}: ${item.title}`),
    Lines.wrap(Lines.visible(item.detail), "  ", "  "),
    ...(item.value === null ? [] : [Lines.wrap(`Value: ${Lines.visible(JSON.stringify(item.value))}`, "  ", "  ")]),
    Lines.wrap(
      item.verified ? "It was read or simulated on the chain." : "It was inferred from the bytecode.",
      "  ",
      "  "
    ),
    Lines.wrap(`See ${Lines.visible(item.source_url)}`, "  ", "  "),
    "\n",
    Option.match(commandOf(item), {
      onNone: () =>
        Lines.wrap(
          item.observation === null
            ? "No single reading decided it, so there is none to make again."
            : "The result does not keep how it was read; get the full one (--full, include=recipes)."
        ),
      // Not broken into lines: it is there to be copied.
      onSome: ({ line, means }) => `Read it again (${means}):\n${line}\n`
    })
  ].join("")

interface Reading {
  readonly line: string
  readonly means: string
}

const commandOf = ({ observation, recipe }: ObservedEvidence.ObservedEvidence): Option.Option<Reading> => {
  if (observation === null || recipe === null) return Option.none()
  const [url] = recipe.params
  if (recipe.method === "GET" && typeof url === "string")
    return Option.some({ line: `curl -s ${quoted(url)}`, means: "the service may say something else today" })
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: recipe.method, params: recipe.params })
  return Option.some({
    line: `curl -s "$RPC_URL" -H 'content-type: application/json' -d ${body.length < longestArgument ? quoted(body) : heredoc(body)}`,
    means: `the SHA-256 of the RFC 8785 JSON of its result is ${observation.answer_hash}`
  })
}

// For a POSIX shell: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02_02
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

// Linux takes 128 KiB in one argument: https://man7.org/linux/man-pages/man2/execve.2.html
const longestArgument = 100_000

// JSON on one line is never the line that ends it.
const heredoc = (text: string): string => `@- <<'EOF'\n${text}\nEOF`

const nearest = (id: string, evidence: ReadonlyArray<Evidence.Evidence>): string => {
  const same = evidence.filter((item) => Evidence.checkId(item.id) === Evidence.checkId(id)).map((item) => item.id)
  return same.length === 0 ? "its evidence lists the ids" : `it has ${same.slice(0, 3).join(", ")}`
}
