/** @internal */
import { BigInt as BigInts, Option } from "effect"
import type { SimulatedCall } from "../../chain/state/ChainState.js"
import type { TradeLeg, TradeRun } from "../../domain/facts/TradeOutcome.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Timestamp from "../../domain/Timestamp.js"
import { atLeastOne } from "./TradeAmounts.js"
import * as TradeBuyers from "./TradeBuyers.js"
import * as TradeClerk from "./TradeClerk.js"
import {
  grown,
  isExhausted,
  isTakingRefused,
  leastWorth,
  legOf,
  missing,
  notReached,
  reasonOf,
  swapIn,
  unlessExhausted,
  unlessRefused,
  unlessWorthless
} from "./TradeMeasure.js"
import type { TradeRoute } from "./TradeRoute.js"
import type { TradeScene } from "./TradeScene.js"

/**
 * What the blocks gave: each call's result, and the token's own words on leaving the pool; none where the call was not
 * possible.
 */
export interface Told {
  readonly route: TradeRoute
  readonly scene: TradeScene
  readonly results: ReadonlyMap<string, SimulatedCall>
  readonly refusal: Option.Option<Option.Option<string>>
  readonly isControlled: boolean
}

const succeeded = (call: SimulatedCall | undefined): boolean => call?.outcome._tag === "Returned"

/** The name of the moment of a sale. */
export const momentOf = ({ at, sells }: Pick<TradeBuyers.Buyer, "at" | "sells">): string =>
  Option.match(at, { onNone: () => sells, onSome: (seconds) => `${sells} ${seconds}` })

const controlAt = ({ isControlled, results }: Told, moment: string): TradeRun["control"] =>
  !isControlled
    ? "unavailable"
    : succeeded(results.get("control.buy")) && succeeded(results.get(`control.${moment}`))
      ? "ok"
      : "failed"

const tooLittle = "too little arrived of what was bought"

/** What became of a buyer. */
export const of = (told: Told, buyer: TradeBuyers.Buyer): TradeRun => {
  const { refusal, results, route } = told
  const { fees, sells, sender } = buyer
  const result = (name: string) => results.get(`${sender}.${name}`)
  const count = (name: string): Option.Option<TradeClerk.Count> =>
    Option.flatMap(Option.fromNullable(result(name)), ({ outcome }) =>
      outcome._tag === "Returned" ? TradeClerk.counted(outcome.data) : Option.none()
    )
  const bought = Option.map(count("bought"), ({ own }) => own)
  const bare = unlessWorthless(
    legOf(result("buy"), {
      own: Option.flatten(refusal),
      moved: () => Option.map(bought, (amount) => amount > 0n),
      tax: () =>
        Option.flatMap(Option.all([swapIn(route, result("buy")), bought]), ([swap, amount]) =>
          missing(swap.tokenOut, amount)
        )
    }),
    buyer.promised
  )
  // The router's words would pass for the token's.
  const buy = unlessRefused(
    route,
    Option.isNone(refusal) && bare.state === "reverted" ? { ...bare, error: null } : bare
  )
  const run: TradeRun = {
    environment: {
      method: "simulate_v1",
      begins: "now",
      sells,
      ...Option.match(buyer.at, {
        onNone: () => ({}),
        onSome: (seconds) => ({ at: Timestamp.fromSeconds(told.scene.block(seconds).time ?? 0) })
      }),
      fees
    },
    sender,
    spent: Quantity.make(buyer.spent),
    buy,
    transfer: notReached(),
    sell: notReached(),
    sold_bps: null,
    refused_bps: null,
    sell_again: null,
    control: controlAt(told, fees === "none" ? "without_fees" : momentOf(buyer))
  }
  if (buy.state !== "ok") return run
  const asked = result("askSale")
  const own = asked?.outcome._tag === "Reverted" ? reasonOf(asked.outcome.data) : Option.none<string>()
  const moves = (moved: bigint): TradeLeg =>
    transferOf(result("transfer"), moved, count("beforeTransfer"), count("afterTransfer"))
  return Option.match(buyer.settles, {
    onNone: () => ({
      ...run,
      ...partSold(told, buyer, bought, count),
      ...Option.match(buyer.sends, { onNone: () => ({}), onSome: ({ moved }) => ({ transfer: moves(moved) }) })
    }),
    onSome: ({ kept, moved, parts }) => {
      const transfer = moves(moved)
      return {
        ...run,
        transfer,
        ...wholeSold(told, buyer, {
          own,
          kept,
          parts,
          // Less may be refused because it is little.
          refusedByToken: (part, amount) =>
            transfer.state === "ok" && amount >= moved && isTakingRefused(result(`sell${part}`)),
          result,
          count
        })
      }
    }
  })
}

/** What an amount that was bought is worth: the share of what was paid, since the price did not fall in the meantime. */
const worthTo = ({ paid, promised }: TradeBuyers.Buyer, amount: bigint): bigint =>
  (amount * paid) / atLeastOne(promised)

const transferOf = (
  call: SimulatedCall | undefined,
  moved: bigint,
  before: Option.Option<TradeClerk.Count>,
  after: Option.Option<TradeClerk.Count>
): TradeLeg => {
  const counts = Option.all({ before, after })
  if (!Option.exists(before, ({ own }) => own >= moved)) return notReached(tooLittle)
  return legOf(call, {
    moved: () => Option.map(counts, (of) => of.after.own < of.before.own || of.after.peers > of.before.peers),
    tax: () =>
      Option.flatMap(counts, (of) =>
        missing(BigInts.max(grown(of.after.own, of.before.own), moved), grown(of.before.peers, of.after.peers))
      )
  })
}

// Of less, a unit that rounding took would pass for a tax.
const measurable = 10_000n

// The router is the exchange's own and reverts where less than the requested minimum of the quote came.
const soldSomething = () => Option.some(true)

/** The sale of a small part, by an account that does nothing else. */
const partSold = (
  { results, route }: Told,
  buyer: TradeBuyers.Buyer,
  bought: Option.Option<bigint>,
  count: (name: string) => Option.Option<TradeClerk.Count>
): Pick<TradeRun, "sell" | "sell_again"> => {
  const { sender, sold } = buyer
  if (!Option.exists(bought, (amount) => amount >= 2n * sold)) {
    return { sell: notReached(tooLittle), sell_again: null }
  }
  const leg = (name: string): TradeLeg => {
    const call = results.get(`${sender}.${name}`)
    const shown = unlessWorthless(
      legOf(call, {
        moved: soldSomething,
        tax: () =>
          sold < measurable
            ? Option.none()
            : Option.flatMap(
                Option.all([count(`${name}Before`), swapIn(route, call), count(`${name}After`)]),
                ([before, { tokenIn }, after]) => missing(BigInts.max(grown(after.own, before.own), sold), tokenIn)
              )
      }),
      worthTo(buyer, sold)
    )
    return unlessExhausted(route, shown)
  }
  return { sell: leg("sell"), sell_again: results.has(`${sender}.sellAgain`) ? leg("sellAgain") : null }
}

/** The sale of all that is held, and of less of it where that is refused. */
const wholeSold = (
  { route }: Told,
  buyer: TradeBuyers.Buyer,
  {
    count,
    kept,
    own,
    parts,
    refusedByToken,
    result
  }: {
    readonly own: Option.Option<string>
    readonly kept: bigint
    readonly parts: TradeBuyers.Settlement["parts"]
    readonly refusedByToken: (part: bigint, amount: bigint) => boolean
    readonly result: (name: string) => SimulatedCall | undefined
    readonly count: (name: string) => Option.Option<TradeClerk.Count>
  }
): Pick<TradeRun, "sell" | "sold_bps" | "refused_bps"> => {
  const before = count("before")
  if (Option.isNone(before)) {
    return { sell: notReached("a balance could not be read"), sold_bps: null, refused_bps: null }
  }
  const held = before.value.own
  const bps = (amount: bigint): number =>
    amount === held ? 10_000 : Math.min(9_999, Number((amount * 10_000n + held / 2n) / held))
  const tried = parts
    .map((part) => ({ part, amount: TradeBuyers.partOf(kept, part) }))
    .filter(({ amount }) => amount <= held)
  const first = tried.find(({ part }) => succeeded(result(`sell${part}`)))
  const counts = ({ amount, part }: (typeof tried)[number]) =>
    !isExhausted(route, result(`sell${part}`)?.gasUsed) &&
    (worthTo(buyer, amount) >= leastWorth || refusedByToken(part, amount))
  const refused = tried.find((trial) => !succeeded(result(`sell${trial.part}`)) && counts(trial))
  const [shown] = [first, refused, tried[0]].filter((trial) => trial !== undefined)
  if (shown === undefined) return { sell: notReached(tooLittle), sold_bps: null, refused_bps: null }
  const call = result(`sell${shown.part}`)
  const sell = legOf(call, {
    own,
    moved: soldSomething,
    tax: () =>
      Option.flatMap(
        Option.all([count(`after${shown.part}`), swapIn(route, call)]),
        // What is refused takes nothing, so that the first sale that is not begins with all that is held.
        ([after, swap]) => missing(BigInts.max(grown(after.own, held), shown.amount), swap.tokenIn)
      )
  })
  if (first === undefined && refused === undefined) {
    return { sell: unlessWorthless(sell, 0n), sold_bps: null, refused_bps: null }
  }
  return {
    sell,
    sold_bps: first === undefined ? 0 : bps(first.amount),
    refused_bps:
      refused === undefined || (first !== undefined && refused.amount < first.amount) ? null : bps(refused.amount)
  }
}
