import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { knownGoodCode } from "../../../src/checks/contract/KnownGoodCode.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { artifact } from "../../evm/Compiled.js"
import { account, bob, failing, inert, openZeppelin, own, said, target, word } from "../Scripted.js"

const logic = account("2")
const of = (code: Hex, accounts: Script["accounts"] = {}) =>
  said(knownGoodCode, "contract", { accounts: { [target]: { code }, ...accounts } })

/** The build as a deployment leaves it: an address in every immutable variable, and another record behind the code. */
const deployed = (code: Hex, immutable: Hex): Hex =>
  `${code
    .replace(new RegExp(`7f${"0".repeat(64)}`, "g"), `7f${word(immutable).slice(2)}`)
    .replace(/a2646970667358221220[0-9a-f]{64}/, `a2646970667358221220${"5a".repeat(32)}`)}` as Hex

describe("contract.known-good-code", () => {
  it.effect.each<readonly [string, string]>([
    ["TimelockController", "@openzeppelin/contracts/build/contracts/TimelockController.json"],
    ["ERC20PresetMinterPauser", "openzeppelin-contracts-4/build/contracts/ERC20PresetMinterPauser.json"],
    ["UniswapV2Pair", "@uniswap/v2-core/build/UniswapV2Pair.json"],
    ["UniswapV3Pool", "@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json"],
    ["WETH9", "canonical-weth/build/contracts/WETH9.json"]
  ])("is confirmed of %s as somebody deployed it", ([name, path]) =>
    Effect.gen(function* () {
      const [item] = yield* of(deployed(artifact(path), bob))
      assert.strictEqual(item?.says, "confirmed")
      const [build] = (item?.value?.builds ?? []) as ReadonlyArray<{ readonly name: string }>
      assert.strictEqual(build?.name, name)
    })
  )

  it.effect("requires all code: that of the proxy and that behind it", () =>
    Effect.gen(function* () {
      const behind = (code: Hex) =>
        said(knownGoodCode, "token", {
          accounts: {
            [target]: { code: openZeppelin("ERC1967Proxy"), storage: { [Slots.implementation]: word(logic) } },
            [logic]: { code }
          }
        })
      const [known] = yield* behind(openZeppelin("VestingWallet"))
      assert.strictEqual(known?.says, "confirmed")
      assert.lengthOf(known?.value?.builds as Array<unknown>, 2)
      const [other] = yield* behind(own("LogicToken"))
      assert.strictEqual(other?.says, "refuted")
      assert.deepStrictEqual(other?.value?.others, [logic])
    })
  )

  it.effect("looks through a clone, which has only an address as its code", () =>
    Effect.gen(function* () {
      const clone = `0x363d3d373d3d3d363d73${logic.slice(2)}5af43d82803e903d91602b57fd5bf3` as const
      const [item] = yield* of(clone, { [logic]: { code: openZeppelin("VestingWallet") } })
      assert.strictEqual(item?.says, "confirmed")
    })
  )

  it.effect("is refuted of a build in which one byte is another", () =>
    Effect.gen(function* () {
      const code = openZeppelin("TimelockController")
      const changed = `${code.slice(0, 400)}${code[400] === "0" ? "1" : "0"}${code.slice(401)}` as Hex
      assert.strictEqual((yield* of(changed))[0]?.says, "refuted")
      assert.strictEqual((yield* of(inert))[0]?.says, "refuted")
    })
  )

  it.effect("is unknown where the code was not read", () =>
    Effect.gen(function* () {
      const [lost] = yield* said(knownGoodCode, "contract", {
        accounts: { [target]: { code: inert } },
        fault: failing("eth_getCode")
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})
