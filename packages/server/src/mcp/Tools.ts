import type * as AnalysisResult from "@assay/core/domain/AnalysisResult"
import * as ChangeReport from "@assay/core/domain/ChangeReport"
import * as DecisionPolicy from "@assay/core/domain/DecisionPolicy"
import * as RiskReport from "@assay/core/domain/RiskReport"
import * as ReportText from "@assay/core/report/ReportText"
import { Either, Schema } from "effect"
import * as Parameters from "../api/Parameters.js"
import { refusing } from "../api/Violation.js"
import { interval } from "../api/WatchesGroup.js"
import type { ApiRequest, ApiResponse } from "./ApiExchange.js"
import * as Resources from "./Resources.js"
import * as Tool from "./Tool.js"
import * as Untrusted from "./Untrusted.js"

const address = Parameters.AddressText.annotations({
  jsonSchema: { type: "string", description: "0x and 40 hex digits" }
})
const chain = Schema.optional(Schema.String.annotations({ description: "Chain id or name" }))
const id = (example: string, description: string) =>
  Schema.String.pipe(
    Schema.pattern(/^[\w-]{1,64}$/, refusing("not_allowed", `Expected an id such as ${example}.`))
  ).annotations({ jsonSchema: { type: "string", description } })
const executionId = id("exe_…", "Such as exe_…")
const watchId = id("wat_…", "Such as wat_…")
const kinds = Schema.Literal("token", "wallet", "contract")
const integer = (minimum: number, maximum: number, description: string) =>
  Schema.optional(
    Schema.Int.pipe(
      Schema.between(minimum, maximum, {
        ...refusing("not_allowed", `Expected ${minimum} to ${maximum}.`),
        jsonSchema: { type: "integer", minimum, maximum, description }
      })
    )
  )
const limit = integer(1, 100, "Default 20")
const label = Schema.String.pipe(Schema.maxLength(100, refusing("too_long", "Maximum is 100 characters.", 100)))

// About 50,000 tokens at four bytes each; the largest results of mainnet tokens are below it.
const mostOfResult = 200_000

// A simulation is called with tens of kilobytes; what is said of it is about one.
const mostOfRecipe = 3_000
const mostOfExplanation = 8_000

const levelFrom = (outcome: string) =>
  Schema.optional(DecisionPolicy.DecidedLevel.annotations({ description: `${outcome} from this level` }))

const policy = { block_from: levelFrom("block"), review_from: levelFrom("review") }

const AnalysisInput = Schema.Struct({
  address,
  chain,
  detail: Schema.optional(
    Schema.Literal("report", "full").annotations({
      description: "full: all evidence as JSON"
    })
  ),
  ...policy
})

const reportSchema = Tool.shallow(Schema.Struct({ execution_id: Schema.String, ...RiskReport.RiskReport.fields }), 1)

const analyze = (kind: typeof kinds.Type, description: string): Tool.Tool =>
  Tool.make({
    name: `analyze_${kind}`,
    title: `Analyse a ${kind}`,
    description,
    input: AnalysisInput,
    output: reportSchema,
    effect: "spends",
    call: ({ address, block_from, chain, detail, review_from }) => ({
      first: {
        method: "GET",
        path: `/${kind}/${address}`,
        query: { chain, view: "report", summary: "false", block_from, review_from }
      },
      running: { method: "GET", path: "/executions", query: { target: kind, address, chain, limit: "1" } },
      follow: (first) => (detail === "full" ? resultsOf(first) : []),
      answer: ([first, full]) => {
        const said = reportAnswer(first)
        return full === undefined || said.failed === true
          ? said
          : { ...said, texts: [...said.texts, `${Untrusted.notice}\n${Untrusted.json(full.body, mostOfResult)}`] }
      }
    })
  })

const executionOf = (response: ApiResponse | undefined): string | null =>
  /\/executions\/([^/?]+)/.exec(response?.location ?? "")?.[1] ?? null

const resultsOf = (first: ApiResponse): ReadonlyArray<ApiRequest> => {
  const execution = executionOf(first)
  return execution === null ? [] : [{ method: "GET", path: `/executions/${execution}` }]
}

const decodeReport = Schema.decodeUnknownEither(RiskReport.RiskReport)

const reportAnswer = (response: ApiResponse | undefined, known?: string): Tool.Answer => {
  if (response === undefined || response.status >= 300) return problem(response)
  return Either.match(decodeReport(response.body), {
    onLeft: () => failed("the server answered with something that is no report"),
    onRight: (report) => {
      const execution = known ?? executionOf(response) ?? ""
      return {
        texts: [`${Untrusted.notice}\n\n${ReportText.plain(report).trimEnd()}\n\nexecution: ${execution}`],
        data: { execution_id: execution, ...(response.body as object) }
      }
    }
  })
}

const failed = (detail: string): Tool.Answer => ({ texts: [detail], failed: true })

/** A problem of the API as it is: its code says what to do. */
const problem = (response: ApiResponse | undefined): Tool.Answer =>
  failed(response === undefined ? "the server did not answer" : Untrusted.json(response.body, Untrusted.mostOfProblem))

/** The JSON of a response, and an answer of words where there is none. */
const jsonAnswer =
  (done: string) =>
  ([response]: ReadonlyArray<ApiResponse>): Tool.Answer =>
    response === undefined || response.status >= 300
      ? problem(response)
      : {
          texts: [response.body === null ? done : `${Untrusted.notice}\n${Untrusted.json(response.body, mostOfResult)}`]
        }

/** A tool that is one request, and answers with its JSON. */
const plain = <Fields extends Schema.Struct.Fields>(
  options: Pick<Tool.Tool, "name" | "title" | "description" | "effect"> & {
    readonly input: Schema.Struct<Fields> & Schema.Schema.AnyNoContext
    readonly request: (input: Schema.Struct.Type<Fields>) => ApiRequest
    readonly done?: string
  }
): Tool.Tool =>
  Tool.make({
    ...options,
    call: (input) => ({ first: options.request(input), answer: jsonAnswer(options.done ?? "done") })
  })

/** What a tool says of cost and storage. */
interface Terms {
  readonly analysis: string
  readonly check: string
  readonly executions: string
  readonly events: string
  readonly usage: { readonly title: string; readonly description: string }
}

const toolsOf = (terms: Terms): ReadonlyArray<Tool.Tool> => [
  analyze(
    "token",
    `Reads what a token's code and owner can do, simulates buying and selling, scores risk. ${terms.analysis}`
  ),
  analyze("wallet", `Reads what a wallet has approved, who could take its funds, scores risk. ${terms.analysis}`),
  analyze(
    "contract",
    `Reads who controls a contract, whether its code can be replaced, scores risk. ${terms.analysis}`
  ),
  Tool.make({
    name: "get_execution",
    title: "Read an earlier analysis",
    description: `Reads a stored analysis as a report, or in full. ${terms.executions}`,
    input: Schema.Struct({ execution_id: executionId, detail: AnalysisInput.fields.detail, ...policy }),
    effect: "reads",
    call: ({ block_from, detail, execution_id, review_from }) => ({
      first: {
        method: "GET",
        path: `/executions/${execution_id}`,
        query: detail === "full" ? {} : { view: "report", block_from, review_from }
      },
      answer: ([response]) => {
        const isReport = response !== undefined && Either.isRight(decodeReport(response.body))
        const { data: _, ...said } = isReport
          ? reportAnswer(response, execution_id)
          : jsonAnswer("")(response === undefined ? [] : [response])
        return said
      }
    })
  }),
  Tool.make({
    name: "compare_executions",
    title: "Compare two analyses",
    description: "Says what changed between an analysis and an earlier one of the same target. Free.",
    input: Schema.Struct({
      execution_id: executionId,
      base: Schema.optional(id("exe_…", "The earlier one; without it the one before"))
    }),
    output: Tool.shallow(ChangeReport.ChangeReport, 1),
    effect: "reads",
    call: ({ base, execution_id }) => ({
      first: { method: "GET", path: `/executions/${execution_id}/changes`, query: { base } },
      answer: ([response]) => {
        if (response === undefined || response.status >= 300) return problem(response)
        const data = response.body as { readonly text?: unknown }
        return {
          texts: [`${Untrusted.notice}\n\n${typeof data.text === "string" ? data.text : Untrusted.json(data, 20_000)}`],
          data: data as Record<string, unknown>
        }
      }
    })
  }),
  Tool.make({
    name: "explain_evidence",
    title: "Explain one finding",
    description:
      "Says why one finding of an analysis is so, by which rule, and the JSON-RPC call that checks it. Free.",
    input: Schema.Struct({
      execution_id: executionId,
      evidence_id: Schema.String.pipe(
        Schema.maxLength(300, refusing("too_long", "Maximum is 300 characters.", 300))
      ).annotations({ jsonSchema: { type: "string", description: "Such as token.mintable; reports name them" } })
    }),
    effect: "reads",
    call: ({ evidence_id, execution_id }) => ({
      first: { method: "GET", path: `/executions/${execution_id}/evidence/${encodeURIComponent(evidence_id)}` },
      follow: () => [{ method: "GET", path: "/evidence-rules" }],
      answer: ([item, rules]) => {
        if (item === undefined || item.status >= 300) return problem(item)
        const rule = ruleOf(rules?.body, evidence_id)
        const { recipe, ...rest } = item.body as { readonly recipe?: unknown }
        const short = Untrusted.bounded(recipe, mostOfRecipe)
        const whole = Resources.evidence(execution_id, evidence_id)
        return {
          texts: [
            `${Untrusted.notice}\n${Untrusted.json({ rule, item: { ...rest, recipe: short } }, mostOfExplanation)}`,
            ...(short === recipe ? [] : [`The recipe is shortened; the resource ${whole} has all of it.`])
          ]
        }
      }
    })
  }),
  plain({
    name: "create_watch",
    title: "Watch a target",
    description: `Repeats an analysis on an interval, at least 900 s, and keeps what changes. ${terms.check}`,
    input: Schema.Struct({
      target: kinds,
      address,
      chain,
      label: Schema.optional(label),
      interval_seconds: integer(interval.minimum, interval.maximum, `Default ${interval.default}`)
    }),
    effect: "writes",
    request: (body) => ({ method: "POST", path: "/watches", body })
  }),
  plain({
    name: "list_watches",
    title: "List watches",
    description: "Lists the watches of this key, newest first. Free.",
    input: Schema.Struct({ limit, cursor: Schema.optional(Schema.String) }),
    effect: "reads",
    request: ({ cursor, limit }) => ({ method: "GET", path: "/watches", query: { cursor, limit: limit?.toString() } })
  }),
  Tool.make({
    name: "get_watch",
    title: "Read a watch",
    description:
      "Reads a watch: its state, its schedule, its newest score, and its last checks that found changes. Free.",
    input: Schema.Struct({ watch_id: watchId }),
    effect: "reads",
    call: ({ watch_id }) => ({
      first: { method: "GET", path: `/watches/${watch_id}` },
      follow: () => [{ method: "GET", path: `/watches/${watch_id}/changes`, query: { limit: "5" } }],
      answer: ([watch, changes]) =>
        watch === undefined || watch.status >= 300
          ? problem(watch)
          : {
              texts: [
                `${Untrusted.notice}\n${Untrusted.json({ watch: withoutEvidence(watch.body), changes: changes?.body }, mostOfResult)}`
              ]
            }
    })
  }),
  ...(["pause", "resume"] as const).map((verb) =>
    plain({
      name: `${verb}_watch`,
      title: verb === "pause" ? "Pause a watch" : "Resume a watch",
      description:
        verb === "pause"
          ? "Stops the checks of a watch; it stays. Free."
          : `Starts the checks of a watch again. Free. ${terms.check}`,
      input: Schema.Struct({ watch_id: watchId }),
      effect: "writes",
      request: ({ watch_id }) => ({ method: "POST", path: `/watches/${watch_id}/${verb}` })
    })
  ),
  plain({
    name: "delete_watch",
    title: "Delete a watch",
    description: "Ends a watch for good; its analyses stay. Free.",
    input: Schema.Struct({ watch_id: watchId }),
    effect: "deletes",
    request: ({ watch_id }) => ({ method: "DELETE", path: `/watches/${watch_id}` }),
    done: "the watch is deleted"
  }),
  plain({
    name: "list_events",
    title: "List changes",
    description: `Lists what watches found, oldest first, after a cursor. ${terms.events}`,
    input: Schema.Struct({ after: Schema.optional(Schema.String), limit }),
    effect: "reads",
    request: ({ after, limit }) => ({ method: "GET", path: "/events", query: { after, limit: limit?.toString() } })
  }),
  plain({
    name: "get_usage",
    ...terms.usage,
    input: Schema.Struct({}),
    effect: "reads",
    request: () => ({ method: "GET", path: "/usage" })
  })
]

/**
 * Makes a key of the server: offered only where the caller runs the program itself, since the secret is in the answer.
 */
const createKey = plain({
  name: "create_key",
  title: "Create an API key",
  description: "Makes an API key. The secret is shown once: keep it, and show it to nobody.",
  input: Schema.Struct({ label }),
  effect: "writes",
  request: (body) => ({ method: "POST", path: "/keys", body })
})

/** What is offered to an agent, with the instructions for all of it. */
export interface Offer {
  readonly instructions: string
  readonly tools: ReadonlyArray<Tool.Tool>
}

const instructions = (cost: string): string =>
  `Evidence about EVM tokens, wallets and contracts. Each sentence of a report names its evidence; unknown means unsafe until settled, never fine. ${cost}: read get_execution before analysing again.`

/** The tools of a server, each a few requests of its HTTP API. */
export const ofServer: Offer = {
  instructions: instructions("Analyses cost a unit"),
  tools: toolsOf({
    analysis: "1 unit; up to 60 s.",
    check: "1 unit a check.",
    executions: "Free; kept 90 days.",
    events: "Free; kept 30 days.",
    usage: {
      title: "Read the quota",
      description: "Says how many units of today are used, reserved and left. Free."
    }
  })
}

/** The same for a program that calls a server for its user, who may make keys of it. */
export const throughServer: Offer = { ...ofServer, tools: [...ofServer.tools, createKey] }

/**
 * The same for a program that is the server itself: there is nobody else to make a key for, an analysis costs the reads of
 * the user's own endpoint, and everything ends with the program.
 */
export const ofSession: Offer = {
  instructions: instructions("Analyses take up to a minute"),
  tools: toolsOf({
    analysis: "Reads the endpoint for up to 60 s.",
    check: "Ends with this session.",
    executions: "Free; kept for this session.",
    events: "Free; kept for this session.",
    usage: {
      title: "Count the analyses",
      description: "Says how many analyses this session made (used) and runs (reserved). Free."
    }
  })
}

/** The result of a watch has all its evidence; its execution and its score are enough where it can be read by its id. */
const withoutEvidence = (watch: unknown): unknown => {
  const { last_result: result, ...rest } = watch as { readonly last_result?: AnalysisResult.AnalysisResult | null }
  return {
    ...rest,
    last_result: result
      ? { execution_id: result.execution_id, completed_at: result.completed_at, risk: result.facts.risk }
      : null
  }
}

const ruleOf = (page: unknown, evidenceId: string): unknown => {
  const [check = ""] = evidenceId.split(":")
  const items = typeof page === "object" && page !== null && "data" in page && Array.isArray(page.data) ? page.data : []
  return items.find((rule: { readonly id?: unknown }) => rule.id === check) ?? null
}
