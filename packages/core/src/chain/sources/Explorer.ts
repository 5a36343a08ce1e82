/** @internal */

import { Option } from "effect"
import type { Address } from "../../domain/Address.js"
import type { BlockRef } from "../../domain/BlockRef.js"
import type { Chain } from "../Chains.js"
import * as BlockUse from "../state/BlockUse.js"

/**
 * A link to an address for the reader: to the block explorer of the chain, or a neutral CAIP-10 reference if it has
 * none, with the number of the pinned block. It never contains an RPC URL.
 *
 * @see https://chainagnostic.org/CAIPs/caip-10
 */
export const addressUrl = (chain: Chain, block: BlockRef, address: Address): string =>
  Option.match(chain.explorer, {
    onSome: (explorer) => `${explorer.replace(/\/+$/, "")}/address/${address}`,
    onNone: () => `eip155:${chain.id}:${address}?block=${BlockUse.numberAfter(block, 0)}`
  })

/** A link to the pinned block for the reader. */
export const blockUrl = (chain: Chain, block: BlockRef): string =>
  Option.match(chain.explorer, {
    onSome: (explorer) => `${explorer.replace(/\/+$/, "")}/block/${BlockUse.numberAfter(block, 0)}`,
    onNone: () => `eip155:${chain.id}?block=${BlockUse.numberAfter(block, 0)}`
  })
