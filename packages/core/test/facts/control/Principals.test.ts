import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Controller from "../../../src/domain/Controller.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as TimelockPattern from "../../../src/evm/patterns/TimelockPattern.js"
import * as Control from "../../../src/facts/control/Control.js"
import * as Roles from "../../../src/facts/control/Roles.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Facts from "../../checks/Facts.js"
import { account, alice, bob, failing, inert, openZeppelin, person, safe, target, word } from "../../checks/Scripted.js"
import { contracts } from "../../evm/Compiled.js"
import { compile } from "../Compiled.js"

const { functions, selector, topics } = Selectors
const executors = compile("Executors.sol")
const timelocks = compile("Timelocks.sol")
const echoes = compile("Echoes.sol")
const queues = contracts("optimised", "Waits.sol")
const week = 604_800
const carol = account("c")
const council = safe(2n, [alice, carol, account("d")])

type Accounts = NonNullable<ScriptedChain.Script["accounts"]>

/** Who decides behind an account on a chain with these accounts. */
const behind = (who: Hex, accounts: Accounts, options: Partial<ScriptedChain.Script> = {}) =>
  Effect.flatMap(Control.Control, (control) =>
    Effect.map(control.classify(who as typeof alice), ({ value }) => value)
  ).pipe(
    Effect.provide(
      Layer.provideMerge(Facts.layer, ScriptedChain.layer({ accounts: { [alice]: person, ...accounts }, ...options }))
    )
  )

const owned = (code: Hex, owner: Hex, storage: Readonly<Record<Hex, Hex>> = {}): ScriptedChain.Account => ({
  code,
  calls: { [functions.owner]: word(owner) },
  storage: { [word(0n)]: word(owner), ...storage }
})

describe("who is behind a contract that executes any call", () => {
  it.effect("is its owner, through as many of them as there are", () =>
    Effect.gen(function* () {
      const accounts = {
        [bob]: owned(executors("Puppet"), carol),
        [carol]: owned(executors("Puppet"), alice)
      }
      assert.deepStrictEqual(yield* behind(bob, accounts), Controller.make("eoa", { address: alice }))
      const signers = { [bob]: owned(executors("Puppet"), carol), [carol]: council }
      assert.strictEqual((yield* behind(bob, signers)).kind, "safe")
    })
  )

  it.effect("is unknown where anyone can become its owner, and is the account that names him", () =>
    Effect.gen(function* () {
      const open = { [bob]: owned(executors("OpenPuppet"), carol), [carol]: council }
      assert.strictEqual((yield* behind(bob, open)).kind, "contract")
      const appointed = {
        [bob]: owned(executors("AppointedPuppet"), carol, { [word(1n)]: word(alice) }),
        [carol]: council
      }
      assert.deepStrictEqual(yield* behind(bob, appointed), Controller.make("eoa", { address: alice }))
    })
  )

  it.effect("is the account that the code requires, and not the one that its getter names", () =>
    Effect.gen(function* () {
      const puppet = owned(executors("Puppet"), alice)
      const shown = { ...puppet, calls: { [functions.owner]: word(carol) } }
      assert.deepStrictEqual(
        yield* behind(bob, { [bob]: shown, [carol]: council }),
        Controller.make("eoa", { address: alice })
      )
    })
  )

  it.effect("is anyone where the caller is not checked", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* behind(bob, { [bob]: { code: executors("Relay") } }), Controller.make("eoa"))
    })
  )

  it.effect("is the contract itself where it keeps rules of its own, unless one key goes past them", () =>
    Effect.gen(function* () {
      const kept = { [bob]: owned(executors("Machine"), carol), [carol]: council }
      assert.deepStrictEqual(yield* behind(bob, kept), Controller.make("contract", { address: bob }))
      const past = { [bob]: owned(executors("Machine"), alice) }
      assert.deepStrictEqual(yield* behind(bob, past), Controller.make("eoa", { address: alice }))
    })
  )

  it.effect("is anybody where it owns itself and anybody makes it call itself", () =>
    Effect.gen(function* () {
      const code = echoes("EchoingPuppet")
      assert.deepStrictEqual(yield* behind(bob, { [bob]: owned(code, bob) }), Controller.make("eoa"))
      // What calls itself is not its owner.
      assert.strictEqual((yield* behind(bob, { [bob]: owned(code, carol), [carol]: council })).kind, "safe")
      assert.strictEqual((yield* behind(bob, { [bob]: owned(executors("Puppet"), bob) })).kind, "dead")
    })
  )

  it.effect("is nobody where contracts only own each other", () =>
    Effect.gen(function* () {
      const circle = { [bob]: owned(executors("Puppet"), carol), [carol]: owned(executors("Puppet"), bob) }
      assert.strictEqual((yield* behind(bob, circle)).kind, "dead")
    })
  )

  it.effect("is the key behind what says that it is a governor", () =>
    Effect.gen(function* () {
      const calls = {
        [functions.owner]: word(alice),
        [functions.votingDelay]: word(1n),
        [functions.votingPeriod]: word(50_400n)
      }
      const governor = { code: executors("FalseGovernor"), calls, storage: { [word(0n)]: word(alice) } }
      assert.strictEqual((yield* behind(bob, { [bob]: governor })).kind, "eoa")
      assert.strictEqual((yield* behind(bob, { [bob]: { code: inert, calls } })).kind, "governor")
    })
  )
})

/** A chain on which a timelock takes every plan, and does nothing but what `acts` says: in the last block what is due. */
const trial =
  (
    acts: (asked: { readonly block: number; readonly last: number; readonly isPlanned: boolean }) => boolean
  ): NonNullable<ScriptedChain.Script["simulate"]> =>
  ({ blocks }) => {
    const { queueTransaction } = TimelockPattern
    const planned = new Set(
      blocks.flatMap(({ calls }) =>
        calls.flatMap(({ data }) => (data?.startsWith(queueTransaction) === true ? [data.slice(10)] : []))
      )
    )
    return blocks.map(({ calls }, block) =>
      calls.map(({ data = "0x" }) => {
        const asked = { block, last: blocks.length - 1, isPlanned: planned.has(data.slice(10)) }
        const _tag = data.startsWith(queueTransaction) || acts(asked) ? ("Returned" as const) : ("Reverted" as const)
        return { outcome: { _tag, data: "0x" as const }, gasUsed: 0, logs: [] }
      })
    )
  }

const honest = trial(({ block, isPlanned, last }) => block === last && isPlanned)

describe("a timelock", () => {
  const compound = (name: string, options: Partial<ScriptedChain.Account> = {}): ScriptedChain.Account => ({
    code: timelocks(name),
    calls: { [functions.delay]: word(BigInt(week)), [functions.admin]: word(carol) },
    storage: { [word(0n)]: word(carol), [word(2n)]: word(BigInt(week)) },
    ...options
  })

  it.effect("of Compound's waits, with the signers of who plans what it does", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* behind(bob, { [bob]: compound("CompoundTimelock"), [carol]: council }, { simulate: honest }),
        Controller.make("timelock", { address: bob, delaySeconds: week, threshold: 2, signers: 3 })
      )
      const dead = compound("CompoundTimelock", { storage: { [word(2n)]: word(BigInt(week)) } })
      assert.strictEqual((yield* behind(bob, { [bob]: dead })).kind, "dead")
    })
  )

  it.effect("is whoever can become its administrator, and not nobody's where he has none yet", () =>
    Effect.gen(function* () {
      const storage = { [word(1n)]: word(alice), [word(2n)]: word(BigInt(week)) }
      const vacant = compound("CompoundTimelock", { storage })
      assert.strictEqual((yield* behind(bob, { [bob]: vacant }, { simulate: honest })).kind, "unknown")
      const handedOver = compound("CompoundTimelock", { storage: { ...storage, [word(0n)]: word(carol) } })
      assert.deepStrictEqual(
        yield* behind(bob, { [bob]: handedOver, [carol]: council }, { simulate: honest }),
        Controller.make("timelock", { address: bob, delaySeconds: week })
      )
    })
  )

  it.effect(
    "makes nobody wait where some of what is planned need not, or its delay is not kept from who calls it",
    () =>
      Effect.gen(function* () {
        const told = (name: string) => {
          const timelock = compound("CompoundTimelock", { code: queues(name).code })
          return behind(bob, { [bob]: timelock, [carol]: person }, { simulate: honest })
        }
        const waits = Controller.make("timelock", { address: bob, delaySeconds: week })
        for (const name of ["PatientQueue", "CountingQueue"]) assert.deepStrictEqual(yield* told(name), waits)
        const key = Controller.make("eoa", { address: carol })
        for (const name of ["FavouringQueue", "ExceptingQueue", "RecallingQueue", "SelfCallingQueue"])
          assert.deepStrictEqual(yield* told(name), key)
      })
  )

  it.effect("has the delay of its code, and not of its getter, for the accounts that its code requires", () =>
    Effect.gen(function* () {
      const boasting = {
        [bob]: compound("CompoundTimelock", {
          calls: { [functions.delay]: word(BigInt(30 * week)), [functions.admin]: word(carol) },
          storage: { [word(0n)]: word(alice), [word(2n)]: word(3_600n) }
        }),
        [carol]: council
      }
      assert.deepStrictEqual(
        yield* behind(bob, boasting, { simulate: honest }),
        Controller.make("timelock", { address: bob, delaySeconds: 3_600 })
      )
    })
  )

  it.effect("does not make him wait who has another function", () =>
    Effect.gen(function* () {
      const accounts = { [bob]: compound("HastyTimelock"), [carol]: person }
      assert.deepStrictEqual(
        yield* behind(bob, accounts, { simulate: honest }),
        Controller.make("eoa", { address: carol })
      )
    })
  )

  it.effect("is none where it does what nobody planned, or before its time, or its delay is anybody's to set", () =>
    Effect.gen(function* () {
      const key = Controller.make("eoa", { address: carol })
      const accounts = { [bob]: compound("CompoundTimelock"), [carol]: person }
      for (const early of [0, 1])
        assert.deepStrictEqual(yield* behind(bob, accounts, { simulate: trial(({ block }) => block >= early) }), key)
      const unchecked = { [bob]: compound("UncheckedTimelock"), [carol]: person }
      assert.deepStrictEqual(yield* behind(bob, unchecked, { simulate: trial(() => true) }), key)
      const settable = { [bob]: compound("SettableTimelock"), [carol]: person }
      assert.deepStrictEqual(yield* behind(bob, settable), key)
    })
  )

  it.effect("is none where it does something else in the name of what was planned", () =>
    Effect.gen(function* () {
      const accounts = { [bob]: compound("CompoundTimelock"), [carol]: person }
      const behindIt = yield* behind(bob, accounts, { simulate: trial(({ block, last }) => block === last) })
      assert.deepStrictEqual(behindIt, Controller.make("eoa", { address: carol }))
    })
  )

  it.effect("is none where it executes now what was scheduled for later, given another time", () =>
    Effect.gen(function* () {
      const accounts = { [bob]: compound("CompoundTimelock"), [carol]: person }
      const withoutDate = (data: Hex) => data.slice(10, 10 + 64 * 4) + data.slice(10 + 64 * 5)
      const dateOf = (data: Hex) => BigInt(`0x${data.slice(10 + 64 * 4, 10 + 64 * 5)}`)
      const undated: ScriptedChain.Script["simulate"] = ({ blocks }) => {
        const planned = new Set<string>()
        const begins = blocks[0]?.block?.time ?? 0
        return blocks.map(({ block, calls }) =>
          calls.map(({ data = "0x" }) => {
            const isPlan = data.startsWith(TimelockPattern.queueTransaction)
            if (isPlan && dateOf(data) >= BigInt(begins + week)) planned.add(withoutDate(data))
            const isDue = planned.has(withoutDate(data)) && dateOf(data) <= BigInt(block?.time ?? 0)
            const _tag = isPlan || isDue ? ("Returned" as const) : ("Reverted" as const)
            return { outcome: { _tag, data: "0x" as const }, gasUsed: 0, logs: [] }
          })
        )
      }
      assert.deepStrictEqual(
        yield* behind(bob, accounts, { simulate: undated }),
        Controller.make("eoa", { address: carol })
      )
    })
  )

  it.effect("is not believed where it could not be tried", () =>
    Effect.gen(function* () {
      const accounts = { [bob]: compound("CompoundTimelock"), [carol]: council }
      const lost = yield* behind(bob, accounts, { simulate: honest, fault: failing("eth_simulateV1") })
      assert.strictEqual(lost.kind, "unknown")
      // What is refused at its time as well is not refused for being early.
      const stuck = yield* behind(bob, accounts, { simulate: trial(() => false) })
      assert.strictEqual(stuck.kind, "unknown")
    })
  )

  const openZeppelinOf = (seconds: number): ScriptedChain.Account => ({
    code: openZeppelin("TimelockController"),
    calls: { [functions.getMinDelay]: word(BigInt(seconds)), [functions.hasRole]: word(1n) },
    storage: { [word(2n)]: word(BigInt(seconds)) }
  })
  const granted = (role: string, member: Hex) => ({
    address: bob,
    topics: [topics.RoleGranted, Roles.roleHash(role), word(member), word(alice)]
  })

  it.effect("of OpenZeppelin's has the signers of its weakest proposer, and waits for one key as well", () =>
    Effect.gen(function* () {
      const accounts = { [bob]: openZeppelinOf(week), [carol]: council }
      assert.deepStrictEqual(
        yield* behind(bob, accounts, { logs: [granted("PROPOSER_ROLE", carol)] }),
        Controller.make("timelock", { address: bob, delaySeconds: week, threshold: 2, signers: 3 })
      )
      assert.deepStrictEqual(
        yield* behind(bob, accounts, { logs: [granted("PROPOSER_ROLE", carol), granted("PROPOSER_ROLE", alice)] }),
        Controller.make("timelock", { address: bob, delaySeconds: week })
      )
    })
  )

  it.effect("has no signers where one key proposes as well, in whatever order they are found", () =>
    Effect.gen(function* () {
      const first = account("9")
      const accounts = { [bob]: openZeppelinOf(week), [first]: council }
      assert.deepStrictEqual(
        yield* behind(bob, accounts, { logs: [granted("PROPOSER_ROLE", first), granted("PROPOSER_ROLE", alice)] }),
        Controller.make("timelock", { address: bob, delaySeconds: week })
      )
    })
  )

  it.effect("is nobody's where all its events are known and nobody may propose", () =>
    Effect.gen(function* () {
      const accounts = { [bob]: openZeppelinOf(week) }
      assert.strictEqual((yield* behind(bob, accounts, { logs: [granted("EXECUTOR_ROLE", alice)] })).kind, "dead")
      const partial = yield* behind(bob, accounts, { logs: [granted("EXECUTOR_ROLE", alice)], logsComplete: false })
      assert.deepStrictEqual(
        partial,
        Controller.incomplete(Controller.make("timelock", { address: bob, delaySeconds: week }))
      )
    })
  )

  it.effect("is not nobody's while something that was planned before may still be done", () =>
    Effect.gen(function* () {
      const id = word(77n)
      const timestampOf = Getter.calldata(selector("getTimestamp(bytes32)"), [id])
      const scheduled = Selectors.topic("CallScheduled(bytes32,uint256,address,uint256,bytes,bytes32,uint256)")
      const logs = [granted("EXECUTOR_ROLE", alice), { address: bob, topics: [scheduled, id, word(0n)] }]
      for (const delay of [week, 0]) {
        const timelock = openZeppelinOf(delay)
        const told = (time: bigint) =>
          behind(bob, { [bob]: { ...timelock, calls: { ...timelock.calls, [timestampOf]: word(time) } } }, { logs })
        assert.strictEqual((yield* told(1_600_000_000n)).kind, "unknown")
        for (const over of [0n, 1n]) assert.strictEqual((yield* told(over)).kind, "dead")
      }
    })
  )

  it.effect("reports an incomplete controller where a proposer was lost, unless one key is known to propose", () =>
    Effect.gen(function* () {
      const waits = Controller.make("timelock", { address: bob, delaySeconds: week })
      const accounts = { [bob]: openZeppelinOf(week), [carol]: council }
      const lost = yield* behind(bob, accounts, {
        logs: [granted("PROPOSER_ROLE", carol)],
        fault: (read) => (Option.contains(read.address, carol) ? "rate_limited" : undefined)
      })
      assert.deepStrictEqual(lost, Controller.incomplete(waits))
      const few = yield* behind(bob, accounts, { logs: [granted("PROPOSER_ROLE", carol)], logsComplete: false })
      assert.deepStrictEqual(few, Controller.incomplete(waits))
      const key = yield* behind(bob, accounts, { logs: [granted("PROPOSER_ROLE", alice)], logsComplete: false })
      assert.deepStrictEqual(key, waits)
    })
  )

  it.effect("without a delay is whoever proposes", () =>
    Effect.gen(function* () {
      const controller = yield* behind(bob, { [bob]: openZeppelinOf(0) }, { logs: [granted("PROPOSER_ROLE", alice)] })
      assert.deepStrictEqual(controller, Controller.make("eoa", { address: alice }))
      const lost = yield* behind(bob, { [bob]: openZeppelinOf(0) }, { fault: failing("eth_getLogs") })
      assert.strictEqual(lost.kind, "unknown")
    })
  )
})

describe("an AccessManager", () => {
  const granted = (role: bigint, member: Hex) => ({
    address: bob,
    topics: [selector, word(role), word(member)].slice(1) as ReadonlyArray<Hex>
  })
  const roleGranted = Selectors.topic("RoleGranted(uint64,address,uint32,uint48,bool)")
  const managerOf = (members: ReadonlyArray<readonly [role: bigint, member: Hex, delay: number]>) => {
    const calls = Object.fromEntries(
      members.map(([role, member, delay]) => [
        Getter.calldata(selector("hasRole(uint64,address)"), [word(role), word(member)]),
        Getter.calldata("0x", [word(1n), word(BigInt(delay))])
      ])
    )
    return {
      accounts: { [bob]: { code: openZeppelin("AccessManager"), calls }, [carol]: council },
      logs: members.map(([role, member]) => {
        const { address, topics: rest } = granted(role, member)
        return { address, topics: [roleGranted, ...rest] }
      })
    }
  }

  it.effect("does what its administrators say, the weakest of them, after his delay", () =>
    Effect.gen(function* () {
      const both = managerOf([
        [0n, carol, 0],
        [0n, alice, week]
      ])
      assert.strictEqual((yield* behind(bob, both.accounts, { logs: both.logs })).kind, "safe")
      const key = managerOf([[0n, alice, 0]])
      assert.deepStrictEqual(
        yield* behind(bob, key.accounts, { logs: key.logs }),
        Controller.make("eoa", { address: alice })
      )
      const late = managerOf([[0n, alice, week]])
      assert.deepStrictEqual(
        yield* behind(bob, late.accounts, { logs: late.logs }),
        Controller.make("timelock", { address: bob, delaySeconds: week })
      )
    })
  )

  it.effect("is not its administrators' alone where others have a role, or everybody may use a function by it", () =>
    Effect.gen(function* () {
      const administered = managerOf([[0n, alice, week]])
      const told = (logs: NonNullable<ScriptedChain.Script["logs"]>) =>
        Effect.map(behind(bob, administered.accounts, { logs: [...administered.logs, ...logs] }), ({ kind }) => kind)
      const functionOf = (role: bigint, name = "mint(address,uint256)") => ({
        address: bob,
        topics: [Selectors.topic("TargetFunctionRoleUpdated(address,bytes4,uint64)"), word(target), word(role)],
        data: Getter.leftAligned(selector(name))
      })
      const everybody = 2n ** 64n - 1n
      assert.strictEqual(yield* told([functionOf(7n)]), "timelock")
      assert.strictEqual(yield* told([functionOf(everybody)]), "unknown")
      assert.strictEqual(yield* told([functionOf(everybody), functionOf(7n)]), "timelock")
      assert.strictEqual(yield* told([functionOf(everybody), functionOf(7n, "pause()")]), "unknown")
      const minter = managerOf([
        [0n, alice, week],
        [7n, carol, 0]
      ])
      assert.strictEqual((yield* behind(bob, minter.accounts, { logs: minter.logs })).kind, "unknown")
    })
  )

  it.effect("counts who is made one, and the shorter wait that is to come", () =>
    Effect.gen(function* () {
      const { accounts, logs } = managerOf([
        [0n, carol, week],
        [0n, alice, week]
      ])
      const access = (member: Hex, answer: ReadonlyArray<bigint>) => ({
        [Getter.calldata(selector("getAccess(uint64,address)"), [word(0n), word(member)])]: Getter.calldata(
          "0x",
          answer.map((each) => word(each))
        )
      })
      const told = (calls: ScriptedChain.Account["calls"]) =>
        behind(
          bob,
          { ...accounts, [bob]: { ...accounts[bob], calls: { ...accounts[bob]?.calls, ...calls } } },
          { logs }
        )
      const waits = Controller.make("timelock", { address: bob, delaySeconds: week })
      const long = BigInt(week)
      assert.deepStrictEqual(yield* told(access(alice, [1n, long, 0n, 0n])), waits)
      assert.deepStrictEqual(
        yield* told(access(alice, [1n, long, 0n, 1_700_000_600n])),
        Controller.make("eoa", { address: alice })
      )
      // His role begins in ten minutes.
      const soon = {
        ...access(alice, [1_700_000_600n, 0n, 0n, 0n]),
        [Getter.calldata(selector("hasRole(uint64,address)"), [word(0n), word(alice)])]: Getter.calldata("0x", [
          word(0n),
          word(0n)
        ])
      }
      assert.deepStrictEqual(yield* told(soon), Controller.make("timelock", { address: bob, delaySeconds: 600 }))
    })
  )

  it.effect("gives powers to those who can give themselves a role for a function of the target", () =>
    Effect.gen(function* () {
      const { accounts, logs } = managerOf([
        [0n, carol, 0],
        [8n, alice, 0]
      ])
      const admins = { 7: 9n, 9: 8n }
      const calls = {
        ...accounts[bob]?.calls,
        [Getter.calldata(selector("getTargetFunctionRole(address,bytes4)"), [
          word(target),
          Getter.leftAligned(selector("execute(address,bytes)"))
        ])]: word(7n),
        ...Object.fromEntries(
          Object.entries(admins).map(([role, admin]) => [
            Getter.calldata(selector("getRoleAdmin(uint64)"), [word(BigInt(role))]),
            word(admin)
          ])
        )
      }
      const graph = yield* Effect.flatMap(Control.Control, (control) => control.of(target)).pipe(
        Effect.provide(
          Layer.provideMerge(
            Facts.layer,
            ScriptedChain.layer({
              accounts: {
                ...accounts,
                [bob]: { ...accounts[bob], calls },
                [target]: { code: executors("Puppet"), calls: { [functions.authority]: word(bob) } },
                [alice]: person
              },
              logs
            })
          )
        )
      )
      assert.deepInclude(graph.value.edges, { from: alice, to: target, power: "role:8", delay_seconds: null })
      assert.deepStrictEqual(graph.value.controller, Controller.make("eoa", { address: alice }))
    })
  )

  it.effect("is not known where not all its events are", () =>
    Effect.gen(function* () {
      const { accounts, logs } = managerOf([[0n, carol, 0]])
      assert.strictEqual((yield* behind(bob, accounts, { logs, logsComplete: false })).kind, "unknown")
    })
  )

  it.effect("gives powers to those with a role for a function of the target", () =>
    Effect.gen(function* () {
      const { accounts, logs } = managerOf([
        [0n, carol, 0],
        [7n, alice, week]
      ])
      const minting = selector("execute(address,bytes)")
      const graph = yield* Effect.flatMap(Control.Control, (control) => control.of(target)).pipe(
        Effect.provide(
          Layer.provideMerge(
            Facts.layer,
            ScriptedChain.layer({
              accounts: {
                ...accounts,
                [bob]: {
                  ...accounts[bob],
                  calls: {
                    ...accounts[bob]?.calls,
                    [Getter.calldata(selector("getTargetFunctionRole(address,bytes4)"), [
                      word(target),
                      Getter.leftAligned(minting)
                    ])]: word(7n)
                  }
                },
                [target]: { code: executors("Puppet"), calls: { [functions.authority]: word(bob) } },
                [alice]: person
              },
              logs
            })
          )
        )
      )
      assert.deepInclude(graph.value.edges, { from: alice, to: target, power: "role:7", delay_seconds: week })
      assert.deepInclude(graph.value.edges, { from: bob, to: target, power: "authority", delay_seconds: null })
      assert.deepInclude(graph.value.edges, { from: carol, to: bob, power: "role:ADMIN", delay_seconds: null })
    })
  )
})
