import { assert, describe, it } from "@effect/vitest"
import * as Controller from "../../src/domain/Controller.js"
import type { Severity } from "../../src/domain/Evidence.js"
import * as Ceiling from "../../src/risk/Ceiling.js"
import { item } from "./Items.js"

const worst = { reading: "worst", established: false } as const

const limitOf = (id: string, options: Parameters<typeof item>[2] = {}, established = false): number =>
  Ceiling.of(item(id, "confirmed", options), { ...worst, established }).limit

const late = Controller.make("timelock", { delaySeconds: 172_800 })
const several = Controller.make("safe", { threshold: 2, signers: 3 })
const one = Controller.make("eoa")

describe("Ceiling", () => {
  it("orders the traps as decision 27 does, each in a range of its own", () => {
    const critical = { severity: "critical" } as const
    const traps = [
      item("trade.honeypot", "confirmed", critical),
      item("liquidity.withdrawn", "confirmed", critical),
      item("token.balances-seizable", "confirmed", { ...critical, category: "control", controller: one }),
      item("trade.holders-blocked", "confirmed", critical),
      item("control.hidden", "confirmed", { ...critical, category: "control", controller: one })
    ].map((each) => Ceiling.of(each, worst))
    for (let next = 1; next < traps.length; next++)
      assert.isBelow(traps[next - 1]?.limit ?? 100, traps[next]?.floor ?? 0)
    assert.isBelow(traps.at(-1)?.limit ?? 100, Ceiling.none.floor)
  })

  it("lets a power that anybody holds be minimal only where nobody does, and low only with notice", () => {
    const of = (controller: Controller.Controller) => limitOf("token.mintable", { category: "control", controller })
    assert.deepStrictEqual([Controller.make("dead"), late, several, one].map(of), [100, 90, 70, 32])
  })

  it("lets code that can be replaced be no better than medium, with any notice", () => {
    const of = (controller: Controller.Controller) => limitOf("proxy.upgradeable", { category: "control", controller })
    assert.deepStrictEqual([Controller.make("dead"), late, several, one].map(of), [100, 70, 70, 32])
  })

  it("lets a known issuer be medium, whatever it can do", () => {
    for (const id of ["token.mintable", "proxy.upgradeable", "token.balances-seizable"])
      for (const severity of ["medium", "high", "critical"] as const)
        assert.strictEqual(
          limitOf(id, { category: "control", controller: one, severity }, true),
          70,
          `${id} ${severity}`
        )
  })

  it("never rises with the severity, nor falls with a better controller", () => {
    const severities: ReadonlyArray<Severity> = ["info", "low", "medium", "high", "critical"]
    const controllers = [null, one, several, late, Controller.make("dead")]
    for (const id of ["token.mintable", "proxy.upgradeable", "token.tax-changeable", "control.hidden", "trade.taxed"])
      for (const established of [false, true]) {
        const limits = controllers.map((controller) =>
          severities.map((severity) => limitOf(id, { category: "control", controller, severity }, established))
        )
        for (const row of limits)
          assert.deepStrictEqual(
            row,
            [...row].sort((a, b) => b - a),
            id
          )
        if (id === "trade.taxed" || id === "control.hidden") continue
        for (const [at] of severities.entries()) {
          const column = limits.map((row) => row[at] ?? 0)
          assert.deepStrictEqual(
            column,
            [...column].sort((a, b) => a - b),
            id
          )
        }
      }
  })

  it("lets nothing be minimal with a lock that ends, code that nobody published, a vote or a schedule", () => {
    assert.strictEqual(limitOf("liquidity.lock-ends", { category: "exit", severity: "low" }), 90)
    assert.strictEqual(limitOf("wallet.unknown-code", { category: "account", severity: "low" }), 90)
    for (const controller of [late, Controller.make("governor")])
      assert.strictEqual(
        limitOf("control.executes-decisions", { category: "control", severity: "low", controller }),
        90
      )
    assert.strictEqual(
      limitOf("control.executes-decisions", { category: "control", severity: "medium", controller: several }),
      70
    )
  })

  it("lets a Safe that any one of several owners moves be no better than medium, and one of a single owner be minimal", () => {
    assert.strictEqual(limitOf("safe.single-signature", { category: "account", severity: "medium" }), 70)
    assert.strictEqual(limitOf("safe.single-signature", { category: "account", severity: "low" }), 100)
  })

  it("lets no token be low that imitates another or of which insiders hold much", () => {
    assert.strictEqual(limitOf("token.impersonates", { category: "identity" }), 70)
    assert.strictEqual(limitOf("holders.insiders", { category: "market" }), 70)
    assert.strictEqual(limitOf("holders.insiders", { category: "market", severity: "medium" }), 100)
  })

  it("lets no token that copies the name and the symbol of a listed one be better than critical", () => {
    assert.strictEqual(limitOf("token.impersonates", { category: "identity", severity: "critical" }), 15)
  })

  it("lets a wallet be medium at best with code of no known publisher or a module, and critical when frozen", () => {
    const account = { category: "account" } as const
    assert.strictEqual(limitOf("wallet.delegated", { ...account, severity: "medium" }), 70)
    assert.strictEqual(limitOf("safe.guard", { ...account, severity: "medium" }), 70)
    assert.strictEqual(limitOf("safe.modules", account), 70)
    assert.strictEqual(limitOf("wallet.frozen", account), 15)
  })

  it("counts nowhere to sell as less than what one account can turn into a trap", () => {
    const nowhere = limitOf("liquidity.thin", { category: "market" })
    assert.isAbove(nowhere, limitOf("liquidity.held-by-insiders"))
    assert.strictEqual(nowhere, 40)
    assert.strictEqual(limitOf("liquidity.thin", { category: "market", severity: "medium" }), 100)
  })
})
