import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import * as Record from "../../../src/chain/sources/CreationRecord.js"
import * as VerifiedSource from "../../../src/chain/sources/VerifiedSource.js"
import type { Receipt } from "../../../src/chain/state/ChainState.js"
import * as Check from "../../../src/checks/Check.js"
import { creationRecord } from "../../../src/checks/contract/CreationRecord.js"
import type { Target } from "../../../src/domain/Target.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { alice, bob, failing, inert, target, word } from "../Scripted.js"

const contract: Target = { kind: "contract", address: target, chain: { id: 1, name: "scripted" } }

const transaction = word(77n)

const told = { transaction, creator: alice, factory: "", block: "500", seconds: "1735689600" }

type Says = Parameters<typeof Record.parse>[0] | "nothing" | "not covered" | "rate_limited"

const registry = (name: string, says: Says): VerifiedSource.Registry => ({
  name,
  page: (_, address) => `https://${name}.example/${address}`,
  look: () => Effect.succeedNone,
  creation: () => {
    if (says === "not covered") return Effect.succeedNone
    if (says === "rate_limited")
      return new ChainError({ reason: says, method: "GET", retryable: true, detail: "no answer" })
    return Effect.succeedSome({
      value: says === "nothing" ? Option.none() : Option.some(Record.parse(says)),
      observation: () => ({ method: "GET", params_hash: "0x0a", block_hash: "0x0b", answer_hash: "0x0c" }),
      recipe: { method: "GET", params_hash: "0x0a", params: ["https://registry.example"] }
    } as const)
  }
})

const direct: Receipt = { blockNumber: 500, from: alice, to: Option.none(), created: Option.some(target) }

/** Signed by bob, who called alice. */
const within: Receipt = { blockNumber: 500, from: bob, to: Option.some(alice), created: Option.none() }

const judged = (
  says: ReadonlyArray<Says>,
  receipt: Receipt | undefined = undefined,
  script: Partial<ScriptedChain.Script> = {}
) =>
  Check.judge(creationRecord, contract).pipe(
    Effect.provide(
      Layer.merge(
        ScriptedChain.layer({
          accounts: { [target]: { code: inert } },
          receipts: receipt === undefined ? {} : { [transaction]: receipt },
          ...script
        }),
        Layer.succeed(VerifiedSource.VerifiedSource, {
          registries: says.map((each, index) => registry(index === 0 ? "one" : "two", each))
        })
      )
    )
  )

const shown = (...input: Parameters<typeof judged>) =>
  Effect.map(judged(...input), ({ evidence: [item] }) =>
    item === undefined
      ? "no item"
      : item.state === "unknown"
        ? `unknown: ${item.reason}`
        : `${item.state}${item.state === "refuted" || item.verified ? "" : ", as was said"}`
  )

describe("contract.creation-record", () => {
  const { block: _, ...withoutBlock } = told
  const table: ReadonlyArray<readonly [string, ReadonlyArray<Says>, Receipt | undefined, string]> = [
    ["one has a record, and the endpoint no receipt", [told], undefined, "confirmed, as was said"],
    ["the receipt says that its transaction created the contract", [told], direct, "confirmed"],
    ["the receipt says that its transaction called another", [told], within, "confirmed, as was said"],
    ["the receipt is of another block", [told], { ...direct, blockNumber: 499 }, "unknown: conflicting_sources"],
    ["another signed what created it", [told], { ...direct, from: bob }, "unknown: conflicting_sources"],
    [
      "it was created after the pinned block",
      [{ ...told, block: "999999999" }],
      undefined,
      "unknown: conflicting_sources"
    ],
    ["a record names no block", [{ ...withoutBlock, block: undefined }], undefined, "confirmed, as was said"],
    ["one has a record and the other is silent", ["rate_limited", told], undefined, "confirmed, as was said"],
    ["one has a record and the other none", ["nothing", told], direct, "confirmed"],
    ["what one says is contradicted", [{ ...told, block: "7" }, told], direct, "confirmed"],
    ["none has a record", ["nothing", "nothing"], undefined, "refuted"],
    ["one has none and the other does not cover the chain", ["nothing", "not covered"], undefined, "refuted"],
    ["one has none and the other is silent", ["nothing", "rate_limited"], undefined, "unknown: rate_limited"],
    ["none covers the chain", ["not covered"], undefined, "no item"],
    ["there is none", [], undefined, "unknown: source_disabled"]
  ]
  for (const [what, says, receipt, expected] of table)
    it.effect(`is ${expected} where ${what}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* shown(says, receipt), expected)
      })
    )

  it.effect("keeps the words of each registry apart from what the chain says", () =>
    Effect.gen(function* () {
      const { consulted, evidence } = yield* judged(["rate_limited", { ...told, factory: bob }], within)
      const [item] = evidence
      assert.deepStrictEqual(item?.value, {
        records: [
          {
            registry: "two",
            basis: "said",
            transaction,
            deployer: bob,
            creator: alice,
            factory: bob,
            block: 500,
            created_at: "2025-01-01T00:00:00.000Z"
          }
        ]
      })
      assert.strictEqual(item?.source_url, `https://two.example/${target}`)
      assert.deepStrictEqual(
        consulted.map(({ answered, name }) => [name, answered]),
        [
          ["two", true],
          ["one", false]
        ]
      )
    })
  )

  it.effect("keeps records that disagree, with what the receipts bear out in front", () =>
    Effect.gen(function* () {
      const { evidence } = yield* judged([{ ...told, transaction: word(78n), creator: bob }, told], direct)
      const value = evidence[0]?.value as { records: ReadonlyArray<{ basis: string; registry: string }> } | undefined
      assert.deepStrictEqual(
        value?.records.map(({ basis, registry }) => [registry, basis]),
        [
          ["two", "receipt"],
          ["one", "said"]
        ]
      )
    })
  )

  it.effect("is unknown where the receipt could not be read, whatever is said", () =>
    Effect.gen(function* () {
      const lost = yield* shown([told], direct, { fault: failing("eth_getTransactionReceipt") })
      assert.strictEqual(lost, "unknown: rate_limited")
    })
  )
})
