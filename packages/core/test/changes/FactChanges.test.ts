import { assert, describe, it } from "@effect/vitest"
import * as Changes from "../../src/changes/Changes.js"
import * as FactChanges from "../../src/changes/FactChanges.js"
import type { Facts } from "../../src/domain/Facts.js"
import type { AccountCode } from "../../src/domain/facts/AccountCode.js"
import type { ControlGraph } from "../../src/domain/facts/ControlGraph.js"
import type { ProxyStructure } from "../../src/domain/facts/ProxyStructure.js"
import type { SafeAccount } from "../../src/domain/facts/SafeAccount.js"
import * as Quantity from "../../src/domain/Quantity.js"
import { noFacts } from "../../src/executions/ResultDocument.js"
import { address, execution, item, last, other, snapshot, steps } from "./Fixtures.js"

const account = (options: Partial<AccountCode>): Partial<Facts> => ({
  account: {
    address,
    kind: "contract",
    code_hash: "0x01",
    code_size: 1,
    delegate: null,
    nonce: 1,
    balance: Quantity.make(0n),
    ...options
  }
})

const proxy = (options: Partial<ProxyStructure>): Partial<Facts> => ({
  proxy: {
    address,
    kind: "eip1967",
    implementations: [address],
    beacon: null,
    admin: address,
    upgrade: "admin",
    upgrade_authority: address,
    conflicts: [],
    ...options
  }
})

const safe = (options: Partial<SafeAccount>): Partial<Facts> => ({
  safe: {
    address,
    singleton: address,
    canonical: true,
    version: "1.4.1",
    owners: [address, other],
    threshold: 2,
    nonce: 1,
    modules: [],
    guard: null,
    module_guard: null,
    fallback_handler: null,
    ...options
  }
})

const control = (options: Partial<ControlGraph>): Partial<Facts> => ({
  control: { nodes: [], edges: [], owner: address, controller: null, complete: true, unread: [], ...options }
})

const told = (from: Partial<Facts>, to: Partial<Facts>) =>
  Changes.between(snapshot([], { facts: from }), snapshot([], { facts: to })).map(
    ({ direction, id, kind, severity }) => `${id} ${kind} ${direction} ${severity}`
  )

describe("FactChanges", () => {
  it("reports what a target is and who controls it, and not what moves anyway", () => {
    assert.deepStrictEqual(told(account({}), account({ nonce: 9, balance: Quantity.make(9n), code_size: 2 })), [])
    assert.deepStrictEqual(told(safe({}), safe({ nonce: 9 })), [])
    assert.deepStrictEqual(told(proxy({}), proxy({ conflicts: ["another reading"] })), [])
    assert.deepStrictEqual(told(proxy({}), proxy({ implementations: [other] })), [
      "facts.proxy.implementations value_changed neutral high"
    ])
    assert.deepStrictEqual(told(proxy({}), proxy({ upgrade: "none", upgrade_authority: null })), [
      "facts.proxy.upgrade value_changed neutral high",
      "facts.proxy.upgrade_authority removed neutral high"
    ])
    assert.deepStrictEqual(told(safe({}), safe({ threshold: 1, fallback_handler: other })), [
      "facts.safe.threshold value_changed worse high",
      "facts.safe.fallback_handler added neutral medium"
    ])
    assert.deepStrictEqual(told(safe({}), safe({ modules: [other] })), ["facts.safe.modules value_changed worse high"])
  })

  it("reports other code of a contract as critical, and of an account without code its kind and its delegate alone", () => {
    assert.deepStrictEqual(told(account({}), account({ code_hash: "0x02" })), [
      "facts.account.code_hash value_changed neutral critical"
    ])
    const key = { kind: "eoa", code_hash: null } as const
    const delegated = { kind: "delegated_eoa", code_hash: "0x03", delegate: other } as const
    assert.deepStrictEqual(told(account(key), account(delegated)), [
      "facts.account.delegate added neutral high",
      "facts.account.kind value_changed neutral high"
    ])
    assert.deepStrictEqual(told(account(delegated), account({ ...delegated, code_hash: "0x04", delegate: address })), [
      "facts.account.delegate value_changed neutral high"
    ])
  })

  it("reports other code of a contract beside a check about delegates alone", () => {
    const undelegated = item("wallet.delegated", "refuted", { category: "account", value: { delegate: null } })
    const changes = Changes.between(
      snapshot([undelegated], { facts: account({}) }),
      snapshot([undelegated], { facts: account({ code_hash: "0x02" }) })
    )
    assert.deepStrictEqual(
      changes.map(({ id }) => id),
      ["facts.account.code_hash"]
    )
  })

  it("never reports by a fact what a check of either side reports, whatever its state", () => {
    for (const state of ["confirmed", "refuted", "unknown"] as const) {
      const setup = item("safe.setup", state, { polarity: "neutral" })
      const changes = Changes.between(
        snapshot([setup], { facts: safe({}) }),
        snapshot([], { facts: safe({ threshold: 1, owners: [other] }) })
      )
      assert.notMatch(changes.map(({ id }) => id).join(), /facts\.safe\.(threshold|owners)/)
    }
  })

  it("takes a part that did not answer, or that is missing, for out of sight", () => {
    assert.deepStrictEqual(told(safe({ modules: [other] }), safe({ modules: null })), [
      "facts.safe.modules visibility_lost neutral info"
    ])
    assert.deepStrictEqual(told(control({}), control({ owner: null, complete: false })), [
      "facts.control.owner visibility_lost neutral info"
    ])
    assert.deepStrictEqual(told(control({}), control({ owner: null })), ["facts.control.owner removed neutral high"])
    const unknown = { kind: "unknown", address: null, delay_seconds: null, threshold: null, signers: null } as const
    const seen = { ...unknown, kind: "eoa", address } as const
    const histories = steps(
      [{ controller: seen }, { controller: unknown, complete: false }, { controller: seen }].map((options) =>
        execution([], { facts: control(options) })
      )
    )
    assert.deepStrictEqual(
      histories.map(({ report }) => report.changes.map(({ id, kind }) => `${id} ${kind}`)),
      [[], ["facts.control.controller visibility_lost"], []]
    )
    assert.deepStrictEqual(last(histories).stored.reported, {})
  })

  it("reports no new controller where the same one was only followed less far, and reports the next real one", () => {
    const whole = { kind: "safe", address, delay_seconds: 60, threshold: 2, signers: 3 } as const
    const part = { ...whole, threshold: null, signers: null, complete: false } as const
    const histories = steps(
      [whole, part, part, whole, part, { ...part, address: other }].map((controller) =>
        execution([], { facts: control({ controller, complete: controller === whole }) })
      )
    )
    assert.deepStrictEqual(
      histories.map(({ report }) => report.changes.map(({ id, kind, severity }) => `${id} ${kind} ${severity}`)),
      [
        [],
        ["facts.control.controller visibility_lost info"],
        [],
        [],
        ["facts.control.controller visibility_lost info"],
        ["facts.control.controller value_changed high"]
      ]
    )
    assert.deepStrictEqual(told(control({ controller: part, complete: false }), control({ controller: whole })), [
      "facts.control.controller visibility_gained neutral info"
    ])
  })

  it("remembers what was reported of a fact that cannot be read now", () => {
    const base = { facts: { ...noFacts, ...safe({}) }, evidence: [] }
    const head = { facts: { ...noFacts, unread: { safe: "rpc_error" } } as Facts, evidence: [] }
    const remembered = FactChanges.remember({ base, head, reported: {}, isUntold: () => false })
    assert.deepStrictEqual(remembered["facts.safe.threshold"], { subject: "fact", value: 2 })
    assert.isUndefined(remembered["facts.safe.guard"])
    assert.deepStrictEqual(
      FactChanges.remember({ base: head, head: base, reported: remembered, isUntold: () => false }),
      {}
    )
  })
})
