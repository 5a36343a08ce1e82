/** @internal */

import { Option, Schema } from "effect"
import { Address } from "../domain/Address.js"
import * as Amount from "../domain/Amount.js"
import * as Count from "../domain/Count.js"
import { type Evidence, severityRank } from "../domain/Evidence.js"
import type { Facts } from "../domain/Facts.js"
import { AccountKind } from "../domain/facts/AccountCode.js"
import * as Quantity from "../domain/Quantity.js"
import type { ReportAction, ReportExposure, ReportSpender, ReportTaking } from "../domain/RiskReport.js"
import * as Findings from "./Findings.js"
import * as Revocation from "./Revocation.js"
import * as Sentence from "./Sentence.js"

/** What others can take from a wallet, and the items that each part rests on. */
export interface Approvals {
  readonly unit: ReportExposure["unit"]
  readonly outstanding: Evidence
  readonly spenders: ReadonlyArray<Spender>
  readonly value: bigint
}

interface Spender {
  readonly address: Address
  readonly kind: AccountKind | null
  readonly risk: ReportSpender["risk"]
  readonly doubts: ReadonlyArray<Evidence>
  readonly takes: ReadonlyArray<Taking>
  readonly value: bigint
}

interface Taking extends ReportTaking {
  readonly decimals: number | null
  /** Whether it is all that the wallet has of the token. */
  readonly isAll: boolean
  /** The items without which the permission is not reported: of an operator, of Permit2. */
  readonly items: ReadonlyArray<Evidence>
  /** The items that say that it is unlimited. */
  readonly limits: ReadonlyArray<Evidence>
  readonly risk: ReportSpender["risk"]
  /** The items that say that its spender is a risk for this token, or that this is not known. */
  readonly doubts: ReadonlyArray<Evidence>
}

/** The approvals in force of a wallet; none where no item says that there is one. */
export const make = (
  findings: Findings.Findings,
  { allowances, permit2, portfolio }: Pick<Facts, "allowances" | "permit2" | "portfolio">
): Option.Option<Approvals> =>
  Option.gen(function* () {
    const outstanding = yield* Option.fromNullable(Findings.inState(findings, "allowance.outstanding", "confirmed"))
    const { allowances: pairs } = yield* Schema.decodeUnknownOption(Outstanding)(outstanding.value)
    const takings = pairs.flatMap(({ spender, token }): ReadonlyArray<Taking & { readonly spender: Address }> => {
      const holding = portfolio?.holdings.find(({ address }) => address === token)
      const exposure = (by: "erc20" | "permit2") =>
        portfolio?.at_risk.find((each) => each.token === token && each.spender === spender && each.by === by)
      const found = (check: string) => confirmed(findings, check, token, spender)
      const isAll = (amount: string | undefined) => amount !== undefined && amount === holding?.balance
      const judged = itemsOf(findings, "allowance.spender-risky", token, spender)
      const shown = judged.filter(({ state }) => state === "confirmed")
      const open = judged.filter(({ state }) => state === "unknown")
      const risk =
        shown.length > 0 ? ("shown" as const) : open.length > 0 ? ("unknown" as const) : ("not_found" as const)
      const part = {
        risk,
        doubts: shown.length > 0 ? shown : open,
        limits: [],
        token,
        spender,
        symbol: holding?.symbol ?? null,
        decimals: holding?.decimals ?? null
      }
      const direct = allowances?.allowances.find((each) => each.token === token && each.spender === spender)
      const operator = found("allowance.operator")
      const byPermit2 = found("allowance.permit2")
      return [
        ...(direct?.kind === "erc20"
          ? [
              {
                ...part,
                by: "erc20" as const,
                amount: exposure("erc20")?.amount ?? Quantity.make(0n),
                isAll: isAll(exposure("erc20")?.amount),
                value: exposure("erc20")?.value ?? null,
                items: [],
                limits: found("allowance.unlimited")
              }
            ]
          : []),
        ...(direct?.kind === "operator" && operator.length > 0
          ? [
              {
                ...part,
                by: "operator" as const,
                amount: direct.balance === null ? null : (exposure("erc20")?.amount ?? Quantity.make(0n)),
                isAll: true,
                value: exposure("erc20")?.value ?? null,
                items: operator
              }
            ]
          : []),
        ...(direct?.kind === "items"
          ? [{ ...part, by: "items" as const, amount: direct.amount, value: null, isAll: false, items: [] }]
          : []),
        ...(byPermit2.length > 0 && permit2?.allowances.some((each) => each.token === token && each.spender === spender)
          ? [
              {
                ...part,
                by: "permit2" as const,
                amount: exposure("permit2")?.amount ?? Quantity.make(0n),
                isAll: isAll(exposure("permit2")?.amount),
                value: exposure("permit2")?.value ?? null,
                items: byPermit2
              }
            ]
          : [])
      ]
    })
    const spenders = risks.flatMap((risk) => {
      const some = takings.filter((taking) => taking.risk === risk)
      return [...new Set(some.map(({ spender }) => spender))].map((address): Spender => {
        const takes = some
          .filter(({ spender }) => spender === address)
          .sort((a, b) => (worth(b) > worth(a) ? 1 : worth(b) < worth(a) ? -1 : a.token < b.token ? -1 : 1))
        const doubts = takes.flatMap((taking) => taking.doubts)
        const named = takes.slice(0, mostTakes).flatMap(({ items, limits }) => [...items, ...limits])
        return { address, kind: kindOf([...doubts, ...named]), risk, doubts, takes, value: sum(takes) }
      })
    })
    return {
      unit: portfolio?.unit ?? null,
      outstanding,
      spenders: spenders.sort(
        (a, b) => rank(b) - rank(a) || (b.value > a.value ? 1 : b.value < a.value ? -1 : a.address < b.address ? -1 : 1)
      ),
      value: sum(takings)
    }
  })

const Outstanding = Schema.Struct({ allowances: Schema.Array(Schema.Struct({ token: Address, spender: Address })) })

const itemsOf = (
  findings: Findings.Findings,
  check: string,
  token: Address,
  spender: Address
): ReadonlyArray<Evidence> => findings.items.filter(({ id }) => id === `${check}:${token}:${spender}`)

const confirmed = (findings: Findings.Findings, check: string, token: Address, spender: Address) =>
  itemsOf(findings, check, token, spender).filter(({ state }) => state === "confirmed")

const Kinds = Schema.Struct({
  spender_kind: Schema.optional(AccountKind),
  operator_kind: Schema.optional(AccountKind),
  pulls: Schema.optional(Schema.NullOr(Schema.String)),
  upgrade: Schema.optional(Schema.String),
  announced_by: Schema.optional(Address),
  made_up: Schema.optional(Schema.Boolean)
})

const kinds = (item: Evidence | undefined): typeof Kinds.Type =>
  item !== undefined && Schema.is(Kinds)(item.value) ? item.value : {}

const kindOf = (items: ReadonlyArray<Evidence>): AccountKind | null =>
  items.map(kinds).flatMap(({ operator_kind, spender_kind }) => spender_kind ?? operator_kind ?? [])[0] ?? null

const worth = ({ value }: Pick<ReportTaking, "value">): bigint => (value === null ? 0n : BigInt(value))

/** Each token once: what one spender takes is not there for another. */
const sum = (takings: ReadonlyArray<Pick<Taking, "token" | "value">>): bigint => {
  const worths = new Map<Address, bigint>()
  for (const taking of takings) {
    if (worth(taking) > (worths.get(taking.token) ?? 0n)) worths.set(taking.token, worth(taking))
  }
  return [...worths.values()].reduce((all, value) => all + value, 0n)
}

/** What is shown comes before what is not known, and a grave finding before a slight one. */
const rank = ({ doubts, risk }: Spender): number =>
  risk === "shown" ? 10 + Math.max(...doubts.map(({ severity }) => severityRank(severity))) : Number(risk === "unknown")

/** The part of the report. */
export const exposure = (approvals: Approvals): ReportExposure => {
  const { outstanding, spenders, unit, value } = approvals
  return {
    ...totals(approvals),
    unit,
    value: unit === null ? null : Quantity.make(value),
    spenders: spenders.map((spender) => ({
      ...Sentence.of(`${who(spender).replace(/,$/, "")}: ${deeds(spender, unit)}${verdictOf(spender)}`, [
        outstanding,
        ...spender.doubts,
        ...spender.takes.flatMap(({ items }) => items),
        ...spender.takes.slice(0, mostTakes).flatMap(({ limits }) => limits)
      ]),
      address: spender.address,
      kind: spender.kind,
      risk: spender.risk,
      value: unit === null ? null : Quantity.make(spender.value),
      takes: spender.takes.map(({ amount, by, symbol, token, value: worthOf }) => ({
        token,
        symbol,
        by,
        amount,
        value: worthOf
      }))
    }))
  }
}

const verdictOf = ({ address, risk }: Spender): string =>
  address === Revocation.permit2 && risk === "not_found"
    ? "; it moves them for those that the wallet allows there"
    : verdicts[risk]

const verdicts: { readonly [risk in ReportSpender["risk"]]: string } = {
  shown: "",
  unknown: "; we could not check what it may do with them, so treat it as unsafe",
  not_found: "; nothing in its code was found that misuses them"
}

const totals = ({ outstanding, spenders, unit, value }: Approvals) => {
  // What several can take counts for the worst of them.
  const counted = new Set<Address>()
  const parts = risks.flatMap((risk) => {
    const takes = spenders.filter((spender) => spender.risk === risk).flatMap((spender) => spender.takes)
    const taken = sum(takes.filter(({ token }) => !counted.has(token)))
    for (const taking of takes) if (worth(taking) > 0n) counted.add(taking.token)
    const price = unit === null || taken === 0n ? "" : ` (${Amount.inWords(taken.toString(), unit)})`
    return takes.length === 0 ? [] : [`${takes.length} of ${groups[risk]}${price}`]
  })
  const count = spenders.reduce((all, { takes }) => all + takes.length, 0)
  const most =
    unit === null || value === 0n
      ? "what can be taken by them has no known price"
      : `tokens worth about ${Amount.inWords(value.toString(), unit)} can be taken by them now`
  return Sentence.of(`${Count.of(count, "approval")} in force, and ${most}: ${Sentence.list(parts)}`, [
    outstanding,
    ...spenders.flatMap(({ doubts }) => doubts)
  ])
}

const risks = ["shown", "unknown", "not_found"] as const

const groups: { readonly [risk in ReportSpender["risk"]]: string } = {
  shown: "accounts that can use them against the wallet",
  unknown: "accounts that could not be checked",
  not_found: "others, of which no such risk was found"
}

/** The worst spender with what it can take and what to do; none where no spender is a shown risk. */
export const headline = ({ outstanding, spenders, unit }: Approvals): Option.Option<ReturnType<typeof Sentence.of>> =>
  Option.map(Option.fromNullable(spenders.find(isToRevoke)), (worst) => {
    const { doubts } = worst
    const takes = worst.takes.filter((taking) => !isMadeUp(taking))
    const value = sum(takes)
    const collections = takes.filter(
      ({ amount, by }) => by === "items" || (by === "operator" && amount === null)
    ).length
    const unpriced = takes.filter(
      (taking) => taking.value === null && taking.amount !== null && taking.amount !== "0" && taking.by !== "items"
    ).length
    const what = [
      ...(unit === null || value === 0n ? [] : [`about ${Amount.inWords(value.toString(), unit)} of tokens`]),
      ...(unpriced === 0 ? [] : [`${Count.of(unpriced, "token")} without a known price`]),
      ...(collections === 0 ? [] : [`NFTs of ${Count.of(collections, "collection")}`])
    ]
    const others = spenders.filter(isToRevoke).length - 1
    return Sentence.of(
      [
        `${Sentence.upper(who(worst, Sentence.short))} can take ${what.length === 0 ? "what the wallet receives of approved tokens" : Sentence.list(what)}: revoke ${Count.of(takes.length, "approval")}`,
        ...(others === 0 ? [] : [`${Count.of(others, "more account")} can take tokens too`])
      ].join("; "),
      [...doubts, outstanding, ...takes.flatMap(({ items }) => items)]
    )
  })

/** Whether something can be done about what a spender can take. */
const isToRevoke = ({ risk, takes }: Spender): boolean =>
  risk === "shown" && takes.some((taking) => !isMadeUp(taking) && isGrave(taking.doubts))

const isGrave = (doubts: ReadonlyArray<Evidence>): boolean =>
  doubts.some(({ severity }) => severityRank(severity) >= severityRank("medium"))

/** What to do about each approval of a spender that is or may be a risk, the worst first. */
export const actions = (wallet: Address, { outstanding, spenders }: Approvals): ReadonlyArray<ReportAction> =>
  spenders
    .filter(({ risk }) => risk !== "not_found")
    .flatMap((spender) =>
      spender.takes.map((taking) => ({
        ...Sentence.of(deed(wallet, spender, taking), [outstanding, ...taking.doubts, ...taking.items]),
        transaction: isMadeUp(taking) ? null : Revocation.of(wallet, spender.address, taking)
      }))
    )

const deed = (wallet: Address, spender: Spender, taking: Taking): string => {
  const approval = `the approval of ${who(spender, Sentence.short)} for ${coin(taking)}`
  return isMadeUp(taking)
    ? `Leave ${approval} alone: the token made it up, and to revoke it costs gas and changes nothing`
    : `${spender.risk === "shown" ? "Revoke" : "Check, or revoke,"} ${approval}${ways[taking.by]}${isByOther(wallet, taking) ? doubtful : ""}`
}

/** Whether the token gives such an approval of any account, so that nothing is gained where it is taken back. */
const isMadeUp = ({ by, doubts }: Taking): boolean =>
  by !== "permit2" && doubts.map(kinds).some(({ made_up }) => made_up === true)

/** Whether another account sent the transaction that announced an approval by the token itself. */
const isByOther = (wallet: Address, { by, doubts }: Taking): boolean =>
  by !== "permit2" && doubts.map(kinds).some(({ announced_by }) => (announced_by ?? wallet) !== wallet)

const doubtful =
  ", if the wallet signed it: another account sent the transaction that announced it, and a token can make approvals up"

const ways: { readonly [by in ReportTaking["by"]]: string } = {
  erc20: "",
  permit2: " in Permit2",
  operator: " as an operator",
  items: ", item by item: which items they are was not read"
}

const whole = (address: Address): string => address

/** The spender as a reader knows it. An address is text that nobody chose freely. */
const who = ({ address, doubts, kind }: Spender, as: (address: Address) => string = whole): string => {
  const name = as(address)
  if (address === Revocation.permit2) return `Permit2 (${name})`
  if (kind === "eoa" || kind === "delegated_eoa") return `private key ${name}`
  if (kind === "empty") return `address ${name}, which has no code,`
  const [worst] = Findings.bySeverity(doubts.filter(({ state }) => state === "confirmed"))
  const { pulls, upgrade } = kinds(worst)
  if (worst === undefined) return kind === "contract" ? `contract ${name}` : `account ${name}`
  if (/ is reported as malicious /.test(worst.detail)) return `contract ${name}, reported as malicious,`
  if (upgrade === "anyone") return `anybody, who can replace the code of contract ${name},`
  if (upgrade !== undefined && upgrade !== "none") return `whoever replaces the code of contract ${name}`
  if (pulls === "anybody") return `anybody, through contract ${name},`
  if (pulls === "appointed") return `the account that contract ${name} authorises`
  return `contract ${name}`
}

const mostTakes = 3

const deeds = ({ takes }: Spender, unit: ReportExposure["unit"]): string => {
  const named = takes.slice(0, mostTakes).map((taking) => {
    const price = unit === null || taking.value === null ? "" : ` (about ${Amount.inWords(taking.value, unit)})`
    return `${amountOf(taking)}${price}${taking.by === "permit2" ? " through Permit2" : ""}`
  })
  const more = takes.length - named.length
  return `can take ${Sentence.list([...named, ...(more > 0 ? [Count.of(more, "more token")] : [])])}`
}

const amountOf = (taking: Taking): string => {
  const { amount, by, decimals, isAll, limits, symbol, token } = taking
  if (by === "items")
    return `${amount === null ? "single items" : Count.of(Number(amount), "item")} of collection ${token}`
  if (amount === null) return `every item of collection ${token}`
  const limit = limits.length > 0 ? " and all that comes" : ""
  if (amount === "0") return `nothing of ${coin(taking)} now${limit}`
  if (symbol !== null && decimals !== null)
    return `${isAll ? "all " : ""}${Amount.inWords(amount, { symbol, decimals })}${limit}`
  return `${isAll ? "all" : `${amount} units`} of token ${token}${limit}`
}

const coin = ({ symbol, token }: Taking): string => (symbol === null ? token : `${symbol} (${token})`)
