import { pbkdf2Sync } from "node:crypto"
import type { Address } from "viem"
import { HDKey, hdKeyToAccount } from "viem/accounts"
import { getAddress, keccak256, slice, stringToHex } from "viem/utils"
import type { JsonRpc } from "./JsonRpc.js"

/** Foundry's and Hardhat's well-known development mnemonic: these keys are public, everywhere. */
export const mnemonic = "test test test test test test test test test test test junk"

/** The part that each of anvil's unlocked accounts plays, in the order of their derivation. */
export const names = [
  "maker",
  "deployer",
  "issuer",
  "safeOwner1",
  "safeOwner2",
  "safeOwner3",
  "proxyOwner",
  "beaconOwner",
  "diamondOwner",
  "rewards",
  "keeper",
  "spender",
  "usdcAdmin",
  "usdcOwner",
  "usdcMasterMinter",
  "usdcPauser",
  "usdcBlacklister",
  "usdcMinter",
  "holder",
  "approver",
  "trader1",
  "trader2",
  "trader3",
  "trader4",
  "trader5",
  "trader6",
  "thief",
  "exposed",
  "permitted",
  "collector",
  "sanctioned",
  "frozen",
  "poisoned",
  "usdtOwner",
  "blackListed"
] as const

/** The name of an unlocked account. */
export type Name = (typeof names)[number]

/** The unlocked accounts; a transaction `from` one of them needs no signature. */
export type Accounts = Readonly<Record<Name, Address>>

const named = (address: (index: number) => string): Accounts =>
  Object.fromEntries(names.map((name, index) => [name, getAddress(address(index))])) as Accounts

/** Reads the accounts of the chain, so that the slow key derivation happens in anvil only. */
export const read = async (rpc: JsonRpc): Promise<Accounts> => {
  const addresses = (await rpc.call("eth_accounts")) as ReadonlyArray<string>
  return named((index) => addresses[index] ?? "")
}

/** Derives the same accounts where there is no chain, as BIP-39 and BIP-44 say; takes a few tenths of a second. */
export const derive = (): Accounts => {
  const root = HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, "mnemonic", 2_048, 64, "sha512"))
  return named((addressIndex) => hdKeyToAccount(root, { addressIndex }).address)
}

/** Whom a contract names where it means nobody. */
export const nobody: Address = "0x0000000000000000000000000000000000000000"

/** Where tokens are burned: nobody has its key. */
export const burnt: Address = "0x000000000000000000000000000000000000dEaD"

/** An address that nobody has a key of, derived from a text. */
export const keyless = (text: string): Address => getAddress(slice(keccak256(stringToHex(text)), 12))
