import { Either, Option } from "effect"
import type { Diagnosis } from "../chain/Diagnosis.js"
import type { Capabilities } from "../chain/rpc/Capabilities.js"

/**
 * What an analysis uses of its endpoints besides plain reads: a capability, events (`logs`), or the events of the whole
 * history (`history`).
 *
 * @since 0.1.0
 * @category models
 */
export type Need = keyof Capabilities | "logs" | "history"

/**
 * What no endpoint of a chain was shown to do, and the ids of the checks that can be unknown without it. `certain` is
 * false where a probe of it got no answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Loss {
  readonly need: Need
  readonly checks: ReadonlyArray<string>
  readonly certain: boolean
}

const ofEvents = [
  "allowance.operator",
  "allowance.outstanding",
  "allowance.permit2",
  "allowance.spender-risky",
  "allowance.unlimited",
  "contract.provenance",
  "control.change-planned",
  "control.controllers",
  "control.roles",
  "control.single-key",
  "control.timelocked",
  "holders.concentrated",
  "holders.insiders",
  "holders.top",
  "liquidity.held-by-insiders",
  "liquidity.locked",
  "liquidity.thin",
  "liquidity.withdrawn",
  "proxy.upgradeable-now",
  "proxy.upgraded-recently",
  "safe.modules",
  "trade.holders-blocked",
  "wallet.frozen",
  "wallet.poisoned"
]

/**
 * The checks that can be unknown without a need. Without batches and without reads by block hash an analysis takes more
 * requests and loses no check. Found by analyses of the sandbox in which the need was refused; a test repeats them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const checks: { readonly [Name in Need]: ReadonlyArray<string> } = {
  batch: [],
  blockByHash: [],
  codeOverride: ["trade.environment-dependent", "trade.honeypot", "trade.sell-limited"],
  blockOverride: ["trade.environment-dependent", "trade.honeypot", "trade.sell-limited"],
  simulateV1: [
    "allowance.operator",
    "allowance.outstanding",
    "allowance.spender-risky",
    "allowance.unlimited",
    "trade.buy-blocked",
    "trade.environment-dependent",
    "trade.holders-blocked",
    "trade.honeypot",
    "trade.sell-limited",
    "trade.taxed"
  ],
  archive: ["contract.provenance"],
  logs: ofEvents,
  history: ofEvents
}

/**
 * What the endpoints of a chain together cannot do: what one of them lacks, an analysis reads at another one.
 *
 * @since 0.1.0
 * @category combinators
 */
export const of = (diagnoses: ReadonlyArray<Diagnosis>): ReadonlyArray<Loss> => {
  const shown = (need: keyof Capabilities): Option.Option<boolean> => {
    const answers = diagnoses.map(({ capabilities }) => Either.getRight(capabilities[need]))
    if (answers.some(Option.contains(true))) return Option.some(true)
    return answers.some(Option.isNone) ? Option.none() : Option.some(false)
  }
  const blocks = Math.max(0, ...diagnoses.map(({ logBlocks }) => logBlocks))
  const head = Math.max(0, ...diagnoses.map((each) => each.head.number))
  const found: { readonly [Name in Need]: Option.Option<boolean> } = {
    batch: shown("batch"),
    blockByHash: shown("blockByHash"),
    codeOverride: shown("codeOverride"),
    blockOverride: shown("blockOverride"),
    simulateV1: shown("simulateV1"),
    archive: shown("archive"),
    logs: Option.some(blocks > 0),
    history: Option.some(blocks === 0 || blocks * scans >= head)
  }
  return needs.flatMap((need) =>
    Option.contains(found[need], true) ? [] : [{ need, checks: checks[need], certain: Option.isSome(found[need]) }]
  )
}

const needs = [
  "batch",
  "blockByHash",
  "codeOverride",
  "blockOverride",
  "simulateV1",
  "archive",
  "logs",
  "history"
] as const

// The ranges of blocks that one scan of an analysis reads at most: `AccessOptions.maxLogRequests`.
const scans = 24
