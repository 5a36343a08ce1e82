import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import { frozen } from "../../../src/checks/wallet/Frozen.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import type { Target } from "../../../src/domain/Target.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as Facts from "../../checks/Facts.js"
import { compile } from "../Compiled.js"
import { pinned, Running, running } from "../SandboxState.js"

const runtime = compile("Refusing.sol")

let places = 0

/** An account that nothing has happened to. */
const fresh = Effect.gen(function* () {
  const { rpc } = yield* Running
  const account = Address.checksum(`0x${(0xf0_0000 + places++).toString(16).padStart(40, "7")}`)
  yield* Effect.promise(() => rpc.call("anvil_impersonateAccount", [account]))
  yield* Effect.promise(() => rpc.call("anvil_setBalance", [account, "0xde0b6b3a7640000"]))
  return account
})

const send = (from: Address.Address, to: Address.Address, signature: string, about?: Address.Address) =>
  Effect.flatMap(Running, ({ transact }) =>
    Effect.promise(() =>
      transact({
        from,
        to,
        data: Getter.calldata(Selectors.selector(signature), about === undefined ? [] : [Getter.word(about)])
      })
    )
  )

const token = (name: string) =>
  Effect.gen(function* () {
    const { rpc } = yield* Running
    const at = yield* fresh
    yield* Effect.promise(() => rpc.call("anvil_setCode", [at, runtime(name)]))
    return at
  })

/** A wallet that claimed a token and was banned by it. */
const banned = (name: string) =>
  Effect.gen(function* () {
    const [wallet, coin] = [yield* fresh, yield* token(name)]
    yield* send(wallet, coin, "claim()")
    yield* send(wallet, coin, "ban(address)", wallet)
    return { coin, wallet }
  })

/** An endpoint that does not simulate, for this reason. */
const without = (reason: "method_unsupported" | "rate_limited"): Partial<ChainState["Type"]> => ({
  simulate: () => Effect.fail(new ChainError({ reason, method: "eth_simulateV1", retryable: false, detail: "no" }))
})

const said = (wallet: Address.Address, changes: Partial<ChainState["Type"]> = {}) =>
  Effect.gen(function* () {
    const { chain } = yield* ChainState
    const target: Target = { kind: "wallet", address: wallet, chain: { id: chain.id, name: chain.name } }
    const [item] = yield* Facts.evaluate([frozen], target)
    if (item?.state !== "confirmed") return [item?.state ?? "absent"]
    const value = item.value as { readonly tokens: ReadonlyArray<{ readonly address: Hex }> } | null
    return [item.state, item.severity, ...(value?.tokens ?? []).map(({ address }) => address)]
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        Facts.layer,
        // Without the coins of a known chain, which say by themselves whom they have frozen.
        Layer.map(pinned({ addressBook: 31_337 }), (context) =>
          Context.add(context, ChainState, { ...Context.get(context, ChainState), ...changes })
        )
      )
    )
  )

// A failed read is tried again after a moment, which a test clock would not let pass.
layer(running, { excludeTestServices: true })("transfers of what a wallet holds", (it) => {
  it.effect("are refuted to be refused where the token accepts them, whatever it returns", () =>
    Effect.gen(function* () {
      for (const name of ["Freezing", "ReturningNothing"]) {
        const [wallet, coin] = [yield* fresh, yield* token(name)]
        yield* send(wallet, coin, "claim()")
        for (const changes of [{}, without("method_unsupported")])
          assert.deepStrictEqual(yield* said(wallet, changes), ["refuted"], name)
      }
    })
  )

  it.effect("are refuted to be refused by a token without another holder that takes one transfer a block", () =>
    Effect.gen(function* () {
      const [wallet, coin] = [yield* fresh, yield* token("Paced")]
      yield* send(wallet, coin, "mint()")
      assert.deepStrictEqual(yield* said(wallet), ["refuted"])
    })
  )

  it.effect("are refused to the wallet alone where a token fails, returns false or credits nothing for it", () =>
    Effect.gen(function* () {
      for (const name of ["Freezing", "FreezingByFalse", "FreezingSilently"]) {
        const { coin, wallet } = yield* banned(name)
        assert.deepStrictEqual(yield* said(wallet), ["confirmed", "high", coin], name)
      }
    })
  )

  it.effect("are seen to be refused by calls where no endpoint simulates", () =>
    Effect.gen(function* () {
      const { coin, wallet } = yield* banned("Freezing")
      assert.deepStrictEqual(yield* said(wallet, without("method_unsupported")), ["confirmed", "high", coin])
    })
  )

  it.effect("are refused with a lower severity where no holder can transfer", () =>
    Effect.gen(function* () {
      const [wallet, coin] = [yield* fresh, yield* token("Halted")]
      yield* send(wallet, coin, "claim()")
      assert.deepStrictEqual(yield* said(wallet), ["confirmed", "medium", coin])
    })
  )

  it.effect("are not tried of what others sent to the wallet, nor of a debt, which no code transfers", () =>
    Effect.gen(function* () {
      const [given, airdropped] = [yield* fresh, yield* token("Freezing")]
      const { accounts } = yield* Running
      yield* send(Address.checksum(accounts.deployer), airdropped, "airdrop(address)", given)
      yield* send(Address.checksum(accounts.deployer), airdropped, "ban(address)", given)
      assert.deepStrictEqual(yield* said(given), ["absent"])
      const { wallet } = yield* banned("Debt")
      assert.deepStrictEqual(yield* said(wallet), ["absent"])
    })
  )

  it.effect("leave the claim unknown where the simulation or the history was lost", () =>
    Effect.gen(function* () {
      const { wallet } = yield* banned("Freezing")
      assert.deepStrictEqual(yield* said(wallet, without("rate_limited")), ["unknown"])
      const lost = new ChainError({ reason: "rate_limited", method: "eth_getLogs", retryable: false, detail: "no" })
      assert.deepStrictEqual(yield* said(wallet, { logs: () => Effect.fail(lost) }), ["unknown"])
    })
  )
})
