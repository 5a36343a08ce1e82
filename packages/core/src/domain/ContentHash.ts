import type { Analysis } from "./Analysis.js"
import * as CanonicalJson from "./CanonicalJson.js"
import { checkId, type Evidence } from "./Evidence.js"
import type { Facts } from "./Facts.js"

/**
 * `sha256:` and the hex SHA-256 over the RFC 8785 JSON of what an analysis says about its target, so that two analyses
 * of the same state under the same rules are known to be equal without comparing them.
 *
 * What depends on when, where from or how something was read is left out: block, times, links, sources, observations,
 * the prose of `detail`, and readings that move without meaning (nonces, balances, reserves, gas, scanned blocks, who
 * simulated with how much and whom). So are the values of the checks named in `volatile`; their states are not. Lists are
 * compared as sets.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8785
 * @since 0.1.0
 * @category constructors
 */
export const contentHash = (
  analysis: Pick<Analysis, "target" | "ruleset_version" | "evidence" | "facts">,
  volatile: ReadonlySet<string>
): string => {
  const { evidence, facts, ruleset_version, target } = analysis
  const content = {
    target: { kind: target.kind, address: target.address, chain: target.chain.id },
    ruleset_version,
    evidence: evidence.filter(isLasting(volatile)).map((item) => ({
      id: item.id,
      state: item.state,
      category: item.category,
      title: item.title,
      value: volatile.has(checkId(item.id)) ? null : item.value,
      polarity: item.polarity,
      severity: item.severity,
      verified: item.verified,
      reason: item.reason,
      controller: item.controller
    })),
    facts: lasting(facts)
  }
  return `sha256:${CanonicalJson.hash(CanonicalJson.unordered(content)).slice(2)}`
}

// That a claim of a moment does not hold depends on there being a moment before to hold it against.
const isLasting =
  (volatile: ReadonlySet<string>) =>
  (item: Evidence): boolean =>
    item.state !== "refuted" || !volatile.has(checkId(item.id))

const lasting = ({
  account,
  allowances,
  counterfactuals,
  permit2,
  pools,
  portfolio: _,
  risk,
  safe,
  trade,
  ...facts
}: Facts): unknown => ({
  ...facts,
  // It follows from the evidence, but for what it counts of claims that are left out above.
  risk: risk && without(risk, "coverage"),
  account: account && without(account, "nonce", "balance"),
  allowances:
    allowances &&
    without(
      { ...allowances, allowances: allowances.allowances.map((each) => without(each, "balance")) },
      "from_block",
      "to_block"
    ),
  counterfactuals: counterfactuals && {
    ...without(counterfactuals, "victim"),
    shown: counterfactuals.shown.map((each) => without(each, "arguments", "amount")),
    unavailable: counterfactuals.unavailable.map((each) => without(each, "detail"))
  },
  permit2:
    permit2 &&
    without(
      { ...permit2, allowances: permit2.allowances.map((each) => without(each, "balance")) },
      "from_block",
      "to_block"
    ),
  pools:
    pools === null
      ? null
      : pools.map((pool) => without(pool, "reserve_token", "reserve_quote", "lp_total_supply", "lp_burned")),
  safe: safe && without(safe, "nonce"),
  trade: trade && {
    ...trade,
    runs: trade.runs.map((run) => ({
      ...without(run, "sender", "spent"),
      buy: without(run.buy, "gas"),
      sell: without(run.sell, "gas"),
      transfer: without(run.transfer, "gas"),
      sell_again: run.sell_again && without(run.sell_again, "gas")
    })),
    unavailable: trade.unavailable.map((each) => without(each, "detail"))
  }
})

const without = <A extends object>(document: A, ...members: ReadonlyArray<keyof A>): Partial<A> => {
  const rest: Partial<A> = { ...document }
  for (const member of members) delete rest[member]
  return rest
}
