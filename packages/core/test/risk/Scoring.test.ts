import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc, Schema } from "effect"
import * as Controller from "../../src/domain/Controller.js"
import * as Evidence from "../../src/domain/Evidence.js"
import * as Risk from "../../src/domain/Risk.js"
import * as Scoring from "../../src/risk/Scoring.js"

type Rule = readonly [id: string, category: Evidence.Dimension, highest: Evidence.Severity, power?: boolean]

/** What the built-in catalogue says of a token: id, dimension, highest grade, and whether the claim is a power. */
const tokenRules: ReadonlyArray<Rule> = [
  ["trade.buy-blocked", "exit", "medium"],
  ["trade.honeypot", "exit", "critical"],
  ["trade.sell-limited", "exit", "medium"],
  ["trade.taxed", "exit", "critical"],
  ["trade.holders-blocked", "exit", "critical"],
  ["trade.environment-dependent", "exit", "high"],
  ["liquidity.lock-expiring", "exit", "high"],
  ["liquidity.held-by-insiders", "exit", "high"],
  ["liquidity.fake-pool", "exit", "critical"],
  ["proxy.upgradeable", "control", "high", true],
  ["control.hidden", "control", "critical"],
  ["control.single-key", "control", "high"],
  ["token.mintable", "control", "high", true],
  ["token.pausable", "control", "high", true],
  ["token.blacklistable", "control", "high", true],
  ["token.balances-seizable", "control", "critical", true],
  ["contract.selfdestruct-reachable", "code", "high"],
  ["contract.delegatecall-mutable", "code", "high"],
  ["token.external-call-in-transfer", "code", "medium"],
  ["liquidity.thin", "market", "medium"],
  ["holders.concentrated", "market", "high"],
  ["holders.insiders", "market", "high"],
  ["token.metadata-anomalous", "identity", "medium"],
  ["token.impersonates", "identity", "high"],
  ["wallet.sanctioned", "counterparty", "critical"]
]

const walletRules: ReadonlyArray<Rule> = [
  ["allowance.unlimited", "approvals", "high"],
  ["allowance.operator", "approvals", "high"],
  ["allowance.permit2", "approvals", "high"],
  ["allowance.spender-risky", "approvals", "critical"],
  ["wallet.delegated", "account", "critical"],
  ["wallet.sanctioned", "counterparty", "critical"]
]

const item = (
  [id, category, severity]: Rule,
  state: Evidence.EvidenceState,
  options: Partial<Evidence.Evidence> = {}
): Evidence.Evidence => ({
  state,
  source_url: "https://explorer.example/address/0x0",
  id,
  version: 1,
  category,
  title: `claim of ${id}`,
  detail: "",
  value: null,
  polarity: "risk",
  severity,
  verified: state !== "unknown",
  reason: state === "unknown" ? "rpc_error" : null,
  controller: null,
  observation: null,
  ...options
})

const ruleOf = (rules: ReadonlyArray<Rule>, id: string): Rule => {
  const found = rules.find(([candidate]) => candidate === id)
  if (found === undefined) throw new Error(id)
  return found
}

/** Every rule decided: those that are named confirmed, all others refuted. */
const decided = (
  rules: ReadonlyArray<Rule>,
  confirmed: { readonly [id: string]: Partial<Evidence.Evidence> }
): ReadonlyArray<Evidence.Evidence> => {
  for (const id of Object.keys(confirmed)) ruleOf(rules, id)
  return rules.map((rule) => {
    const options = confirmed[rule[0]]
    return options === undefined ? item(rule, "refuted") : item(rule, "confirmed", options)
  })
}

const eoa = Controller.make("eoa")
const smallSafe = Controller.make("safe", { threshold: 2, signers: 3 })
const council = Controller.make("safe", { threshold: 5, signers: 9 })
const timelock = (days: number) => Controller.make("timelock", { delaySeconds: days * 86_400 })

const usdcLike = (controller: Controller.Controller) =>
  decided(tokenRules, {
    "token.mintable": { controller },
    "token.pausable": { controller },
    "token.blacklistable": { controller },
    "proxy.upgradeable": { controller },
    ...(controller.kind === "eoa" ? { "control.single-key": {} } : {})
  })

const points = (risk: Risk.Risk) => Object.fromEntries(risk.signals.map((signal) => [signal.id, signal.points]))

describe("Scoring", () => {
  describe("the worked cases", () => {
    it("gives a clean renounced token of which everything was decided 100, minimal", () => {
      const risk = Scoring.score(decided(tokenRules, {}))
      assert.strictEqual(risk.score, 100)
      assert.strictEqual(risk.level, "minimal")
      assert.strictEqual(risk.level_at_best, "minimal")
      assert.strictEqual(risk.coverage, 1)
      assert.deepStrictEqual(risk.signals, [])
      assert.deepStrictEqual(risk.caps, [])
      assert.deepStrictEqual(risk.dimensions, {
        code: 100,
        control: 100,
        counterparty: 100,
        exit: 100,
        identity: 100,
        market: 100
      })
    })

    for (const { controller, level, name, score } of [
      { name: "a single key", controller: eoa, score: 37, level: "high" },
      {
        name: "a single key that has delegated its code",
        controller: Controller.make("delegated_eoa"),
        score: 37,
        level: "high"
      },
      { name: "a small Safe", controller: smallSafe, score: 52, level: "medium" },
      { name: "a Safe that is a council", controller: council, score: 63, level: "medium" },
      { name: "a timelock of 7 days", controller: timelock(7), score: 73, level: "low" },
      { name: "a timelock of 30 days", controller: timelock(30), score: 84, level: "low" }
    ] as const)
      it(`gives a token that can be minted, paused, frozen and upgraded by ${name} ${score}, ${level}`, () => {
        const risk = Scoring.score(usdcLike(controller))
        assert.strictEqual(risk.score, score)
        assert.strictEqual(risk.level, level)
        assert.strictEqual(risk.dimensions.control, score)
        assert.strictEqual(risk.dimensions.exit, 100)
        assert.notInclude(
          risk.signals.map((signal) => signal.id),
          "control.single-key"
        )
      })

    it("takes twelve points for each of four equal powers under a small Safe", () => {
      assert.deepStrictEqual(points(Scoring.score(usdcLike(smallSafe))), {
        "proxy.upgradeable": 12,
        "token.blacklistable": 12,
        "token.mintable": 12,
        "token.pausable": 12
      })
    })

    it("gives a honeypot with mintable supply and an insider's share 2, critical, and says what took each point", () => {
      const risk = Scoring.score(
        decided(tokenRules, {
          "trade.honeypot": {},
          "token.mintable": { controller: eoa },
          "holders.insiders": {}
        })
      )
      assert.strictEqual(risk.score, 2)
      assert.strictEqual(risk.level, "critical")
      assert.deepStrictEqual(
        risk.signals.map((signal) => [signal.id, signal.points]),
        [
          ["trade.honeypot", 75],
          ["token.mintable", 15],
          ["holders.insiders", 8]
        ]
      )
      assert.deepStrictEqual(
        risk.caps.map((cap) => [cap.limit, cap.evidence_ids]),
        [
          [5, ["trade.honeypot"]],
          [15, ["trade.honeypot"]]
        ]
      )
    })

    for (const [name, rules] of [
      ["token", tokenRules],
      ["wallet", walletRules]
    ] as const)
      it(`gives a ${name} of which nothing was decided no score, from 0 to 100`, () => {
        const risk = Scoring.score([
          ...rules.map((rule) => item(rule, "unknown")),
          item(["address.kind", "account", "info"], "confirmed", { polarity: "neutral" })
        ])
        assert.isNull(risk.score)
        assert.strictEqual(risk.level, "unknown")
        assert.strictEqual(risk.level_at_best, "minimal")
        assert.deepStrictEqual(risk.range, { worst: 0, best: 100 })
        assert.strictEqual(risk.coverage, 0)
        assert.isTrue(risk.signals.every((signal) => signal.state === "unknown"))
        assert.strictEqual(
          risk.signals.reduce((sum, signal) => sum + signal.points, 0),
          100
        )
      })

    it("gives no score where there is no evidence at all", () => {
      const risk = Scoring.score([])
      assert.isNull(risk.score)
      assert.strictEqual(risk.level, "unknown")
      assert.deepStrictEqual(risk.range, { worst: 0, best: 100 })
      assert.strictEqual(risk.coverage, 0)
    })

    it("proves nothing where only the way out is unknown: 0, unknown, at best minimal", () => {
      const risk = Scoring.score(tokenRules.map((rule) => item(rule, rule[1] === "exit" ? "unknown" : "refuted")))
      assert.strictEqual(risk.score, 0)
      assert.strictEqual(risk.level, "unknown")
      assert.strictEqual(risk.level_at_best, "minimal")
      assert.deepStrictEqual(risk.range, { worst: 0, best: 100 })
      assert.isAbove(risk.coverage, 0)
      assert.isBelow(risk.coverage, 1)
    })

    it("gives a wallet with one unlimited approval to a verified router 80, low", () => {
      const risk = Scoring.score(
        decided(walletRules, { "allowance.unlimited": { id: "allowance.unlimited:0xa:0xb", severity: "medium" } })
      )
      assert.strictEqual(risk.score, 80)
      assert.strictEqual(risk.level, "low")
      assert.deepStrictEqual(points(risk), { "allowance.unlimited": 20 })
      assert.deepStrictEqual(risk.signals[0]?.evidence_ids, ["allowance.unlimited:0xa:0xb"])
      assert.deepStrictEqual(risk.dimensions, { account: 100, approvals: 80, counterparty: 100 })
    })
  })

  describe("signals", () => {
    it("makes five approvals one signal that names five and weighs as the strongest", () => {
      const rule = ruleOf(walletRules, "allowance.unlimited")
      const risk = Scoring.score(
        ["medium", "medium", "high", "medium", "low"].map((severity, n) =>
          item(rule, "confirmed", { id: `allowance.unlimited:0x${n}`, severity: severity as Evidence.Severity })
        )
      )
      assert.strictEqual(risk.score, 56)
      assert.strictEqual(risk.signals.length, 1)
      assert.deepStrictEqual(
        risk.signals[0]?.evidence_ids,
        [0, 1, 2, 3, 4].map((n) => `allowance.unlimited:0x${n}`)
      )
    })

    it("calls a signal unknown where the unknown subject is what weighs most, confirmed where it adds nothing", () => {
      const rule = ruleOf(walletRules, "allowance.unlimited")
      const stateOf = (severity: Evidence.Severity) =>
        Scoring.score([
          item(rule, "confirmed", { id: "allowance.unlimited:0x1", severity }),
          item(rule, "unknown", { id: "allowance.unlimited:0x2" })
        ]).signals.map((signal) => signal.state)
      assert.deepStrictEqual(stateOf("medium"), ["unknown"])
      assert.deepStrictEqual(stateOf("high"), ["confirmed"])
    })

    it("gives what a cap removes in equal parts to the signals that trigger the lowest one", () => {
      const risk = Scoring.score(
        decided(tokenRules, { "control.hidden": {}, "contract.selfdestruct-reachable": { severity: "critical" } })
      )
      assert.strictEqual(risk.score, Math.floor(100 * (1 - 0.8 * 0.95) * (1 - 0.6 * 0.95)))
      const capped = Scoring.score(decided(tokenRules, { "token.impersonates": { severity: "critical" } }))
      assert.strictEqual(capped.score, 15)
      assert.deepStrictEqual(points(capped), { "token.impersonates": 85 })
    })

    it("caps at 40 for a high finding about the way out and at 5 for a sanctioned address", () => {
      const exit = Scoring.score(decided(tokenRules, { "trade.taxed": { severity: "high" } }))
      assert.strictEqual(exit.score, 40)
      assert.deepStrictEqual(points(exit), { "trade.taxed": 60 })
      const sanctioned = Scoring.score(decided(walletRules, { "wallet.sanctioned": {} }))
      assert.strictEqual(sanctioned.score, 5)
      assert.strictEqual(sanctioned.caps[0]?.limit, 5)
    })

    it("lists the caps of what is unknown, saying that it is not ruled out", () => {
      const [cap] = Scoring.score([
        ...decided(tokenRules, {}).filter((each) => each.id !== "trade.honeypot"),
        item(ruleOf(tokenRules, "trade.honeypot"), "unknown")
      ]).caps
      assert.strictEqual(cap?.limit, 5)
      assert.include(cap?.because, "not ruled out")
    })

    it("counts neither protective nor neutral items", () => {
      const risk = Scoring.score([
        ...decided(tokenRules, {}),
        item(["liquidity.burned", "exit", "high"], "unknown", { polarity: "protective" }),
        item(["trade.route", "exit", "info"], "unknown", { polarity: "neutral" })
      ])
      assert.strictEqual(risk.score, 100)
      assert.strictEqual(risk.coverage, 1)
    })
  })

  describe("controllers", () => {
    const worstAndBest = (controller: Controller.Controller) => {
      const { range } = Scoring.score(decided(tokenRules, { "token.mintable": { controller } }))
      return [range.worst, range.best]
    }

    it("takes the strongest mitigation on the way", () => {
      const both = Controller.make("timelock", { delaySeconds: 2 * 86_400, threshold: 5, signers: 9 })
      assert.deepStrictEqual(worstAndBest(both), worstAndBest(council))
      assert.deepStrictEqual(
        worstAndBest(Controller.make("safe", { delaySeconds: 30 * 86_400, threshold: 1, signers: 1 })),
        worstAndBest(timelock(30))
      )
    })

    it("counts a council from seven signers and 51 %", () => {
      const safe = (threshold: number, signers: number) => worstAndBest(Controller.make("safe", { threshold, signers }))
      assert.deepStrictEqual(safe(4, 7), worstAndBest(council))
      assert.deepStrictEqual(safe(51, 100), worstAndBest(council))
      assert.deepStrictEqual(safe(50, 100), worstAndBest(smallSafe))
      assert.deepStrictEqual(safe(6, 6), worstAndBest(smallSafe))
    })

    it("gives a delay below two days no credit", () => {
      const justBelow = Controller.make("timelock", { delaySeconds: 2 * 86_400 - 1 })
      assert.deepStrictEqual(worstAndBest(justBelow), worstAndBest(eoa))
      assert.isAbove(worstAndBest(timelock(2))[0] ?? 0, worstAndBest(justBelow)[0] ?? 100)
    })

    it("prices an unresolved controller as a single key at worst and as nobody at best", () => {
      const dead = worstAndBest(Controller.make("dead"))[0]
      for (const controller of [Controller.make("unknown"), Controller.make("contract"), Controller.make("timelock")])
        assert.deepStrictEqual(worstAndBest(controller), [worstAndBest(eoa)[0], dead], controller.kind)
    })
  })

  describe("the invariants", () => {
    const rules = [...tokenRules, ...walletRules.filter(([id]) => id !== "wallet.sanctioned")]
    const severities = ["info", "low", "medium", "high", "critical"] as const
    const upTo = (highest: Evidence.Severity) =>
      fc.constantFrom(...severities.slice(0, severities.indexOf(highest) + 1))
    const anyController = fc.oneof(
      fc.constant(null),
      fc.record({
        kind: fc.constantFrom(...Controller.ControllerKind.literals),
        address: fc.constant(null),
        delay_seconds: fc.option(fc.nat(60 * 86_400)),
        threshold: fc.option(fc.nat(12)),
        signers: fc.option(fc.nat(12))
      })
    )
    const anyItem = (rule: Rule, subject: string): fc.Arbitrary<Evidence.Evidence> =>
      fc
        .tuple(fc.constantFrom("confirmed", "refuted", "unknown"), upTo(rule[2]), anyController)
        .map(([state, severity, controller]) =>
          item(rule, state as Evidence.EvidenceState, {
            id: `${rule[0]}${subject}`,
            severity: state === "confirmed" ? severity : rule[2],
            controller: state === "confirmed" && rule[3] === true ? controller : null
          })
        )
    const anyCheck = (rule: Rule): fc.Arbitrary<ReadonlyArray<Evidence.Evidence>> =>
      fc
        .integer({ min: 1, max: 3 })
        .chain((count) =>
          fc.tuple(...Array.from({ length: count }, (_, n) => anyItem(rule, count === 1 ? "" : `:0x${n}`)))
        )
    const anyEvidence = fc
      .subarray(rules, { minLength: 1 })
      .chain((some) => fc.tuple(...some.map(anyCheck)))
      .map((checks) => checks.flat())
    const withPlace = anyEvidence.chain((evidence) => fc.tuple(fc.constant(evidence), fc.nat(evidence.length - 1)))
    const replaceAt = (
      evidence: ReadonlyArray<Evidence.Evidence>,
      at: number,
      change: (found: Evidence.Evidence) => Evidence.Evidence
    ) => evidence.map((found, n) => (n === at ? change(found) : found))
    const highest = (found: Evidence.Evidence) => ruleOf(rules, Evidence.checkId(found.id))[2]
    const lost = (found: Evidence.Evidence): Evidence.Evidence => ({
      ...found,
      state: "unknown",
      severity: highest(found),
      controller: null,
      reason: "source_unavailable"
    })
    const strength = (risk: Risk.Risk) => risk.score ?? 0
    const runs = { numRuns: 1_000 }

    it("1: a risk that turns out to be there never raises, one that turns out not to be never lowers", () => {
      fc.assert(
        fc.property(withPlace, ([evidence, at]) => {
          const unknown = replaceAt(evidence, at, lost)
          const before = Scoring.score(unknown)
          const confirmed = Scoring.score(
            replaceAt(unknown, at, (found) => ({ ...found, state: "confirmed", reason: null }))
          )
          const refuted = Scoring.score(
            replaceAt(unknown, at, (found) => ({ ...found, state: "refuted", reason: null }))
          )
          // Before anything is decided there is no score that could rise.
          if (before.score !== null) assert.isAtMost(strength(confirmed), before.score)
          assert.isAtMost(confirmed.range.best, before.range.best)
          assert.isAtLeast(strength(refuted), strength(before))
          assert.isAtLeast(refuted.range.best, before.range.best)
        }),
        runs
      )
    })

    const anyFault: fc.Arbitrary<(evidence: ReadonlyArray<Evidence.Evidence>) => ReadonlyArray<Evidence.Evidence>> = fc
      .record({
        items: fc.func(fc.boolean()),
        checks: fc.func(fc.boolean()),
        controllers: fc.func(fc.boolean())
      })
      .map(({ checks, controllers, items }) => (evidence) => {
        const groups = new Map<string, Array<Evidence.Evidence>>()
        for (const found of evidence) {
          const id = Evidence.checkId(found.id)
          groups.set(id, [...(groups.get(id) ?? []), found])
        }
        return [...groups].flatMap(([id, found]) =>
          checks(id)
            ? [lost({ ...(found[0] as Evidence.Evidence), id })]
            : found.map((each) =>
                items(each.id)
                  ? lost(each)
                  : controllers(each.id) && each.controller !== null
                    ? { ...each, controller: Controller.make("unknown") }
                    : each
              )
        )
      })

    it("2: a lost source never raises score or coverage, and moves a decided level to unknown or nowhere", () => {
      fc.assert(
        fc.property(anyEvidence, anyFault, (evidence, fault) => {
          const before = Scoring.score(evidence)
          const after = Scoring.score(fault(evidence))
          assert.isAtMost(strength(after), strength(before))
          assert.isAtMost(after.range.worst, before.range.worst)
          assert.isAtLeast(after.range.best, before.range.best)
          assert.isAtMost(after.coverage, before.coverage)
          if (after.level !== "unknown") assert.strictEqual(after.level, before.level)
        }),
        { numRuns: 2_000 }
      )
    })

    it("3 and 6: the same evidence in any order gives the same bytes", () => {
      fc.assert(
        fc.property(
          anyEvidence.chain((evidence) =>
            fc.tuple(fc.constant(evidence), fc.shuffledSubarray(evidence, { minLength: evidence.length }))
          ),
          ([evidence, shuffled]) => {
            const bytes = JSON.stringify(Scoring.score(evidence))
            assert.strictEqual(JSON.stringify(Scoring.score(shuffled)), bytes)
            assert.strictEqual(JSON.stringify(Scoring.score(JSON.parse(JSON.stringify(evidence)))), bytes)
          }
        ),
        runs
      )
    })

    it("4: everything stays within its bounds and its schema", () => {
      const isRisk = Schema.is(Risk.Risk)
      fc.assert(
        fc.property(anyEvidence, (evidence) => {
          const risk = Scoring.score(evidence)
          assert.isTrue(isRisk(risk), JSON.stringify(risk))
          assert.isAtMost(risk.range.worst, risk.range.best)
          if (risk.score !== null) assert.strictEqual(risk.score, risk.range.worst)
        }),
        runs
      )
    })

    it("5: the points of the signals add up to 100 - score, and each names evidence that is there", () => {
      fc.assert(
        fc.property(anyEvidence, (evidence) => {
          const risk = Scoring.score(evidence)
          const sum = risk.signals.reduce((total, signal) => total + signal.points, 0)
          const isScored = evidence.some((found) => Evidence.checkId(found.id) !== "control.single-key")
          assert.strictEqual(sum, isScored ? 100 - strength(risk) : 0)
          const states = new Map(evidence.map((found) => [found.id, found.state]))
          for (const signal of risk.signals) {
            assert.isNotEmpty(signal.evidence_ids)
            for (const id of signal.evidence_ids) assert.include(["confirmed", "unknown"], states.get(id))
            assert.include(
              signal.evidence_ids.map((id) => states.get(id)),
              signal.state
            )
          }
          for (const cap of risk.caps) for (const id of cap.evidence_ids) assert.isTrue(states.has(id))
        }),
        { numRuns: 2_000 }
      )
    })

    it("7: a mitigation never lowers", () => {
      fc.assert(
        fc.property(withPlace, anyController, fc.nat(60 * 86_400), ([evidence, at], controller, delay) => {
          const base = controller ?? eoa
          const before = Scoring.score(replaceAt(evidence, at, (found) => ({ ...found, controller: base })))
          for (const mitigated of [
            { ...base, delay_seconds: Math.max(delay, base.delay_seconds ?? 0) },
            { ...base, threshold: 9, signers: 9 },
            Controller.make("dead")
          ])
            assert.isAtLeast(
              strength(Scoring.score(replaceAt(evidence, at, (found) => ({ ...found, controller: mitigated })))),
              strength(before)
            )
        }),
        runs
      )
    })

    it("8: powers under a Safe or a timelock stay at least medium, whatever their number", () => {
      const powers = tokenRules.filter((rule) => rule[3] === true && rule[2] === "high")
      const mitigated = fc.oneof(
        fc
          .record({ threshold: fc.integer({ min: 1, max: 12 }), signers: fc.integer({ min: 1, max: 12 }) })
          .map((options) => Controller.make("safe", options)),
        fc
          .integer({ min: 2 * 86_400, max: 90 * 86_400 })
          .map((delaySeconds) => Controller.make("timelock", { delaySeconds }))
      )
      fc.assert(
        fc.property(fc.subarray(powers), mitigated, (some, controller) => {
          const confirmed = Object.fromEntries(some.map(([id]) => [id, { controller }]))
          assert.isAbove(strength(Scoring.score(decided(tokenRules, confirmed))), 40)
        }),
        runs
      )
    })

    it("8: a honeypot never scores above 5, whatever else is well", () => {
      fc.assert(
        fc.property(anyEvidence, upTo("critical"), (evidence, severity) => {
          const risk = Scoring.score([
            ...evidence.filter((found) => Evidence.checkId(found.id) !== "trade.honeypot"),
            item(ruleOf(tokenRules, "trade.honeypot"), "confirmed", { severity })
          ])
          assert.isAtMost(strength(risk), 5)
          assert.strictEqual(risk.level, "critical")
          assert.strictEqual(
            risk.signals.reduce((total, signal) => total + signal.points, 0),
            100 - strength(risk)
          )
        }),
        runs
      )
    })
  })
})
