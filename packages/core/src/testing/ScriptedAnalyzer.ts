import { type Context, Effect, Layer } from "effect"
import { Analyzer } from "../analysis/Analyzer.js"
import * as Documents from "./Documents.js"

/**
 * An analyser that answers as it is told, so that what stands around one can be tested without a chain. It has no rules.
 *
 * @since 0.1.0
 * @category testing
 */
export const layer = (analyze: Context.Tag.Service<typeof Analyzer>["analyze"]): Layer.Layer<Analyzer> =>
  Layer.succeed(Analyzer, { analyze, rules: [], engineVersion: "0.0.0-test", rulesetVersion: "2026.11.1" })

/**
 * Finds one confirmed claim, at once, whatever is asked.
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
