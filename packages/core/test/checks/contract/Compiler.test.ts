import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { compiler } from "../../../src/checks/contract/Compiler.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import { account, delegating, failing, inert, openZeppelin, own, said, target, word } from "../Scripted.js"

const logic = account("2")
const of = (code: Hex) => said(compiler, "contract", { accounts: { [target]: { code } } })

/** A record of solc with a version in words, as nightly builds write it. */
const nightly = (version: string): Hex => {
  const text = Buffer.from(version, "utf8").toString("hex")
  const record = `a164736f6c6378${(text.length / 2).toString(16).padStart(2, "0")}${text}`
  return `0x00${record}${(record.length / 2).toString(16).padStart(4, "0")}`
}

describe("contract.compiler", () => {
  it.effect("is confirmed by the record behind the code, with what it names", () =>
    Effect.gen(function* () {
      const [bare] = yield* of(own("PlainToken"))
      assert.strictEqual(bare?.says, "confirmed")
      assert.deepStrictEqual(bare?.value, {
        records: [{ address: target, compiler: "solc", version: "0.8.37", metadata: null }],
        without: []
      })
      const [hashed] = yield* of(openZeppelin("TimelockController"))
      const [record] = (hashed?.value?.records ?? []) as ReadonlyArray<{ readonly metadata: { readonly kind: string } }>
      assert.strictEqual(record?.metadata.kind, "ipfs")
    })
  )

  it.effect("reads the code behind a proxy, which is the one that answers", () =>
    Effect.gen(function* () {
      const [behind] = yield* said(compiler, "token", {
        accounts: {
          [target]: { code: delegating(Slots.implementation), storage: { [Slots.implementation]: word(logic) } },
          [logic]: { code: own("PlainToken") }
        }
      })
      const [record] = (behind?.value?.records ?? []) as ReadonlyArray<{ readonly address: string }>
      assert.strictEqual(record?.address, logic)
    })
  )

  it.effect("is refuted of code without a record", () =>
    Effect.gen(function* () {
      const [stripped] = yield* of(inert)
      assert.strictEqual(stripped?.says, "refuted")
      assert.deepStrictEqual(stripped?.value, { records: [], without: [target] })
    })
  )

  it.effect("cleans a version that may come from a stranger", () =>
    Effect.gen(function* () {
      const [item] = yield* of(nightly("0.8.1-\u202enightly\u0000"))
      const [record] = (item?.value?.records ?? []) as ReadonlyArray<{ readonly version: string }>
      assert.strictEqual(record?.version, "0.8.1-nightly")
    })
  )

  it.effect("is unknown where the code was not read", () =>
    Effect.gen(function* () {
      const [lost] = yield* said(compiler, "contract", {
        accounts: { [target]: { code: inert } },
        fault: failing("eth_getCode")
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})
