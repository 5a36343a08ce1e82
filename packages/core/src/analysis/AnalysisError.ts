/** @internal Part of `Analyzer`. */

import { Schema } from "effect"
import * as EndpointFailure from "../chain/EndpointFailure.js"
import { UnknownReason } from "../domain/Evidence.js"
import { AccountKind } from "../domain/facts/AccountCode.js"
import { Target } from "../domain/Target.js"

/** No code stands at a token or contract address on that chain; `detected` is what does. */
export class TargetMismatch extends Schema.TaggedError<TargetMismatch>()("TargetMismatch", {
  detected: AccountKind,
  target: Target
}) {
  override get message(): string {
    return mismatch(this)
  }
}

const mismatch = ({ detected, target: { address, chain } }: TargetMismatch): string => {
  switch (detected) {
    case "empty":
      return `${address} has no code, no balance and no transactions on chain ${chain.id}; name its chain, or analyse it as a wallet.`
    case "precompile":
      return `${address} is a precompiled contract of chain ${chain.id}, which has no code to analyse.`
    case "delegated_eoa":
      return `${address} is an account that runs other code (EIP-7702) on chain ${chain.id}; analyse it as a wallet.`
    case "contract":
    case "eoa":
      return `${address} is an account without code on chain ${chain.id}; analyse it as a wallet.`
  }
}

/**
 * Nothing could be read of the chain. `endpoints` are those that gave no answer, in the order in which they are configured,
 * with what is wrong with each.
 *
 * - `unreadable`: no endpoint gave what every analysis needs.
 * - `block_replaced`: the chain went on replacing the block that was read.
 * - `block_differs`: it has another block at the height of the analysis that was to be repeated.
 * - `no_later_block`: no later block, and no other endpoint, was there in time for a reading apart from the first.
 * - `deadline`: nothing was read before the deadline.
 */
export class UpstreamUnavailable extends Schema.TaggedError<UpstreamUnavailable>()("UpstreamUnavailable", {
  sources_failed: Schema.Array(Schema.Struct({ name: Schema.String, reason: UnknownReason })),
  why: Schema.optionalWith(
    Schema.Literal("unreadable", "block_replaced", "block_differs", "no_later_block", "deadline"),
    { default: () => "unreadable" as const }
  ),
  endpoints: Schema.optionalWith(Schema.Array(EndpointFailure.Placed), { default: () => [] })
}) {
  override get message(): string {
    return unavailable(this)
  }
}

const unavailable = ({ endpoints, sources_failed, why }: UpstreamUnavailable): string => {
  const sentences = endpoints.map(EndpointFailure.sentenceOf)
  switch (why) {
    case "unreadable":
      return sentences.length > 0
        ? sentences.join(" ")
        : `Nothing could be read: ${sources_failed.map(({ name, reason }) => `${name} (${reason})`).join(", ")}.`
    case "block_replaced":
      return "The chain replaced the block again and again while it was read; analyse again."
    case "block_differs":
      return "The chain has another block at this height: the block was replaced, or the analysis is of another chain."
    case "no_later_block":
      return "There was no later block, and no other endpoint, in time for a second reading."
    case "deadline":
      return ["Nothing could be read before the deadline; give it more time, or a faster endpoint.", ...sentences].join(
        " "
      )
  }
}
