import { FetchHttpClient, type HttpClient } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Option, Redacted, type Scope } from "effect"
import * as Chains from "../../../src/chain/Chains.js"
import * as Etherscan from "../../../src/chain/sources/Etherscan.js"
import * as Sourcify from "../../../src/chain/sources/Sourcify.js"
import * as VerifiedSource from "../../../src/chain/sources/VerifiedSource.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Timestamp from "../../../src/domain/Timestamp.js"
import * as Bytecode from "../../../src/evm/bytecode/Bytecode.js"
import * as Recorded from "../Recorded.js"
import * as FakeService from "./FakeService.js"

const address = Address.checksum(`0x${"1a".repeat(20)}`)

const at = {
  chain: Chains.make({ id: 8453, endpoints: ["http://127.0.0.1:1"] }),
  block: { number: 1, hash: `0x${"b1".repeat(32)}` as Hex, timestamp: Timestamp.fromMillis(0) }
}

const looked = (made: Effect.Effect<VerifiedSource.Registry, never, HttpClient.HttpClient | Scope.Scope>) =>
  Effect.map(
    Effect.flatMap(made, (registry) => Effect.either(registry.look(at, address))),
    Either.match({
      onLeft: ({ detail, reason }) => `${reason}: ${detail}`,
      onRight: Option.match({ onNone: () => "not covered", onSome: ({ value }) => value.level })
    })
  )

/** What the registry says of the creation: the members that its record has. */
const created = (made: Effect.Effect<VerifiedSource.Registry, never, HttpClient.HttpClient | Scope.Scope>) =>
  Effect.map(
    Effect.flatMap(made, (registry) => Effect.either(registry.creation(at, address))),
    Either.match({
      onLeft: ({ detail, reason }): unknown => `${reason}: ${detail}`,
      onRight: Option.match({
        onNone: () => "not covered",
        onSome: ({ value }) =>
          Option.match(value, {
            onNone: () => "no record",
            onSome: (record) =>
              Object.fromEntries(
                Object.entries(record).flatMap(([member, told]) => (Option.isSome(told) ? [[member, told.value]] : []))
              )
          })
      })
    })
  )

const creator = Address.checksum("0x3d080421c9dd5fb387d6e3124f7e1c241ade9568")

const undocumented = "source_unavailable: its answer is not what its documentation says"

describe("Sourcify", () => {
  const cases: ReadonlyArray<readonly [string, FakeService.Reply, string]> = [
    ["an exact match", { body: Recorded.sourcify.exact("0x6001") }, "exact"],
    ["a partial match", { body: Recorded.sourcify.partial }, "partial"],
    ["a match of the creation alone", { body: Recorded.sourcify.creationOnly }, "partial"],
    ["no source", { status: 404, body: Recorded.sourcify.none }, "none"],
    ["a chain that it does not cover", { status: 404, body: Recorded.sourcify.unsupported }, "not covered"],
    ["a server that is none", { status: 404, body: Recorded.sourcify.noRoute }, undocumented],
    ["a match that is not documented", { body: { ...Recorded.sourcify.none, match: "perfect" } }, undocumented],
    ["a list", { body: [] }, undocumented],
    ["null", { body: "null" }, undocumented]
  ]
  for (const [what, reply, expected] of cases)
    it.scoped(`${what} is read as ${expected}`, () =>
      Effect.gen(function* () {
        const service = yield* FakeService.start(() => reply)
        assert.strictEqual(yield* looked(Sourcify.make({ url: `${service.url}/` })), expected)
        assert.deepInclude(service.requests[0], {
          path: `/v2/contract/8453/${address}`,
          query: { fields: "runtimeBytecode.onchainBytecode,deployment" }
        })
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )

  it.scoped("gives the code that was compared, in whatever case the registry writes it", () =>
    Effect.gen(function* () {
      const codes = ["0x6001AB", "0x", "no hex", null]
      const replies = [...codes]
      const service = yield* FakeService.start(() => ({ body: Recorded.sourcify.exact(replies.shift() as string) }))
      const registry = yield* Sourcify.make({ url: service.url, keep: 0, perSecond: Number.POSITIVE_INFINITY })
      const seen: Array<Option.Option<Hex> | undefined> = []
      for (const _ of codes) seen.push(Option.getOrUndefined(yield* registry.look(at, address))?.value.code)
      assert.deepStrictEqual(seen, [
        Option.some(Bytecode.hash("0x6001ab")),
        Option.none(),
        Option.none(),
        Option.none()
      ])
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  const creations: ReadonlyArray<readonly [string, FakeService.Reply, unknown]> = [
    [
      "who created the contract",
      { body: Recorded.sourcify.exact("0x6001") },
      {
        transaction: "0xb6ee9d528b336942dd70d3b41e2811be10a473776352009fd73f85604f5ed206",
        creator,
        block: 21_721_660
      }
    ],
    ["a creation that it did not see", { body: Recorded.sourcify.unseen }, "no record"],
    ["no source", { status: 404, body: Recorded.sourcify.none }, "no record"],
    ["a chain that it does not cover", { status: 404, body: Recorded.sourcify.unsupported }, "not covered"],
    ["a creation of another shape", { body: { ...Recorded.sourcify.none, deployment: [] } }, undocumented]
  ]
  for (const [what, reply, expected] of creations)
    it.scoped(`${what} is reported as such`, () =>
      Effect.gen(function* () {
        const service = yield* FakeService.start(() => reply)
        assert.deepStrictEqual(yield* created(Sourcify.make({ url: service.url })), expected)
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )

  it.scoped("gets one request for the source and the creation", () =>
    Effect.gen(function* () {
      const service = yield* FakeService.start(() => ({ body: Recorded.sourcify.exact("0x6001") }))
      const registry = yield* Sourcify.make({ url: service.url })
      yield* Effect.all([registry.look(at, address), registry.creation(at, address)], { concurrency: "unbounded" })
      assert.lengthOf(service.requests, 1)
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.scoped("sends readers to its repository, or to the other server", () =>
    Effect.gen(function* () {
      const page = (registry: VerifiedSource.Registry) => registry.page(at, address)
      assert.strictEqual(page(yield* Sourcify.make()), `https://repo.sourcify.dev/8453/${address}`)
      assert.strictEqual(
        page(yield* Sourcify.make({ url: "https://sourcify.example/" })),
        `https://sourcify.example/v2/contract/8453/${address}`
      )
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})

describe("Etherscan", () => {
  const key = Redacted.make("hunter2")
  const similar = {
    ...Recorded.etherscan.verified,
    result: [{ ...Recorded.etherscan.verified.result[0], SimilarMatch: address }]
  }
  const { notOk } = Recorded.etherscan
  const cases: ReadonlyArray<readonly [string, FakeService.Reply, string]> = [
    ["a source", { body: Recorded.etherscan.verified }, "exact"],
    ["the source of a contract with the same code", { body: similar }, "partial"],
    ["no source", { body: Recorded.etherscan.unverified }, "none"],
    ["an address alone", { body: { status: "1", message: "OK", result: [{ Address: address }] } }, "none"],
    [
      "a word that it is not verified",
      { body: { status: "0", message: "Contract source code not verified", result: null } },
      "none"
    ],
    [
      "an address alone, however it is given",
      { body: { status: "1", message: "OK", result: [{ Address: `0x${"1".repeat(40)}` }] } },
      "none"
    ],
    [
      "a chain that it does not cover",
      { body: notOk("Missing or unsupported chainid parameter (required for v2 api), please see …") },
      "not covered"
    ],
    [
      "a chain that the plan does not cover",
      { body: notOk("Free API access is not supported for this chain. Please upgrade your api plan") },
      "not covered"
    ],
    [
      "too many requests",
      { body: notOk("Max calls per sec rate limit reached (3/sec)") },
      "rate_limited: it takes no more requests for now"
    ],
    [
      "too many requests of the day",
      { body: notOk("Max daily rate limit reached. 100000 (100%) of 100000 day/limit") },
      "rate_limited: it takes no more requests for now"
    ],
    ["a wrong key", { body: notOk("Invalid API Key (#err2)|hunter2") }, "source_unavailable: it does not take the key"],
    ["another refusal", { body: notOk("Error! Missing Or invalid Action name") }, undocumented],
    ["an empty list", { body: { status: "1", message: "OK", result: [] } }, undocumented],
    ["a page", { body: "<html>" }, "source_unavailable: its answer (200) is no JSON"]
  ]
  for (const [what, reply, expected] of cases)
    it.scoped(`${what} is read as ${expected}`, () =>
      Effect.gen(function* () {
        const service = yield* FakeService.start(() => reply)
        assert.strictEqual(yield* looked(Etherscan.make({ key, url: `${service.url}/v2/api` })), expected)
        assert.deepInclude(service.requests[0], {
          path: "/v2/api",
          query: { chainid: "8453", module: "contract", action: "getsourcecode", address, apikey: "hunter2" }
        })
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )

  const record = {
    transaction: "0xdce495a9261c4a2a5d4e879cfb55c060b4616a846d3425c441a9e31aa34c956f",
    creator,
    block: 10_720_863,
    createdAt: "2020-08-24T04:16:03.000Z"
  }
  const { creation, noCreation } = Recorded.etherscan
  const factory = Address.checksum(`0x${"2b".repeat(20)}`)
  const genesis = creation(address, { txHash: "GENESIS_0x1a", blockNumber: "0", timestamp: "" })
  const creations: ReadonlyArray<readonly [string, FakeService.Reply, unknown]> = [
    ["who created the contract and when", { body: creation(address) }, record],
    ["a factory", { body: creation(address, { contractFactory: factory.toLowerCase() }) }, { ...record, factory }],
    ["a contract of the first block", { body: genesis }, { creator, block: 0 }],
    [
      "an answer without a block",
      { body: creation(address, { blockNumber: undefined, timestamp: undefined, contractFactory: undefined }) },
      { transaction: record.transaction, creator }
    ],
    ["no record", { body: noCreation }, "no record"],
    ["the creation of another contract", { body: creation(factory) }, undocumented],
    ["a chain that it does not cover", { body: notOk("Missing or unsupported chainid parameter") }, "not covered"],
    [
      "too many requests",
      { body: notOk("Max calls per sec rate limit reached (3/sec)") },
      "rate_limited: it takes no more requests for now"
    ],
    ["a wrong key", { body: notOk("Invalid API Key (#err2)|hunter2") }, "source_unavailable: it does not take the key"],
    ["an empty list", { body: { status: "1", message: "OK", result: [] } }, undocumented]
  ]
  for (const [what, reply, expected] of creations)
    it.scoped(`${what} is reported as such`, () =>
      Effect.gen(function* () {
        const service = yield* FakeService.start(() => reply)
        assert.deepStrictEqual(yield* created(Etherscan.make({ key, url: `${service.url}/v2/api` })), expected)
        assert.deepInclude(service.requests[0], {
          path: "/v2/api",
          query: {
            chainid: "8453",
            module: "contract",
            action: "getcontractcreation",
            contractaddresses: address,
            apikey: "hunter2"
          }
        })
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )

  it.scoped("shows its key neither in a page nor in a reading", () =>
    Effect.gen(function* () {
      const service = yield* FakeService.start(() => ({ body: Recorded.etherscan.verified }))
      const registry = yield* Etherscan.make({ key, url: service.url })
      const reading = Option.getOrThrow(yield* registry.look(at, address))
      assert.notInclude(
        JSON.stringify([registry, registry.page(at, address), reading, reading.observation()]),
        "hunter2"
      )
      assert.strictEqual(registry.page(at, address), `https://basescan.org/address/${address}`)
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})

describe("VerifiedSource", () => {
  it.effect("queries the given registries, in their order, and none where it is disabled", () =>
    Effect.gen(function* () {
      const names = Effect.map(VerifiedSource.VerifiedSource, ({ registries }) => registries.map(({ name }) => name))
      const both = VerifiedSource.layer([Sourcify.make(), Etherscan.make({ key: Redacted.make("k") })])
      assert.deepStrictEqual(yield* Effect.provide(names, both), ["Sourcify", "Etherscan"])
      assert.deepStrictEqual(yield* Effect.provide(names, VerifiedSource.layerDisabled), [])
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})
