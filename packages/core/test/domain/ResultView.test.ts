import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { AnalysisResult } from "../../src/domain/AnalysisResult.js"
import type { ExecutionId } from "../../src/domain/Id.js"
import * as Quantity from "../../src/domain/Quantity.js"
import * as ResultView from "../../src/domain/ResultView.js"
import * as Documents from "../../src/testing/Documents.js"

const id = "exe_01JD0000000000000000000000" as ExecutionId
const observation = { method: "eth_call", params_hash: "0x01", block_hash: "0x02", answer_hash: "0x03" } as const
const recipe = { method: "eth_call", params_hash: "0x01", params: ["latest"] } as const
const completed = Documents.completed(Documents.running(id, Documents.token(1), 0), 1_000)
const scanned = { unread: [], from_block: 0, to_block: 9, complete: true }
const allowance = {
  kind: "erc20",
  token: Documents.address(2),
  spender: Documents.address(3),
  amount: Quantity.make(5n),
  unlimited: false,
  balance: Quantity.make(7n)
} as const
const permit = {
  token: Documents.address(2),
  spender: Documents.address(3),
  amount: Quantity.make(5n),
  unlimited: false,
  expires_at: 0,
  nonce: 0,
  token_allowance: Quantity.make(9n),
  balance: Quantity.make(7n)
}
const full: AnalysisResult = {
  ...completed,
  evidence: [
    { ...Documents.evidence("token.mintable", "confirmed"), observation },
    Documents.evidence("token.pausable", "refuted")
  ],
  facts: {
    ...completed.facts,
    risk: completed.facts.risk && {
      ...completed.facts.risk,
      caps: [{ limit: 15, because: "critical finding", evidence_ids: ["token.mintable"] }]
    },
    allowances: { ...scanned, allowances: [allowance] },
    permit2: { ...scanned, allowances: [permit] },
    trade: {
      pool: Documents.address(2),
      quote: Documents.address(3),
      buy_tax_bps: 0,
      sell_tax_bps: 0,
      transfer_tax_bps: 0,
      owner_receives: null,
      runs: [],
      unavailable: []
    }
  },
  recipes: [recipe]
}

describe("ResultView", () => {
  it("leaves out how things were observed, and nothing else", () => {
    const { evidence, facts, ...light } = ResultView.light(full)
    const { evidence: items, facts: read, recipes: _, ...rest } = full
    assert.deepStrictEqual(light, rest)
    assert.deepStrictEqual(
      evidence,
      items.map(({ observation: _, ...item }) => item)
    )
    assert.deepStrictEqual(Object.keys(facts), Object.keys(read))
    assert.deepStrictEqual(facts.risk?.caps, [{ limit: 15, because: "critical finding" }])
    assert.deepStrictEqual({ ...facts.risk, caps: [] }, { ...completed.facts.risk, caps: [] })
    const { balance: _balance, ...bare } = allowance
    assert.deepStrictEqual(facts.allowances, { ...scanned, allowances: [bare] })
    const { balance: _held, ...barePermit } = permit
    assert.deepStrictEqual(facts.permit2, { ...scanned, allowances: [barePermit] })
    assert.deepStrictEqual(facts.trade, {
      pool: Documents.address(2),
      quote: Documents.address(3),
      buy_tax_bps: 0,
      sell_tax_bps: 0,
      transfer_tax_bps: 0,
      owner_receives: null,
      unavailable: []
    })
  })

  it("has the light and the full form in one schema, of which only the full form is a result to verify", () => {
    const isView = Schema.is(ResultView.ResultView)
    const isFull = Schema.is(AnalysisResult)
    assert.isTrue(isView(full) && isFull(full))
    assert.isTrue(isView(ResultView.light(full)))
    assert.isFalse(isFull(ResultView.light(full)))
  })
})
