import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { upgradeableNow } from "../../../src/checks/contract/UpgradeableNow.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import { reverts, type Script } from "../../../src/testing/ScriptedChain.js"
import { pinned, Running, running } from "../../facts/SandboxState.js"
import * as Facts from "../Facts.js"
import {
  account,
  alice,
  bob,
  delegating,
  evidence,
  failing,
  inert,
  logic,
  openZeppelin,
  own,
  safe,
  said,
  target,
  transparent,
  word
} from "../Scripted.js"

const { functions } = Selectors
const dead = "0x000000000000000000000000000000000000dEaD"

/** In place of its code a simulated upgrade puts what answers `marker`. */
const upgrading = (admin: Hex, accounts: Script["accounts"] = {}, marker: Hex = "0x"): Script => ({
  ...transparent(admin, accounts),
  simulate: ({ blocks }) =>
    blocks.map(({ calls }) =>
      calls.map((_, index) => ({
        outcome: index === calls.length - 1 ? { _tag: "Returned", data: marker } : reverts(),
        gasUsed: 21_000,
        logs: []
      }))
    )
})

const timelock = (delay: bigint): Script["accounts"] => ({
  [bob]: { code: openZeppelin("TimelockController"), calls: { [functions.getMinDelay]: word(delay) } }
})

describe("proxy.upgradeable-now", () => {
  it.effect("is confirmed of a key and of a Safe", () =>
    Effect.gen(function* () {
      const [key] = yield* said(upgradeableNow, "contract", upgrading(alice))
      assert.deepInclude(key, { says: "confirmed", controller: "eoa", severity: "high" })
      assert.deepStrictEqual(key?.value, { upgrade: "admin", authority: alice, delay_seconds: null })
      const proxyAdmin = account("3")
      const [council] = yield* said(
        upgradeableNow,
        "contract",
        upgrading(proxyAdmin, {
          [proxyAdmin]: { code: openZeppelin("ProxyAdmin"), calls: { [functions.owner]: word(bob) } },
          [bob]: safe(2n, [alice, account("c"), account("d")])
        })
      )
      assert.deepInclude(council, { says: "confirmed", controller: "safe" })
    })
  )

  it.effect("is verified where other code answers after the call, and only then", () =>
    Effect.gen(function* () {
      const [shown] = yield* evidence(upgradeableNow, "contract", upgrading(alice, {}, Slots.implementation))
      assert.deepInclude(shown, { state: "confirmed", verified: true })
      assert.strictEqual(shown?.observation?.method, "eth_simulateV1")
      const [silent] = yield* evidence(upgradeableNow, "contract", upgrading(alice))
      assert.deepInclude(silent, { state: "confirmed", verified: false })
      const [lost] = yield* evidence(upgradeableNow, "contract", {
        ...upgrading(alice, {}, Slots.implementation),
        fault: failing("eth_simulateV1")
      })
      assert.deepInclude(lost, { state: "confirmed", verified: false })
    })
  )

  it.effect("is refuted of a timelock that makes it wait, and of an admin that nobody is", () =>
    Effect.gen(function* () {
      const [waiting] = yield* said(upgradeableNow, "contract", upgrading(bob, timelock(604_800n)))
      assert.deepInclude(waiting, { says: "refuted", controller: "timelock" })
      assert.strictEqual(waiting?.value?.delay_seconds, 604_800)
      const [burnt] = yield* said(upgradeableNow, "contract", upgrading(dead))
      assert.deepInclude(burnt, { says: "refuted", controller: "dead" })
    })
  )

  it.effect("is unknown where the delay, the upgrader or the delegation is unknown, and of a lost read", () =>
    Effect.gen(function* () {
      const [opaque] = yield* said(upgradeableNow, "contract", upgrading(bob, { [bob]: { code: inert } }))
      assert.strictEqual(opaque?.says, "unknown: inconclusive")
      // The code names the slot of EIP-1967, and delegates to what another one holds.
      const code: Hex = `0x7f${Slots.implementation.slice(2)}50${delegating(word(0x77n)).slice(2)}`
      const [unrecognised] = yield* said(upgradeableNow, "contract", {
        accounts: {
          [target]: { code, storage: { [Slots.implementation]: word(logic), [word(0x77n)]: word(bob) } },
          [logic]: { code: inert }
        }
      })
      assert.strictEqual(unrecognised?.says, "unknown: inconclusive")
      const [lost] = yield* said(upgradeableNow, "contract", {
        ...upgrading(alice),
        fault: failing("eth_getStorageAt")
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )

  it.effect("is unknown where a lost read may hide who need not wait for a timelock", () =>
    Effect.gen(function* () {
      const owned: Script = {
        accounts: {
          [target]: {
            code: delegating(Slots.implementation),
            storage: {
              [Slots.implementation]: word(logic),
              [Slots.ownable]: word(bob),
              [Slots.initializable]: word(1n)
            },
            calls: {
              [functions.owner]: word(bob),
              [functions.proxiableUUID]: Slots.implementation,
              [functions.upgradeToAndCall]: ({ from }) => (from === bob ? "0x" : reverts())
            }
          },
          [logic]: { code: own("UupsToken") },
          ...timelock(604_800n)
        }
      }
      const [waiting] = yield* said(upgradeableNow, "contract", owned)
      assert.deepInclude(waiting, { says: "refuted", controller: "timelock" })
      const [lost] = yield* said(upgradeableNow, "contract", {
        ...owned,
        fault: failing("eth_call", functions.hasRole)
      })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )

  it.effect("does not apply to fixed code, nor to a Safe", () =>
    Effect.gen(function* () {
      for (const fixed of [{ code: inert }, safe(1n, [alice]), { code: own("PlainToken") }])
        assert.deepStrictEqual(yield* said(upgradeableNow, "contract", { accounts: { [target]: fixed } }), [])
    })
  )
})

layer(running)("proxy.upgradeable-now on a chain", (it) => {
  it.effect.each(["uups", "transparent", "beacon", "usdc"] as const)(
    "shows that the code of %s is another one after one call",
    (name) =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const { address, kind } = sandbox.targets[name]
        const [item] = yield* Facts.evaluate([upgradeableNow], {
          kind,
          address: Address.checksum(address),
          chain: { id: sandbox.chainId, name: "sandbox" }
        }).pipe(Effect.provide(Layer.provideMerge(Facts.layer, pinned())))
        assert.deepInclude(item, { state: "confirmed", verified: true })
        assert.strictEqual(item?.controller?.kind, "eoa")
      })
  )
})
