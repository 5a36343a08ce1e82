import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainError } from "../../../../src/chain/ChainError.js"
import { ChainState } from "../../../../src/chain/state/ChainState.js"
import type * as Check from "../../../../src/checks/Check.js"
import { allowanceBypass } from "../../../../src/checks/token/powers/AllowanceBypass.js"
import { balancesSeizable } from "../../../../src/checks/token/powers/BalancesSeizable.js"
import { blacklistable } from "../../../../src/checks/token/powers/Blacklistable.js"
import { limitsChangeable } from "../../../../src/checks/token/powers/LimitsChangeable.js"
import { mintable } from "../../../../src/checks/token/powers/Mintable.js"
import { pausable } from "../../../../src/checks/token/powers/Pausable.js"
import { powersSurviveRenouncing } from "../../../../src/checks/token/powers/PowersSurviveRenouncing.js"
import { taxChangeable } from "../../../../src/checks/token/powers/TaxChangeable.js"
import { whitelistOnly } from "../../../../src/checks/token/powers/WhitelistOnly.js"
import * as AddressBook from "../../../../src/data/AddressBook.js"
import * as Address from "../../../../src/domain/Address.js"
import type { Hex } from "../../../../src/domain/Hex.js"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../../src/evm/bytecode/Slots.js"
import * as Getter from "../../../../src/facts/Getter.js"
import type { Script } from "../../../../src/testing/ScriptedChain.js"
import * as Fixture from "../../../Fixture.js"
import { compile } from "../../../facts/Compiled.js"
import { pinned, Running, running } from "../../../facts/SandboxState.js"
import * as Facts from "../../Facts.js"
import {
  account,
  alice,
  delegating,
  erc20,
  failing,
  inert,
  nobody,
  own,
  person,
  safe,
  said,
  target,
  word
} from "../../Scripted.js"

const { functions, selector } = Selectors
const ownerSlot = word(5n)

/** A token of some code with its owner in the slot after OpenZeppelin's own five. */
const owned = (code: Hex, owner: Hex, accounts: Script["accounts"] = {}): Script => ({
  accounts: {
    [target]: {
      code,
      storage: { [ownerSlot]: owner },
      calls: { ...erc20, [functions.owner]: word(owner) }
    },
    [alice]: person,
    ...accounts
  }
})

// The compiler leaves 32 bytes for an immutable variable, which the constructor fills in.
const withImmutable = (code: Hex, address: Hex): Hex =>
  code.replaceAll(`7f${"00".repeat(32)}`, `7f${word(address).slice(2)}`) as Hex

const backdoor = (helper: Hex): Script => ({
  accounts: {
    [target]: { code: withImmutable(own("AllowanceBackdoorToken"), helper), calls: erc20 },
    [alice]: person
  }
})

interface Claim {
  readonly check: Check.Any
  readonly severity: string
  readonly by: string
  /** A token of which the claim is true, by whoever this is. */
  readonly held: (by: Hex) => Script
}

const claims: ReadonlyArray<Claim> = [
  {
    check: pausable,
    severity: "high",
    by: functions.pause,
    // Pausable's switch and the owner share a word.
    held: (by) => {
      const script = owned(own("PausableToken"), by)
      const token = script.accounts?.[target]
      return {
        accounts: { ...script.accounts, [target]: { ...token, storage: { [ownerSlot]: `0x${by.slice(2)}00` } } }
      }
    }
  },
  {
    check: blacklistable,
    severity: "high",
    by: selector("setBlacklisted(address,bool)"),
    held: (by) => owned(own("BlacklistToken"), by)
  },
  {
    check: whitelistOnly,
    severity: "high",
    by: selector("setMember(address,bool)"),
    held: (by) => owned(own("MembersToken"), by)
  },
  {
    check: taxChangeable,
    severity: "high",
    by: selector("setTax(uint256)"),
    held: (by) => owned(own("TaxableToken"), by)
  },
  {
    check: limitsChangeable,
    severity: "medium",
    by: selector("setMaxTransfer(uint256)"),
    held: (by) => owned(own("ThrottleToken"), by)
  },
  {
    check: balancesSeizable,
    severity: "critical",
    by: selector("recover(address,address,uint256)"),
    held: (by) => owned(own("SeizingToken"), by)
  },
  { check: allowanceBypass, severity: "critical", by: functions.transferFrom, held: backdoor }
]

const ofCode = (code: Hex): Script => ({ accounts: { [target]: { code, calls: erc20 }, [alice]: person } })

const behindProxy = (code: Hex): Script => ({
  accounts: {
    [target]: {
      code: delegating(Slots.implementation),
      storage: { [Slots.implementation]: word(account("2")), [Slots.admin]: word(alice) },
      calls: erc20
    },
    [account("2")]: { code },
    [alice]: person
  }
})

it.effect("is refuted where nobody can call a function that only may have the power, and names that function", () =>
  Effect.gen(function* () {
    // What its keeper gives may be so much that less is left.
    const { code, selectors } = Fixture.read("evm/contracts", "Losses.sol", "optimised")("GivingAnything")
    const give = `0x${selectors["give(address,uint256)"]}`
    const kept = (keeper: Hex): Script => ({
      accounts: {
        [target]: { code: `0x${code}`, storage: { [word(2n)]: word(keeper) }, calls: erc20 },
        [alice]: person
      }
    })
    const [held] = yield* said(balancesSeizable, "token", kept(alice))
    assert.strictEqual(held?.says, "unknown: inconclusive")
    const [dead] = yield* said(balancesSeizable, "token", kept(AddressBook.burnAddresses[1] ?? nobody))
    assert.strictEqual(dead?.says, "refuted")
    assert.deepStrictEqual(dead?.value?.functions, [give])
  })
)

for (const { by, check, held, severity } of claims) {
  describe(check.id, () => {
    it.effect("is confirmed by the code alone of whoever it lets through, and says that it was not simulated", () =>
      Effect.gen(function* () {
        const [found] = yield* said(check, "token", held(alice))
        assert.deepInclude<object>(found ?? {}, { says: "confirmed", controller: "eoa", severity })
        assert.include(found?.value?.functions as ReadonlyArray<string>, by)
      })
    )

    it.effect("is refuted where nobody may, and where no function does", () =>
      Effect.gen(function* () {
        const [dead] = yield* said(check, "token", held(AddressBook.burnAddresses[1] ?? nobody))
        assert.strictEqual(dead?.says, "refuted")
        const [plain] = yield* said(check, "token", ofCode(own("PlainToken")))
        assert.strictEqual(plain?.says, "refuted")
      })
    )

    it.effect("is unknown where code could not be followed, and where a read was lost", () =>
      Effect.gen(function* () {
        const [foreign] = yield* said(check, "token", ofCode(own("UupsToken")))
        assert.strictEqual(foreign?.says, "unknown: inconclusive")
        for (const method of ["eth_getCode", "eth_getStorageAt"]) {
          const [lost] = yield* said(check, "token", { ...held(alice), fault: failing(method) })
          // The helper of the backdoor is written into the code, and stands in no slot.
          if (check === allowanceBypass && method === "eth_getStorageAt") continue
          assert.strictEqual(lost?.says, "unknown: rate_limited", method)
        }
      })
    )

    it.effect("does not apply to code without such a function that can be replaced, nor to a collection", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* said(check, "token", behindProxy(own("PlainToken"))), [])
        const id = Getter.calldata(functions.supportsInterface, [Getter.leftAligned(Selectors.interfaceIds.erc721)])
        const calls = { [functions.supportsInterface]: word(0n), [id]: word(1n) }
        assert.deepStrictEqual(yield* said(check, "token", { accounts: { [target]: { code: inert, calls } } }), [])
      })
    )
  })
}

describe("token.pausable", () => {
  it.effect("is mitigated by whoever holds the power", () =>
    Effect.gen(function* () {
      const council = account("3")
      const script = claims[0]?.held(council)
      const [found] = yield* said(pausable, "token", {
        accounts: { ...script?.accounts, [council]: safe(2n, [alice, account("b"), account("c")]) }
      })
      assert.deepInclude(found, { says: "confirmed", controller: "safe" })
    })
  )

  it.effect("is confirmed of a lever of a replaceable code", () =>
    Effect.gen(function* () {
      const script = behindProxy(own("PausableToken"))
      const [found] = yield* said(pausable, "token", {
        accounts: {
          ...script.accounts,
          [target]: {
            ...script.accounts?.[target],
            storage: { ...script.accounts?.[target]?.storage, [ownerSlot]: `0x${alice.slice(2)}00` }
          }
        }
      })
      assert.strictEqual(found?.says, "confirmed")
    })
  )

  it.effect("is not refuted by an owner who gave up and can come back", () =>
    Effect.gen(function* () {
      const [found] = yield* said(pausable, "token", {
        accounts: {
          [target]: {
            code: own("ReclaimableToken"),
            // ReclaimableToken: owner, then its previous owner, after the five of ERC-20.
            storage: { [ownerSlot]: nobody, [word(6n)]: alice },
            calls: { ...erc20, [functions.owner]: word(nobody) }
          },
          [alice]: person
        }
      })
      assert.deepInclude(found, { says: "confirmed", controller: "eoa" })
    })
  )
})

describe("token.allowance-bypass", () => {
  it.effect("is refuted where only Permit2 is admitted, which needs the holder's signature", () =>
    Effect.gen(function* () {
      const [found] = yield* said(allowanceBypass, "token", backdoor(AddressBook.permit2))
      assert.strictEqual(found?.says, "refuted")
    })
  )
})

describe("token.tax-changeable", () => {
  it.effect("is unknown where the code bounds the tax and the simulation of the bound was lost", () =>
    Effect.gen(function* () {
      const [bounded] = yield* said(taxChangeable, "token", {
        ...owned(own("CappedTaxToken"), alice),
        chain: { addressBook: 31_337 },
        fault: failing("eth_simulateV1")
      })
      assert.strictEqual(bounded?.says, "unknown: rate_limited")
      assert.strictEqual(bounded?.severity, "high")
    })
  )
})

describe("a power behind a function about allowances", () => {
  const increasing = compile("Increasing.sol")
  const held = (name: string): Script => ({
    accounts: { [target]: { code: increasing(name, alice), calls: erc20 }, [alice]: person }
  })

  it.effect("is confirmed with the account that the function compares its caller with", () =>
    Effect.gen(function* () {
      for (const [check, name] of [
        [mintable, "MintingDecrease"],
        [blacklistable, "ListingIncrease"],
        [pausable, "PausingApproval"],
        [limitsChangeable, "LimitingIncrease"]
      ] as const) {
        const [found] = yield* said(check as Check.Any, "token", held(name))
        assert.deepInclude(found, { says: "confirmed", controller: "eoa" }, name)
      }
    })
  )

  it.effect("is refuted where those functions change allowances alone", () =>
    Effect.gen(function* () {
      for (const check of [mintable, blacklistable, pausable, limitsChangeable, balancesSeizable, allowanceBypass]) {
        const [found] = yield* said(check as Check.Any, "token", held("PlainIncrease"))
        assert.strictEqual(found?.says, "refuted", check.id)
      }
    })
  )
})

describe("token.powers-survive-renouncing", () => {
  const hidden = (operator: Hex): Script => ({
    accounts: {
      [target]: {
        code: own("HiddenOperatorToken"),
        storage: { [ownerSlot]: nobody, [word(6n)]: operator },
        calls: { ...erc20, [functions.owner]: word(nobody) }
      },
      [alice]: person
    }
  })

  it.effect("is confirmed where another account still has one, with the power and its holder", () =>
    Effect.gen(function* () {
      const [found] = yield* said(powersSurviveRenouncing, "token", hidden(alice))
      assert.deepInclude(found, { says: "confirmed", controller: "eoa", severity: "high" })
      const powers = found?.value?.powers as ReadonlyArray<{ readonly power: string }>
      assert.deepStrictEqual(
        powers.map(({ power }) => power),
        ["blacklist"]
      )
    })
  )

  it.effect("is refuted where none is left, and no claim where there is an owner or never was one", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said(powersSurviveRenouncing, "token", hidden(nobody)))[0]?.says, "refuted")
      const renounced = owned(own("TaxableToken"), nobody)
      assert.strictEqual((yield* said(powersSurviveRenouncing, "token", renounced))[0]?.says, "refuted")
      assert.deepStrictEqual(yield* said(powersSurviveRenouncing, "token", owned(own("TaxableToken"), alice)), [])
      assert.deepStrictEqual(yield* said(powersSurviveRenouncing, "token", ofCode(own("PlainToken"))), [])
    })
  )

  it.effect("is unknown where a slot, the owner or a part of the code was lost", () =>
    Effect.gen(function* () {
      const [owner] = yield* said(powersSurviveRenouncing, "token", {
        ...hidden(alice),
        fault: failing("eth_call", functions.owner)
      })
      assert.strictEqual(owner?.says, "unknown: rate_limited")
      const [slot] = yield* said(powersSurviveRenouncing, "token", {
        ...hidden(alice),
        fault: failing("eth_getStorageAt", word(6n))
      })
      assert.strictEqual(slot?.says, "unknown: rate_limited")
      const [foreign] = yield* said(powersSurviveRenouncing, "token", {
        accounts: { [target]: { code: own("UupsToken"), calls: { ...erc20, [functions.owner]: word(nobody) } } }
      })
      assert.strictEqual(foreign?.says, "unknown: inconclusive")
    })
  )
})

layer(running)("capabilities on a chain", (it) => {
  const checks = [
    mintable,
    pausable,
    blacklistable,
    whitelistOnly,
    taxChangeable,
    limitsChangeable,
    balancesSeizable,
    allowanceBypass,
    powersSurviveRenouncing
  ] as const

  const judged = (
    name: keyof Running["Type"]["targets"],
    state: Layer.Layer<ChainState, unknown, Running> = pinned()
  ) =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      const { address, kind } = sandbox.targets[name]
      return yield* Facts.evaluate(checks, {
        kind,
        address: Address.checksum(address),
        chain: { id: sandbox.chainId, name: "sandbox" }
      }).pipe(Effect.provide(Layer.provideMerge(Facts.layer, state)))
    })

  const unable = Layer.provide(
    Layer.effect(
      ChainState,
      Effect.map(ChainState, (state) => ({
        ...state,
        simulate: () =>
          Effect.fail(
            new ChainError({ reason: "method_unsupported", method: "eth_simulateV1", retryable: false, detail: "none" })
          )
      }))
    ),
    pinned()
  )

  const state = (items: Effect.Effect.Success<ReturnType<typeof judged>>, check: Check.Any) => {
    const item = items.find(({ id }) => id === check.id)
    return [item?.state, item?.verified, item?.severity, item?.reason]
  }

  it.effect.each([
    ["pausable", pausable, "high"],
    ["blacklist", blacklistable, "high"],
    ["members", whitelistOnly, "high"],
    ["taxable", taxChangeable, "high"],
    ["throttle", limitsChangeable, "medium"],
    ["seizing", balancesSeizable, "critical"],
    ["allowanceBackdoor", allowanceBypass, "critical"],
    ["safeOwned", mintable, "high"]
  ] as const)("of %s are verified by what simulation showed, and confirmed without it", ([name, check, severity]) =>
    Effect.gen(function* () {
      const whole = yield* judged(name)
      assert.deepStrictEqual(state(whole, check), ["confirmed", true, severity, null])
      assert.strictEqual(whole.find(({ id }) => id === check.id)?.observation?.method, "eth_simulateV1")
      assert.deepStrictEqual(state(yield* judged(name, unable), check), ["confirmed", false, severity, null])
    })
  )

  it.effect("list fewer functions without simulation, and say then that they may miss some", () =>
    Effect.gen(function* () {
      const functions = (items: Effect.Effect.Success<ReturnType<typeof judged>>) =>
        items.find(({ id }) => id === pausable.id)?.value
      const [named, enabled] = ["0x3dfd3873", "0xa3907d71"]
      assert.deepInclude(functions(yield* judged("hookAwaited")), { functions: [named, enabled], complete: true })
      assert.deepInclude(functions(yield* judged("hookAwaited", unable)), { functions: [named], complete: false })
    })
  )

  it.effect("grade a bounded tax by the worst that was reached, and are unknown without a measurement", () =>
    Effect.gen(function* () {
      const whole = yield* judged("cappedTax")
      assert.deepStrictEqual(state(whole, taxChangeable), ["confirmed", true, "low", null])
      assert.deepInclude(whole.find(({ id }) => id === taxChangeable.id)?.value, { max_reachable_tax_bps: 500 })
      assert.deepStrictEqual(state(yield* judged("cappedTax", unable), taxChangeable), [
        "unknown",
        false,
        "high",
        "method_unsupported"
      ])
    })
  )
})
