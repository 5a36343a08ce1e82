import { Effect, Either, Option, Schema } from "effect"
import * as Hash from "ox/Hash"
import type { ChainError } from "../../chain/ChainError.js"
import * as BlockUse from "../../chain/state/BlockUse.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type * as Reading from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import * as Count from "../../domain/Count.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import { ProxyStructure } from "../../domain/facts/ProxyStructure.js"
import type { Hex } from "../../domain/Hex.js"
import * as SceneSeed from "../../domain/SceneSeed.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import { Proxy } from "../../facts/code/Proxy.js"
import { Control } from "../../facts/control/Control.js"
import * as PlannedChanges from "../../facts/control/PlannedChanges.js"
import * as Getter from "../../facts/Getter.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether an account can upgrade the contract's code with less notice than holders need to exit ({@link
 * Controller.notice}).
 *
 * - Confirmed: the upgrader is a key or a Safe with a shorter delay; `verified` where its simulated call replaces the
 *   code, as a later call of the contract shows. Also a timelock with a pending upgrade that has less than that delay
 *   left.
 * - Refuted: a timelock enforces at least that delay, or no account can upgrade.
 * - Unknown: the upgrader or its delay was not determined: a vote, a contract of unknown kind, or a timelock with
 *   another operation due that soon or with pending operations that were not all read.
 * - Does not apply to code without an upgrade path, nor to a Safe.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967
 */
export const upgradeableNow = Check.make({
  id: "proxy.upgradeable-now",
  code: "P-04",
  version: 3,
  targets: ["token", "contract"],
  claim: "The contract's code can be upgraded with less than 2 days of notice",
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
        return [Phrases.unknown("inconclusive", "the account that decides the implementation was not determined", seen)]
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
                // An upgrader of unknown kind may have no delay.
                holders.flatMap((one) => (isHasty(one) && (isAtOnce(one.holder) || isSeen) ? [one.holder] : []))
              )
      const controller = deciding.pipe(
        Option.orElse(() => (isDoubtful ? Option.none() : Controller.weakest(holders.map(({ holder }) => holder)))),
        Option.getOrElse(() => Controller.make("unknown"))
      )
      const value = { upgrade, authority, delay_seconds: controller.delay_seconds }
      const who = `${controller.address ?? "an unidentified account"} (${controller.kind})`
      const delay = controller.delay_seconds
      if (Option.isSome(deciding)) {
        const shown = Either.isRight(proof) ? Option.getOrUndefined(proof.right) : undefined
        const wait = delay === null || delay === 0 ? "without delay" : `after ${delay} seconds`
        return [
          Check.confirmed({
            value,
            controller,
            verified: shown !== undefined,
            observation: shown === undefined ? seen.observation : shown.observation(),
            at: controller.address ?? authority ?? target.address,
            detail: `${who} can upgrade by ${upgrade} ${wait}${shown === undefined ? "" : "; a simulated upgrade replaces the code"}`
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
            detail: `${upgrading.by} can execute the pending upgrade ${upgrading.id} ${fromWhen(upgrading)}`
          })
        ]
      if (!isDead && !Controller.isLate(controller))
        return [Phrases.unknown("inconclusive", `the delay of the upgrader, ${who}, was not determined`, seen)]
      const held = isDead
        ? `the upgrade authority ${authority} is a dead address`
        : `${who} has a delay of ${Count.duration(delay ?? 0)}`
      const [other] = due
      if (other !== undefined) {
        const when = fromWhen(other)
        return [
          Phrases.unknown("inconclusive", `${held}, but ${other.by} can execute a pending operation ${when}`, seen)
        ]
      }
      const [unread] = gaps
      if (unread !== undefined) return [Phrases.unknown(unread.reason, `${held}, but ${Phrases.gap(unread)}`, seen)]
      // An implementation can admit callers other than its owner; all of its code has to be known.
      const [gap] = upgrade === "uups" ? ControlGraph.decidingGaps(graph.value) : []
      return gap === undefined
        ? [Check.refuted({ ...seen, value, controller, detail: `upgrade path ${upgrade}, but ${held}` })]
        : [Phrases.unknown(gap.reason, `${held}, but ${Phrases.gap(gap)}`, seen)]
    })
})

/** An account that can upgrade the code, and the account that controls it in the end, whatever its delay. */
interface Holder {
  readonly holder: Controller.Controller
  readonly end: Controller.Controller
}

/** Whether the delay is too short. The duration of a vote is unknown, whatever follows it. */
const isHasty = ({ end, holder }: Holder): boolean =>
  holder.delay_seconds === null
    ? isAtOnce(holder)
    : holder.delay_seconds < Controller.notice && (isAtOnce(holder) || isAtOnce(end))

const isAtOnce = ({ delay_seconds, kind }: Controller.Controller): boolean =>
  kind === "eoa" || kind === "delegated_eoa" || kind === "safe" || (kind === "timelock" && delay_seconds === 0)

const fromWhen = ({ notice }: PlannedChanges.PlannedChange): string =>
  Option.match(notice, {
    onNone: () => "now",
    onSome: ({ from, left }) => (left === 0 ? "now" : `from ${Timestamp.fromSeconds(from)}`)
  })

const { functions } = Selectors

/** The upgrade functions of proxies, their admins and beacons. */
const upgrades: ReadonlySet<string> = new Set([
  functions.upgradeTo,
  functions.upgradeToAndCall,
  ...["upgrade(address,address)", "upgradeAndCall(address,address,bytes)"].map(Selectors.selector)
])

/**
 * The simulation in which one of these accounts upgrades the contract to test code; none where no call succeeded.
 */
const replaced = (
  state: ChainState["Type"],
  { address, beacon, kind, upgrade }: ProxyStructure,
  holders: ReadonlyArray<Address.Address>
): Effect.Effect<Option.Option<Reading.Reading<unknown>>, ChainError> =>
  Effect.gen(function* () {
    const made = (name: string): Address.Address =>
      Address.checksum(
        BlockUse.derive(state.block, `made ${address} ${name}`, (hash) =>
          Address.checksum(
            SceneSeed.withoutZeroBytes(
              `0x${Hash.keccak256(`0x${address.slice(2)}${hash.slice(2)}${Selectors.selector(name).slice(2)}`).slice(-40)}`
            )
          )
        )
      )
    const [code, stranger] = [made("code"), made("stranger")]
    const at = upgrade === "beacon" ? beacon : address
    const callers = (upgrade === "anyone" ? [stranger] : holders).slice(0, callersAtMost)
    if (at === null || callers.length === 0 || upgrade === "diamond_cut") return Option.none()
    // ERC-1822 and UUPS proxies read the slot from the new implementation before they accept it.
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

// Only the test code answers this selector.
const unheardOf = Selectors.selector("answeredByOtherCode()")

const gas = 1_000_000n

const callersAtMost = 4

/** PUSH32 word, RETURNDATASIZE, MSTORE, MSIZE, RETURNDATASIZE, RETURN: returns the word to every call; no PUSH0. */
const answering = (word: Hex): Hex => `0x7f${word.slice(2)}3d52593df3`
