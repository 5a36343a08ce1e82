import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { addressKind } from "../../../src/checks/address/AddressKind.js"
import * as Check from "../../../src/checks/Check.js"
import * as Address from "../../../src/domain/Address.js"
import type { AccountKind } from "../../../src/domain/facts/AccountCode.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Code from "../../../src/facts/code/Code.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { alice, failing, inert, said, target } from "../Scripted.js"

const burnt = Address.checksum("0x000000000000000000000000000000000000dead")

const small = (value: number): Address.Address => Address.checksum(`0x${value.toString(16).padStart(40, "0")}`)

const kindOf = (address: Address.Address, account: ScriptedChain.Account) =>
  Check.evaluate(addressKind, { kind: "wallet", address, chain: { id: 1, name: "scripted" } }).pipe(
    Effect.provide(Layer.provideMerge(Code.layer, ScriptedChain.layer({ accounts: { [address]: account } }))),
    Effect.map(([item]) => item)
  )

const designator: Hex = `0xef0100${alice.slice(2)}`

describe("address.kind", () => {
  it.effect.each<readonly [string, AccountKind, Address.Address, ScriptedChain.Account]>([
    ["code", "contract", target, { code: inert }],
    ["code and a nonce", "contract", target, { code: inert, nonce: 1, balance: 5n }],
    ["a delegation designator", "delegated_eoa", target, { code: designator, nonce: 1 }],
    ["a designator with a byte too many", "contract", target, { code: `${designator}00` }],
    ["a nonce and no code", "eoa", target, { nonce: 1 }],
    ["a balance and no code", "eoa", target, { balance: 1n }],
    ["nothing at all", "empty", target, {}],
    ["nothing at the first precompile", "precompile", small(0x1), {}],
    ["a balance at the last precompile", "precompile", small(0x11), { balance: 1n }],
    ["nothing at P256VERIFY", "precompile", small(0x100), {}],
    ["nothing behind the last precompile", "empty", small(0x12), {}],
    ["nothing at zero", "empty", Address.zero, {}],
    ["a balance at a burn address", "eoa", burnt, { balance: 1n }],
    ["code at a precompile's address", "contract", small(0x5), { code: inert }]
  ])("of an address with %s is %s, without a key at precompiles and burn addresses", ([_, kind, address, account]) =>
    Effect.gen(function* () {
      const item = yield* kindOf(address, account)
      const keyless = kind === "precompile" || (kind !== "contract" && [Address.zero, burnt].includes(address))
      assert.strictEqual(item?.state, "confirmed")
      assert.deepStrictEqual(item?.value, { kind, delegate: kind === "delegated_eoa" ? alice : null, keyless })
      assert.strictEqual(item?.observation?.method, "eth_getCode")
      assert.strictEqual(item?.severity, "info")
    })
  )

  it.effect("applies to every kind of target", () =>
    Effect.gen(function* () {
      for (const kind of ["token", "wallet", "contract"] as const) {
        const [item] = yield* said(addressKind, kind, { accounts: { [target]: { code: inert } } })
        assert.strictEqual(item?.says, "confirmed")
      }
    })
  )

  it.effect("is unknown where code, nonce or balance was not read, and never empty", () =>
    Effect.gen(function* () {
      for (const method of ["eth_getCode", "eth_getTransactionCount", "eth_getBalance"]) {
        const items = yield* said(addressKind, "wallet", { fault: failing(method) })
        assert.deepStrictEqual(
          items.map(({ id, says, value }) => [id, says, value]),
          [["address.kind", "unknown: rate_limited", null]]
        )
      }
    })
  )
})
