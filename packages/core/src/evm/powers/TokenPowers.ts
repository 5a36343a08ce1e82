import * as AddressBook from "../../data/AddressBook.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../bytecode/Bytecode.js"
import * as Selectors from "../bytecode/Selectors.js"
import type { Field, ValueSource } from "../expression/ValueSource.js"
import * as CodeModel from "../interpreter/CodeModel.js"
import type * as FunctionRun from "../interpreter/FunctionRun.js"
import * as Slices from "../Slices.js"
import * as FieldMask from "../summary/conditions/FieldMask.js"
import type { Guard } from "../summary/conditions/Guard.js"
import type { Gap, StorageFlow, Write } from "../summary/StorageFlow.js"
import * as Conservation from "../token/Conservation.js"
import * as Erc20 from "../token/Erc20.js"
import * as SingleUse from "../token/SingleUse.js"
import * as TokenBooks from "../token/TokenBooks.js"
import * as VariableWriter from "../token/VariableWriter.js"
import * as BalanceRedirect from "./balance/BalanceRedirect.js"
import * as BalanceSeizure from "./balance/BalanceSeizure.js"
import * as Spending from "./balance/Spending.js"
import * as CustodyDrain from "./custody/CustodyDrain.js"
import type { Payable } from "./custody/Payable.js"
import * as Service from "./custody/Service.js"
import * as MintPrice from "./mint/MintPrice.js"
import * as MintWriter from "./mint/MintWriter.js"
import * as UnbackedMint from "./mint/UnbackedMint.js"
import * as HardcodedFee from "./transfer/HardcodedFee.js"
import * as IndirectTransferCondition from "./transfer/IndirectTransferCondition.js"
import * as ReceivedAmount from "./transfer/ReceivedAmount.js"
import * as Refusal from "./transfer/Refusal.js"
import * as SenderSurcharge from "./transfer/SenderSurcharge.js"
import * as TransferGate from "./transfer/TransferGate.js"
import * as TransferHook from "./transfer/TransferHook.js"
import * as TransferOutcome from "./transfer/TransferOutcome.js"

/**
 * What somebody can do to the holders of a token, or, where a contract is none, to those who deal with it: what is said
 * here of transfers is then said of dealings, and of balances what is due to accounts.
 *
 * - `mint`: raise the supply or a balance. `pause`: stop all transfers. `blacklist`: stop one account, `whitelist`: let
 *   only listed ones through. `limit`: bound amounts, balances or the time between transfers. `tax`: change the part of
 *   an amount that does not arrive. `seize`: lower a balance or move it, or take what others put into the contract.
 *   `bypass`: spend without an allowance.
 *
 * @since 0.1.0
 * @category models
 */
export const powers = ["mint", "pause", "blacklist", "whitelist", "limit", "tax", "seize", "bypass"] as const

/**
 * @since 0.1.0
 * @category models
 */
export type Power = (typeof powers)[number]

/**
 * A function by which a power is used. `certain` says that the code leaves no doubt that it does, `privileged` that
 * somebody appointed has to call it, as `guards` say. `variable` is what it sets, where the power lies in one, and what
 * that variable lets transfers through with. One that `forwards` does it to whom the caller names as the sender, so that
 * the caller's code says whom he has to ask.
 *
 * @since 0.1.0
 * @category models
 */
export interface Lever {
  readonly selector: Hex | "fallback"
  readonly certain: boolean
  readonly privileged: boolean
  readonly guards: ReadonlyArray<Guard>
  readonly variable:
    | { readonly slot: string; readonly field: Field | undefined; readonly passes: TransferGate.TransferGate["passes"] }
    | undefined
  readonly writes: ReadonlyArray<Write>
  readonly forwards?: true
  /** It does nothing any more once one of these lets everybody through. */
  readonly until?: TransferGate.TransferGate["until"]
}

/**
 * What a code says about one power, whoever may use it.
 *
 * - `found`: a lever that is certain, for somebody appointed or for anybody at no price, and that works more than once; or
 *   a transfer itself does it. `none`: no lever, over all paths of all functions.
 * - `unknown`: `reasons` stand against either; `levers` may still name those that are not certain, and those that work
 *   once, of which storage says whether they did.
 *
 * @since 0.1.0
 * @category models
 */
export interface PowerFinding {
  readonly state: "found" | "none" | "unknown"
  readonly levers: ReadonlyArray<Lever>
  readonly reasons: ReadonlyArray<Reason>
}

/**
 * What stands against either: a gap of the analysis, balances that were not found or that another contract may keep, another
 * contract that transfers call, a lever of which the code leaves a doubt, or transfers that go by more than could be told.
 *
 * @since 0.1.0
 * @category models
 */
export type Reason = Gap | "no_balances" | "external_books" | "external_call" | "uncertain_lever" | "uncertain_transfer"

/**
 * @since 0.1.0
 * @category models
 */
export type TokenPowers = { readonly [power in Power]: PowerFinding }

/**
 * Reads every power out of the runtime code of a token.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (code: Hex, flow: StorageFlow): TokenPowers => Slices.complete(inSlices(CodeModel.of(code), flow))

/**
 * {@link of}, in slices.
 *
 * @since 0.1.0
 * @category constructors
 */
export function* inSlices(model: CodeModel.CodeModel, flow: StorageFlow): Slices.Slices<TokenPowers> {
  const token = TokenBooks.of(flow)
  const followedPaths = token.balances.length > 0 ? yield* Conservation.transfersInSlices(model) : []
  const paths = token.balances.length === 1 ? followedPaths : []
  const followed = yield* Conservation.ofTreesInSlices(paths, token.balances)
  const isBalanced =
    token.balances.length === 1 &&
    Erc20.transfers.every(({ selector }) => {
      const candidate = Erc20.functionOf(flow, selector)
      return candidate === undefined || MintWriter.isBalanced(candidate, token)
    })
  const transfers = followed === "unknown" && isBalanced ? "conserves" : followed
  yield undefined
  const { levies, untold: isTaxUntold } = yield* HardcodedFee.of(token, paths)
  const runs: Array<FunctionRun.FunctionRun> = []
  for (const { selector, trace } of followedPaths)
    if (token.balances.length > 1 || !trace.complete) runs.push(yield* model.run(selector))
  const isUneven = yield* ReceivedAmount.isUneven(token, runs)
  const isSurcharged = yield* SenderSurcharge.mayBe(token, followedPaths, runs)
  const service = Service.of(flow, token)
  // Whoever destroys a contract stops it, and takes the ether that it has.
  const isDestructible = Bytecode.presence(Bytecode.reach(model.bytecode), "SELFDESTRUCT") !== "absent"
  const isDestroyed = service !== undefined && isDestructible
  yield undefined
  // What has transfer() and no balanceOf() is something else, and stops nobody's tokens.
  const isToken = service === undefined && Erc20.functionOf(flow, Selectors.functions.balanceOf) !== undefined
  const asked = isToken ? yield* TransferGate.inSlices(flow, token) : []
  const consulted = isToken ? yield* IndirectTransferCondition.of(model, flow, token, paths) : []
  const { outcomes, untold: isAnswerUntold } = isToken
    ? yield* TransferOutcome.of(flow, token, followedPaths, runs)
    : { outcomes: [], untold: false }
  const gates = service?.gates ?? [
    ...asked,
    ...consulted.filter(({ kind, slot }) => !asked.some((gate) => gate.slot === slot && gate.kind === kind)),
    ...outcomes.filter(({ field, slot }) => ![...asked, ...consulted].some((gate) => isSame(gate, { field, slot })))
  ]
  yield undefined
  const seizures = BalanceSeizure.of(flow, token).filter(
    (seizure) => !Spending.isCleared(seizure, token, followedPaths)
  )
  yield undefined
  const leversOf = (some: ReadonlyArray<TransferGate.TransferGate>): ReadonlyArray<Lever> =>
    some.flatMap((gate) =>
      gate.setters.flatMap((setter): ReadonlyArray<Lever> => {
        const lasting = setter.writes.filter(({ lasts }) => lasts)
        const variable = { slot: gate.slot, field: gate.field, passes: gate.passes }
        const setting = lasting.filter((write) => isSetting(write, gate, setter))
        const others = lasting.filter(
          (write) => isForwarding(flow, token, write, gate) || isChanging(token, write, gate, setter)
        )
        const writes = setting.length > 0 ? setting : others
        const certain =
          gate.decisive &&
          setting.length > 0 &&
          !VariableWriter.isDated({ ...setter, writes }) &&
          !setting.every((write) => isMovedAlong(flow, write))
        const until = gate.until === undefined ? {} : { until: gate.until }
        return writes.length === 0 ? [] : [{ ...leverOf({ ...setter, certain, writes }), variable, ...until }]
      })
    )
  const ofGates = (accept: (gate: TransferGate.TransferGate) => boolean) => leversOf(gates.filter(accept))
  const taxing = leversOf(
    (isToken ? levies : []).map((levy) => {
      const { hidden, setters } = VariableWriter.reaching(flow, token, levy)
      return {
        ...levy,
        setters: levy.passes === "nonzero" && levy.kind === "list" ? setters.filter(isSparing(flow, levy)) : setters,
        decisive: levy.decisive && !hidden && paths.every(({ trace }) => trace.complete)
      }
    })
  )
  // What goes and does not arrive is a tax of all.
  const losing = leversOf(
    outcomes.filter(({ field, loses, slot }) => loses && !levies.some((levy) => isSame(levy, { field, slot })))
  )
  const ofSeizures = (kinds: ReadonlyArray<BalanceSeizure.BalanceSeizure["kind"]>): ReadonlyArray<Lever> =>
    seizures.filter((seizure) => kinds.includes(seizure.kind) && !isOfPermit2(seizure)).map(leverOf)
  const takings = CustodyDrain.of(flow, token).map(appointed)
  // Of a function that is known to take from others no more is to be said.
  const isTold = (selector: string) => seizures.some((one) => one.kind === "balance" && one.selector === selector)
  const displaced = BalanceRedirect.of(flow, token).filter(({ certain, selector }) => certain || !isTold(selector))
  const displacing = displaced.map(leverOf)
  yield undefined
  const doubts = [
    ...flow.completeness.gaps,
    ...(token.balances.length === 0 && (service?.isDealtWith !== true || token.external)
      ? (["no_balances"] as const)
      : []),
    ...(token.external ? (["external_books"] as const) : [])
  ]
  const finding = (
    found: ReadonlyArray<Lever>,
    transfer: "does" | "may" | "does not" = "does not",
    isSpendable: (lever: Lever) => boolean = never,
    asksOthers = false
  ): PowerFinding => {
    const levers = found.filter(
      (lever) => lever.certain || !found.some((other) => other.certain && isSameLever(other, lever))
    )
    if (transfer === "does" || levers.some((lever) => lever.certain && !isSpendable(lever)))
      return { state: "found", levers, reasons: [] }
    const reasons = [
      ...doubts,
      ...(levers.length > 0 ? (["uncertain_lever"] as const) : []),
      ...(transfer === "may" ? (["uncertain_transfer"] as const) : []),
      ...(asksOthers ? (["external_call"] as const) : [])
    ]
    return { state: reasons.length === 0 ? "none" : "unknown", levers, reasons }
  }
  const isStoppedElsewhere =
    service?.isStoppedElsewhere ??
    (isToken &&
      (isAnswerUntold ||
        TransferGate.isUntold(flow) ||
        TransferGate.isStoppedByBooks(flow, token) ||
        IndirectTransferCondition.isAskedFromOutside(flow, token, paths)))
  const refusal = service === undefined ? Refusal.of(flow, token, isDestructible) : undefined
  const hooks = isToken ? TransferHook.of(flow, token) : []
  const isHooked = hooks.length > 0
  // Whoever puts another contract there has it refuse, or take more.
  const replacing = (certain: (hook: TransferHook.TransferHook) => boolean): ReadonlyArray<Lever> =>
    hooks.flatMap((hook) =>
      hook.setters.map(({ place, ...setter }) => ({
        ...leverOf({ ...setter, certain: certain(hook) }),
        variable: { ...place, passes: undefined }
      }))
    )
  const seizing = hooks.some(({ takes }) => takes) ? replacing(({ takes }) => takes) : []
  const stopping = (isStopped = false) => (isStopped || isStoppedElsewhere ? "may" : "does not")
  const minting = (yield* UnbackedMint.of(model, flow, token, MintWriter.of(flow, token)))
    .filter((writer) => writer.privileged || !isPaidFor(writer))
    .map(leverOf)
  const pricing = MintPrice.of(flow, token).map(
    ({ field, setter, slot }): Lever => ({
      ...appointed({ ...setter, certain: true }),
      variable: { slot, field, passes: undefined }
    })
  )
  const dues = (kind: Payable["kind"]): ReadonlyArray<Lever> =>
    (service?.dues ?? []).filter((due) => due.kind === kind).map(appointed)
  const making =
    transfers === "creates"
      ? "does"
      : (service === undefined ? transfers === "unknown" : service.makesTokens)
        ? "may"
        : "does not"
  yield undefined
  return {
    mint: finding([...minting, ...pricing, ...dues("raises")], making, (lever) =>
      SingleUse.isSingleUse(flow, lever.selector)
    ),
    pause: finding(
      [...ofGates(({ kind }) => kind === "flag" || kind === "time"), ...replacing(({ stops }) => stops)],
      // Whoever destroys a contract stops everybody, which is no list and no limit.
      stopping(isDestroyed || refusal?.ofAll),
      never,
      isHooked
    ),
    blacklist: finding(
      [
        ...ofGates(({ kind, passes }) => kind === "list" && passes !== "nonzero"),
        ...replacing(({ stops, tells }) => stops && tells)
      ],
      stopping(refusal?.ofSome),
      isLimited,
      isHooked
    ),
    whitelist: finding(
      ofGates(({ kind, passes }) => kind === "list" && passes === "nonzero"),
      stopping(refusal?.ofSome),
      isLimited,
      isHooked
    ),
    limit: finding(
      ofGates(({ kind }) => kind === "limit"),
      stopping(refusal?.ofAll),
      never,
      isHooked
    ),
    tax: finding(
      [...ofGates(({ kind }) => kind === "rate"), ...taxing, ...losing],
      isToken && (isTaxUntold || isUneven || isSurcharged || TransferGate.isTaxedElsewhere(flow, token))
        ? "may"
        : "does not",
      (lever) => taxing.includes(lever) && SingleUse.isSingleUse(flow, lever.selector)
    ),
    seize: finding(
      [...ofSeizures(["balance"]), ...displacing, ...takings, ...dues("lowers"), ...seizing],
      isDestroyed || service?.sendsAway === true ? "may" : "does not",
      (lever) => (takings.includes(lever) || displacing.includes(lever)) && SingleUse.isSingleUse(flow, lever.selector),
      hooks.some(({ takes }) => takes)
    ),
    bypass: finding(ofSeizures(["allowance", "bypass"]))
  }
}

/**
 * Whether a lever can stop nothing any more: its variable lets transfers through by what its slot holds (`word`), and the
 * lever can set it to nothing else, as a function that opens trading.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isReleased = ({ variable, writes }: Lever, word: Hex): boolean => {
  if (variable?.passes === undefined) return false
  const { field, passes } = variable
  return (
    (FieldMask.partOf(BigInt(word), field) === 0n) === (passes === "zero") &&
    writes.every(({ change }) =>
      passes === "zero" ? change.kind === "clear" || change.kind === "keep" : VariableWriter.isPutting({ change })
    )
  )
}

/**
 * Whether somebody decides who is spared: who only ever spares others takes from nobody, and that whoever is asked for as the
 * caller is spared himself is no choice over others.
 */
const isSparing =
  (flow: StorageFlow, { slot }: FieldMask.Place) =>
  ({ writes }: VariableWriter.VariableWriter): boolean =>
    !TransferGate.isOfCaller(flow, slot) && !writes.every(VariableWriter.isPutting)

const isSame = (one: FieldMask.Place, other: FieldMask.Place): boolean =>
  one.slot === other.slot && FieldMask.overlap(FieldMask.maskOf(one.field), FieldMask.maskOf(other.field))

const never = (): boolean => false

const isLimited = ({ until }: Lever): boolean => until !== undefined

type Way = Pick<Lever, "selector" | "certain" | "guards" | "writes" | "forwards">

const appointed = ({ certain, forwards, guards, selector, writes }: Way): Lever => ({
  selector,
  guards,
  certain,
  privileged: true,
  variable: undefined,
  writes,
  ...(forwards === undefined ? {} : { forwards })
})

/** What neither somebody appointed nor anybody at no price can use is no certain power. */
const leverOf = (way: Way & { readonly privileged: boolean; readonly free: boolean }): Lever => ({
  ...appointed(way),
  certain: way.certain && (way.privileged || way.free),
  privileged: way.privileged
})

/** Whether a write decides by itself what a variable is, rather than keeping count. */
const isSetting = (
  { change, keys, own }: Write,
  { kind }: TransferGate.TransferGate,
  { privileged }: VariableWriter.VariableWriter
): boolean => {
  // What a call does to its own caller's entry is no power over others.
  if (kind === "list" && keys.length > 0 && (own || !keys.some(isOther))) return false
  const { amount } = change
  const isTold = (!isNumber(kind) || privileged) && amount.some((origin) => origin.kind === "argument")
  switch (change.kind) {
    case "set":
      // A number that is set to another one that is kept, such as the supply, is done away with.
      return !isNumber(kind) || amount.some((origin) => origin.kind !== "storage")
    case "clear":
      return true
    case "raise":
    case "keep":
    case "flip":
      return !isNumber(kind)
    case "increase":
    case "decrease":
      // What nobody but who is appointed counts, he can count as far as he likes.
      return (
        isTold ||
        (isNumber(kind) && privileged && amount.length > 0 && amount.every((origin) => origin.kind === "constant"))
      )
    case "unknown":
      return isTold
  }
}

/** Whether a number is worked out from what it was and what is said, as transfers do with it, too: it may go with balances. */
const isMovedAlong = (flow: StorageFlow, { change, mask, slot }: Write): boolean => {
  const isMoved = (amount: ReadonlyArray<ValueSource>): boolean =>
    amount.some((origin) => origin.kind === "storage" && origin.slot === slot)
  return (
    change.kind === "unknown" &&
    isMoved(change.amount) &&
    Erc20.transfers.some(({ selector }) =>
      Erc20.functionOf(flow, selector)?.writes.some(
        (write) => write.slot === slot && FieldMask.overlap(write.mask, mask) && isMoved(write.change.amount)
      )
    )
  )
}

/** Whether two are pulled by the same people, by one function, on one variable. */
const isSameLever = (a: Lever, b: Lever): boolean =>
  a.selector === b.selector &&
  a.variable !== undefined &&
  a.variable.slot === b.variable?.slot &&
  (a.until === undefined || JSON.stringify(a.until) === JSON.stringify(b.until)) &&
  JSON.stringify([a.variable.field, a.guards]) === JSON.stringify([b.variable.field, b.guards])

/**
 * Whether a variable becomes something that the code does not tell, such as a part of what it was or of another one. How often
 * somebody dealt is no choice of his, and a bound that is as high as the supply is none.
 */
const isChanging = (
  { supply }: TokenBooks.TokenBooks,
  { change: { copied, kind: change, sources }, keys, own }: Write,
  { kind, passes }: TransferGate.TransferGate,
  { selector }: VariableWriter.VariableWriter
): boolean => {
  const isLifting =
    change === "clear" ||
    (change === "keep" && passes === "zero") ||
    (kind === "limit" && copied === true && sources.every(({ mask, slot }) => FieldMask.isOneOf(supply, slot, mask)))
  return (
    !Selectors.erc20.has(selector) &&
    !isLifting &&
    (kind !== "list" || keys.length === 0 || (!own && keys.some(isOther)))
  )
}

const isNumber = (kind: TransferGate.TransferGate["kind"]): boolean => kind !== "flag" && kind !== "list"

/** Whether a number is set to another that is kept and that somebody appointed sets. */
const isForwarding = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  { change }: Write,
  { kind }: TransferGate.TransferGate
): boolean =>
  isNumber(kind) &&
  change.kind === "set" &&
  change.sources.some(
    (source) =>
      !FieldMask.isOneOf(TokenBooks.booksOf(token), source.slot, source.mask) &&
      VariableWriter.of(flow, token, source.slot, undefined).some(({ privileged }) => privileged)
  )

const isOther = (origin: ValueSource): boolean => origin.kind === "argument" || origin.kind === "unknown"

/** Permit2 moves nothing without its holder's signature, so that letting it through is no power of anybody's. */
const isOfPermit2 = ({ guards, kind }: BalanceSeizure.BalanceSeizure): boolean =>
  kind !== "balance" &&
  guards.length > 0 &&
  guards.every((guard) => guard.kind === "constant" && guard.address === AddressBook.permit2)

/** Whether nobody gets more than was paid in ether for it, as those who wrap ether do. */
const isPaidFor = ({ writes }: MintWriter.MintWriter): boolean =>
  writes.every(
    ({ change }) => change.kind === "increase" && change.amount.length === 1 && change.amount[0]?.kind === "value"
  )
