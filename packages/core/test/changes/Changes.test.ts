import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"
import * as Changes from "../../src/changes/Changes.js"
import type { AnalysisResult } from "../../src/domain/AnalysisResult.js"
import type * as ChangeReport from "../../src/domain/ChangeReport.js"
import * as Controller from "../../src/domain/Controller.js"
import type { Evidence, EvidenceState } from "../../src/domain/Evidence.js"
import type { EvidenceRule } from "../../src/domain/EvidenceRule.js"
import type { Facts } from "../../src/domain/Facts.js"
import * as Quantity from "../../src/domain/Quantity.js"
import * as Scoring from "../../src/risk/Scoring.js"
import { address, execution, history, item, kinds, last, other, rule, snapshot, step } from "./Fixtures.js"

describe("Changes", () => {
  describe("between", () => {
    const mirrored = {
      added: "removed",
      removed: "added",
      visibility_lost: "visibility_gained",
      visibility_gained: "visibility_lost",
      state_changed: "state_changed",
      value_changed: "value_changed",
      worse: "better",
      better: "worse",
      neutral: "neutral"
    } as const
    const value = fc.oneof(
      fc.constant(null),
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom("0.5", "12", other),
      fc.subarray([address, other, "x"]).map((owners) => ({ owners, threshold: owners.length })),
      fc.record({ members: fc.subarray([address, other, "x"]), complete: fc.boolean() })
    )
    // Polarity, dimension and title belong to the check, so they are the same on both sides.
    const check = (id: string, n: number): fc.Arbitrary<ReadonlyArray<Evidence>> => {
      const options = {
        polarity: (["risk", "protective", "neutral"] as const)[n % 3] as Evidence["polarity"],
        category: (["control", "approvals", "exit", "market"] as const)[n % 4] as Evidence["category"]
      }
      const one = (subject: string) =>
        fc
          .tuple(
            fc.constantFrom<EvidenceState>("confirmed", "refuted", "unknown"),
            value,
            fc.constantFrom<Evidence["severity"]>("info", "low", "medium", "high", "critical")
          )
          .map(([state, value, severity]) =>
            item(`${id}${subject}`, state, { ...options, severity, value: state === "unknown" ? null : value })
          )
      return fc.subarray(["", ":0xa", ":0xb"]).chain((subjects) => fc.tuple(...subjects.map(one)))
    }
    const ids = ["token.mintable", "liquidity.locked", "control.owner", "allowance.unlimited", "liquidity.thin"]
    const evidence = fc.tuple(...ids.map(check)).map((lists) => lists.flat())
    const facts = fc.record({
      token: fc.oneof(
        fc.constant(null),
        fc.record({
          standard: fc.constant("erc20" as const),
          name: fc.constantFrom("A", "B", null),
          symbol: fc.constant("A"),
          decimals: fc.constantFrom(6, 18),
          total_supply: fc.constantFrom(Quantity.make(5), Quantity.make(6), null)
        })
      ),
      unread: fc.constantFrom<Facts["unread"]>({}, { token: "rpc_error" })
    })
    const anySnapshot = fc.tuple(evidence, facts).map(([evidence, { token, unread }]) =>
      snapshot(evidence, {
        facts: { token: unread.token === undefined ? token : null, unread, risk: Scoring.score(evidence) }
      })
    )
    const runs = { numRuns: 1_000 }

    it("finds nothing between a snapshot and itself", () => {
      fc.assert(
        fc.property(anySnapshot, (a) => {
          assert.deepStrictEqual(Changes.between(a, a), [])
        }),
        runs
      )
    })

    it("mirrors: before and after, kind, direction and delta of the way back are those of the way there, turned", () => {
      fc.assert(
        fc.property(anySnapshot, anySnapshot, (a, b) => {
          const there = Changes.between(a, b)
          const back = new Map(Changes.between(b, a).map((change) => [change.id, change]))
          assert.strictEqual(back.size, there.length)
          for (const change of there) {
            const opposite = back.get(change.id)
            assert.deepStrictEqual(opposite?.before, change.after)
            assert.deepStrictEqual(opposite?.after, change.before)
            assert.strictEqual(opposite?.kind, mirrored[change.kind])
            assert.strictEqual(opposite?.direction, mirrored[change.direction])
            assert.strictEqual(opposite?.subject, change.subject)
            assert.strictEqual(opposite?.path, change.path)
            if (change.delta !== null && "added" in change.delta) {
              assert.deepStrictEqual(opposite?.delta, { added: change.delta.removed, removed: change.delta.added })
            }
          }
        }),
        runs
      )
    })

    it("does not depend on the order of evidence", () => {
      const shuffled = anySnapshot.chain((a) =>
        fc.tuple(fc.constant(a), fc.shuffledSubarray([...a.evidence], { minLength: a.evidence.length }))
      )
      fc.assert(
        fc.property(shuffled, shuffled, ([a, orderOfA], [b, orderOfB]) => {
          assert.deepStrictEqual(
            Changes.between({ ...a, evidence: orderOfA }, { ...b, evidence: orderOfB }),
            Changes.between(a, b)
          )
        }),
        runs
      )
    })

    it("names an id and a source for every change, each id once, most severe first", () => {
      fc.assert(
        fc.property(anySnapshot, anySnapshot, (a, b) => {
          const changes = Changes.between(a, b)
          for (const change of changes) {
            assert.isNotEmpty(change.id)
            assert.isNotEmpty(change.source_url)
            assert.isNotEmpty(change.title)
          }
          assert.strictEqual(new Set(changes.map((change) => change.id)).size, changes.length)
          const ranks = changes.map((change) => ["critical", "high", "medium", "low", "info"].indexOf(change.severity))
          assert.deepStrictEqual(ranks, [...ranks].sort())
        }),
        runs
      )
    })

    it("never calls a thing gone that a failed check only stopped seeing", () => {
      fc.assert(
        fc.property(anySnapshot, fc.constantFrom(...ids), (a, id) => {
          const failed = [
            ...a.evidence.filter((found) => !found.id.startsWith(id)),
            item(id, "unknown", { polarity: "risk" })
          ]
          const changes = Changes.between(a, { ...a, evidence: failed })
          for (const change of changes) assert.strictEqual(change.kind, "visibility_lost")
          for (const change of changes) assert.strictEqual(change.severity, "info")
        }),
        runs
      )
    })

    it("compares sets as added and removed members", () => {
      const owners = (members: ReadonlyArray<string>) =>
        item("safe.owners", "confirmed", { value: { owners: members } })
      const [change] = Changes.between(snapshot([owners(["a", "b"])]), snapshot([owners(["c", "b"])]))
      assert.deepStrictEqual(change?.delta, { added: ["c"], removed: ["a"] })
      assert.deepStrictEqual(Changes.between(snapshot([owners(["a", "b"])]), snapshot([owners(["b", "a"])])), [])
    })

    it("reports facts without evidence, and those with evidence once", () => {
      const token = (name: string) => ({
        standard: "erc20" as const,
        name,
        symbol: "A",
        decimals: 18,
        total_supply: null
      })
      const readable = (name: string) =>
        item("token.metadata-readable", "confirmed", { polarity: "neutral", severity: "info", value: { name } })
      const [change, ...rest] = Changes.between(
        snapshot([], { facts: { token: token("A") } }),
        snapshot([], { facts: { token: token("B") } })
      )
      assert.deepStrictEqual(rest, [])
      assert.strictEqual(change?.path, "/facts/token/name")
      assert.strictEqual(change?.subject, "fact")
      assert.strictEqual(change?.source_url, `eip155:1:${address}?block=1`)
      assert.deepStrictEqual(
        Changes.between(
          snapshot([readable("A")], { facts: { token: token("A") } }),
          snapshot([readable("B")], { facts: { token: token("B") } })
        ).map((found) => found.id),
        ["token.metadata-readable"]
      )
    })

    it("calls a fact that could not be read out of sight, not removed", () => {
      const account = {
        address,
        kind: "contract" as const,
        code_hash: "0x01" as const,
        code_size: 1,
        delegate: null,
        nonce: 1,
        balance: Quantity.make(0)
      }
      const changes = Changes.between(
        snapshot([], { facts: { account } }),
        snapshot([], { facts: { unread: { account: "rpc_error" } } })
      )
      assert.deepStrictEqual(
        changes.map((change) => [change.id, change.kind, change.severity]),
        [
          ["facts.account.code_hash", "visibility_lost", "info"],
          ["facts.account.kind", "visibility_lost", "info"]
        ]
      )
    })
  })

  describe("rule 2: unknown is loss of sight, not change", () => {
    const yes = (value: unknown = "1") => item("token.mintable", "confirmed", { value })
    const no = (value: unknown = "0") => item("token.mintable", "refuted", { value })
    const blind = item("token.mintable", "unknown")
    const cases: ReadonlyArray<{
      readonly from: Evidence
      readonly to: Evidence
      readonly kind: ChangeReport.ChangeKind | null
    }> = [
      { from: yes(), to: yes(), kind: null },
      { from: yes(), to: yes("2"), kind: "value_changed" },
      { from: yes(), to: no(), kind: "state_changed" },
      { from: yes(), to: blind, kind: "visibility_lost" },
      { from: no(), to: yes(), kind: "state_changed" },
      { from: no(), to: no(), kind: null },
      { from: no(), to: no("3"), kind: "value_changed" },
      { from: no(), to: blind, kind: "visibility_lost" },
      { from: blind, to: yes(), kind: "visibility_gained" },
      { from: blind, to: no(), kind: "visibility_gained" },
      { from: blind, to: blind, kind: null }
    ]
    for (const { from, kind, to } of cases)
      it(`${from.state} ${JSON.stringify(from.value)} to ${to.state} ${JSON.stringify(to.value)} is ${kind ?? "silent"}`, () => {
        const changes = last(history([[from], [to]])).changes.filter((change) => change.subject === "evidence")
        assert.deepStrictEqual(
          changes.map((change) => change.kind),
          kind === null ? [] : [kind]
        )
        if (kind === "visibility_lost") assert.strictEqual(changes[0]?.severity, "info")
      })

    it("is silent about what comes back as it was, however long it was out of sight", () => {
      const reports = history([[yes()], [blind], [blind], [blind], [yes()]])
      assert.deepStrictEqual(reports.map(kinds), [[], [["token.mintable", "visibility_lost"]], [], [], []])
      assert.deepStrictEqual(
        reports.map((report) => report.status),
        ["baseline", "changed", "unchanged", "unchanged", "unchanged"]
      )
    })

    it("reports what changed while it was out of sight as one change from what was last known", () => {
      const [change] = last(history([[yes()], [blind], [blind], [no()]])).changes.filter(
        (found) => found.subject === "evidence"
      )
      assert.strictEqual(change?.kind, "state_changed")
      assert.deepStrictEqual(change?.before, { state: "confirmed", value: "1" })
      assert.deepStrictEqual(change?.after, { state: "refuted", value: "0" })
    })

    it("reports what vanished while its check could not run, once the check runs again", () => {
      const approval = item("allowance.unlimited:0xa:0xb", "confirmed", { category: "approvals" })
      const failed = item("allowance.unlimited", "unknown", { category: "approvals" })
      const none = item("allowance.unlimited", "refuted", { category: "approvals" })
      assert.deepStrictEqual(
        history([[approval], [failed], [failed], [none]])
          .map(kinds)
          .slice(1),
        [
          [["allowance.unlimited:0xa:0xb", "visibility_lost"]],
          [],
          [
            ["allowance.unlimited:0xa:0xb", "removed"],
            ["facts.risk", "value_changed"]
          ]
        ]
      )
    })

    it("reports the first approval and the last one gone as one change each, beside the item that says none", () => {
      const approval = item("allowance.unlimited:0xa:0xb", "confirmed", { category: "approvals" })
      const none = item("allowance.unlimited", "refuted", { category: "approvals" })
      const ofEvidence = (report: ChangeReport.ChangeReport) =>
        report.changes
          .filter((change) => change.subject === "evidence")
          .map((change) => [change.id, change.kind, change.direction])
      const [, granted, revoked] = history([[none], [approval], [none]])
      assert.deepStrictEqual(granted && ofEvidence(granted), [["allowance.unlimited:0xa:0xb", "added", "worse"]])
      assert.deepStrictEqual(revoked && ofEvidence(revoked), [["allowance.unlimited:0xa:0xb", "removed", "better"]])
    })

    it("keeps the complete list while only a part of it can be read", () => {
      const list = (members: ReadonlyArray<string>, complete: boolean) =>
        item("control.controllers", "confirmed", {
          polarity: "neutral",
          severity: "info",
          value: { members, complete }
        })
      const reports = history([
        [list(["a", "b"], true)],
        [list(["a"], false)],
        [list(["a"], false)],
        [list(["a", "b"], true)],
        [list(["a"], false)],
        [list(["a", "c"], true)]
      ])
      assert.deepStrictEqual(
        reports.map((report) => report.changes.map((change) => change.kind)),
        [[], ["visibility_lost"], [], [], ["visibility_lost"], ["value_changed"]]
      )
      assert.deepStrictEqual(last(reports).changes[0]?.delta, { added: ["c"], removed: ["b"] })
      assert.strictEqual(last(reports).changes[0]?.severity, "high")
    })

    describe("and risk", () => {
      const ids = ["token.mintable", "trade.honeypot", "allowance.unlimited:0xa", "allowance.unlimited:0xb"]
      const categoryOf = (id: string): Evidence["category"] =>
        id.startsWith("trade") ? "exit" : id.startsWith("allowance") ? "approvals" : "control"
      const evidence = fc.subarray(ids, { minLength: 1 }).chain((some) =>
        fc.tuple(
          ...some.map((id) =>
            fc
              .tuple(
                fc.constantFrom<EvidenceState>("confirmed", "refuted", "unknown"),
                fc.constantFrom("eoa" as const, "unknown" as const, "safe" as const)
              )
              .map(([state, kind]) =>
                item(id, state, {
                  category: categoryOf(id),
                  severity: "critical",
                  controller: id === "token.mintable" && state === "confirmed" ? Controller.make(kind) : null
                })
              )
          )
        )
      )
      const lose = (found: Evidence): Evidence =>
        item(found.id, "unknown", { category: found.category, severity: "critical" })
      const fault = fc.tuple(
        fc.func(fc.constantFrom("item", "controller", "none")),
        fc.subarray([...new Set(ids.map((id) => id.split(":")[0] as string))]),
        fc.boolean()
      )
      const faulty = (
        found: ReadonlyArray<Evidence>,
        [which, checks, isExtra]: readonly [(id: string) => string, ReadonlyArray<string>, boolean]
      ): ReadonlyArray<Evidence> => [
        ...found
          .filter((each) => !checks.some((check) => each.id.startsWith(check)))
          .map((each) =>
            which(each.id) === "item"
              ? lose(each)
              : which(each.id) === "controller" && each.controller !== null
                ? { ...each, controller: Controller.make("unknown") }
                : each
          ),
        ...checks.map((check) => item(check, "unknown", { category: categoryOf(check), severity: "critical" })),
        ...(isExtra ? [item("safe.modules", "unknown", { category: "account", severity: "high" })] : [])
      ]

      it("reports no change of risk where sources alone were lost, for any number of executions in any order", () => {
        fc.assert(
          fc.property(evidence, fc.array(fault, { minLength: 1, maxLength: 4 }), (found, faults) => {
            const reports = history([found, ...faults.map((each) => faulty(found, each)), found])
            for (const report of reports) {
              assert.notInclude(
                report.changes.map((change) => change.subject),
                "risk"
              )
              assert.strictEqual(report.risk?.score_delta ?? 0, 0)
            }
            for (const report of reports)
              for (const change of report.changes)
                assert.include(["visibility_lost", "visibility_gained"], change.kind, change.id)
          }),
          { numRuns: 2_000 }
        )
      })
    })

    it("reports a change of risk that a change of evidence caused, and not one below the threshold", () => {
      const [, up, , down] = history([
        [no()],
        [yes()],
        [yes(), item("token.impersonates", "refuted", { category: "identity" })],
        [no(), item("token.impersonates", "confirmed", { category: "identity", severity: "low" })]
      ])
      assert.deepInclude(
        up?.changes.find((change) => change.subject === "risk"),
        {
          id: "facts.risk",
          kind: "value_changed",
          direction: "worse",
          before: { score: 100, level: "minimal" },
          after: { score: 59, level: "medium" },
          delta: { absolute: "-41", relative: "-0.41" }
        }
      )
      assert.deepStrictEqual(up?.risk, {
        score_before: 100,
        score_after: 59,
        score_delta: -41,
        level_before: "minimal",
        level_after: "medium"
      })
      assert.deepInclude(down?.risk, { score_before: 59, score_after: 95 })
      const nudge = last(
        history([
          [no(), item("holders.insiders", "refuted", { category: "market" })],
          [no(), item("holders.insiders", "confirmed", { category: "market", severity: "low" })]
        ])
      )
      assert.deepStrictEqual(nudge.suppressed, [{ id: "facts.risk", why: "below_threshold" }])
      assert.strictEqual(nudge.counts.suppressed, 1)
    })
  })

  describe("rule 3: same sky", () => {
    const found = [item("token.mintable", "confirmed")]
    const changed = [item("token.mintable", "refuted")]
    const compare = (base: AnalysisResult, head: AnalysisResult) =>
      step(Option.some({ result: base, known: {}, reported: {} }), head).report

    it("is a baseline where there is nothing to compare with", () => {
      const { report, stored } = step(Option.none(), execution(found))
      assert.strictEqual(report.status, "baseline")
      assert.isNull(report.base)
      assert.isNull(report.risk)
      assert.deepStrictEqual(Object.keys(stored.known), ["token.mintable"])
    })

    for (const { base, head, name } of [
      { name: "a lower block", base: { block: 2 }, head: { block: 1 } },
      { name: "another block of the same number", base: { block: 2, hash: "aa" }, head: { block: 2, hash: "bb" } }
    ])
      it(`does not compare with ${name}`, () => {
        const report = compare(execution(found, base), execution(changed, head))
        assert.strictEqual(report.status, "incomparable")
        assert.strictEqual(report.reason, "block_regressed")
        assert.deepStrictEqual(report.changes, [])
        assert.isNotNull(report.base)
      })

    it("compares the same block as usual", () => {
      assert.strictEqual(compare(execution(found), execution(changed)).status, "changed")
    })

    it("is unchanged where the content hashes are equal", () => {
      const report = compare(
        execution(found, { content_hash: "sha256:1" }),
        execution(found, { content_hash: "sha256:1", block: 2 })
      )
      assert.strictEqual(report.status, "unchanged")
      assert.isNull(report.max_severity)
    })

    it("does not compare with an execution that failed or has gone", () => {
      const failed = compare(execution([], { status: "failed" }), execution(found))
      assert.deepInclude(failed, { status: "incomparable", reason: "base_failed", base: null })
      assert.deepInclude(Changes.incomparable(execution(found), "base_expired").report, {
        status: "incomparable",
        reason: "base_expired"
      })
    })

    it("begins again after an execution that failed, and does not call everything new", () => {
      const failed = { result: execution([], { status: "failed" }), known: {}, reported: {} }
      const head = step(Option.some(failed), execution(found, { block: 2 }))
      assert.deepStrictEqual(head.stored.reported, {})
      assert.deepStrictEqual(step(Option.some(head.stored), execution(found, { block: 3 })).report.changes, [])
    })

    it("keeps what was last known through a comparison that could not be made", () => {
      const first = step(Option.none(), execution(found, { block: 5 }))
      const lagging = step(Option.some(first.stored), execution([item("token.mintable", "unknown")], { block: 4 }))
      assert.strictEqual(lagging.report.status, "incomparable")
      const back = step(Option.some(lagging.stored), execution(changed, { block: 6 }))
      assert.deepInclude(kinds(back.report), ["token.mintable", "state_changed"])
    })
  })

  describe("rule 4: same rules", () => {
    it("keeps apart what a check does that only one side has, and its risk", () => {
      const base = execution([item("token.mintable", "refuted")], { ruleset_version: "1" })
      const evidence = [
        item("token.mintable", "refuted"),
        item("trade.honeypot", "confirmed", { severity: "critical" })
      ]
      const head = execution(evidence, { ruleset_version: "2" })
      const { report } = step(Option.some({ result: base, known: {}, reported: {} }), head)
      assert.deepStrictEqual(report.changes, [])
      assert.isNull(report.max_severity)
      assert.deepStrictEqual(
        report.ruleset_changes.map((change) => [change.id, change.kind]),
        [["trade.honeypot", "added"]]
      )
      assert.strictEqual(report.risk?.score_delta, 0)
      const same = step(Option.some({ result: base, known: {}, reported: {} }), {
        ...head,
        ruleset_version: "1"
      }).report
      assert.include(
        same.changes.map((change) => change.id),
        "trade.honeypot"
      )
    })

    it("reports nothing and alarms nobody where only the methodology of the score is another", () => {
      const evidence = [item("token.mintable", "confirmed", { severity: "high" }), item("liquidity.thin", "refuted")]
      const scored = execution(evidence)
      const risk = scored.facts.risk as NonNullable<Facts["risk"]>
      const before = { ...risk, score: 5, level: "critical" as const, methodology_version: "1" }
      const base = execution(evidence, { ruleset_version: "1", facts: { risk: before }, content_hash: "sha256:1" })
      const head = execution(evidence, { ruleset_version: "2", content_hash: "sha256:2" })
      for (const [from, to] of [
        [base, head],
        [head, base]
      ] as const) {
        const { report } = step(Option.some({ result: from, known: {}, reported: {} }), to)
        assert.deepStrictEqual([report.changes, report.ruleset_changes], [[], []])
        assert.isNull(report.max_severity)
        assert.strictEqual(report.risk?.score_delta, 0)
      }
      const [old, present] = [before, risk].map((each) => snapshot(evidence, { facts: { risk: each } }))
      assert.deepStrictEqual(Changes.between(old as Changes.Snapshot, present as Changes.Snapshot), [])
    })

    it("keeps apart what a check says that means something else since, and its risk", () => {
      const mintable = (state: EvidenceState, version: number) =>
        item("token.mintable", state, { version, severity: "high" })
      const base = execution([mintable("refuted", 1)], { ruleset_version: "1" })
      const head = execution([mintable("confirmed", 2)], { ruleset_version: "2" })
      const { report } = step(Option.some({ result: base, known: {}, reported: {} }), head)
      assert.deepStrictEqual(report.changes, [])
      assert.deepStrictEqual(
        report.ruleset_changes.map((change) => [change.id, change.kind]),
        [["token.mintable", "state_changed"]]
      )
      assert.strictEqual(report.risk?.score_delta ?? 0, 0)
      const same = execution([mintable("confirmed", 1)], { ruleset_version: "2" })
      assert.include(
        step(Option.some({ result: base, known: {}, reported: {} }), same).report.changes.map((change) => change.id),
        "token.mintable"
      )
    })
  })

  describe("rules 5 and 6: what is worth a report", () => {
    const thin = (depth: string, severity: Evidence["severity"] = "medium") =>
      item("liquidity.thin", "confirmed", { category: "market", value: { depth_usd: depth }, severity })

    it("suppresses what moved less than its check tolerates, and what is volatile, and says so", () => {
      const tolerant = [rule("liquidity.thin", { tolerance: { kind: "relative", amount: 0.1 } })]
      const volatile = [rule("liquidity.thin", { volatile: true })]
      const suppressedBy = (rules: ReadonlyArray<EvidenceRule>, to: Evidence) =>
        last(history([[thin("100")], [to]], { rules })).suppressed.map((each) => each.why)
      assert.deepStrictEqual(suppressedBy(tolerant, thin("109")), ["below_threshold"])
      assert.deepStrictEqual(suppressedBy(tolerant, thin("110")), [])
      assert.deepStrictEqual(suppressedBy(tolerant, thin("109", "high")), [])
      assert.deepStrictEqual(suppressedBy(tolerant, thin("109", "low")), ["below_threshold"])
      assert.deepStrictEqual(suppressedBy(volatile, thin("1000")), ["volatile"])
      assert.deepStrictEqual(suppressedBy([], thin("109")), ["below_threshold"])
      assert.deepStrictEqual(suppressedBy([], thin("110")), [])
      assert.strictEqual(last(history([[thin("100")], [thin("109")]], { rules: tolerant })).status, "unchanged")
    })

    it("reports that a momentary claim holds now, and not that it no longer holds", () => {
      const replaced = (state: Evidence["state"]) => item("contract.code-replaced", state, { severity: "critical" })
      const rules = [rule("contract.code-replaced", { polarity: "risk", volatile: true })]
      const [, now, after] = history([[replaced("refuted")], [replaced("confirmed")], [replaced("refuted")]], { rules })
      assert.deepStrictEqual(now?.changes.map(({ direction, id }) => [id, direction]).slice(0, 1), [
        ["contract.code-replaced", "worse"]
      ])
      assert.include(
        (after?.suppressed ?? []).map(({ id, why }) => `${id} ${why}`),
        "contract.code-replaced volatile"
      )
      assert.notInclude(
        (after?.changes ?? []).map(({ id }) => id),
        "contract.code-replaced"
      )
    })

    it("suppresses a supply that moved less than a tenth, not a name that moved with it", () => {
      const metadata = (name: string, total_supply: string) =>
        item("token.metadata-readable", "confirmed", {
          polarity: "neutral",
          value: { name, decimals: 18, total_supply }
        })
      assert.deepStrictEqual(last(history([[metadata("A", "1000")], [metadata("A", "1099")]])).suppressed, [
        { id: "token.metadata-readable", why: "below_threshold" }
      ])
      assert.strictEqual(last(history([[metadata("A", "1000")], [metadata("B", "1099")]])).changes.length, 1)
      assert.strictEqual(last(history([[metadata("A", "1000")], [metadata("A", "1100")]])).changes.length, 1)
    })

    const judged = (before: Evidence, after: Evidence) => {
      const [change] = Changes.between(snapshot([before]), snapshot([after]))
      return [change?.direction, change?.severity]
    }

    it("calls at least high what makes a holder less safe and is not theirs to undo", () => {
      const mintable = (state: EvidenceState) => item("token.mintable", state, { severity: "medium" })
      assert.deepStrictEqual(judged(mintable("refuted"), mintable("confirmed")), ["worse", "high"])
      assert.deepStrictEqual(judged(mintable("confirmed"), mintable("refuted")), ["better", "low"])
      const approval = (state: EvidenceState) =>
        item("allowance.unlimited:0xa", state, { category: "approvals", severity: "medium" })
      assert.deepStrictEqual(judged(approval("refuted"), approval("confirmed")), ["worse", "medium"])
      const locked = (state: EvidenceState) =>
        item("liquidity.locked", state, { polarity: "protective", category: "exit", severity: "info" })
      assert.deepStrictEqual(judged(locked("confirmed"), locked("refuted")), ["worse", "high"])
    })

    it("reads the direction of a value from its grade, its members and its number, in this order", () => {
      const modules = (members: ReadonlyArray<string>) => item("safe.modules", "confirmed", { value: { members } })
      assert.strictEqual(judged(modules(["a"]), modules(["a", "b"]))[0], "worse")
      assert.strictEqual(judged(modules(["a", "b"]), modules(["a"]))[0], "better")
      assert.strictEqual(judged(modules(["a"]), modules(["b"]))[0], "neutral")
      const tax = (bps: number, severity: Evidence["severity"] = "medium") =>
        item("trade.taxed", "confirmed", { value: { bps }, severity, category: "exit" })
      assert.strictEqual(judged(tax(500), tax(900))[0], "worse")
      assert.deepStrictEqual(judged(tax(900), tax(5_100, "critical")), ["worse", "critical"])
      assert.strictEqual(judged(thin("100"), thin("50"))[0], "worse")
      const delay = (seconds: number) =>
        item("control.timelocked", "confirmed", { polarity: "protective", value: seconds })
      assert.strictEqual(judged(delay(100), delay(50))[0], "worse")
    })

    it("calls a new owner, implementation or Safe setup high, although the claim itself is neutral", () => {
      const owner = (value: string) =>
        item("control.owner", "confirmed", { polarity: "neutral", severity: "info", value })
      assert.deepStrictEqual(judged(owner(address), owner(other)), ["neutral", "high"])
    })

    it("gives a risk that is seen for the first time its own severity, not info", () => {
      const honeypot = (state: EvidenceState) =>
        item("trade.honeypot", state, { severity: "critical", category: "exit" })
      assert.deepStrictEqual(judged(honeypot("unknown"), honeypot("confirmed")), ["neutral", "critical"])
      assert.deepStrictEqual(judged(honeypot("unknown"), honeypot("refuted")), ["neutral", "info"])
    })
  })

  it("counts by severity and names the highest", () => {
    const [, report] = history([
      [item("token.mintable", "refuted"), item("token.pausable", "confirmed")],
      [item("token.mintable", "confirmed"), item("token.pausable", "refuted")]
    ])
    assert.deepStrictEqual(report?.counts, { critical: 0, high: 1, medium: 0, low: 1, info: 0, suppressed: 0 })
    assert.strictEqual(report?.max_severity, "high")
  })
})
