import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { proxyKind } from "../../../src/checks/contract/ProxyKind.js"
import { upgradeable } from "../../../src/checks/contract/Upgradeable.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { account, alice, inert, logic, person, said, target, word } from "../../checks/Scripted.js"
import { compile } from "../../facts/Compiled.js"

const compiled = compile("Beacons.sol")

const beacon = account("b")

const behind = (proxy: string): Script => ({
  accounts: {
    [target]: { code: compiled(proxy, beacon) },
    [beacon]: {
      code: compiled("OwnedBeacon"),
      calls: { [Selectors.functions.implementation]: word(logic), [Selectors.functions.owner]: word(alice) },
      storage: { [word(0n)]: word(logic), [word(1n)]: word(alice) }
    },
    [logic]: { code: inert },
    [alice]: person
  }
})

describe("a beacon that is in the code of a proxy alone", () => {
  it.effect("is found with its implementation and with its owner, who can upgrade", () =>
    Effect.gen(function* () {
      for (const proxy of ["ByBeacon", "ByBeaconInAssembly"]) {
        const [kind] = yield* said(proxyKind, "contract", behind(proxy))
        assert.deepInclude(kind?.value, { kind: "immutable_beacon", implementations: [logic] }, proxy)
        const [upgrade] = yield* said(upgradeable, "contract", behind(proxy))
        assert.deepInclude(upgrade, { says: "confirmed", controller: "eoa" }, proxy)
      }
    })
  )

  it.effect("is not found where calls may be delegated to something else", () =>
    Effect.gen(function* () {
      for (const proxy of ["ByBeaconOfCaller", "ByBeaconOrArgument", "ByBeaconOfVariable", "ByRegistry"]) {
        const [kind] = yield* said(proxyKind, "contract", behind(proxy))
        assert.strictEqual(kind?.says, "unknown: inconclusive", proxy)
      }
    })
  )
})
