/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import type * as Address from "../../domain/Address.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as Getter from "../Getter.js"
import type * as ConcentratedLiquidity from "../venue/ConcentratedLiquidity.js"
import * as PositionRanges from "./PositionRanges.js"

/**
 * A position of Uniswap V3: its pool, by tokens and fee, its liquidity, and its owner; none where the manager did not
 * answer.
 */
export interface Position {
  readonly id: bigint
  readonly place: Option.Option<{
    readonly tokens: ReadonlyArray<bigint>
    readonly fee: bigint
    readonly range: ConcentratedLiquidity.Range
  }>
  readonly owner: Option.Option<Address.Address>
}

const { functions, selector, topic, topics } = Selectors

// https://github.com/Uniswap/v3-periphery/blob/main/contracts/interfaces/INonfungiblePositionManager.sol
const increaseLiquidity = topic("IncreaseLiquidity(uint256,uint128,uint256,uint256)")
const tokenOfOwnerByIndex = selector("tokenOfOwnerByIndex(address,uint256)")

// Of one account, and of all of them together: more than these leave a gap.
const mostPositionsEach = 12
const mostPositions = 48

/** The positions that a transaction put liquidity into, by the manager's events, and who got those that it made. */
export const fedBy = (
  state: ChainState["Type"],
  manager: Address.Address,
  { blockNumber, transactionHash }: Pick<Log, "blockNumber" | "transactionHash">
): Effect.Effect<
  { readonly ids: ReadonlyArray<bigint>; readonly receivers: ReadonlyArray<Address.Address> },
  ChainError
> =>
  Effect.map(
    state.logs({
      address: manager,
      topics: [[increaseLiquidity, topics.Transfer]],
      blocks: [blockNumber, blockNumber]
    }),
    ({ value }) => {
      const logs = value.logs.filter((log) => log.transactionHash === transactionHash)
      const [fed, moved] = [logs.filter(isFeeding), logs.filter((log) => !isFeeding(log))]
      return {
        ids: fed.flatMap((log) => Option.toArray(Option.map(Option.fromNullable(log.topics[1]), BigInt))),
        receivers: moved.flatMap((log) =>
          Option.toArray(Option.flatMap(Option.fromNullable(log.topics[2]), Getter.addressOfWord))
        )
      }
    }
  )

const isFeeding = (log: Log): boolean => log.topics[0] === increaseLiquidity

/** The owners of the positions that accounts have, whichever pools they are in, and whether there are more of them. */
export const ownedBy = (
  state: ChainState["Type"],
  manager: Address.Address,
  accounts: ReadonlyArray<Address.Address>
): Effect.Effect<{ readonly owners: ReadonlyMap<bigint, Address.Address>; readonly more: boolean }, ChainError> =>
  Effect.map(
    BatchRead.all(
      state,
      accounts.flatMap((account) => [
        BatchRead.balanceOf(manager, account),
        ...Array.from({ length: mostPositionsEach }, (_, index) =>
          BatchRead.get(manager, tokenOfOwnerByIndex, [Getter.word(account), Getter.word(BigInt(index))])
        )
      ])
    ),
    ({ value }) => {
      const each = accounts.map((account, place) => {
        const [[count = 0n] = [], ...ids] = value.slice(
          place * (mostPositionsEach + 1),
          (place + 1) * (mostPositionsEach + 1)
        )
        return {
          more: count > BigInt(mostPositionsEach),
          positions: ids.flatMap(([id]) => (id === undefined ? [] : [[id, account] as const]))
        }
      })
      const positions = each.flatMap(({ positions }) => positions)
      return {
        owners: new Map(positions.slice(0, mostPositions)),
        more: positions.length > mostPositions || each.some(({ more }) => more)
      }
    }
  )

/** A position as the manager returns it. The owner is read where `owners` does not have it. */
export const position = (
  state: ChainState["Type"],
  manager: Address.Address,
  id: bigint,
  owners: ReadonlyMap<bigint, Address.Address>
): Effect.Effect<Position, ChainError> => {
  const get = <A>(getter: `0x${string}`, decode: Getter.Decoder<A>) =>
    Effect.map(Getter.read(state, manager, getter, decode, [Getter.word(id)]), ({ value }) => value)
  return Effect.map(
    Together.all([
      get(functions.positions, Getter.words),
      Option.match(Option.fromNullable(owners.get(id)), {
        onSome: (owner) => Effect.succeedSome(owner),
        onNone: () => get(functions.ownerOf, Getter.address)
      })
    ]),
    ([words, owner]) => ({
      id,
      owner,
      place: Option.flatMap(words, ([, , token0, token1, fee, lower, upper, liquidity]) =>
        token0 === undefined ||
        token1 === undefined ||
        fee === undefined ||
        lower === undefined ||
        upper === undefined ||
        liquidity === undefined
          ? Option.none()
          : Option.some({
              tokens: [token0, token1],
              fee,
              range: { lower: PositionRanges.tickOf(lower), upper: PositionRanges.tickOf(upper), liquidity }
            })
      )
    })
  )
}
