import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, FastCheck, Layer, Logger, Option, Schema } from "effect"
import { ChainError } from "../../src/chain/ChainError.js"
import type { ChainState } from "../../src/chain/state/ChainState.js"
import * as Check from "../../src/checks/Check.js"
import * as Checks from "../../src/checks/Checks.js"
import { mintable } from "../../src/checks/token/powers/Mintable.js"
import * as Controller from "../../src/domain/Controller.js"
import { checkId, Evidence, type Observation, Severity, UnknownReason } from "../../src/domain/Evidence.js"
import type { EvidenceRule } from "../../src/domain/EvidenceRule.js"
import type { Target } from "../../src/domain/Target.js"
import * as Defect from "../../src/facts/Defect.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import * as Facts from "./Facts.js"
import { account, alice, bob, target } from "./Scripted.js"

const wallet: Target = { kind: "wallet", address: target, chain: { id: 1, name: "scripted" } }

const Value = Schema.Struct({ amount: Schema.BigInt })

interface Saying {
  readonly id?: string
  readonly severity?: Severity
  readonly run: Effect.Effect<ReadonlyArray<Check.Verdict<typeof Value.Type>>, ChainError>
}

const saying = ({ id, run, severity }: Saying) =>
  Check.make({
    id: id ?? "wallet.example",
    code: "X-01",
    version: 3,
    targets: ["wallet"],
    claim: "The example holds",
    polarity: "risk",
    severity: severity ?? "critical",
    dimension: "account",
    value: Value,
    run: () => run
  })

const observation: Observation = {
  method: "eth_getCode",
  params_hash: "0x01",
  block_hash: "0x02",
  answer_hash: "0x03"
}

const chain = (script: ScriptedChain.Script = {}) => ScriptedChain.layer(script)

const evaluate = (
  verdicts: ReadonlyArray<Check.Verdict<typeof Value.Type>>,
  script?: ScriptedChain.Script,
  severity?: Severity
) =>
  Check.evaluate(saying({ run: Effect.succeed(verdicts), ...(severity && { severity }) }), wallet).pipe(
    Effect.provide(chain(script))
  )

const explorer = (url: string): ScriptedChain.Script => ({ chain: { explorer: Option.some(url) } })

const failure = (reason: UnknownReason) =>
  new ChainError({ reason, method: "eth_call", retryable: true, detail: "no answer in time" })

describe("Check.make", () => {
  it("declares no power, no tolerance and nothing volatile by default", () => {
    const check = saying({ run: Effect.succeed([]) })
    assert.deepStrictEqual([check.power, check.tolerance, check.volatile], [false, null, false])
  })
})

describe("Check.evaluate", () => {
  it.effect("writes each verdict as a document of the Evidence schema", () =>
    Effect.gen(function* () {
      const items = yield* evaluate([
        Check.confirmed({ value: { amount: 1n }, detail: "yes", subject: [alice] }),
        Check.refuted({ value: { amount: 0n }, detail: "no", subject: [bob] }),
        Check.unknown("rpc_error", "who knows")
      ])
      assert.deepStrictEqual(
        items.map((item) => item.state),
        ["confirmed", "refuted", "unknown"]
      )
      for (const item of items) {
        assert.isTrue(Schema.is(Evidence)(item))
        assert.deepStrictEqual(JSON.parse(JSON.stringify(item)), item)
        assert.strictEqual(item.title, "The example holds")
        assert.strictEqual(item.category, "account")
        assert.strictEqual(item.polarity, "risk")
      }
    })
  )

  it.effect("gives no item where the claim does not apply", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* evaluate(Check.notApplicable), [])
    })
  )

  it.effect("makes the id from the check's and the subject's addresses, so that it names the check", () =>
    Effect.gen(function* () {
      const items = yield* evaluate([
        Check.confirmed({ value: { amount: 1n }, detail: "alone" }),
        Check.confirmed({ value: { amount: 1n }, detail: "of one", subject: [alice] }),
        Check.refuted({ value: { amount: 1n }, detail: "of two", subject: [alice, bob] }),
        Check.unknown("inconclusive", "of two, turned", { subject: [bob, alice] })
      ])
      assert.deepStrictEqual(
        items.map((item) => item.id),
        [
          "wallet.example",
          `wallet.example:${alice}`,
          `wallet.example:${alice}:${bob}`,
          `wallet.example:${bob}:${alice}`
        ]
      )
      for (const item of items) assert.strictEqual(checkId(item.id), "wallet.example")
    })
  )

  it.effect("links to the explorer's page of the account to look at, the target where none is named", () =>
    Effect.gen(function* () {
      const verdicts = [
        Check.confirmed({ value: { amount: 1n }, detail: "", at: alice }),
        Check.refuted({ value: { amount: 1n }, detail: "" }),
        Check.unknown("rpc_error", "", { subject: [bob] })
      ]
      for (const url of ["https://explorer.example", "https://explorer.example/", "https://explorer.example//"])
        assert.deepStrictEqual(
          (yield* evaluate(verdicts, explorer(url))).map((item) => item.source_url),
          [alice, target, target].map((address) => `https://explorer.example/address/${address}`)
        )
    })
  )

  it.effect("links by CAIP-10 and block number where the chain has no explorer, and never to an endpoint", () =>
    Effect.gen(function* () {
      const number = 21_234_567
      const [observed, unobserved] = yield* evaluate(
        [
          Check.confirmed({ value: { amount: 1n }, detail: "", at: alice, observation }),
          Check.refuted({ value: { amount: 1n }, detail: "" })
        ],
        { chain: { id: 8453, endpoints: ["http://secret.example/key"] }, block: { number } }
      )
      assert.strictEqual(observed?.source_url, `eip155:8453:${alice}?block=${number}`)
      assert.strictEqual(unobserved?.source_url, `eip155:8453:${target}?block=${number}`)
      assert.notInclude(JSON.stringify([observed, unobserved]), "secret")
    })
  )

  it.effect.each(Severity.literals.map((severity) => [severity] as const))(
    "of a check that is at most %s says so of unknown items, and of decided ones without a grade of their own",
    ([highest]) =>
      Effect.gen(function* () {
        const items = yield* evaluate(
          [
            Check.confirmed({ value: { amount: 1n }, detail: "" }),
            Check.confirmed({ value: { amount: 1n }, detail: "", severity: "low" }),
            Check.refuted({ value: { amount: 1n }, detail: "" }),
            Check.unknown("inconclusive", "")
          ],
          {},
          highest
        )
        assert.deepStrictEqual(
          items.map((item) => item.severity),
          [highest, "low", highest, highest]
        )
      })
  )

  it.effect.prop("encodes the value by the check's schema", [FastCheck.bigInt()], ([amount]) =>
    Effect.gen(function* () {
      const items = yield* evaluate([
        Check.confirmed({ value: { amount }, detail: "" }),
        Check.refuted({ value: { amount }, detail: "", subject: [alice] })
      ])
      for (const item of items) assert.deepStrictEqual(item.value, { amount: `${amount}` })
    })
  )

  it.effect("says who controls a power, how it was observed, and whether that was only inferred", () =>
    Effect.gen(function* () {
      const controller = Controller.make("eoa", { address: alice })
      const [inferred, seen] = yield* evaluate([
        Check.confirmed({ value: { amount: 1n }, detail: "", controller, observation, verified: false }),
        Check.refuted({ value: { amount: 1n }, detail: "" })
      ])
      assert.deepInclude(inferred, { verified: false, controller, observation, reason: null })
      assert.deepInclude(seen, { verified: true, controller: null, observation: null, reason: null })
    })
  )

  it.effect("gives an unknown item a reason and its observation, but neither value nor controller nor proof", () =>
    Effect.gen(function* () {
      const [item] = yield* evaluate([Check.unknown("archive_required", "pruned", { observation })])
      assert.deepInclude(item, {
        state: "unknown",
        reason: "archive_required",
        detail: "pruned",
        value: null,
        controller: null,
        verified: false,
        observation
      })
    })
  )

  it.effect.each(UnknownReason.literals.map((reason) => [reason] as const))(
    "turns a chain error of reason %s into one unknown item of this check alone",
    ([reason]) =>
      Effect.gen(function* () {
        const items = yield* Facts.evaluate(
          [
            saying({ id: "wallet.lost", run: Effect.fail(failure(reason)) }),
            saying({
              id: "wallet.read",
              run: Effect.succeed([Check.confirmed({ value: { amount: 1n }, detail: "" })])
            })
          ],
          wallet
        ).pipe(Effect.provide(chain()))
        assert.deepStrictEqual(
          items.map(({ detail, id, reason, severity, state }) => ({ detail, id, reason, severity, state })),
          [
            {
              detail: "eth_call failed: no answer in time",
              id: "wallet.lost",
              reason,
              severity: "critical",
              state: "unknown"
            },
            { detail: "", id: "wallet.read", reason: null, severity: "critical", state: "confirmed" }
          ]
        )
      })
  )

  it.effect.each([
    ["a defect", Effect.die(new Error("a bug"))],
    [
      "a defect that a fact met",
      Effect.die(new Error("a bug")).pipe(Defect.at(() => ({ part: "fact", name: "Powers.of", of: target })))
    ],
    [
      "what it throws",
      Effect.sync(() => {
        throw new Error("a bug")
      })
    ],
    [
      "a value that its schema refuses",
      Effect.succeed([Check.confirmed({ value: { amount: "many" } as unknown as typeof Value.Type, detail: "" })])
    ]
  ] as const)("turns %s into one unknown item of this check alone, and says what failed and what to do", ([, run]) =>
    Effect.gen(function* () {
      const logs: Array<object> = []
      const items = yield* Facts.evaluate(
        [
          saying({ id: "wallet.lost", run }),
          saying({ id: "wallet.read", run: Effect.succeed([Check.confirmed({ value: { amount: 1n }, detail: "" })]) })
        ],
        wallet
      ).pipe(
        Effect.provide(chain()),
        Effect.provide(
          Logger.replace(
            Logger.defaultLogger,
            Logger.make(({ annotations, cause }) => {
              logs.push({ ...Object.fromEntries(annotations), cause: Cause.pretty(cause) })
            })
          )
        )
      )
      assert.deepStrictEqual(
        items.map(({ id, reason, severity, state }) => ({ id, reason, severity, state })),
        [
          { id: "wallet.lost", reason: "internal_error", severity: "critical", state: "unknown" },
          { id: "wallet.read", reason: null, severity: "critical", state: "confirmed" }
        ]
      )
      assert.match(
        items[0]?.detail ?? "",
        /^this engine failed in (this check|Powers\.of for the account 0x\w{40}); report it with the execution id$/
      )
      assert.lengthOf(logs, 1)
      assert.deepInclude(logs[0], { claims: "wallet.lost", block: 1_000_000, of: target, target: `wallet ${target}` })
    })
  )

  it.effect("lets an interruption pass", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        Effect.provide(Check.evaluate(saying({ run: Effect.interrupt }), wallet), chain())
      )
      assert.isTrue(Exit.isInterrupted(exit))
    })
  )

  it.effect("requires what the check reads, and nothing else but the chain", () =>
    Effect.gen(function* () {
      class Source extends Context.Tag("test/Source")<Source, bigint>() {}
      const check = Check.make({
        ...saying({ run: Effect.succeed([]) }),
        value: Value,
        run: () => Effect.map(Source, (amount) => [Check.confirmed({ value: { amount }, detail: "" })])
      })
      const evaluated: Effect.Effect<ReadonlyArray<Evidence>, never, Source | ChainState> = Check.evaluate(
        check,
        wallet
      )
      const [item] = yield* Effect.provide(evaluated, Layer.merge(chain(), Layer.succeed(Source, 7n)))
      assert.deepStrictEqual(item?.value, { amount: "7" })
    })
  )
})

describe("Check.rule", () => {
  it("shows readers everything that is declared, and the value's JSON Schema", () => {
    const check = Check.make({
      ...saying({ run: Effect.succeed([]) }),
      value: Schema.Struct({ count: Schema.Number }),
      power: true,
      volatile: true,
      tolerance: { kind: "absolute", amount: 2 },
      run: () => Effect.succeed([])
    })
    const { value_type, ...rule } = Check.rule(check)
    assert.deepStrictEqual(rule, {
      id: "wallet.example",
      code: "X-01",
      version: 3,
      targets: ["wallet"],
      title: "The example holds",
      claim: "The example holds",
      absent: null,
      recommendation: null,
      category: "account",
      polarity: "risk",
      severity: "critical",
      power: true,
      tolerance: { kind: "absolute", amount: 2 },
      volatile: true
    })
    assert.deepInclude(JSON.parse(JSON.stringify(value_type)), {
      type: "object",
      required: ["count"],
      properties: { count: { type: "number" } }
    })
  })

  it("has the sentences that a check declares, and Checks.rule those of this library for its own checks", () => {
    const declared = { absent: "No example was found", recommendation: "Look at the example" }
    const sentencesOf = ({ absent, recommendation }: EvidenceRule) => ({ absent, recommendation })
    const check = Check.make({ ...saying({ run: Effect.succeed([]) }), ...declared })
    assert.deepStrictEqual(sentencesOf(Check.rule(check)), declared)
    assert.deepStrictEqual(sentencesOf(Checks.rule(check)), declared)
    assert.deepStrictEqual(sentencesOf(Checks.rule(mintable)), {
      absent: "No account can increase the supply",
      recommendation:
        "Check who can mint and how much, and wait until the power is capped, renounced or behind a timelock of at least 2 days"
    })
  })
})

describe("verdicts", () => {
  it("stand alone, verified and without anything else by default", () => {
    for (const verdict of [Check.confirmed({ value: 1, detail: "d" }), Check.refuted({ value: 1, detail: "d" })]) {
      assert.deepStrictEqual(verdict.subject, [])
      assert.isTrue(verdict.verified)
      assert.isTrue(
        [verdict.severity, verdict.controller, verdict.observation, verdict.at].every((part) => part._tag === "None")
      )
    }
    const undecided = Check.unknown("rpc_error", "d", { subject: [account("c")], observation })
    assert.deepStrictEqual(undecided.subject, [account("c")])
    assert.deepStrictEqual(undecided.observation, Option.some(observation))
  })
})
