import { BigInt as BigInts, Effect, Schema } from "effect"
import * as ChainBook from "../../../chain/ChainBook.js"
import { ChainState } from "../../../chain/state/ChainState.js"
import { Address } from "../../../domain/Address.js"
import type { Severity } from "../../../domain/Evidence.js"
import type { HolderKind } from "../../../domain/facts/HolderKind.js"
import { type HolderSet, Holders } from "../../../facts/market/Holders.js"
import * as Together from "../../../runtime/Together.js"
import * as Check from "../../Check.js"
import * as Fungible from "../Fungible.js"

/** Holders that are not one person: burn addresses, pools, vaults, and lockers with a running lock. */
const impersonal: ReadonlySet<HolderKind> = new Set<HolderKind>(["burn", "pool", "locker", "vault"])

/**
 * D-02: the share of the circulating supply that the largest holder has, and the ten largest together. Burned tokens
 * are not part of the circulating supply; pools and recorded, running locks are not holders. Medium from 20 % for one
 * holder or 70 % for ten; high from 50 % or 90 %.
 *
 * The shares found are lower bounds. Refuted, or a severity below high, only where the tokens of unknown holders could
 * not change the result. It does not apply to tokens on the token list: their large holders are custodians, bridges and
 * exchanges, which on-chain data cannot distinguish from a person.
 */
export const concentrated = Check.make({
  id: "holders.concentrated",
  code: "D-02",
  version: 2,
  targets: ["token"],
  claim: "A few accounts hold most of the supply",
  polarity: "risk",
  severity: "high",
  dimension: "market",
  tolerance: { kind: "absolute", amount: 200 },
  value: Schema.Struct({
    top_1_bps: Schema.NonNegativeInt,
    top_10_bps: Schema.NonNegativeInt,
    complete: Schema.Boolean,
    largest: Schema.NullOr(Address)
  }),
  run: (target) =>
    Effect.gen(function* () {
      const { chain } = yield* ChainState
      if (ChainBook.isListed(yield* ChainBook.of(chain.addressBook), target.address)) return Check.notApplicable
      const holders = yield* Holders
      const [fungible, reading] = yield* Together.all([Fungible.is(target.address), holders.of(target.address)])
      if (!fungible) return Check.notApplicable
      const observation = reading.observation()
      const shares = sharesOf(reading.value)
      if (shares === null)
        return [
          Check.unknown("inconclusive", "no tokens are in circulation, so there are no holder shares", { observation })
        ]
      const { gap } = reading.value
      const { circulating, isConsistent, largest, most, unseen } = shares
      const bps = (amount: bigint) => Math.min(10_000, Number((amount * 10_000n) / circulating))
      const [one, ten] = [bps(most.one), bps(most.ten)]
      const isExact = isConsistent && unseen === 0n && gap === null
      const value = { top_1_bps: one, top_10_bps: ten, complete: isExact, largest }
      const detail = `${isExact ? "" : "at least "}${one / 100} % of the circulating supply in one account, ${ten / 100} % in ten`
      const grade = gradeOf(one, ten)
      const highest = gradeOf(bps(BigInts.max(unseen, most.one)), bps(most.ten + unseen))
      if (grade === "high" || (grade === highest && isConsistent && gap === null))
        return [
          grade === null
            ? Check.refuted({ value, detail, observation })
            : Check.confirmed({ value, detail, observation, severity: grade })
        ]
      return isConsistent
        ? [
            Check.unknown(
              gap ?? (reading.value.fromBlock > 0 ? "log_range_limited" : "inconclusive"),
              `${detail}; holders of ${bps(unseen) / 100} % were not found`,
              { observation }
            )
          ]
        : [Check.unknown("inconclusive", "the balances add up to more than the supply", { observation })]
    })
})

const gradeOf = (one: number, ten: number): Severity | null =>
  one >= 5_000 || ten >= 9_000 ? "high" : one >= 2_000 || ten >= 7_000 ? "medium" : null

/** The largest balances, and the part of the supply without a known holder; null where none is in circulation. */
const sharesOf = ({ complete, holders, supply, unattributed }: HolderSet) => {
  const sum = (of: HolderSet["holders"]) => BigInts.sumAll(of.map(({ balance }) => balance))
  const burned = sum(holders.filter(({ kind }) => kind === "burn"))
  const held = sum(holders)
  const circulating = supply - burned
  if (circulating <= 0n) return null
  const persons = holders.filter(({ kind }) => !impersonal.has(kind))
  return {
    circulating,
    // Balances that are shares of an index are rounded.
    isConsistent: held <= supply + supply / 1_000_000n,
    largest: persons[0]?.address ?? null,
    most: {
      one: persons[0]?.balance ?? 0n,
      ten: sum(persons.slice(0, 10))
    },
    unseen: unattributed + (complete || held > supply ? 0n : supply - held)
  }
}
