/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import * as BlockUse from "../../chain/state/BlockUse.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type { Permit2AllowanceSet } from "../../domain/facts/Permit2Allowance.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"
import { byPlace, newest, type Permission, toOthers } from "./Permission.js"

/**
 * A wallet's Permit2 allowances; none where Permit2 is not deployed on the chain.
 *
 * @see https://github.com/Uniswap/permit2
 */
export class Permit2Allowances extends Context.Tag("@assay/core/Permit2Allowances")<
  Permit2Allowances,
  {
    readonly of: (wallet: Address.Address) => Effect.Effect<Option.Option<Reading<Permit2AllowanceSet>>, ChainError>
    /** Who was ever given a permission, newest first, whether it still is in force: known a level earlier. */
    readonly spendersEver: (wallet: Address.Address) => Effect.Effect<ReadonlyArray<Address.Address>, ChainError>
  }
>() {}

const permit2 = Address.checksum(AddressBook.permit2)

// Each costs up to three calls; nobody but the wallet can make one, so that they are few.
const mostPermissions = 48

// Half of the largest amount: Permit2 keeps amounts in 160 bits.
const unlimitedFrom = 2n ** 159n

const { functions, topics } = Selectors

const make = Effect.gen(function* () {
  const state = yield* ChainState

  const find = yield* OncePerKey.make(
    (wallet: Address.Address) => wallet,
    Effect.fn("Permit2Allowances.find")(function* (wallet: Address.Address) {
      const reads = yield* Effect.all(
        {
          code: state.code(permit2),
          // A lockdown only revokes, and what is in force is read anyway.
          scan: state.logs({
            address: permit2,
            topics: [[topics.Permit2Approval, topics.Permit2Permit], Getter.word(wallet)]
          })
        },
        { concurrency: "unbounded", mode: "either" }
      )
      // No events of a contract that is not there have failed nothing.
      if (Bytecode.isEmpty((yield* reads.code).value)) return Option.none()
      const scan = yield* reads.scan
      const given = toOthers(scan.value.logs, placeOf, wallet)
      return Option.some({ scan, permissions: newest(given, placeOf, mostPermissions) })
    })
  )

  const inForce = (wallet: Address.Address, { spender, token }: Permission) =>
    Effect.map(
      Together.all({
        granted: Getter.read(state, permit2, functions.permit2Allowance, allowance, [
          Getter.word(wallet),
          Getter.word(token),
          Getter.word(spender)
        ]),
        tokenAllowance: Getter.read(state, token, functions.allowance, Getter.uint, [
          Getter.word(wallet),
          Getter.word(permit2)
        ]),
        balance: Effect.either(Getter.read(state, token, functions.balanceOf, Getter.uint, [Getter.word(wallet)]))
      }),
      ({ balance, granted, tokenAllowance }): Answered =>
        Option.match(granted.value, {
          onNone: () => ({ allowances: [], unread: [{ token, spender, reason: "inconclusive" }] }),
          onSome: ({ amount, expiration, nonce }) => ({
            // Permit2 refuses after the end, and not at it.
            allowances:
              amount === 0n || BlockUse.hasReached(state.block, "time", expiration + 1n)
                ? []
                : [
                    {
                      token,
                      spender,
                      amount: Quantity.make(amount),
                      unlimited: amount >= unlimitedFrom,
                      expires_at: Number(expiration),
                      nonce: Number(nonce),
                      token_allowance: Option.getOrNull(Option.map(tokenAllowance.value, Quantity.make)),
                      balance: Option.getOrNull(
                        Option.map(
                          Option.flatMap(Either.getRight(balance), ({ value }) => value),
                          Quantity.make
                        )
                      )
                    }
                  ],
            unread: []
          })
        })
    )

  const read = Effect.fn("Permit2Allowances.of")(function* (wallet: Address.Address) {
    const found = yield* find(wallet)
    if (Option.isNone(found)) return Option.none()
    const { permissions, scan } = found.value
    const answers = yield* Together.forEach(permissions.kept, (permission) =>
      Effect.catchAll(inForce(wallet, permission), ({ reason }) =>
        Effect.succeed<Answered>({ allowances: [], unread: [{ ...permission, reason }] })
      )
    )
    const set: Permit2AllowanceSet = {
      allowances: answers.flatMap(({ allowances }) => allowances).sort(byPlace),
      unread: answers.flatMap(({ unread }) => unread).sort(byPlace),
      from_block: scan.value.fromBlock,
      to_block: scan.value.toBlock,
      complete: scan.value.complete && permissions.all
    }
    return Option.some({ value: set, observation: scan.observation })
  })

  const spendersEver = (wallet: Address.Address) =>
    Effect.map(
      find(wallet),
      Option.match({
        onNone: () => [],
        onSome: ({ permissions }) => permissions.kept.map(({ spender }) => spender)
      })
    )

  return Permit2Allowances.of({ of: yield* OncePerKey.make((wallet: Address.Address) => wallet, read), spendersEver })
})

/** Finds permissions by Permit2's events and reads what is in force at the pinned block: two levels. */
export const layer: Layer.Layer<Permit2Allowances, never, ChainState> = Layer.scoped(Permit2Allowances, make)

type Answered = Pick<Permit2AllowanceSet, "allowances" | "unread">

const placeOf = ({ topics }: { readonly topics: ReadonlyArray<Hex> }) => ({ token: topics[2], spender: topics[3] })

const allowance: Getter.Decoder<{
  readonly amount: bigint
  readonly expiration: bigint
  readonly nonce: bigint
}> = (data) =>
  Option.all({
    amount: Option.filter(bits(data, 0), (value) => value < 1n << 160n),
    expiration: Option.filter(bits(data, 32), (value) => value < 1n << 48n),
    nonce: Option.filter(bits(data, 64), (value) => value < 1n << 48n)
  })

const bits = (data: Hex, offset: number): Option.Option<bigint> => Option.map(Getter.wordAt(data, offset), BigInt)
