import { assert, describe, it } from "@effect/vitest"
import * as Address from "../../../src/domain/Address.js"
import * as PoolKey from "../../../src/facts/venue/PoolKey.js"
import * as ManagerWorld from "./ManagerWorld.js"

const token = Address.checksum("0x1111111111111111111111111111111111111111")
const other = Address.checksum("0x2222222222222222222222222222222222222222")
const fees = { fee: 3_000, tickSpacing: 60 }

const hooked = (bits: ReadonlyArray<ManagerWorld.Bit>, fee = 3_000): PoolKey.PoolKey => ({
  ...PoolKey.plain(token, other, fees),
  fee,
  hook: Address.checksum(ManagerWorld.addressOf({ name: "any", bits }))
})

describe("PoolKey", () => {
  it("gives the id that the manager computes, whichever currency is named first and whatever sign the spacing has", () => {
    for (const tickSpacing of [1, 60, -60]) {
      const key = PoolKey.plain(other, token, { fee: 500, tickSpacing })
      const [currency0, currency1] = key.currencies
      assert.deepStrictEqual(key.currencies, [token, other])
      assert.strictEqual(
        PoolKey.idOf(key),
        ManagerWorld.idOf({ currency0, currency1, fee: 500, tickSpacing, hooks: Address.zero })
      )
    }
  })

  it("has a hook apart from swaps where the manager never calls it around them and the fee is fixed", () => {
    const around: ReadonlyArray<ManagerWorld.Bit> = [
      "beforeSwap",
      "afterSwap",
      "beforeSwapReturnsDelta",
      "afterSwapReturnsDelta"
    ]
    for (const bit of Object.keys(ManagerWorld.bits) as ReadonlyArray<ManagerWorld.Bit>)
      assert.strictEqual(PoolKey.isApartFromSwaps(hooked([bit])), !around.includes(bit), bit)
    assert.isTrue(PoolKey.isApartFromSwaps(PoolKey.plain(token, other, fees)))
    assert.isFalse(PoolKey.isApartFromSwaps(hooked(["afterAddLiquidity"], PoolKey.dynamicFee)))
    assert.isFalse(PoolKey.isApartFromSwaps({ ...PoolKey.plain(token, other, fees), fee: PoolKey.dynamicFee }))
  })
})
