import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import { delegated } from "../../../src/checks/wallet/Delegated.js"
import { walletOpen } from "../../../src/checks/wallet/Open.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as UnauthorizedPayoutTest from "../../../src/facts/wallet/UnauthorizedPayoutTest.js"
import * as Facts from "../../checks/Facts.js"
import { inert } from "../../checks/Scripted.js"
import { compile } from "../Compiled.js"
import { pinned, Running, running } from "../SandboxState.js"

const executing = compile("Executing.sol")

const wallet = Address.checksum(`0x${"31".repeat(20)}`)
const delegate = Address.checksum(`0x${"32".repeat(20)}`)

const execute = Selectors.selector("execute(address,uint256,bytes)")
const executeMany = Selectors.selector("execute((address,uint256,bytes)[])")
const executeBatch = Selectors.selector("executeBatch((address,uint256,bytes)[])")
const executeLists = Selectors.selector("executeBatch(address[],uint256[],bytes[])")
const executeByMode = Selectors.selector("execute(bytes32,bytes)")
const executeSigned = Selectors.selector("execute((address,uint256,bytes)[],bytes)")
const { isValidSignature } = Selectors.functions

const open = [
  ["ExecutesOne", execute],
  ["ExecutesMany", executeMany],
  ["ExecutesNumbered", executeBatch],
  ["ExecutesOnce", executeMany],
  ["ExecutesByMode", executeByMode],
  ["ExecutesSingleByMode", executeByMode],
  ["ExecutesLists", executeLists],
  ["ExecutesOfAnySigner", executeSigned],
  ["ExecutesUnsigned", executeSigned],
  ["ExecutesForWhoeverComesFirst", executeMany]
] as const

const closed = ["ExecutesForItself", "ExecutesForAnEntryPoint"] as const

layer(running, { excludeTestServices: true })("what a stranger has an account do", (it) => {
  const withCode = <A, E, R>(codes: { readonly [address: string]: Hex }, effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { rpc } = yield* Running
      for (const [address, code] of Object.entries(codes))
        yield* Effect.promise(() => rpc.call("anvil_setCode", [address, code]))
      return yield* effect
    })
  const trial = (name: string) =>
    withCode(
      { [wallet]: executing(name) },
      Effect.gen(function* () {
        const state = yield* ChainState
        const paid = yield* UnauthorizedPayoutTest.paysBy(state, wallet)
        const { value } = yield* UnauthorizedPayoutTest.takesAnySignature(state, wallet)
        return [Option.getOrUndefined(Option.map(paid, (reading) => reading.value)), value]
      }).pipe(Effect.provide(pinned()))
    )
  const judged = (check: typeof delegated | typeof walletOpen, codes: { readonly [address: string]: Hex }) =>
    withCode(
      codes,
      Facts.evaluate([check], { kind: "wallet", address: wallet } as never).pipe(
        Effect.provide(Facts.layer.pipe(Layer.provideMerge(pinned()))),
        Effect.map(([item]) => item)
      )
    )
  const running = `0xef0100${delegate.slice(2)}` as const

  it.effect("is seen by whatever function accounts are known to pay, with a signature of nobody's or without", () =>
    Effect.gen(function* () {
      for (const [name, selector] of open) assert.deepStrictEqual(yield* trial(name), [selector, false], name)
    })
  )

  it.effect("is nothing where the account checks its caller, or its own signature", () =>
    Effect.gen(function* () {
      for (const name of closed) assert.deepStrictEqual(yield* trial(name), [undefined, false], name)
      assert.deepStrictEqual(yield* trial("SignsAnything"), [undefined, true])
    })
  )

  it.effect("is nothing any more once whoever came first owns the account", () =>
    Effect.gen(function* () {
      const { rpc } = yield* Running
      const own = (owner: bigint) =>
        Effect.promise(() => rpc.call("anvil_setStorageAt", [wallet, Getter.word(1n), Getter.word(owner)]))
      yield* own(7n << 8n)
      assert.deepStrictEqual(yield* trial("ExecutesForWhoeverComesFirst"), [undefined, false])
      yield* own(0n)
      assert.deepStrictEqual(yield* trial("ExecutesForWhoeverComesFirst"), [executeMany, false])
    })
  )

  it.effect("makes a delegation critical, as its code says or as was tried", () =>
    Effect.gen(function* () {
      for (const name of [...open.map(([each]) => each), "ExecutesWhatItIsTold", "SignsAnything"]) {
        const item = yield* judged(delegated, { [wallet]: running, [delegate]: executing(name) })
        assert.deepInclude(item, { state: "confirmed", severity: "critical" }, name)
        assert.deepInclude(item?.value, { kind: "open" }, name)
      }
      for (const name of closed) {
        const item = yield* judged(delegated, { [wallet]: running, [delegate]: executing(name) })
        assert.deepInclude(item, { state: "confirmed", severity: "medium" }, name)
      }
      const gone = yield* judged(delegated, { [wallet]: running, [delegate]: "0x" })
      assert.deepInclude(gone, { state: "confirmed", severity: "medium" })
    })
  )

  it.effect("confirms that anyone can spend what a contract has, where its code alone does not show it", () =>
    Effect.gen(function* () {
      for (const [name] of open) {
        const item = yield* judged(walletOpen, { [wallet]: executing(name) })
        assert.strictEqual(item?.state, "confirmed", name)
      }
      const signing = yield* judged(walletOpen, { [wallet]: executing("SignsAnything") })
      assert.deepInclude(signing, { state: "confirmed", value: { function: isValidSignature } })
      for (const name of closed) {
        const item = yield* judged(walletOpen, { [wallet]: executing(name) })
        assert.strictEqual(item?.state, "unknown", name)
      }
      assert.strictEqual((yield* judged(walletOpen, { [wallet]: inert }))?.state, "refuted")
    })
  )
})
