import * as ChainAccess from "@assay/core/chain/ChainAccess"
import type * as Chains from "@assay/core/chain/Chains"
import type * as Address from "@assay/core/domain/Address"
import type * as Target from "@assay/core/domain/Target"
import { Effect, type Option } from "effect"
import { Refusal } from "./Refusal.js"

/**
 * What an address probably is: a wallet where there is no code of its own (EIP-7702 delegations included), a token where
 * the read-only functions of ERC-20 answer a word each, else a contract.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 * @see https://eips.ethereum.org/EIPS/eip-7702
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  address: Address.Address,
  chain: Chains.Chain,
  block: Option.Option<number>
): Effect.Effect<Target.TargetKind, Refusal, ChainAccess.ChainAccess> =>
  Effect.gen(function* () {
    const access = yield* ChainAccess.ChainAccess
    const state = yield* access.pin({ chain, block, maxCalls: 20 })
    const code = yield* state.code(address)
    if (code.value === "0x" || /^0xef0100[0-9a-f]{40}$/i.test(code.value)) return "wallet" as const
    const answers = yield* Effect.forEach(erc20, (data) => state.call({ to: address, data }), {
      concurrency: "unbounded"
    })
    const isToken = answers.every(({ value }) => value._tag === "Returned" && value.data.length === 66)
    return isToken ? ("token" as const) : ("contract" as const)
  }).pipe(
    Effect.scoped,
    Effect.mapError(
      ({ reason }) =>
        new Refusal({
          detail: `what ${address} is could not be read (${reason}); check the endpoint and the block, or name --kind`
        })
    )
  )

const nobody = "0".repeat(64)

// totalSupply(), balanceOf(address), allowance(address,address). The last one tells ERC-20 from ERC-721.
const erc20 = ["0x18160ddd", `0x70a08231${nobody}`, `0xdd62ed3e${nobody}${nobody}`] as const
