import { BigInt as BigInts, Effect, Option } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import type { ChainState, SimulatedCall } from "../chain/ChainState.js"
import * as Reading from "../chain/Reading.js"
import * as Together from "../chain/Together.js"
import * as Simulator from "../data/TradeSimulator.js"
import type * as Address from "../domain/Address.js"
import type { TradeEnvironment, TradeLeg, TradeRun } from "../domain/facts/TradeOutcome.js"
import type { Hex } from "../domain/Hex.js"
import * as Quantity from "../domain/Quantity.js"
import * as Selectors from "../evm/Selectors.js"
import * as Getter from "./Getter.js"
import type * as MarketReference from "./MarketReference.js"
import * as SimulatedBlocks from "./SimulatedBlocks.js"
import { type Block, type Step, step } from "./SimulatedBlocks.js"
import type * as TradeClock from "./TradeClock.js"
import {
  grown,
  isTakingRefused,
  leastWorth,
  legOf,
  missing,
  notReached,
  reasonOf,
  swapIn,
  unlessWorthless
} from "./TradeMeasure.js"
import {
  approvalData,
  atLeastOne,
  boundless,
  controlMoves,
  controlSpend,
  funded,
  fundingData,
  nativeFor,
  promisedByPrice,
  purchaseData,
  saleData,
  type TradeRoute,
  transferData
} from "./TradeRoute.js"
import { delays, gas, gasPrice, purse, sizes, smallPurse, type TradeScene } from "./TradeScene.js"

/**
 * Trades of nine fresh accounts, all in one request: two that move and sell all that they hold some hours after they
 * bought it, in two sizes; one that sells a day later and again a month later; two that sell a month later, and two that
 * sell a year later; one that sells in the block of its purchase; and one that sells where gas costs nothing. Each buys in
 * a block of its own, and what an account does takes a block a step, because anti-bot rules allow one movement a block.
 * How many blocks go by for the token between two of them is up to `clock`.
 *
 * Nothing in the blocks can wait for an answer, so that amounts are fixed shares of what the pool's price promises. To
 * sell *all* it has, an account first lets a clerk take away what it holds beyond such an amount.
 *
 * @since 0.1.0
 * @category constructors
 */
export const simulate = (
  state: ChainState["Type"],
  route: TradeRoute,
  scene: TradeScene,
  clock: TradeClock.TradeClock
): Effect.Effect<Reading.Reading<ReadonlyArray<TradeRun>>, ChainError> =>
  Effect.gen(function* () {
    const plan = planOf(route, scene)
    const [reading, refusal] = yield* Together.all([
      SimulatedBlocks.run(state, clock.paced(plan)),
      purchaseRefusal(state, route, scene.account(0))
    ])
    const told: Told = { route, results: reading.value, refusal, isControlled: plan.isControlled }
    return Reading.map(reading, () => plan.buyers.map((buyer) => runOf(told, buyer)))
  })

/** The token's own words on leaving the pool, which the router hides; none where it could not be asked. */
const purchaseRefusal = (
  state: ChainState["Type"],
  route: TradeRoute,
  to: Address.Address
): Effect.Effect<Option.Option<Option.Option<string>>> =>
  state.call({ from: route.pool.pool.address, to: route.token, data: transferData(to, 1n), gas: gas.plain }).pipe(
    Effect.map(({ value }) => Option.some(value._tag === "Reverted" ? reasonOf(value.data) : Option.none())),
    Effect.orElseSucceed(() => Option.none())
  )

type Sells = TradeEnvironment["sells"]

interface Buyer {
  readonly sender: Address.Address
  readonly peer: Address.Address
  readonly sells: Sells
  readonly fees: TradeEnvironment["fees"]
  /** What it has, beside tokens. */
  readonly owns: typeof purse
  readonly spent: bigint
  /** What the purchase pays, in the quote. */
  readonly paid: bigint
  /** What the pool promises for it. */
  readonly promised: bigint
  /** What is moved to the peer, and what is kept of the purchase to be sold as a whole; none where it only sells. */
  readonly settles: Option.Option<{ readonly moved: bigint; readonly kept: bigint }>
  /** What one sale of a part sells. */
  readonly sold: bigint
}

interface Plan extends TradeClock.Plan {
  readonly buyers: ReadonlyArray<Buyer>
  readonly isControlled: boolean
}

// `keeps` are tenths of a purchase that are sold as a whole: little of the small one, so that it is there also where nearly all was
// taken as a tax, and half of the large one.
const roles: ReadonlyArray<{
  readonly millionths: bigint
  readonly sells: Sells
  readonly fees: TradeEnvironment["fees"]
  readonly keeps: Option.Option<bigint>
  readonly owns: typeof purse
}> = [
  { millionths: sizes.small, sells: "in_hours", fees: "paid", keeps: Option.some(1n), owns: smallPurse },
  { millionths: sizes.large, sells: "in_hours", fees: "paid", keeps: Option.some(5n), owns: purse },
  { millionths: sizes.small, sells: "in_a_day", fees: "paid", keeps: Option.none(), owns: purse },
  { millionths: sizes.small, sells: "in_a_month", fees: "paid", keeps: Option.none(), owns: smallPurse },
  { millionths: sizes.large, sells: "in_a_month", fees: "paid", keeps: Option.none(), owns: purse },
  { millionths: sizes.small, sells: "in_a_year", fees: "paid", keeps: Option.none(), owns: smallPurse },
  { millionths: sizes.large, sells: "in_a_year", fees: "paid", keeps: Option.none(), owns: purse },
  { millionths: sizes.tiny, sells: "at_once", fees: "paid", keeps: Option.none(), owns: purse },
  { millionths: sizes.small, sells: "in_hours", fees: "none", keeps: Option.none(), owns: purse }
]

// Hundredths of a purchase.
const movedShare = 4n
const soldShare = 1n

const buyersOf = (route: TradeRoute, scene: TradeScene): ReadonlyArray<Buyer> => {
  let { reserveQuote, reserveToken } = route.pool
  let { funding } = route
  return roles.map(({ fees, keeps, millionths, owns, sells }, index) => {
    const spent = nativeFor(route, millionths)
    const paid = Option.match(funding, { onNone: () => spent, onSome: (by) => funded(by, spent) })
    funding = Option.map(funding, (by) => ({
      ...by,
      reserveWrapped: by.reserveWrapped + spent,
      reserveQuote: by.reserveQuote - paid
    }))
    const promised = Option.match(route.pool.price, {
      onNone: () => {
        // A pair's formula with a fee above any that is in use.
        const kept = paid * 990n
        const out = (kept * reserveToken) / (reserveQuote * 1_000n + kept)
        reserveQuote += paid
        reserveToken -= out
        return out
      },
      onSome: (price) => promisedByPrice(route.token, route.pool.pool.quote, price, paid)
    })
    return {
      sender: scene.account(index),
      peer: scene.account(50 + index),
      sells,
      fees,
      owns,
      spent,
      paid,
      promised,
      settles: Option.map(keeps, (tenths) => ({
        moved: atLeastOne((promised * movedShare) / 100n),
        kept: atLeastOne((promised * tenths) / 10n)
      })),
      sold: atLeastOne((promised * soldShare) / 100n)
    }
  })
}

const planOf = (route: TradeRoute, scene: TradeScene): Plan => {
  const buyers = buyersOf(route, scene)
  const clerk = scene.account(101)
  const controller = scene.account(102)
  const control = Option.map(route.control, (pool) => controlOf(route, pool, controller))
  const controls = (moment: Sells | "without_fees", price: bigint = gasPrice): ReadonlyArray<Step> =>
    Option.match(control, { onNone: () => [], onSome: ({ sale }) => [sale(moment, price)] })
  const settling = buyers.filter(({ settles }) => Option.isSome(settles))
  const selling = (sells: Sells, fees: TradeEnvironment["fees"]) =>
    buyers.filter((buyer) => buyer.sells === sells && buyer.fees === fees)
  const of = (seconds: number, steps: ReadonlyArray<Step>): Block => ({ block: scene.block(seconds), steps })

  const purchases = [
    Option.match(control, { onNone: () => [], onSome: ({ purchase }) => purchase }),
    ...buyers.map((buyer) => [
      ...buying(route, clerk, buyer),
      ...(buyer.sells === "at_once" ? [partSale(route, buyer, "sell"), ...controls("at_once")] : [])
    ])
  ].filter((steps) => steps.length > 0)
  const hour = (hours: number, steps: ReadonlyArray<Step>) => of(hours * delays.hour, steps)
  const blocks: ReadonlyArray<Block> = [
    ...purchases.map((steps, index) => of((index + 1) * blockTime, steps)),
    hour(
      1,
      settling.flatMap((buyer) => moving(route, clerk, buyer))
    ),
    ...settling.flatMap((buyer, index) => [
      hour(2 * index + 2, [trimming(route, clerk, buyer)]),
      hour(2 * index + 3, settlingSales(route, clerk, buyer))
    ]),
    // Last of these hours, because it would change what is measured: the token's own words, which routers hide.
    hour(8, [...controls("in_hours"), ...settling.map((buyer) => asking(route, buyer))]),
    {
      block: scene.blockWithoutFees(9 * delays.hour),
      steps: [
        ...selling("in_hours", "none").map((buyer) => withoutFees(partSale(route, buyer, "sell"))),
        ...controls("without_fees", 0n)
      ]
    },
    of(delays.day + delays.hour, [
      ...selling("in_a_day", "paid").map((buyer) => partSale(route, buyer, "sell")),
      ...controls("in_a_day")
    ]),
    of(delays.month, [
      ...selling("in_a_month", "paid").map((buyer) => partSale(route, buyer, "sell")),
      ...selling("in_a_day", "paid").map((buyer) => partSale(route, buyer, "sellAgain")),
      ...controls("in_a_month")
    ]),
    of(delays.year, [
      ...selling("in_a_year", "paid").map((buyer) => partSale(route, buyer, "sell")),
      ...controls("in_a_year")
    ])
  ]
  return {
    overrides: {
      [clerk]: { code: Simulator.clerk },
      ...Object.fromEntries(
        buyers.map(({ owns, sender, spent }) => [sender, { balance: owns(sender, spent) }] as const)
      ),
      ...Option.match(route.control, {
        onNone: () => ({}),
        onSome: (pool) => ({ [controller]: { balance: purse(controller, controlSpend(pool)) } })
      })
    },
    blocks,
    buyers,
    isControlled: Option.isSome(control)
  }
}

const blockTime = 12

const withoutFees = ({ call, name }: Step): Step => ({ name, call: { ...call, gasPrice: 0n } })

const balancesSelector = Selectors.selector("balances(address,address,address)")
const trimSelector = Selectors.selector("trim(address,uint256,address)")

const counting = (name: string, route: TradeRoute, clerk: Address.Address, { peer, sender }: Buyer): Step =>
  step(
    `${sender}.${name}`,
    sender,
    { to: clerk, data: Getter.calldata(balancesSelector, [route.token, sender, peer].map(Getter.word)) },
    gas.view
  )

const approving = (name: string, token: Hex, spender: Hex, { sender }: Pick<Buyer, "sender">): Step =>
  step(`${sender}.${name}`, sender, { to: token, data: approvalData(spender, boundless) }, gas.plain)

const fundingSteps = (route: TradeRoute, buyer: Buyer): ReadonlyArray<Step> =>
  Option.match(route.funding, {
    onNone: () => [],
    onSome: (funding) => [
      step(
        `${buyer.sender}.fund`,
        buyer.sender,
        { to: funding.by, data: fundingData(route, funding, buyer.sender), value: buyer.spent },
        gas.plain
      ),
      approving("approveQuote", route.pool.pool.quote, route.router.address, buyer)
    ]
  })

const purchase = (route: TradeRoute, { paid, sender }: Buyer): Step =>
  step(
    `${sender}.buy`,
    sender,
    {
      to: route.router.address,
      data: purchaseData(route, route.pool.pool.quote, route.token, route.pool.fee, sender, paid),
      value: Option.isNone(route.funding) ? paid : undefined
    },
    gas.leg
  )

const buying = (route: TradeRoute, clerk: Address.Address, buyer: Buyer): ReadonlyArray<Step> => [
  ...fundingSteps(route, buyer),
  purchase(route, buyer),
  counting("bought", route, clerk, buyer),
  approving("approve", route.token, route.router.address, buyer),
  ...(Option.isSome(buyer.settles) ? [approving("approveClerk", route.token, clerk, buyer)] : [])
]

const moving = (route: TradeRoute, clerk: Address.Address, buyer: Buyer): ReadonlyArray<Step> =>
  Option.match(buyer.settles, {
    onNone: () => [],
    onSome: ({ moved }) => [
      counting("beforeTransfer", route, clerk, buyer),
      step(
        `${buyer.sender}.transfer`,
        buyer.sender,
        { to: route.token, data: transferData(buyer.peer, moved) },
        gas.plain
      ),
      counting("afterTransfer", route, clerk, buyer)
    ]
  })

const trimming = (route: TradeRoute, clerk: Address.Address, { peer, sender, settles }: Buyer): Step => {
  const kept = Option.match(settles, { onNone: () => 0n, onSome: ({ kept }) => kept })
  return step(
    `${sender}.trim`,
    sender,
    {
      to: clerk,
      data: Getter.calldata(trimSelector, [Getter.word(route.token), Getter.word(kept), Getter.word(peer)])
    },
    gas.leg
  )
}

/** Ten-thousandths of the holding, greatest first: what is refused stays, so that the next one still can be tried. */
const parts = [10_000n, 9_900n, 5_000n, 100n] as const

const partOf = (kept: bigint, part: bigint): bigint => atLeastOne((kept * part) / 10_000n)

const settlingSales = (route: TradeRoute, clerk: Address.Address, buyer: Buyer): ReadonlyArray<Step> =>
  Option.match(buyer.settles, {
    onNone: () => [],
    onSome: ({ kept }) => [
      counting("before", route, clerk, buyer),
      ...parts.flatMap((part) => [
        sale(route, buyer, `sell${part}`, partOf(kept, part)),
        counting(`after${part}`, route, clerk, buyer)
      ])
    ]
  })

const sale = (route: TradeRoute, { sender }: Buyer, name: string, amount: bigint): Step =>
  step(
    `${sender}.${name}`,
    sender,
    {
      to: route.router.address,
      data: saleData(route, route.token, route.pool.pool.quote, route.pool.fee, sender, amount)
    },
    gas.leg
  )

const partSale = (route: TradeRoute, buyer: Buyer, name: string): Step => sale(route, buyer, name, buyer.sold)

const asking = (route: TradeRoute, { sender }: Buyer): Step =>
  step(`${sender}.askSale`, sender, { to: route.token, data: transferData(route.pool.pool.address, 1n) }, gas.plain)

const controlOf = (route: TradeRoute, pool: MarketReference.ReferencePool, sender: Address.Address) => {
  const { approval, purchase, sale } = controlMoves(route, pool, sender)
  return {
    purchase: [step("control.buy", sender, purchase, gas.leg), step("control.approve", sender, approval, gas.plain)],
    sale: (moment: Sells | "without_fees", price: bigint): Step => {
      const { call, name } = step(`control.${moment}`, sender, sale, gas.leg)
      return { name, call: { ...call, gasPrice: price } }
    }
  }
}

interface Told {
  readonly route: TradeRoute
  readonly results: ReadonlyMap<string, SimulatedCall>
  readonly refusal: Option.Option<Option.Option<string>>
  readonly isControlled: boolean
}

interface Count {
  readonly own: bigint
  readonly peers: bigint
}

const succeeded = (call: SimulatedCall | undefined): boolean => call?.outcome._tag === "Returned"

const controlAt = ({ isControlled, results }: Told, moment: Sells | "without_fees"): TradeRun["control"] =>
  !isControlled
    ? "unavailable"
    : succeeded(results.get("control.buy")) && succeeded(results.get(`control.${moment}`))
      ? "ok"
      : "failed"

const tooLittle = "too little arrived of what was bought"

const runOf = (told: Told, buyer: Buyer): TradeRun => {
  const { refusal, results, route } = told
  const { fees, sells, sender } = buyer
  const result = (name: string) => results.get(`${sender}.${name}`)
  const count = (name: string): Option.Option<Count> =>
    Option.flatMap(Option.fromNullable(result(name)), ({ outcome }) =>
      outcome._tag === "Returned" ? countOf(outcome.data) : Option.none()
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
  const buy = Option.isNone(refusal) && bare.state === "reverted" ? { ...bare, error: null } : bare
  const run: TradeRun = {
    environment: { method: "simulate_v1", begins: "now", sells, fees },
    sender,
    spent: Quantity.make(buyer.spent),
    buy,
    transfer: notReached(),
    sell: notReached(),
    sold_bps: null,
    refused_bps: null,
    sell_again: null,
    control: controlAt(told, fees === "none" ? "without_fees" : sells)
  }
  if (buy.state !== "ok") return run
  const asked = result("askSale")
  const own = asked?.outcome._tag === "Reverted" ? reasonOf(asked.outcome.data) : Option.none<string>()
  return Option.match(buyer.settles, {
    onNone: () => ({ ...run, ...partSold(told, buyer, bought) }),
    onSome: ({ kept, moved }) => {
      const transfer = transferOf(result("transfer"), moved, count("beforeTransfer"), count("afterTransfer"))
      return {
        ...run,
        transfer,
        ...wholeSold(told, buyer, {
          own,
          kept,
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
const worthTo = ({ paid, promised }: Buyer, amount: bigint): bigint => (amount * paid) / atLeastOne(promised)

const countOf = (data: Hex): Option.Option<Count> =>
  Option.flatMap(
    Option.all([0, 32, 64, 96].map((offset) => Getter.wordAt(data, offset))),
    ([ownRead, own, peersRead, peers]) =>
      BigInt(ownRead ?? 0) === 1n && BigInt(peersRead ?? 0) === 1n
        ? Option.some({ own: BigInt(own ?? 0), peers: BigInt(peers ?? 0) })
        : Option.none()
  )

const transferOf = (
  call: SimulatedCall | undefined,
  moved: bigint,
  before: Option.Option<Count>,
  after: Option.Option<Count>
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

// The router is the exchange's own and reverts where less than the asked-for minimum of the quote came.
const soldSomething = () => Option.some(true)

/** The sale of a small part, by an account of which nothing else is asked. */
const partSold = (
  { results, route }: Told,
  buyer: Buyer,
  bought: Option.Option<bigint>
): Pick<TradeRun, "sell" | "sell_again"> => {
  const { sender, sold } = buyer
  if (!Option.exists(bought, (amount) => amount >= 2n * sold)) {
    return { sell: notReached(tooLittle), sell_again: null }
  }
  const leg = (name: string): TradeLeg => {
    const call = results.get(`${sender}.${name}`)
    return unlessWorthless(
      legOf(call, {
        moved: soldSomething,
        tax: () =>
          sold < measurable
            ? Option.none()
            : Option.flatMap(swapIn(route, call), ({ tokenIn }) => missing(sold, tokenIn))
      }),
      worthTo(buyer, sold)
    )
  }
  return { sell: leg("sell"), sell_again: results.has(`${sender}.sellAgain`) ? leg("sellAgain") : null }
}

/** The sale of all that is held, and of less of it where that is refused. */
const wholeSold = (
  { route }: Told,
  buyer: Buyer,
  {
    count,
    kept,
    own,
    refusedByToken,
    result
  }: {
    readonly own: Option.Option<string>
    readonly kept: bigint
    readonly refusedByToken: (part: bigint, amount: bigint) => boolean
    readonly result: (name: string) => SimulatedCall | undefined
    readonly count: (name: string) => Option.Option<Count>
  }
): Pick<TradeRun, "sell" | "sold_bps" | "refused_bps"> => {
  const before = count("before")
  if (Option.isNone(before)) {
    return { sell: notReached("a balance could not be read"), sold_bps: null, refused_bps: null }
  }
  const held = before.value.own
  const bps = (amount: bigint): number =>
    amount === held ? 10_000 : Math.min(9_999, Number((amount * 10_000n + held / 2n) / held))
  const tried = parts.map((part) => ({ part, amount: partOf(kept, part) })).filter(({ amount }) => amount <= held)
  const first = tried.find(({ part }) => succeeded(result(`sell${part}`)))
  const counts = ({ amount, part }: (typeof tried)[number]) =>
    worthTo(buyer, amount) >= leastWorth || refusedByToken(part, amount)
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
