import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as Sources from "@assay/core/analysis/Sources"
import { Layer } from "effect"
import type * as CustomCheck from "./CustomCheck.js"
import * as Progress from "./Progress.js"
import * as SourceOptions from "./Sources.js"

/** The analyzer with all checks: those of the library, of the sources that are named, and those of the embedder. */
export const layer = (checks: ReturnType<typeof CustomCheck.toChecks>, options: SourceOptions.SourceOptions) => {
  const sources = SourceOptions.parse(options)
  const all = [...Sources.checks(sources), ...checks]
  return Layer.provide(Analyzer.layer(Progress.counting(all)), Sources.layer(sources))
}
