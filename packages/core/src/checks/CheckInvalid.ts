/** @internal Part of `Checks`. */

import { Schema } from "effect"
import { Dimension, Polarity, Severity } from "../domain/Evidence.js"
import { TargetKind } from "../domain/Target.js"

const Problem = Schema.Literal(
  "id_malformed",
  "id_repeated",
  "id_taken",
  "version",
  "targets",
  "claim",
  "absent",
  "recommendation",
  "polarity",
  "severity",
  "dimension",
  "value",
  "run"
)

/** A check that cannot run beside the others, by what is wrong with its declaration. `check` is its id, as it was given. */
export class CheckInvalid extends Schema.TaggedError<CheckInvalid>()("CheckInvalid", {
  check: Schema.String,
  problem: Problem
}) {
  override get message(): string {
    return `Check ${JSON.stringify(this.check)} ${said[this.problem]}.`
  }
}

const said: { readonly [P in typeof Problem.Type]: string } = {
  id_malformed: `has a malformed id: use words of a-z, 0-9 and "-" with dots between them, such as "acme.rich-holder"`,
  id_repeated: "is defined twice",
  id_taken: "has the id of a built-in check: give it another one",
  version: "has a version that is no positive integer",
  targets: `has no targets, or unknown ones: use ${TargetKind.literals.join(", ")}`,
  claim: "has no claim: state it in a sentence",
  absent: "has an absent sentence that is no text: say what is true where the claim is refuted, or leave it out",
  recommendation: "has a recommendation that is no text: say what a reader can do, or leave it out",
  polarity: `has an unknown polarity: use ${Polarity.literals.join(", ")}`,
  severity: `has an unknown severity: use ${Severity.literals.join(", ")}`,
  dimension: `has an unknown dimension: use ${Dimension.literals.join(", ")}`,
  value: "has a value without a JSON Schema: give the schema of what is stored",
  run: "has no function run"
}
