import { execFileSync } from "node:child_process"
import { cpus } from "node:os"
import { parseArgs } from "node:util"
import { Changes, Scoring } from "@assay/core"
import { Option } from "effect"
import { create } from "jsondiffpatch"
import microdiff from "microdiff"
import { median } from "../scripts/quantiles.mjs"

const address = (number) => `0x${number.toString(16).padStart(40, "0")}`

const hash = (number) => `0x${number.toString(16).padStart(64, "0")}`

// As many kinds of value as checks give: a pool, a set of accounts, a permission, a tax, and none.
const values = [
  (n, moved) => ({
    pools: [0, 1].map((at) => ({
      address: address(1_000 * n + at),
      exchange: "Uniswap V2",
      kind: "uniswap-v2",
      fee_bps: null,
      quote: address(7),
      quote_symbol: "WETH",
      reserve_token: String(10n ** 24n + BigInt(n)),
      reserve_quote: String(moved ? 10n ** 18n : 2n * 10n ** 18n),
      lp_total_supply: String(10n ** 21n),
      lp_burned: "1000"
    }))
  }),
  (n, moved) => ({ modules: Array.from({ length: moved ? 9 : 8 }, (_, at) => address(100 * n + at)) }),
  (n, moved) => ({ amount: String(2n ** 256n - BigInt(moved ? 1_000 : 1)), balance: String(n), spender_kind: "eoa" }),
  (_, moved) => ({ buy_tax_bps: moved ? 900 : 300, sell_tax_bps: 500, transfer_tax_bps: null }),
  () => null
]

const polarities = ["risk", "neutral", "protective"]

const item = (n, change) => {
  const isFlipped = change === "state"
  return {
    state: (n % 4 === 0) === isFlipped ? "refuted" : "confirmed",
    source_url: `https://etherscan.io/address/${address(n)}`,
    id: `test.claim-${n % 40}:${address(n)}`,
    version: 1,
    category: "control",
    title: "Somebody can do something to holders",
    detail: `what was seen of ${address(n)} at this block`,
    value: values[n % values.length](n, change === "value"),
    polarity: polarities[n % polarities.length],
    severity: "medium",
    verified: true,
    reason: null,
    controller: { kind: "eoa", address: address(n + 5), delay_seconds: null, threshold: null, signers: null },
    observation: {
      method: "eth_call",
      params_hash: hash(n),
      block_hash: hash(change === "none" ? 1 : 2),
      answer_hash: hash(n + 1)
    }
  }
}

const facts = (evidence) => ({
  risk: Scoring.score(evidence),
  account: null,
  token: { standard: "erc20", name: "A", symbol: "A", decimals: 18, total_supply: "1000000" },
  proxy: null,
  control: null,
  pools: null,
  trade: null,
  counterfactuals: null,
  allowances: null,
  permit2: null,
  portfolio: null,
  safe: null,
  unread: {}
})

const execution = (id, number, evidence) => ({
  execution_id: id,
  target: "token",
  address: address(1),
  chain: { id: 1, name: "ethereum" },
  status: "complete",
  error: null,
  created_at: "2026-01-01T00:00:00.000Z",
  completed_at: "2026-01-01T00:00:01.000Z",
  progress: null,
  block: { number, hash: hash(number), timestamp: "2026-01-01T00:00:00.000Z" },
  engine_version: "0.1.0",
  ruleset_version: "1",
  content_hash: null,
  recipes: [],
  facts: facts(evidence),
  evidence,
  summary: null,
  summary_status: "skipped",
  summary_reason: "not_requested",
  sources: [],
  change_report: null,
  units: 1,
  warnings: []
})

const pairs = (size) => {
  const numbers = Array.from({ length: size }, (_, n) => n)
  const base = numbers.map((n) => item(n, "none"))
  // Every reading is at another block, one item in twenty has another value, and one in forty another state.
  const moved = numbers.map((n) => item(n, n % 40 === 7 ? "state" : n % 20 === 3 ? "value" : "block"))
  const made = (evidence) => execution("exe_01JDZZZZZZZZZZZZZZZZZZZZZZ", 2, evidence)
  const first = execution("exe_01JDYYYYYYYYYYYYYYYYYYYYYY", 1, base)
  return {
    "nothing moved": [first, made(numbers.map((n) => item(n, "block")))],
    "some moved": [first, made(moved)],
    "some moved, other order": [first, made([...moved.slice(size / 2), ...moved.slice(0, size / 2)])]
  }
}

const patcher = create({ objectHash: (member) => member.id ?? member.address ?? JSON.stringify(member) })

const contenders = {
  between: (a, b) => Changes.between(a, b),
  compare: (a, b) =>
    Changes.compare({
      base: Option.some({ result: a, known: {}, reported: {} }),
      head: b,
      score: Scoring.score
    }),
  jsondiffpatch: (a, b) => patcher.diff(a, b),
  microdiff: (a, b) => microdiff(a, b)
}

const spread = (numbers, digits) =>
  `${median(numbers).toFixed(digits)} (${Math.min(...numbers).toFixed(digits)}..${Math.max(...numbers).toFixed(digits)})`

/** CPU time of this process in ms, compiler and collector included: of a wall clock other processes would take their part. */
const timed = (run, [a, b], times) => {
  const began = process.cpuUsage()
  for (let time = 0; time < times; time++) run(a, b)
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1_000 / times
}

const found = (name, result) =>
  name === "compare"
    ? result.report.changes.length
    : name === "jsondiffpatch"
      ? result === undefined
        ? 0
        : Object.keys(result.evidence ?? {}).filter((key) => key !== "_t").length
      : result.length

/** What a comparison of two analyses costs, beside general differs of JSON on the same two documents. */
export const diff = async (args) => {
  const { values: options } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "30" },
      times: { type: "string", default: "50" },
      items: { type: "string", default: "200" }
    }
  })
  const [rounds, times, items] = [Number(options.rounds), Number(options.times), Number(options.items)]
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim()
  console.log(
    `diff: ${items} items, ${rounds} paired rounds of ${times}, node ${process.version}, ${cpus()[0]?.model}, ${commit}`
  )
  for (const [name, pair] of Object.entries(pairs(items))) {
    const names = Object.keys(contenders)
    for (const each of names) timed(contenders[each], pair, 10 * times)
    const spent = Object.fromEntries(names.map((each) => [each, []]))
    for (let round = 0; round < rounds; round++)
      // Another one begins each round, so that none always runs while the machine is warm.
      for (let at = 0; at < names.length; at++) {
        const each = names[(round + at) % names.length]
        spent[each].push(timed(contenders[each], pair, times))
      }
    console.log(`\n${name}`)
    for (const each of names) {
      const ratio = (of) => spent[each].map((own, round) => own / spent[of][round])
      const against =
        each === "between" || each === "compare"
          ? `  × jsondiffpatch ${spread(ratio("jsondiffpatch"), 2)}  × microdiff ${spread(ratio("microdiff"), 2)}`
          : ""
      console.log(
        `  ${each.padEnd(14)} ${spread(spent[each], 3).padStart(24)} ms  ${String(found(each, contenders[each](...pair))).padStart(4)} found${against}`
      )
    }
  }
}
