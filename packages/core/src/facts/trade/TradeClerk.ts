/** @internal */
import { Option } from "effect"
import * as Simulator from "../../data/TradeSimulator.js"
import type * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Getter from "../Getter.js"
import { type Step, step } from "./SimulatedBlocks.js"
import * as TradeScene from "./TradeScene.js"

/** The code of a clerk, which reads the balances of simulated accounts and takes from them what they are to be without. */
export const code: Hex = Simulator.clerk

/** The accounts with balances to read: an account and its peer. */
export interface Pair {
  readonly sender: Address.Address
  readonly peer: Address.Address
}

/** What both have, in the token's smallest units. */
export interface Count {
  readonly own: bigint
  readonly peers: bigint
}

const balancesSelector = Selectors.selector("balances(address,address,address)")
const trimSelector = Selectors.selector("trim(address,uint256,address)")

/** Reads what a pair has. */
export const counting = (name: string, clerk: Address.Address, token: Hex, { peer, sender }: Pair): Step =>
  step(
    `${sender}.${name}`,
    sender,
    { to: clerk, data: Getter.calldata(balancesSelector, [token, sender, peer].map(Getter.word)) },
    TradeScene.gas.view
  )

/** Sends to the peer what an account has beyond an amount, by an allowance that it gave the clerk. */
export const trimming = (
  name: string,
  clerk: Address.Address,
  token: Hex,
  { peer, sender }: Pair,
  kept: bigint
): Step =>
  step(
    `${sender}.${name}`,
    sender,
    { to: clerk, data: Getter.calldata(trimSelector, [Getter.word(token), Getter.word(kept), Getter.word(peer)]) },
    TradeScene.gas.leg
  )

/** What {@link counting} found: each balance comes after a word that says whether it could be read. */
export const counted: Getter.Decoder<Count> = (data) =>
  Option.flatMap(
    Option.all([0, 32, 64, 96].map((offset) => Getter.wordAt(data, offset))),
    ([ownRead, own, peersRead, peers]) =>
      BigInt(ownRead ?? 0) === 1n && BigInt(peersRead ?? 0) === 1n
        ? Option.some({ own: BigInt(own ?? 0), peers: BigInt(peers ?? 0) })
        : Option.none()
  )
