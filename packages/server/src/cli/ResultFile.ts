import * as Analysis from "@assay/core/domain/Analysis"
import * as AnalysisResult from "@assay/core/domain/AnalysisResult"
import type * as Id from "@assay/core/domain/Id"
import * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Either, Option, ParseResult, Schema } from "effect"
import * as InputText from "./InputText.js"
import { Refusal } from "./Refusal.js"
import { Shell } from "./Shell.js"

/** An analysis that was kept: in a file, or in a database under an id. */
export interface Kept {
  readonly analysis: Analysis.Analysis
  readonly executionId: Option.Option<Id.ExecutionId>
}

/**
 * The full results of a file, or of standard input (`-`): what `assay analyze --json --full` wrote, one a line, or what
 * the server answers to `include=recipes`.
 */
export const read = (
  path: string
): Effect.Effect<readonly [Kept, ...Array<Kept>], Refusal, Shell | FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const text =
      path === "-"
        ? yield* Effect.flatMap(Shell, ({ input }) => input)
        : yield* Effect.mapError(
            Effect.flatMap(FileSystem.FileSystem, (files) => Effect.map(files.readFile(path), InputText.decode)),
            () => new Refusal({ detail: `${JSON.stringify(path)} cannot be read; give the file of a full result` })
          )
    const [first, ...others] = yield* Effect.forEach(yield* documentsOf(text, path), (document) =>
      keptOf(document, path)
    )
    return first === undefined ? yield* unlike(path, "it is empty") : [first, ...others]
  })

/** As `read`, for a file with one result. */
export const readOne = (path: string): Effect.Effect<Kept, Refusal, Shell | FileSystem.FileSystem> =>
  Effect.flatMap(read(path), ([first, ...others]) =>
    others.length === 0
      ? Effect.succeed(first)
      : new Refusal({ detail: `${JSON.stringify(path)} has ${others.length + 1} results; give a file with one` })
  )

/** The analysis of a stored execution; none where it has no result. */
export const ofResult = (result: AnalysisResult.AnalysisResult): Option.Option<Kept> => {
  const { address, block, chain, content_hash, status, target } = result
  return block === null || content_hash === null || (status !== "complete" && status !== "partial")
    ? Option.none()
    : Option.some({
        analysis: { ...result, target: { kind: target, address, chain }, status, block, content_hash },
        executionId: Option.some(result.execution_id)
      })
}

// A document may be spread over lines, and lines may be documents.
const documentsOf = (text: string, path: string): Effect.Effect<ReadonlyArray<unknown>, Refusal> => {
  const whole = parse(text)
  if (Either.isRight(whole)) return Effect.succeed([whole.right])
  return Effect.mapError(
    Effect.forEach(
      text.split("\n").filter((line) => line.trim() !== ""),
      (line) => parse(line)
    ),
    () => refusalOf(path, "it is no JSON")
  )
}

const parse = Schema.decodeEither(Schema.parseJson())

const decodeAnalysis = Schema.decodeUnknownEither(Analysis.Analysis)
const decodeResult = Schema.decodeUnknownEither(AnalysisResult.AnalysisResult)

const keptOf = (document: unknown, path: string): Effect.Effect<Kept, Refusal> => {
  if (typeof document !== "object" || document === null || !("target" in document))
    return unlike(path, "no document in it has a target")
  if (typeof document.target === "object")
    return Either.match(decodeAnalysis(document), {
      onLeft: (error) => unlike(path, placeOf(error)),
      onRight: (analysis) => Effect.succeed({ analysis, executionId: Option.none() })
    })
  return Either.match(decodeResult(document), {
    onLeft: (error) => unlike(path, placeOf(error)),
    onRight: (result) =>
      Effect.mapError(
        ofResult(result),
        () => new Refusal({ detail: `${JSON.stringify(path)} has an execution without a result (${result.status})` })
      )
  })
}

const placeOf = (error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  return issue === undefined
    ? "it has another form"
    : `${issue.path.map(String).join("/")}: ${issue.message.split("\n")[0]}`
}

const unlike = (path: string, why: string): Effect.Effect<never, Refusal> => Effect.fail(refusalOf(path, why))

const refusalOf = (path: string, why: string): Refusal =>
  new Refusal({
    detail: `${JSON.stringify(path)} is no full result (${why}); make one with assay analyze --json --full, or get one with include=recipes`
  })
