/** @internal */

import { Effect, Either } from "effect"
import * as Hash from "ox/Hash"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState, Log, SimulatedCall } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import { isNumber } from "../../evm/expression/Expression.js"
import type * as CodeModel from "../../evm/interpreter/CodeModel.js"
import type * as Slices from "../../runtime/Slices.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import type { Functions } from "../code/Functions.js"
import * as Getter from "../Getter.js"

/**
 * Tokens that a wallet has and that may give an allowance without the event by which allowances are found: no event shows
 * nothing of them. `all` says that every token which the wallet received was looked at.
 */
export interface UnannouncedApprovals {
  readonly tokens: ReadonlyArray<Address.Address>
  readonly all: boolean
}

/**
 * Looks at the tokens that a wallet received. A token announces its approvals if it emitted the indexed event for one
 * of this wallet, if a simulated approval by the wallet emits it, or, at an endpoint that cannot simulate, if the code
 * of its function does.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 */
export const of = (
  { flows, functions, state }: Sources,
  wallet: Address.Address,
  logs: { readonly approvals: ReadonlyArray<Log>; readonly received: ReadonlyArray<Log> }
): Effect.Effect<UnannouncedApprovals, ChainError> =>
  Effect.gen(function* () {
    const told = new Set(
      logs.approvals.flatMap(({ address, topics }) =>
        // A collection's approval of one item says nothing of approvals of all.
        topics.length === 3 ? [`${address} ${topics[0]}`] : []
      )
    )
    const received = new Map<string, Received>()
    for (const { address, topics } of [...logs.received].reverse()) {
      const ways = topics.length === 4 ? collection : coin
      const key = `${address} ${ways.topic}`
      if (!received.has(key) && !told.has(key)) received.set(key, { token: address, ways })
    }
    const kept = [...received.values()].slice(0, mostTokens)
    if (kept.length === 0) return { tokens: [], all: true }
    // Few tokens that a wallet received are gone from it, so none waits for its balance.
    const { balances, told: toldOf } = yield* Together.all({
      balances: BatchRead.all(
        state,
        kept.map(({ token }) => BatchRead.balanceOf(token, wallet)),
        { readsPerCall: BatchRead.hostileReads }
      ),
      told: Effect.either(toldBySimulation(state, wallet, kept))
    })
    // What gives no balance may have one.
    const held = kept.filter((_, place) => balances.value[place]?.[0] !== 0n)
    const silent = held.length === 0 ? [] : yield* silentOf({ functions, flows }, held, toldOf)
    return {
      tokens: [...new Set(silent.map(({ token }) => token))].sort(),
      all: kept.length === received.size
    }
  })

interface Sources {
  readonly state: ChainState["Type"]
  readonly functions: Functions["Type"]
  readonly flows: CodeReadings["Type"]
}

/** How a token gives an allowance, and the event for it. */
interface Ways {
  readonly selector: Hex
  readonly topic: Hex
  readonly amount: bigint
}

interface Received {
  readonly token: Address.Address
  readonly ways: Ways
}

const { functions: selectors, topics } = Selectors

const coin: Ways = { selector: selectors.approve, topic: topics.Approval, amount: 1n }

// Its second argument is true.
const collection: Ways = { selector: selectors.setApprovalForAll, topic: topics.ApprovalForAll, amount: 1n }

// Spam is what makes a wallet have more of them; the newest are looked at.
const mostTokens = 120

// Each costs what resolving a contract's code does.
const mostByCode = 6

const gas = 500_000n

/** Tokens that emit the event for a simulated approval by the wallet. */
const toldBySimulation = (
  state: ChainState["Type"],
  wallet: Address.Address,
  received: ReadonlyArray<Received>
): Effect.Effect<ReadonlySet<Received>, ChainError> => {
  const stranger = Address.checksum(`0x${Hash.keccak256(wallet.toLowerCase() as Hex).slice(-40)}`)
  const calls = received.map(({ token, ways }) => ({
    from: wallet,
    to: token,
    gas,
    data: Getter.calldata(ways.selector, [Getter.word(stranger), Getter.word(ways.amount)])
  }))
  return Effect.map(
    state.simulate({ blocks: [{ calls }] }),
    ({ value: [found] }) =>
      new Set(
        received.filter(({ token, ways }, place) => isTold(found?.[place], token, [ways.topic, wallet, stranger]))
      )
  )
}

const silentOf = (
  { flows, functions }: Omit<Sources, "state">,
  held: ReadonlyArray<Received>,
  told: Either.Either<ReadonlySet<Received>, ChainError>
): Effect.Effect<ReadonlyArray<Received>, ChainError> =>
  Effect.gen(function* () {
    if (Either.isRight(told)) return held.filter((each) => !told.right.has(each))
    if (told.left.reason !== "method_unsupported") return yield* told.left
    const byCode = yield* Together.forEach(held.slice(0, mostByCode), (each) =>
      Effect.map(Effect.either(functions.of(each.token)), (resolved) => ({ each, resolved }))
    )
    const telling = new Set<Received>()
    for (const { each, resolved } of byCode) {
      if (Either.isLeft(resolved) || !resolved.right.value.resolved) continue
      const codes = resolved.right.value.logics.map(({ code }) => code)
      const tells = yield* Effect.forEach(codes, (code) => flows.read(code, (model) => tellsInCode(model, each.ways)))
      if (tells.every((one) => one)) telling.add(each)
    }
    return held.filter((each) => !telling.has(each))
  })

const isTold = (
  call: SimulatedCall | undefined,
  token: Address.Address,
  [topic, ...accounts]: readonly [Hex, ...ReadonlyArray<Hex>]
): boolean =>
  call !== undefined &&
  call.outcome._tag === "Returned" &&
  call.logs.some(
    (log) =>
      log.address === token &&
      log.topics.length === 1 + accounts.length &&
      log.topics[0] === topic &&
      accounts.every((account, place) => log.topics[place + 1] === Getter.word(account))
  )

/** Whether a function gives nothing, or has the indexed event on a path that succeeds. */
function* tellsInCode(model: CodeModel.CodeModel, { selector, topic }: Ways): Slices.Slices<boolean> {
  const { trace } = yield* model.run(selector)
  const events = trace.blocks.flatMap((block) => (block.succeeds ? block.events : []))
  const isTelling = events.some(
    (event) => event.kind === "log" && event.topics.length === 3 && isNumber(event.topics[0], BigInt(topic))
  )
  return trace.complete && (isTelling || events.every(({ kind }) => kind !== "store"))
}
