import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Check from "../../../src/checks/Check.js"
import { codeReplaced } from "../../../src/checks/contract/CodeReplaced.js"
import type { Analysis } from "../../../src/domain/Analysis.js"
import type { AccountCode } from "../../../src/domain/facts/AccountCode.js"
import * as Quantity from "../../../src/domain/Quantity.js"
import * as Timestamp from "../../../src/domain/Timestamp.js"
import * as Bytecode from "../../../src/evm/bytecode/Bytecode.js"
import * as Code from "../../../src/facts/code/Code.js"
import * as Earlier from "../../../src/facts/code/Earlier.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { failing, inert, own, target } from "../Scripted.js"

const block = {
  number: 900_000,
  hash: `0x${"aa".repeat(32)}` as const,
  timestamp: Timestamp.fromMillis(1_690_000_000_000)
}

const contract = (code: `0x${string}`): AccountCode => ({
  address: target,
  kind: "contract",
  code_hash: Bytecode.hash(code),
  code_size: code.length / 2 - 1,
  delegate: null,
  nonce: 1,
  balance: Quantity.make(0n)
})

const earlier = (account: AccountCode | null): Pick<Analysis, "block" | "facts"> => ({
  block,
  facts: {
    risk: null,
    account,
    token: null,
    proxy: null,
    control: null,
    pools: null,
    trade: null,
    allowances: null,
    permit2: null,
    portfolio: null,
    safe: null,
    unread: {}
  } as Analysis["facts"]
})

const of = (analysis: Option.Option<Pick<Analysis, "block" | "facts">>, script: ScriptedChain.Script = {}) =>
  Effect.provide(
    Check.evaluate(codeReplaced, { kind: "contract", address: target, chain: { id: 1, name: "scripted" } }),
    Layer.mergeAll(Code.layer, Earlier.layer(analysis)).pipe(
      Layer.provideMerge(ScriptedChain.layer({ accounts: { [target]: { code: inert } }, ...script }))
    )
  )

describe("contract.code-replaced", () => {
  it.effect("is confirmed and critical of code with another hash than an earlier analysis found", () =>
    Effect.gen(function* () {
      const [item] = yield* of(Option.some(earlier(contract(own("PlainToken")))))
      assert.deepInclude(item, { state: "confirmed", severity: "critical" })
      assert.deepStrictEqual(item?.value, {
        before: Bytecode.hash(own("PlainToken")),
        now: Bytecode.hash(inert),
        since_block: 900_000
      })
    })
  )

  it.effect("is confirmed of code that is gone", () =>
    Effect.gen(function* () {
      const [item] = yield* of(Option.some(earlier(contract(inert))), { accounts: {} })
      assert.strictEqual(item?.state, "confirmed")
    })
  )

  it.effect("is refuted of the same code", () =>
    Effect.gen(function* () {
      const [item] = yield* of(Option.some(earlier(contract(inert))))
      assert.strictEqual(item?.state, "refuted")
    })
  )

  it.effect("does not apply without an earlier analysis, or where that found no contract", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of(Option.none()), [])
      const empty: AccountCode = { ...contract(inert), kind: "empty", code_hash: null, code_size: 0 }
      assert.deepStrictEqual(yield* of(Option.some(earlier(empty))), [])
    })
  )

  it.effect("is unknown where either reading was lost", () =>
    Effect.gen(function* () {
      const [before] = yield* of(Option.some(earlier(null)))
      assert.strictEqual(before?.reason, "dependency_unknown")
      const [now] = yield* of(Option.some(earlier(contract(inert))), { fault: failing("eth_getCode") })
      assert.strictEqual(now?.reason, "rate_limited")
    })
  )
})
