import { Schema } from "effect"
import { Address } from "./Address.js"

/**
 * @since 0.1.0
 * @category schemas
 */
export const TargetKind = Schema.Literal("token", "wallet", "contract").annotations({ identifier: "TargetKind" })

/**
 * @since 0.1.0
 * @category models
 */
export type TargetKind = typeof TargetKind.Type

/**
 * A chain as documents name it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ChainRef = Schema.Struct({
  id: Schema.Int.pipe(Schema.positive()),
  name: Schema.String
}).annotations({ identifier: "ChainRef" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ChainRef extends Schema.Schema.Type<typeof ChainRef> {}

/**
 * What is analysed: an address on a chain, read as a token, a wallet or a contract.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Target = Schema.Struct({
  kind: TargetKind,
  address: Address,
  chain: ChainRef
}).annotations({ identifier: "Target" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Target extends Schema.Schema.Type<typeof Target> {}
