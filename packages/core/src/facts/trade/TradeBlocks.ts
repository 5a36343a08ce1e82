/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState, SimulatedCall, StateOverride } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import type * as Address from "../../domain/Address.js"
import type { TradeEnvironment, TradeRun } from "../../domain/facts/TradeOutcome.js"
import type { Hex } from "../../domain/Hex.js"
import * as SceneSeed from "../../domain/SceneSeed.js"
import * as Together from "../../runtime/Together.js"
import type * as MarketReference from "../venue/MarketReference.js"
import {
  approvalData,
  boundless,
  controlMoves,
  fundingData,
  purchaseData,
  saleData,
  transferData
} from "./RouterCalls.js"
import * as SimulatedBlocks from "./SimulatedBlocks.js"
import { type Block, type Step, step } from "./SimulatedBlocks.js"
import { atLeastOne, controlSpend } from "./TradeAmounts.js"
import type { Buyer, Sells } from "./TradeBuyers.js"
import * as TradeBuyers from "./TradeBuyers.js"
import * as TradeClerk from "./TradeClerk.js"
import type * as TradeClock from "./TradeClock.js"
import { legGas, reasonOf } from "./TradeMeasure.js"
import { overridesOf, type TradeRoute } from "./TradeRoute.js"
import * as TradeRuns from "./TradeRuns.js"
import { delays, gas, gasPrice, purse, type TradeScene } from "./TradeScene.js"

/**
 * Trades of fresh accounts, all in one request: two that move and sell all that they hold some hours after they bought
 * it, in two sizes, and in a pair a third with the size of the largest holders; one that sells a day later and again a
 * month later; two that sell a month later, of which one bought twice, and two that sell a year later, of which one
 * allows the router no more than that; one that sells in the block of its purchase; and one that sells where gas costs
 * nothing. Each buys in a block of its own, and what an account does takes a block a step, because anti-bot rules allow
 * one movement a block. How many blocks go by for the token between two of them is up to `clock`.
 *
 * Where the token's code compares a clock with something, two more sell right before and right after each such moment
 * (`tries`), and an account that only received sends something then. Where such a moment is near (`soon`), and where a hook may
 * set the fee, purchases are seconds apart, and the one that is sold in its block comes first.
 *
 * Nothing in the blocks can wait for an answer, so that amounts are fixed shares of what the pool's price promises. To
 * sell *all* it has, an account first lets a clerk take away what it holds beyond such an amount.
 */
export const simulate = (
  state: ChainState["Type"],
  route: TradeRoute,
  scene: TradeScene,
  {
    clock,
    ...ahead
  }: { readonly clock: TradeClock.TradeClock; readonly tries: ReadonlyArray<number>; readonly soon: boolean }
): Effect.Effect<Reading.Reading<ReadonlyArray<TradeRun>>, ChainError> =>
  Effect.gen(function* () {
    const plan = planOf(route, scene, opened, ahead)
    const [reading, refusal] = yield* Together.all([
      SimulatedBlocks.run(state, clock.paced(plan)),
      purchaseRefusal(state, route, scene.account(SceneSeed.accounts.buyer))
    ])
    const told: TradeRuns.Told = { route, scene, results: reading.value, refusal, isControlled: plan.isControlled }
    return Reading.map(reading, () => plan.buyers.map((buyer) => TradeRuns.of(told, buyer)))
  })

/**
 * The blocks before the trades that create a pool: their state overrides, their calls, and a test of their results for
 * the pool.
 */
export interface Opening {
  readonly overrides: StateOverride
  readonly blocks: ReadonlyArray<ReadonlyArray<Step>>
  readonly isOpen: (results: ReadonlyMap<string, SimulatedCall>) => boolean
}

/**
 * The same trades in a pool that an {@link Opening} makes in the blocks before them; none where it did not. Of a purchase
 * that failed, the token's own words are not known.
 */
export const simulateAfter = (
  opening: Opening,
  state: ChainState["Type"],
  route: TradeRoute,
  scene: TradeScene,
  clock: TradeClock.TradeClock
): Effect.Effect<Reading.Reading<Option.Option<ReadonlyArray<TradeRun>>>, ChainError> => {
  const plan = planOf(route, scene, opening)
  return Effect.map(SimulatedBlocks.run(state, clock.paced(plan)), (reading) =>
    Reading.map(reading, (results) => {
      if (!opening.isOpen(results)) return Option.none()
      const told: TradeRuns.Told = { route, scene, results, refusal: Option.none(), isControlled: plan.isControlled }
      return Option.some(plan.buyers.map((buyer) => TradeRuns.of(told, buyer)))
    })
  )
}

/** The token's own error on leaving the pool, which the router hides; none where the call was not possible. */
const purchaseRefusal = (
  state: ChainState["Type"],
  route: TradeRoute,
  to: Address.Address
): Effect.Effect<Option.Option<Option.Option<string>>> =>
  state.call({ from: route.pool.pool.address, to: route.token, data: transferData(to, 1n), gas: gas.plain }).pipe(
    Effect.map(({ value }) => Option.some(value._tag === "Reverted" ? reasonOf(value.data) : Option.none())),
    Effect.orElseSucceed(() => Option.none())
  )

/** The account of the clerk; its code is there from the first block on. */
export const clerkOf = (scene: TradeScene): Address.Address => scene.account(SceneSeed.accounts.clerk)

interface Plan extends TradeClock.Plan {
  readonly buyers: ReadonlyArray<Buyer>
  readonly isControlled: boolean
}

const planOf = (
  route: TradeRoute,
  scene: TradeScene,
  opening: Pick<Opening, "overrides" | "blocks"> = opened,
  { soon, tries }: { readonly tries: ReadonlyArray<number>; readonly soon: boolean } = { tries: [], soon: false }
): Plan => {
  const buyers = TradeBuyers.of(route, scene, { moments: tries, soon })
  const clerk = clerkOf(scene)
  const controller = scene.account(SceneSeed.accounts.controller)
  const control = Option.map(route.control, (pool) => controlOf(route, pool, controller))
  const controls = (moment: string, price: bigint = gasPrice): ReadonlyArray<Step> =>
    Option.match(control, { onNone: () => [], onSome: ({ sale }) => [sale(moment, price)] })
  const settling = buyers.filter(({ settles }) => Option.isSome(settles))
  const selling = (sells: Sells, fees: TradeEnvironment["fees"]) =>
    buyers.filter((buyer) => buyer.sells === sells && buyer.fees === fees)
  const of = (seconds: number, steps: ReadonlyArray<Step>): Block => ({ block: scene.block(seconds), steps })
  const atMoments = tries.map(
    (seconds): Block =>
      of(seconds, [
        ...buyers
          .filter(({ at }) => Option.contains(at, seconds))
          .flatMap((buyer) => [
            allowing(route, buyer),
            ...partSale(route, clerk, buyer, "sell"),
            ...sending(route, clerk, buyer)
          ]),
        ...controls(TradeRuns.momentOf({ sells: "at_a_moment", at: Option.some(seconds) }))
      ])
  )

  const first = [
    ...opening.blocks,
    Option.match(control, { onNone: () => [], onSome: ({ purchase }) => purchase }),
    ...buyers.map((buyer) => [
      ...buying(route, clerk, buyer),
      ...(buyer.sells === "at_once" ? [...partSale(route, clerk, buyer, "sell"), ...controls("at_once")] : [])
    ])
  ].filter((steps) => steps.length > 0)
  const hour = (hours: number, steps: ReadonlyArray<Step>) => of(hours * delays.hour, steps)
  const blocks: ReadonlyArray<Block> = [
    ...first.map((steps, index) => of((index + 1) * blockTime(route, soon), steps)),
    hour(1, [
      ...settling.flatMap((buyer) => moving(route, clerk, buyer)),
      ...buyers.flatMap((buyer) => (buyer.purchases === 2 ? [purchase(route, buyer, "buyMore")] : [])),
      ...buyers.flatMap((buyer) => giving(route, buyer))
    ]),
    ...settling.flatMap((buyer, index) => [
      hour(2 * index + 2, trimming(route, clerk, buyer)),
      hour(2 * index + 3, settlingSales(route, clerk, buyer))
    ]),
    // Last of these hours, because it would change what is measured: the token's own words, which routers hide.
    hour(8, [...controls("in_hours"), ...settling.map((buyer) => asking(route, buyer))]),
    {
      block: scene.blockWithoutFees(9 * delays.hour),
      steps: [
        ...selling("in_hours", "none").flatMap((buyer) => partSale(route, clerk, buyer, "sell").map(withoutFees)),
        ...controls("without_fees", 0n)
      ]
    },
    of(delays.day + delays.hour, [
      ...selling("in_a_day", "paid").flatMap((buyer) => partSale(route, clerk, buyer, "sell")),
      ...controls("in_a_day")
    ]),
    of(delays.month, [
      ...selling("in_a_month", "paid").flatMap((buyer) => partSale(route, clerk, buyer, "sell")),
      ...selling("in_a_day", "paid").flatMap((buyer) => partSale(route, clerk, buyer, "sellAgain")),
      ...controls("in_a_month")
    ]),
    of(delays.year, [
      ...selling("in_a_year", "paid").flatMap((buyer) => partSale(route, clerk, buyer, "sell")),
      ...controls("in_a_year")
    ]),
    ...atMoments
  ].sort((a, b) => (a.block.time ?? 0) - (b.block.time ?? 0))
  return {
    overrides: {
      ...opening.overrides,
      ...overridesOf(route),
      [clerk]: { code: TradeClerk.code },
      ...Object.fromEntries(
        buyers.flatMap(({ owns, peer, sender, sends, spent }) => [
          [sender, { balance: owns(sender, spent) }] as const,
          ...(Option.isSome(sends) ? [[peer, { balance: owns(peer, 0n) }] as const] : [])
        ])
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

const opened: Pick<Opening, "overrides" | "blocks"> = { overrides: {}, blocks: [] }

// A hook or a token may take most of a trade for the first seconds after it opened, which blocks of a slow chain would leave out.
const blockTime = ({ pool }: TradeRoute, soon: boolean): number => (soon || Option.isSome(pool.ruled) ? 2 : 12)

const withoutFees = ({ call, name }: Step): Step => ({ name, call: { ...call, gasPrice: 0n } })

const approving = (
  name: string,
  token: Hex,
  spender: Hex,
  { sender }: Pick<Buyer, "sender">,
  amount: bigint = boundless
): Step => step(`${sender}.${name}`, sender, { to: token, data: approvalData(spender, amount) }, gas.plain)

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

/** One of the purchases of a buyer. */
const purchase = (route: TradeRoute, { paid, purchases, sender }: Buyer, name: "buy" | "buyMore"): Step => {
  const amount = atLeastOne(paid / BigInt(purchases))
  return step(
    `${sender}.${name}`,
    sender,
    {
      to: route.router.address,
      data: purchaseData(route, route.pool.pool.quote, route.token, route.pool.fee, sender, amount),
      value: Option.isNone(route.funding) ? amount : undefined
    },
    legGas(route)
  )
}

const buying = (route: TradeRoute, clerk: Address.Address, buyer: Buyer): ReadonlyArray<Step> => [
  ...fundingSteps(route, buyer),
  purchase(route, buyer, "buy"),
  TradeClerk.counting("bought", clerk, route.token, buyer),
  ...(Option.isNone(buyer.at) ? [allowing(route, buyer)] : []),
  ...(Option.isSome(buyer.settles) ? [approving("approveClerk", route.token, clerk, buyer)] : [])
]

/** Who sells at a moment allows it then: an approval can be refused, too. */
const allowing = (route: TradeRoute, buyer: Buyer): Step =>
  approving("approve", route.token, route.router.address, buyer, buyer.allowed)

const moving = (route: TradeRoute, clerk: Address.Address, buyer: Buyer): ReadonlyArray<Step> =>
  Option.match(buyer.settles, {
    onNone: () => [],
    onSome: ({ moved }) => [
      TradeClerk.counting("beforeTransfer", clerk, route.token, buyer),
      step(
        `${buyer.sender}.transfer`,
        buyer.sender,
        { to: route.token, data: transferData(buyer.peer, moved) },
        gas.plain
      ),
      TradeClerk.counting("afterTransfer", clerk, route.token, buyer)
    ]
  })

/** An account is given some, to send a part of it later. */
const giving = (route: TradeRoute, { peer, sender, sends }: Buyer): ReadonlyArray<Step> =>
  Option.match(sends, {
    onNone: () => [],
    onSome: ({ given }) => [
      step(`${sender}.give`, sender, { to: route.token, data: transferData(peer, given) }, gas.plain)
    ]
  })

/** The transfer of an account that was only given something: rules of one movement a block do not refuse it for a sale. */
const sending = (route: TradeRoute, clerk: Address.Address, { peer, sender, sends }: Buyer): ReadonlyArray<Step> =>
  Option.match(sends, {
    onNone: () => [],
    onSome: ({ moved, to }) => {
      const counting = (name: string): Step => ({
        ...TradeClerk.counting(name, clerk, route.token, { sender: peer, peer: to }),
        name: `${sender}.${name}`
      })
      return [
        counting("beforeTransfer"),
        step(`${sender}.transfer`, peer, { to: route.token, data: transferData(to, moved) }, gas.plain),
        counting("afterTransfer")
      ]
    }
  })

const trimming = (route: TradeRoute, clerk: Address.Address, buyer: Buyer): ReadonlyArray<Step> =>
  Option.match(buyer.settles, {
    onNone: () => [],
    onSome: ({ kept }) => [TradeClerk.trimming("trim", clerk, route.token, buyer, kept)]
  })

const settlingSales = (route: TradeRoute, clerk: Address.Address, buyer: Buyer): ReadonlyArray<Step> =>
  Option.match(buyer.settles, {
    onNone: () => [],
    onSome: ({ kept, parts }) => [
      TradeClerk.counting("before", clerk, route.token, buyer),
      ...parts.flatMap((part) => [
        sale(route, buyer, `sell${part}`, TradeBuyers.partOf(kept, part)),
        TradeClerk.counting(`after${part}`, clerk, route.token, buyer)
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
    legGas(route)
  )

/** The rest of the holding is read too: a sale can cost more than the sold amount. */
const partSale = (
  route: TradeRoute,
  clerk: Address.Address,
  buyer: Buyer,
  name: "sell" | "sellAgain"
): ReadonlyArray<Step> => [
  TradeClerk.counting(`${name}Before`, clerk, route.token, buyer),
  sale(route, buyer, name, buyer.sold),
  TradeClerk.counting(`${name}After`, clerk, route.token, buyer)
]

const asking = (route: TradeRoute, { sender }: Buyer): Step =>
  step(`${sender}.askSale`, sender, { to: route.token, data: transferData(route.pool.pool.address, 1n) }, gas.plain)

const controlOf = (route: TradeRoute, pool: MarketReference.ReferencePool, sender: Address.Address) => {
  const { approval, purchase, sale } = controlMoves(route, pool, sender)
  return {
    purchase: [step("control.buy", sender, purchase, gas.leg), step("control.approve", sender, approval, gas.plain)],
    sale: (moment: string, price: bigint): Step => {
      const { call, name } = step(`control.${moment}`, sender, sale, gas.leg)
      return { name, call: { ...call, gasPrice: price } }
    }
  }
}
