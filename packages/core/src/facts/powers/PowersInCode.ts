/** @internal */

import * as AddressBook from "../../data/AddressBook.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as TokenPowers from "../../evm/powers/TokenPowers.js"
import * as TransferGate from "../../evm/powers/transfer/TransferGate.js"
import * as TransferHook from "../../evm/powers/transfer/TransferHook.js"
import * as TokenBooks from "../../evm/token/TokenBooks.js"
import type * as Slices from "../../runtime/Slices.js"
import type { LogicContract, ResolvedCode } from "../code/Functions.js"
import * as PartialListWriters from "./PartialListWriters.js"
import type * as Power from "./Power.js"
import * as PowerGap from "./PowerGap.js"

/** The powers that one code of a token gives, before it is known who holds them. */
export interface PowersInCode {
  readonly logic: LogicContract
  readonly token: TokenBooks.TokenBooks
  readonly powers: { readonly [power in TokenPowers.Power]: Power.Power<TokenPowers.Lever> }
  /** The other contracts that transfers call; the gaps because of them are in {@link HookGaps}. */
  readonly hooks: ReadonlyArray<TransferHook.TransferHook>
}

/**
 * Makes the powers of one code from what the rules found in it, in slices: each function once, with functions that only a
 * partial list or a packed number shows. What could not be followed elsewhere in the token is a gap.
 */
export function* of(
  code: ResolvedCode,
  logic: LogicContract,
  findings: TokenPowers.TokenPowers
): Slices.Slices<PowersInCode> {
  const token = TokenBooks.of(logic.flow)
  const gates = yield* TransferGate.ofFlow(logic.flow)
  const leversOf = (power: TokenPowers.Power): ReadonlyArray<TokenPowers.Lever> => {
    const found = merged(findings[power].levers.filter((lever) => !(power === "bypass" && isPermit2(lever))))
    const further = [
      ...(power === "whitelist" ? PartialListWriters.ofPartialLists(logic.flow, token) : []),
      ...PartialListWriters.ofPackedNumbers(gates, power)
    ].filter((lever) => !found.some((other) => other.selector === lever.selector))
    return [...found, ...merged(further)]
  }
  const powers = TokenPowers.ofEach((power) => ({
    levers: leversOf(power),
    isOfTransfers: isOfTransfers(findings[power]),
    gaps: gapsOf(logic, token, findings[power], code)
  }))
  return { logic, token, powers, hooks: TransferHook.of(logic.flow, token) }
}

/**
 * A code as it is read with its libraries, if that finds no further functions: gaps because of the libraries are closed, and
 * functions that the libraries explain are left out.
 */
export const withLibraries = (part: PowersInCode, linked: PowersInCode): PowersInCode => ({
  ...part,
  powers: TokenPowers.ofEach((name) => {
    const [power, explained] = [part.powers[name], linked.powers[name]]
    return power.isOfTransfers === explained.isOfTransfers && explained.levers.every((lever) => has(power, lever))
      ? { ...power, levers: power.levers.filter((lever) => has(explained, lever)), gaps: explained.gaps }
      : power
  })
})

/** Whether a power has a function, as certain and with the same guards. */
const has = ({ levers }: Power.Power<TokenPowers.Lever>, lever: TokenPowers.Lever): boolean => {
  const name = nameOf(lever)
  return levers.some((other) => nameOf(other) === name)
}

const nameOf = ({ certain, guards, privileged, selector }: TokenPowers.Lever): string =>
  JSON.stringify([selector, certain, privileged, guards])

/** Permit2 moves tokens only with the signature of their holder, so an exception for it is no power. */
const isPermit2 = ({ guards, selector }: TokenPowers.Lever): boolean =>
  selector === Selectors.functions.transferFrom &&
  guards.length > 0 &&
  guards.every((guard) => guard.kind === "constant" && guard.address === AddressBook.permit2)

/** Joins levers that are the same function with the same certainty. */
const merged = (levers: ReadonlyArray<TokenPowers.Lever>): ReadonlyArray<TokenPowers.Lever> => {
  const found = new Map<string, TokenPowers.Lever>()
  for (const lever of levers) {
    // One variable may be certain and another one not, and two forwarders may check different accounts.
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

/** Whether transfers use a power themselves: it was found, and no function certainly uses it. */
const isOfTransfers = ({ levers, state }: TokenPowers.PowerFinding): boolean =>
  state === "found" && !levers.some((lever) => lever.certain)

/** Why a code may have other functions that use a power. Uncertain functions are no gap: they are listed. */
const gapsOf = (
  logic: LogicContract,
  token: TokenBooks.TokenBooks,
  finding: TokenPowers.PowerFinding,
  { fixed }: ResolvedCode
): ReadonlyArray<PowerGap.PowerGap> => {
  const { completeness, delegations } = logic.flow
  // An upgrade can run new code at once, which is no more than an upgrade.
  const isUpgrade = !fixed && delegations.every((one) => one.target.kind === "self" || one.selectors.every(isUpgrading))
  const reasons = new Set<TokenPowers.Reason>([
    ...completeness.gaps,
    ...(token.balances.length === 0 ? (["no_balances"] as const) : []),
    ...(token.external ? (["external_books"] as const) : []),
    ...finding.reasons
  ])
  return [...reasons].flatMap((reason) =>
    reason === "uncertain_lever" || reason === "external_call" || (reason === "delegatecall" && isUpgrade)
      ? []
      : [PowerGap.inCode(reason, logic)]
  )
}

const isUpgrading = (selector: string): boolean =>
  selector === Selectors.functions.upgradeToAndCall || selector === Selectors.functions.upgradeTo
