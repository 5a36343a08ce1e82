import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option, Schema } from "effect"
import * as Analyzer from "../../src/analysis/Analyzer.js"
import { ChainAccess } from "../../src/chain/ChainAccess.js"
import * as Check from "../../src/checks/Check.js"
import * as Checks from "../../src/checks/Checks.js"
import * as Declaration from "../../src/checks/Declaration.js"
import * as ForeignCheck from "../../src/checks/ForeignCheck.js"
import type { Analysis } from "../../src/domain/Analysis.js"
import type { Severity, UnknownReason } from "../../src/domain/Evidence.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import { alice, erc20, inert, target } from "./Scripted.js"

type Verdicts = Effect.Effect<ReadonlyArray<Check.Verdict<unknown>>>

const rich = (run: Verdicts = Effect.succeed([])): Check.Check<unknown, never> =>
  Check.make({
    id: "x.rich",
    code: "X-01",
    version: 1,
    targets: ["token"],
    claim: "The token is rich",
    polarity: "neutral",
    severity: "info",
    dimension: "identity",
    value: Schema.Unknown,
    run: () => run
  })

/** What a program in JavaScript can write. */
const wrong = (changes: Record<string, unknown>): Check.Check<unknown, never> =>
  ({ ...rich(), ...changes }) as unknown as Check.Check<unknown, never>

const [builtIn] = Checks.all

const refusals: ReadonlyArray<readonly [what: string, ReadonlyArray<Check.Any>, sentence: string]> = [
  ["one id twice", [rich(), rich()], 'Check "x.rich" is defined twice.'],
  [
    "the id of a built-in check",
    [wrong({ id: builtIn.id })],
    'Check "address.kind" has the id of a built-in check: give it another one.'
  ],
  ["a built-in check twice", [builtIn, builtIn], 'Check "address.kind" is defined twice.'],
  ...["Rich", "rich", "x.", "x.rich:of", "", "x.r ich"].map(
    (id) =>
      [
        `the id ${JSON.stringify(id)}`,
        [wrong({ id })],
        `Check ${JSON.stringify(id)} has a malformed id: use words of a-z, 0-9 and "-" with dots between them, such as "acme.rich-holder".`
      ] as const
  ),
  ...[0, -1, 1.5, Number.NaN, "1"].map(
    (version) =>
      [
        `the version ${JSON.stringify(version)}`,
        [wrong({ version })],
        'Check "x.rich" has a version that is no positive integer.'
      ] as const
  ),
  [
    "an unknown severity",
    [wrong({ severity: "grave" })],
    'Check "x.rich" has an unknown severity: use info, low, medium, high, critical.'
  ],
  [
    "an unknown dimension",
    [wrong({ dimension: "vibes" })],
    'Check "x.rich" has an unknown dimension: use exit, control, code, market, identity, counterparty, approvals, account.'
  ],
  [
    "an unknown polarity",
    [wrong({ polarity: "good" })],
    'Check "x.rich" has an unknown polarity: use risk, protective, neutral.'
  ],
  [
    "an unknown kind of target",
    [wrong({ targets: ["token", "nft"] })],
    'Check "x.rich" has no targets, or unknown ones: use token, wallet, contract.'
  ],
  [
    "no target",
    [wrong({ targets: [] })],
    'Check "x.rich" has no targets, or unknown ones: use token, wallet, contract.'
  ],
  ["no claim", [wrong({ claim: " " })], 'Check "x.rich" has no claim: state it in a sentence.'],
  [
    "an absent sentence that is no text",
    [wrong({ absent: 7 })],
    'Check "x.rich" has an absent sentence that is no text: say what is true where the claim is refuted, or leave it out.'
  ],
  [
    "an empty recommendation",
    [wrong({ recommendation: " " })],
    'Check "x.rich" has a recommendation that is no text: say what a reader can do, or leave it out.'
  ],
  [
    "a value that no JSON Schema describes",
    [wrong({ value: Schema.BigIntFromSelf })],
    'Check "x.rich" has a value without a JSON Schema: give the schema of what is stored.'
  ],
  ["nothing to run", [wrong({ run: "later" })], 'Check "x.rich" has no function run.']
]

const state = ScriptedChain.make({ accounts: { [target]: { code: inert, calls: erc20 } } })

const analyzed = (checks: ReadonlyArray<Check.Check<unknown, never>>) =>
  Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
    analyzer.analyze({ kind: "token", address: target, chain: state.chain })
  ).pipe(
    Effect.provide(
      Layer.provide(
        Analyzer.layer([...Checks.all, ...checks]),
        Layer.succeed(ChainAccess, { pin: () => Effect.succeed(state) })
      )
    )
  )

const itemsOf = ({ evidence }: Analysis, id: string) => evidence.filter((item) => item.id.split(":")[0] === id)

const failed = "the check x.rich, which is not of this engine, failed; report it to its author"

const confirmed = (changes: Partial<Check.Verdict<unknown>> = {}): Verdicts =>
  Effect.succeed([{ ...Check.confirmed<unknown>({ value: 1, detail: "rich" }), ...changes } as Check.Verdict<unknown>])

const unsound: ReadonlyArray<readonly [string, Verdicts]> = [
  ["throws", Effect.sync(() => JSON.parse("{"))],
  ["rejects", Effect.promise(() => Promise.reject(new Error("no")))],
  ["gives no list", Effect.succeed(undefined as never)],
  ["gives a Promise in place of an Effect", Promise.resolve([]) as never],
  [
    "gives one claim twice",
    Effect.succeed([
      Check.confirmed<unknown>({ value: 1, detail: "yes" }),
      Check.refuted<unknown>({ value: 1, detail: "no" })
    ])
  ],
  ["gives a value that is no JSON", confirmed({ value: Number.NaN })],
  ["gives an unknown severity", confirmed({ severity: Option.some("grave" as Severity) })],
  ["gives an unknown reason", Effect.succeed([Check.unknown("tired" as UnknownReason, "later")])],
  ["gives no detail", confirmed({ detail: undefined as never })],
  ["gives a source without a URL", confirmed({ consulted: [{ name: "x" } as Check.Consulted] })]
]

describe("a check that is not of this engine", () => {
  it.effect.each(refusals)("with %s is refused before anything is read, in a sentence", ([_, checks, sentence]) =>
    Effect.gen(function* () {
      const refused = Option.getOrThrow(Checks.refusal(checks))
      assert.instanceOf(refused, Checks.CheckInvalid)
      assert.strictEqual(refused.message, sentence)
      const unread = Layer.succeed(ChainAccess, { pin: () => Effect.die("it was read") })
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(Layer.provide(Analyzer.layer([...checks]), unread))))
      assert.deepStrictEqual(Exit.isFailure(exit) && [...Cause.defects(exit.cause)].map(String), [
        `CheckInvalid: ${sentence}`
      ])
    })
  )

  it("is taken beside all of the library and copies of those that run in another way", () => {
    const copies = [...Checks.all, ...Checks.optional].map((check) => ({ ...check, run: () => Effect.succeed([]) }))
    assert.deepStrictEqual(Checks.refusal([...copies, rich()]), Option.none())
    assert.isTrue(copies.every(Checks.isBuiltIn))
    assert.isFalse(Checks.isBuiltIn(rich()))
    assert.isFalse(Declaration.isBuiltIn(rich(), new Map()))
  })

  it.effect("that is refuted and another that is unknown say so as those of the engine do", () =>
    Effect.gen(function* () {
      const verdicts = [
        Check.refuted<unknown>({ value: { amount: "1" }, detail: "poor", subject: [alice] }),
        Check.unknown("inconclusive", "who knows")
      ]
      const same = yield* Effect.provide(
        Effect.all(
          [ForeignCheck.judge, Check.judge].map((judge) =>
            judge(rich(Effect.succeed(verdicts)), { kind: "token", address: target, chain: { id: 1, name: "x" } })
          )
        ),
        ScriptedChain.layer({})
      )
      assert.deepStrictEqual(same[0], same[1])
      assert.lengthOf(same[0]?.evidence ?? [], 2)
    })
  )

  it.effect.each(unsound)("that %s costs its own claim, names itself, and leaves the others as they are", ([_, run]) =>
    Effect.gen(function* () {
      const alone = yield* analyzed([])
      const analysis = yield* analyzed([rich(run)])
      assert.deepStrictEqual(
        itemsOf(analysis, "x.rich").map(({ detail, reason, state }) => ({ detail, reason, state })),
        [{ state: "unknown", reason: "internal_error", detail: failed }]
      )
      assert.deepStrictEqual(
        analysis.evidence.filter(({ id }) => id !== "x.rich"),
        alone.evidence
      )
      assert.strictEqual(analysis.status, "partial")
    })
  )
})
