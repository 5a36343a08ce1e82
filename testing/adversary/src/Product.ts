import { Address, Analyzer, ChainAccess, Chains, Checks, Evidence } from "@assay/core"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Either, Layer, ManagedRuntime, Option } from "effect"

/** What an analysis said, as far as it is judged. */
export interface Said {
  readonly level: string
  readonly score: number | null
  readonly coverage: number
  readonly claims: ReadonlyArray<Claim>
}

/** An item of evidence. What does not apply to a token is absent. */
export interface Claim {
  readonly id: string
  readonly state: "confirmed" | "refuted" | "unknown"
  readonly severity: string
  readonly detail: string
  readonly controller: {
    readonly kind: string
    readonly delay_seconds: number | null
    readonly threshold: number | null
  } | null
}

/** What is analysed: tokens at one block of a chain. */
export interface Request {
  readonly url: string
  readonly block: number
  readonly tokens: ReadonlyArray<string>
  /** The chain with the known addresses that apply: 1, or that of a chain that has none. */
  readonly addressBook: number
}

/** The product under judgement. A module that exports `make` with such a result can be judged too. */
export interface Product {
  readonly analyse: (request: Request) => Promise<ReadonlyArray<Said>>
  readonly stop: () => Promise<void>
}

/** The engine of this repository, as its users call it. */
export const make = (): Product => {
  const runtime = ManagedRuntime.make(
    Analyzer.layer(Checks.all).pipe(
      Layer.provide(ChainAccess.layerJsonRpc()),
      Layer.provide(NodeHttpClient.layerUndici)
    )
  )
  return {
    analyse: ({ addressBook, block, tokens, url }) => {
      const chain = Chains.make({
        id: 31_337,
        name: "adversary",
        endpoints: [url],
        addressBook,
        explorer: Option.none()
      })
      return runtime.runPromise(
        Effect.gen(function* () {
          const analyzer = yield* Analyzer.Analyzer
          const targets = yield* Effect.forEach(tokens, (token) =>
            Effect.map(Address.parse(token), (address) => ({ kind: "token" as const, address }))
          )
          const analyses = yield* analyzer.analyzeMany({ chain, block: Option.some(block), targets })
          return yield* Effect.forEach(analyses, (analysis) =>
            Effect.map(Either.isRight(analysis) ? Effect.succeed(analysis.right) : Effect.fail(analysis.left), said)
          )
        }).pipe(Effect.timeout("120 seconds"))
      )
    },
    stop: () => runtime.dispose()
  }
}

const said = ({ evidence, facts: { risk } }: import("@assay/core").Analysis.Analysis): Said => ({
  level: risk?.level ?? "unknown",
  score: risk?.score ?? null,
  coverage: risk?.coverage ?? 0,
  claims: evidence.map(({ controller, detail, id, severity, state }) => ({
    id: Evidence.checkId(id),
    state,
    severity,
    detail,
    controller
  }))
})
