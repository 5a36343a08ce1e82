import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc, Schema } from "effect"
import * as Controller from "../../src/domain/Controller.js"
import * as Evidence from "../../src/domain/Evidence.js"
import * as Risk from "../../src/domain/Risk.js"
import * as Scoring from "../../src/risk/Scoring.js"
import * as Weight from "../../src/risk/Weight.js"

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
  ["liquidity.thin", "market", "high"],
  ["holders.concentrated", "market", "high"],
  ["holders.insiders", "market", "high"],
  ["token.metadata-anomalous", "identity", "medium"],
  ["token.impersonates", "identity", "critical"],
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
      { name: "a single key", controller: eoa, score: 21, level: "high" },
      {
        name: "a single key that has delegated its code",
        controller: Controller.make("delegated_eoa"),
        score: 21,
        level: "high"
      },
      { name: "a small Safe", controller: smallSafe, score: 41, level: "medium" },
      { name: "a Safe that is a council", controller: council, score: 47, level: "medium" },
      { name: "a timelock of 7 days", controller: timelock(7), score: 55, level: "medium" },
      { name: "a timelock of 30 days", controller: timelock(30), score: 62, level: "medium" }
    ] as const)
      it(`gives a token that can be minted, paused, frozen and upgraded by ${name} ${score}, ${level}`, () => {
        const risk = Scoring.score(usdcLike(controller))
        assert.strictEqual(risk.score, score)
        assert.strictEqual(risk.level, level)
        assert.strictEqual(risk.dimensions.exit, 100)
        assert.notInclude(
          risk.signals.map((signal) => signal.id),
          "control.single-key"
        )
      })

    it("takes equal points for equal powers under a small Safe, and more for that to replace the code", () => {
      assert.deepStrictEqual(points(Scoring.score(usdcLike(smallSafe))), {
        "proxy.upgradeable": 17,
        "token.blacklistable": 14,
        "token.mintable": 14,
        "token.pausable": 14
      })
    })

    it("gives a honeypot with mintable supply and an insider's share 0, critical, and says what took each point", () => {
      const risk = Scoring.score(
        decided(tokenRules, {
          "trade.honeypot": {},
          "token.mintable": { controller: eoa },
          "holders.insiders": {}
        })
      )
      assert.strictEqual(risk.score, 0)
      assert.strictEqual(risk.level, "critical")
      assert.deepStrictEqual(
        risk.signals.map((signal) => [signal.id, signal.points]),
        [
          ["trade.honeypot", 99],
          ["token.mintable", 1],
          ["holders.insiders", 0]
        ]
      )
      assert.deepStrictEqual(
        risk.caps.map((cap) => [cap.limit, cap.evidence_ids]),
        [
          [3, ["trade.honeypot"]],
          [32, ["token.mintable"]],
          [70, ["holders.insiders"]]
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

    it("gives a wallet with one unlimited approval to a verified router 83, low", () => {
      const risk = Scoring.score(
        decided(walletRules, { "allowance.unlimited": { id: "allowance.unlimited:0xa:0xb", severity: "medium" } })
      )
      assert.strictEqual(risk.score, 83)
      assert.strictEqual(risk.level, "low")
      assert.deepStrictEqual(points(risk), { "allowance.unlimited": 17 })
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
      assert.strictEqual(risk.score, 63)
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
      const both = Scoring.score(
        decided(tokenRules, { "control.hidden": {}, "token.impersonates": { severity: "critical" } })
      )
      assert.strictEqual(both.score, 13)
      const [one, other] = both.signals.map((signal) => signal.points)
      assert.isAtMost(Math.abs((one ?? 0) - (other ?? 100)), 1)
      const alone = Scoring.score(decided(tokenRules, { "token.impersonates": { severity: "critical" } }))
      assert.strictEqual(alone.score, 13)
      assert.deepStrictEqual(points(alone), { "token.impersonates": 87 })
    })

    it("keeps each trap in its own range, whatever else is found", () => {
      const worst = Object.fromEntries(
        tokenRules
          .filter(([id]) => id !== "trade.honeypot" && id !== "wallet.sanctioned")
          .map(([id, , severity]) => [id, { severity: severity === "critical" ? ("high" as const) : severity }])
      )
      for (const [id, floor, limit] of [
        ["control.hidden", 13, 15],
        ["trade.taxed", 10, 12],
        ["token.balances-seizable", 7, 9],
        ["trade.honeypot", 0, 3]
      ] as const)
        for (const others of [{}, worst]) {
          const { score } = Scoring.score(decided(tokenRules, { ...others, [id]: {} }))
          assert.isAtLeast(score ?? -1, floor, id)
          assert.isAtMost(score ?? 100, limit, id)
        }
    })

    it("keeps a token in which no trap was found above 15, whatever is found", () => {
      const all = Object.fromEntries(
        tokenRules.map(([id, , severity]) => [id, { severity: severity === "critical" ? ("high" as const) : severity }])
      )
      const { "trade.honeypot": _, "wallet.sanctioned": __, ...rest } = all
      assert.isAtLeast(Scoring.score(decided(tokenRules, rest)).score ?? 0, 16)
    })

    it("caps at 40 for a high finding about the way out and at 3 for a sanctioned address", () => {
      const exit = Scoring.score(decided(tokenRules, { "trade.taxed": { severity: "high" } }))
      assert.deepStrictEqual([exit.caps[0]?.limit, exit.score], [40, 26])
      assert.deepStrictEqual(points(exit), { "trade.taxed": 74 })
      const sanctioned = Scoring.score(decided(walletRules, { "wallet.sanctioned": {} }))
      assert.deepStrictEqual([sanctioned.caps[0]?.limit, sanctioned.score], [3, 0])
    })

    it("counts claims of one cause once, at what the worst of them costs", () => {
      const scoreOf = (...ids: ReadonlyArray<string>) =>
        Scoring.score(decided(tokenRules, Object.fromEntries(ids.map((id) => [id, { severity: "high" as const }]))))
          .score
      assert.strictEqual(scoreOf("holders.concentrated", "holders.insiders"), scoreOf("holders.concentrated"))
      assert.strictEqual(scoreOf("trade.taxed", "trade.environment-dependent"), scoreOf("trade.taxed"))
      assert.isBelow(scoreOf("token.mintable", "token.pausable") ?? 0, scoreOf("token.mintable") ?? 0)
    })

    it("counts what new code could do as no more than the power to replace the code, if who has it is known", () => {
      const controller = timelock(7)
      const upgradeable = decided(tokenRules, { "proxy.upgradeable": { controller } })
      const open = (options: Partial<Evidence.Evidence>) =>
        Scoring.score([
          ...upgradeable.filter((each) => each.id !== "token.mintable"),
          item(ruleOf(tokenRules, "token.mintable"), "unknown", options)
        ])
      assert.deepStrictEqual(open({ controller }).range, Scoring.score(upgradeable).range)
      assert.strictEqual(open({}).level, "unknown")
    })

    it("takes a few points from a token that no list vouches for, and says so", () => {
      const listed = (state: Evidence.EvidenceState) =>
        Scoring.score([
          ...decided(tokenRules, {}),
          item(["token.listed", "identity", "info"], state, { polarity: "protective" })
        ])
      assert.deepStrictEqual(
        [listed("confirmed"), listed("refuted"), listed("unknown")].map(({ range }) => [range.worst, range.best]),
        [
          [100, 100],
          [98, 98],
          [98, 100]
        ]
      )
      assert.deepStrictEqual(
        listed("refuted").signals.map(({ id, points: taken, state }) => [id, state, taken]),
        [["token.listed", "refuted", 2]]
      )
    })

    it("lists the caps of what is unknown, saying that it is not ruled out", () => {
      const [cap] = Scoring.score([
        ...decided(tokenRules, {}).filter((each) => each.id !== "trade.honeypot"),
        item(ruleOf(tokenRules, "trade.honeypot"), "unknown")
      ]).caps
      assert.strictEqual(cap?.limit, 3)
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
      assert.deepStrictEqual(worstAndBest(both), worstAndBest(timelock(2)))
      assert.isAbove(worstAndBest(both)[0] ?? 0, worstAndBest(council)[0] ?? 100)
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

    it("leaves a token below minimal while anybody has a power, and low only with notice of two days", () => {
      const levelOf = (controller: Controller.Controller, id = "token.mintable") =>
        Scoring.score(decided(tokenRules, { [id]: { controller } })).level
      assert.strictEqual(levelOf(Controller.make("dead")), "minimal")
      assert.deepStrictEqual(
        [timelock(30), timelock(2), council, smallSafe, eoa].map((controller) => levelOf(controller)),
        ["low", "low", "medium", "medium", "high"]
      )
      assert.deepStrictEqual(
        [timelock(30), timelock(2), council, eoa].map((controller) => levelOf(controller, "proxy.upgradeable")),
        ["medium", "medium", "medium", "high"]
      )
    })

    it("credits a known issuer only where the list, deep pools and who has them are all known", () => {
      const evidence = (listed: Evidence.EvidenceState, thin: Evidence.EvidenceState, held: Evidence.EvidenceState) => [
        ...decided(tokenRules, {
          "token.mintable": { controller: eoa },
          "token.balances-seizable": { controller: eoa }
        }).filter(({ id }) => id !== "liquidity.thin" && id !== "liquidity.held-by-insiders"),
        item(["token.listed", "identity", "info"], listed, { polarity: "protective" }),
        item(ruleOf(tokenRules, "liquidity.thin"), thin),
        item(ruleOf(tokenRules, "liquidity.held-by-insiders"), held)
      ]
      const known = Scoring.score(evidence("confirmed", "refuted", "refuted"))
      assert.strictEqual(known.level, "medium")
      assert.strictEqual(Scoring.score(evidence("refuted", "refuted", "refuted")).level, "critical")
      assert.strictEqual(Scoring.score(evidence("confirmed", "confirmed", "refuted")).level, "critical")
      assert.strictEqual(Scoring.score(evidence("confirmed", "refuted", "confirmed")).level, "critical")
      for (const one of [
        Scoring.score(evidence("unknown", "refuted", "refuted")),
        Scoring.score(evidence("confirmed", "unknown", "refuted")),
        Scoring.score(evidence("confirmed", "refuted", "unknown"))
      ]) {
        assert.strictEqual(one.level, "unknown")
        assert.isAtLeast(one.range.best, known.range.best)
        assert.isBelow(one.range.worst, known.range.worst)
      }
    })

    it("prices an unresolved controller as a single key at worst and as nobody at best", () => {
      const dead = worstAndBest(Controller.make("dead"))[0]
      for (const controller of [Controller.make("unknown"), Controller.make("contract"), Controller.make("timelock")])
        assert.deepStrictEqual(worstAndBest(controller), [worstAndBest(eoa)[0], dead], controller.kind)
    })
  })

  describe("the invariants", () => {
    const protections: ReadonlyArray<Rule> = [["token.listed", "identity", "info"]]
    const rules = [...tokenRules, ...walletRules.filter(([id]) => id !== "wallet.sanctioned"), ...protections]
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
            polarity: protections.includes(rule) ? "protective" : "risk",
            severity: state === "confirmed" ? severity : rule[2],
            controller: state !== "refuted" && rule[3] === true ? controller : null
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
          if (evidence[at]?.polarity !== "risk") return
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
          const unscored = Weight.saidElsewhere(evidence)
          const isScored = evidence.some(
            (found) => found.polarity === "risk" && !unscored.has(Evidence.checkId(found.id))
          )
          assert.strictEqual(sum, isScored ? 100 - strength(risk) : 0)
          const states = new Map(evidence.map((found) => [found.id, found.state]))
          for (const signal of risk.signals) {
            assert.isNotEmpty(signal.evidence_ids)
            const counted = signal.id === "token.listed" ? ["refuted", "unknown"] : ["confirmed", "unknown"]
            for (const id of signal.evidence_ids) assert.include(counted, states.get(id))
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
