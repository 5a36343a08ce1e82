import * as Core from "@assay/core/analysis/KindGuess"
import type * as ChainAccess from "@assay/core/chain/ChainAccess"
import type * as Chains from "@assay/core/chain/Chains"
import type * as Address from "@assay/core/domain/Address"
import type * as Target from "@assay/core/domain/Target"
import { Effect, type Option } from "effect"
import { part, Refusal } from "./Refusal.js"

/** What an address probably is at a block, or what to do where that cannot be read. */
export const make = (
  address: Address.Address,
  chain: Chains.Chain,
  block: Option.Option<number>
): Effect.Effect<Target.TargetKind, Refusal, ChainAccess.ChainAccess> =>
  Effect.mapError(
    Core.make(address, chain, block),
    (error) => new Refusal({ detail: `what ${address} is could not be read: ${part(error)}` })
  )
