import { assert, describe, it } from "@effect/vitest"
import * as Controller from "../../src/domain/Controller.js"
import type { Evidence } from "../../src/domain/Evidence.js"
import * as Documents from "../../src/testing/Documents.js"
import * as FaultLaw from "../../src/testing/FaultLaw.js"

const target = Documents.token(1)
const [alice, bob, carol] = [Documents.address(11), Documents.address(12), Documents.address(13)]

const saying = (value: unknown, options: Partial<Evidence> = {}) =>
  Documents.analysis(target, [{ ...Documents.evidence("token.mintable", "confirmed"), value, ...options }], 1)

const violations = (whole: unknown, disturbed: unknown) => FaultLaw.violations(saying(whole), saying(disturbed))

const held = (...controllers: ReadonlyArray<Controller.Controller>) => ({ functions: ["0x40c10f19"], controllers })

describe("the law of a fault", () => {
  it("lets an item become unknown, and nothing else", () => {
    const whole = saying({ share_bps: 1 })
    const unknown = saying(null, { state: "unknown", reason: "rpc_error", verified: false })
    assert.deepStrictEqual(FaultLaw.violations(whole, unknown), [])
    assert.include(FaultLaw.violations(unknown, whole), "token.mintable turned from unknown to confirmed")
    assert.include(
      FaultLaw.violations(whole, saying({ share_bps: 1 }, { state: "refuted" })),
      "token.mintable turned from confirmed to refuted"
    )
    assert.include(
      FaultLaw.violations(whole, Documents.analysis(target, [], 1)),
      "nothing is said of token.mintable any more"
    )
  })

  it("lets no decided value say something else, with the two values in the breach", () => {
    assert.deepStrictEqual(violations({ share_bps: 1 }, { share_bps: 1 }), [])
    assert.deepStrictEqual(violations({ share_bps: 1 }, { share_bps: 2 }), [
      'token.mintable says {"share_bps":2} where it said {"share_bps":1}'
    ])
    assert.lengthOf(violations({ admin: alice }, { admin: null }), 1)
  })

  it("lets a list be shorter that says that it is, and no other", () => {
    const list = (complete: boolean, ...members: ReadonlyArray<string>) => ({ members, complete })
    assert.deepStrictEqual(violations(list(true, alice, bob), list(false, bob)), [])
    assert.lengthOf(violations(list(true, alice, bob), list(true, bob)), 1)
    assert.lengthOf(violations(list(true, alice), list(false, alice, carol)), 1)
    assert.lengthOf(violations(list(false, alice), list(true, alice)), 1)
  })

  it("lets a controller be unknown, and the signers behind a delay be missing that says so", () => {
    const council = Controller.make("timelock", { address: bob, delaySeconds: 604_800, threshold: 2, signers: 3 })
    const delay = Controller.make("timelock", { address: bob, delaySeconds: 604_800 })
    const unknown = Controller.make("unknown", { address: carol })
    assert.deepStrictEqual(violations(held(Controller.make("eoa", { address: alice })), held(unknown)), [])
    assert.deepStrictEqual(violations(held(council), held(Controller.incomplete(delay))), [])
    assert.lengthOf(violations(held(council), held(delay)), 1)
    assert.lengthOf(violations(held(unknown), held(council)), 1)
    assert.lengthOf(violations(held(council), held(council, unknown)), 1)
  })

  it("lets an origin rest on less, with wider bounds and fewer names, and on nothing else", () => {
    const made = { after_block: 6, by_block: 7, deployer: alice, basis: "receipt" }
    assert.deepStrictEqual(violations(made, { ...made, deployer: null, basis: "code" }), [])
    assert.deepStrictEqual(violations(made, { after_block: null, by_block: 9, deployer: null, basis: "events" }), [])
    assert.lengthOf(violations(made, { ...made, deployer: null }), 1)
    assert.lengthOf(violations(made, { ...made, deployer: bob, basis: "code" }), 1)
    assert.lengthOf(violations(made, { ...made, by_block: 6, after_block: 5, basis: "code" }), 1)
    assert.lengthOf(violations({ ...made, basis: "code" }, made), 1)
    const code = { ...made, basis: "code", transaction: `0x${"ab".repeat(32)}` }
    assert.deepStrictEqual(violations(code, { ...code, transaction: null, deployer: null }), [])
    assert.lengthOf(violations(code, { ...code, transaction: null, deployer: bob }), 1)
    assert.lengthOf(violations(code, { ...code, deployer: null }), 1)
  })

  it("leaves out what is said of the endpoint itself", () => {
    const of = (value: unknown) => {
      const about = { ...Documents.evidence("endpoint.capable", "confirmed"), value }
      return Documents.analysis(target, [Documents.evidence("token.mintable", "confirmed"), about], 1)
    }
    assert.deepStrictEqual(FaultLaw.violations(of({ archive: true }), of({ archive: false })), [])
  })
})
