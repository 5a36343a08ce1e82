/** @internal */

import { Option, Schema } from "effect"
import { Address } from "../Address.js"
import { Controller, ControllerKind } from "../Controller.js"
import { UnknownReason } from "../Evidence.js"
import { Quantity } from "../Quantity.js"

/**
 * An account that has power over the target, directly or through another one. `voting` are the delay before a vote and its
 * period, in the clock of the governor (blocks or seconds).
 */
export const ControlNode = Schema.Struct({
  address: Address,
  kind: ControllerKind,
  delay_seconds: Schema.NullOr(Schema.NonNegativeInt),
  threshold: Schema.NullOr(Schema.NonNegativeInt),
  signers: Schema.Array(Address),
  voting: Schema.NullOr(Schema.Struct({ delay: Quantity, period: Quantity }))
}).annotations({ identifier: "ControlNode" })

export interface ControlNode extends Schema.Schema.Type<typeof ControlNode> {}

/**
 * A power that `from` has over `to`: `owner`, `admin`, `governance`, `authority`, `upgrader`, `module`, `signer`, `timelock`,
 * `role:<role hash, number or name>`, and `function:<selector>` of an account that only the code names. `delay_seconds` is
 * what `from` has to wait each time it uses it, null where nothing makes it wait.
 */
export const ControlEdge = Schema.Struct({
  from: Address,
  to: Address,
  power: Schema.String,
  delay_seconds: Schema.NullOr(Schema.NonNegativeInt)
}).annotations({ identifier: "ControlEdge" })

export interface ControlEdge extends Schema.Schema.Type<typeof ControlEdge> {}

/**
 * A part of the graph that could not be read: `what` names the power, the account that could not be classified, or (by
 * `list:<slot>`) a list of callers that cannot be enumerated. `code` is code that could not be followed.
 * `behind:<account>` stands for possible controllers of an account that decides by itself, such as a timelock.
 */
export const ControlGap = Schema.Struct({
  what: Schema.String,
  reason: UnknownReason
}).annotations({ identifier: "ControlGap" })

export interface ControlGap extends Schema.Schema.Type<typeof ControlGap> {}

/**
 * Who controls the target, followed to the end. `controller` is the weakest of those with a direct power (the most
 * dangerous one), null where none was found. `complete` is false where a part of the graph could not be read; `unread`
 * says which, and `controller` is then `unknown` unless one at least as weak was found, or what was not read only
 * stands behind an account that decides by itself.
 */
export const ControlGraph = Schema.Struct({
  nodes: Schema.Array(ControlNode),
  edges: Schema.Array(ControlEdge),
  owner: Schema.NullOr(Address),
  controller: Schema.NullOr(Controller),
  complete: Schema.Boolean,
  unread: Schema.Array(ControlGap)
}).annotations({ identifier: "ControlGraph" })

export interface ControlGraph extends Schema.Schema.Type<typeof ControlGraph> {}

/**
 * The parts of a graph that were not read and may hold an account that decides: all but those behind an account that
 * decides by itself.
 */
export const decidingGaps = ({ unread }: ControlGraph): ReadonlyArray<ControlGap> =>
  unread.filter(({ what }) => !what.startsWith("behind:"))

/** The part of a graph that was not read and may hold its owner, where it names none. */
export const ownerGap = ({ owner, unread }: ControlGraph): Option.Option<ControlGap> =>
  owner === null ? Option.fromNullable(unread.find(({ what }) => what === "owner")) : Option.none()

/**
 * The first part of a graph that was not read and may hold an account with a role of the target: a getter that names
 * who has one of them, or the contract's records of all.
 */
export const roleGap = ({ unread }: ControlGraph): Option.Option<ControlGap> =>
  Option.fromNullable(unread.find(({ what }) => what === "roles" || isRole(what)))

/** Whether a power, by the name that an edge gives it, is a role. */
export const isRole = (power: string): boolean => power.startsWith("role:")

/** Whether a power, by the name that an edge gives it, is to sign for a Safe with others. */
export const isSigner = (power: string): boolean => power === "signer"

/** The powers that one account has over another by itself, as their edges name them. */
export const powersOver = ({ edges }: ControlGraph, target: Address, account: Address): ReadonlyArray<string> =>
  edges.flatMap(({ from, power, to }) => (from === account && to === target && !isSigner(power) ? [power] : []))
