import { BigInt as BigInts, Effect, Option, Schema } from "effect"
import { ChainState } from "../../chain/ChainState.js"
import * as Together from "../../chain/Together.js"
import * as TokenLists from "../../data/TokenLists.js"
import { Address } from "../../domain/Address.js"
import type { Severity } from "../../domain/Evidence.js"
import type { HolderKind } from "../../domain/facts/HolderKind.js"
import { type HolderSet, Holders } from "../../facts/market/Holders.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

/** Holders that are no one person's: nobody's, everybody's, or not to be had before a date. */
const impersonal: ReadonlySet<HolderKind> = new Set<HolderKind>(["burn", "pool", "locker", "vault"])

/**
 * D-02: how much of the supply that is not burned the largest holder has, and the ten largest together, leaving out
 * pools and what lockers keep by a record of a lock that runs; whose the rest is that they hold, nobody can tell. From a
 * fifth in one hand or seven tenths in ten it is medium, from a half or nine tenths high.
 *
 * What was found is a lower bound: it refutes only where the balances found leave no room for a larger holder, and it
 * gives less than the highest grade only then. It does not apply to tokens of the list: their large holders are
 * custodians, bridges and exchanges, too many to enumerate, whom no chain tells from a person.
 *
 * @since 0.1.0
 * @category models
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
      if (Option.isSome(TokenLists.find(chain.addressBook, target.address))) return Check.notApplicable
      const holders = yield* Holders
      const [fungible, reading] = yield* Together.all([Tradeable.fungible(target.address), holders.of(target.address)])
      if (!fungible) return Check.notApplicable
      const observation = reading.observation()
      const shares = sharesOf(reading.value)
      if (shares === null) return [Check.unknown("inconclusive", "nothing of it is in circulation", { observation })]
      const { gap } = reading.value
      const { circulating, isConsistent, largest, most, unseen } = shares
      const bps = (amount: bigint) => Math.min(10_000, Number((amount * 10_000n) / circulating))
      const [one, ten] = [bps(most.one), bps(most.ten)]
      const isExact = isConsistent && unseen === 0n && gap === null
      const value = { top_1_bps: one, top_10_bps: ten, complete: isExact, largest }
      const detail = `${isExact ? "" : "at least "}${one / 100} % in one hand, ${ten / 100} % in ten`
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
              `${detail}; of ${bps(unseen) / 100} % it was not found who holds it`,
              { observation }
            )
          ]
        : [Check.unknown("inconclusive", "the balances add up to more than the supply", { observation })]
    })
})

const gradeOf = (one: number, ten: number): Severity | null =>
  one >= 5_000 || ten >= 9_000 ? "high" : one >= 2_000 || ten >= 7_000 ? "medium" : null

/** The largest balances, and how much of the supply nobody was found to hold; null where none is in circulation. */
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
