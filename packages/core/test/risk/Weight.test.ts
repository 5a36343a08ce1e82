import { assert, describe, it } from "@effect/vitest"
import * as Controller from "../../src/domain/Controller.js"
import * as Weight from "../../src/risk/Weight.js"
import { item } from "./Items.js"

const worst = { reading: "worst", established: false } as const
const best = { reading: "best", established: false } as const

describe("Weight", () => {
  it("weighs what binds holders less than what replaces the code, and that less than what takes", () => {
    const of = (id: string) => Weight.of(item(id, "confirmed", { category: "control" }), worst)
    const weights = ["token.mintable", "proxy.upgradeable", "token.tax-changeable"].map(of)
    assert.deepStrictEqual(weights, [0.55, 0.7, 0.85])
    assert.strictEqual(Weight.of(item("liquidity.held-by-insiders:0xa", "confirmed"), worst), 0.68)
  })

  it("prices a single key over whatever is no token, whoever holds the powers that have a claim of their own", () => {
    const key = item("control.single-key", "confirmed", { category: "control", controller: Controller.make("eoa") })
    const power = (state: "confirmed" | "unknown") =>
      item("contract.delegatecall-mutable", state, {
        category: "code",
        controller: state === "confirmed" ? Controller.make("eoa") : null
      })
    const isPriced = (...others: ReadonlyArray<ReturnType<typeof item>>) =>
      !Weight.saidElsewhere([key, ...others]).has("control.single-key")
    assert.isTrue(isPriced())
    assert.isTrue(isPriced(power("unknown")))
    assert.isTrue(isPriced(power("confirmed")))
    assert.isFalse(isPriced(item("token.mintable", "refuted")))
  })

  it("leaves what a Safe can delegate to to its signers only where Safe published its singleton", () => {
    const delegates = item("contract.selfdestruct-reachable", "unknown", { category: "code" })
    const isPriced = (state: "confirmed" | "refuted" | "unknown") =>
      !Weight.saidElsewhere([delegates, item("safe.unknown-singleton", state)]).has("contract.selfdestruct-reachable")
    assert.deepStrictEqual((["confirmed", "refuted", "unknown"] as const).map(isPriced), [true, false, true])
  })

  it("weighs an unknown risk as a single key's at worst and as nothing at best", () => {
    const unknown = item("token.mintable", "unknown", { category: "control" })
    assert.deepStrictEqual([Weight.of(unknown, worst), Weight.of(unknown, best)], [0.55, 0])
    const bounded = { ...unknown, controller: Controller.make("timelock", { delaySeconds: 604_800 }) }
    assert.isBelow(Weight.of(bounded, worst), 0.2)
  })

  it("weighs the lack of a protection, and nothing where it is there", () => {
    const listed = (state: "confirmed" | "refuted" | "unknown") =>
      item("token.listed", state, { polarity: "protective", severity: "info", category: "identity" })
    assert.deepStrictEqual(
      (["confirmed", "refuted", "unknown"] as const).map((state) => Weight.of(listed(state), worst)),
      [0, 0.03, 0.03]
    )
    assert.strictEqual(Weight.of(listed("unknown"), best), 0)
    assert.isFalse(Weight.isScored(item("liquidity.burned", "refuted", { polarity: "protective" })))
  })

  it("puts claims that say one thing in several ways under one cause, and others under their own", () => {
    const of = (id: string, options: Parameters<typeof item>[2] = {}) =>
      Weight.causeOf([item(id, options.controller ? "unknown" : "confirmed", options)])
    assert.strictEqual(of("proxy.upgradeable"), of("proxy.upgradeable-now"))
    assert.strictEqual(of("token.mintable", { controller: Controller.make("eoa") }), of("proxy.upgradeable"))
    assert.strictEqual(of("token.mintable"), "token.mintable")
    assert.strictEqual(of("trade.taxed"), of("trade.honeypot"))
  })
})
