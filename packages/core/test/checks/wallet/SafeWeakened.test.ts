import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Check from "../../../src/checks/Check.js"
import { safeWeakened } from "../../../src/checks/wallet/SafeWeakened.js"
import type { UnknownReason } from "../../../src/domain/Evidence.js"
import type { SafeAccount } from "../../../src/domain/facts/SafeAccount.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import { noFacts } from "../../../src/executions/ResultDocument.js"
import * as Earlier from "../../../src/facts/code/Earlier.js"
import * as Safe from "../../../src/facts/control/Safe.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { account, alice, bob, failing, inert, person, safe, target, word } from "../Scripted.js"

const carol = account("c")
const module = account("e")
const guard = account("d")
const another = account("9")
const canonical = "0x41675C099F32341bf84BFc5382aF534df5C7461a"
const canonicalL2 = "0x29fcB43b46531BcA003ddC8FCB67FFE91900C762"

const was = (setup: Partial<SafeAccount> = {}): SafeAccount =>
  ({
    address: target,
    singleton: canonical,
    canonical: true,
    version: "1.4.1",
    owners: [alice, bob],
    threshold: 2,
    nonce: 1,
    modules: [],
    guard: null,
    module_guard: null,
    fallback_handler: null,
    ...setup
  }) as SafeAccount

const block = { number: 17, hash: `0x${"aa".repeat(32)}`, timestamp: "2026-01-01T00:00:00.000Z" } as const

/** What is said now of a Safe that was like this then. */
const since = (
  before: { readonly safe: SafeAccount | null; readonly unread?: UnknownReason },
  script: ScriptedChain.Script
) => {
  const { safe: earlier, unread } = before
  const facts = { ...noFacts, safe: earlier, unread: unread === undefined ? {} : { safe: unread } }
  return judged(Option.some({ block, facts } as never), script)
}

const judged = (earlier: Parameters<typeof Earlier.layer>[0], script: ScriptedChain.Script) =>
  Check.evaluate(safeWeakened, {
    kind: "wallet",
    address: target,
    chain: { id: 1, name: "scripted" }
  }).pipe(
    Effect.provide(Layer.provideMerge(Safe.layer, ScriptedChain.layer(script))),
    Effect.provide(Earlier.layer(earlier))
  )

const is = (
  made: ScriptedChain.Account,
  slots: ScriptedChain.Account["storage"] = {},
  options: Partial<ScriptedChain.Script> = {}
): ScriptedChain.Script => ({
  accounts: {
    [target]: { ...made, storage: { ...made.storage, ...slots } },
    [another]: { code: inert }
  },
  ...options
})

const unchanged = {
  since_block: 17,
  threshold_before: 2,
  threshold: 2,
  owners_added: [],
  modules_added: [],
  replaced: []
}

describe("safe.weakened", () => {
  it.effect.each<readonly [string, SafeAccount, ScriptedChain.Script, string, object]>([
    ["fewer signatures", was(), is(safe(1n, [alice, bob])), "critical", { threshold: 1 }],
    ["a new module", was(), is(safe(2n, [alice, bob], { modules: [module] })), "critical", { modules_added: [module] }],
    [
      "code that Safe did not publish",
      was(),
      is(safe(2n, [alice, bob], { singleton: another })),
      "critical",
      { replaced: ["singleton"] }
    ],
    ["a new owner", was(), is(safe(2n, [alice, bob, carol])), "high", { owners_added: [carol] }],
    ["a new owner in place of another", was(), is(safe(2n, [alice, carol])), "high", { owners_added: [carol] }],
    ["a guard that is gone", was({ guard }), is(safe(2n, [alice, bob])), "high", { replaced: ["guard"] }],
    [
      "another fallback handler",
      was({ fallback_handler: guard }),
      is(safe(2n, [alice, bob]), { [Slots.safeFallbackHandler]: word(another) }),
      "high",
      { replaced: ["fallback_handler"] }
    ]
  ])("is confirmed by %s", ([_, before, script, severity, difference]) =>
    Effect.gen(function* () {
      const [item, ...more] = yield* since({ safe: before }, script)
      assert.isEmpty(more)
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, severity)
      assert.deepStrictEqual(item?.value, { ...unchanged, ...difference })
    })
  )

  it.effect("names the transactions that did it, those after the earlier analysis alone", () =>
    Effect.gen(function* () {
      const event = (blockNumber: number, digit: string) => ({
        address: target,
        topics: [Selectors.topics.ChangedThreshold],
        blockNumber,
        transactionHash: `0x${digit.repeat(64)}` as const
      })
      const weaker = is(safe(1n, [alice, bob]), {}, { logs: [event(17, "5"), event(18, "6")] })
      const [item] = yield* since({ safe: was() }, weaker)
      assert.include(item?.detail, `ChangedThreshold in block 18, transaction 0x${"6".repeat(64)}`)
      assert.notInclude(item?.detail, "5".repeat(64))
      const [untold] = yield* since({ safe: was() }, { ...weaker, fault: failing("eth_getLogs") })
      assert.deepInclude(untold, { state: "confirmed", value: item?.value })
    })
  )

  it.effect.each<readonly [string, SafeAccount, ScriptedChain.Script]>([
    ["nothing changed", was(), is(safe(2n, [bob, alice]))],
    ["more signatures are asked for", was({ threshold: 1 }), is(safe(2n, [alice, bob]))],
    ["an owner left", was({ owners: [alice, bob, carol] }), is(safe(2n, [alice, bob]))],
    ["a module was taken away", was({ modules: [module] }), is(safe(2n, [alice, bob]))],
    ["a guard was set", was(), is(safe(2n, [alice, bob]), { [Slots.safeGuard]: word(guard) })],
    [
      "it runs another published version",
      was({ singleton: canonicalL2 as SafeAccount["singleton"] }),
      is(safe(2n, [alice, bob]))
    ]
  ])("is refuted where %s", ([_, before, script]) =>
    Effect.gen(function* () {
      const [item] = yield* since({ safe: before }, script)
      assert.strictEqual(item?.state, "refuted", item?.detail)
    })
  )

  it.effect("does not apply without an earlier analysis, nor to what was no Safe then", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judged(Option.none(), is(safe(1n, [alice]))), [])
      assert.deepStrictEqual(yield* since({ safe: null }, is(safe(1n, [alice]))), [])
      assert.deepStrictEqual(yield* since({ safe: null, unread: "rpc_error" }, is(person)), [])
    })
  )

  it.effect("is unknown where the setup then was not read, or is no Safe's now", () =>
    Effect.gen(function* () {
      const [then] = yield* since({ safe: null, unread: "rpc_error" }, is(safe(2n, [alice, bob])))
      assert.deepInclude(then, { state: "unknown", reason: "dependency_unknown", severity: "critical" })
      const [now] = yield* since({ safe: was() }, is({ ...safe(2n, [alice, bob]), calls: {} }))
      assert.deepInclude(now, { state: "unknown", reason: "inconclusive" })
      const fault = failing("eth_getStorageAt")
      const [lost] = yield* since({ safe: was() }, is(safe(2n, [alice, bob]), {}, { fault }))
      assert.deepInclude(lost, { state: "unknown", reason: "rate_limited" })
    })
  )

  it.effect("is unknown without the modules then or now, unless something else decides", () =>
    Effect.gen(function* () {
      const [then] = yield* since({ safe: was({ modules: null }) }, is(safe(2n, [alice, bob], { modules: [module] })))
      assert.deepInclude(then, { state: "unknown", reason: "inconclusive" })
      const [known] = yield* since({ safe: was({ modules: null }) }, is(safe(1n, [alice, bob])))
      assert.strictEqual(known?.state, "confirmed")
    })
  )
})
