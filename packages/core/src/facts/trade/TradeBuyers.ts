/** @internal */
import { Array as Arrays, Option } from "effect"
import type * as Address from "../../domain/Address.js"
import type { TradeEnvironment } from "../../domain/facts/TradeOutcome.js"
import * as SceneSeed from "../../domain/SceneSeed.js"
import { boundless } from "./RouterCalls.js"
import { atLeastOne, funded, nativeFor, promisedByPrice } from "./TradeAmounts.js"
import type { TradeRoute } from "./TradeRoute.js"
import { purse, sizes, smallPurse, type TradeScene } from "./TradeScene.js"

/** When what was bought is sold. */
export type Sells = TradeEnvironment["sells"]

/**
 * `parts` are ten-thousandths of the kept amount, largest first: a refused sale leaves the tokens, so the next one can
 * be tried.
 */
export interface Settlement {
  readonly moved: bigint
  readonly kept: bigint
  readonly parts: ReadonlyArray<bigint>
}

/** A transfer beside a sale, of an account that neither bought nor sold. */
export interface Sending {
  readonly given: bigint
  readonly moved: bigint
  readonly to: Address.Address
}

/** A fresh account and what it is to do, in amounts that are fixed before anything is simulated. */
export interface Buyer {
  readonly sender: Address.Address
  readonly peer: Address.Address
  readonly sells: Sells
  /** When it sells, in seconds after the pinned block; none where `sells` says so. */
  readonly at: Option.Option<number>
  readonly fees: TradeEnvironment["fees"]
  /** Its native coin. */
  readonly owns: typeof purse
  readonly spent: bigint
  /** What the purchase pays, in the quote. */
  readonly paid: bigint
  /** What the pool promises for it. */
  readonly promised: bigint
  /** The part that goes to the peer, and the part that is kept to be sold as a whole; none where it only sells. */
  readonly settles: Option.Option<Settlement>
  /** What its peer is given soon, and whom that sends a part of it when this one sells; none where it sends nothing. */
  readonly sends: Option.Option<Sending>
  /** What one sale of a part sells. */
  readonly sold: bigint
  /** In how many parts it buys. */
  readonly purchases: 1 | 2
  /** What it lets the router take. */
  readonly allowed: bigint
}

interface Role {
  readonly millionths: bigint
  readonly sells: Sells
  readonly at?: number
  readonly fees: TradeEnvironment["fees"]
  readonly keeps: Option.Option<bigint>
  readonly sends?: true
  readonly owns: typeof purse
  readonly purchases?: Buyer["purchases"]
  readonly allows?: "exactly"
}

// `keeps` are tenths of a purchase that are sold as a whole: little of the small one, so that enough is left after a
// high tax, and half of the larger ones. A token can depend on how often an account received it, and on the allowance
// of the spender: one account buys twice, and one allows only what it sells, as wallets propose.
const roles: ReadonlyArray<Role> = [
  { millionths: sizes.small, sells: "in_hours", fees: "paid", keeps: Option.some(1n), owns: smallPurse },
  { millionths: sizes.large, sells: "in_hours", fees: "paid", keeps: Option.some(5n), owns: purse },
  { millionths: sizes.small, sells: "in_a_day", fees: "paid", keeps: Option.none(), owns: purse },
  { millionths: sizes.small, sells: "in_a_month", fees: "paid", keeps: Option.none(), owns: smallPurse },
  { millionths: sizes.large, sells: "in_a_month", fees: "paid", keeps: Option.none(), owns: purse, purchases: 2 },
  {
    millionths: sizes.small,
    sells: "in_a_year",
    fees: "paid",
    keeps: Option.none(),
    owns: smallPurse,
    allows: "exactly"
  },
  { millionths: sizes.large, sells: "in_a_year", fees: "paid", keeps: Option.none(), owns: purse },
  { millionths: sizes.tiny, sells: "at_once", fees: "paid", keeps: Option.none(), owns: purse },
  { millionths: sizes.small, sells: "in_hours", fees: "none", keeps: Option.none(), owns: purse }
]

// What a pool of Uniswap V3 gives for so much hangs on where its liquidity lies.
const ofPairs: ReadonlyArray<Role> = [
  ...roles,
  { millionths: sizes.huge, sells: "in_hours", fees: "paid", keeps: Option.some(5n), owns: purse }
]

// Two sizes, so that none is refused for its size alone. Beside one of them, its peer sends something.
const atMoment = (seconds: number): ReadonlyArray<Role> => {
  const role = { sells: "at_a_moment", at: seconds, fees: "paid", keeps: Option.none(), owns: purse } as const
  return [
    { ...role, millionths: sizes.small },
    { ...role, millionths: 2n * sizes.small, sends: true }
  ]
}

// Hundredths of a purchase.
const movedShare = 4n
const soldShare = 1n

/**
 * All of them, in the order in which they buy: each purchase moves the price of the next. Two sell at each of some moments,
 * in seconds after the pinned block. Where trades may change `soon`, the one that sells in its block comes first.
 */
export const of = (
  route: TradeRoute,
  scene: TradeScene,
  { moments = [], soon = false }: { readonly moments?: ReadonlyArray<number>; readonly soon?: boolean } = {}
): ReadonlyArray<Buyer> => {
  let { reserveQuote, reserveToken } = route.pool
  let { funding } = route
  const usual = Option.isNone(route.pool.price) ? ofPairs : roles
  const [others, first] = Arrays.partition(usual, ({ sells }) => soon && sells === "at_once")
  const all = [...first, ...others, ...moments.flatMap(atMoment)]
  return all.map((role, index) => {
    const { allows, fees, keeps, millionths, owns, purchases = 1, sells, sends } = role
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
      onSome: (price) => promisedByPrice(route.pool.sides, price, paid)
    })
    const sold = atLeastOne((promised * soldShare) / (100n * BigInt(purchases)))
    const moved = atLeastOne((promised * movedShare) / 100n)
    return {
      sender: scene.account(SceneSeed.accounts.buyer + index),
      peer: scene.account(SceneSeed.accounts.peer + index),
      sells,
      at: Option.fromNullable(role.at),
      fees,
      owns,
      spent,
      paid,
      promised,
      settles: Option.map(keeps, (tenths) => ({
        moved,
        kept: atLeastOne((promised * tenths) / 10n),
        // Endpoints bound the gas of a whole request, and some tokens burn all that a sale is given.
        parts:
          millionths > sizes.large
            ? [10_000n, 1_000n, (100n * sizes.large) / millionths]
            : [10_000n, 9_900n, 5_000n, 100n]
      })),
      sends:
        sends === undefined
          ? Option.none()
          : Option.some({ given: moved, moved: sold, to: scene.account(SceneSeed.accounts.peer + index - 1) }),
      sold,
      purchases,
      allowed: allows === "exactly" ? sold : boundless
    }
  })
}

/** A number of ten-thousandths of the kept amount. */
export const partOf = (kept: bigint, part: bigint): bigint => atLeastOne((kept * part) / 10_000n)
