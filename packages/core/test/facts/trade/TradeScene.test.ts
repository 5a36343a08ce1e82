import { assert, describe, it } from "@effect/vitest"
import * as Address from "../../../src/domain/Address.js"
import * as Timestamp from "../../../src/domain/Timestamp.js"
import * as TradeScene from "../../../src/facts/trade/TradeScene.js"

const token = Address.checksum(`0x${"11".repeat(20)}`)
const block = { number: 9, hash: `0x${"22".repeat(32)}`, timestamp: Timestamp.fromMillis(1_735_689_600_000) } as const

describe("TradeScene", () => {
  it("gives no two blocks the same randomness, and the same block always the same", () => {
    const { block: at, blockWithoutFees } = TradeScene.make({ block }, token)
    const moments = [12, 24, 3_600, 86_400]
    const random = [...moments.map((seconds) => at(seconds)), blockWithoutFees(7_200)].map((each) => each.prevRandao)
    assert.strictEqual(new Set(random).size, random.length)
    assert.notInclude(random, undefined)
    assert.deepStrictEqual(at(12), TradeScene.make({ block }, token).block(12))
  })

  it("lets some have little beside what they spend, which still pays for all the gas that they may burn", () => {
    const account = TradeScene.make({ block }, token).account(0)
    const left = TradeScene.smallPurse(account, 10n ** 18n) - 10n ** 18n
    assert.isTrue(left < 10n ** 17n)
    assert.isTrue(left > 12n * TradeScene.gas.leg * TradeScene.gasPrice)
    assert.isTrue(TradeScene.purse(account, 10n ** 18n) > 2n * 10n ** 18n)
  })
})
