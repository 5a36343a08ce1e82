import { Address, Controller } from "@assay/core"
import { Option } from "effect"
import { assert, describe, it } from "vitest"
import * as PlannedChanges from "../../../src/facts/control/PlannedChanges.js"

const [timelock, manager, token, other, key] = [1, 2, 3, 4, 5].map((n) =>
  Address.checksum(`0x${n.toString(16).padStart(40, "0")}`)
) as [Address.Address, Address.Address, Address.Address, Address.Address, Address.Address]

const [mint, pause] = ["0x40c10f19", "0x8456cb59"] as const
const day = 86_400
const late = Controller.make("timelock", { address: timelock, delaySeconds: 7 * day })
const waiting = Controller.make("eoa", { address: key, delaySeconds: 7 * day })

const change = (left: number, calls: PlannedChanges.PlannedChange["calls"], by = timelock) => ({
  by,
  id: "0x01" as const,
  ready: 1,
  notice: Option.some({ from: 1, left }),
  calls
})
const calling = (target: Address.Address, data: `0x${string}`) => Option.some([{ target, data }])
const none = { changes: [], gaps: [] }

const of = (planned: PlannedChanges.PlannedChanges | undefined, controller = late) =>
  PlannedChanges.hastened(Option.fromNullable(planned), token, [mint])(controller).delay_seconds

describe("PlannedChanges.hastened", () => {
  it("leaves a controller without scheduled calls as it is", () => {
    assert.strictEqual(of(none), 7 * day)
  })

  it("gives no credit for a delay where a scheduled call executes sooner than holders can leave", () => {
    assert.strictEqual(of({ ...none, changes: [change(0, calling(token, mint))] }), 0)
    assert.strictEqual(of({ ...none, changes: [change(2 * day - 1, calling(token, mint))] }), 0)
  })

  it("leaves the time that there is to leave", () => {
    assert.strictEqual(of({ ...none, changes: [change(2 * day, calling(token, mint))] }), 7 * day)
    assert.strictEqual(
      of({ ...none, changes: [{ ...change(0, calling(token, mint)), notice: Option.none() }] }),
      7 * day
    )
  })

  it("leaves a power of which another function of the contract is none", () => {
    assert.strictEqual(of({ ...none, changes: [change(0, calling(token, pause))] }), 7 * day)
  })

  it("counts an unknown call, and one to an account before the contract, as a use of the power", () => {
    assert.strictEqual(of({ ...none, changes: [change(0, Option.none())] }), 0)
    assert.strictEqual(of({ ...none, changes: [change(0, calling(other, pause))] }), 0)
  })

  it("does not know how long anybody waits of whom not all plans are known, or none", () => {
    const gaps = [{ what: `plans:${timelock}`, reason: "inconclusive" as const }]
    assert.isNull(of({ ...none, gaps }))
    assert.isNull(of(undefined))
    assert.strictEqual(of({ gaps, changes: [change(0, calling(token, mint))] }), 0)
  })

  it("keeps the plans of another timelock apart", () => {
    assert.strictEqual(of({ ...none, changes: [change(0, calling(token, mint), other)] }), 7 * day)
    assert.strictEqual(of({ ...none, gaps: [{ what: `plans:${other}`, reason: "inconclusive" }] }), 7 * day)
  })

  it("counts calls scheduled at a manager of roles as those of its members", () => {
    assert.strictEqual(of({ ...none, changes: [change(0, calling(token, mint), manager)] }, waiting), 0)
  })

  it("has nothing to say of who waits for nothing", () => {
    const at = Controller.make("eoa", { address: key })
    assert.strictEqual(PlannedChanges.hastened(Option.none(), token, [mint])(at), at)
  })
})
