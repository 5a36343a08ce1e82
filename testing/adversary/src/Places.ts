import { Account, Infrastructure } from "@assay/sandbox"
import type { Address, Hex } from "viem"
import { concat, encodePacked, getCreate2Address, keccak256, padHex, slice, toHex } from "viem/utils"

/** When tokens are deployed: every chain of the machine is the same, so sources may name moments. */
export const start = { timestamp: 1_735_776_000, block: 10 } as const

/** Seconds. */
export const day = 86_400

/** Where what is sent elsewhere goes. Nobody has the key. */
export const cold = (seed: number): Address => Account.keyless(`assay adversary: cold ${seed}`)

/** An account with a balance of the coin that conditions read. Nobody has the key. */
export const purse = (seed: number): Address => Account.keyless(`assay adversary: purse ${seed}`)

/** Code of one byte, for a contract that is born later. */
export const seedling: Hex = "0x6001600c60003960016000f300"

export const salt = (seed: number): Hex => padHex(toHex(seed), { size: 32 })

/** Where the CREATE2 deployer puts a creation code. */
export const bornAt = (seed: number, creation: Hex): Address =>
  getCreate2Address({
    from: Infrastructure.addresses.deterministicDeployer,
    salt: salt(seed),
    bytecodeHash: keccak256(creation)
  })

/** What a lever requires that has no key: who knows it may use it. */
export const word = (seed: number): Hex => keccak256(encodePacked(["string", "uint256"], ["assay word", BigInt(seed)]))

/** A slot that no variable has. */
export const slot = (seed: number): Hex =>
  keccak256(encodePacked(["string", "uint256"], ["assay adversary", BigInt(seed)]))

/** A slot as ERC-7201 places structs: its last byte is zero. */
export const namespace = (seed: number): Hex => concat([slice(slot(seed), 0, 31), "0x00"])
