import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import * as SignatureNames from "../../../src/chain/sources/SignatureNames.js"
import * as Check from "../../../src/checks/Check.js"
import { functionNames } from "../../../src/checks/contract/FunctionNames.js"
import type { Hex } from "../../../src/domain/Hex.js"
import type { Target } from "../../../src/domain/Target.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Facts from "../Facts.js"
import { failing, inert, openZeppelin, target } from "../Scripted.js"

const contract: Target = { kind: "contract", address: target, chain: { id: 1, name: "scripted" } }

const { transferOwnership, owner } = Selectors.functions

interface Answering {
  readonly name?: string
  readonly mostSelectors?: number
}

const database = (names: Readonly<Record<Hex, ReadonlyArray<string>>>, options: Answering = {}) => {
  const asked: Array<ReadonlyArray<Hex>> = []
  const name = options.name ?? "database"
  const made: SignatureNames.SignatureDatabase = {
    name,
    page: () => `https://${name}.example`,
    mostSelectors: options.mostSelectors ?? 200,
    find: (_, selectors) => {
      asked.push(selectors)
      return Effect.succeed([
        {
          value: new Map(Object.entries(names) as ReadonlyArray<[Hex, ReadonlyArray<string>]>),
          observation: () => ({ method: "GET", params_hash: "0x0a", block_hash: "0x0b", answer_hash: "0x0c" }),
          recipe: { method: "GET", params_hash: "0x0a", params: [] }
        }
      ])
    }
  }
  return { asked, made, layer: of(made) }
}

const silent: SignatureNames.SignatureDatabase = {
  name: "silent",
  page: () => "https://silent.example",
  mostSelectors: 200,
  find: () => new ChainError({ reason: "rate_limited", method: "GET", retryable: true, detail: "later" })
}

const of = (...databases: ReadonlyArray<SignatureNames.SignatureDatabase>) =>
  Layer.succeed(SignatureNames.SignatureNames, { databases })

const judged = (names: Layer.Layer<SignatureNames.SignatureNames>, script: ScriptedChain.Script) =>
  Check.judge(functionNames, contract).pipe(
    Effect.provide(Layer.provideMerge(Layer.merge(Facts.layer, names), ScriptedChain.layer(script)))
  )

const admin: ScriptedChain.Script = { accounts: { [target]: { code: openZeppelin("ProxyAdmin") } } }

describe("contract.function-names", () => {
  it.effect("is confirmed with the names of the selectors that have any, at most three each", () =>
    Effect.gen(function* () {
      const known = database({
        [owner]: ["owner()"],
        [transferOwnership]: ["a()", "b()", "c()", "d()"],
        "0x12345678": ["of_another_contract()"]
      })
      const { consulted, evidence } = yield* judged(known.layer, admin)
      assert.strictEqual(known.asked.length, 1)
      assert.includeMembers([...(known.asked[0] ?? [])], [owner, transferOwnership])
      const value = evidence[0]?.value as {
        functions: ReadonlyArray<{ names: ReadonlyArray<string>; selector: Hex }>
        unnamed: ReadonlyArray<Hex>
      }
      assert.strictEqual(evidence[0]?.state, "confirmed")
      assert.sameDeepMembers(
        [...value.functions],
        [
          { selector: owner, names: ["owner()"] },
          { selector: transferOwnership, names: ["a()", "b()", "c()"] }
        ]
      )
      assert.sameMembers([...value.unnamed, owner, transferOwnership], [...(known.asked[0] ?? [])])
      assert.deepInclude(evidence[0], { source_url: "https://database.example", verified: false })
      assert.deepInclude(consulted[0], { name: "database", answered: true })
    })
  )

  it.effect("is refuted where no selector has a name", () =>
    Effect.gen(function* () {
      const { evidence } = yield* judged(database({}).layer, admin)
      assert.deepStrictEqual(
        evidence.map(({ state }) => state),
        ["refuted"]
      )
    })
  )

  it.effect("does not apply to code without functions", () =>
    Effect.gen(function* () {
      const known = database({})
      const { evidence } = yield* judged(known.layer, { accounts: { [target]: { code: inert } } })
      assert.deepStrictEqual([evidence, known.asked], [[], []])
    })
  )

  it.effect("names by another database what one is silent about, and shows both", () =>
    Effect.gen(function* () {
      const { consulted, evidence } = yield* judged(of(silent, database({ [owner]: ["owner()"] }).made), admin)
      const [item] = evidence
      assert.deepInclude(item, { state: "confirmed", verified: false, source_url: "https://database.example" })
      assert.include(item?.detail ?? "", "silent: later")
      const value = item?.value as { unnamed: ReadonlyArray<Hex>; undecided: ReadonlyArray<Hex> }
      assert.deepStrictEqual(value.unnamed, [])
      assert.include(value.undecided, transferOwnership)
      assert.sameDeepMembers(
        consulted.map(({ answered, name }) => [name, answered]),
        [
          ["database", true],
          ["silent", false]
        ]
      )
    })
  )

  it.effect("is unknown where no selector has a name and a database was silent or takes too few", () =>
    Effect.gen(function* () {
      const reasons = (...databases: ReadonlyArray<SignatureNames.SignatureDatabase>) =>
        Effect.map(judged(of(...databases), admin), ({ evidence }) =>
          evidence.map(({ reason, state }) => [state, reason])
        )
      const empty = database({}).made
      assert.deepStrictEqual(yield* reasons(silent, empty), [["unknown", "rate_limited"]])
      assert.deepStrictEqual(yield* reasons(empty, silent), [["unknown", "rate_limited"]])
      const few = database({}, { mostSelectors: 1 }).made
      assert.deepStrictEqual(yield* reasons(empty, few), [["unknown", "inconclusive"]])
      assert.deepStrictEqual(yield* reasons(empty, empty), [["refuted", null]])
    })
  )

  it.effect("is unknown where no database answers, none is configured, or the code cannot be read", () =>
    Effect.gen(function* () {
      const reasons = (names: Layer.Layer<SignatureNames.SignatureNames>, script: ScriptedChain.Script) =>
        Effect.map(judged(names, script), ({ evidence }) => evidence.map(({ reason }) => reason))
      assert.deepStrictEqual(yield* reasons(of(silent, silent), admin), ["rate_limited"])
      assert.deepStrictEqual(yield* reasons(SignatureNames.layerDisabled, admin), ["source_disabled"])
      assert.deepStrictEqual(yield* reasons(of(silent), { ...admin, fault: failing("eth_getCode") }), ["rate_limited"])
    })
  )
})
