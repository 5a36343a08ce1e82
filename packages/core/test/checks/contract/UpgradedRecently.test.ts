import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainState, type LogFilter } from "../../../src/chain/state/ChainState.js"
import * as Reading from "../../../src/chain/state/Reading.js"
import * as Check from "../../../src/checks/Check.js"
import { upgradedRecently } from "../../../src/checks/contract/UpgradedRecently.js"
import type { Address } from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { compile } from "../../facts/Compiled.js"
import * as Facts from "../Facts.js"
import { account, alice, delegating, failing, inert, own, safe, said, target, word } from "../Scripted.js"

const { functions, topics } = Selectors
const logic = account("2")
const beacon = account("3")

// The scripted chain is at block 1,000,000 and takes 12 s for one: thirty days are 216,000 of them.
const event = (blockNumber: number, address: Address = target, topic: Hex = topics.Upgraded) => ({
  address,
  topics: [topic, word(logic)],
  blockNumber,
  transactionHash: word(BigInt(blockNumber))
})

/** Code that could say so. */
const telling: Hex = `0x7f${topics.Upgraded.slice(2)}5f5fa160006000f3`

const runtime = compile("Unannounced.sol")

const proxied = (logs: NonNullable<Script["logs"]>, options: Partial<Script> = {}): Script => ({
  accounts: {
    [target]: { code: delegating(Slots.implementation), storage: { [Slots.implementation]: word(logic) } },
    [logic]: { code: own("UupsToken") }
  },
  logs,
  ...options
})
const of = (script: Script) => said(upgradedRecently, "contract", script)

/** What is said where only the blocks from one on could be searched. */
const since = (fromBlock: number, logs: NonNullable<Script["logs"]>) => {
  const state = ScriptedChain.make(proxied(logs))
  const partial = (filter: LogFilter) =>
    Effect.map(state.logs(filter), (reading) =>
      Reading.map(reading, (scan) => ({ ...scan, fromBlock, complete: false }))
    )
  return Check.evaluate(upgradedRecently, {
    kind: "contract",
    address: target,
    chain: { id: 1, name: "scripted" }
  }).pipe(
    Effect.provide(Layer.provideMerge(Facts.layer, Layer.succeed(ChainState, { ...state, logs: partial }))),
    Effect.map(([item]) => item?.reason ?? item?.state)
  )
}

describe("proxy.upgraded-recently", () => {
  it.effect("is confirmed of a change in the last thirty days, and refuted of one before", () =>
    Effect.gen(function* () {
      const [recent] = yield* of(proxied([event(10), event(900_000)]))
      assert.deepInclude(recent, { says: "confirmed", severity: "medium" })
      assert.deepStrictEqual(recent?.value, { changes: 1, recent: 1, last_block: 900_000, from_block: 0 })
      const [old] = yield* of(proxied([event(10), event(700_000)]))
      assert.strictEqual(old?.says, "refuted")
      assert.deepStrictEqual(old?.value, { changes: 1, recent: 0, last_block: 700_000, from_block: 0 })
    })
  )

  it.effect("takes the first transaction for how the proxy came to be", () =>
    Effect.gen(function* () {
      const first = event(990_000)
      const [fresh] = yield* of(proxied([first, { ...first, topics: [topics.AdminChanged] }]))
      assert.strictEqual(fresh?.says, "refuted")
    })
  )

  it.effect("looks at the beacon as well, each account by its own first transaction", () =>
    Effect.gen(function* () {
      const accounts = {
        [target]: { code: delegating(Slots.beacon), storage: { [Slots.beacon]: word(beacon) } },
        [beacon]: { code: telling, calls: { [functions.implementation]: word(logic), [functions.owner]: word(alice) } },
        [logic]: { code: inert }
      }
      const born = [event(10, beacon), event(950_000, target, topics.BeaconUpgraded)]
      assert.strictEqual((yield* of({ accounts, logs: born }))[0]?.says, "refuted")
      assert.strictEqual((yield* of({ accounts, logs: [...born, event(960_000, beacon)] }))[0]?.says, "confirmed")
    })
  )

  it.effect("needs the whole thirty days to refute, and the whole history to know a first one", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* since(500_000, []), "refuted")
      assert.strictEqual(yield* since(900_000, []), "log_range_limited")
      assert.strictEqual(yield* since(500_000, [event(900_000)]), "log_range_limited")
      assert.strictEqual(yield* since(900_000, [event(910_000), event(920_000)]), "confirmed")
    })
  )

  it.effect("does not apply to what cannot be replaced, and to a Safe", () =>
    Effect.gen(function* () {
      const clone = `0x363d3d373d3d3d363d73${logic.slice(2)}5af43d82803e903d91602b57fd5bf3` as const
      for (const each of [{ code: inert }, { code: clone }, safe(1n, [alice])]) {
        assert.deepStrictEqual(yield* of({ accounts: { [target]: each }, fault: failing("eth_getLogs") }), [])
      }
    })
  )

  it.effect.each([
    ["SilentVariable", "unknown: inconclusive"],
    ["SilentSlot", "unknown: inconclusive"],
    ["TellingSlot", "refuted"]
  ] as const)("of %s, of which no event came, is %s: silence shows nothing of what says nothing", ([name, says]) =>
    Effect.gen(function* () {
      const storage = {
        [word(0n)]: word(alice),
        [word(1n)]: word(logic),
        [Slots.implementation]: word(logic),
        [Slots.admin]: word(alice)
      }
      const [item] = yield* of({
        accounts: { [target]: { code: runtime(name), storage }, [logic]: { code: inert }, [alice]: { nonce: 1 } },
        logs: []
      })
      assert.strictEqual(item?.says, says)
    })
  )

  it.effect("is confirmed without an event where the variable had another value thirty days ago", () =>
    Effect.gen(function* () {
      const storage = { [Slots.implementation]: word(logic), [Slots.admin]: word(alice) }
      const silent = (earlier: Partial<Account>, options: Partial<Script> = {}) =>
        of({
          accounts: {
            [target]: { code: runtime("SilentSlot"), storage, ...earlier },
            [logic]: { code: inert },
            [alice]: { nonce: 1 }
          },
          logs: [],
          ...options
        })
      const before = { [Slots.implementation]: word(beacon), [Slots.admin]: word(alice) }
      const [replaced] = yield* silent({ earlier: { until: 900_000, storage: before } })
      assert.deepInclude(replaced, { says: "confirmed", severity: "medium" })
      assert.deepStrictEqual(replaced?.value, { changes: 1, recent: 1, last_block: null, from_block: 0 })
      // Longer ago, or made since: nothing is shown, and silence refutes nothing.
      const [old] = yield* silent({ earlier: { until: 700_000, storage: before } })
      assert.strictEqual(old?.says, "unknown: inconclusive")
      const [made] = yield* silent({ since: 900_000 })
      assert.strictEqual(made?.says, "unknown: inconclusive")
    })
  )

  it.effect("is unknown where the events were not read", () =>
    Effect.gen(function* () {
      const [lost] = yield* of(proxied([], { fault: failing("eth_getLogs") }))
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})
