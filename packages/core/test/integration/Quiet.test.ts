import { Address, type Analysis, Analyzer } from "@assay/core"
import { FaultLaw, RpcFault } from "@assay/core/testing"
import { FetchHttpClient } from "@effect/platform"
import { Effect, Either, Exit, Layer, ManagedRuntime, Option, Scope } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as FactSet from "../../src/analysis/FactSet.js"
import * as GoPlus from "../../src/chain/sources/GoPlus.js"
import * as OpenChain from "../../src/chain/sources/OpenChain.js"
import * as SignatureNames from "../../src/chain/sources/SignatureNames.js"
import * as Sourcify from "../../src/chain/sources/Sourcify.js"
import * as VerifiedSource from "../../src/chain/sources/VerifiedSource.js"
import * as Checks from "../../src/checks/Checks.js"
import * as FaultSweep from "../../src/testing/FaultSweep.js"
import * as Recorded from "../chain/Recorded.js"
import * as FakeService from "../chain/sources/FakeService.js"
import * as World from "./World.js"

/** As it is stored, but for the time at which it was made. */
const print = (analysis: Analysis.Analysis): string =>
  JSON.stringify(analysis).replace(/"fetched_at":"[^"]*"/g, '"fetched_at":""')

/** An analysis, and whether it was taken over: then no fact is built for it. */
const seen = <A, E, R>(analysis: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let isQuiet = true
    const build: FactSet.Seam["build"] = (fact) => {
      isQuiet = false
      return fact
    }
    return Effect.map(
      Effect.either(Effect.locally(analysis, FactSet.seam, { call: () => (effect) => effect, build })),
      (made) => ({
        made,
        isQuiet
      })
    )
  })

// Of these, all that is read and compared is known to follow from the block or to stay.
const steady = ["plain", "usdc", "approver"] as const

describe("an analysis of what was analysed before", () => {
  let world: World.World
  beforeAll(async () => {
    world = await World.start()
  }, 180_000)

  const requestFor = (name: string) => {
    const target = world.sandbox.targets[name as keyof World.World["sandbox"]["targets"]]
    return { kind: target.kind, address: Address.checksum(target.address), chain: world.chain }
  }
  const mine = () => world.sandbox.rpc.call("anvil_mine", ["0x1", "0xe10"])

  /** Checks of a target, one after the other: each made both ways. */
  const watch = (name: string) => {
    let earlier = Option.none<Analysis.Analysis>()
    const both = (faults: ReadonlyArray<RpcFault.Rule> = []) =>
      world.run(
        Effect.gen(function* () {
          const analyzer = yield* Analyzer.Analyzer
          const fault = yield* RpcFault.RpcFault
          const request = { ...requestFor(name), earlier }
          const full = yield* Effect.either(analyzer.analyze(request))
          yield* fault.replace(faults)
          yield* fault.forget
          const again = yield* seen(analyzer.analyze({ ...request, recurring: true }))
          const calls = yield* fault.seen
          yield* fault.replace([])
          return { full, again, calls }
        })
      )
    return {
      both,
      check: async (what: string) => {
        const { again, full } = await both()
        if (Either.isLeft(full) || Either.isLeft(again.made)) {
          assert.strictEqual(again.made._tag, full._tag, `${name}, ${what}`)
          return again.isQuiet
        }
        assert.strictEqual(print(again.made.right), print(full.right), `${name}, ${what}`)
        earlier = Option.some(full.right)
        return again.isQuiet
      }
    }
  }

  const settle = async (check: (what: string) => Promise<boolean>) => {
    for (const what of ["first", "second", "third"]) {
      await mine()
      await check(what)
    }
  }

  it("is byte for byte the one that is made in full, and is not made in full, while nothing happens", async () => {
    const [first, ...others] = steady
    for (const name of [first, ...others.filter((_, place) => Draw.isDrawn(place, others.length))]) {
      const { check } = watch(name)
      await settle(check)
      await mine()
      assert.isTrue(await check("fourth"), `${name} was made in full`)
    }
  }, 120_000)

  it("is byte for byte the one that is made in full for other targets", async () => {
    const rest = Object.keys(world.sandbox.targets).filter((name) => !steady.some((one) => one === name))
    for (const name of rest.filter((_, place) => Draw.isDrawn(place, rest.length))) {
      const { check } = watch(name)
      await settle(check)
      await mine()
      await check("fourth")
    }
  }, 1_200_000)

  it("is made in full where a balance, a reserve or an owner is another, and is the one that is made in full", async () => {
    const { check } = watch("plain")
    await settle(check)
    const { accounts, infrastructure, targets, transact } = world.sandbox
    const word = (value: string) => value.replace(/^0x/, "").toLowerCase().padStart(64, "0")
    const buyer = accounts.deployer
    const moves = {
      // swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 least, address[] path, address to, uint256 deadline)
      reserve: {
        to: infrastructure.uniswapV2Router,
        data: `0xb6f9de95${word("0")}${word("80")}${word(buyer)}${"f".repeat(64)}${word("2")}${word(infrastructure.weth)}${word(targets.plain.address)}`,
        value: 10n ** 13n
      },
      // transfer(address to, uint256 amount)
      balance: { to: targets.plain.address, data: `0xa9059cbb${word("0xdead")}${word("1")}`, value: 0n }
    } as const
    for (const [what, { data, to, value }] of Object.entries(moves)) {
      await transact({ from: buyer, to, data: data as `0x${string}`, value, gas: 1_000_000n })
      assert.isFalse(await check(what), `${what} was taken for the same`)
      await settle(check)
    }
    const owned = watch("safeOwned")
    await settle(owned.check)
    const { address } = targets.safeOwned
    for (const slot of ["0x0", "0x5"]) {
      await world.sandbox.rpc.call("anvil_setStorageAt", [address, `0x${word(slot)}`, `0x${word("0xbeef")}`])
      await mine()
      await owned.check(`slot ${slot}`)
    }
  }, 180_000)

  it("is the one that is made in full when the lock of its liquidity ends", async () => {
    const { check } = watch("lockedUncx")
    await settle(check)
    for (const seconds of [30 * 86_400, 400 * 86_400, 4_000 * 86_400]) {
      await world.sandbox.rpc.call("evm_increaseTime", [seconds])
      await mine()
      await check(`${seconds} s later`)
      await mine()
      await check("after that")
    }
  }, 120_000)

  it("takes no lost read for the same", async () => {
    for (const name of Tier.all ? steady : ["plain"]) {
      const { both, check } = watch(name)
      await settle(check)
      await mine()
      const { again, calls, full } = await both()
      assert.isTrue(again.isQuiet)
      const keys = [...new Set(calls.map(({ key }) => key))]
      const most = Tier.all ? keys.length : 3
      const whole = Either.getOrThrow(full)
      for (let place = 0; place < most; place++) {
        const key = keys[(Draw.draw + place * 7) % keys.length]
        const lost = await both([{ when: (call) => call.key === key, kind: "internal_error" }])
        if (Either.isLeft(lost.again.made)) continue
        const { right } = lost.again.made
        assert.deepStrictEqual(FaultLaw.violations(whole, right), [], key)
        // What is the same although a call failed was found in another way.
        if (lost.again.isQuiet) assert.strictEqual(print(right), print(whole), key)
      }
    }
  }, 600_000)
})

/** An analysis, and which facts were read for it. */
const factsOf = <A, E, R>(analysis: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const read = new Set<string>()
    const call: FactSet.Seam["call"] = (place) => {
      read.add(place().name)
      return (effect) => effect
    }
    return Effect.map(Effect.locally(analysis, FactSet.seam, { call, build: (fact) => fact }), (made) => ({
      made,
      read
    }))
  })

describe("an analysis with sources beside the chain, of what was analysed before", () => {
  it("takes over what the chain says and reads the sources anew: it is byte for byte the one that is made in full", async () => {
    const { chain, sandbox } = await World.start()
    const scope = Effect.runSync(Scope.make())
    const { kind, address } = sandbox.targets.plain
    const code = await sandbox.rpc.call("eth_getCode", [address, "latest"])
    const answers: FakeService.Behaviour = ({ path }) =>
      path.startsWith("/sourcify")
        ? { body: { ...Recorded.sourcify.exact(String(code)), deployment: Recorded.sourcify.unseen.deployment } }
        : path.startsWith("/names")
          ? { body: Recorded.signatures.found }
          : { body: Recorded.goplus.token(Address.checksum(address), {}) }
    const service = await Effect.runPromise(Scope.extend(FakeService.start(answers), scope))
    const options = { perSecond: Number.POSITIVE_INFINITY, retryDelay: 0, keep: 0, rest: 0 }
    const sources = Layer.mergeAll(
      VerifiedSource.layer([Sourcify.make({ ...options, url: `${service.url}/sourcify` })]),
      SignatureNames.layer([OpenChain.make({ ...options, url: `${service.url}/names` })]),
      GoPlus.layer({ ...options, url: `${service.url}/goplus` })
    ).pipe(Layer.provide(FetchHttpClient.layer))
    const checks = [...Checks.all, ...Checks.verifiedSource, ...Checks.signatureNames, ...Checks.secondOpinion]
    const engine = ManagedRuntime.make(FaultSweep.layer(checks).pipe(Layer.provide(Layer.merge(sources, World.http))))
    try {
      let earlier = Option.none<Analysis.Analysis>()
      const check = async (what: string) => {
        await sandbox.rpc.call("anvil_mine", ["0x1", "0xe10"])
        const request = { kind, address: Address.checksum(address), chain, earlier }
        const { again, full } = await engine.runPromise(
          Effect.gen(function* () {
            const analyzer = yield* Analyzer.Analyzer
            const full = yield* analyzer.analyze(request)
            return { full, again: yield* factsOf(analyzer.analyze({ ...request, recurring: true })) }
          })
        )
        assert.strictEqual(print(again.made), print(full), what)
        earlier = Option.some(full)
        const verified = full.evidence.find(({ id }) => id === "contract.verified")
        return { isTakenOver: !again.read.has("Trade.of"), status: full.status, verified: verified?.state }
      }
      const inFull = await check("first")
      assert.deepStrictEqual(inFull, { isTakenOver: false, status: "complete", verified: "confirmed" })
      for (const what of ["second", "third"]) await check(what)
      assert.deepStrictEqual(await check("fourth"), { ...inFull, isTakenOver: true })
      service.become((request) =>
        request.path.startsWith("/sourcify") ? { status: 404, body: Recorded.sourcify.none } : answers(request)
      )
      assert.deepStrictEqual(await check("without a source"), { ...inFull, isTakenOver: true, verified: "refuted" })
      service.become(() => "reset")
      assert.deepStrictEqual(await check("all are gone"), {
        isTakenOver: true,
        status: "partial",
        verified: "unknown"
      })
      service.become(answers)
      assert.deepStrictEqual(await check("all are back"), { ...inFull, isTakenOver: true })
    } finally {
      await engine.dispose()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }, 120_000)
})
