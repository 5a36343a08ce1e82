/** @internal */

import { Array as Arrays, Effect, Option } from "effect"
import type * as Address from "../../domain/Address.js"
import type * as Document from "../../domain/facts/CounterfactualSet.js"
import * as Evmole from "../../evm/bytecode/Evmole.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import type * as TokenPowers from "../../evm/powers/TokenPowers.js"
import * as Getter from "../Getter.js"
import * as HolderBlocks from "../trade/HolderBlocks.js"
import * as KnownLever from "./KnownLever.js"
import type { PowersInCode } from "./PowersInCode.js"
import * as SyntheticCall from "./SyntheticCall.js"

/** A lever with the types of its arguments and what they are for. */
export interface Candidate extends TokenPowers.Lever {
  readonly power: Document.TokenPower
  readonly types: ReadonlyArray<string>
  readonly roles: SyntheticCall.Roles
}

/** Whether a power is over the transfers of others, which are measured before and after its use. */
export const isGate = ({ power }: Candidate): boolean => HolderBlocks.kindOf(power) === "gate"

/**
 * The levers of a code that can be tried: those that were found, and, where the code could not be followed, functions
 * with a known name of a lever.
 */
export const candidatesOf = ({ logic, powers }: PowersInCode): Effect.Effect<ReadonlyArray<Candidate>> => {
  const all = (Object.keys(powers) as ReadonlyArray<Document.TokenPower>).flatMap((power) =>
    powers[power].levers.map((lever) => ({ power, lever }))
  )
  // Where code could not be followed, what it is called is a reason to see what it does.
  const known = KnownLever.all.filter(
    ({ power, selector: name }) =>
      powers[power].gaps.length > 0 &&
      logic.flow.functions.some((entry) => entry.selector === name) &&
      !powers[power].levers.some((lever) => lever.selector === name)
  )
  if (all.length === 0 && known.length === 0) return Effect.succeed([])
  return Selectors.describe(logic.code).pipe(
    // A trap in evmole costs the types only.
    Evmole.trapped<ReadonlyArray<Selectors.DispatchedFunction>>([]),
    Effect.map((described) => [
      ...all.map(({ lever, power }): Candidate => {
        const roles = SyntheticCall.rolesOf(writesFor(power, lever))
        const inferred =
          lever.selector === Selectors.functions.transferFrom
            ? "address,address,uint256"
            : (described.find((entry) => entry.selector === lever.selector)?.arguments ?? "")
        return { ...lever, power, roles, types: SyntheticCall.typesOf(inferred, roles) }
      }),
      ...known.map(({ power, selector: name, types }): Candidate => {
        const unread = { certain: false, privileged: true, guards: [], variable: undefined, writes: [] }
        return { ...unread, selector: name, power, types, roles: SyntheticCall.rolesByType(types) }
      })
    ])
  )
}

/** Of a function that takes here and gives there, the writes that the power lies in. */
const writesFor = (power: Document.TokenPower, { writes }: TokenPowers.Lever): TokenPowers.Lever["writes"] => {
  const taking = writes.filter(({ change }) => change.kind !== "increase" && change.kind !== "keep")
  return power === "seize" && taking.length > 0 ? taking : writes
}

// Largest first: a function that takes less each time would refuse the rest, and what breaks arithmetic is undone by the
// next value.
const numbers: ReadonlyArray<bigint> = [2n ** 256n - 1n, 10_000n, 1_000n, 100n, 99n, 25n, 1n, 0n]

// Where a whole is more than ten thousand parts.
const rates: ReadonlyArray<bigint> = [
  2n ** 256n - 1n,
  10n ** 18n,
  10n ** 17n,
  1_000_000n,
  100_000n,
  ...numbers.slice(1)
]

/**
 * The calls of a lever that may show what it does, those with the clearest result first; none where its arguments
 * cannot be made up.
 */
export const callsOf = (scene: HolderBlocks.Scene, lever: Candidate): ReadonlyArray<HolderBlocks.Call> =>
  accountsFor(scene, lever).flatMap((account) => callsAbout(scene, lever, account, valuesFor(scene, lever)))

const accountsFor = (scene: HolderBlocks.Scene, { power, roles }: Candidate): ReadonlyArray<Address.Address> => {
  const isAboutSomebody = roles.accounts.size > 0 || roles.listed
  switch (power) {
    case "mint":
      return [scene.receiver]
    case "bypass":
      return [scene.holder]
    case "seize":
      return isAboutSomebody ? [scene.holder, ...Option.toArray(scene.pool)] : [scene.holder]
    default:
      return isAboutSomebody ? [scene.holder, scene.peer] : [scene.holder]
  }
}

const valuesFor = (scene: HolderBlocks.Scene, { power, roles, types }: Candidate): ReadonlyArray<bigint> => {
  switch (power) {
    case "mint":
    case "bypass":
      return [scene.unit]
    case "seize":
      return [scene.unit, 0n]
    default:
      return SyntheticCall.valueKind(types, roles) === "bool" ? [1n, 0n] : power === "tax" ? rates : numbers
  }
}

/** Calls about an account, one for each value that makes another call of it. */
export const callsAbout = (
  scene: HolderBlocks.Scene,
  { roles, selector: name, types }: Candidate,
  account: Address.Address,
  values: ReadonlyArray<bigint>
): ReadonlyArray<HolderBlocks.Call> => {
  const isValued = SyntheticCall.valueKind(types, roles) !== "none"
  const fitting = Arrays.dedupe(values.map((value) => SyntheticCall.fitting(types, roles, value)))
  return (isValued ? fitting : fitting.slice(0, 1)).flatMap((value) =>
    Option.toArray(
      Option.map(
        SyntheticCall.encode(types, roles, { account, other: scene.bystander, value }),
        (encoded): HolderBlocks.Call => ({
          data: Getter.calldata(name === "fallback" ? "0x" : name, [encoded]),
          value: isValued ? Option.some(value) : Option.none()
        })
      )
    )
  )
}

/** The most calls that one trial of a lever has. */
export const mostCallsOf = (scene: HolderBlocks.Scene, lever: Candidate): number =>
  Math.max(callsOf(scene, lever).length, lever.power === "tax" ? SyntheticCall.valuesAtMost : 0)
