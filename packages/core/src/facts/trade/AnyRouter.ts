/** @internal */

import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.js"
import type { TradeLeg, TradeRun } from "../../domain/facts/TradeOutcome.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Erc20 from "../../evm/token/Erc20.js"
import * as Part from "../../runtime/Part.js"
import * as Together from "../../runtime/Together.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import type { Functions } from "../code/Functions.js"
import { notReached } from "./TradeMeasure.js"
import { isOursAlone, type TradeRoute } from "./TradeRoute.js"

/**
 * Whether a sale by the router of a route shows what a sale by any other does. The exchange's own is the one that people sell by.
 * One of ours stands at an address that the token has never seen, so the code of the token has to treat all of them alike
 * ({@link SpenderIndependence}): a token that allows its own router alone would else pass for a trap, and one that refuses it
 * alone for none. Purchases are no question: pools send them.
 */
export const isShownBy = (
  { functions, readings }: { readonly functions: Functions["Type"]; readonly readings: CodeReadings["Type"] },
  route: TradeRoute
): Effect.Effect<boolean> =>
  isOursAlone(route) ? treatsAllAlike(functions, readings, route.token) : Effect.succeed(true)

const treatsAllAlike = (
  functions: Functions["Type"],
  readings: CodeReadings["Type"],
  token: Address.Address
): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const { value: code } = yield* functions.of(token)
    const taking = code.logics.filter(
      ({ flow }) => Erc20.functionOf(flow, Selectors.functions.transferFrom) !== undefined
    )
    if (!code.resolved || taking.length === 0) return false
    const { inSlices } = yield* independence
    const alike = yield* Together.forEach(taking, (logic) =>
      readings.read(logic.code, (model) => inSlices(model, logic.flow))
    )
    return alike.every((is) => is)
  }).pipe(Effect.orElseSucceed(() => false))

// Most exchanges have a known router.
const independence = Effect.suspend(() =>
  Part.load("trades without a known router", () => import("../../evm/token/SpenderIndependence.js"))
)

/** Why a sale shows nothing. */
export const unshown = "the sale went by a router of ours, and the token may treat routers by who they are"

/** Why a sale that failed shows nothing where nothing else was traded in the same way. */
export const uncompared = "the sale by a router of ours failed, and there was no control token to compare with"

/** Whether a failure by a router of ours may be that of the pool, since no control is there. */
export const isUncompared = (route: TradeRoute): boolean => isOursAlone(route) && Option.isNone(route.control)

/** A run without its sales, which show nothing of the exchange's own router. */
export const withoutSales = (run: TradeRun): TradeRun => {
  const hidden = (leg: TradeLeg): TradeLeg =>
    leg.state === "not_reached" || leg.state === "worthless" ? leg : { ...notReached(unshown), gas: leg.gas }
  return {
    ...run,
    sell: hidden(run.sell),
    sold_bps: null,
    refused_bps: null,
    sell_again: run.sell_again === null ? null : hidden(run.sell_again)
  }
}
