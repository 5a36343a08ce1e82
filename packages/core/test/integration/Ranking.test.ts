import { Address, Analyzer, type Risk } from "@assay/core"
import type { Targets } from "@assay/sandbox"
import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as World from "./World.js"

/** The table of decision 27: rank, target, level. It was written before any score was looked at. */
const table = [
  [1, "weth", "minimal"],
  [2, "renouncedPlain", "minimal"],
  [3, "governanceToken", "low"],
  [3, "daiLike", "low"],
  [4, "stakedToken", "medium"],
  [5, "bridgedToken", "medium"],
  [6, "usdc", "medium"],
  [7, "usdt", "medium"],
  [8, "fundShare", "high"],
  [9, "keyMinted", "high"],
  [9, "keyPaused", "high"],
  [10, "keyUpgraded", "high"],
  [11, "keyTaxed", "high"],
  [11, "onlyV3", "high"],
  [12, "hiddenMinter", "critical"],
  [13, "sellTax90", "critical"],
  [13, "frozenHolders", "critical"],
  [14, "allowanceBackdoor", "critical"],
  [15, "emptied", "critical"],
  [16, "honeypot", "critical"]
] as const satisfies ReadonlyArray<readonly [number, Targets.Name, Risk.RiskLevel]>

type Ranked = (typeof table)[number][1]

/** What the order says nothing about, because a claim that could move the token across a line is unknown. */
const undecided: Readonly<Partial<Record<Ranked, string>>> = {
  daiLike: "who is a ward is in a mapping, and its events do not prove that they name all of them"
}

/** Which have the level of the table, and a place in it below worse ranks, and why. */
const misplaced: Readonly<Partial<Record<Ranked, string>>> = {
  fundShare: "that there is nowhere to sell it, that holders are restricted and that a council takes balances add up"
}

let world: World.World
const risks = new Map<Ranked, Risk.Risk>()

const riskOf = (name: Ranked): Risk.Risk => risks.get(name) as Risk.Risk

const ranked = table.filter(([, name]) => undecided[name] === undefined)

const levelOf = (name: Ranked): Risk.RiskLevel => riskOf(name).level

beforeAll(async () => {
  world = await World.start()
  for (const [, name] of table) {
    const { address, kind } = world.sandbox.targets[name]
    const analysis = await world.run(
      Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
        analyzer.analyze({ kind, address: Address.checksum(address), chain: world.chain })
      )
    )
    risks.set(name, analysis.facts.risk as Risk.Risk)
  }
})

describe("Ranking", () => {
  it("scores the token of the better rank higher, for each pair of ranks", () => {
    for (const [rank, better] of ranked)
      for (const [other, worse] of ranked)
        if (rank < other && (misplaced[better] === undefined || levelOf(better) !== levelOf(worse)))
          assert.isAbove(riskOf(better).score ?? -1, riskOf(worse).score ?? 101, `${better} before ${worse}`)
  })

  it("gives each token the level of the table", () => {
    assert.deepStrictEqual(
      ranked.map(([, name]) => [name, levelOf(name)]),
      ranked.map(([, name, level]) => [name, level])
    )
  })

  it("shows both ends where a claim that could move a token across a line is unknown, with the level between them", () => {
    const order = ["critical", "high", "medium", "low", "minimal"]
    const pointsOf = { critical: 0, high: 16, medium: 41, low: 71, minimal: 91 } as const
    for (const [, name, level] of table) {
      if (undecided[name] === undefined) continue
      const { level: found, level_at_best, range, signals } = riskOf(name)
      assert.strictEqual(found, "unknown", name)
      assert.isAtLeast(order.indexOf(level_at_best), order.indexOf(level), name)
      assert.isBelow(range.worst, pointsOf[level], name)
      assert.isNotEmpty(signals.filter(({ points }) => points > 0))
    }
  })

  it("still places a token below a worse rank of its level where it is known to", () => {
    for (const [rank, better, level] of table)
      if (misplaced[better] !== undefined)
        assert.isTrue(
          table.some(
            ([other, worse, same]) =>
              rank < other && level === same && (riskOf(better).score ?? 0) <= (riskOf(worse).score ?? 0)
          )
        )
  })
})
