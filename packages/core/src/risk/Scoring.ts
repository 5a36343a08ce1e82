import { type Controller, exposure, exposureAtBest } from "../domain/Controller.js"
import { checkId, type Dimension, type Evidence, type Severity } from "../domain/Evidence.js"
import type { Risk, RiskCap, RiskLevel, RiskSignal } from "../domain/Risk.js"

/**
 * The version of the arithmetic below, so that two scores are known to be comparable.
 *
 * @since 0.1.0
 * @category constructors
 */
export const methodologyVersion = "1"

/**
 * The risk score of the evidence, computed from the evidence alone: the order of the items does not matter, and the
 * same items give the same bytes.
 *
 * Two cases are scored. The worst case counts every unknown item as confirmed at its check's highest severity and an
 * unknown controller as a single key; the best case counts unknown items as refuted and an unknown controller as dead.
 * `score` is the worst case, so a lost source never raises it; `level` is `unknown` where the two cases are in
 * different bands. Where nothing was decided, `score` is null and `range` is 0 to 100.
 *
 * @since 0.1.0
 * @category combinators
 */
export const score = (evidence: ReadonlyArray<Evidence>): Risk => {
  const claims = claimsOf(evidence)
  const isDecided = claims.some((claim) => claim.items.some((item) => item.state !== "unknown"))
  const worst = measure(
    claims,
    worstWeight,
    capsOf(claims, (item) => item.state !== "refuted", isDecided)
  )
  const best = measure(
    claims,
    bestWeight,
    capsOf(claims, (item) => item.state === "confirmed", true)
  )
  const range = { worst: wholePoints(worst.value), best: wholePoints(best.value) }
  const levelAtBest = band(range.best)
  return {
    score: isDecided ? range.worst : null,
    level: band(range.worst) === levelAtBest ? levelAtBest : "unknown",
    level_at_best: levelAtBest,
    range,
    coverage: coverageOf(claims),
    dimensions: Object.fromEntries(
      worst.dimensions.map((dimension) => [dimension.name, wholePoints(100 * Math.exp(-dimension.loss))])
    ),
    signals: signalsOf(worst, 100 - range.worst),
    caps: worst.caps,
    methodology_version: methodologyVersion
  }
}

/**
 * The band of a score from 0 to 100.
 *
 * @since 0.1.0
 * @category combinators
 */
export const band = (points: number): Exclude<RiskLevel, "unknown"> =>
  points <= 15 ? "critical" : points <= 40 ? "high" : points <= 70 ? "medium" : points <= 90 ? "low" : "minimal"

interface Claim {
  readonly id: string
  readonly dimension: Dimension
  readonly items: ReadonlyArray<Evidence>
}

interface Weighed {
  readonly claim: Claim
  /** The share of the dimension that this signal takes, in nats: `-ln(1 - weight)`. */
  readonly loss: number
}

interface Measured {
  readonly raw: number
  readonly value: number
  readonly caps: ReadonlyArray<RiskCap>
  readonly dimensions: ReadonlyArray<{
    readonly name: Dimension
    readonly loss: number
    readonly signals: ReadonlyArray<Weighed>
  }>
}

const severityWeight: { readonly [severity in Severity]: number } = {
  critical: 0.95,
  high: 0.55,
  medium: 0.25,
  low: 0.08,
  info: 0
}

/** The maximum share of the score that a dimension can take. */
const dimensionWeight: { readonly [dimension in Dimension]: number } = {
  exit: 1,
  control: 0.8,
  code: 0.6,
  market: 0.5,
  identity: 0.6,
  counterparty: 0.9,
  approvals: 0.8,
  account: 0.8
}

/** The controller factor of each power already prices a single key; scoring this claim too would count it twice. */
const unscored: ReadonlySet<string> = new Set(["control.single-key"])

const trapped: ReadonlySet<string> = new Set(["trade.honeypot", "wallet.sanctioned"])

/** Lowest limit first. */
const capRules: ReadonlyArray<{
  readonly limit: number
  readonly because: string
  readonly isTriggered: (item: Evidence) => boolean
}> = [
  {
    limit: 5,
    because: "honeypot or sanctioned address",
    isTriggered: (item) => trapped.has(checkId(item.id))
  },
  { limit: 15, because: "critical finding", isTriggered: (item) => item.severity === "critical" },
  {
    limit: 40,
    because: "high-severity finding about selling or withdrawing",
    isTriggered: (item) => item.severity === "high" && item.category === "exit"
  }
]

// An item that is not a power has no controller, so nothing mitigates it.
const provenFactor = (controller: Controller | null): number => (controller === null ? 1 : exposure(controller))

const hopedFactor = (controller: Controller | null): number => (controller === null ? 1 : exposureAtBest(controller))

const worstWeight = (item: Evidence): number =>
  item.state === "refuted"
    ? 0
    : severityWeight[item.severity] * (item.state === "unknown" ? 1 : provenFactor(item.controller))

const bestWeight = (item: Evidence): number =>
  item.state === "confirmed" ? severityWeight[item.severity] * hopedFactor(item.controller) : 0

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const groupBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyArray<readonly [string, Array<A>]> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group === undefined) groups.set(key(item), [item])
    else group.push(item)
  }
  return [...groups].sort(([a], [b]) => byText(a, b))
}

// Sums of floats depend on their order, so everything is sorted here, once.
const claimsOf = (evidence: ReadonlyArray<Evidence>): ReadonlyArray<Claim> =>
  groupBy(
    evidence
      .filter((item) => item.polarity === "risk" && !unscored.has(checkId(item.id)))
      .sort((a, b) => byText(a.id, b.id)),
    (item) => checkId(item.id)
  ).flatMap(([id, items]) => items.slice(0, 1).map((first) => ({ id, dimension: first.category, items })))

const capsOf = (
  claims: ReadonlyArray<Claim>,
  counts: (item: Evidence) => boolean,
  isDecided: boolean
): ReadonlyArray<RiskCap> => {
  const items = claims.flatMap((claim) => claim.items).filter(counts)
  const found = capRules.flatMap(({ because, isTriggered, limit }): ReadonlyArray<RiskCap> => {
    const triggers = items.filter(isTriggered)
    const first = triggers[0]
    if (first === undefined) return []
    const isShown = triggers.some((item) => item.state === "confirmed")
    return [
      {
        limit,
        because: isShown ? because : `${because} not ruled out`,
        evidence_ids: triggers.map((item) => item.id)
      }
    ]
  })
  return isDecided
    ? found
    : [{ limit: 0, because: "no claim was decided", evidence_ids: items.map((item) => item.id) }, ...found]
}

const measure = (
  claims: ReadonlyArray<Claim>,
  weight: (item: Evidence) => number,
  caps: ReadonlyArray<RiskCap>
): Measured => {
  const dimensions = groupBy(claims, (claim) => claim.dimension).map(([, members]) => {
    const name = (members[0] as Claim).dimension
    const signals = members.map((claim) => ({ claim, loss: -Math.log1p(-Math.max(...claim.items.map(weight))) }))
    return {
      name,
      signals,
      loss: dimensionLoss(
        name,
        signals.map((signal) => signal.loss)
      )
    }
  })
  const raw = 100 * Math.exp(-dimensions.reduce((sum, dimension) => sum + dimension.loss, 0))
  return { raw, value: Math.min(raw, caps[0]?.limit ?? 100), caps, dimensions }
}

// Powers of one controller are correlated: each further power adds half of what the one before added.
const dimensionLoss = (name: Dimension, losses: ReadonlyArray<number>): number => {
  const sum =
    name === "control"
      ? [...losses].sort((a, b) => b - a).reduce((total, loss, k) => total + loss / 2 ** k, 0)
      : losses.reduce((total, loss) => total + loss, 0)
  const weight = dimensionWeight[name]
  // At weight 1 this is `sum` itself; the general formula would underflow.
  return weight === 1 ? sum : -Math.log1p(weight * Math.expm1(-sum))
}

const signalsOf = (measured: Measured, total: number): ReadonlyArray<RiskSignal> => {
  const { caps, dimensions, raw, value } = measured
  const lossOfAll = dimensions.reduce((sum, dimension) => sum + dimension.loss, 0)
  const triggers = new Set(caps[0]?.evidence_ids.map(checkId))
  const shares = dimensions.flatMap((dimension) => {
    const lossOfSignals = dimension.signals.reduce((sum, signal) => sum + signal.loss, 0)
    return dimension.signals
      .filter(({ claim, loss }) => loss > 0 || triggers.has(claim.id))
      .map(({ claim, loss }) => ({
        claim,
        points:
          (loss > 0 ? (100 - raw) * (dimension.loss / lossOfAll) * (loss / lossOfSignals) : 0) +
          (triggers.has(claim.id) ? (raw - value) / triggers.size : 0)
      }))
  })
  return apportion(shares, total)
    .map(({ claim, points }) => signalOf(claim, points))
    .sort((a, b) => b.points - a.points || byText(a.id, b.id))
}

const signalOf = (claim: Claim, points: number): RiskSignal => {
  const counted = claim.items.filter((item) => item.state !== "refuted")
  const strongest = Math.max(...counted.map(worstWeight))
  // An unknown subject no stronger than a confirmed one adds nothing, and the signal counts as confirmed.
  const isShown = counted.some((item) => item.state === "confirmed" && worstWeight(item) === strongest)
  return {
    id: claim.id,
    state: isShown ? "confirmed" : "unknown",
    dimension: claim.dimension,
    points,
    evidence_ids: counted.map((item) => item.id),
    title: (counted[0] as Evidence).title
  }
}

/** Largest-remainder method; equal remainders are resolved by the order of ids. */
const apportion = <A extends { readonly claim: Claim; readonly points: number }>(
  shares: ReadonlyArray<A>,
  total: number
): ReadonlyArray<A> => {
  const split = shares.map((share) => {
    const points = steady(share.points)
    return { share, whole: Math.floor(points), remainder: steady(points - Math.floor(points)) }
  })
  const left = total - split.reduce((sum, { whole }) => sum + whole, 0)
  return split
    .sort((a, b) => b.remainder - a.remainder || byText(a.share.claim.id, b.share.claim.id))
    .map(({ share, whole }, place) => ({ ...share, points: whole + (place < left ? 1 : 0) }))
}

const weightOf = (claim: Claim): number => Math.max(...claim.items.map((item) => severityWeight[item.severity]))

const isSettled = (claim: Claim): boolean => claim.items.every((item) => item.state !== "unknown")

const coverageOf = (claims: ReadonlyArray<Claim>): number => {
  const sum = (some: ReadonlyArray<Claim>): number => some.reduce((total, claim) => total + weightOf(claim), 0)
  const settled = claims.filter(isSettled)
  if (claims.length === 0) return 0
  if (settled.length === claims.length) return 1
  return wholePoints((10_000 * sum(settled)) / sum(claims)) / 10_000
}

// Logarithms and exponentials may differ in the last bits from one machine to the next; six decimals do not.
const steady = (value: number): number => Math.round(value * 1e6) / 1e6

const wholePoints = (value: number): number => Math.floor(steady(value))
