import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AbiParameters from "ox/AbiParameters"
import * as Hash from "ox/Hash"
import { changePlanned } from "../../../src/checks/contract/ChangePlanned.js"
import { timelocked } from "../../../src/checks/contract/Timelocked.js"
import { upgradeableNow } from "../../../src/checks/contract/UpgradeableNow.js"
import * as Controller from "../../../src/domain/Controller.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Timestamp from "../../../src/domain/Timestamp.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import * as TimelockPattern from "../../../src/evm/patterns/TimelockPattern.js"
import * as Roles from "../../../src/facts/control/Roles.js"
import * as Getter from "../../../src/facts/Getter.js"
import type { Account, Script } from "../../../src/testing/ScriptedChain.js"
import { contracts } from "../../evm/Compiled.js"
import { compile } from "../../facts/Compiled.js"
import {
  account,
  alice,
  bob,
  delegating,
  failing,
  inert,
  logic,
  openZeppelin,
  person,
  safe,
  said,
  target,
  word
} from "../Scripted.js"

const { functions, selector, topic, topics } = Selectors
const now = 1_700_000_000
const hour = 3_600
const day = 86_400
const week = 604_800
const timelock = account("7")
const elsewhere = account("9")
const nothing = word(0n)

const encode = (types: ReadonlyArray<string>, values: Array<unknown>): Hex =>
  AbiParameters.encode(
    types.map((type) => ({ type })),
    values
  )

const scheduled = topic("CallScheduled(bytes32,uint256,address,uint256,bytes,bytes32,uint256)")

interface Call {
  readonly to: Hex
  readonly data: Hex
}

/** A scheduled call as OpenZeppelin's timelock stores it, emits it and names it. */
const plan = (calls: ReadonlyArray<Call>, ready: number, salt: Hex = nothing) => {
  const [first] = calls
  const id = Hash.keccak256(
    calls.length === 1
      ? encode(["address", "uint256", "bytes", "bytes32", "bytes32"], [first?.to, 0n, first?.data, nothing, salt])
      : encode(
          ["address[]", "uint256[]", "bytes[]", "bytes32", "bytes32"],
          [calls.map(({ to }) => to), calls.map(() => 0n), calls.map(({ data }) => data), nothing, salt]
        )
  )
  return {
    id,
    storage: { [Slots.mapping(id, word(1n))]: word(BigInt(ready)) },
    logs: calls.map(({ data, to }, index) => ({
      address: timelock,
      topics: [scheduled, id, word(BigInt(index))],
      data: encode(["address", "uint256", "bytes", "bytes32", "uint256"], [to, 0n, data, nothing, BigInt(week)])
    }))
  }
}

const proposed = {
  address: timelock,
  topics: [topics.RoleGranted, Roles.roleHash("PROPOSER_ROLE"), word(alice), word(bob)]
}

const queues = contracts("optimised", "Announcements.sol")
const announcements = contracts("optimised", "Announcements.sol")

/** A target that a timelock of a week owns, with its scheduled calls. */
const planning = (
  plans: ReadonlyArray<ReturnType<typeof plan>>,
  {
    code = openZeppelin("TimelockController"),
    delay = week,
    ...options
  }: Partial<Script> & { readonly code?: Hex; readonly delay?: number } = {}
): Script => {
  const keeping: Account = {
    code,
    calls: { [functions.getMinDelay]: word(BigInt(delay)), [functions.hasRole]: word(1n) },
    storage: Object.assign({ [word(2n)]: word(BigInt(delay)) }, ...plans.map(({ storage }) => storage))
  }
  return {
    ...options,
    accounts: {
      [target]: { code: inert, calls: { [functions.owner]: word(timelock) } },
      [timelock]: keeping,
      [alice]: person,
      ...options.accounts
    },
    logs: [proposed, ...plans.flatMap(({ logs }) => logs), ...(options.logs ?? [])]
  }
}

const one = (check: typeof changePlanned | typeof timelocked | typeof upgradeableNow, script: Script) =>
  Effect.map(said(check, "contract", script), ([item]) => item)

const minting = { to: target, data: `${selector("mint(address,uint256)")}${"00".repeat(64)}` as const }

/** What both claims say. */
const both = (script: Script) =>
  Effect.map(Effect.all([one(changePlanned, script), one(timelocked, script)]), ([planned, waits]) => [
    planned?.says,
    waits?.says
  ])

describe("control.change-planned", () => {
  it.effect("is confirmed of what a timelock can do now, and then nobody has to wait", () =>
    Effect.gen(function* () {
      const ripe = plan([minting], now - 5)
      const script = planning([ripe])
      const item = yield* one(changePlanned, script)
      assert.deepInclude(item, { says: "confirmed", severity: "medium" })
      assert.deepStrictEqual(item?.value, {
        plans: [
          {
            by: timelock,
            id: ripe.id,
            ready_at: Timestamp.fromSeconds(now - 5),
            effective_at: Timestamp.fromSeconds(now - 5),
            calls: [{ to: target, selector: selector("mint(address,uint256)") }]
          }
        ],
        complete: true
      })
      const waits = yield* one(timelocked, script)
      assert.deepInclude(waits, { says: "refuted", controller: "timelock" })
      assert.deepInclude(waits?.value, {
        delay_seconds: week,
        planned: [{ by: timelock, ready_at: Timestamp.fromSeconds(now - 5) }]
      })
      const [first] = (waits?.value?.at_once ?? []) as ReadonlyArray<object>
      assert.deepInclude(first, { address: timelock, powers: ["owner"] })
    })
  )

  it.effect("reports how much of the wait is left", () =>
    Effect.gen(function* () {
      const early = planning([plan([minting], now + 3 * day), plan([minting], now + 5 * day, word(5n))])
      assert.deepInclude(yield* one(changePlanned, early), { says: "confirmed", severity: "low" })
      const waits = yield* one(timelocked, early)
      assert.deepInclude(waits?.value?.planned, { by: timelock, ready_at: Timestamp.fromSeconds(now + 3 * day) })
      assert.strictEqual(waits?.says, "confirmed")
      const late = yield* one(timelocked, planning([plan([minting], now + hour)]))
      assert.deepInclude(late, { says: "refuted" })
      assert.deepStrictEqual(late?.value?.planned, [{ by: timelock, ready_at: Timestamp.fromSeconds(now + hour) }])
    })
  )

  it.effect("is refuted where nothing is planned, where it is done or taken back, and of what is about others", () =>
    Effect.gen(function* () {
      const nowhere = { to: elsewhere, data: "0x12345678" } as const
      for (const plans of [[], [plan([minting], 1)], [plan([minting], 0)], [plan([nowhere], now - 5)]])
        assert.deepStrictEqual(yield* both(planning(plans)), ["refuted", "confirmed"])
      const done = plan([minting], now - 5)
      const told = topic("CallExecuted(bytes32,uint256,address,uint256,bytes)")
      const executed = planning([done], { logs: [{ address: timelock, topics: [told, done.id, nothing] }] })
      assert.deepStrictEqual(yield* both(executed), ["refuted", "confirmed"])
    })
  )

  it.effect("is about one of several calls, about who acts for the timelock, and about its own delay", () =>
    Effect.gen(function* () {
      const nowhere = { to: elsewhere, data: "0x12345678" } as const
      assert.deepStrictEqual(yield* both(planning([plan([nowhere, minting], now - 5)])), ["confirmed", "refuted"])
      const shorter = (seconds: number) => ({
        to: timelock,
        data: `${selector("updateDelay(uint256)")}${word(BigInt(seconds)).slice(2)}` as const
      })
      assert.deepStrictEqual(yield* both(planning([plan([shorter(0)], now - 5)])), ["confirmed", "refuted"])
      const three = planning([plan([shorter(2 * day)], now + day)])
      assert.deepStrictEqual((yield* one(timelocked, three))?.value?.planned, [
        { by: timelock, ready_at: Timestamp.fromSeconds(now + 3 * day) }
      ])
      // Whoever is let through has to wait all the same.
      const appointing = {
        to: timelock,
        data: `${selector("grantRole(bytes32,address)")}${"00".repeat(64)}` as const
      }
      for (const call of [shorter(2 * week), appointing])
        assert.deepStrictEqual(yield* both(planning([plan([call], now - 5)])), ["confirmed", "confirmed"])
    })
  )

  it.effect("knows of a proxy what code planned that answered before, where that was published", () =>
    Effect.gen(function* () {
      const former = account("f")
      const upgraded = (to: Hex) => ({ address: timelock, topics: [topics.Upgraded, word(to)] })
      const proxy = (code: Hex): Script => {
        const script = planning([], { logs: [upgraded(former), upgraded(logic)] })
        const own = script.accounts?.[timelock]
        return {
          ...script,
          accounts: {
            ...script.accounts,
            [timelock]: {
              ...own,
              code: delegating(Slots.implementation),
              storage: { ...own?.storage, [Slots.implementation]: word(logic) }
            },
            [logic]: { code: openZeppelin("TimelockController") },
            [former]: { code }
          }
        }
      }
      assert.deepStrictEqual(yield* both(proxy(openZeppelin("TimelockController"))), ["refuted", "confirmed"])
      assert.deepStrictEqual(yield* both(proxy(inert)), ["unknown: inconclusive", "unknown: inconclusive"])
    })
  )

  it.effect("does not apply where nobody has to wait, and is unknown where a read was lost that may show a delay", () =>
    Effect.gen(function* () {
      const accounts = { [target]: { code: inert, calls: { [functions.owner]: word(alice) } }, [alice]: person }
      assert.isUndefined(yield* one(changePlanned, { accounts }))
      const lost = yield* one(changePlanned, { accounts, fault: failing("eth_call", functions.owner) })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )

  it.effect("is unknown where not all events can be read, and so is whether everybody has to wait", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* both(planning([], { logsComplete: false })), [
        "unknown: log_range_limited",
        "unknown: log_range_limited"
      ])
      assert.deepStrictEqual(yield* both(planning([], { fault: failing("eth_getLogs") })), [
        "unknown: rate_limited",
        "unknown: rate_limited"
      ])
      const seen = planning([plan([minting], now - 5)], { logsComplete: false })
      assert.deepStrictEqual(yield* both(seen), ["confirmed", "refuted"])
    })
  )
})

/** A chain on which a timelock takes every plan, and does none of them but what is tried last. */
const honest: NonNullable<Script["simulate"]> = ({ blocks }) =>
  blocks.map(({ calls }, block) => {
    const isPlan = (data: Hex = "0x") =>
      [TimelockPattern.schedule, TimelockPattern.scheduleBatch, TimelockPattern.queueTransaction].some((name) =>
        data.startsWith(name)
      )
    const acting = new Set(calls.slice(calls.findLastIndex(({ data }) => data === undefined || isPlan(data)) + 1))
    const due = block === blocks.length - 1 ? [...acting].slice(-kindsOf(calls.map(({ data }) => data ?? "0x"))) : []
    return calls.map((call) => ({
      outcome: { _tag: isPlan(call.data) || due.includes(call) ? "Returned" : "Reverted", data: "0x" } as const,
      gasUsed: 0,
      logs: []
    }))
  })

const kindsOf = (data: ReadonlyArray<Hex>): number => new Set(data.map((each) => each.slice(0, 10))).size

describe("control.change-planned of code that nobody published", () => {
  const own = (name: string) => ({ code: announcements(name).code, simulate: honest })

  it.effect("trusts the events of code that emits one for every scheduled call", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* both(planning([], own("OpenTimelock"))), ["refuted", "confirmed"])
      const ripe = plan([minting], now - 5)
      assert.deepStrictEqual(yield* both(planning([ripe], own("OpenTimelock"))), ["confirmed", "refuted"])
      const harmless = plan([{ to: elsewhere, data: "0x12345678" }], now - 5)
      assert.deepStrictEqual(yield* both(planning([harmless], own("OpenTimelock"))), ["refuted", "confirmed"])
      // Claims to be about another target.
      const lying = { ...ripe, logs: harmless.logs.map((log) => ({ ...log, topics: [scheduled, ripe.id, nothing] })) }
      assert.deepStrictEqual(yield* both(planning([lying], own("OpenTimelock"))), [
        "unknown: inconclusive",
        "unknown: inconclusive"
      ])
    })
  )

  it.effect("takes what it keeps for what is planned, and not an event that it was done", () =>
    Effect.gen(function* () {
      const ripe = plan([minting], now - 5, word(5n))
      const executed = topic("CallExecuted(bytes32,uint256,address,uint256,bytes)")
      const salted = { address: timelock, topics: [topic("CallSalt(bytes32,bytes32)"), ripe.id], data: word(5n) }
      const logs = [salted, { address: timelock, topics: [executed, ripe.id, nothing] }]
      assert.deepStrictEqual(yield* both(planning([ripe], { ...own("OpenTimelock"), logs })), ["confirmed", "refuted"])
    })
  )

  it.effect("is unknown where something can be planned without a word", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* both(planning([], own("SilentBatchTimelock"))), [
        "unknown: inconclusive",
        "unknown: inconclusive"
      ])
    })
  )

  it.effect("knows the queued calls of Compound's timelock until they expire", () =>
    Effect.gen(function* () {
      const queued = (call: Call, eta: number, code: Hex, isKept = true): Script => {
        const id = Hash.keccak256(
          encode(["address", "uint256", "string", "bytes", "uint256"], [call.to, 0n, "", call.data, BigInt(eta)])
        )
        return {
          simulate: honest,
          accounts: {
            [target]: { code: inert, calls: { [functions.owner]: word(timelock) } },
            [timelock]: {
              code,
              calls: {
                [functions.delay]: word(BigInt(week)),
                [functions.admin]: word(alice),
                [selector("GRACE_PERIOD()")]: word(BigInt(2 * week))
              },
              storage: {
                [word(0n)]: word(alice),
                [word(1n)]: word(BigInt(week)),
                [Slots.mapping(id, word(2n))]: word(isKept ? 1n : 0n)
              }
            },
            [alice]: person
          },
          logs: [
            {
              address: timelock,
              topics: [topic("QueueTransaction(bytes32,address,uint256,string,bytes,uint256)"), id, word(call.to)],
              data: encode(["uint256", "string", "bytes", "uint256"], [0n, "", call.data, BigInt(eta)])
            }
          ]
        }
      }
      const { code } = queues("TellingQueue")
      assert.deepStrictEqual(yield* both(queued(minting, now - 5, code)), ["confirmed", "refuted"])
      assert.deepStrictEqual(yield* both(queued(minting, now + 3 * day, code)), ["confirmed", "confirmed"])
      for (const [eta, isKept] of [
        [now - 5, false],
        [now - 3 * week, true]
      ] as const)
        assert.deepStrictEqual(yield* both(queued(minting, eta, code, isKept)), ["refuted", "confirmed"])
      // Its getter names a time after which it does nothing of what was planned, and it does.
      assert.deepStrictEqual(yield* both(queued(minting, now - 3 * week, queues("LastingQueue").code)), [
        "confirmed",
        "refuted"
      ])
      assert.deepStrictEqual(yield* both(queued(minting, now + week, queues("DiscreetQueue").code)), [
        "confirmed",
        "unknown: inconclusive"
      ])
      const nowhere = { to: elsewhere, data: "0x12345678" } as const
      assert.deepStrictEqual(yield* both(queued(nowhere, now - 5, code)), ["refuted", "confirmed"])
    })
  )
})

describe("proxy.upgradeable-now, of a timelock", () => {
  const admin = account("8")
  const behind = (...[plans, options = {}]: Parameters<typeof planning>): Script => {
    const script = planning(plans, options)
    return {
      ...script,
      accounts: {
        ...script.accounts,
        [target]: {
          code: delegating(Slots.implementation),
          storage: { [Slots.implementation]: word(logic), [Slots.admin]: word(admin) }
        },
        [logic]: { code: inert },
        [admin]: {
          code: openZeppelin("ProxyAdmin"),
          calls: { [functions.owner]: word(timelock) },
          storage: { [word(0n)]: word(timelock) }
        }
      }
    }
  }
  const upgrading = {
    to: admin,
    data: `${selector("upgradeAndCall(address,address,bytes)")}${word(target).slice(2)}${word(elsewhere).slice(2)}` as const
  }

  it.effect("is confirmed where it waits for less than holders need to leave, and a key or a Safe schedules it", () =>
    Effect.gen(function* () {
      for (const delay of [1, day, Controller.notice - 1]) {
        const soon = yield* one(upgradeableNow, behind([], { delay }))
        assert.deepInclude(soon, { says: "confirmed", controller: "timelock" })
        assert.strictEqual(soon?.value?.delay_seconds, delay)
      }
      assert.strictEqual((yield* one(upgradeableNow, behind([], { delay: Controller.notice })))?.says, "refuted")
      const [council, governor] = yield* Effect.forEach(
        [
          safe(2n, [bob, account("c"), account("d")]),
          { code: inert, calls: { [functions.votingDelay]: word(1n), [functions.votingPeriod]: word(1n) } }
        ],
        (who) => one(upgradeableNow, behind([], { delay: day, accounts: { [alice]: who } }))
      )
      assert.deepInclude(council, { says: "confirmed", controller: "timelock" })
      // The length of a vote is not given.
      assert.strictEqual(governor?.says, "unknown: inconclusive")
    })
  )

  it.effect("is unknown where it waits for less, and the read of who schedules was lost", () =>
    Effect.gen(function* () {
      const lost = yield* one(upgradeableNow, behind([], { delay: day, fault: failing("eth_getLogs") }))
      assert.match(lost?.says ?? "", /^unknown/)
    })
  )

  it.effect("is confirmed where its time comes soon to replace the code, by way of who does it", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* one(upgradeableNow, behind([])))?.says, "refuted")
      assert.strictEqual((yield* one(upgradeableNow, behind([plan([upgrading], now + 3 * day)])))?.says, "refuted")
      assert.strictEqual((yield* one(upgradeableNow, behind([plan([upgrading], now + hour)])))?.says, "confirmed")
      const ripe = behind([plan([upgrading], now - 5)])
      assert.strictEqual((yield* one(upgradeableNow, ripe))?.says, "confirmed")
      assert.deepStrictEqual(yield* both(ripe), ["confirmed", "refuted"])
    })
  )

  it.effect("is unknown where it can do something else soon, or not all scheduled calls can be read", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        (yield* one(upgradeableNow, behind([plan([minting], now - 5)])))?.says,
        "unknown: inconclusive"
      )
      assert.strictEqual(
        (yield* one(upgradeableNow, behind([], { logsComplete: false })))?.says,
        "unknown: log_range_limited"
      )
    })
  )
})

describe("control.change-planned by an AccessManager", () => {
  const manager = account("e")
  const granted = topic("RoleGranted(uint64,address,uint32,uint48,bool)")
  const operation = word(77n)

  const managed = (schedule: number, logs: NonNullable<Script["logs"]> = []): Script => ({
    accounts: {
      [target]: { code: compile("Executors.sol")("Puppet"), calls: { [functions.authority]: word(manager) } },
      [manager]: {
        code: openZeppelin("AccessManager"),
        calls: {
          [Getter.calldata(selector("hasRole(uint64,address)"), [nothing, word(alice)])]: Getter.calldata(word(1n), [
            word(BigInt(week))
          ]),
          [selector("getSchedule(bytes32)")]: word(BigInt(schedule))
        }
      },
      [alice]: person
    },
    logs: [
      { address: manager, topics: [granted, nothing, word(alice)] },
      {
        address: manager,
        topics: [topic("OperationScheduled(bytes32,uint32,uint48,address,address,bytes)"), operation, word(1n)],
        data: encode(
          ["uint48", "address", "address", "bytes"],
          [schedule === 0 ? now - 5 : schedule, alice, target, minting.data]
        )
      },
      ...logs
    ]
  })

  it.effect("is confirmed of what its members have waited for, until it is done, taken back or too late", () =>
    Effect.gen(function* () {
      const item = yield* one(changePlanned, managed(now - 5))
      assert.deepInclude(item, { says: "confirmed", severity: "medium" })
      const [operated] = (item?.value?.plans ?? []) as ReadonlyArray<object>
      assert.deepInclude(operated, { calls: [{ to: target, selector: selector("mint(address,uint256)") }] })
      assert.strictEqual((yield* one(changePlanned, managed(0)))?.says, "refuted")
      for (const event of ["OperationExecuted(bytes32,uint32)", "OperationCanceled(bytes32,uint32)"]) {
        const over = managed(now - 5, [{ address: manager, topics: [topic(event), operation, word(1n)] }])
        assert.strictEqual((yield* one(changePlanned, over))?.says, "refuted")
      }
    })
  )
})
