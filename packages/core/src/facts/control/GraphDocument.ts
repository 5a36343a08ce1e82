/** @internal */

import { Array as Arrays, Either, Option, Order } from "effect"
import type { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { ControlEdge, ControlGap, ControlGraph, ControlNode } from "../../domain/facts/ControlGraph.js"
import type { Principal } from "./CallAuthorities.js"
import * as Decision from "./ControlDecision.js"
import * as Surroundings from "./Surroundings.js"

/**
 * What was read about the control of one target.
 *
 * - `holders`: accounts with a direct power over it, one entry for each power.
 * - `owner`: the account that it names as its owner; none where the read failed.
 * - `isSafe`: its own signers control it. `isOpen`: any account can replace its code.
 * - `gaps`: what could not be read of the direct powers.
 */
export interface Findings {
  readonly target: Address
  readonly around: Surroundings.Surroundings
  readonly holders: ReadonlyArray<Principal>
  readonly owner: Option.Option<Address>
  readonly isSafe: boolean
  readonly isOpen: boolean
  readonly gaps: ReadonlyArray<ControlGap>
}

/**
 * Makes the control graph of a target: accounts, powers, the weakest controller, and what was not read. The same findings
 * give the same bytes, in whatever order they were read.
 */
export const of = (findings: Findings): ControlGraph => {
  const { around, isSafe, owner, target } = findings
  const holders = direct(findings.holders)
  const deciding = acting(around, [...holders.map(({ account }) => account), ...(isSafe ? [target] : [])])
  const gaps = distinctGaps([...findings.gaps, ...unexplored(around, deciding, target)])
  const unread = distinctGaps([...gaps, ...[...around].flatMap(gapsBehind(around, deciding, target))])
  const edges = [
    ...holders.map(({ account, delay, power }) => edge(account, target, power, delay)),
    ...[...around].flatMap(([account, explored]) => edgesTo(account, explored))
  ]
  return {
    nodes: Arrays.sort(
      [...around].map(([account, { inspected }]) => node(account, inspected)),
      by<ControlNode>(({ address }) => address)
    ),
    edges: Arrays.sort(
      distinct(edges, ({ from, power, to }) => `${from} ${to} ${power}`),
      by<ControlEdge>(({ from, power, to }) => `${to} ${power} ${from}`)
    ),
    owner: Option.getOrNull(owner),
    controller: Option.getOrNull(
      Controller.weakest([
        ...controllers(findings, holders),
        ...(gaps.length === 0 ? [] : [Controller.make("unknown")])
      ])
    ),
    complete: unread.length === 0,
    unread: Arrays.sort(unread, by<ControlGap>(gapKey))
  }
}

/** Each holder and power once. The code compares with the owner too: `function:` is kept where nothing else names the account. */
const direct = (all: ReadonlyArray<Principal>): ReadonlyArray<Principal> => {
  const holders = distinct(all, ({ account, power }) => `${power} ${account}`)
  const named = new Set(holders.filter((holder) => !isByFunction(holder)).map(({ account }) => account))
  return holders.filter((holder) => !isByFunction(holder) || !named.has(holder.account))
}

const isByFunction = ({ power }: Principal): boolean => power.startsWith("function:")

/** Who decides behind each direct holder. */
const controllers = (
  { around, isOpen, isSafe, target }: Findings,
  holders: ReadonlyArray<Principal>
): ReadonlyArray<Controller.Controller> => {
  const controllerOf = Decision.decide(around, target)
  return [
    ...holders.map(({ account, delay }) => Decision.waiting(account, controllerOf(account), delay)),
    ...(isSafe ? [controllerOf(target)] : []),
    ...(isOpen ? [Controller.make("eoa")] : [])
  ]
}

/** The given accounts and those that can make one of them act. */
const acting = (around: Surroundings.Surroundings, roots: ReadonlyArray<Address>): ReadonlySet<Address> => {
  const seen = new Set(roots)
  for (const account of seen) {
    const inspected = around.get(account)?.inspected
    if (inspected === undefined || Either.isLeft(inspected)) continue
    for (const principal of inspected.right.principals) seen.add(principal.account)
  }
  return seen
}

/** Accounts that decide and were not read. */
const unexplored = (
  around: Surroundings.Surroundings,
  deciding: ReadonlySet<Address>,
  target: Address
): ReadonlyArray<ControlGap> =>
  [...deciding].flatMap((account): ReadonlyArray<ControlGap> => {
    const explored = around.get(account)
    if (explored === undefined) return account === target ? [] : [{ what: account, reason: "inconclusive" }]
    return Option.toArray(Option.map(Either.getLeft(explored.inspected), ({ reason }) => ({ what: account, reason })))
  })

/** What was not read behind an account that decides by itself: these gaps do not change who decides. */
const gapsBehind =
  (around: Surroundings.Surroundings, deciding: ReadonlySet<Address>, target: Address) =>
  ([account, explored]: readonly [Address, Surroundings.Explored]): ReadonlyArray<ControlGap> => [
    ...Option.toArray(Option.map(missing(explored, deciding.has(account)), (reason) => gapBehind(account, reason))),
    ...Surroundings.links(explored)
      .filter((link) => !around.has(link.account) && link.account !== target && !deciding.has(link.account))
      .map((link) => gapBehind(link.account, "inconclusive"))
  ]

/** Why not all links of an account are known. An account that decides and was not read is in {@link unexplored} instead. */
const missing = ({ inspected, planners }: Surroundings.Explored, decides: boolean): Option.Option<UnknownReason> =>
  Either.match(inspected, {
    onLeft: ({ reason }) => (decides ? Option.none() : Option.some(reason)),
    onRight: (found) => {
      if (!found.complete) return Option.some(Option.getOrElse(found.lost, () => "inconclusive" as const))
      return Surroundings.waits(found) ? Surroundings.plannersOf(planners).lost : Option.none()
    }
  })

const gapBehind = (account: Address, reason: UnknownReason): ControlGap => ({ what: `behind:${account}`, reason })

const edgesTo = (account: Address, explored: Surroundings.Explored): ReadonlyArray<ControlEdge> => {
  const wait = Either.match(explored.inspected, { onLeft: () => 0, onRight: ({ delay }) => delay ?? 0 })
  const planners = Surroundings.plannersOf(explored.planners).principals
  return Surroundings.links(explored).map((link) =>
    edge(link.account, account, link.power, planners.includes(link) ? wait : link.delay)
  )
}

const edge = (from: Address, to: Address, power: string, delay: number): ControlEdge => ({
  from,
  to,
  power,
  delay_seconds: delay > 0 ? delay : null
})

const node = (account: Address, inspected: Surroundings.Explored["inspected"]): ControlNode =>
  Either.match(inspected, {
    onLeft: () => ({
      address: account,
      kind: "unknown" as const,
      delay_seconds: null,
      threshold: null,
      signers: [],
      voting: null
    }),
    onRight: ({ delay, kind, signers, threshold, voting }) => ({
      address: account,
      kind,
      delay_seconds: delay,
      threshold,
      signers: signers ?? [],
      voting
    })
  })

const gapKey = ({ reason, what }: ControlGap): string => `${what} ${reason}`

const distinctGaps = (gaps: ReadonlyArray<ControlGap>): ReadonlyArray<ControlGap> => distinct(gaps, gapKey)

/** The first item of each key. */
const distinct = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyArray<A> => {
  const found = new Map<string, A>()
  for (const item of items) if (!found.has(key(item))) found.set(key(item), item)
  return [...found.values()]
}

const by = <A>(key: (item: A) => string): Order.Order<A> => Order.mapInput(Order.string, key)
