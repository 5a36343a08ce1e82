import { Option } from "effect"
import type { Address } from "../domain/Address.js"
import type { BlockRef } from "../domain/BlockRef.js"
import type { Chain } from "./Chains.js"

/**
 * A link for the reader to an address: the chain's block explorer, or a neutral CAIP-10 reference where it has none.
 * An RPC URL is never part of it.
 *
 * @see https://chainagnostic.org/CAIPs/caip-10
 * @since 0.1.0
 * @category constructors
 */
export const addressUrl = (chain: Chain, block: BlockRef, address: Address, method: string): string =>
  Option.match(chain.explorer, {
    onSome: (explorer) => `${explorer.replace(/\/+$/, "")}/address/${address}`,
    onNone: () => `eip155:${chain.id}:${address}?block=${block.hash}&method=${method}`
  })

/**
 * A link for the reader to the pinned block.
 *
 * @since 0.1.0
 * @category constructors
 */
export const blockUrl = (chain: Chain, block: BlockRef): string =>
  Option.match(chain.explorer, {
    onSome: (explorer) => `${explorer.replace(/\/+$/, "")}/block/${block.number}`,
    onNone: () => `eip155:${chain.id}?block=${block.hash}`
  })
