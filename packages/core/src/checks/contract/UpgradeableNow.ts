import { Effect, Either, Option, Schema } from "effect"
import * as Hash from "ox/Hash"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/ChainState.js"
import type * as Reading from "../../chain/Reading.js"
import * as Together from "../../chain/Together.js"
import * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import { ProxyStructure } from "../../domain/facts/ProxyStructure.js"
import type { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import { Proxy } from "../../facts/code/Proxy.js"
import { Control } from "../../facts/control/Control.js"
import * as PlannedChanges from "../../facts/control/PlannedChanges.js"
import * as Getter from "../../facts/Getter.js"
import * as Check from "../Check.js"

/**
 * Whether somebody can replace the contract's code sooner than holders can leave ({@link Controller.notice}).
 *
 * - Confirmed: whoever may replace it is a key or a Safe, with less to wait for than that; verified where his call puts other
 *   code in its place in simulation, as seen by a call of the contract after it. Also a timelock that was told to, with less
 *   than that left.
 * - Refuted: a timelock with such a delay stands before it, or nobody may replace it.
 * - Unknown: who may, or how long he has to wait, could not be told (a vote, a contract of no known kind, a timelock that
 *   may do something else that soon that it was told, or of which not all is known that it was).
 * - Does not apply to code that is fixed, nor to a Safe.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967
 * @since 0.1.0
 * @category models
 */
export const upgradeableNow = Check.make({
  id: "proxy.upgradeable-now",
  code: "P-04",
  version: 3,
  targets: ["token", "contract"],
  claim: "The contract's code can be replaced sooner than holders can leave",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: Schema.Struct({
    upgrade: ProxyStructure.fields.upgrade,
    authority: Schema.NullOr(Address.Address),
    delay_seconds: Schema.NullOr(Schema.NonNegativeInt)
  }),
  run: (target) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const control = yield* Control
      const { observation, value: structure } = yield* (yield* Proxy).of(target.address)
      const { conflicts, kind, upgrade, upgrade_authority: authority } = structure
      if (kind === "safe" || (upgrade === "none" && kind !== "unrecognised")) return Check.notApplicable
      const seen = { observation: observation() }
      if (kind === "unrecognised" || upgrade === "unknown")
        return [Check.unknown("inconclusive", "it could not be told who decides where its calls go", seen)]
      const known = authority === null ? [] : [authority]
      const [proof, graph, planned, { accounts, complete }] = yield* Together.all([
        Effect.either(replaced(state, structure, known)),
        control.of(target.address),
        control.planned(target.address),
        control.upgraders(target.address)
      ])
      const told = yield* Together.forEach(accounts, (account) =>
        Effect.map(
          Together.all([control.classify(account), control.inTheEnd(account)]),
          ([{ value: holder }, { value: end }]) => ({ holder, end })
        )
      )
      const anybody = Controller.make("unknown")
      const holders = complete || conflicts.length > 0 ? told : [...told, { holder: anybody, end: anybody }]
      const isSeen = holders.every(({ holder }) => !Controller.isIncomplete(holder))
      const isDoubtful = conflicts.length > 0
      const deciding =
        upgrade === "anyone"
          ? Option.some(Controller.make("eoa"))
          : isDoubtful
            ? Option.none()
            : Controller.weakest(
                // Where somebody is not known, he may have nothing to wait for.
                holders.flatMap((one) => (isHasty(one) && (isAtOnce(one.holder) || isSeen) ? [one.holder] : []))
              )
      const controller = deciding.pipe(
        Option.orElse(() => (isDoubtful ? Option.none() : Controller.weakest(holders.map(({ holder }) => holder)))),
        Option.getOrElse(() => Controller.make("unknown"))
      )
      const value = { upgrade, authority, delay_seconds: controller.delay_seconds }
      const who = `${controller.address ?? "who may do it"} (${controller.kind})`
      const delay = controller.delay_seconds
      if (Option.isSome(deciding)) {
        const shown = Either.isRight(proof) ? Option.getOrUndefined(proof.right) : undefined
        const wait = delay === null || delay === 0 ? "nothing to wait for" : `to wait for ${delay} seconds alone`
        return [
          Check.confirmed({
            value,
            controller,
            verified: shown !== undefined,
            observation: shown === undefined ? seen.observation : shown.observation(),
            at: controller.address ?? authority ?? target.address,
            detail: `by way of ${upgrade}; ${who} has ${wait}${shown === undefined ? "" : "; simulated: his call puts other code in its place"}`
          })
        ]
      }
      const isDead = controller.kind === "dead"
      const { changes, gaps } = PlannedChanges.orNone(isDead ? Option.none() : planned)
      const due = changes.filter(PlannedChanges.isSoon)
      const upgrading = due.find(({ calls }) =>
        Option.exists(calls, (all) => all.some(({ data }) => upgrades.has(data.slice(0, 10))))
      )
      if (upgrading !== undefined)
        return [
          Check.confirmed({
            value,
            controller,
            verified: false,
            observation: Option.match(planned, { onNone: observation, onSome: (found) => found.observation() }),
            at: upgrading.by,
            detail: `by way of ${upgrade}; ${upgrading.by} was told to (${upgrading.id}), and can ${fromWhen(upgrading)}`
          })
        ]
      if (!isDead && !Controller.isLate(controller))
        return [Check.unknown("inconclusive", `it could not be told how long ${who} has to wait`, seen)]
      const held = isDead ? `nobody holds ${authority}` : `${who} has to wait ${delay} seconds`
      const [other] = due
      if (other !== undefined) {
        const when = fromWhen(other)
        return [Check.unknown("inconclusive", `${held}, but ${other.by} can do ${when} what it was told before`, seen)]
      }
      const [unread] = gaps
      if (unread !== undefined)
        return [
          Check.unknown(unread.reason, `${held}, but not all that is planned could be told: ${unread.what}`, seen)
        ]
      // An implementation can let others through beside its owner; all of its code has to be known.
      const [gap] = upgrade === "uups" ? ControlGraph.decidingGaps(graph.value) : []
      return gap === undefined
        ? [Check.refuted({ ...seen, value, controller, detail: `by way of ${upgrade}, but ${held}` })]
        : [Check.unknown(gap.reason, `${held}, but it could not be told who else holds ${gap.what}`, seen)]
    })
})

/** Whoever may replace the code, and who decides for him in the end, however long he waits. */
interface Holder {
  readonly holder: Controller.Controller
  readonly end: Controller.Controller
}

/** Whether he need not wait long enough. A vote takes a time that nobody tells, whatever comes after it. */
const isHasty = ({ end, holder }: Holder): boolean =>
  holder.delay_seconds === null
    ? isAtOnce(holder)
    : holder.delay_seconds < Controller.notice && (isAtOnce(holder) || isAtOnce(end))

const isAtOnce = ({ delay_seconds, kind }: Controller.Controller): boolean =>
  kind === "eoa" || kind === "delegated_eoa" || kind === "safe" || (kind === "timelock" && delay_seconds === 0)

const fromWhen = ({ notice }: PlannedChanges.PlannedChange): string =>
  Option.match(notice, {
    onNone: () => "now",
    onSome: ({ from, left }) => (left === 0 ? "now" : `from ${Timestamp.fromSeconds(from)} on`)
  })

const { functions } = Selectors

/** The functions by which proxies, their admins and beacons have code replaced. */
const upgrades: ReadonlySet<string> = new Set([
  functions.upgradeTo,
  functions.upgradeToAndCall,
  ...["upgrade(address,address)", "upgradeAndCall(address,address,bytes)"].map(Selectors.selector)
])

/**
 * The simulation in which one of these accounts puts made-up code in the place of the contract's; none where no call did.
 */
const replaced = (
  state: ChainState["Type"],
  { address, beacon, kind, upgrade }: ProxyStructure,
  holders: ReadonlyArray<Address.Address>
): Effect.Effect<Option.Option<Reading.Reading<unknown>>, ChainError> =>
  Effect.gen(function* () {
    const made = (name: string): Address.Address =>
      Address.checksum(
        `0x${Hash.keccak256(`0x${address.slice(2)}${state.block.hash.slice(2)}${Selectors.selector(name).slice(2)}`).slice(-40)}`
      )
    const [code, stranger] = [made("code"), made("stranger")]
    const at = upgrade === "beacon" ? beacon : address
    const callers = (upgrade === "anyone" ? [stranger] : holders).slice(0, callersAtMost)
    if (at === null || callers.length === 0 || upgrade === "diamond_cut") return Option.none()
    // An implementation is asked for the slot that it is kept in before it is taken: ERC-1822 and its successor in UUPS.
    const marker = kind === "eip1822" ? Slots.proxiable : Slots.implementation
    const ways: ReadonlyArray<Hex> = [
      Getter.calldata(functions.upgradeToAndCall, [Getter.word(code), Getter.word(64n), Getter.word(0n)]),
      Getter.calldata(functions.upgradeTo, [Getter.word(code)]),
      ...(kind === "eip1822" ? [Getter.calldata(functions.updateCodeAddress, [Getter.word(code)])] : [])
    ]
    const upgrading = callers.flatMap((from) => ways.map((data) => ({ from, to: at, data, gas })))
    const reading = yield* state.simulate({
      blocks: [
        {
          overrides: { [code]: { code: answering(marker) } },
          calls: [...upgrading, { from: stranger, to: address, data: unheardOf, gas }]
        }
      ]
    })
    const last = reading.value[0]?.at(-1)?.outcome
    return last?._tag === "Returned" && last.data === marker ? Option.some(reading) : Option.none()
  })

// No code but the made-up one answers it.
const unheardOf = Selectors.selector("answeredByOtherCode()")

const gas = 1_000_000n

const callersAtMost = 4

/** PUSH32 word, RETURNDATASIZE, MSTORE, MSIZE, RETURNDATASIZE, RETURN: answers the word to every call; no PUSH0. */
const answering = (word: Hex): Hex => `0x7f${word.slice(2)}3d52593df3`
