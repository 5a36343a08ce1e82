/** @internal */

import { Either, type Option } from "effect"
import type { BlockRef } from "../../domain/BlockRef.js"
import type { Hex } from "../../domain/Hex.js"
import type * as ReadQueue from "../../runtime/ReadQueue.js"
import type * as Capabilities from "../rpc/Capabilities.js"
import type { Endpoint } from "../rpc/Endpoint.js"
import type * as JsonRpc from "../rpc/JsonRpc.js"
import * as RpcValue from "../rpc/RpcValue.js"
import type { Reading } from "./Reading.js"
import type * as StateLens from "./StateLens.js"

/** One read of an analysis: its JSON-RPC call, and how that call may be sent. */
export interface PinnedRead {
  readonly method: string
  readonly params: (at: BlockParam) => ReadonlyArray<unknown>
  /** None where the answer has another type than the read. */
  readonly decode: (answer: JsonRpc.RpcAnswer) => Option.Option<unknown>
  /** Sent in a request of its own, since it must not hold the others. */
  readonly alone: boolean
  /** It may be too much for an endpoint that answers the others: its timeout does not show that the endpoint is gone. */
  readonly heavy: boolean
  readonly needs: ReadonlyArray<keyof Capabilities.Capabilities>
  /** Whether it can be split where the whole is too much for the endpoint. */
  readonly divisible: boolean
  /** It names no block by hash, so that its answer is only taken from a node that shows that it has the pinned block. */
  readonly bound: boolean
  /** Sent whatever the budget says. */
  readonly free: boolean
  /** The lens read that replaces it. */
  readonly lensRead?: StateLens.LensRead | undefined
  /** The one endpoint that it is for. */
  readonly only?: Endpoint | undefined
}

/** A read that left the queue and waits for its answer. */
export type Item = ReadQueue.Waiting<PinnedRead, Reading<unknown>, JsonRpc.Fault>

/** A read that needs nothing in particular. */
export const plain: Pick<PinnedRead, "alone" | "heavy" | "needs" | "divisible" | "bound" | "free"> = {
  alone: false,
  heavy: false,
  needs: [],
  divisible: false,
  bound: false,
  free: false
}

/** The block parameter of a read: the hash of the block (EIP-1898), or its number. */
export type BlockParam = { readonly blockHash: Hex } | Hex

/**
 * How reads name the pinned block. The hash is the more exact form: reads are equal where they are equal in this form,
 * whichever is sent. `requireCanonical` is left at its default, false.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1898
 */
export interface BlockParams {
  readonly byHash: BlockParam
  readonly byNumber: Hex
  /** Reads the header of the block at its height. */
  readonly header: JsonRpc.RpcCall
  /** By hash where the endpoint takes one, else by number. */
  readonly at: (endpoint: Capabilities.Probe) => BlockParam
}

export const blockParams = ({ hash, number }: BlockRef): BlockParams => {
  const byHash = { blockHash: hash }
  const byNumber = RpcValue.quantity(number)
  return {
    byHash,
    byNumber,
    header: { method: "eth_getBlockByNumber", params: [byNumber, false] },
    at: ({ capabilities }) => (Either.getOrElse(capabilities.blockByHash, () => false) ? byHash : byNumber)
  }
}
