import { Context, Effect, Layer } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import * as Reading from "../../chain/Reading.js"
import * as Together from "../../chain/Together.js"
import type { Address } from "../../domain/Address.js"
import type { TransferProof } from "../../evm/token/TransferProof.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions } from "../code/Functions.js"
import { Proxy } from "../code/Proxy.js"
import * as OncePerKey from "../OncePerKey.js"

/**
 * Whether the code of a token proves that its transfers depend on nothing but balances, allowances and arguments
 * ({@link TransferProof}), observed by `eth_getCode` at the pinned block. A second, independent way beside simulated trades.
 *
 * Only code that nobody can replace proves anything: the token's own, or that behind a minimal clone (EIP-1167).
 *
 * @since 0.1.0
 * @category services
 */
export class FreeTransfer extends Context.Tag("@assay/core/FreeTransfer")<
  FreeTransfer,
  {
    readonly of: (token: Address) => Effect.Effect<Reading.Reading<TransferProof>, ChainError>
  }
>() {}

/**
 * Reads code that was read for the functions of the token already, so it adds no call.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<FreeTransfer, never, CodeReadings | Functions | Proxy> = Layer.scoped(
  FreeTransfer,
  Effect.gen(function* () {
    const readings = yield* CodeReadings
    const functions = yield* Functions
    const proxy = yield* Proxy
    const of = yield* OncePerKey.make(
      (token: Address) => token,
      Effect.fn("FreeTransfer.of")(function* (token: Address) {
        const [code, { value: structure }] = yield* Together.all([functions.of(token), proxy.of(token)])
        const { fixed, logics, resolved } = code.value
        const [logic, ...others] = logics
        const isFixed = fixed && resolved && others.length === 0 && fixedKinds.has(structure.kind)
        if (logic === undefined || !isFixed) return Reading.map(code, (): TransferProof => replaceable)
        const proof = yield* readings.transfers(logic.code)
        return Reading.map(code, () => proof)
      })
    )
    return { of }
  })
)

const fixedKinds: ReadonlySet<string> = new Set(["none", "eip1167"])

const replaceable: TransferProof = { state: "inconclusive", reason: "replaceable" }
