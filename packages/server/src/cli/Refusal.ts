import { Schema } from "effect"

/** A command refuses; `detail` is one line that says why and what to do. Its exit code is 1. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** The sentence of an expected failure as a part of a line: without the full stop. */
export const part = ({ message }: { readonly message: string }): string => message.replace(/\.$/, "")
