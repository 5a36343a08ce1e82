import { assert, it } from "@effect/vitest"
import * as KnownBytes from "../../../src/evm/interpreter/KnownBytes.js"

const word = (value: bigint) => KnownBytes.wordOf(value)

it("reads what was written last, zeros where nothing was, and no number of which a byte is unknown", () => {
  const memory = KnownBytes.empty()
  assert.strictEqual(KnownBytes.numberOf(KnownBytes.read(memory, 64, 32)), 0n)
  KnownBytes.write(memory, 64, word(0x1234n))
  KnownBytes.write(memory, 95, Int16Array.of(0x56))
  assert.strictEqual(KnownBytes.numberOf(KnownBytes.read(memory, 64, 32)), 0x1256n)
  assert.strictEqual(KnownBytes.numberOf(KnownBytes.read(memory, 94, 2)), 0x1256n)
  KnownBytes.forget(memory, 64, 1)
  assert.isUndefined(KnownBytes.numberOf(KnownBytes.read(memory, 64, 32)))
  assert.strictEqual(KnownBytes.numberOf(KnownBytes.read(memory, 65, 31)), 0x1256n)
  KnownBytes.forgetFrom(memory, 80)
  assert.strictEqual(KnownBytes.numberOf(KnownBytes.read(memory, 65, 15)), 0n)
  assert.isUndefined(KnownBytes.numberOf(KnownBytes.read(memory, 1_000, 1)))
})

it("knows nothing of what was written past its bound, and keeps what is before it", () => {
  for (const offset of [KnownBytes.most - 1, KnownBytes.most + 1]) {
    const memory = KnownBytes.empty()
    KnownBytes.write(memory, 0, word(7n))
    KnownBytes.write(memory, offset, word(8n))
    assert.strictEqual(KnownBytes.numberOf(KnownBytes.read(memory, 0, 32)), 7n)
    assert.isUndefined(KnownBytes.numberOf(KnownBytes.read(memory, offset, 32)))
  }
})

it("keeps what two ways to a place have alike, whichever wrote more, and says when it lost something", () => {
  const [kept, other] = [KnownBytes.empty(), KnownBytes.empty()]
  KnownBytes.write(kept, 0, word(7n))
  KnownBytes.write(other, 0, word(7n))
  KnownBytes.write(other, 32, word(9n))
  assert.isTrue(KnownBytes.meet(kept, other))
  assert.strictEqual(KnownBytes.numberOf(KnownBytes.read(kept, 0, 32)), 7n)
  assert.strictEqual(KnownBytes.numberOf(KnownBytes.read(kept, 32, 31)), 0n)
  assert.isUndefined(KnownBytes.numberOf(KnownBytes.read(kept, 63, 1)))
  assert.isFalse(KnownBytes.meet(kept, other))
  KnownBytes.forgetFrom(other, 0)
  assert.isTrue(KnownBytes.meet(kept, other))
  assert.isUndefined(KnownBytes.numberOf(KnownBytes.read(kept, 500, 1)))
})
