import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fakePool } from "../../../../src/checks/token/liquidity/FakePool.js"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../../src/facts/Getter.js"
import * as Market from "../../../../src/facts/venue/Market.js"
import type { Account, Script } from "../../../../src/testing/ScriptedChain.js"
import { book } from "../../../EthereumBook.js"
import { account, erc20, failing, inert, person, said, target, word } from "../../Scripted.js"

const { functions, selector } = Selectors

const weth = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
const uniswap = "0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f"
const fake = account("f")
const foreign = account("7")
const real = Market.pairAddresses(Market.of(book), target)[0] ?? fake

/** A token that names a pair, a pair that names a factory, and what factories say of the two tokens. */
const chain = (
  pair: `0x${string}`,
  factory: `0x${string}`,
  made: { readonly [factory: `0x${string}`]: `0x${string}` } = {},
  options: Partial<Script> = {}
): Script => ({
  accounts: {
    [target]: { code: inert, calls: { ...erc20, [selector("uniswapV2Pair()")]: word(pair) } },
    [pair]: {
      code: inert,
      calls: { [functions.factory]: word(factory), [functions.token0]: word(target), [functions.token1]: word(weth) }
    },
    ...Object.fromEntries(
      Object.entries(made).map(([maker, answer]) => [
        maker,
        {
          code: inert,
          calls: { [Getter.calldata(functions.getPair, [word(target), word(weth)])]: word(answer as `0x${string}`) }
        }
      ])
    )
  },
  ...options
})

const zero = `0x$"0".repeat(40)` as const

describe("liquidity.fake-pool", () => {
  it.effect("is confirmed of a pair that its factory made elsewhere, or not at all", () =>
    Effect.gen(function* () {
      const [never] = yield* said(fakePool, "token", chain(fake, uniswap, { [uniswap]: zero }))
      assert.deepInclude(never, { says: "confirmed", severity: "critical" })
      assert.deepStrictEqual(never?.value?.fake, [{ pool: fake, factory: uniswap, made: null }])
      const [elsewhere] = yield* said(fakePool, "token", chain(fake, uniswap, { [uniswap]: real }))
      assert.deepStrictEqual(elsewhere?.value?.fake, [{ pool: fake, factory: uniswap, made: real }])
      const [unknownFactory] = yield* said(fakePool, "token", chain(fake, foreign, { [foreign]: real }))
      assert.deepInclude(unknownFactory, { says: "confirmed" })
    })
  )

  it.effect("is confirmed of a known exchange by the address alone, though the factory says nothing", () =>
    Effect.gen(function* () {
      const [item] = yield* said(fakePool, "token", chain(fake, uniswap))
      assert.deepInclude(item, { says: "confirmed" })
    })
  )

  it.effect(
    "is refuted of a pair at the address where its exchange makes it, and unknown on the word of a factory that is not known",
    () =>
      Effect.gen(function* () {
        assert.deepInclude((yield* said(fakePool, "token", chain(real, uniswap)))[0], { says: "refuted" })
        for (const made of [{ [foreign]: fake }, {}])
          assert.deepInclude((yield* said(fakePool, "token", chain(fake, foreign, made)))[0], {
            says: "unknown: inconclusive"
          })
      })
  )

  it.effect("takes a pool of Uniswap V3 for made where its fee leads to its address", () =>
    Effect.gen(function* () {
      const factory = "0x1F98431c8aD98523631AE4a59f267346ea31F984"
      const exchange = Market.of(book).exchanges.find((one) => one.factory === factory)
      if (exchange?.kind !== "uniswap-v3") return assert.fail("no Uniswap V3")
      const inPool = (place: `0x${string}`) => {
        const script = chain(place, factory)
        const account = script.accounts?.[place]
        const calls = { ...account?.calls, [functions.fee]: word(3_000n) }
        return { ...script, accounts: { ...script.accounts, [place]: { code: inert, calls } } }
      }
      const place = Market.poolAddress(exchange, target, weth, 3_000)
      assert.deepInclude((yield* said(fakePool, "token", inPool(place)))[0], { says: "refuted" })
      assert.deepInclude((yield* said(fakePool, "token", inPool(fake)))[0], { says: "confirmed" })
    })
  )

  it.effect("does not apply to a token that names no pair, or something that is none", () =>
    Effect.gen(function* () {
      const silent = { accounts: { [target]: { code: inert, calls: erc20 } } }
      assert.deepStrictEqual(yield* said(fakePool, "token", silent), [])
      const other = {
        accounts: {
          [target]: { code: inert, calls: { ...erc20, [selector("pair()")]: word(fake) } },
          [fake]: { code: inert, calls: { [functions.factory]: word(uniswap) } }
        }
      }
      assert.deepStrictEqual(yield* said(fakePool, "token", other), [])
    })
  )

  it.effect("is unknown where the token names something that is no pool, beside one that it has", () =>
    Effect.gen(function* () {
      const pool = {
        code: inert,
        calls: {
          [functions.getReserves]: Getter.calldata("0x", [word(10n ** 18n), word(10n ** 18n), word(1n)]),
          [functions.totalSupply]: word(101_000n),
          [functions.balanceOf]: word(0n)
        }
      }
      const naming = (named: `0x${string}`, there: Account) => ({
        accounts: {
          [target]: { code: inert, calls: { ...erc20, [selector("uniswapV2Pair()")]: word(named) } },
          [real]: pool,
          [named]: there
        }
      })
      for (const there of [person, { code: inert }])
        assert.deepInclude((yield* said(fakePool, "token", naming(fake, there)))[0], { says: "unknown: inconclusive" })
      const own = { ...pool.calls, [functions.factory]: word(uniswap), [functions.token0]: word(target) }
      const named = naming(real, { code: inert, calls: { ...own, [functions.token1]: word(weth) } })
      assert.deepInclude((yield* said(fakePool, "token", named))[0], { says: "refuted" })
      assert.deepInclude(
        (yield* said(fakePool, "token", {
          accounts: { [target]: { code: inert, calls: erc20 }, [real]: pool }
        }))[0],
        { says: "refuted" }
      )
    })
  )

  it.effect("is unknown where a read was lost", () =>
    Effect.gen(function* () {
      const [item] = yield* said(
        fakePool,
        "token",
        chain(fake, uniswap, { [uniswap]: zero }, { fault: failing("eth_call", functions.getPair) })
      )
      assert.strictEqual(item?.says, "unknown: rate_limited")
    })
  )
})
