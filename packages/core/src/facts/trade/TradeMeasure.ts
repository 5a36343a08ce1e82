/** @internal */

import { Either, Option } from "effect"
import * as OxBytes from "ox/Bytes"
import * as OxHex from "ox/Hex"
import type { SimulatedCall } from "../../chain/state/ChainState.js"
import type { TradeLeg } from "../../domain/facts/TradeOutcome.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Getter from "../Getter.js"
import * as HostileText from "../HostileText.js"
import type { TradeRoute } from "./TradeRoute.js"
import * as TradeScene from "./TradeScene.js"

/** A leg that nothing led to, with what kept it from being tried. */
export const notReached = (error: string | null = null): TradeLeg => ({
  state: "not_reached",
  tax_bps: null,
  gas: null,
  error
})

/** The part of `whole` that did not arrive, to the nearest basis point; none of nothing. */
export const missing = (whole: bigint, arrived: bigint): Option.Option<number> =>
  whole <= 0n
    ? Option.none()
    : Option.some(arrived >= whole ? 0 : Number(((whole - arrived) * 20_000n + whole) / (2n * whole)))

/** By how much an amount grew; nothing where it fell. */
export const grown = (before: bigint, then: bigint): bigint => (then > before ? then - before : 0n)

const errorSelector = Selectors.selector("Error(string)")
const panicSelector = Selectors.selector("Panic(uint256)")

/**
 * The words of a revert, cleaned for show, or what stands for them: a panic's code, a custom error's selector.
 *
 * @see https://docs.soliditylang.org/en/latest/control-structures.html#error-handling-assert-require-revert-and-exceptions
 */
export const reasonOf = (data: Hex): Option.Option<string> => {
  const selector = data.slice(0, 10)
  const body: Hex = `0x${data.slice(10, 10 + 512)}`
  if (selector === errorSelector) return Option.filter(messageIn(body), (text) => text.length > 0)
  if (selector === panicSelector) return Option.map(Getter.uint(body), (code) => `panic 0x${code.toString(16)}`)
  return selector.length === 10 ? Option.some(`error ${selector}`) : Option.none()
}

// Where a simulator cut the bytes, what is left of the message is shown.
const messageIn = (body: Hex): Option.Option<string> =>
  Option.flatMap(Getter.lengthAt(body, 32, Number.MAX_SAFE_INTEGER), (length) => {
    const bytes: Hex = `0x${body.slice(130, 130 + 2 * Math.min(length, 256))}`
    return Either.getRight(
      Either.try(() => HostileText.clean(decoder.decode(OxBytes.fromHex(bytes.length % 2 === 0 ? bytes : `${bytes}0`))))
    )
  })

const decoder = new TextDecoder("utf-8", { fatal: false })

/**
 * How a simulated call of a leg ended. `own` is the token's error where it is known from another call, `moved` says
 * whether tokens moved (none where a balance could not be read), `tax` is the missing part; both are computed only
 * where the call succeeded.
 */
export const legOf = (
  call: SimulatedCall | undefined,
  options: {
    readonly own?: Option.Option<string> | undefined
    readonly moved: () => Option.Option<boolean>
    readonly tax: () => Option.Option<number>
  }
): TradeLeg => {
  if (call === undefined) return notReached()
  const gas = call.gasUsed
  if (call.outcome._tag === "Reverted") {
    const { data } = call.outcome
    const own = options.own ?? Option.none()
    return Option.isNone(own) && isUnderpaid(data)
      ? { state: "underpaid", tax_bps: null, gas, error: null }
      : { state: "reverted", tax_bps: null, gas, error: Option.getOrNull(Option.orElse(own, () => reasonOf(data))) }
  }
  return Option.match(options.moved(), {
    onNone: () => ({ ...notReached("a balance could not be read"), gas }),
    onSome: (some): TradeLeg =>
      some
        ? { state: "ok", tax_bps: Option.getOrNull(options.tax()), gas, error: null }
        : { state: "no_effect", tax_bps: null, gas, error: null }
  })
}

/**
 * Whether a pool refused a swap because less of a token reached it than was promised: UniswapV3Pool, which takes no
 * token with a tax, then says "IIA".
 *
 * @see https://github.com/Uniswap/v3-core/blob/main/contracts/UniswapV3Pool.sol
 */
export const isUnderpaid = (revert: Hex): boolean => revert.startsWith(underpaid)

/**
 * The leg, or nothing shown where a purchase failed in a pool with a hook that may refuse whom it does not know: the simulation is
 * no router that it has seen.
 */
export const unlessRefused = ({ pool }: TradeRoute, leg: TradeLeg): TradeLeg =>
  Option.isSome(pool.ruled) && leg.state === "reverted"
    ? { ...notReached("the purchase failed in a pool with a hook, which may refuse who trades"), gas: leg.gas }
    : leg

/** The gas of a trade's leg by a route. */
export const legGas = ({ pool }: Pick<TradeRoute, "pool">): bigint =>
  Option.isSome(pool.ruled) ? TradeScene.gas.hooked : TradeScene.gas.leg

/**
 * Whether a call in a pool with a hook ended for want of gas: the hook may have more to do than was tried, which is no refusal. The
 * caller keeps at least a 64th of what it has for itself (EIP-150), at each of a few levels.
 */
export const isExhausted = (route: Pick<TradeRoute, "pool">, gasUsed: number | null | undefined): boolean =>
  Option.isSome(route.pool.ruled) && BigInt(gasUsed ?? 0) * 10n >= legGas(route) * 9n

/** The leg, or nothing shown where it {@link isExhausted}. */
export const unlessExhausted = (route: Pick<TradeRoute, "pool">, leg: TradeLeg): TradeLeg =>
  leg.state === "reverted" && isExhausted(route, leg.gas)
    ? { ...notReached("a trade through the hook takes more gas than was tried"), gas: leg.gas }
    : leg

const underpaid = Getter.calldata(errorSelector, [
  Getter.word(32n),
  Getter.word(3n),
  Getter.leftAligned(OxHex.fromString("IIA"))
])

/**
 * The least of the quote, in its smallest unit, that a trade has to be worth for its failure to be the token's: of less,
 * rounding leaves nothing, and routers refuse to trade for nothing. High enough that a tax of nine tenths does not matter.
 */
export const leastWorth = 10n

/**
 * The leg, or `worthless` where it failed and would have paid almost nothing: `worth` is what it would have paid, in
 * the smallest unit of the output, had the token not stood in the way.
 */
export const unlessWorthless = (leg: TradeLeg, worth: bigint): TradeLeg =>
  worth >= leastWorth || (leg.state !== "reverted" && leg.state !== "no_effect")
    ? leg
    : { ...leg, state: "worthless", error: worthless }

/** The detail of a trade that shows nothing because it would have paid almost nothing. */
export const worthless = "the pool has too little to pay for it"

/**
 * Whether a router reverted because the token refused the transfer from the seller, which comes before the reserves
 * matter. The errors are those of Uniswap's libraries, which do not include the token's own.
 *
 * @see https://github.com/Uniswap/solidity-lib/blob/master/contracts/libraries/TransferHelper.sol
 * @see https://github.com/Uniswap/v3-periphery/blob/main/contracts/libraries/TransferHelper.sol
 */
export const isTakingRefused = (call: SimulatedCall | undefined): boolean =>
  call?.outcome._tag === "Reverted" &&
  Option.exists(reasonOf(call.outcome.data), (words) => takingRefused.includes(words))

const takingRefused: ReadonlyArray<string> = [
  "TransferHelper: TRANSFER_FROM_FAILED",
  "TransferHelper::transferFrom: transferFrom failed",
  "STF"
]

const pairSwap = Selectors.topics.Swap
const poolSwap = Selectors.topic("Swap(address,address,int256,int256,uint160,uint128,int24)")
const pancakePoolSwap = Selectors.topic("Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)")

/**
 * The token's side of the last swap that the pool reported in a call; earlier ones are the token's own. In a pool of a manager,
 * it is what of the token the trade would have been for at the pool's price, so that what a hook takes is missing as well.
 */
export const swapIn = (
  route: TradeRoute,
  call: SimulatedCall | undefined
): Option.Option<{ readonly tokenIn: bigint; readonly tokenOut: bigint }> => {
  if (Option.isSome(route.pool.key)) return managerSwapIn(call)
  const log = call?.logs.findLast(
    ({ address, topics }) =>
      address === route.pool.pool.address &&
      (topics[0] === pairSwap || topics[0] === poolSwap || topics[0] === pancakePoolSwap)
  )
  if (log === undefined) return Option.none()
  const tokenFirst = route.pool.sides === "token-first"
  const word = (place: number) => Getter.wordAt(log.data, 32 * place)
  if (log.topics[0] === pairSwap) {
    // amount0In, amount1In, amount0Out, amount1Out
    return Option.map(Option.all([word(tokenFirst ? 0 : 1), word(tokenFirst ? 2 : 3)]), ([paid, out]) => ({
      tokenIn: BigInt(paid),
      tokenOut: BigInt(out)
    }))
  }
  // What the pool took is positive, what it gave is negative.
  return Option.map(word(tokenFirst ? 0 : 1), (value) => {
    const amount = BigInt.asIntN(256, BigInt(value))
    return amount >= 0n ? { tokenIn: amount, tokenOut: 0n } : { tokenIn: 0n, tokenOut: -amount }
  })
}

/** What the router of a manager's pools answered: see `ManagerRouter.Done`. */
const managerSwapIn = (
  call: SimulatedCall | undefined
): Option.Option<{ readonly tokenIn: bigint; readonly tokenOut: bigint }> =>
  call?.outcome._tag !== "Returned"
    ? Option.none()
    : Option.flatMap(Option.all([0, 1, 2].map((place) => Getter.wordAt(call.outcome.data, 32 * place))), (words) => {
        const [expected = 0n, given = 0n, paid = 0n] = words.map(BigInt)
        return expected === 0n
          ? Option.none()
          : Option.some({ tokenOut: expected, tokenIn: given >= expected ? paid : (paid * given) / expected })
      })
