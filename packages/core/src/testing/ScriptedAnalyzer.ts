import { type Context, Effect, Layer } from "effect"
import { Analyzer } from "../analysis/Analyzer.js"
import * as Documents from "./Documents.js"

/**
 * An analyser with given answers, to test the code around one without a chain. It has no rules, and can make no
 * observation again.
 *
 * @since 0.1.0
 * @category testing
 */
export const layer = (analyze: Context.Tag.Service<typeof Analyzer>["analyze"]): Layer.Layer<Analyzer> =>
  Layer.succeed(Analyzer, {
    analyze,
    analyzeMany: ({ targets, ...common }) =>
      Effect.forEach(targets, (target) => Effect.either(analyze({ ...target, ...common }))),
    verify: ({ analysis }) =>
      Effect.succeed({
        block: analysis.block,
        items: analysis.evidence.flatMap(({ id, observation }) =>
          observation === null ? [] : [{ id, outcome: "unavailable" as const, reason: "method_unsupported" as const }]
        )
      }),
    ruleset: Effect.succeed({ rules: [], optional: [], version: "2026.11.1" }),
    engineVersion: "0.0.0-test"
  })

/**
 * Finds one confirmed claim, at once, for every target.
 *
 * @since 0.1.0
 * @category testing
 */
export const layerConfirming: Layer.Layer<Analyzer> = layer(({ address, chain, kind }) =>
  Effect.succeed(
    Documents.analysis(
      { kind, address, chain: { id: chain.id, name: chain.name } },
      [Documents.evidence("token.mintable", "confirmed")],
      21_000_000
    )
  )
)
