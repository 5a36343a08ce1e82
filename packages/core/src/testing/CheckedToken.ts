import type { Analysis } from "../domain/Analysis.js"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import type { Evidence } from "../domain/Evidence.js"
import type { Hex } from "../domain/Hex.js"
import * as SceneSeed from "../domain/SceneSeed.js"
import type { Target } from "../domain/Target.js"
import { fromMillis } from "../domain/Timestamp.js"
import * as Documents from "./Documents.js"

/**
 * The result of an analyser for a token with simulated trades: 60 claims and their readings. Whatever an engine derives
 * from a block is another at each block; of `moved` claims a number is, too.
 *
 * @since 0.1.0
 * @category testing
 */
export const analysis = (target: Target, block: number, moved: number): Analysis => {
  const empty = Documents.analysis(target, [], block)
  const hash = hashOf(`block ${block}`)
  const calls = [
    { method: "eth_call", params: [{ to: target.address, data: "0x18160ddd" }, { blockHash: hash }] },
    { method: "eth_call", params: [{ to: target.address, data: "0x06fdde03" }, { blockHash: hash }] },
    { method: "eth_getLogs", params: [{ fromBlock: "0x0", toBlock: `0x${block.toString(16)}` }] },
    { method: "eth_simulateV1", params: [trades(target, hash, block), { blockHash: hash }] }
  ].map(({ method, params }) => ({ method, params_hash: CanonicalJson.hash(params), params }))
  return {
    ...empty,
    block: { ...empty.block, hash, timestamp: fromMillis(timeOf(block) * 1_000) },
    evidence: Array.from({ length: 60 }, (_, index): Evidence => {
      const { method, params_hash } = calls[index % calls.length] ?? { method: "", params_hash: hash }
      return {
        ...Documents.evidence(`token.claim-${index}`, "confirmed"),
        source_url: `eip155:1:${target.address}?block=${block}`,
        detail: `What was found of claim ${index}: ${hashOf(String(index))}, ${index < moved ? block * 977 + index : 5} wei`,
        observation: {
          method,
          params_hash,
          block_hash: hash,
          answer_hash: hashOf(`answer ${index < moved || index === 3 ? `${index} ${block}` : index}`)
        }
      }
    }),
    recipes: [
      ...calls.toSorted((a, b) => (`${a.method} ${a.params_hash}` < `${b.method} ${b.params_hash}` ? -1 : 1)),
      { method: "GET", params_hash: hashOf("of another form"), params: ["https://example.com/list"] }
    ]
  }
}

/** Blocks of twelve seconds. */
const timeOf = (block: number): number => 1_700_000_000 + 12 * block

const trades = ({ address }: Target, hash: Hex, block: number) => {
  const seed = { token: address, blockHash: hash }
  const account = (index: number) => SceneSeed.account(seed, index)
  const word = (index: number) => account(index).slice(2).toLowerCase().padStart(64, "0")
  const balance = (index: number) => `0x${(10n ** 18n + BigInt(`0x${account(index).slice(-12)}`)).toString(16)}`
  const buyers = Array.from({ length: 10 }, (_, index) => index)
  return {
    blockStateCalls: [
      { stateOverrides: Object.fromEntries(buyers.map((index) => [account(index), { balance: balance(index) }])) },
      ...buyers.map((index) => ({
        blockOverrides: {
          time: `0x${(timeOf(block) + 12 * (index + 1)).toString(16)}`,
          feeRecipient: account(100),
          prevRandao: SceneSeed.prevRandao(seed, 12 * (index + 1))
        },
        calls: [
          {
            from: account(index),
            to: address,
            data: `0xa9059cbb${word(50 + index)}${"0".repeat(62)}80${"f".repeat(64)}`
          }
        ]
      }))
    ]
  }
}

const hashOf = (text: string): Hex => CanonicalJson.hash(text)
