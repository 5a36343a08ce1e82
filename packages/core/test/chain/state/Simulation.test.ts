import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as Simulation from "../../../src/chain/state/Simulation.js"
import * as Address from "../../../src/domain/Address.js"
import { word } from "../FakeNode.js"

const account = Address.checksum(`0x${"ab".repeat(20)}`)

describe("Simulation", () => {
  it("leaves out what a call does not say", () => {
    assert.deepStrictEqual(Simulation.callParams({ to: account }, "0x1"), [{ to: account }, "0x1"])
    assert.deepStrictEqual(Simulation.callParams({ data: "0xfe", overrides: {}, block: {} }, "0x1"), [
      { data: "0xfe" },
      "0x1"
    ])
  })

  it("writes every field of a call, of pretended state and of a pretended block", () => {
    const params = Simulation.callParams(
      {
        to: account,
        from: account,
        data: "0x12",
        value: 0n,
        gas: 21_000n,
        gasPrice: 1n,
        overrides: { [account]: { code: "0x60", balance: 0n, nonce: 2, stateDiff: { "0x1": "0x2" } } },
        block: { number: 16, time: 17, feeRecipient: account, baseFeePerGas: 18n }
      },
      "0x1"
    )
    assert.deepStrictEqual(params, [
      { from: account, to: account, data: "0x12", value: "0x0", gas: "0x5208", gasPrice: "0x1" },
      "0x1",
      { [account]: { code: "0x60", balance: "0x0", nonce: "0x2", stateDiff: { [word(1n)]: word(2n) } } },
      { number: "0x10", time: "0x11", feeRecipient: account, baseFeePerGas: "0x12" }
    ])
  })

  const request = { blocks: [{ calls: [{ to: account }, { to: account }] }, { calls: [] }] }
  const ok = { status: "0x1", gasUsed: "0x5208", returnData: "0x", logs: [] }

  it("simulates without validation and without pretended transfer logs", () => {
    assert.deepStrictEqual(Simulation.simulateParams(request, "0x1"), [
      {
        blockStateCalls: [{ calls: [{ to: account }, { to: account }] }, { calls: [] }],
        validation: false,
        traceTransfers: false
      },
      "0x1"
    ])
  })

  it("validates, and sets the block's randomness, where the request wants it", () => {
    const prevRandao = word(3n)
    assert.deepStrictEqual(
      Simulation.simulateParams({ validation: true, blocks: [{ block: { prevRandao }, calls: [] }] }, "0x1"),
      [
        { blockStateCalls: [{ blockOverrides: { prevRandao }, calls: [] }], validation: true, traceTransfers: false },
        "0x1"
      ]
    )
  })

  it("reads a revert's data from wherever the node puts it", () => {
    const failed = { ...ok, status: "0x0" }
    const read = Simulation.parseSimulated(request, [
      {
        calls: [
          { ...failed, returnData: "0xAA" },
          { ...failed, error: { code: 3, message: "x", data: "0xbb" } }
        ]
      },
      { calls: [] }
    ])
    assert.deepStrictEqual(
      Option.map(read, ([first = []]) => first.map(({ outcome }) => outcome)),
      Option.some([
        { _tag: "Reverted", data: "0xaa" },
        { _tag: "Reverted", data: "0xbb" }
      ] as const) as never
    )
  })

  it("reads nothing from an answer that does not fit what was sent", () => {
    const bad: ReadonlyArray<unknown> = [
      null,
      [],
      [{ calls: [ok, ok] }],
      [{ calls: [ok] }, { calls: [] }],
      [{ calls: [ok, ok, ok] }, { calls: [] }],
      [{ calls: [ok, null] }, { calls: [] }],
      [{ calls: [ok, { ...ok, status: "0x2" }] }, { calls: [] }],
      [{ calls: [ok, { ...ok, status: 1 }] }, { calls: [] }],
      [{ calls: [ok, { ...ok, returnData: undefined }] }, { calls: [] }],
      [{ calls: [ok, { ...ok, gasUsed: "many" }] }, { calls: [] }],
      [{ calls: [ok, { ...ok, logs: [{ address: account, topics: ["0x1"], data: "0x" }] }] }, { calls: [] }]
    ]
    assert.isTrue(Option.isSome(Simulation.parseSimulated(request, [{ calls: [ok, ok] }, { calls: [] }])))
    for (const result of bad) {
      assert.isTrue(Option.isNone(Simulation.parseSimulated(request, result)), JSON.stringify(result))
    }
  })
})
