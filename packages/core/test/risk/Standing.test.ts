import { assert, describe, it } from "@effect/vitest"
import * as Controller from "../../src/domain/Controller.js"
import type { Evidence } from "../../src/domain/Evidence.js"
import * as Standing from "../../src/risk/Standing.js"
import { item } from "./Items.js"

const held = (controller: Controller.Controller | null): Evidence =>
  item("token.mintable", "confirmed", { category: "control", controller })

const worst = { reading: "worst", established: false } as const

describe("Standing", () => {
  it("reads what is not known as one key at worst and as nobody at best", () => {
    for (const kind of ["unknown", "contract", "timelock"] as const) {
      const of = (reading: Standing.Case["reading"]) =>
        Standing.of(held(Controller.make(kind)), { reading, established: true })
      assert.deepStrictEqual([of("worst"), of("best")], ["one", "nobody"], kind)
    }
    assert.strictEqual(Standing.of(held(null), { reading: "best", established: true }), "one")
  })

  it("puts notice before who holds a power, and a known issuer only on a token that is established", () => {
    const signers = { threshold: 5, signers: 9 }
    const standings = [
      Controller.make("dead"),
      Controller.make("timelock", { delaySeconds: 172_800 }),
      Controller.make("safe", signers),
      Controller.make("eoa")
    ].map(held)
    const of = (established: boolean) => standings.map((each) => Standing.of(each, { ...worst, established }))
    assert.deepStrictEqual(of(false), ["nobody", "late", "several", "one"])
    assert.deepStrictEqual(of(true), ["nobody", "late", "issuer", "issuer"])
  })

  it("leaves a known issuer less of a power than a council, and more than a delay of seven days", () => {
    const issuer = Standing.exposure(held(Controller.make("eoa")), { ...worst, established: true })
    const council = Controller.make("safe", { threshold: 5, signers: 9 })
    assert.isBelow(issuer, Standing.exposure(held(council), worst))
    assert.isAbove(issuer, Standing.exposure(held(Controller.make("timelock", { delaySeconds: 604_800 })), worst))
  })

  it("does not credit an issuer with a wallet's exposure or with one that is not known", () => {
    const established = { ...worst, established: true }
    const spender = item("allowance.spender-risky", "confirmed", {
      category: "approvals",
      controller: Controller.make("eoa")
    })
    assert.strictEqual(Standing.exposure(spender, established), 1)
    assert.strictEqual(Standing.exposure(held(Controller.make("contract")), established), 1)
  })

  it("needs all of the list, the depth and the holders of liquidity, and none of it twice", () => {
    const evidence = [
      item("token.listed", "confirmed", { polarity: "protective" }),
      item("liquidity.thin", "refuted"),
      item("liquidity.held-by-insiders:0xa", "refuted"),
      item("liquidity.held-by-insiders:0xb", "confirmed", { severity: "low" })
    ]
    assert.isTrue(Standing.isEstablished(evidence, "worst"))
    for (const { id } of evidence) {
      const lost = evidence.map((each) => (each.id === id ? { ...each, state: "unknown" as const } : each))
      assert.deepStrictEqual(
        [Standing.isEstablished(lost, "worst"), Standing.isEstablished(lost, "best")],
        [false, true],
        id
      )
    }
    assert.isFalse(Standing.isEstablished(evidence.slice(0, 2), "best"))
  })
})
