import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as KnownDelegates from "../../../src/data/KnownDelegates.js"
import * as Controller from "../../../src/domain/Controller.js"
import * as ControlGraph from "../../../src/domain/facts/ControlGraph.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Slots from "../../../src/evm/bytecode/Slots.js"
import { isDead } from "../../../src/facts/code/Code.js"
import * as Control from "../../../src/facts/control/Control.js"
import * as Roles from "../../../src/facts/control/Roles.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Facts from "../../checks/Facts.js"
import {
  account,
  alice,
  bob,
  failing,
  inert,
  openZeppelin,
  own,
  person,
  safe,
  safeProxy,
  target,
  word
} from "../../checks/Scripted.js"
import { artifact } from "../../evm/Compiled.js"
import { compile } from "../Compiled.js"

const { functions, topics } = Selectors

const withControl = <A, E>(
  script: ScriptedChain.Script,
  use: (control: Control.Control["Type"]) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.provide(
    Effect.flatMap(Control.Control, use),
    Layer.provideMerge(Facts.layer, ScriptedChain.layer(script))
  ) as Effect.Effect<A, E>

const classify = (script: ScriptedChain.Script, who = bob) =>
  withControl(script, (control) => Effect.map(control.classify(who), ({ value }) => value))

const graph = (script: ScriptedChain.Script) =>
  withControl(script, (control) => Effect.map(control.of(target), ({ value }) => value))

const week = 604_800
const publishedProxies = [
  "@safe-global/safe-contracts/build/artifacts/contracts/proxies/SafeProxy.sol/SafeProxy.json",
  "@gnosis.pm/safe-contracts/build/artifacts/contracts/proxies/GnosisSafeProxy.sol/GnosisSafeProxy.json"
]
const proposer = Roles.roleHash("PROPOSER_ROLE")

describe("Control.classify", () => {
  it.effect("distinguishes accounts with a key, with a delegate, without a trace, and dead ones", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* classify({ accounts: { [bob]: person } })).kind, "eoa")
      // Neither code, nonce nor balance: a contract may come to stand there.
      assert.strictEqual((yield* classify({})).kind, "unknown")
      const delegated = { code: `0xef0100${alice.slice(2)}` } as const
      assert.strictEqual((yield* classify({ accounts: { [bob]: delegated } })).kind, "delegated_eoa")
      for (const nobody of [`0x${"0".repeat(40)}`, "0x000000000000000000000000000000000000dEaD"]) {
        assert.strictEqual((yield* classify({}, nobody as never)).kind, "dead")
      }
    })
  )

  it.effect("believes a Safe by its singleton and its proxy's code together", () =>
    Effect.gen(function* () {
      const owners = [alice, account("c"), account("d")]
      assert.deepStrictEqual(
        yield* classify({ accounts: { [bob]: safe(2n, owners) } }),
        Controller.make("safe", { address: bob, threshold: 2, signers: 3 })
      )
      const stranger = safe(2n, owners, { singleton: account("e") })
      assert.strictEqual(
        (yield* classify({ accounts: { [bob]: stranger, [account("e")]: { code: inert } } })).kind,
        "contract"
      )
      // CALLER in the proxy's code: an account may bypass the singleton.
      const open = { ...safe(2n, owners), code: `0x3350${safeProxy.slice(2)}` as const }
      assert.strictEqual((yield* classify({ accounts: { [bob]: open } })).kind, "contract")
      // The code that it runs is in the second slot, and in the first one of a call.
      const elsewhere = [safeProxy.replace("5f545af4", "6001545af4"), safeProxy.replace("5f545af4", "5f54505f355af4")]
      for (const code of elsewhere) {
        assert.notStrictEqual(code, safeProxy)
        const found = yield* classify({ accounts: { [bob]: { ...safe(2n, owners), code: code as typeof safeProxy } } })
        assert.strictEqual(found.kind, "contract")
      }
      for (const path of publishedProxies) {
        const real = { ...safe(2n, owners), code: artifact(path) }
        assert.strictEqual((yield* classify({ accounts: { [bob]: real } })).kind, "safe")
      }
    })
  )

  it.effect("fears a module more than the owners that it passes by", () =>
    Effect.gen(function* () {
      const accounts = { [bob]: safe(2n, [alice, account("c")], { modules: [account("e")] }), [account("e")]: person }
      assert.deepStrictEqual(yield* classify({ accounts }), Controller.make("eoa", { address: account("e") }))
    })
  )

  it.effect("is the key that is enough for a Safe, whether it signs itself or by contracts that do as it says", () =>
    Effect.gen(function* () {
      const any = { [bob]: safe(1n, [alice, account("c")]), [alice]: person, [account("c")]: person }
      assert.strictEqual((yield* classify({ accounts: any })).kind, "eoa")
      const single = safe(1n, [alice])
      const nested = {
        [bob]: safe(2n, [account("c"), account("d"), account("e")]),
        [account("c")]: single,
        [account("d")]: single,
        [account("e")]: person,
        [alice]: person
      }
      assert.deepStrictEqual(yield* classify({ accounts: nested }), Controller.make("eoa", { address: alice }))
      const hidden = { ...nested, [account("c")]: { code: inert }, [account("d")]: { code: inert } }
      assert.strictEqual((yield* classify({ accounts: hidden })).kind, "unknown")
    })
  )

  it.effect(
    "does not believe a Safe that anybody makes call a contract, or that may have more modules than were read",
    () =>
      Effect.gen(function* () {
        const council = safe(2n, [alice, account("c"), account("d")])
        const handing = {
          ...council,
          storage: { ...council.storage, [Slots.safeFallbackHandler]: word(account("e")) }
        }
        assert.strictEqual(
          (yield* classify({ accounts: { [bob]: handing, [account("e")]: { code: inert } } })).kind,
          "unknown"
        )
        assert.strictEqual((yield* classify({ accounts: { [bob]: handing } })).kind, "safe")
        const modules = Array.from({ length: 50 }, () => account("e"))
        const crowded = { [bob]: safe(2n, [alice, account("c")], { modules }), [account("e")]: council }
        assert.strictEqual((yield* classify({ accounts: crowded })).kind, "unknown")
      })
  )

  it.effect(
    "fears a module of a Safe that its list does not name, and does not know of one that could be entered",
    () =>
      Effect.gen(function* () {
        const [hidden, setter] = [account("e"), account("f")]
        const plain = safe(2n, [alice, account("c"), account("d")])
        const signed = (script: ScriptedChain.Script) =>
          classify({
            ...script,
            accounts: {
              [bob]: {
                ...plain,
                calls: { ...plain.calls, [Selectors.selector("isModuleEnabled(address)")]: word(1n) }
              },
              [hidden]: person,
              [setter]: { code: own("UnlistedEntry") }
            }
          })
        const acted = {
          address: bob,
          topics: [Selectors.topic("ExecutionFromModuleSuccess(address)"), word(hidden)]
        }
        assert.deepStrictEqual(yield* signed({ logs: [acted] }), Controller.make("eoa", { address: hidden }))
        const setUp = {
          address: bob,
          topics: [Selectors.topic("SafeSetup(address,address[],uint256,address,address)"), word(alice)],
          data: Getter.calldata("0x", [word(128n), word(2n), word(setter), word(0n), word(0n)])
        }
        assert.strictEqual((yield* signed({ logs: [setUp] })).kind, "unknown")
        assert.strictEqual((yield* signed({})).kind, "safe")
        // Without events, nothing is reported as absent.
        assert.strictEqual((yield* signed({ fault: failing("eth_getLogs") })).kind, "unknown")
      })
  )

  it.effect("does not count the signers of a Safe with accounts that delegate to unknown code", () =>
    Effect.gen(function* () {
      const running = (delegate: string) => ({ code: `0xef0100${delegate.slice(2)}` as const })
      const signed = (delegate: string) =>
        Effect.map(
          classify({
            accounts: {
              [bob]: safe(2n, [alice, account("c"), account("d")]),
              [alice]: running(delegate),
              [account("c")]: running(delegate),
              [account("e")]: { code: inert }
            }
          }),
          ({ kind }) => kind
        )
      assert.strictEqual(yield* signed(account("e")), "unknown")
      const [known] = KnownDelegates.delegates.filter(({ chainIds }) => chainIds?.includes(1))
      assert.strictEqual(yield* signed(known?.address ?? alice), "safe")
    })
  )

  it.effect("does not believe a Safe that anybody makes call a module that does as the Safe says", () =>
    Effect.gen(function* () {
      const module = account("e")
      const puppet = {
        code: compile("Executors.sol")("Puppet"),
        calls: { [functions.owner]: word(bob) },
        storage: { [word(0n)]: word(bob) }
      }
      const council = safe(2n, [alice, account("c"), account("d")], { modules: [module] })
      assert.strictEqual((yield* classify({ accounts: { [bob]: council, [module]: puppet } })).kind, "safe")
      const handing = { ...council, storage: { ...council.storage, [Slots.safeFallbackHandler]: word(module) } }
      assert.strictEqual((yield* classify({ accounts: { [bob]: handing, [module]: puppet } })).kind, "unknown")
    })
  )

  it.effect("is nobody where the account is part of the EVM, which has no key", () =>
    Effect.gen(function* () {
      const identity = "0x0000000000000000000000000000000000000004" as never
      assert.isTrue(isDead(identity))
      assert.strictEqual((yield* classify({}, identity)).kind, "dead")
    })
  )

  it.effect("trusts a timelock with only the published functions, and no answer to getMinDelay alone", () =>
    Effect.gen(function* () {
      const calls = { [functions.getMinDelay]: word(BigInt(week)) }
      assert.deepStrictEqual(
        yield* classify({
          accounts: {
            [bob]: { code: openZeppelin("TimelockController"), calls, storage: { [word(2n)]: word(BigInt(week)) } }
          }
        }),
        Controller.make("timelock", { address: bob, delaySeconds: week })
      )
      assert.strictEqual((yield* classify({ accounts: { [bob]: { code: inert, calls } } })).kind, "contract")
    })
  )

  it.effect("is nobody where accounts only own each other", () =>
    Effect.gen(function* () {
      const code = openZeppelin("ProxyAdmin")
      const controller = yield* classify({
        accounts: {
          [alice]: { code, calls: { [functions.owner]: word(bob) } },
          [bob]: { code, calls: { [functions.owner]: word(alice) } }
        }
      })
      assert.strictEqual(controller.kind, "dead")
    })
  )

  it.effect("follows owners of admins no deeper than six accounts, and then does not know", () =>
    Effect.gen(function* () {
      const code = openZeppelin("ProxyAdmin")
      const chain = ["2", "3", "4", "5", "6", "7", "8", "9"].map(account)
      const accounts = Object.fromEntries(
        chain.map((each, index) => [each, { code, calls: { [functions.owner]: word(chain[index + 1] ?? alice) } }])
      )
      assert.strictEqual((yield* classify({ accounts }, chain[0] as never)).kind, "unknown")
      assert.strictEqual(
        (yield* classify({ accounts: { ...accounts, [alice]: person } }, chain[3] as never)).kind,
        "eoa"
      )
    })
  )
})

describe("Control.of", () => {
  it.effect("has nobody where no getter, role or condition names anybody", () =>
    Effect.gen(function* () {
      const found = yield* graph({ accounts: { [target]: { code: inert } } })
      assert.deepStrictEqual(found, { nodes: [], edges: [], owner: null, controller: null, complete: true, unread: [] })
    })
  )

  it.effect("fears the weakest of those with a direct power", () =>
    Effect.gen(function* () {
      const found = yield* graph({
        accounts: {
          [target]: { code: inert, calls: { [functions.owner]: word(bob), [functions.admin]: word(alice) } },
          [bob]: safe(2n, [alice, account("c"), account("d")]),
          [alice]: person
        }
      })
      assert.strictEqual(found.owner, bob)
      assert.deepStrictEqual(found.controller, Controller.make("eoa", { address: alice }))
      assert.deepStrictEqual(
        found.edges.map(({ from, power }) => [power, from]),
        [
          ["admin", alice],
          ["owner", bob]
        ]
      )
    })
  )

  it.effect("reads the owner where OpenZeppelin 5 keeps it, without a getter", () =>
    Effect.gen(function* () {
      const found = yield* graph({ accounts: { [target]: { code: inert, storage: { [Slots.ownable]: word(alice) } } } })
      assert.strictEqual(found.owner, alice)
    })
  )

  it.effect("does not say who controls it where a read was lost, unless one key was found", () =>
    Effect.gen(function* () {
      const script = (owner: typeof bob): ScriptedChain.Script => ({
        accounts: {
          [target]: { code: inert, calls: { [functions.owner]: word(owner) } },
          [bob]: safe(2n, [alice, account("c"), account("d")]),
          [alice]: person
        },
        fault: failing("eth_call", functions.admin)
      })
      const lost = yield* graph(script(bob))
      assert.isFalse(lost.complete)
      assert.strictEqual(lost.controller?.kind, "unknown")
      assert.include(
        lost.unread.map(({ what }) => what),
        "admin"
      )
      assert.strictEqual((yield* graph(script(alice))).controller?.kind, "eoa")
    })
  )

  it.effect("reports that an account behind another was not found, also where that one decides by itself", () =>
    Effect.gen(function* () {
      const [governor, council] = [account("5"), account("6")]
      const script: ScriptedChain.Script = {
        accounts: {
          [target]: { code: inert, calls: { [functions.owner]: word(bob) } },
          [bob]: {
            code: openZeppelin("TimelockController"),
            calls: { [functions.getMinDelay]: word(BigInt(week)), [functions.hasRole]: word(1n) },
            storage: { [word(2n)]: word(BigInt(week)) }
          },
          [council]: safe(2n, [alice, account("c"), account("d")]),
          [governor]: {
            code: inert,
            calls: {
              [functions.votingDelay]: word(1n),
              [functions.votingPeriod]: word(50_400n),
              [functions.timelock]: word(bob)
            }
          }
        },
        logs: [{ address: bob, topics: [topics.RoleGranted, proposer, word(council), word(alice)] }]
      }
      const timelock = { address: bob, delaySeconds: week }
      const whole = yield* graph(script)
      assert.deepStrictEqual([whole.complete, whole.unread], [true, []])
      assert.deepStrictEqual(whole.controller, Controller.make("timelock", { ...timelock, threshold: 2, signers: 3 }))
      const unplanned = yield* graph({ ...script, fault: failing("eth_getLogs") })
      assert.isFalse(unplanned.complete)
      assert.deepInclude(unplanned.unread, { what: `behind:${bob}`, reason: "rate_limited" })
      const unseen = yield* graph({
        ...script,
        fault: ({ address }) => (Option.contains(address, council) ? "rate_limited" : undefined)
      })
      assert.deepStrictEqual(
        [unseen.complete, unseen.unread],
        [false, [{ what: `behind:${council}`, reason: "rate_limited" }]]
      )
      assert.deepStrictEqual(ControlGraph.decidingGaps(unseen), [])
      assert.deepStrictEqual(unseen.controller, Controller.incomplete(Controller.make("timelock", timelock)))
    })
  )
})

describe("Control.of a timelock", () => {
  const council = account("6")
  const timelock = (calls: object = {}): ScriptedChain.Account => ({
    code: openZeppelin("TimelockController"),
    calls: { [functions.getMinDelay]: word(BigInt(week)), [functions.hasRole]: word(1n), ...calls },
    storage: { [word(2n)]: word(BigInt(week)) }
  })
  const granted = (role: `0x${string}`, to: `0x${string}`) => ({
    address: target,
    topics: [topics.RoleGranted, role, word(to), word(alice)]
  })
  const script = (fault?: ScriptedChain.Script["fault"]): ScriptedChain.Script => ({
    accounts: { [target]: timelock(), [council]: safe(2n, [alice, account("c"), account("d")]) },
    logs: [granted(proposer, council), granted(word(0n), target)],
    ...(fault === undefined ? {} : { fault })
  })

  it.effect("leaves nothing open where it calls itself only as those scheduled who have its roles", () =>
    Effect.gen(function* () {
      const found = yield* graph(script())
      assert.deepStrictEqual([found.complete, found.unread], [true, []])
      assert.deepStrictEqual(found.controller, Controller.make("safe", { address: council, threshold: 2, signers: 3 }))
    })
  )

  it.effect("is not complete where those who schedule were not all found", () =>
    Effect.gen(function* () {
      const lost = yield* graph(script(failing("eth_getLogs")))
      assert.isFalse(lost.complete)
      assert.strictEqual(lost.controller?.kind, "unknown")
    })
  )
})

describe("Control.of a contract with roles", () => {
  const granting = compile("Granting.sol")
  const minter = Roles.roleHash("MINTER_ROLE")

  it.effect("does not take events for all that is to be known where a role can be given without one", () =>
    Effect.gen(function* () {
      const told = (name: string) =>
        graph({
          accounts: {
            [target]: { code: granting(name), calls: { [functions.owner]: word(0n), [functions.hasRole]: word(0n) } }
          },
          logs: [{ address: target, topics: [topics.RoleGranted, minter, word(alice), word(alice)] }]
        })
      assert.deepStrictEqual((yield* told("FrankToken")).unread, [])
      for (const name of ["SilentToken", "DiscreetToken", "LyingToken"]) {
        const found = yield* told(name)
        assert.deepStrictEqual(found.unread, [{ what: "roles", reason: "inconclusive" }])
        assert.strictEqual(found.controller?.kind, "unknown")
      }
    })
  )

  it.effect("does not believe a getter that can deny who has a role", () =>
    Effect.gen(function* () {
      const told = (name: string) =>
        graph({
          accounts: {
            [target]: { code: granting(name), calls: { [functions.hasRole]: word(0n) } }
          },
          logs: [{ address: target, topics: [topics.RoleGranted, minter, word(alice), word(alice)] }]
        })
      assert.deepStrictEqual((yield* told("AnsweringFrankly")).unread, [])
      for (const name of ["AnsweringHimself", "AnsweringByPrice", "AnsweringButOne"])
        assert.deepInclude((yield* told(name)).unread, { what: "roles", reason: "inconclusive" }, name)
    })
  )

  it.effect("keeps the delays of an AccessManager where the contract enforces them", () =>
    Effect.gen(function* () {
      const manager = account("e")
      const selector = Selectors.selector("mint(address,uint256)")
      const delayOf = (name: string) =>
        Effect.map(
          graph({
            accounts: {
              [target]: { code: granting(name), calls: { [functions.authority]: word(manager) } },
              [manager]: {
                code: openZeppelin("AccessManager"),
                calls: {
                  [Getter.calldata(Selectors.selector("hasRole(uint64,address)"), [word(7n), word(alice)])]:
                    Getter.calldata("0x", [word(1n), word(BigInt(week))]),
                  [Getter.calldata(Selectors.selector("getTargetFunctionRole(address,bytes4)"), [
                    word(target),
                    Getter.leftAligned(selector)
                  ])]: word(7n)
                }
              },
              [alice]: person
            },
            logs: [
              {
                address: manager,
                topics: [Selectors.topic("RoleGranted(uint64,address,uint32,uint48,bool)"), word(7n), word(alice)]
              }
            ]
          }),
          ({ edges }) => edges.find(({ power }) => power === "role:7")?.delay_seconds
        )
      assert.strictEqual(yield* delayOf("ManagedToken"), week)
      assert.isNull(yield* delayOf("HastyToken"))
    })
  )
})

describe("Control.passing", () => {
  const list = { kind: "entry", slot: "0x1[k]", always: true } as const
  const passing = (script: ScriptedChain.Script) =>
    withControl(script, (control) => Effect.map(control.passing(target, list), ({ value }) => value))

  it.effect("names the first of several keys that may be on a list, and nobody where one may be missing", () =>
    Effect.gen(function* () {
      const script: ScriptedChain.Script = {
        accounts: {
          [target]: { code: inert, calls: { [functions.owner]: word(bob), [functions.admin]: word(alice) } },
          [alice]: person,
          [bob]: person
        }
      }
      const key = yield* passing(script)
      assert.deepStrictEqual([key.kind, key.address], ["eoa", [alice, bob].sort()[0]])
      for (const lost of [alice, bob]) {
        const found = yield* passing({
          ...script,
          fault: ({ address }) => (Option.contains(address, lost) ? "rate_limited" : undefined)
        })
        assert.deepStrictEqual(found, Controller.make("unknown"))
      }
    })
  )
})

describe("Control.each", () => {
  it.effect("visits every account with a power and the one behind an admin, each once", () =>
    Effect.gen(function* () {
      const proxyAdmin = account("3")
      const asked = yield* withControl(
        {
          accounts: {
            [target]: {
              code: inert,
              storage: { [Slots.admin]: word(proxyAdmin) },
              calls: { [functions.owner]: word(alice), [functions.getOwner]: word(alice) }
            },
            [proxyAdmin]: { code: openZeppelin("ProxyAdmin"), calls: { [functions.owner]: word(bob) } }
          }
        },
        (control) => control.each(target, Effect.succeed)
      )
      assert.deepStrictEqual([...asked].sort(), [alice, proxyAdmin, bob].sort())
    })
  )
})

describe("the cost of many members of a role", () => {
  it.effect("is a few calls for each, not all that a contract could answer", () =>
    Effect.gen(function* () {
      const members = Array.from({ length: 40 }, (_, index) => word(0xabcd0000n + BigInt(index)))
      const role = word(7n)
      const script: ScriptedChain.Script = {
        accounts: { [target]: { code: inert, calls: { [functions.hasRole]: word(1n) } } },
        logs: members.map((member) => ({ address: target, topics: [topics.RoleGranted, role, member, member] }))
      }
      const state = ScriptedChain.make(script)
      const found = yield* Effect.flatMap(Control.Control, (control) => control.of(target)).pipe(
        Effect.provide(Layer.provideMerge(Facts.layer, Layer.succeed(ChainState, state)))
      )
      assert.lengthOf(found.value.edges, 40)
      const { calls } = yield* state.spending
      assert.isBelow(calls, 450)
    })
  )
})
