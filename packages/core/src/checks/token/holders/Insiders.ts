import { BigInt as BigInts, Effect, Either, Option, Schema } from "effect"
import * as ChainBook from "../../../chain/ChainBook.js"
import type { ChainError } from "../../../chain/ChainError.js"
import { ChainState, type LogScan } from "../../../chain/state/ChainState.js"
import type { Reading } from "../../../chain/state/Reading.js"
import * as AddressBook from "../../../data/AddressBook.js"
import * as Address from "../../../domain/Address.js"
import type { Severity, UnknownReason } from "../../../domain/Evidence.js"
import type { ControlGraph } from "../../../domain/facts/ControlGraph.js"
import type { Pool } from "../../../domain/facts/Pool.js"
import * as Selectors from "../../../evm/bytecode/Selectors.js"
import { Control } from "../../../facts/control/Control.js"
import * as Getter from "../../../facts/Getter.js"
import { Holders } from "../../../facts/market/Holders.js"
import * as Insiders from "../../../facts/market/Insiders.js"
import { Pools } from "../../../facts/market/Pools.js"
import { Token } from "../../../facts/market/Token.js"
import * as Market from "../../../facts/venue/Market.js"
import * as Together from "../../../runtime/Together.js"
import * as Check from "../../Check.js"
import * as Fungible from "../Fungible.js"

const gradeOf = (bps: number): Severity => (bps >= 2_000 ? "high" : bps >= 1_000 ? "medium" : "low")

const levelOf = (bps: number): Severity | null => (bps >= 500 ? gradeOf(bps) : null)

/**
 * Whether insiders hold at least 5 % of the supply. Insiders are the owner, other controllers, and receivers of minted
 * tokens (the first receivers are the deployer or accounts that the deployer chose). Pools and burn addresses are not
 * insiders, and neither are the first receivers of a token on the token list: they are its issuer's treasury, bridges and
 * exchanges. Low from 5 % of the supply, medium from 10 %, high from 20 %. A result below high is unknown where a balance
 * is unreadable or lower than the transfer events show, where tokens were minted to more accounts than are read or
 * without an event, or where a large part is in a pool vault or in a locker without a lock. `handed_bps` is the share
 * that other accounts still have from insiders, null where not all transfers were read and for listed tokens: events do
 * not show who owns those accounts.
 */
export const insiders = Check.make({
  id: "holders.insiders",
  code: "D-03",
  version: 4,
  targets: ["token"],
  claim: "Insiders hold at least 5 % of the supply",
  polarity: "risk",
  severity: "high",
  dimension: "market",
  tolerance: { kind: "absolute", amount: 200 },
  value: Schema.Struct({
    complete: Schema.Boolean,
    share_bps: Schema.NonNegativeInt,
    handed_bps: Schema.NullOr(Schema.NonNegativeInt),
    holders: Schema.Array(Schema.Struct({ address: Address.Address, share_bps: Schema.NonNegativeInt }))
  }),
  run: (target) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const control = yield* Control
      const pools = yield* Pools
      const balanceOf = (address: Address.Address) =>
        Effect.map(
          Getter.read(state, target.address, Selectors.functions.balanceOf, Getter.uint, [Getter.word(address)]),
          ({ value }) => ({ address, balance: Option.getOrElse(value, () => 0n), isTold: Option.isSome(value) })
        )
      const made = state.logs({
        address: target.address,
        topics: [Selectors.topics.Transfer, Getter.word(Address.zero)]
      })
      const holders = yield* Holders
      const book = yield* ChainBook.of(state.chain.addressBook)
      const isListed = ChainBook.isListed(book, target.address)
      const { empowered, graph, holding, isFungible, known, market, minted, profile, scan } = yield* Together.all({
        isFungible: Fungible.is(target.address),
        holding: Effect.either(holders.of(target.address)),
        profile: Effect.flatMap(Token, (token) => token.of(target.address)),
        known: Effect.if(pools.covers(target.address), {
          onTrue: () => Effect.map(pools.of(target.address), ({ value }) => value),
          onFalse: () => Effect.succeed<ReadonlyArray<Pool>>([])
        }),
        market: pools.market(target.address),
        scan: made,
        minted: Effect.flatMap(made, ({ value }) =>
          Together.forEach(isListed ? [] : Insiders.receivers(value.logs), balanceOf)
        ),
        empowered: Effect.either(control.each(target.address, balanceOf)),
        graph: Effect.either(control.of(target.address))
      })
      if (!isFungible) return Check.notApplicable
      const supply = BigInt(profile.value.total_supply ?? "0")
      if (supply === 0n)
        return [Check.unknown("inconclusive", "the total supply is 0 or could not be read, so there are no shares")]
      const outsiders = new Set<string>([
        ...AddressBook.burnAddresses.map((burnt) => Address.checksum(burnt)),
        target.address,
        ...known.map((pool) => pool.address),
        ...Market.vaultsOf(market)
      ])
      const asked = [...minted, ...Either.getOrElse(empowered, () => [])]
      const balances = new Map(asked.map(({ address, balance }) => [address, balance]))
      const held = [...balances].filter(([address, balance]) => !outsiders.has(address) && balance > 0n)
      const bps = (balance: bigint) => Math.min(10_000, Number((balance * 10_000n) / supply))
      const share = bps(BigInts.sumAll(held.map(([, balance]) => balance)))
      const largest = held
        .map(([address, balance]) => ({ address, share_bps: bps(balance) }))
        .filter(({ share_bps }) => share_bps > 0)
        .sort((a, b) => (a.address < b.address ? -1 : 1))
      const handed = bps(
        BigInts.sumAll(
          Either.match(holding, { onLeft: () => [], onRight: ({ value }) => [...value.handed] }).flatMap(
            ([address, amount]) => (balances.has(address) || outsiders.has(address) ? [] : amount)
          )
        )
      )
      const sent =
        handed === 0 || isListed ? "" : `; accounts that received tokens from insiders hold ${handed / 100} % more`
      // The token may report less than its transfer events show.
      const withheld = bps(
        BigInts.sumAll(
          Either.match(holding, { onLeft: () => [], onRight: ({ value }) => [...value.withheld] }).flatMap(
            ([address, more]) => (balances.has(address) && !outsiders.has(address) ? more : [])
          )
        )
      )
      // These tokens may belong to insiders too.
      const further = bps(
        Insiders.toFurther(scan.value.logs) +
          Either.match(holding, { onLeft: () => 0n, onRight: ({ value }) => value.unseen + value.unattributed })
      )
      const gapOfHolders = Either.match(holding, {
        onLeft: ({ reason }) => reason,
        onRight: ({ value }) => value.withheldGap ?? (isListed ? null : value.handedGap)
      })
      // Receivers are no insiders of a listed token, so none can be missing.
      const gapOfReceivers = isListed
        ? null
        : (gapOfScan(scan.value, balances.size) ??
          (levelOf(share) !== levelOf(share + further) ? "inconclusive" : null))
      const isMute = asked.some(({ address, isTold }) => !isTold && !outsiders.has(address))
      const gap =
        gapOf(empowered, graph) ??
        gapOfHolders ??
        gapOfReceivers ??
        (isMute ? "inconclusive" : withheld >= 500 ? "conflicting_sources" : null)
      const seen = {
        value: {
          complete: gap === null,
          share_bps: share,
          handed_bps: gap === null && !isListed ? handed : null,
          holders: largest
        },
        observation: scan.observation()
      }
      // A result below the highest grade could be higher if all insiders were known.
      if (share >= 500 && (gap === null || gradeOf(share) === "high"))
        return [
          Check.confirmed({
            ...seen,
            severity: gradeOf(share),
            detail: `insiders hold ${gap === null ? "" : "at least "}${share / 100} % of the supply${sent}`
          })
        ]
      if (gap !== null)
        return [
          Check.unknown(
            gap,
            `insiders hold at least ${share / 100} % of the supply, but not all insiders could be found${sent}`,
            { observation: seen.observation }
          )
        ]
      return [Check.refuted({ ...seen, detail: `insiders hold ${share / 100} % of the supply${sent}` })]
    })
})

const gapOfScan = (scan: LogScan, found: number): UnknownReason | null =>
  !scan.complete ? "log_range_limited" : found === 0 ? "inconclusive" : null

const gapOf = (
  empowered: Either.Either<unknown, ChainError>,
  graph: Either.Either<Reading<ControlGraph>, ChainError>
): UnknownReason | null => {
  if (Either.isLeft(empowered)) return empowered.left.reason
  if (Either.isLeft(graph)) return graph.left.reason
  const unread = graph.right.value.unread.find(({ reason }) => reason !== "inconclusive")
  return unread === undefined ? null : unread.reason
}
