import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import type { Hex } from "../../domain/Hex.js"

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`

const hashOf = (text: string): Hex => Hash.keccak256(OxHex.fromString(text))

/**
 * The slot that EIP-1967 gives a label: `keccak256(label) - 1`.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967
 * @since 0.1.0
 * @category constructors
 */
export const eip1967 = (label: string): Hex => word(BigInt(hashOf(label)) - 1n)

/**
 * The first slot of an ERC-7201 namespace: `keccak256(keccak256(id) - 1) & ~0xff`.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7201
 * @since 0.1.0
 * @category constructors
 */
export const erc7201 = (id: string): Hex => word(BigInt(Hash.keccak256(word(BigInt(hashOf(id)) - 1n))) & ~0xffn)

/**
 * The slot of a Solidity mapping's entry: `keccak256(key . slot)`, both as 32-byte words.
 *
 * @see https://docs.soliditylang.org/en/latest/internals/layout_in_storage.html
 * @since 0.1.0
 * @category constructors
 */
export const mapping = (key: Hex, slot: Hex): Hex => Hash.keccak256(OxHex.concat(word(BigInt(key)), word(BigInt(slot))))

/**
 * The slot `offset` places after another one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const plus = (slot: Hex, offset: bigint): Hex => word(BigInt.asUintN(256, BigInt(slot) + offset))

/**
 * EIP-1967 implementation (logic contract) slot.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967#logic-contract-address
 * @since 0.1.0
 * @category models
 */
export const implementation: Hex = eip1967("eip1967.proxy.implementation")

/**
 * EIP-1967 admin slot.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967#admin-address
 * @since 0.1.0
 * @category models
 */
export const admin: Hex = eip1967("eip1967.proxy.admin")

/**
 * EIP-1967 beacon slot.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967#beacon-contract-address
 * @since 0.1.0
 * @category models
 */
export const beacon: Hex = eip1967("eip1967.proxy.beacon")

/**
 * EIP-1822 (UUPS) logic contract slot.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1822
 * @since 0.1.0
 * @category models
 */
export const proxiable: Hex = hashOf("PROXIABLE")

/**
 * Implementation slot of the ZeppelinOS proxies that came before EIP-1967 (the first USDC proxy is one).
 *
 * @see https://github.com/OpenZeppelin/openzeppelin-labs/tree/master/upgradeability_using_unstructured_storage
 * @since 0.1.0
 * @category models
 */
export const zeppelinOsImplementation: Hex = hashOf("org.zeppelinos.proxy.implementation")

/**
 * Admin slot of the ZeppelinOS proxies that came before EIP-1967.
 *
 * @see https://github.com/OpenZeppelin/openzeppelin-labs/tree/master/upgradeability_using_unstructured_storage
 * @since 0.1.0
 * @category models
 */
export const zeppelinOsAdmin: Hex = hashOf("org.zeppelinos.proxy.admin")

/**
 * Implementation slot of Polygon's (Matic) `UpgradableProxy`.
 *
 * @see https://github.com/maticnetwork/pos-portal/blob/master/contracts/common/Proxy/UpgradableProxy.sol
 * @since 0.1.0
 * @category models
 */
export const polygonImplementation: Hex = hashOf("matic.network.proxy.implementation")

/**
 * Owner slot of Polygon's (Matic) `UpgradableProxy`.
 *
 * @see https://github.com/maticnetwork/pos-portal/blob/master/contracts/common/Proxy/UpgradableProxy.sol
 * @since 0.1.0
 * @category models
 */
export const polygonOwner: Hex = hashOf("matic.network.proxy.owner")

/**
 * First slot of the storage that the reference diamonds use.
 *
 * @see https://eips.ethereum.org/EIPS/eip-2535#diamond-storage
 * @since 0.1.0
 * @category models
 */
export const diamondStorage: Hex = hashOf("diamond.standard.diamond.storage")

/**
 * Slot 0, where a Safe proxy keeps its singleton.
 *
 * @see https://github.com/safe-global/safe-smart-account/blob/main/contracts/proxies/SafeProxy.sol
 * @since 0.1.0
 * @category models
 */
export const safeSingleton: Hex = word(0n)

/**
 * Slot of a Safe's transaction guard.
 *
 * @see https://github.com/safe-global/safe-smart-account/blob/main/contracts/base/GuardManager.sol
 * @since 0.1.0
 * @category models
 */
export const safeGuard: Hex = hashOf("guard_manager.guard.address")

/**
 * Slot of a Safe's fallback handler.
 *
 * @see https://github.com/safe-global/safe-smart-account/blob/main/contracts/base/FallbackManager.sol
 * @since 0.1.0
 * @category models
 */
export const safeFallbackHandler: Hex = hashOf("fallback_manager.handler.address")

/**
 * Slot of the module guard that Safe 1.5 added.
 *
 * @see https://github.com/safe-global/safe-smart-account/blob/main/contracts/base/ModuleManager.sol
 * @since 0.1.0
 * @category models
 */
export const safeModuleGuard: Hex = hashOf("module_manager.module_guard.address")

/**
 * Where a token of HyperEVM keeps who may link it to one of HyperCore.
 *
 * @see https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/hyperevm/hypercore-less-than-greater-than-hyperevm-transfers
 * @since 0.1.0
 * @category models
 */
export const hyperCoreDeployer: Hex = hashOf("HyperCore deployer")

/**
 * `_initialized` (uint64, low 8 bytes) and `_initializing` of OpenZeppelin 5 `Initializable`.
 *
 * @see https://github.com/OpenZeppelin/openzeppelin-contracts/blob/master/contracts/proxy/utils/Initializable.sol
 * @since 0.1.0
 * @category models
 */
export const initializable: Hex = erc7201("openzeppelin.storage.Initializable")

/**
 * `_owner` of OpenZeppelin 5 `OwnableUpgradeable`.
 *
 * @see https://github.com/OpenZeppelin/openzeppelin-contracts-upgradeable/blob/master/contracts/access/OwnableUpgradeable.sol
 * @since 0.1.0
 * @category models
 */
export const ownable: Hex = erc7201("openzeppelin.storage.Ownable")
