import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import type { SourceReading } from "../../../src/chain/sources/SourceReading.js"
import * as VerifiedSource from "../../../src/chain/sources/VerifiedSource.js"
import * as Check from "../../../src/checks/Check.js"
import { verified } from "../../../src/checks/contract/Verified.js"
import type { Hex } from "../../../src/domain/Hex.js"
import type { Target } from "../../../src/domain/Target.js"
import * as Bytecode from "../../../src/evm/bytecode/Bytecode.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { inert, target } from "../Scripted.js"

const contract: Target = { kind: "contract", address: target, chain: { id: 1, name: "scripted" } }

type Says = VerifiedSource.SourceMatch["level"] | "replaced" | "not covered" | "rate_limited" | "source_unavailable"

const reading = (level: VerifiedSource.SourceMatch["level"], code: Option.Option<Hex>) => {
  const params_hash: Hex = "0x0a"
  const answer: SourceReading<VerifiedSource.SourceMatch> = {
    value: { level, code },
    observation: () => ({ method: "GET", params_hash, block_hash: "0x0b", answer_hash: "0x0c" }),
    recipe: { method: "GET", params_hash, params: ["https://registry.example"] }
  }
  return Effect.succeed(Option.some(answer))
}

const registry = (name: string, says: Says): VerifiedSource.Registry => ({
  name,
  page: (_, address) => `https://${name}.example/${address}`,
  creation: () => Effect.succeedNone,
  look: () => {
    switch (says) {
      case "exact":
        return reading(says, Option.some(Bytecode.hash(inert)))
      case "partial":
      case "none":
        return reading(says, Option.none())
      case "replaced":
        return reading("exact", Option.some(Bytecode.hash("0x6001")))
      case "not covered":
        return Effect.succeed(Option.none())
      default:
        return new ChainError({ reason: says, method: "GET", retryable: true, detail: "no answer" })
    }
  }
})

const judged = (...says: ReadonlyArray<Says>) =>
  Check.judge(verified, contract).pipe(
    Effect.provide(
      Layer.merge(
        ScriptedChain.layer({ accounts: { [target]: { code: inert } } }),
        Layer.succeed(VerifiedSource.VerifiedSource, {
          registries: says.map((each, index) => registry(index === 0 ? "one" : "two", each))
        })
      )
    )
  )

describe("contract.verified", () => {
  const table: ReadonlyArray<readonly [ReadonlyArray<Says>, string]> = [
    [["exact"], "confirmed"],
    [["partial"], "confirmed, not verified"],
    [["none"], "refuted"],
    [["none", "none"], "refuted"],
    [["none", "not covered"], "refuted"],
    [["exact", "none"], "confirmed"],
    [["none", "exact"], "confirmed"],
    [["partial", "exact"], "confirmed"],
    [["none", "partial"], "confirmed, not verified"],
    [["source_unavailable", "exact"], "confirmed"],
    [["exact", "rate_limited"], "confirmed"],
    [["source_unavailable", "none"], "unknown: source_unavailable"],
    [["none", "rate_limited"], "unknown: rate_limited"],
    [["source_unavailable", "not covered"], "unknown: source_unavailable"],
    [["replaced"], "unknown: conflicting_sources"],
    [["replaced", "none"], "unknown: conflicting_sources"],
    [["replaced", "exact"], "confirmed"],
    [["not covered"], "no item"],
    [["not covered", "not covered"], "no item"],
    [[], "unknown: source_disabled"]
  ]
  for (const [says, expected] of table)
    it.effect(`is ${expected} where the registries say: ${says.join(", ") || "nothing, because there is none"}`, () =>
      Effect.gen(function* () {
        const { evidence } = yield* judged(...says)
        const [item] = evidence
        const shown =
          item === undefined
            ? "no item"
            : item.state === "unknown"
              ? `unknown: ${item.reason}`
              : `${item.state}${item.verified || item.state === "refuted" ? "" : ", not verified"}`
        assert.strictEqual(shown, expected)
      })
    )

  it.effect("links to the registry that decided, lists all that were queried, and can be repeated", () =>
    Effect.gen(function* () {
      const { consulted, evidence } = yield* judged("source_unavailable", "exact")
      assert.deepInclude(evidence[0], {
        source_url: `https://two.example/${target}`,
        value: { registries: [{ name: "two", match: "exact" }] },
        observation: { method: "GET", params_hash: "0x0a", block_hash: "0x0b", answer_hash: "0x0c" }
      })
      assert.deepStrictEqual(
        consulted.map(({ answered, name, recipe }) => [name, answered, Option.isSome(recipe)]),
        [
          ["two", true, true],
          ["one", false, false]
        ]
      )
    })
  )

  it.effect("is unknown where the code that stands there could not be read, whatever the registries say", () =>
    Effect.gen(function* () {
      const items = yield* Check.evaluate(verified, contract).pipe(
        Effect.provide(
          Layer.merge(
            ScriptedChain.layer({ fault: () => "rpc_error" }),
            Layer.succeed(VerifiedSource.VerifiedSource, { registries: [registry("one", "exact")] })
          )
        )
      )
      assert.deepStrictEqual(
        items.map(({ reason, state }) => [state, reason]),
        [["unknown", "rpc_error"]]
      )
    })
  )
})
