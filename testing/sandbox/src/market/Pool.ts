import type { Address, Hex } from "viem"
import { encodeAbiParameters, encodePacked, getCreate2Address, keccak256 } from "viem/utils"
import { addresses, artifacts } from "./Infrastructure.js"

const sorted = (a: Address, b: Address): readonly [Address, Address] =>
  a.toLowerCase() < b.toLowerCase() ? [a, b] : [b, a]

/** keccak256 of the creation code of a Uniswap V2 pair; on mainnet `0x96e8ac42…845f`. */
export const v2InitCodeHash = (): Hex => {
  hash ??= keccak256(artifacts().v2Pair.bytecode)
  return hash
}

let hash: Hex | undefined

/** keccak256 of the creation code of a Uniswap V3 pool, from Uniswap's `PoolAddress.sol`. */
export const v3InitCodeHash = "0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54"

/** The address of the Uniswap V2 pair of two tokens. */
export const v2Address = (a: Address, b: Address): Address =>
  getCreate2Address({
    from: addresses.uniswapV2Factory,
    salt: keccak256(encodePacked(["address", "address"], [...sorted(a, b)])),
    bytecodeHash: v2InitCodeHash()
  })

/** The address of the Uniswap V3 pool of two tokens; `fee` in hundredths of a basis point. */
export const v3Address = (a: Address, b: Address, fee: number): Address =>
  getCreate2Address({
    from: addresses.uniswapV3Factory,
    salt: keccak256(
      encodeAbiParameters([{ type: "address" }, { type: "address" }, { type: "uint24" }], [...sorted(a, b), fee])
    ),
    bytecodeHash: v3InitCodeHash
  })
