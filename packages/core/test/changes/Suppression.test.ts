import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"
import * as Changes from "../../src/changes/Changes.js"
import type { Evidence, EvidenceState } from "../../src/domain/Evidence.js"
import type { TokenProfile } from "../../src/domain/facts/TokenProfile.js"
import * as Quantity from "../../src/domain/Quantity.js"
import type { Risk } from "../../src/domain/Risk.js"
import * as Scoring from "../../src/risk/Scoring.js"
import { execution, history, item, last, rule, step, steps, type Wishes } from "./Fixtures.js"

const taxRule = rule("trade.taxed", { tolerance: { kind: "absolute", amount: 50 } })
const thinRule = rule("liquidity.thin", { tolerance: { kind: "relative", amount: 0.1 } })
const rules = [taxRule, thinRule]

const taxed = (buy_tax_bps: number, options: Partial<Evidence> = {}) =>
  item("trade.taxed", "confirmed", { category: "exit", value: { buy_tax_bps }, ...options })
const thin = (depth_usd: number, state: EvidenceState = "confirmed") =>
  item("liquidity.thin", state, { category: "market", value: { depth_usd } })
const blind = item("trade.taxed", "unknown", { category: "exit" })

const token = (total_supply: number): { readonly token: TokenProfile } => ({
  token: { standard: "erc20", name: "A", symbol: "A", decimals: 18, total_supply: Quantity.make(BigInt(total_supply)) }
})

const walk = (start: number, moves: ReadonlyArray<number>): ReadonlyArray<number> => {
  const numbers = [start]
  for (const move of moves) numbers.push(last(numbers) + move)
  return numbers
}

/**
 * The reports of a number that a reader should get: the first, and each that is `amount` or more away from the last
 * report.
 */
const expected = (numbers: ReadonlyArray<number>, amount: number): ReadonlyArray<readonly [number, number]> => {
  const told: Array<readonly [number, number]> = []
  let anchor = numbers[0] as number
  for (const number of numbers.slice(1)) {
    if (Math.abs(number - anchor) < amount) continue
    told.push([anchor, number])
    anchor = number
  }
  return told
}

const ofTax = (reports: ReturnType<typeof history>): ReadonlyArray<ReadonlyArray<number>> =>
  reports.flatMap((report) =>
    report.changes
      .filter(({ id, kind }) => id === "trade.taxed" && kind === "value_changed")
      .map(({ after, before }) =>
        [before, after].map((side) => (side as { readonly value: { readonly buy_tax_bps: number } }).value.buy_tax_bps)
      )
  )

describe("thresholds are held against what was last reported", () => {
  it("reports a drift of small steps once for each threshold that it crosses, from the last report to what is", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 9_000 }),
        fc.array(fc.integer({ min: -49, max: 49 }), { minLength: 1, maxLength: 12 }),
        (start, moves) => {
          const numbers = walk(start, moves)
          const reports = history(
            numbers.map((number) => [taxed(number)]),
            { rules }
          )
          assert.deepStrictEqual<unknown>(ofTax(reports), expected(numbers, 50))
        }
      ),
      { numRuns: 500 }
    )
  })

  it("is not misled by readings that fail between", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: -60, max: 60 }), fc.nat({ max: 2 })), { minLength: 1, maxLength: 8 }),
        (moves) => {
          const numbers = walk(
            5_000,
            moves.map(([move]) => move)
          )
          const gaps = [0, ...moves.map(([, gap]) => gap)]
          const executions = numbers.flatMap((number, at) => [
            ...Array.from({ length: gaps[at] ?? 0 }, () => [blind]),
            [taxed(number)]
          ])
          assert.deepStrictEqual<unknown>(ofTax(history(executions, { rules })), expected(numbers, 50))
        }
      ),
      { numRuns: 300 }
    )
  })

  it("never reports noise around a value", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 100_000 }),
        fc.array(fc.double({ min: -0.0999, max: 0.0999, noNaN: true }), { maxLength: 8 }),
        (start, noise) => {
          const reports = history(
            [start, ...noise.map((part) => start + Math.trunc(start * part)), start].map((number) => [thin(number)]),
            { rules }
          )
          assert.isTrue(reports.slice(1).every(({ changes }) => changes.length === 0))
          assert.deepStrictEqual(last(reports).suppressed, [])
        }
      ),
      { numRuns: 300 }
    )
  })

  it("reports once that a line was crossed for the worse, however often noise crosses it back", () => {
    const crossing = [
      thin(10_050, "refuted"),
      thin(9_990),
      thin(10_020, "refuted"),
      thin(9_980),
      thin(10_010, "refuted")
    ]
    const told = (evidence: ReadonlyArray<Evidence>) =>
      history(
        evidence.map((each) => [each]),
        { rules }
      ).map(({ changes }) => changes.map(({ direction, id }) => `${id} ${direction}`))
    assert.deepStrictEqual(told(crossing), [[], ["liquidity.thin worse", "facts.risk worse"], [], [], []])
    assert.deepStrictEqual(last(told([...crossing, thin(11_500, "refuted")])), [
      "facts.risk better",
      "liquidity.thin better"
    ])
  })

  it("finds nothing between an execution and the same again, whatever is left over from before", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 900, max: 1_100 }), { minLength: 1, maxLength: 6 }), (numbers) => {
        const made = steps(
          [...numbers, last(numbers)].map((number) => execution([taxed(number), thin(number * 10)])),
          { rules }
        )
        const [again, before] = [last(made), made[made.length - 2]]
        assert.deepStrictEqual(again.report.changes, [])
        assert.deepStrictEqual(again.stored.reported, before?.stored.reported ?? {})
      }),
      { numRuns: 200 }
    )
  })

  it("remembers only the last report of what moved since, and nothing once it is reported or back", () => {
    const of = (numbers: ReadonlyArray<number>) =>
      last(
        steps(
          numbers.map((number) => execution([taxed(number)])),
          { rules }
        )
      ).stored.reported
    assert.deepStrictEqual(of([100]), {})
    assert.deepStrictEqual(of([100, 149, 140]), { "trade.taxed": { subject: "evidence", item: taxed(100) } })
    assert.deepStrictEqual(of([100, 149, 150]), {})
    assert.deepStrictEqual(of([100, 149, 100]), {})
  })

  it("continues: the earlier value of a change is the last one reported, in any history", () => {
    const state = fc.constantFrom<EvidenceState>("confirmed", "refuted", "unknown")
    const one = (id: string, polarity: Evidence["polarity"]) =>
      fc
        .tuple(state, fc.integer({ min: 0, max: 300 }), fc.constantFrom("low" as const, "high" as const))
        .map(([state, share_bps, severity]) =>
          item(id, state, { polarity, severity, value: state === "unknown" ? null : { share_bps } })
        )
    const found = fc.tuple(
      one("holders.insiders:0xa", "risk"),
      one("control.owner:0xa", "neutral"),
      fc.option(one("liquidity.locked:0xa", "protective"), { nil: null }),
      fc.option(one("liquidity.locked:0xb", "protective"), { nil: null })
    )
    const wishes: Wishes = { rules: [rule("holders.insiders", { tolerance: { kind: "absolute", amount: 100 } })] }
    fc.assert(
      fc.property(fc.array(fc.tuple(found, fc.boolean()), { minLength: 2, maxLength: 8 }), (all) => {
        const told = new Map<string, unknown>()
        let base: Option.Option<ReturnType<typeof step>["stored"]> = Option.none()
        for (const [block, [some, isBehind]] of all.entries()) {
          const evidence = some.flatMap((each) => each ?? [])
          const { report, stored } = step(base, execution(evidence, { block: isBehind ? 1 : block + 10 }), wishes)
          base = Option.some(stored)
          if (report.status === "baseline")
            for (const { id, state, value } of evidence) if (state !== "unknown") told.set(id, { state, value })
          for (const change of report.changes.filter(({ subject }) => subject === "evidence")) {
            if (change.kind !== "visibility_gained") assert.deepStrictEqual(change.before, told.get(change.id) ?? null)
            if (change.kind === "removed") told.delete(change.id)
            else if (change.kind !== "visibility_lost") told.set(change.id, change.after)
          }
          // Another change reports it.
          for (const { id } of report.suppressed.filter(({ why }) => why === "explained")) {
            const now = evidence.find((each) => each.id === id)
            if (now === undefined) told.delete(id)
            else told.set(id, { state: now.state, value: now.value })
          }
        }
      }),
      { numRuns: 1_000 }
    )
  })

  it("reports what changed behind a block that could not be compared with", () => {
    const mintable = (state: EvidenceState) => item("token.mintable", state)
    const first = step(Option.none(), execution([mintable("refuted")], { block: 5, facts: token(100) }))
    const behind = step(
      Option.some(first.stored),
      execution([mintable("confirmed"), item("control.owner", "confirmed")], { block: 4, facts: token(200) })
    )
    assert.strictEqual(behind.report.status, "incomparable")
    const { report } = step(
      Option.some(behind.stored),
      execution([mintable("confirmed"), item("control.owner", "confirmed")], { block: 6, facts: token(200) })
    )
    assert.sameMembers(
      report.changes.map(({ id, kind }) => `${id} ${kind}`),
      [
        "token.mintable state_changed",
        "control.owner added",
        "facts.token.total_supply value_changed",
        "facts.risk value_changed"
      ]
    )
  })

  describe("of facts", () => {
    const of = (supplies: ReadonlyArray<number | null>, wishes: Wishes = {}) =>
      steps(
        supplies.map((supply) =>
          execution([], { facts: supply === null ? { unread: { token: "rpc_error" } } : token(supply) })
        ),
        wishes
      ).map(({ report }) =>
        report.changes
          .filter(({ id }) => id === "facts.token.total_supply")
          .map(({ after, before, kind }) => (kind === "value_changed" ? `${before} ${after}` : kind))
      )

    it("adds up the drift of a supply", () => {
      assert.deepStrictEqual(of([1_000, 1_050, 1_099, 1_100, 1_150]), [[], [], [], ["1000 1100"], []])
    })

    it("is silent about a fact that comes back as it was, and compares another one with the last report", () => {
      assert.deepStrictEqual(of([1_000, null, null, 1_050]), [[], ["visibility_lost"], [], []])
      assert.deepStrictEqual(of([1_000, null, 2_000]), [[], ["visibility_lost"], ["1000 2000"]])
      assert.deepStrictEqual(of([1_000, 1_090, null, 1_100]), [[], [], ["visibility_lost"], ["1000 1100"]])
    })

    it("takes a threshold of its own", () => {
      assert.deepStrictEqual(of([1_000, 1_400, 1_500], { thresholds: { "facts.token.total_supply": 0.5 } }), [
        [],
        [],
        ["1000 1500"]
      ])
    })
  })

  describe("of risk", () => {
    const scoring = (evidence: ReadonlyArray<Evidence>): Risk => {
      const found = evidence.find(({ id }) => id === "test.score")
      const score = (found?.value as number | undefined) ?? 50
      return { ...Scoring.score([]), score, level: score >= 80 ? "minimal" : score >= 60 ? "low" : "medium" }
    }
    const score = (value: number) => execution([item("test.score", "confirmed", { polarity: "neutral", value })])
    const of = (scores: ReadonlyArray<number>, wishes: Wishes = {}) => {
      let base: Changes.CompareOptions["base"] = Option.none()
      return scores.map((value) => {
        const head = score(value)
        const { report, ...memory } = Changes.compare({ base, head, score: scoring, ...wishes })
        base = Option.some({ ...memory, result: head })
        return report.changes
          .filter(({ subject }) => subject === "risk")
          .map(({ after, before }) =>
            [before, after].map((side) => (side as { readonly score: number }).score).join(" ")
          )
      })
    }

    it("adds up the drift of a score, and reports each change of its band", () => {
      assert.deepStrictEqual(of([75, 73, 71, 70, 68, 66]), [[], [], [], ["75 70"], [], []])
      assert.deepStrictEqual(of([62, 60, 59, 58, 60]), [[], [], ["62 59"], [], ["59 60"]])
    })

    it("takes a threshold of its own, and still reports a change of its band", () => {
      assert.deepStrictEqual(of([79, 62, 61, 59], { thresholds: { "facts.risk": 18 } }), [[], [], ["79 61"], ["61 59"]])
    })

    it("is not reported where it is ignored", () => {
      assert.deepStrictEqual(of([79, 10], { ignore: ["facts.risk"] }), [[], []])
    })

    it("agrees with a reference that adds the movements up", () => {
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 60, max: 79 }), { minLength: 1, maxLength: 10 }), (scores) => {
          assert.deepStrictEqual(
            of(scores).flat(),
            expected(scores, 5).map((pair) => pair.join(" "))
          )
        }),
        { numRuns: 300 }
      )
    })
  })
})

describe("the options of a watch", () => {
  const [before, after] = [
    [taxed(100), thin(5_000), item("token.mintable", "refuted"), item("allowance.unlimited:0xa", "refuted")],
    [taxed(180), thin(2_000), item("token.mintable", "confirmed"), item("allowance.unlimited:0xa", "confirmed")]
  ] as const
  const compared = (wishes: Wishes) =>
    last(
      steps([execution(before, { facts: token(100) }), execution(after, { facts: token(300) })], { rules, ...wishes })
    ).report
  const whyOf = (wishes: Wishes) => compared(wishes).suppressed.map(({ id, why }) => `${id} ${why}`)

  it("ignores changes by the id of an item, a check, a fact or a member of the facts, and says so", () => {
    assert.deepStrictEqual(whyOf({}), [])
    assert.deepStrictEqual(whyOf({ ignore: ["token.mintable"] }), ["token.mintable ignored"])
    assert.deepStrictEqual(whyOf({ ignore: ["allowance.unlimited:0xa"] }), ["allowance.unlimited:0xa ignored"])
    assert.deepStrictEqual(whyOf({ ignore: ["allowance.unlimited"] }), ["allowance.unlimited:0xa ignored"])
    assert.deepStrictEqual(whyOf({ ignore: ["facts.token.total_supply"] }), ["facts.token.total_supply ignored"])
    assert.deepStrictEqual(whyOf({ ignore: ["facts.token"] }), ["facts.token.total_supply ignored"])
    assert.deepStrictEqual(whyOf({ ignore: ["token", "allow", ""] }), [])
  })

  it("does not report by the risk what it ignores, and does not report it later either", () => {
    const all = ["token.mintable", "trade.taxed", "liquidity.thin", "allowance.unlimited", "facts.token"]
    const [, ignored, again] = steps(
      [before, after, after].map((evidence) => execution(evidence)),
      {
        rules,
        ignore: all
      }
    )
    assert.deepStrictEqual(ignored?.report.changes, [])
    assert.strictEqual(ignored?.report.risk?.score_delta, 0)
    assert.deepStrictEqual(ignored?.stored.reported, {})
    assert.deepStrictEqual(again?.report.changes, [])
  })

  it("takes its thresholds in the unit of the rule's tolerance, and none for what is compared exactly", () => {
    assert.deepStrictEqual(whyOf({ thresholds: { "trade.taxed": 100 } }), ["trade.taxed below_threshold"])
    assert.deepStrictEqual(whyOf({ thresholds: { "trade.taxed": 80 } }), [])
    assert.deepStrictEqual(whyOf({ thresholds: { "liquidity.thin": 0.61 } }), ["liquidity.thin below_threshold"])
    assert.deepStrictEqual(whyOf({ thresholds: { "token.mintable": 100, "control.owner": 1 } }), [])
    const small = history([[taxed(100)], [taxed(101)]], { rules, thresholds: { "trade.taxed": 0 } })
    assert.deepStrictEqual(
      last(small).changes.map(({ id }) => id),
      ["trade.taxed"]
    )
  })

  it("reports a worse grade or state whatever the threshold", () => {
    const wishes = { rules, thresholds: { "trade.taxed": 10_000 } }
    const graded = history([[taxed(100)], [taxed(5_100, { severity: "critical" })]], wishes)
    assert.include(
      last(graded).changes.map(({ id, severity }) => `${id} ${severity}`),
      "trade.taxed critical"
    )
    const begun = history([[taxed(0, { state: "refuted" })], [taxed(200)]], wishes)
    assert.include(
      last(begun).changes.map(({ id }) => id),
      "trade.taxed"
    )
  })
})
