/** @internal */

import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import * as Slots from "./Slots.js"

/**
 * Whether a slot is one that a standard or a library names: the hash of a name that it publishes, and so no entry of a
 * mapping; or one of the variables behind it.
 */
export const has = (slot: bigint): boolean =>
  words.has(slot) || structs.some((first) => slot >= first && slot < first + maxMembers)

/** How many slots the variables are in that a library keeps together, at most. */
const maxMembers = 16n

const words: ReadonlySet<bigint> = new Set(
  [
    Slots.implementation,
    Slots.admin,
    Slots.beacon,
    Slots.proxiable,
    Slots.zeppelinOsImplementation,
    Slots.zeppelinOsAdmin,
    Slots.polygonImplementation,
    Slots.polygonOwner,
    Slots.safeGuard,
    Slots.safeFallbackHandler,
    Slots.safeModuleGuard,
    Slots.hyperCoreDeployer
  ].map((slot) => BigInt(slot))
)

/**
 * @see https://github.com/solidstate-network/solidstate-solidity
 * @see https://github.com/chiru-labs/ERC721A-Upgradeable
 */
const names = [
  ...[
    "AccessControl",
    "DiamondBase",
    "ECDSAMultisigWallet",
    "ERC1155Base",
    "ERC1155Enumerable",
    "ERC1155Metadata",
    "ERC1271Stored",
    "ERC1404Base",
    "ERC165Base",
    "ERC20Base",
    "ERC20ImplicitApproval",
    "ERC20Metadata",
    "ERC20Permit",
    "ERC20Snapshot",
    "ERC2981",
    "ERC4626Base",
    "ERC721Base",
    "ERC721Metadata",
    "Initializable",
    "Ownable",
    "PartiallyPausable",
    "Pausable",
    "ReentrancyGuard",
    "SafeOwnable",
    "UpgradeableProxy"
  ].map((name) => `solidstate.contracts.storage.${name}`),
  ...["ERC721A", "initializable.facet", "ERC4907A"].map((name) => `ERC721A.contracts.storage.${name}`)
]

const structs: ReadonlyArray<bigint> = [
  Slots.diamondStorage,
  ...names.map((name) => Hash.keccak256(OxHex.fromString(name)))
].map((slot) => BigInt(slot))
