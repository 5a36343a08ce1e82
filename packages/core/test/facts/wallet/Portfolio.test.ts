import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Address from "../../../src/domain/Address.js"
import * as Portfolio from "../../../src/facts/wallet/Portfolio.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Facts from "../../checks/Facts.js"
import { failing, target } from "../../checks/Scripted.js"
import { pinned, Running, running } from "../SandboxState.js"

const ether = 10n ** 18n

const portfolioOf = (wallet: Address.Address) =>
  Effect.map(
    Effect.flatMap(Portfolio.Portfolio, (portfolio) => portfolio.of(wallet)),
    ({ value }) => value
  )

layer(running)("what a wallet has", (it) => {
  const of = (wallet: string) =>
    portfolioOf(Address.checksum(wallet as `0x${string}`)).pipe(
      Effect.provide(Layer.provideMerge(Facts.layer, pinned()))
    )

  it.effect("is of listed tokens and of those that others may move, valued by the deepest pool", () =>
    Effect.gen(function* () {
      const { accounts, infrastructure, targets } = yield* Running
      const { at_risk, complete, holdings, unit } = yield* of(accounts.approver)
      assert.isTrue(complete)
      assert.strictEqual(unit?.symbol, "WETH")
      const usdc = holdings.find(({ address }) => address === Address.checksum(infrastructure.usdc))
      assert.strictEqual(usdc?.symbol, "USDC")
      assert.strictEqual(usdc?.decimals, 6)
      // 500,000 USDC into a pool of about 6,000,000 against 2,000 ether.
      const value = BigInt(usdc?.value ?? "0")
      assert.isTrue(value > 145n * ether && value < 170n * ether, `${value}`)
      const plain = holdings.find(({ address }) => address === Address.checksum(targets.plain.address))
      assert.strictEqual(plain?.symbol, null)
      const exposure = at_risk.find(({ by, token }) => by === "erc20" && token === plain?.address)
      assert.strictEqual(exposure?.spender, Address.checksum(accounts.spender))
      assert.strictEqual(exposure?.amount, plain?.balance)
      assert.strictEqual(exposure?.value, plain?.value)
    })
  )

  it.effect("is at risk no further than the permission goes", () =>
    Effect.gen(function* () {
      const { accounts, targets } = yield* Running
      const { at_risk, holdings } = yield* of(accounts.approver)
      const mintable = Address.checksum(targets.mintable.address)
      const limited = at_risk.find(({ token }) => token === mintable)
      const held = holdings.find(({ address }) => address === mintable)
      assert.strictEqual(limited?.amount, (100n * ether).toString())
      assert.isTrue(BigInt(held?.balance ?? "0") > 100n * ether)
      assert.isTrue(BigInt(limited?.value ?? "0") < BigInt(held?.value ?? "0"))
      const uups = Address.checksum(targets.uups.address)
      assert.isTrue(at_risk.some(({ by, token }) => by === "permit2" && token === uups))
    })
  )

  it.effect("is nothing of an address that nobody has used", () =>
    Effect.gen(function* () {
      const { targets } = yield* Running
      const { at_risk, holdings, native } = yield* of(targets.unused.address)
      assert.deepStrictEqual({ at_risk, holdings, native }, { at_risk: [], holdings: [], native: "0" } as never)
    })
  )
})

layer(Layer.empty)("a portfolio of which parts could not be read", (it) => {
  const over = (script: ScriptedChain.Script) =>
    portfolioOf(target).pipe(Effect.provide(Layer.provideMerge(Facts.layer, ScriptedChain.layer(script))))

  it.effect("is not complete, and fails only without the native balance", () =>
    Effect.gen(function* () {
      const [noBatch, noEvents] = [
        yield* over({
          fault: ({ address, method }) =>
            method === "eth_call" && Option.isNone(address) ? "method_unsupported" : undefined
        }),
        yield* over({ fault: failing("eth_getLogs") })
      ]
      assert.isFalse(noBatch.complete)
      assert.isFalse(noEvents.complete)
      const lost = yield* Effect.either(over({ fault: failing("eth_getBalance") }))
      assert.strictEqual(lost._tag, "Left")
    })
  )

  it.effect("has no unit where the chain is in no address book", () =>
    Effect.gen(function* () {
      const { complete, unit } = yield* over({ chain: { addressBook: 999_999 } })
      assert.isNull(unit)
      assert.isTrue(complete)
    })
  )
})
