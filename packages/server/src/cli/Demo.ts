import * as Address from "@assay/core/domain/Address"
import type * as RiskReport from "@assay/core/domain/RiskReport"
import type * as Target from "@assay/core/domain/Target"
import * as Report from "@assay/core/report/Report"
import { Effect, Option } from "effect"
import * as Endpoints from "./Endpoints.js"
import type * as ExitCode from "./ExitCode.js"
import * as Lines from "./Lines.js"
import * as Progress from "./Progress.js"
import { Refusal } from "./Refusal.js"
import { Shell, untilInterrupted } from "./Shell.js"
import * as Targets from "./Targets.js"

/** The arguments of `assay demo`; port 0 is a free one. */
export interface Request {
  readonly port: number
  readonly json: boolean
  readonly analyze: boolean
}

/** What `@assay/demo` starts. The package is installed by whoever wants it, so nothing here knows it when it is built. */
interface Demo {
  readonly url: string
  readonly targets: ReadonlyArray<DemoTarget>
  readonly stop: () => Promise<void>
  readonly ended: Promise<void>
}

interface DemoTarget {
  readonly name: string
  readonly kind: Target.TargetKind
  readonly address: string
  readonly description: string
}

interface Package {
  readonly Demo: { readonly start: (options: { readonly port: number }) => Promise<Demo> }
}

/**
 * Starts the demo chain and writes ten of its targets, each with its verdict and the command that gives its report. The
 * chain runs until the command is interrupted; with `json` it ends after the last target.
 */
export const run = (request: Request) =>
  Effect.scoped(
    Effect.gen(function* () {
      const shell = yield* Shell
      const demo = yield* Effect.acquireRelease(start(request.port), ({ stop }) => Effect.promise(stop))
      if (!request.json)
        yield* shell.write(`The demo chain runs at ${demo.url}. All that is on it is local, and ends with it.\n`)
      yield* request.analyze ? analyzeAll(demo, request) : Effect.forEach(demo.targets, listOne(demo, request))
      const code: ExitCode.ExitCode = 0
      if (request.json) return code
      yield* shell.write("\nThe chain runs until you press Ctrl-C.\n")
      yield* untilInterrupted(Effect.promise(() => demo.ended))
      return yield* new Refusal({ detail: "the demo chain has ended" })
    })
  )

const name: string = "@assay/demo"

const start = (port: number): Effect.Effect<Demo, Refusal> =>
  Effect.gen(function* () {
    const { Demo } = yield* Effect.tryPromise({
      try: (): Promise<Package> => import(name),
      catch: (error) =>
        new Refusal({
          detail:
            (error as { readonly code?: string }).code === "ERR_MODULE_NOT_FOUND"
              ? `the demo chain is a package of its own; run: npm install ${name}`
              : `${name} cannot be loaded: ${error}; install it again: npm install ${name}`
        })
    })
    return yield* Effect.tryPromise({
      try: () => Demo.start({ port }),
      catch: (error) =>
        new Refusal({ detail: `the demo chain does not start: ${error instanceof Error ? error.message : error}` })
    })
  })

const analyzeAll = (demo: Demo, request: Request) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const endpoints = yield* Endpoints.find({ rpc: [demo.url], chain: Option.none() })
    const progress = request.json ? Progress.silent : Progress.make(shell)
    yield* Effect.forEach(demo.targets, (target, index) =>
      Effect.gen(function* () {
        const address = yield* Effect.orDie(Address.parse(target.address))
        const analysis = yield* progress.during(
          { address, index, count: demo.targets.length },
          Targets.analyze({ address, chain: endpoints.chain, kind: Option.some(target.kind), block: Option.none() })
        )
        const { headline, verdict } = Report.make(analysis)
        yield* shell.write(
          request.json
            ? `${JSON.stringify({ ...documentOf(demo, target), verdict, headline })}\n`
            : [
                heading(target),
                `  ${verdictLine(verdict)}\n`,
                Lines.wrap(headline.text, "  ", "  "),
                commandLine(demo, target)
              ].join("")
        )
      })
    ).pipe(Effect.provide(Endpoints.layer(endpoints, progress)))
  })

const verdictLine = ({ level, level_at_best, score }: RiskReport.RiskReport["verdict"]): string =>
  [`Verdict: ${level}`, ...(level === level_at_best ? [] : [`${level_at_best} at best`]), `score ${score} of 100`].join(
    ", "
  )

const listOne =
  (demo: Demo, { json }: Request) =>
  (target: DemoTarget) =>
    Effect.flatMap(Shell, ({ write }) =>
      write(
        json ? `${JSON.stringify(documentOf(demo, target))}\n` : [heading(target), commandLine(demo, target)].join("")
      )
    )

const documentOf = (demo: Demo, target: DemoTarget) => ({ ...target, command: commandOf(demo, target) })

const heading = ({ description, kind, name }: DemoTarget): string =>
  `\n${Lines.wrap(`${name}, a ${kind}: ${description}`)}`

// Not broken into lines: it is there to be copied.
const commandLine = (demo: Demo, target: DemoTarget): string => `  ${commandOf(demo, target)}\n`

const commandOf = ({ url }: Demo, { address }: DemoTarget): string => `npx assay analyze ${address} --rpc ${url}`
