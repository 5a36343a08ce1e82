import { Context, Duration, Effect, Layer, Option } from "effect"
import * as ChainAccess from "../chain/ChainAccess.js"
import * as ChainError from "../chain/ChainError.js"
import type * as Chains from "../chain/Chains.js"
import type * as Address from "../domain/Address.js"
import type * as Target from "../domain/Target.js"
import { UpstreamUnavailable } from "./AnalysisError.js"

/**
 * Says what an address probably is, for a caller who names no kind.
 *
 * @since 0.1.0
 * @category services
 */
export class KindGuess extends Context.Tag("@assay/core/KindGuess")<
  KindGuess,
  {
    /** The kind at the newest block. Fails where the chain does not answer within 30 seconds. */
    readonly of: (
      address: Address.Address,
      chain: Chains.Chain
    ) => Effect.Effect<Target.TargetKind, UpstreamUnavailable>
  }
>() {}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<KindGuess, never, ChainAccess.ChainAccess> = Layer.effect(
  KindGuess,
  Effect.map(ChainAccess.ChainAccess, (access) => ({
    of: Effect.fn("KindGuess.of")((address: Address.Address, chain: Chains.Chain) =>
      make(address, chain, Option.none()).pipe(
        Effect.provideService(ChainAccess.ChainAccess, access),
        Effect.mapError((error) => unavailable(chain, error))
      )
    )
  }))
)

/**
 * What an address probably is: a wallet where there is no code of its own (EIP-7702 delegations included), a token where
 * the read-only functions of ERC-20 answer a word each, else a contract. Fails where the chain does not answer within 30 seconds.
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
): Effect.Effect<Target.TargetKind, ChainError.ChainError, ChainAccess.ChainAccess> =>
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
  }).pipe(Effect.scoped, Effect.timeoutFail({ duration: limit, onTimeout: () => overdue(chain) }))

// Four reads, which take a second at most endpoints; a caller of HTTP waits for them before the analysis begins.
const limit = Duration.seconds(30)

const unavailable = ({ name }: Chains.Chain, { endpoints, reason }: ChainError.ChainError) =>
  new UpstreamUnavailable({ sources_failed: [{ name: `${name} JSON-RPC`, reason }], endpoints })

const overdue = ({ endpoints, name }: Chains.Chain) =>
  new ChainError.ChainError({
    reason: "rpc_error",
    method: "eth_getCode",
    retryable: true,
    detail: `no answer within ${Duration.toSeconds(limit)} s`,
    endpoints: [
      {
        code: "timeout",
        after_ms: Duration.toMillis(limit),
        chain: name,
        endpoint: endpoints.length === 1 ? 1 : null
      }
    ]
  })

const nobody = "0".repeat(64)

// totalSupply(), balanceOf(address), allowance(address,address). The last one distinguishes ERC-20 from ERC-721.
const erc20 = ["0x18160ddd", `0x70a08231${nobody}`, `0xdd62ed3e${nobody}${nobody}`] as const
