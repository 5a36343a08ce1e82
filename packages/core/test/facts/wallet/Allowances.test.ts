import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as AddressBook from "../../../src/data/AddressBook.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as Allowances from "../../../src/facts/wallet/Allowances.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Facts from "../../checks/Facts.js"
import { account, alice, approval, inert, target, word } from "../../checks/Scripted.js"
import { compile } from "../Compiled.js"
import { pinned, Running, running } from "../SandboxState.js"

const runtime = compile("Allowing.sol")
const spray = Selectors.selector("spray(address,uint160,uint160)")
const spender = account("a")

// A failed read is tried again after a moment, which a test clock would not let pass.
layer(running, { excludeTestServices: true })("what a wallet lets others move", (it) => {
  /** Puts a token of one of the contracts on the chain. */
  const token = (name: string, digit: string) =>
    Effect.gen(function* () {
      const address = Address.checksum(`0x${digit.repeat(40)}`)
      const { rpc } = yield* Running
      yield* Effect.promise(() => rpc.call("anvil_setCode", [address, runtime(name)]))
      return address
    })
  const sprayed = (on: Address.Address, wallet: Address.Address, first: bigint, count: bigint) =>
    Effect.gen(function* () {
      const { accounts, transact } = yield* Running
      const data = Getter.calldata(spray, [word(wallet), word(first), word(count)])
      yield* Effect.promise(() => transact({ from: accounts.deployer, to: on, data }))
    })
  const approved = (on: Hex, from: Address.Address, amount: bigint) =>
    Effect.gen(function* () {
      const { transact } = yield* Running
      const data = Getter.calldata(Selectors.functions.approve, [word(spender), word(amount)])
      yield* Effect.promise(() => transact({ from, to: on, data }))
    })
  const allowancesOf = (wallet: Address.Address) =>
    Effect.flatMap(Allowances.Allowances, (allowances) => allowances.of(wallet)).pipe(
      Effect.provide(Layer.provideMerge(Facts.layer, pinned())),
      Effect.map(({ value }) => value)
    )

  it.effect("is found behind a thousand approvals that spam made up and denies", () =>
    Effect.gen(function* () {
      const { accounts, targets } = yield* Running
      const wallet = Address.checksum(accounts.holder)
      const plain = Address.checksum(targets.plain.address)
      const forgetting = yield* token("Forgetting", "6")
      yield* approved(plain, wallet, 7n)
      for (const first of [1n, 2n]) yield* sprayed(forgetting, wallet, first << 20n, 500n)
      const { allowances, complete, unread } = yield* allowancesOf(wallet)
      assert.deepStrictEqual(
        allowances.map((each) => `${each.token} ${each.spender} ${each.amount}`),
        [`${plain} ${spender} 7`]
      )
      assert.isNotNull(allowances[0]?.balance)
      assert.isTrue(complete)
      assert.isEmpty(unread)
      yield* approved(plain, wallet, 0n)
    })
  )

  it.effect("is a lower bound of the newest where spam insists, and what another token allows is not lost by it", () =>
    Effect.gen(function* () {
      const { accounts, targets } = yield* Running
      const wallet = Address.checksum(accounts.trader1)
      const plain = Address.checksum(targets.plain.address)
      const insisting = yield* token("Insisting", "7")
      yield* approved(plain, wallet, 7n)
      for (const first of [1n, 2n, 3n]) yield* sprayed(insisting, wallet, first << 20n, 500n)
      const { allowances, complete } = yield* allowancesOf(wallet)
      assert.isFalse(complete)
      const ofSpam = allowances.filter((each) => each.token === insisting)
      assert.strictEqual(ofSpam.length, 48)
      assert.isTrue(ofSpam.every((each) => BigInt(each.spender) >= 3n << 20n))
      assert.isTrue(allowances.some((each) => each.token === plain && each.spender === spender && each.amount === "7"))
    })
  )

  it.effect("is not lost by tokens that revert, burn all gas or flood their caller, and these are no permission", () =>
    Effect.gen(function* () {
      const { accounts, targets } = yield* Running
      const wallet = Address.checksum(accounts.trader2)
      const plain = Address.checksum(targets.plain.address)
      yield* approved(plain, wallet, 9n)
      for (const [name, digit] of [
        ["Reverting", "8"],
        ["Burning", "9"],
        ["Flooding", "5"]
      ] as const)
        yield* sprayed(yield* token(name, digit), wallet, BigInt(spender), 1n)
      const { accounts: by, transact } = yield* Running
      const concealing = yield* token("Concealing", "4")
      const minting = Getter.calldata(Selectors.selector("mint(address)"), [word(wallet)])
      yield* Effect.promise(() => transact({ from: by.deployer, to: concealing, data: minting }))
      const { allowances, complete, unread } = yield* allowancesOf(wallet)
      assert.deepStrictEqual(
        allowances.filter((each) => each.spender === spender).map((each) => `${each.token} ${each.amount}`),
        [`${plain} 9`]
      )
      assert.isEmpty(unread)
      assert.isTrue(complete)
    })
  )
})

// Each on an account of its own, which nothing else has happened to.
layer(running, { excludeTestServices: true })("approvals that no indexed event tells of", (it) => {
  const given = (name: string, digit: string) =>
    Effect.gen(function* () {
      const { accounts, rpc, transact } = yield* Running
      const [token, wallet] = [digit.repeat(40), `${digit}a`.repeat(20)].map((digits) =>
        Address.checksum(`0x${digits}`)
      )
      if (token === undefined || wallet === undefined) return yield* Effect.dieMessage("no account")
      yield* Effect.promise(() => rpc.call("anvil_setCode", [token, runtime(name)]))
      yield* Effect.promise(() => rpc.call("anvil_setBalance", [wallet, "0xde0b6b3a7640000"]))
      const minting = Getter.calldata(Selectors.selector("mint(address)"), [word(wallet)])
      yield* Effect.promise(() => transact({ from: accounts.deployer, to: token, data: minting }))
      return { token, wallet }
    })
  const read = (wallet: Address.Address, changes: Partial<ChainState["Type"]> = {}) =>
    Effect.gen(function* () {
      const allowances = yield* Allowances.Allowances
      const { value } = yield* allowances.of(wallet)
      const unannounced = yield* allowances.unannounced(wallet)
      return { allowances: value.allowances, complete: value.complete, unannounced }
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          Facts.layer,
          Layer.map(pinned(), (context) =>
            Context.add(context, ChainState, { ...Context.get(context, ChainState), ...changes })
          )
        )
      )
    )
  /** An endpoint that cannot simulate. */
  const plain = {
    simulate: () =>
      Effect.fail(
        new ChainError({ reason: "method_unsupported", method: "eth_simulateV1", retryable: false, detail: "" })
      )
  }

  it.effect.each([
    ["Quiet", "1", false],
    ["Unindexed", "2", false],
    ["Telling", "3", true]
  ] as const)("leave the set of %s (%s) complete: %s, by simulation and by the code", ([name, digit, complete]) =>
    Effect.gen(function* () {
      const { token, wallet } = yield* given(name, digit)
      for (const changes of [{}, plain])
        assert.deepStrictEqual(yield* read(wallet, changes), {
          allowances: [],
          complete,
          unannounced: complete ? [] : [token]
        })
    })
  )

  it.effect("are found where one of the usual spenders has one", () =>
    Effect.gen(function* () {
      const { token, wallet } = yield* given("Quiet", "c")
      const { rpc, transact } = yield* Running
      yield* Effect.promise(() => rpc.call("anvil_impersonateAccount", [wallet]))
      const approving = Getter.calldata(Selectors.functions.approve, [word(AddressBook.permit2), word(7n)])
      yield* Effect.promise(() => transact({ from: wallet, to: token, data: approving }))
      const { allowances, complete } = yield* read(wallet)
      assert.deepStrictEqual(
        allowances.map(({ amount, spender }) => `${amount} ${spender}`),
        [`7 ${AddressBook.permit2}`]
      )
      assert.isFalse(complete)
    })
  )

  it.effect("are not complete where the simulation was lost: another reading does not stand in for it", () =>
    Effect.gen(function* () {
      const { wallet } = yield* given("Telling", "d")
      const lost = new ChainError({ reason: "rate_limited", method: "eth_simulateV1", retryable: true, detail: "" })
      const allowances = yield* Effect.provide(
        Effect.flatMap(Allowances.Allowances, (found) => found.of(wallet)),
        Layer.provideMerge(
          Facts.layer,
          Layer.map(pinned(), (context) =>
            Context.add(context, ChainState, { ...Context.get(context, ChainState), simulate: () => Effect.fail(lost) })
          )
        )
      )
      assert.isFalse(allowances.value.complete)
    })
  )
})

layer(Layer.empty)("permissions that cannot be asked many in one call", (it) => {
  it.effect("are not complete where there are more than are read one by one, or than are examined of one token", () =>
    Effect.gen(function* () {
      const { allowances, complete } = (yield* (yield* Allowances.Allowances).of(target)).value
      assert.strictEqual(allowances.length, 48)
      assert.isFalse(complete)
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          Facts.layer,
          ScriptedChain.layer({
            accounts: {
              [account("2")]: { code: inert, calls: { [Selectors.functions.allowance]: word(7n) } },
              [alice]: {}
            },
            // A node that wants a recipient.
            fault: ({ address, method }) =>
              method === "eth_call" && Option.isNone(address) ? "method_unsupported" : undefined,
            logs: Array.from({ length: 90 }, (_, index) =>
              approval(account("2"), Address.checksum(`0x${(index + 0x1000).toString(16).padStart(40, "0")}`))
            )
          })
        )
      )
    )
  )

  it.effect("keep the place of one that was lost: no other one takes it", () =>
    Effect.gen(function* () {
      const coin = account("2")
      const spenders = Array.from({ length: 90 }, (_, index) =>
        Address.checksum(`0x${(index + 0x1000).toString(16).padStart(40, "0")}`)
      )
      const script = (lost: (data: Hex) => boolean): ScriptedChain.Script => ({
        accounts: { [coin]: { code: inert, calls: { [Selectors.functions.allowance]: word(7n) } }, [alice]: {} },
        fault: ({ address, data, method }) =>
          method === "eth_call" && (Option.isNone(address) || Option.exists(data, lost)) ? "rate_limited" : undefined,
        logs: spenders.map((one) => approval(coin, one))
      })
      const told = (lost: (data: Hex) => boolean) =>
        Effect.map(found(script(lost)), ({ allowances }) => allowances.map((one) => one.spender))
      const all = yield* told(() => false)
      const gone = all[7] ?? alice
      const rest = yield* told((data) => data.includes(gone.slice(2).toLowerCase()))
      assert.sameMembers(
        rest,
        all.filter((one) => one !== gone)
      )
      assert.strictEqual(rest.length, 47)
    })
  )

  const denying = (tokens: number, calls: { readonly [data: Hex]: Hex } = {}) => {
    const coins = Array.from({ length: tokens }, (_, place) =>
      Address.checksum(`0x${(0x2000 + place).toString(16).padStart(40, "0")}`)
    )
    return {
      accounts: {
        ...Object.fromEntries(
          coins.map((coin) => [
            coin,
            {
              code: inert,
              calls: {
                [Selectors.functions.allowance]: word(0n),
                [Selectors.functions.balanceOf]: word(5n),
                ...calls
              }
            }
          ])
        ),
        [alice]: {}
      },
      logs: coins.map((coin, place) => ({
        ...approval(coin, alice),
        data: word(7n),
        transactionHash: word(BigInt(place + 1))
      }))
    }
  }
  const found = (script: ScriptedChain.Script) =>
    Effect.flatMap(Allowances.Allowances, (allowances) => allowances.of(target)).pipe(
      Effect.map(({ value }) => value),
      Effect.provide(Layer.provideMerge(Facts.layer, ScriptedChain.layer(script)))
    )

  it.effect("are none where every one was tried that was announced and is denied, and not complete beyond that", () =>
    Effect.gen(function* () {
      const few = yield* found(denying(32))
      assert.deepInclude(few, { allowances: [], unread: [], complete: true })
      const many = yield* found(denying(33))
      assert.deepInclude(many, { allowances: [], unread: [], complete: false })
    })
  )

  it.effect("come from no token that makes up many at once, and still from each that does not", () =>
    Effect.gen(function* () {
      const { accounts, logs } = denying(31)
      const address = logs[0]?.address ?? target
      const made = Array.from({ length: 200 }, (_, place) => ({
        ...approval(address, Address.checksum(`0x${(0x9000 + place).toString(16).padStart(40, "0")}`)),
        data: word(7n),
        transactionHash: word(0xabcn)
      }))
      // Eight of what was made up are tried, which leaves no room for the last of the others.
      assert.isFalse((yield* found({ accounts, logs: [...logs, ...made] })).complete)
      assert.isTrue((yield* found({ accounts, logs: [...logs.slice(0, 24), ...made] })).complete)
    })
  )
})
