import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import { layerDisabled, type Opinions, SecondOpinion, tokenClaims } from "../../../src/chain/sources/SecondOpinion.js"
import type { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Check from "../../../src/checks/Check.js"
import { secondOpinionFlagged } from "../../../src/checks/opinion/SecondOpinionFlagged.js"
import { secondOpinionHoneypot } from "../../../src/checks/opinion/SecondOpinionHoneypot.js"
import { secondOpinionPowers } from "../../../src/checks/opinion/SecondOpinionPowers.js"
import type { Evidence } from "../../../src/domain/Evidence.js"
import type { Target } from "../../../src/domain/Target.js"
import * as Scoring from "../../../src/risk/Scoring.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { target } from "../Scripted.js"

type Said = Readonly<Record<string, boolean>>

const opinions = (claims: ReadonlyArray<string>, said: Said): Opinions<string> =>
  Object.fromEntries(claims.map((claim) => [claim, Option.fromNullable(said[claim])]))

const accusations = ["phishing", "sanctioned"]

const answers = (claims: ReadonlyArray<string>, said: Said | "not covered" | "rate_limited") =>
  said === "rate_limited"
    ? new ChainError({ reason: said, method: "GET", retryable: true, detail: "later" })
    : Effect.succeed(
        said === "not covered"
          ? Option.none()
          : Option.some({
              value: opinions(claims, said),
              observation: () =>
                ({ method: "GET", params_hash: "0x0a", block_hash: "0x0b", answer_hash: "0x0c" }) as const,
              recipe: { method: "GET", params_hash: "0x0a", params: [] } as const
            })
      )

const service = (said: Said | "not covered" | "rate_limited") =>
  Layer.succeed(SecondOpinion, {
    name: "Somebody",
    tokenPage: () => "https://somebody.example/token",
    token: () => answers(tokenClaims, said) as ReturnType<SecondOpinion["Type"]["token"]>,
    accountPage: () => "https://somebody.example/account",
    account: () => answers(accusations, said)
  })

const judged = <V>(check: Check.Check<V, ChainState | SecondOpinion>, layer: Layer.Layer<SecondOpinion>) => {
  const [kind = "token"] = check.targets
  const asked: Target = { kind, address: target, chain: { id: 1, name: "scripted" } }
  return Effect.provide(Check.judge(check, asked), Layer.merge(ScriptedChain.layer({}), layer))
}

const stateOf = ([item]: ReadonlyArray<Evidence>): string =>
  item === undefined ? "no item" : item.state === "unknown" ? `unknown: ${item.reason}` : item.state

const all = (claims: ReadonlyArray<string>, said: boolean): Said =>
  Object.fromEntries(claims.map((claim) => [claim, said]))

const table = [
  [secondOpinionHoneypot, { honeypot: true }, "confirmed"],
  [secondOpinionHoneypot, { honeypot: false }, "refuted"],
  [secondOpinionHoneypot, { mintable: false }, "unknown: inconclusive"],
  [secondOpinionPowers, { ...all(tokenClaims, false), mintable: true }, "confirmed"],
  [secondOpinionPowers, { mintable: true }, "confirmed"],
  [secondOpinionPowers, all(tokenClaims, false), "refuted"],
  [secondOpinionPowers, { ...all(tokenClaims, false), honeypot: true }, "refuted"],
  [secondOpinionPowers, { mintable: false }, "unknown: inconclusive"],
  [secondOpinionPowers, {}, "unknown: inconclusive"],
  [secondOpinionFlagged, { phishing: true }, "confirmed"],
  [secondOpinionFlagged, all(accusations, false), "refuted"],
  [secondOpinionFlagged, { phishing: false }, "unknown: inconclusive"],
  [secondOpinionFlagged, {}, "unknown: inconclusive"]
] as const

describe("second opinions", () => {
  for (const [check, said, expected] of table)
    it.effect(`${check.id} is ${expected} where the service says ${JSON.stringify(said)}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(stateOf((yield* judged(check, service(said))).evidence), expected)
      })
    )

  for (const check of [secondOpinionHoneypot, secondOpinionPowers, secondOpinionFlagged])
    it.effect(`${check.id} does not apply to a chain that is not covered, and is unknown where nobody answers`, () =>
      Effect.gen(function* () {
        assert.strictEqual(stateOf((yield* judged(check, service("not covered"))).evidence), "no item")
        assert.strictEqual(stateOf((yield* judged(check, layerDisabled)).evidence), "unknown: source_disabled")
        const silent = yield* judged(check, service("rate_limited"))
        assert.strictEqual(stateOf(silent.evidence), "unknown: rate_limited")
        assert.deepInclude(silent.consulted[0], { name: "Somebody", answered: false })
      })
    )

  it.effect("link to the page of who says so, and are never called verified", () =>
    Effect.gen(function* () {
      const { consulted, evidence } = yield* judged(secondOpinionHoneypot, service({ honeypot: true }))
      assert.deepInclude(evidence[0], {
        source_url: "https://somebody.example/token",
        verified: false,
        value: { by: "Somebody" }
      })
      assert.deepInclude(evidence[0]?.observation, { method: "GET" })
      assert.deepInclude(consulted[0], { name: "Somebody", url: "https://somebody.example/token", answered: true })
    })
  )

  it.effect("about powers take no points: each power is found out, and priced, by this engine", () =>
    Effect.gen(function* () {
      const { evidence } = yield* judged(secondOpinionPowers, service(all(tokenClaims, true)))
      assert.deepInclude(evidence[0]?.value, { affirms: tokenClaims.filter((claim) => claim !== "honeypot") })
      assert.strictEqual(Scoring.score(evidence).score, 100)
    })
  )
})
