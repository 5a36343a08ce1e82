import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import type { Address } from "../../src/domain/Address.js"
import type { Analysis } from "../../src/domain/Analysis.js"
import * as CanonicalJson from "../../src/domain/CanonicalJson.js"
import { contentHash } from "../../src/domain/ContentHash.js"
import * as Controller from "../../src/domain/Controller.js"
import type { Evidence } from "../../src/domain/Evidence.js"
import * as Quantity from "../../src/domain/Quantity.js"

const address = "0x1111111111111111111111111111111111111111" as Address
const other = "0x2222222222222222222222222222222222222222" as Address

const item = (options: Partial<Evidence>): Evidence => ({
  state: "confirmed",
  source_url: "eip155:1:0x1?block=0xaa&method=eth_call",
  id: "token.mintable",
  version: 1,
  category: "control",
  title: "The supply can be increased",
  detail: "seen at block 17",
  value: { minters: [address, other] },
  polarity: "risk",
  severity: "high",
  verified: true,
  reason: null,
  controller: Controller.make("eoa", { address }),
  observation: { method: "eth_call", params_hash: "0x01", block_hash: "0xaa", answer_hash: "0x02" },
  ...options
})

type Content = Pick<Analysis, "target" | "ruleset_version" | "evidence" | "facts">

const content: Content = {
  target: { kind: "token", address, chain: { id: 1, name: "ethereum" } },
  ruleset_version: "1",
  evidence: [item({}), item({ id: "liquidity.thin", category: "market", value: { depth: "17" } })],
  facts: {
    risk: null,
    account: {
      address,
      kind: "contract",
      code_hash: "0xc0de",
      code_size: 2,
      delegate: null,
      nonce: 1,
      balance: Quantity.make(5)
    },
    token: { standard: "erc20", name: "Token", symbol: "TKN", decimals: 18, total_supply: Quantity.make(1000) },
    proxy: null,
    control: null,
    pools: [
      {
        address: other,
        exchange: "uniswap-v2",
        kind: "uniswap-v2",
        fee_bps: 30,
        quote: address,
        quote_symbol: "WETH",
        reserve_token: Quantity.make(7),
        reserve_quote: Quantity.make(8),
        lp_total_supply: Quantity.make(9),
        lp_burned: Quantity.make(1)
      }
    ],
    trade: {
      pool: other,
      quote: address,
      buy_tax_bps: 0,
      sell_tax_bps: 0,
      transfer_tax_bps: 0,
      owner_receives: null,
      runs: [
        {
          environment: { method: "simulate_v1", begins: "now", sells: "in_a_day", fees: "paid" },
          sender: address,
          spent: Quantity.make(100),
          buy: { state: "ok", tax_bps: 0, gas: 100, error: null },
          transfer: { state: "ok", tax_bps: 0, gas: 100, error: null },
          sell: { state: "ok", tax_bps: 0, gas: 100, error: null },
          sold_bps: null,
          refused_bps: null,
          sell_again: { state: "ok", tax_bps: 0, gas: 100, error: null },
          control: "ok"
        }
      ],
      unavailable: [{ method: "override", begins: "now", reason: "rpc_error", detail: "at block 17" }]
    },
    counterfactuals: {
      victim: other,
      baseline: { transfer: "moved", sale: "moved", purchase: "moved", tax_bps: 0 },
      shown: [
        {
          power: "pause",
          selector: "0x8456cb59",
          controller: address,
          arguments: [],
          effect: "stopped",
          baseline: { transfer: "moved", sale: "moved", purchase: "moved", tax_bps: 0 },
          after: { transfer: "reverted", sale: "reverted", purchase: "reverted", tax_bps: null },
          amount: null,
          guard_proved: true,
          worst_tax_bps: null,
          largest_value: null,
          refused_from: null
        }
      ],
      unavailable: [{ power: "mint", selector: "0x40c10f19", reason: "rpc_error", detail: "at block 17" }]
    },
    allowances: {
      allowances: [
        { kind: "erc20", token: address, spender: other, amount: Quantity.make(1), unlimited: false, balance: null }
      ],
      from_block: 0,
      to_block: 17,
      complete: true,
      unread: []
    },
    permit2: {
      allowances: [
        {
          token: address,
          spender: other,
          amount: Quantity.make(1),
          unlimited: false,
          expires_at: 1_800_000_000,
          nonce: 1,
          token_allowance: Quantity.make(2),
          balance: Quantity.make(3)
        }
      ],
      unread: [],
      from_block: 0,
      to_block: 17,
      complete: true
    },
    portfolio: {
      native: Quantity.make(4),
      unit: null,
      holdings: [{ address, symbol: null, decimals: null, balance: Quantity.make(3), value: Quantity.make(2) }],
      at_risk: [],
      complete: true
    },
    safe: {
      address,
      singleton: other,
      canonical: true,
      version: "1.4.1",
      owners: [address, other],
      threshold: 2,
      nonce: 3,
      modules: [],
      guard: null,
      module_guard: null,
      fallback_handler: null
    },
    unread: {}
  }
}

const none: ReadonlySet<string> = new Set()

/** Everything that another block, run or endpoint changes while the state stays. */
const readElsewhere = (of: Content): Content => ({
  ...of,
  evidence: of.evidence.map((each) => ({
    ...each,
    detail: "seen at block 18",
    source_url: "eip155:1:0x1?block=0xbb&method=eth_call",
    observation: { method: "eth_getStorageAt", params_hash: "0x03", block_hash: "0xbb", answer_hash: "0x04" }
  })),
  facts: {
    ...of.facts,
    account: of.facts.account && { ...of.facts.account, nonce: 2, balance: Quantity.make(6) },
    pools: (of.facts.pools ?? []).map((pool) => ({ ...pool, reserve_token: Quantity.make(70) })),
    trade: of.facts.trade && {
      ...of.facts.trade,
      runs: of.facts.trade.runs.map((run) => ({
        ...run,
        sender: other,
        spent: Quantity.make(101),
        sell: { ...run.sell, gas: 101 },
        sell_again: run.sell_again && { ...run.sell_again, gas: 101 }
      })),
      unavailable: of.facts.trade.unavailable.map((each) => ({ ...each, detail: "at block 18" }))
    },
    counterfactuals: of.facts.counterfactuals && {
      ...of.facts.counterfactuals,
      victim: address,
      shown: of.facts.counterfactuals.shown.map((each) => ({
        ...each,
        arguments: ["0x01"],
        amount: Quantity.make(7)
      }))
    },
    allowances: of.facts.allowances && { ...of.facts.allowances, from_block: 1, to_block: 18 },
    permit2: of.facts.permit2 && {
      ...of.facts.permit2,
      from_block: 1,
      to_block: 18,
      allowances: of.facts.permit2.allowances.map((each) => ({ ...each, balance: Quantity.make(30) }))
    },
    portfolio: of.facts.portfolio && { ...of.facts.portfolio, native: Quantity.make(40), holdings: [] },
    safe: of.facts.safe && { ...of.facts.safe, nonce: 4 }
  }
})

describe("contentHash", () => {
  it("is SHA-256 in hex and the same for the same state read at another block", () => {
    assert.match(contentHash(content, none), /^sha256:[0-9a-f]{64}$/)
    assert.strictEqual(contentHash(readElsewhere(content), none), contentHash(content, none))
  })

  it("does not depend on the order of evidence or of a set", () => {
    const turned: Content = {
      ...content,
      evidence: [...content.evidence]
        .reverse()
        .map((each) => (each.id === "token.mintable" ? { ...each, value: { minters: [other, address] } } : each)),
      facts: { ...content.facts, safe: content.facts.safe && { ...content.facts.safe, owners: [other, address] } }
    }
    assert.strictEqual(contentHash(turned, none), contentHash(content, none))
  })

  it("changes with every part of the state", () => {
    const [first, second] = content.evidence as [Evidence, Evidence]
    const { facts } = content
    const changed: ReadonlyArray<Content> = [
      { ...content, ruleset_version: "2" },
      { ...content, target: { ...content.target, address: other } },
      { ...content, target: { ...content.target, chain: { id: 10, name: "ethereum" } } },
      { ...content, evidence: [first] },
      { ...content, evidence: [{ ...first, state: "refuted" }, second] },
      { ...content, evidence: [{ ...first, value: { minters: [address] } }, second] },
      { ...content, evidence: [{ ...first, severity: "low" }, second] },
      { ...content, evidence: [{ ...first, verified: false }, second] },
      { ...content, evidence: [{ ...first, controller: null }, second] },
      { ...content, evidence: [{ ...first, state: "unknown", reason: "rpc_error" }, second] },
      { ...content, facts: { ...facts, token: facts.token && { ...facts.token, name: "Another" } } },
      { ...content, facts: { ...facts, account: facts.account && { ...facts.account, code_hash: "0xdead" } } },
      { ...content, facts: { ...facts, safe: facts.safe && { ...facts.safe, threshold: 1 } } },
      { ...content, facts: { ...facts, token: null, unread: { token: "rpc_error" } } }
    ]
    const hashes = [content, ...changed].map((each) => contentHash(each, none))
    assert.strictEqual(new Set(hashes).size, hashes.length)
  })

  it("leaves out the value of a volatile check, but not its state", () => {
    const thin = (options: Partial<Evidence>): Content => ({
      ...content,
      evidence: content.evidence.map((each) => (each.id === "liquidity.thin" ? { ...each, ...options } : each))
    })
    const volatile = new Set(["liquidity.thin"])
    assert.strictEqual(contentHash(thin({ value: { depth: "18" } }), volatile), contentHash(content, volatile))
    assert.notStrictEqual(contentHash(thin({ value: { depth: "18" } }), none), contentHash(content, none))
    assert.notStrictEqual(contentHash(thin({ state: "refuted" }), volatile), contentHash(content, volatile))
  })

  it("compares lists of anything as sets", () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.jsonValue())
          .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => {
          const canonical = CanonicalJson.stringify(CanonicalJson.unordered(list))
          assert.strictEqual(CanonicalJson.stringify(CanonicalJson.unordered([...shuffled, ...list])), canonical)
          assert.strictEqual(CanonicalJson.stringify(CanonicalJson.unordered(JSON.parse(canonical))), canonical)
        }
      ),
      { numRuns: 500 }
    )
  })
})
