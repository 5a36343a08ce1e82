import { assert, it } from "@effect/vitest"
import { Effect, FastCheck, Option } from "effect"
import type { CallRequest } from "../../../src/chain/state/ChainState.js"
import * as Simulation from "../../../src/chain/state/Simulation.js"
import * as StateLens from "../../../src/chain/state/StateLens.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as StateOnlyCall from "../../../src/evm/interpreter/StateOnlyCall.js"
import { account, answerTop, placed } from "./PlacedCodes.js"

/** Runtime codes with what differs in them between a lens and a plain call. */
const codes = {
  constant: `0x602a${answerTop}`,
  caller: `0x33${answerTop}`,
  origin: `0x32${answerTop}`,
  gasPrice: `0x3a${answerTop}`,
  ownBalance: `0x3031${answerTop}`,
  // Adds 1 to slot 0 and answers it.
  counter: `0x60005460010180600055${answerTop}`,
  reverts: "0x60006000fd",
  revertsWithData: "0x60206000fd",
  invalid: "0xfe",
  burns: "0x5b600056",
  // Answers the size of the code of its caller.
  sizesCaller: `0x333b${answerTop}`,
  hashesCaller: `0x333f${answerTop}`,
  sizesZero: `0x60003b${answerTop}`,
  gas: `0x5a${answerTop}`,
  callsCaller: `0x6000600060006000600033${"5a"}f1${answerTop}`,
  // Calls what burns all gas that it is given, and answers whether that failed.
  survives: `0x6000600060006000600073${account(9).slice(2).toLowerCase()}5af1${answerTop}`
} satisfies Record<string, Hex>

const names = Object.keys(codes) as ReadonlyArray<keyof typeof codes>

const setUp = Effect.gen(function* () {
  const node = yield* placed(Object.values(codes), { slot: 5n, value: 9n })
  const call = (request: CallRequest) =>
    Effect.promise(() => node.rpc("eth_call", [...Simulation.callParams(request, "latest")]) as Promise<Hex>)
  return { ...node, call }
})

it.scoped(
  "answers calls of self-contained code as they are answered plainly, and each as if it were the only one",
  () =>
    Effect.gen(function* () {
      const { call, rpc } = yield* setUp
      const reads = [...names, ...names].map(
        (name): StateLens.LensRead => ({ kind: "call", account: account(names.indexOf(name)), data: "0x12345678" })
      )
      const answers = StateLens.stateAnswers(reads, yield* call(StateLens.ofState(reads)))
      const contained: Array<string> = []
      const differing: Array<string> = []
      for (const [place, answer] of answers.entries()) {
        const name = names[place % names.length]
        if (name === undefined) continue
        const plain = yield* Effect.promise(() =>
          rpc("eth_call", [{ to: account(names.indexOf(name)), data: "0x12345678", gas: "0x989680" }, "latest"]).then(
            (result) => ({ _tag: "Result", result }),
            () => ({ _tag: "Reverted", data: "0x" })
          )
        )
        if (StateLens.isSelfContained(codes[name])) contained.push(name)
        if (Option.isNone(answer)) continue
        if (JSON.stringify(answer.value) !== JSON.stringify(plain)) differing.push(name)
      }
      const given = names.filter((_, place) => Option.isSome(answers[place] ?? Option.none()))
      assert.deepStrictEqual([...new Set(contained)], names.slice(0, 10))
      assert.deepStrictEqual([...new Set(differing)], ["sizesCaller", "hashesCaller", "sizesZero", "gas"])
      assert.notIncludeMembers([...given], ["revertsWithData", "invalid", "burns", "survives"])
      assert.includeMembers([...given], ["constant", "caller", "origin", "ownBalance", "counter", "reverts"])
    })
)

it.scoped("reads code and balances as they are, and leaves out what did not fit into the gas", () =>
  Effect.gen(function* () {
    const { call } = yield* setUp
    const reads = names.flatMap(
      (_, index): ReadonlyArray<StateLens.LensRead> => [
        { kind: "code", account: account(index) },
        { kind: "balance", account: account(index) }
      ]
    )
    const read = yield* call(StateLens.ofState(reads))
    assert.deepStrictEqual(
      StateLens.stateAnswers(reads, read),
      names.flatMap((name, index) => [
        Option.some({ _tag: "Result" as const, result: codes[name] }),
        Option.some({ _tag: "Result" as const, result: `0x${(index + 7).toString(16)}` })
      ])
    )
    const burning = account(names.indexOf("burns"))
    const many: ReadonlyArray<StateLens.LensRead> = [
      { kind: "code", account: burning },
      ...Array.from({ length: 40 }, (): StateLens.LensRead => ({ kind: "call", account: burning, data: "0x" })),
      { kind: "code", account: account(0) }
    ]
    const cut = StateLens.stateAnswers(many, yield* call(StateLens.ofState(many)))
    assert.deepStrictEqual(
      cut.map(Option.isSome),
      many.map((_, place) => place === 0)
    )
  })
)

it.scoped("reads slots of accounts without running their code", () =>
  Effect.gen(function* () {
    const { call } = yield* setUp
    const asked = names.map((_, index): StateLens.AccountSlots => ({ account: account(index), slots: ["0x5", "0x0"] }))
    const words = StateLens.slotAnswers(asked, yield* call(StateLens.ofSlots(asked)))
    assert.deepStrictEqual(
      words,
      asked.map(() => Option.some<ReadonlyArray<Hex>>([`0x${"9".padStart(64, "0")}`, `0x${"0".repeat(64)}`]))
    )
    assert.isTrue(StateLens.slotAnswers(asked, "0x").every(Option.isNone))
  })
)

it("counts no opcode that a jump cannot reach, and every one that it can", () => {
  assert.isTrue(StateLens.isSelfContained("0x00f1f15a3b"))
  assert.isFalse(StateLens.isSelfContained("0x005bf1"))
  assert.isTrue(StateLens.isSelfContained("0x00605bf1"))
  assert.isFalse(StateLens.isSelfContained("0x0c"))
  assert.isFalse(StateLens.isSelfContained("0x305b31"))
  assert.isFalse(StateLens.isSelfContained(`0xef0100${"11".repeat(20)}`))
  assert.isTrue(StateLens.isSelfContained("0x"))
})

/** Code that leaves one word more on the stack; `next` is the account after the one that it is part of. */
const pieces: ReadonlyArray<(next: string) => string> = [
  () => "602a",
  () => "33",
  () => "600435",
  () => "3d",
  () => "600554",
  () => "3031",
  () => "60205f20",
  () => "5a",
  () => "333b",
  () => "5f3f",
  () => "303b",
  // The sender's code is read where slot 5 is not set, and where it is.
  () => "6005541560075801575f600a58015662333b5b5b",
  // Calls that hand calldata on; what they return is taken, and whether they failed.
  (next) => `365f5f375f5f365f73${next}5af4505f51`,
  (next) => `365f5f3760205f365f73${next}5afa`,
  (next) => `365f5f375f5f365f5f73${next}617530f1`,
  (next) => `5f5f5f5f73${next}61100a5a03fa`,
  (next) => `365f5f375f5f365f73${next}5a60011cfa`
]

// Each word is mixed in by its place, so that no two cancel out.
const program = (chosen: ReadonlyArray<number>, next: string): Hex =>
  `0x5f${chosen.map((piece) => `${pieces[piece % pieces.length]?.(next)}60030201`).join("")}${answerTop}`

it.scoped(
  "answers each call that is proven to depend on state alone as it is answered plainly, whatever it is made of",
  () =>
    Effect.gen(function* () {
      const programs = FastCheck.sample(
        FastCheck.array(FastCheck.nat(pieces.length - 1), { minLength: 1, maxLength: 4 }),
        { numRuns: 150, seed: 30 }
      ).map((chosen, index) => program(chosen, account(index + 1).slice(2)))
      const all: ReadonlyArray<Hex> = [...programs, `0x6007${answerTop}`]
      const node = yield* placed(all, { slot: 5n, value: 9n })
      const known: StateOnlyCall.KnownState = {
        code: (address) => Option.fromNullable(all[Number.parseInt(address.slice(-4), 16)]),
        word: (_, slot) => Option.some(slot === 5n ? 9n : 0n)
      }
      const data = "0x12345678000000000000000000000000000000000000000000000000000000000000000b"
      const seen = { proven: 0, differing: 0 }
      for (let from = 0; from < all.length; from += 10) {
        const reads = all.slice(from, from + 10).map(
          (_, place): Extract<StateLens.LensRead, { kind: "call" }> => ({
            kind: "call",
            account: account(from + place).toLowerCase() as Hex,
            data
          })
        )
        const lensed = yield* Effect.promise(() =>
          node.rpc("eth_call", [...Simulation.callParams(StateLens.ofState(reads), "latest")])
        )
        const answers = StateLens.stateAnswers(reads, lensed as Hex)
        const plainly = yield* Effect.promise(() =>
          Promise.all(
            reads.map(({ account }) =>
              node.rpc("eth_call", [{ to: account, data, gas: "0x989680" }, "latest"]).then(
                (result) => ({ _tag: "Result", result }),
                () => ({ _tag: "Reverted", data: "0x" })
              )
            )
          )
        )
        for (const [place, read] of reads.entries()) {
          const answer = Option.getOrUndefined(answers[place] ?? Option.none())
          const { state } = StateOnlyCall.decide(read, known)
          const isSame = answer === undefined || JSON.stringify(answer) === JSON.stringify(plainly[place])
          if (state === "proven") assert.isTrue(isSame, `${all[from + place]}`)
          if (state === "proven" && answer !== undefined) seen.proven++
          if (!isSame) seen.differing++
        }
      }
      assert.isAbove(seen.proven, 20)
      assert.isAbove(seen.differing, 30)
    })
)
