/** @internal */

import { type Analyzer, TargetMismatch, UpstreamUnavailable } from "@assay/core/analysis/Analyzer"
import type { Analysis } from "@assay/core/domain/Analysis"
import type { Evidence } from "@assay/core/domain/Evidence"
import type { Target } from "@assay/core/domain/Target"
import { Documents } from "@assay/core/testing"
import { type Context, Effect } from "effect"
import type { SeededRandom } from "./SeededRandom.js"
import type { Time } from "./WorldTime.js"

/**
 * A chain that changes, read through endpoints that are slow, fail, lag behind, see only a part, or say something false
 * once. `calm` makes them reliable.
 */
export interface SimulatedChain {
  readonly analyze: Context.Tag.Service<typeof Analyzer>["analyze"]
  readonly calm: () => void
}

/** What an endpoint does with a request; most of the time nothing is wrong. */
type Mood = "fine" | "slow" | "hanging" | "down" | "blind" | "lying" | "lagging" | "mismatch" | "broken"

const moods: readonly [Mood, ...Array<Mood>] = [
  "fine",
  "slow",
  "hanging",
  "down",
  "blind",
  "lying",
  "lagging",
  "mismatch",
  "broken"
]

export const make = (time: Time, random: SeededRandom): SimulatedChain => {
  const histories = new Map<string, Array<{ readonly block: number; readonly items: ReadonlyArray<Evidence> }>>()
  let mood: Mood = "fine"
  let isCalm = false

  // Bad times come in stretches, as they do.
  const turn = () => {
    mood = isCalm || random.chance(0.6) ? "fine" : random.pick(moods)
    time.after(random.wait(2 * hour), turn)
  }
  time.after(random.wait(hour), turn)

  const head = () => firstBlock + Math.floor(time.now() / blockTime)

  const truthAt = (name: string, block: number): ReadonlyArray<Evidence> => {
    const history = histories.get(name) ?? [{ block: firstBlock - 1000, items: claims }]
    histories.set(name, history)
    let last = history.at(-1)
    // A block never changes once it was read, and seldom does anything happen between two.
    while (last !== undefined && last.block < head()) {
      const next = last.block + Math.ceil(random.wait(8 * hour) / blockTime)
      if (next > head()) {
        history.push({ block: head(), items: last.items })
      } else {
        const changed = random.between(0, last.items.length)
        history.push({
          block: next,
          items: last.items.map((item, index) => (index === changed ? other(item, random) : item))
        })
      }
      last = history.at(-1)
    }
    return history.findLast((entry) => entry.block <= block)?.items ?? claims
  }

  const read = (target: Target, seen: Mood): Analysis => {
    const block = head() - (seen === "lagging" ? random.between(0, 400) : random.between(0, 2))
    const truth = truthAt(`${target.kind} ${target.address}`, block)
    const lie = seen === "lying" && random.chance(0.5) ? random.between(0, truth.length) : -1
    const items = truth.flatMap((item, index): ReadonlyArray<Evidence> => {
      if (index === lie) return [other(item, random)]
      if (seen !== "blind" || random.chance(0.5)) return [item]
      return [{ ...item, state: "unknown", value: null, reason: "rpc_error", verified: false }]
    })
    const isPartial = items.some(({ state }) => state === "unknown")
    return {
      ...Documents.analysis(target, items, block),
      status: isPartial ? "partial" : "complete",
      content_hash: `sha256:${fingerprint(items).padStart(64, "0")}`
    }
  }

  return {
    analyze: ({ address, apartFrom, chain, kind }) =>
      Effect.suspend(() => {
        const seen = isCalm || random.chance(0.2) ? "fine" : mood
        const rest = apartFrom === undefined ? 0 : Math.min(2 * blockTime, apartFrom.waitSeconds * 1000)
        const patience = seen === "slow" ? random.between(5_000, 200_000) : random.between(20, 4_000)
        const answer = Effect.suspend((): Effect.Effect<Analysis, TargetMismatch | UpstreamUnavailable> => {
          if (seen === "down")
            return new UpstreamUnavailable({ sources_failed: [{ name: "rpc", reason: "rpc_error" }] })
          if (seen === "mismatch")
            return new TargetMismatch({
              detected: "eoa",
              target: { kind, address, chain: { id: chain.id, name: chain.name } }
            })
          if (seen === "broken") return Effect.dieMessage("a bug of an analysis")
          const analysis = read({ kind, address, chain: { id: chain.id, name: chain.name } }, seen)
          if (apartFrom !== undefined && analysis.block.number <= apartFrom.analysis.block.number)
            return new UpstreamUnavailable({ sources_failed: [{ name: "rpc", reason: "inconclusive" }] })
          return Effect.succeed(analysis)
        })
        return seen === "hanging"
          ? Effect.async<never>(() => {})
          : Effect.zipRight(Effect.sleep(rest + patience), answer)
      }),
    calm: () => {
      isCalm = true
    }
  }
}

const hour = 3_600_000
const blockTime = 12_000
const firstBlock = 21_000_000

const claim = (id: string, change: Partial<Evidence>): Evidence => ({
  ...Documents.evidence(id, "refuted"),
  value: { amount: "0" },
  ...change
})

const claims: ReadonlyArray<Evidence> = [
  claim("token.mintable", { severity: "high" }),
  claim("token.honeypot", { severity: "critical", category: "exit" }),
  claim("token.blacklistable", { severity: "medium" }),
  claim("liquidity.locked", { severity: "info", polarity: "protective", category: "market" }),
  claim("token.listed", { severity: "low", polarity: "neutral", category: "identity" })
]

/** The same claim with another outcome or another value. */
const other = (item: Evidence, random: SeededRandom): Evidence =>
  random.chance(0.6)
    ? { ...item, state: item.state === "confirmed" ? "refuted" : "confirmed" }
    : { ...item, value: { amount: String(random.between(1, 1_000_000)) } }

const fingerprint = (items: ReadonlyArray<Evidence>): string => {
  let hash = 7n
  for (const character of items.map(({ id, state, value }) => `${id}${state}${JSON.stringify(value)}`).join(";"))
    hash = (hash * 1_099_511_628_211n + BigInt(character.codePointAt(0) ?? 0)) % 2n ** 256n
  return hash.toString(16)
}
