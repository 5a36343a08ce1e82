import * as ResultView from "@assay/core/domain/ResultView"
import { Data, Effect } from "effect"

/** The light form of a result that is stored as text, as text. */
export const light = (text: string): Effect.Effect<string, Unreadable> =>
  Effect.try({ try: () => ResultView.lightText(text), catch: () => new Unreadable() })

/** What is stored is not the text of a result. Who reads it through its schema learns why. */
export class Unreadable extends Data.TaggedError("Unreadable") {}
