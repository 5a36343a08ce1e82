import { Layer } from "effect"
import type { ChainState } from "../chain/ChainState.js"
import type { Control } from "./Control.js"
import * as Liquidity from "./Liquidity.js"
import * as LiquidityPositions from "./LiquidityPositions.js"
import * as Locks from "./Locks.js"
import type { Pools } from "./Pools.js"
import type { Safe } from "./Safe.js"

/**
 * Who has the liquidity of a token and what of it is locked, over one view of a chain.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<
  Liquidity.Liquidity | LiquidityPositions.LiquidityPositions | Locks.Locks,
  never,
  ChainState | Control | Pools | Safe
> = Layer.provideMerge(Liquidity.layer, Layer.merge(LiquidityPositions.layer, Locks.layer))
