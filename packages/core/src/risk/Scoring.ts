import { checkId, type Dimension, type Evidence } from "../domain/Evidence.js"
import { bands, type Risk, type RiskCap, type RiskLevel, type RiskSignal } from "../domain/Risk.js"
import * as Ceiling from "./Ceiling.js"
import * as Standing from "./Standing.js"
import * as Weight from "./Weight.js"

/**
 * The version of the arithmetic below, so that two scores are known to be comparable.
 *
 * @since 0.1.0
 * @category constructors
 */
export const methodologyVersion = "4"

/**
 * The risk score of the evidence, computed from the evidence alone: the order of the items does not matter, and the
 * same items give the same bytes.
 *
 * Findings do two things. The gravest sets a ceiling ({@link Ceiling}), which is what decides the level; all of them
 * together place the score between that ceiling and its floor, by what they take from each dimension ({@link Weight}).
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
  const risks = claims.filter(({ items: [first] }) => first?.polarity === "risk")
  const isDecided = risks.some((claim) => claim.items.some((item) => item.state !== "unknown"))
  const inCase = (reading: Standing.Case["reading"]): Measured =>
    measure(
      claims,
      { reading, established: Standing.isEstablished(evidence, reading) },
      isDecided || reading === "best"
    )
  const [worst, best] = [inCase("worst"), inCase("best")]
  const range = { worst: wholePoints(worst.value), best: wholePoints(best.value) }
  const levelAtBest = band(range.best)
  return {
    score: isDecided ? range.worst : null,
    level: band(range.worst) === levelAtBest ? levelAtBest : "unknown",
    level_at_best: levelAtBest,
    range,
    coverage: coverageOf(risks),
    dimensions: Object.fromEntries(
      worst.dimensions.map((dimension) => [dimension.name, wholePoints(100 * Math.exp(-dimension.loss))])
    ),
    signals: risks.length === 0 ? [] : signalsOf(worst, 100 - range.worst),
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
  bands.find(({ upTo }) => points <= upTo)?.level ?? "minimal"

interface Claim {
  readonly id: string
  readonly dimension: Dimension
  readonly items: ReadonlyArray<Evidence>
}

interface Weighed {
  readonly claim: Claim
  /** The share of the dimension that this claim would take alone, in nats: `-ln(1 - weight)`. */
  readonly loss: number
}

interface Measured {
  readonly case: Standing.Case
  readonly raw: number
  readonly value: number
  readonly ceiling: Ceiling.Ceiling
  readonly caps: ReadonlyArray<RiskCap>
  readonly dimensions: ReadonlyArray<{
    readonly name: Dimension
    readonly loss: number
    readonly causes: ReadonlyArray<Cause>
  }>
}

/** Claims about one cause: together they cost as much as the worst of them. */
interface Cause {
  readonly signals: ReadonlyArray<Weighed>
  readonly loss: number
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
const claimsOf = (evidence: ReadonlyArray<Evidence>): ReadonlyArray<Claim> => {
  const unscored = Weight.saidElsewhere(evidence)
  return groupBy(
    evidence
      .filter((item) => Weight.isScored(item) && !unscored.has(checkId(item.id)))
      .sort((a, b) => byText(a.id, b.id)),
    (item) => checkId(item.id)
  ).flatMap(([id, items]) => items.slice(0, 1).map((first) => ({ id, dimension: first.category, items })))
}

/** The ceilings of the items that count, lowest first, and the lowest one. */
const ceilingsOf = (
  claims: ReadonlyArray<Claim>,
  case_: Standing.Case,
  isDecided: boolean
): Pick<Measured, "ceiling" | "caps"> => {
  const items = claims.flatMap((claim) => claim.items).filter((item) => Weight.counts(item, case_))
  const found = groupBy(items, (item) => String(Ceiling.of(item, case_).limit).padStart(3, "0"))
    .map(([, triggers]) => ({ triggers, ceiling: Ceiling.of(triggers[0] as Evidence, case_) }))
    .filter(({ ceiling }) => ceiling.limit < 100)
  const caps = found.map(({ ceiling: { limit }, triggers }): RiskCap => {
    const shown = triggers.filter((item) => item.state === "confirmed")
    const isShown = shown.length > 0
    const because = [...new Set((isShown ? shown : triggers).map((item) => Ceiling.of(item, case_).because))].join("; ")
    return {
      limit,
      because: isShown ? because : `${because} not ruled out`,
      evidence_ids: triggers.map((item) => item.id)
    }
  })
  const { because, limit } = Ceiling.undecided
  return isDecided
    ? { ceiling: found[0]?.ceiling ?? Ceiling.none, caps }
    : {
        ceiling: Ceiling.undecided,
        caps: [
          { limit, because, evidence_ids: items.flatMap((item) => (item.state === "unknown" ? [item.id] : [])) },
          ...caps
        ]
      }
}

const measure = (claims: ReadonlyArray<Claim>, case_: Standing.Case, isDecided: boolean): Measured => {
  const dimensions = groupBy(claims, (claim) => claim.dimension).map(([, members]) => {
    const name = (members[0] as Claim).dimension
    const signals = members.map((claim): Weighed => {
      const weight = Math.max(...claim.items.map((item) => Weight.of(item, case_)))
      return { claim, loss: -Math.log1p(-weight) }
    })
    const causes = groupBy(signals, ({ claim }) => Weight.causeOf(claim.items)).map(
      ([, together]): Cause => ({ signals: together, loss: Math.max(...together.map(({ loss }) => loss)) })
    )
    return {
      name,
      causes,
      loss: dimensionLoss(
        name,
        causes.map((cause) => cause.loss)
      )
    }
  })
  const raw = 100 * Math.exp(-dimensions.reduce((sum, dimension) => sum + dimension.loss, 0))
  const { caps, ceiling } = ceilingsOf(claims, case_, isDecided)
  const value = ceiling.floor + ((ceiling.limit - ceiling.floor) * raw) / 100
  return { case: case_, raw, value, ceiling, caps, dimensions }
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

const sumOf = (losses: ReadonlyArray<{ readonly loss: number }>): number =>
  losses.reduce((sum, { loss }) => sum + loss, 0)

// What a ceiling removes goes in equal parts to the findings that set it, the rest by what each takes.
const signalsOf = (measured: Measured, total: number): ReadonlyArray<RiskSignal> => {
  const { caps, ceiling, dimensions, value } = measured
  const lossOfAll = sumOf(dimensions)
  const triggers = new Set(ceiling === Ceiling.none ? [] : caps[0]?.evidence_ids.map(checkId))
  const shares = dimensions.flatMap((dimension) =>
    dimension.causes.flatMap((cause) => {
      const ofCause = lossOfAll > 0 ? (ceiling.limit - value) * (dimension.loss / lossOfAll) : 0
      const share = sumOf(dimension.causes) > 0 ? ofCause * (cause.loss / sumOf(dimension.causes)) : 0
      return cause.signals
        .filter(({ claim, loss }) => loss > 0 || triggers.has(claim.id))
        .map(({ claim, loss }) => ({
          claim,
          points:
            (loss > 0 ? share * (loss / sumOf(cause.signals)) : 0) +
            (triggers.has(claim.id) ? (100 - ceiling.limit) / triggers.size : 0)
        }))
    })
  )
  return apportion(shares, total)
    .map(({ claim, points }) => signalOf(claim, points, measured.case))
    .sort((a, b) => b.points - a.points || byText(a.id, b.id))
}

const signalOf = (claim: Claim, points: number, case_: Standing.Case): RiskSignal => {
  const counted = claim.items.filter((item) => Weight.counts(item, case_))
  const strongest = Math.max(...counted.map((item) => Weight.of(item, case_)))
  // An unknown subject no stronger than a decided one adds nothing, and the signal counts as decided.
  const shown = counted.find((item) => item.state !== "unknown" && Weight.of(item, case_) === strongest)
  return {
    id: claim.id,
    state: shown?.state ?? "unknown",
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

const weightOf = (claim: Claim): number => Math.max(...claim.items.map(Weight.atSeverity))

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
