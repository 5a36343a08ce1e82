import { Schema } from "effect"
import { Address } from "../Address.js"
import { Controller, ControllerKind } from "../Controller.js"

/**
 * An account that has power over the target, directly or through another one.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ControlNode = Schema.Struct({
  address: Address,
  kind: ControllerKind,
  delay_seconds: Schema.NullOr(Schema.NonNegativeInt),
  threshold: Schema.NullOr(Schema.NonNegativeInt),
  signers: Schema.Array(Address)
}).annotations({ identifier: "ControlNode" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ControlNode extends Schema.Schema.Type<typeof ControlNode> {}

/**
 * A power that `from` has over `to`: `owner`, `admin`, `upgrader`, `role:<role hash or name>`, `signer`, `proposer`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ControlEdge = Schema.Struct({
  from: Address,
  to: Address,
  power: Schema.String
}).annotations({ identifier: "ControlEdge" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ControlEdge extends Schema.Schema.Type<typeof ControlEdge> {}

/**
 * Who controls the target, followed to the end. `controller` is the weakest of those that hold a direct power (the one
 * to fear), null where nobody was found to hold one. `complete` is false where a part of the graph could not be read.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ControlGraph = Schema.Struct({
  nodes: Schema.Array(ControlNode),
  edges: Schema.Array(ControlEdge),
  owner: Schema.NullOr(Address),
  controller: Schema.NullOr(Controller),
  complete: Schema.Boolean
}).annotations({ identifier: "ControlGraph" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ControlGraph extends Schema.Schema.Type<typeof ControlGraph> {}
