/** @internal */

import { Effect, Option, Schema } from "effect"
import type { ChainState } from "../chain/state/ChainState.js"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import { Evidence } from "../domain/Evidence.js"
import { Recipe } from "../domain/Recipe.js"
import { Source } from "../domain/Source.js"
import type { Target } from "../domain/Target.js"
import * as Check from "./Check.js"

/**
 * {@link Check.judge} for a check that is not of this library. What it gives is held to what evidence is, so that a wrong
 * item costs this check and not the analysis, and a failure names the check.
 */
export const judge = <V, R>(
  check: Check.Check<V, R>,
  target: Target
): Effect.Effect<Check.Judged, never, R | ChainState> =>
  Check.judge(check, target).pipe(
    Effect.flatMap((judged) =>
      Option.match(flawOf(judged), {
        onNone: () => Effect.succeed(judged),
        onSome: (flaw) => Check.judge({ ...check, run: () => Effect.die(new Unsound({ flaw })) }, target)
      })
    ),
    Effect.map((judged) => ({ ...judged, evidence: judged.evidence.map(named(check, judged)) }))
  )

const named = (check: Check.CheckRule, { defects: [defect] }: Check.Judged) => {
  const [place] = defect?.places ?? []
  const isOwn = place?.part === "check" && place.name === check.id
  return (item: Evidence): Evidence =>
    isOwn && item.reason === "internal_error"
      ? { ...item, detail: `the check ${check.id}, which is not of this engine, failed; report it to its author` }
      : item
}

/** What is wrong with what a check gave. */
class Unsound extends Schema.TaggedError<Unsound>()("Unsound", { flaw: Schema.String }) {
  override get message(): string {
    return this.flaw
  }
}

const flawOf = ({ consulted, evidence }: Check.Judged): Option.Option<string> => {
  if (!evidence.every(isEvidence)) return Option.some("It gave an item that is no evidence.")
  if (new Set(evidence.map(({ id }) => id)).size < evidence.length)
    return Option.some("It gave two items for one subject.")
  if (evidence.some(({ value }) => Option.isNone(asJson(value)))) return Option.some("It gave a value that is no JSON.")
  return consulted.every(isConsulted) ? Option.none() : Option.some("It gave a source that is none.")
}

const isEvidence = Schema.is(Evidence)

const isConsulted = Schema.is(
  Schema.Struct({
    name: Schema.String,
    url: Schema.String,
    kind: Source.fields.kind,
    answered: Schema.Boolean,
    recipe: Schema.OptionFromSelf(Recipe)
  })
)

const asJson = Option.liftThrowable(CanonicalJson.stringify)
