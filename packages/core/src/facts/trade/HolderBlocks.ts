/** @internal */

import { Array as Arrays, BigInt as BigInts, Option } from "effect"
import type { ChainState, SimulatedCall, SimulateRequest } from "../../chain/state/ChainState.js"
import type * as Address from "../../domain/Address.js"
import type { HolderOutcome, MoveState, TokenPower } from "../../domain/facts/CounterfactualSet.js"
import type { Pool } from "../../domain/facts/Pool.js"
import type { Hex } from "../../domain/Hex.js"
import * as SceneSeed from "../../domain/SceneSeed.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import type { Variable } from "../../evm/summary/StorageFlow.js"
import * as Getter from "../Getter.js"
import * as BalanceOverride from "./BalanceOverride.js"
import { transferData } from "./RouterCalls.js"
import { type Step, step } from "./SimulatedBlocks.js"
import { missing } from "./TradeMeasure.js"
import * as TradeScene from "./TradeScene.js"

/**
 * The accounts in the simulated blocks, and the amount: an ordinary holder, his receiver, a buyer, the privileged
 * callers, a receiver of minted tokens, a stranger for all other accounts, and a reader of balances.
 */
export interface Scene {
  readonly token: Address.Address
  readonly pool: Option.Option<Address.Address>
  readonly holder: Address.Address
  readonly peer: Address.Address
  readonly buyer: Address.Address
  readonly stranger: Address.Address
  readonly receiver: Address.Address
  readonly bystander: Address.Address
  readonly reader: Address.Address
  readonly unit: bigint
  readonly books: BalanceOverride.Words
  readonly block: TradeScene.TradeScene["block"]
}

/** The scene of a token: his pool, its supply, and the variables in which its code keeps balances. */
export const sceneOf = (
  state: Pick<ChainState["Type"], "block">,
  options: {
    readonly token: Address.Address
    readonly pool: Option.Option<Pool>
    readonly supply: bigint
    readonly balances: ReadonlyArray<Variable>
  }
): Scene => {
  const { account, block } = TradeScene.make(state, options.token)
  const reserve = Option.match(options.pool, { onNone: () => 0n, onSome: (pool) => BigInt(pool.reserve_token) })
  // Small enough for the usual limits and for the pool; large enough to measure one basis point of it.
  const unit = BigInts.max(1n, reserve > 0n ? reserve / 100_000n : options.supply / 1_000_000n)
  const holder = account(SceneSeed.accounts.holder)
  return {
    token: options.token,
    pool: Option.map(options.pool, ({ address }) => address),
    holder,
    peer: account(SceneSeed.accounts.holderPeer),
    buyer: account(SceneSeed.accounts.holderBuyer),
    stranger: account(SceneSeed.accounts.holderStranger),
    receiver: account(SceneSeed.accounts.holderReceiver),
    bystander: account(SceneSeed.accounts.holderBystander),
    reader: account(SceneSeed.accounts.holderReader),
    unit,
    books: TradeScene.wordsOf(state.block, options.token, SceneSeed.accounts.holder, (account) =>
      BalanceOverride.of(options.balances, account, unit * pretendedUnits)
    ),
    block
  }
}

// Together more than all that the holder moves; either way may be shut, and then the other has to do.
const pretendedUnits = 128n
const boughtUnits = 64n

/** One call of a function, with the value that it was made up with, where it has one. */
export interface Call {
  readonly data: Hex
  readonly value: Option.Option<bigint>
}

/**
 * Calls of a function from some accounts, and the effect on a holder after each of them.
 *
 * - `gate`: he transfers and sells, and another account buys. `mint`: no trade; the supply and the receiver's balance
 *   are read. `take`: no trade; the balances of holder and pool are read. `spend`: the bystander tries to spend what
 *   the holder did not allow him.
 */
export interface Trial {
  readonly kind: "gate" | "mint" | "take" | "spend"
  readonly callers: ReadonlyArray<Address.Address>
  readonly calls: ReadonlyArray<Call>
}

/** What kind of trial shows a power. */
export const kindOf = (power: TokenPower): Trial["kind"] =>
  power === "mint" ? "mint" : power === "seize" ? "take" : power === "bypass" ? "spend" : "gate"

/** The blocks of a gate in which nobody calls anything: what another trial of as many calls is compared with. */
export const idle = (calls: number): Trial => ({
  kind: "gate",
  callers: [],
  calls: Arrays.makeBy(calls, (): Call => ({ data: noCall, value: Option.none() }))
})

const noCall: Hex = "0x"

/**
 * The effect of one call: which named caller succeeded, if any, and whether the stranger did. For a gate, `met` is the
 * outcome for the holder; otherwise the points have the amounts that were gained or taken by the stranger's call and by
 * the others', in units of the token. `minted` is the growth of the supply, `gained` that of the receiver's balance,
 * which may come from another account.
 */
export interface Point {
  readonly call: Call
  readonly by: Option.Option<Address.Address>
  readonly open: boolean
  readonly met: HolderOutcome
  readonly stranger: Taken
  readonly callers: Taken
}

export interface Taken {
  readonly minted: bigint
  readonly gained: bigint
  readonly taken: bigint
}

/** A holder without a measured outcome. */
export const unmeasured: HolderOutcome = {
  transfer: "unmeasured",
  sale: "unmeasured",
  purchase: "unmeasured",
  tax_bps: null
}

const { functions, selector } = Selectors

const gas = { call: 1_500_000n, view: TradeScene.gas.view } as const

// One block after the pinned one, and then an hour between blocks: past every cooldown that is no trap.
const firstBlockAfter = 12
const secondsBetween = 3_600

/** The calls of each block, by name. */
const stepsOf = (scene: Scene, trial: Trial): ReadonlyArray<ReadonlyArray<Step>> => {
  const { holder, reader, stranger, token, unit } = scene
  const pools = Option.toArray(scene.pool)
  const held = (name: string, account: Address.Address): Step =>
    step(name, reader, { to: token, data: Getter.calldata(functions.balanceOf, [Getter.word(account)]) }, gas.view)
  const move = (name: string, from: Address.Address, to: Address.Address): ReadonlyArray<Step> => [
    held(`${name}.from.before`, from),
    held(`${name}.to.before`, to),
    step(name, from, { to: token, data: transferData(to, unit) }, gas.call),
    held(`${name}.from.after`, from),
    held(`${name}.to.after`, to)
  ]
  // A pair computes with its stored reserves, which are synced afterwards.
  const buying = pools.flatMap((pool) => [
    step("bought", pool, { to: token, data: transferData(holder, unit * boughtUnits) }, gas.call),
    step("sync", reader, { to: pool, data: selector("sync()") }, gas.call)
  ])
  const byStranger = (k: number, { data }: Call): ReadonlyArray<Step> =>
    data === noCall ? [] : [step(`${k}.stranger`, stranger, { to: token, data }, gas.call)]
  const byCallers = (k: number, { data }: Call): ReadonlyArray<Step> =>
    trial.callers.map((caller, i) => step(`${k}.by.${i}`, caller, { to: token, data }, gas.call))
  if (trial.kind === "gate")
    return [
      buying,
      ...trial.calls.flatMap((call, k) => [
        [...byStranger(k, call), ...byCallers(k, call), ...move(`${k}.transfer`, holder, scene.peer)],
        pools.flatMap((pool) => [...move(`${k}.sale`, holder, pool), ...move(`${k}.purchase`, pool, scene.buyer)])
      ])
    ]
  const books = (name: string): ReadonlyArray<Step> =>
    trial.kind === "mint"
      ? [
          step(`${name}.supply`, reader, { to: token, data: functions.totalSupply }, gas.view),
          held(`${name}.receiver`, scene.receiver)
        ]
      : [held(`${name}.holder`, holder), ...pools.map((pool) => held(`${name}.pool`, pool))]
  const spending = (name: string): ReadonlyArray<Step> =>
    trial.kind === "spend"
      ? [
          step(
            name,
            scene.bystander,
            {
              to: token,
              data: Getter.calldata(functions.transferFrom, [
                Getter.word(holder),
                Getter.word(scene.bystander),
                Getter.word(unit)
              ])
            },
            gas.call
          )
        ]
      : []
  return [
    buying,
    ...trial.calls.map((call, k) => [
      ...books(`${k}.before`),
      ...byStranger(k, call),
      ...spending(`${k}.spentByStranger`),
      ...books(`${k}.between`),
      ...byCallers(k, call),
      ...spending(`${k}.spent`),
      ...books(`${k}.after`)
    ])
  ]
}

/** The blocks of a trial. Contracts are among the senders, so it cannot use validation. */
export const requestOf = (scene: Scene, trial: Trial): SimulateRequest => {
  const senders = [scene.holder, scene.stranger, scene.bystander, scene.reader, ...Option.toArray(scene.pool)]
  const accounts = Object.fromEntries(
    Arrays.dedupe([...senders, ...trial.callers]).map((sender) => [sender, { balance: TradeScene.purse(sender, 0n) }])
  )
  const overrides =
    Object.keys(scene.books).length === 0
      ? accounts
      : { ...accounts, [scene.token]: { ...accounts[scene.token], stateDiff: scene.books } }
  return {
    blocks: stepsOf(scene, trial).map((steps, index) => ({
      ...(index === 0 ? { overrides } : {}),
      block: scene.block(firstBlockAfter + index * secondsBetween),
      calls: steps.map(({ call }) => call)
    }))
  }
}

/** Reads what came of a trial, one point a call. */
export const pointsOf = (
  scene: Scene,
  trial: Trial,
  answers: ReadonlyArray<ReadonlyArray<SimulatedCall>>
): ReadonlyArray<Point> => {
  const results = new Map<string, SimulatedCall>()
  for (const [block, steps] of stepsOf(scene, trial).entries()) {
    for (const [place, { name }] of steps.entries()) {
      const answer = answers[block]?.[place]
      if (answer !== undefined) results.set(name, answer)
    }
  }
  const went = (name: string): boolean => results.get(name)?.outcome._tag === "Returned"
  const amount = (name: string): Option.Option<bigint> => {
    const outcome = results.get(name)?.outcome
    return outcome?._tag === "Returned" ? Getter.uint(outcome.data) : Option.none()
  }
  const grown = (before: string, after: string): bigint =>
    Option.match(Option.all([amount(before), amount(after)]), { onNone: () => 0n, onSome: ([a, b]) => b - a })
  const legOf = (name: string, from: Address.Address, to: Address.Address): Leg => {
    const call = results.get(name)
    const read = Option.all({
      before: amount(`${name}.from.before`),
      after: amount(`${name}.from.after`),
      toBefore: amount(`${name}.to.before`),
      toAfter: amount(`${name}.to.after`)
    })
    // Who has too little to move shows nothing, and neither does a balance that cannot be read.
    if (call === undefined || Option.isNone(read) || read.value.before < scene.unit) return nothing
    if (call.outcome._tag === "Reverted") return { state: "reverted", tax: Option.none() }
    const { after, before, toAfter, toBefore } = read.value
    if (after >= before && toAfter <= toBefore) return { state: "no_effect", tax: Option.none() }
    const arrived = BigInts.min(BigInts.max(toAfter - toBefore, 0n), reported(scene.token, call, from, to))
    return { state: "moved", tax: missing(BigInts.max(before - after, scene.unit), arrived) }
  }
  const ofPool = (leg: (pool: Address.Address) => Leg): Leg =>
    Option.match(scene.pool, { onNone: () => nothing, onSome: leg })
  return trial.calls.map((call, k): Point => {
    const legs = {
      transfer: legOf(`${k}.transfer`, scene.holder, scene.peer),
      sale: ofPool((pool) => legOf(`${k}.sale`, scene.holder, pool)),
      purchase: ofPool((pool) => legOf(`${k}.purchase`, pool, scene.buyer))
    }
    const taxes = [legs.transfer, legs.sale, legs.purchase].flatMap(({ tax }) => Option.toArray(tax))
    const takenIn = (from: string, to: string): Taken => ({
      minted: BigInts.max(0n, grown(`${k}.${from}.supply`, `${k}.${to}.supply`)),
      gained: BigInts.max(0n, grown(`${k}.${from}.receiver`, `${k}.${to}.receiver`)),
      taken: BigInts.max(
        BigInts.max(0n, -grown(`${k}.${from}.holder`, `${k}.${to}.holder`)),
        // All holders sell to the pool's balance.
        trial.kind === "take" ? -grown(`${k}.${from}.pool`, `${k}.${to}.pool`) : 0n
      )
    })
    return {
      call,
      by: Option.fromNullable(trial.callers.find((_, i) => went(`${k}.by.${i}`))),
      open: went(`${k}.stranger`),
      met: {
        transfer: legs.transfer.state,
        sale: legs.sale.state,
        purchase: legs.purchase.state,
        tax_bps: taxes.length === 0 ? null : Math.max(...taxes)
      },
      stranger: takenIn("before", "between"),
      callers: takenIn("between", "after")
    }
  })
}

interface Leg {
  readonly state: MoveState
  readonly tax: Option.Option<number>
}

const nothing: Leg = { state: "unmeasured", tax: Option.none() }

/**
 * The amount that reached the other side by the token's Transfer events. The token may sell tokens of its own into the
 * pool in the same call, which the pool's balance does not separate.
 */
const reported = (token: Address.Address, call: SimulatedCall, from: Address.Address, to: Address.Address): bigint => {
  const amounts = call.logs.flatMap(({ address, data, topics }) =>
    address === token &&
    topics[0] === Selectors.topics.Transfer &&
    topics[1] === Getter.word(from) &&
    topics[2] === Getter.word(to)
      ? Option.toArray(Getter.uint(data))
      : []
  )
  return amounts.length === 0 ? 2n ** 256n - 1n : BigInts.sumAll(amounts)
}
