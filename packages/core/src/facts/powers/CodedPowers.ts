/** @internal */

import * as AddressBook from "../../data/AddressBook.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import type * as TokenPowers from "../../evm/powers/TokenPowers.js"
import * as TransferGate from "../../evm/powers/transfer/TransferGate.js"
import type * as Slices from "../../evm/Slices.js"
import * as TokenBooks from "../../evm/token/TokenBooks.js"
import type { LogicContract, ResolvedCode } from "../code/Functions.js"
import * as PartialListWriters from "./PartialListWriters.js"
import * as PowerGap from "./PowerGap.js"

/**
 * What a token's code lets somebody do, before it is known who. Levers of one function are one.
 *
 * @since 0.1.0
 * @category models
 */
export interface CodedPowers {
  readonly logic: LogicContract
  readonly token: TokenBooks.TokenBooks
  readonly levers: { readonly [power in TokenPowers.Power]: ReadonlyArray<TokenPowers.Lever> }
  /** Why this code may have other levers than these; none where it has not. */
  readonly gaps: { readonly [power in TokenPowers.Power]: ReadonlyArray<PowerGap.PowerGap> }
  readonly findings: TokenPowers.TokenPowers
}

/**
 * Reads, in slices, what one code of a token lets somebody do; what could not be followed elsewhere in the token counts
 * against it.
 *
 * @since 0.1.0
 * @category constructors
 */
export function* of(
  code: ResolvedCode,
  logic: LogicContract,
  findings: TokenPowers.TokenPowers
): Slices.Slices<CodedPowers> {
  const token = TokenBooks.of(logic.flow)
  const gates = yield* TransferGate.inSlices(logic.flow, token)
  const levers = (power: TokenPowers.Power): ReadonlyArray<TokenPowers.Lever> => {
    const found = merged(findings[power].levers.filter((lever) => !(power === "bypass" && isPermit2(lever))))
    const further = [
      ...(power === "whitelist" ? PartialListWriters.ofPartialLists(logic.flow, token) : []),
      ...PartialListWriters.ofPackedNumbers(gates, power)
    ].filter((lever) => !found.some((other) => other.selector === lever.selector))
    return [...found, ...merged(further)]
  }
  return {
    logic,
    token,
    findings,
    gaps: ofEach((power) => gapsOf({ logic, token, findings }, power, code)),
    levers: ofEach(levers)
  }
}

/**
 * A code as it is read with its libraries, where that finds no other levers than without them: what is missing because of
 * them is missing no more, and a lever that they explain is none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const within = (part: CodedPowers, linked: CodedPowers): CodedPowers => {
  const isExplained = (power: TokenPowers.Power): boolean =>
    isOfTransfers(part.findings[power]) === isOfTransfers(linked.findings[power]) &&
    linked.levers[power].every((lever) => has(part, power, lever))
  return {
    ...part,
    gaps: ofEach((power) => (isExplained(power) ? linked.gaps[power] : part.gaps[power])),
    levers: ofEach((power) =>
      isExplained(power) ? part.levers[power].filter((lever) => has(linked, power, lever)) : part.levers[power]
    )
  }
}

/** Whether a power has a lever, as certain and for the same callers. */
const has = ({ levers }: CodedPowers, power: TokenPowers.Power, lever: TokenPowers.Lever): boolean => {
  const name = nameOf(lever)
  return levers[power].some((other) => nameOf(other) === name)
}

const nameOf = ({ certain, guards, privileged, selector }: TokenPowers.Lever): string =>
  JSON.stringify([selector, certain, privileged, guards])

/**
 * The same of each power.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofEach = <A>(of: (power: TokenPowers.Power) => A): { readonly [power in TokenPowers.Power]: A } => ({
  mint: of("mint"),
  pause: of("pause"),
  blacklist: of("blacklist"),
  whitelist: of("whitelist"),
  limit: of("limit"),
  tax: of("tax"),
  seize: of("seize"),
  bypass: of("bypass")
})

/** Permit2 moves nothing without its holder's signature, so that letting it through is no power of anybody's. */
const isPermit2 = ({ guards, selector }: TokenPowers.Lever): boolean =>
  selector === Selectors.functions.transferFrom &&
  guards.length > 0 &&
  guards.every((guard) => guard.kind === "constant" && guard.address === AddressBook.permit2)

const merged = (levers: ReadonlyArray<TokenPowers.Lever>): ReadonlyArray<TokenPowers.Lever> => {
  const found = new Map<string, TokenPowers.Lever>()
  for (const lever of levers) {
    // What is certain of one variable is not of the other, and one forwarder asks whom another one does not.
    const named = lever.forwards ? JSON.stringify(lever.guards) : ""
    const limited = lever.until === undefined ? "" : JSON.stringify([lever.variable, lever.until])
    const key = `${lever.selector} ${lever.certain} ${lever.privileged} ${named} ${limited}`
    const same = found.get(key)
    found.set(
      key,
      same === undefined
        ? lever
        : {
            ...same,
            guards: unique([...same.guards, ...lever.guards]),
            writes: unique([...same.writes, ...lever.writes])
          }
    )
  }
  return [...found.values()]
}

const unique = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values()
]

/**
 * Whether transfers use a power by themselves, with no function that anybody would have to call.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isOfTransfers = ({ levers, state }: TokenPowers.PowerFinding): boolean =>
  state === "found" && !levers.some((lever) => lever.certain)

/** What is missing for a power to have no other levers than those that were found; one that is found hides it elsewhere. */
const gapsOf = (
  { findings, logic, token }: Pick<CodedPowers, "findings" | "logic" | "token">,
  power: TokenPowers.Power,
  { fixed }: ResolvedCode
): ReadonlyArray<PowerGap.PowerGap> => {
  const { completeness, delegations } = logic.flow
  // Whoever replaces the code may have the new one run at once, which is no more than replacing it.
  const isUpgrade = !fixed && delegations.every((one) => one.target.kind === "self" || one.selectors.every(isUpgrading))
  const reasons = new Set<TokenPowers.Reason>([
    ...completeness.gaps,
    ...(token.balances.length === 0 ? (["no_balances"] as const) : []),
    ...(token.external ? (["external_books"] as const) : []),
    ...findings[power].reasons
  ])
  return [...reasons].flatMap((reason) =>
    reason === "uncertain_lever" || (reason === "delegatecall" && isUpgrade) ? [] : [PowerGap.inCode(reason, logic)]
  )
}

const isUpgrading = (selector: string): boolean =>
  selector === Selectors.functions.upgradeToAndCall || selector === Selectors.functions.upgradeTo
