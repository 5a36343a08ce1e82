/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import * as Hash from "ox/Hash"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { TokenProfile, TokenStandard } from "../../domain/facts/TokenProfile.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as StorageFlow from "../../evm/summary/StorageFlow.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"

/** What a token says of itself and which interface it answers to. */
export class Token extends Context.Tag("@assay/core/Token")<
  Token,
  {
    readonly of: (address: Address.Address) => Effect.Effect<Reading<TokenProfile>, ChainError>
    /**
     * Whether it is an NFT collection and no coin. Any contract can claim the interface; one with ERC-20 allowances, or
     * with a function for them, can be traded as a coin.
     */
    readonly isCollection: (address: Address.Address) => Effect.Effect<boolean, ChainError>
    /** Name and symbol with every character that the contract put into them: for judging, never for showing. */
    readonly written: (address: Address.Address) => Effect.Effect<Reading<WrittenNames>, ChainError>
  }
>() {}

/** A token's names as its contract gave them; none where it has no such getter. */
export interface WrittenNames {
  readonly name: Option.Option<Getter.WrittenText>
  readonly symbol: Option.Option<Getter.WrittenText>
}

const { functions, interfaceIds } = Selectors

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const read = Effect.fn("Token.of")(function* (address: Address.Address) {
    // Its failure only matters for the test for a collection.
    const code = Effect.either(Effect.map(state.code(address), ({ value }) => value))
    const get = <A>(selector: Hex, decode: Getter.Decoder<A>, args: ReadonlyArray<Hex> = []) =>
      Effect.map(Getter.read(state, address, selector, decode, args), ({ observation, value }) => ({
        value: Option.getOrNull(value),
        observation
      }))
    const supports = (id: Hex) => get(functions.supportsInterface, Getter.bool, [Getter.leftAligned(id)])
    const all = yield* Together.all({
      code,
      name: get(functions.name, Getter.text),
      symbol: get(functions.symbol, Getter.text),
      decimals: get(functions.decimals, decimals),
      totalSupply: get(functions.totalSupply, Getter.uint),
      strangersBalance: get(functions.balanceOf, Getter.uint, [Getter.word(stranger(address))]),
      strangersAllowance: get(functions.allowance, Getter.uint, [Getter.word(1n), Getter.word(2n)]),
      asset: get(functions.asset, Getter.address),
      shareValue: get(functions.convertToAssets, Getter.uint, [Getter.word(10n ** 18n)]),
      supportsInvalid: supports(interfaceIds.invalid),
      supportsErc721: supports(interfaceIds.erc721),
      supportsErc1155: supports(interfaceIds.erc1155)
    })
    // A contract with a fallback that answers everything is no token: an unrelated account has no balance or allowance,
    // and no contract may claim the interface 0xffffffff (https://eips.ethereum.org/EIPS/eip-165).
    const standard: TokenStandard =
      all.supportsInvalid.value === false && all.supportsErc721.value === true
        ? "erc721"
        : all.supportsInvalid.value === false && all.supportsErc1155.value === true
          ? "erc1155"
          : all.totalSupply.value === null ||
              all.strangersBalance.value !== 0n ||
              all.strangersAllowance.value !== 0n ||
              all.supportsInvalid.value === true
            ? "none"
            : all.asset.value !== null && all.asset.value !== Address.zero && all.shareValue.value !== null
              ? "erc4626"
              : "erc20"
    const profile: TokenProfile = {
      standard,
      name: all.name.value,
      symbol: all.symbol.value,
      decimals: all.decimals.value,
      total_supply: all.totalSupply.value === null ? null : Quantity.make(all.totalSupply.value)
    }
    const decisive = claimed.has(standard) ? all.supportsErc721 : all.totalSupply
    return {
      value: profile,
      observation: decisive.observation,
      code: all.code,
      answersAllowance: all.strangersAllowance.value !== null
    }
  })
  const reading = yield* OncePerKey.make((address: Address.Address) => address, read)
  const isCollection = Effect.fn("Token.isCollection")(function* (address: Address.Address) {
    const { answersAllowance, code, value } = yield* reading(address)
    if (!claimed.has(value.standard) || answersAllowance) return false
    const dispatched = yield* StorageFlow.selectorsOf(yield* code)
    return !dispatched.includes(functions.allowance)
  })
  const written = Effect.fn("Token.written")(function* (address: Address.Address) {
    const { name, symbol } = yield* Together.all({
      name: Getter.read(state, address, functions.name, Getter.writtenText),
      symbol: Getter.read(state, address, functions.symbol, Getter.writtenText)
    })
    return { value: { name: name.value, symbol: symbol.value }, observation: name.observation }
  })
  return Token.of({
    of: (address) => Effect.map(reading(address), ({ observation, value }) => ({ value, observation })),
    isCollection,
    written
  })
})

/** Reads everything in one level. */
export const layer: Layer.Layer<Token, never, ChainState> = Layer.scoped(Token, make)

/** Standards that a contract is believed to have if it claims them. */
const claimed: ReadonlySet<TokenStandard> = new Set(["erc721", "erc1155"])

const decimals: Getter.Decoder<number> = (data) => Option.filter(Getter.int(data), (value) => value <= 255)

/**
 * An address that nobody has, the same at every analysis of this token, so that a balance there is no balance.
 */
const stranger = (token: Address.Address): Address.Address =>
  Address.checksum(`0x${Hash.keccak256(token.toLowerCase() as Hex).slice(-40)}`)
