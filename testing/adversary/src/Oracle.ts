import type { Address } from "viem"
import { type Composition, taking, timely } from "./Composition.js"
import * as Deed from "./Deed.js"
import type { Setting, Transaction } from "./Ground.js"
import { balances, holdersOf, type Trade, type Trades, trade } from "./Market.js"
import * as Places from "./Places.js"

/** What a holder can suffer; each is a row of the table of claims (`Judge`). */
export type Row = "stopped" | "stoppedInTime" | "taxed" | "inflated" | "unissued" | "seized"

/** What was seen of a token on the chain. */
export interface Truth {
  /** Whether sales and transfers succeeded before the deed. */
  readonly isControlled: boolean
  readonly rows: ReadonlyArray<Row>
  /** What was done, one line each. */
  readonly log: ReadonlyArray<string>
}

/** Whether every sale and every transfer came about as a whole. */
const isFree = ({ isOverspent, sales, transfers }: Trades): boolean =>
  !isOverspent && [...sales, ...transfers].every(({ arrived, isDone, sent }) => isDone && arrived * 100n >= sent * 98n)

const none = (trades: ReadonlyArray<Trade>): boolean => trades.every(({ isDone }) => !isDone)

const share = ({ arrived, sent }: Trade): number => (sent === 0n ? 1 : Number((arrived * 10_000n) / sent) / 10_000)

/** Whether what arrives is less by more than ten points, in every trade that came about. */
const isTaxed = (before: ReadonlyArray<Trade>, after: ReadonlyArray<Trade>): boolean => {
  const pairs = after.flatMap((trade, i) => (trade.isDone ? [[before[i] as Trade, trade] as const] : []))
  return pairs.length > 0 && pairs.every(([was, is]) => share(was) - share(is) > 0.1)
}

const tradeRows = (before: Trades, after: Trades, isInTime: boolean): ReadonlyArray<Row> => {
  if (none(after.sales) || none(after.transfers)) return [isInTime ? "stoppedInTime" : "stopped"]
  return isTaxed(before.sales, after.sales) || isTaxed(before.transfers, after.transfers) || after.isOverspent
    ? ["taxed"]
    : []
}

interface Held {
  readonly supply: bigint
  readonly holders: ReadonlyArray<bigint>
  readonly pool: bigint
  readonly keys: bigint
  readonly all: bigint
}

/** A thousandth of a token: less is rounding. */
const least = 10n ** 15n

const read = async (scene: Deed.Scene): Promise<Held> => {
  const { composition, compiled, ground, listed } = scene
  const holders = holdersOf(ground)
  const { maker, trader4, trader5 } = ground.accounts
  const keys = [...new Set([maker, Deed.keyOf(composition, ground, compiled)])]
  const rest: ReadonlyArray<Address> = [
    trader4,
    trader5,
    listed.token,
    "0x000000000000000000000000000000000000dEaD",
    Places.cold(composition.seed)
  ]
  const [supply = 0n, ...amounts] = await balances(ground, listed.token, [...holders, ...keys, listed.pool, ...rest])
  const sum = (items: ReadonlyArray<bigint>): bigint => items.reduce((total, item) => total + item, 0n)
  return {
    supply,
    holders: amounts.slice(0, holders.length),
    pool: amounts[holders.length + keys.length] ?? 0n,
    keys: sum(amounts.slice(holders.length, holders.length + keys.length)),
    all: sum(amounts)
  }
}

const bookRows = (before: Held, after: Held): ReadonlyArray<Row> => [
  ...(after.supply > before.supply + least || (after.keys > before.keys + least && after.all > before.all + least)
    ? (["inflated"] as const)
    : []),
  // Accounts that hold more than there is, from the first.
  ...(after.all > after.supply + least && before.all > before.supply + least ? (["unissued"] as const) : []),
  // A pool holds what holders sell for: nothing here buys more than a crumb of it.
  ...(after.holders.some((amount, i) => amount + least < (before.holders[i] ?? 0n)) || after.pool + least < before.pool
    ? (["seized"] as const)
    : [])
]

/** Does the steps, and returns what they set for the blocks after them. */
const perform = async (scene: Deed.Scene, steps: ReadonlyArray<Deed.Step>, log: Array<string>): Promise<Setting> => {
  const { ground } = scene
  let setting: Setting = {}
  let timestamp: number | undefined
  for (const step of steps) {
    switch (step.kind) {
      case "send": {
        if (step.transactions.length === 0) break
        const receipts = await ground.mine(step.transactions, { ...setting, timestamp })
        timestamp = undefined
        for (const [i, transaction] of step.transactions.entries()) log.push(line(transaction, receipts[i]?.status))
        break
      }
      case "until":
        timestamp = step.timestamp
        log.push(`wait until day ${((step.timestamp - Places.start.timestamp) / Places.day).toFixed(1)}`)
        break
      case "wait":
        timestamp = (await ground.head()).timestamp + step.seconds
        log.push(`wait ${step.seconds} s`)
        break
      case "blocks":
        await ground.pass(step.count)
        log.push(`wait ${step.count} blocks`)
        break
      case "fee":
        setting = { ...setting, baseFee: step.baseFee }
        log.push(`the base fee is ${step.baseFee / 10n ** 9n} gwei`)
        break
    }
  }
  return { ...setting, timestamp }
}

const line = ({ data, from, label, to, value }: Transaction, status: string | undefined): string =>
  `${status === "0x1" ? "ok    " : "failed"} ${label}: from ${from} to ${to ?? "a new contract"} value ${value ?? 0n} data ${
    data === undefined ? "0x" : data.length > 700 ? `${data.slice(0, 60)}… (${(data.length - 2) / 2} bytes)` : data
  }`

/** Whether what happens needs a call of an account. */
const isInTime = (c: Composition): boolean => timely.has(c.condition)

/** Does the deed of a trap, and sees what holders can do before and after it. Everything is taken back. */
export const prove = (scene: Deed.Scene): Promise<Truth> =>
  scene.ground.undone(async () => {
    const log: Array<string> = []
    const before = await trade(scene.ground, scene.listed)
    if (!isFree(before)) return { isControlled: false, rows: [], log: ["sales or transfers failed before the deed"] }
    const { composition: c } = scene
    const steps = await Deed.steps(scene)
    if (taking.has(c.effect)) {
      const held = await read(scene)
      await perform(scene, steps, log)
      return { isControlled: true, rows: bookRows(held, await read(scene)), log }
    }
    const setting = await perform(scene, steps, log)
    const after = await trade(scene.ground, scene.listed, setting)
    log.push(`then ${count(after.sales)} sales and ${count(after.transfers)} transfers come about`)
    return { isControlled: true, rows: tradeRows(before, after, isInTime(c)), log }
  })

const count = (trades: ReadonlyArray<Trade>): string =>
  `${trades.filter(({ isDone }) => isDone).length} of ${trades.length}`

/**
 * Tries every deed of the grammar on a twin: its own composition's first, at the moment at which the trap was tried, then
 * the calls of every other lever, every circumstance, and moments of a year. Everything is taken back.
 */
export const disprove = (scene: Deed.Scene): Promise<Truth> =>
  scene.ground.undone(async () => {
    const { ground, listed } = scene
    const log: Array<string> = []
    const rows = new Set<Row>()
    const before = await trade(ground, listed)
    if (!isFree(before)) return { isControlled: false, rows: [], log: ["sales or transfers of the twin failed"] }
    const held = await read(scene)
    const look = (trades: Trades, inTime: boolean): void => {
      for (const row of tradeRows(before, trades, inTime)) rows.add(row)
    }
    const count = async (): Promise<void> => {
      for (const row of bookRows(held, await read(scene))) rows.add(row)
    }
    const own = await Deed.steps(scene)
    await ground.undone(async () => {
      const setting = await perform(scene, own, log)
      await count()
      look(await trade(ground, listed, setting), isInTime(scene.composition))
    })
    await perform(scene, await Deed.everything(scene), [])
    await count()
    look(await trade(ground, listed, { baseFee: Deed.highFee }), false)
    const { timestamp } = await ground.head()
    // What time does, it does to all: one holder is enough to see it.
    for (const days of [40, 100, 180, 270, 360])
      look(
        await trade(ground, listed, { timestamp: timestamp + days * Places.day }, holdersOf(ground).slice(0, 1)),
        true
      )
    return { isControlled: true, rows: [...rows], log }
  })
