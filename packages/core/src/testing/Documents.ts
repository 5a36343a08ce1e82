import type { Address } from "../domain/Address.js"
import { checksum } from "../domain/Address.js"
import type { Analysis } from "../domain/Analysis.js"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { Evidence } from "../domain/Evidence.js"
import type { ExecutionId } from "../domain/Id.js"
import type { Target } from "../domain/Target.js"
import { fromMillis } from "../domain/Timestamp.js"
import * as ResultDocument from "../executions/ResultDocument.js"
import * as Scoring from "../risk/Scoring.js"
import { skipped } from "../summary/Summarizer.js"

/**
 * An address with a number in its last bytes: different numbers, different addresses.
 *
 * @since 0.1.0
 * @category testing
 */
export const address = (number: number): Address => checksum(`0x${number.toString(16).padStart(40, "0")}`)

/**
 * A token on chain 1 at `address(number)`.
 *
 * @since 0.1.0
 * @category testing
 */
export const token = (number: number): Target => ({
  kind: "token",
  address: address(number),
  chain: { id: 1, name: "ethereum" }
})

/**
 * A claim that was confirmed or refuted, with text that is not ASCII, a nested value and a big number in it, so that a
 * store that changes documents is noticed.
 *
 * @since 0.1.0
 * @category testing
 */
export const evidence = (id: string, state: "confirmed" | "refuted"): Evidence => ({
  state,
  source_url: "https://etherscan.io/address/0x0000000000000000000000000000000000000001",
  id,
  version: 1,
  category: "control",
  title: "Ein Titel mit Umlauten äöü, “quotes”, 'quotes' and 𝔘nicode",
  detail: "line one\nline two\u0000 after a zero",
  value: { amount: "115792089237316195423570985008687907853269984665640564039457584007913129639935", list: [1, null] },
  polarity: "risk",
  severity: "high",
  verified: true,
  reason: null,
  controller: null,
  observation: null
})

/**
 * What an analyser finds at block `block`, with nothing in it but the given evidence.
 *
 * @since 0.1.0
 * @category testing
 */
export const analysis = (target: Target, items: ReadonlyArray<Evidence>, block: number): Analysis => ({
  target,
  status: "complete",
  block: { number: block, hash: `0x${block.toString(16).padStart(64, "0")}`, timestamp: fromMillis(block * 12_000) },
  engine_version: "0.0.0-test",
  ruleset_version: "2026.11.1",
  content_hash: `sha256:${block.toString(16).padStart(64, "0")}`,
  evidence: items,
  facts: { ...ResultDocument.noFacts, risk: Scoring.score(items) },
  recipes: [],
  sources: [],
  warnings: []
})

/**
 * The document of an execution that began at a moment in epoch milliseconds.
 *
 * @since 0.1.0
 * @category testing
 */
export const running = (id: ExecutionId, target: Target, startedAt: number): AnalysisResult =>
  ResultDocument.running({
    id,
    target,
    startedAt,
    engineVersion: "0.0.0-test",
    rulesetVersion: "2026.11.1",
    summary: skipped("not_requested")
  })

/**
 * The same document with a result, `completedAt` in epoch milliseconds.
 *
 * @since 0.1.0
 * @category testing
 */
export const completed = (running: AnalysisResult, completedAt: number): AnalysisResult =>
  ResultDocument.completed(running, {
    analysis: analysis(
      { kind: running.target, address: running.address, chain: running.chain },
      [evidence("token.mintable", "confirmed")],
      21_000_000
    ),
    completedAt
  })
