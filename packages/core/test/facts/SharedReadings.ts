import { Effect, Layer, Scope } from "effect"
import * as CodeReadings from "../../src/facts/code/CodeReadings.js"

const readings = Effect.runSync(Effect.flatMap(Scope.make(), (scope) => Scope.extend(CodeReadings.make(), scope)))

/** The readings of code of this process: a code is read once, whichever test reads it first. */
export const layer: Layer.Layer<CodeReadings.CodeReadings> = Layer.succeed(CodeReadings.CodeReadings, readings)
