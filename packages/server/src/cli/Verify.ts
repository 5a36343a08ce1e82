import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as ContentHash from "@assay/core/domain/ContentHash"
import type * as Verification from "@assay/core/domain/Verification"
import { Effect, Option } from "effect"
import * as Endpoints from "./Endpoints.js"
import * as ExitCode from "./ExitCode.js"
import * as Lines from "./Lines.js"
import * as Progress from "./Progress.js"
import { part, Refusal } from "./Refusal.js"
import * as ResultFile from "./ResultFile.js"
import { Shell } from "./Shell.js"

/** The arguments of `assay verify`. */
export interface Request {
  readonly file: string
  readonly rpc: ReadonlyArray<string>
  readonly json: boolean
}

/**
 * Makes the observations of each result in a file again, at its block, and compares its content with its hash. Ends with 2
 * where something differs, 3 where nothing does but something could not be made again, 0 where all agrees.
 */
export const run = (request: Request) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const kept = yield* ResultFile.read(request.file)
    const codes = yield* Effect.forEach(kept, ({ analysis }) =>
      Effect.gen(function* () {
        const { chain: wanted } = analysis.target
        const endpoints = yield* Effect.mapError(
          Endpoints.find({ rpc: request.rpc, chain: Option.some(String(wanted.id)) }),
          ({ detail }) =>
            new Refusal({ detail: detail.replace(/^unknown chain/, `the result is of chain ${wanted.id}`) })
        )
        const { chain } = endpoints
        const found = yield* Effect.gen(function* () {
          const analyzer = yield* Analyzer.Analyzer
          const { items } = yield* Effect.mapError(
            analyzer.verify({ analysis, chain }),
            (error) =>
              new Refusal({
                detail:
                  error.why === "block_differs"
                    ? `the chain has another block ${analysis.block.number} than the result; it was replaced, or the result is of another chain`
                    : `block ${analysis.block.number} could not be read: ${part(error)}`
              })
          )
          const { rules, version } = yield* analyzer.ruleset
          const volatile = new Set(rules.filter((rule) => rule.volatile).map(({ id }) => id))
          return {
            items,
            // Of another ruleset, it is not known here what enters the hash.
            hash:
              version !== analysis.ruleset_version
                ? "unavailable"
                : ContentHash.contentHash(analysis, volatile) === analysis.content_hash
                  ? "agrees"
                  : "differs"
          } satisfies Found
        }).pipe(Effect.provide(Endpoints.layer(endpoints, Progress.silent)))
        const code = codeOf(found)
        const observed = new Set(found.items.map(({ id }) => id))
        const unobserved = analysis.evidence.flatMap(({ id }) => (observed.has(id) ? [] : [id]))
        const { block, target } = analysis
        yield* shell.write(
          request.json
            ? `${JSON.stringify({ target, block, content_hash: found.hash, items: found.items, unobserved })}\n`
            : [
                Lines.wrap(`${target.address} at block ${block.number} of ${target.chain.name} (${target.chain.id})`),
                ...found.items.flatMap(lineOf),
                hashLine(found.hash),
                summaryOf(found, unobserved.length)
              ].join("")
        )
        return code
      })
    )
    return ExitCode.gravest(codes)
  })

interface Found {
  readonly items: ReadonlyArray<Verification.VerifiedItem>
  readonly hash: "agrees" | "differs" | "unavailable"
}

const codeOf = ({ hash, items }: Found): ExitCode.ExitCode => {
  if (hash === "differs" || items.some(({ outcome }) => outcome === "differs")) return 2
  // Without a single observation nothing was verified.
  return items.length === 0 || items.some(({ outcome }) => outcome === "unavailable") ? 3 : 0
}

const lineOf = ({ id, outcome, reason }: Verification.VerifiedItem): ReadonlyArray<string> => {
  if (outcome === "agrees") return []
  return [
    outcome === "differs"
      ? Lines.wrap(`${id}: the chain gives another answer`, "differs      ", "  ")
      : Lines.wrap(`${id} (${reason})`, "unavailable  ", "  ")
  ]
}

const hashLine = (hash: Found["hash"]): string =>
  hash === "agrees"
    ? ""
    : hash === "differs"
      ? Lines.wrap("content_hash: the file says something else than what was hashed", "differs      ", "  ")
      : Lines.wrap("content_hash: the result was made under another ruleset than that of this command", "", "  ")

const summaryOf = ({ items }: Found, unobserved: number): string => {
  const count = (outcome: Verification.VerifiedItem["outcome"]) =>
    items.filter((item) => item.outcome === outcome).length
  return Lines.wrap(
    `${count("agrees")} of ${items.length} observed items agree with the chain, ${count("differs")} differ, ${count("unavailable")} could not be read again; ${unobserved} items have no observation of their own.`
  )
}
