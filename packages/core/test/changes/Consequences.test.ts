import { assert, describe, it } from "vitest"
import * as Consequences from "../../src/changes/Consequences.js"
import type { Change } from "../../src/domain/ChangeReport.js"

const [alice, bob, carol] = ["aa", "bb", "cc"].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string]

const change = (id: string, options: Partial<Change>): Change => ({
  id,
  subject: "evidence",
  kind: "value_changed",
  path: `/evidence/${id}`,
  before: null,
  after: null,
  delta: null,
  severity: "high",
  direction: "neutral",
  verified: true,
  title: id,
  source_url: "https://example.org",
  ...options
})

const confirmed = (value: unknown) => ({ state: "confirmed", value })

const moved = (id: string, before: unknown, after: unknown, options: Partial<Change> = {}): Change =>
  change(id, { before: confirmed(before), after: confirmed(after), ...options })

const toldOf = (...changes: ReadonlyArray<Change>) => Consequences.split(changes).told.map(({ id }) => id)

describe("the consequences of a change", () => {
  const owner = moved("control.owner", { owner: alice }, { owner: bob })

  it("are those that move the same addresses and judge nothing", () => {
    const controllers = moved(
      "control.controllers",
      { controllers: [{ address: alice, kind: "eoa", powers: ["owner"] }], complete: true },
      { controllers: [{ address: bob, kind: "safe", powers: ["owner"] }], complete: true }
    )
    const renounced = moved("control.renounced", { owner: alice }, { owner: bob }, { severity: "info" })
    assert.deepStrictEqual(toldOf(controllers, owner, renounced), ["control.owner"])
    assert.deepStrictEqual(Consequences.split([controllers, owner]).consequences, [controllers])
  })

  it("are never more severe than what they follow from", () => {
    const grave = moved("token.mintable", { by: alice }, { by: bob }, { severity: "critical" })
    assert.deepStrictEqual(toldOf(owner, grave), ["control.owner", "token.mintable"])
  })

  it("never include what is worse or better by itself", () => {
    for (const direction of ["worse", "better"] as const) {
      const single = moved("control.single-key", { holders: [] }, { holders: [{ address: bob }] }, { direction })
      assert.deepStrictEqual(toldOf(owner, single), ["control.owner", "control.single-key"])
    }
  })

  it("never include what moves another address, or a number beside the address", () => {
    const other = moved("control.controllers", { list: [alice] }, { list: [bob, carol] })
    const number = moved("token.tax-changeable", { by: alice, max_bps: 500 }, { by: bob, max_bps: 10_000 })
    assert.deepStrictEqual(toldOf(owner, other, number), [
      "control.owner",
      "control.controllers",
      "token.tax-changeable"
    ])
  })

  it("are those where a figure stands with what moved, but not where it stands with another", () => {
    const holders = (members: ReadonlyArray<object>) => ({ holders: members })
    const [one, other] = [
      moved("holders.top", holders([{ token: bob, bps: 5 }]), holders([{ token: bob, bps: 6 }])),
      moved("holders.insiders", holders([{ address: carol, by: alice, bps: 5 }]), {
        holders: [{ address: carol, by: bob, bps: 6 }]
      })
    ]
    const named = moved("control.single-key", { [carol]: alice }, { [carol]: bob })
    assert.deepStrictEqual(toldOf(owner, one, other, named), ["control.owner", "holders.insiders"])
  })

  it("never explain each other: of two readings the more direct one is reported", () => {
    const upgrade = moved("proxy.kind", { implementations: [alice] }, { implementations: [bob] })
    const functions = moved(
      "contract.functions",
      { functions: [{ name: "f()", code: alice }] },
      { functions: [{ name: "f()", code: bob }] },
      { severity: "info" }
    )
    const compiler = moved("contract.compiler", { records: [{ address: alice }] }, { records: [{ address: bob }] })
    assert.deepStrictEqual(toldOf(functions, compiler, upgrade), ["proxy.kind"])
    assert.deepStrictEqual(toldOf(functions, compiler), ["contract.functions", "contract.compiler"])
  })

  it("of a subject that came or went are reported by the gravest claim about it", () => {
    const subject = `${alice}:${bob}`
    const added = (check: string, severity: Change["severity"], direction: Change["direction"] = "worse") =>
      change(`${check}:${subject}`, { kind: "added", after: confirmed({}), severity, direction })
    const list = moved(
      "allowance.outstanding",
      { allowances: [] },
      { allowances: [{ token: alice, spender: bob }] },
      { severity: "info" }
    )
    const [risky, unlimited] = [added("allowance.spender-risky", "critical"), added("allowance.unlimited", "high")]
    assert.deepStrictEqual(toldOf(unlimited, risky, list), [risky.id])
    const elsewhere = change(`allowance.unlimited:${alice}:${carol}`, { kind: "added", direction: "worse" })
    assert.deepStrictEqual(toldOf(unlimited, risky, elsewhere), [risky.id, elsewhere.id])
  })

  it("are the claims that restate a change by definition, whatever they judge", () => {
    const setup = moved("safe.setup", { threshold: 2 }, { threshold: 1 }, { direction: "worse" })
    const weakened = change("safe.weakened", { kind: "added", severity: "critical", direction: "worse" })
    assert.deepStrictEqual(toldOf(weakened, setup), ["safe.setup"])
    assert.deepStrictEqual(
      Consequences.split([weakened, setup]).told.map(({ severity }) => severity),
      ["critical"]
    )
    assert.deepStrictEqual(toldOf(weakened), ["safe.weakened"])
  })

  it("never include the risk, nor what came in or went out of sight", () => {
    const risk = change("facts.risk", { subject: "risk", before: { score: 1 }, after: { score: 2 } })
    const lost = change("control.controllers", { kind: "visibility_lost", before: confirmed({ by: alice }) })
    assert.deepStrictEqual(toldOf(owner, risk, lost), ["control.owner", "facts.risk", "control.controllers"])
  })
})
