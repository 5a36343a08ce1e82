import { Effect } from "effect"
import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import type { Hex } from "../../domain/Hex.js"
import * as Evmole from "./Evmole.js"

const hashes = new Map<string, Hex>()

const hash = (signature: string): Hex => {
  const known = hashes.get(signature)
  if (known !== undefined) return known
  const computed = Hash.keccak256(OxHex.fromString(signature))
  hashes.set(signature, computed)
  return computed
}

/**
 * The 4-byte selector of a canonical function signature such as `transfer(address,uint256)`.
 *
 * @see https://docs.soliditylang.org/en/latest/abi-spec.html#function-selector
 * @since 0.1.0
 * @category constructors
 */
export const selector = (signature: string): Hex => hash(signature).slice(0, 10) as Hex

/**
 * The 32-byte first topic of a canonical event signature such as `Transfer(address,address,uint256)`.
 *
 * @see https://docs.soliditylang.org/en/latest/abi-spec.html#events
 * @since 0.1.0
 * @category constructors
 */
export const topic = (signature: string): Hex => hash(signature)

const derive = <const T extends Record<string, string>>(
  signatures: T,
  by: (signature: string) => Hex
): { readonly [K in keyof T]: Hex } => {
  const derived: Record<string, Hex> = {}
  for (const [name, signature] of Object.entries(signatures)) derived[name] = by(signature)
  return derived as { readonly [K in keyof T]: Hex }
}

/**
 * The signatures behind {@link functions}; a name is the function's own unless two signatures share it.
 *
 * @since 0.1.0
 * @category models
 */
export const signatures = {
  // https://eips.ethereum.org/EIPS/eip-20
  name: "name()",
  symbol: "symbol()",
  decimals: "decimals()",
  totalSupply: "totalSupply()",
  balanceOf: "balanceOf(address)",
  transfer: "transfer(address,uint256)",
  transferFrom: "transferFrom(address,address,uint256)",
  approve: "approve(address,uint256)",
  allowance: "allowance(address,address)",
  // OpenZeppelin ERC20 4.x
  increaseAllowance: "increaseAllowance(address,uint256)",
  decreaseAllowance: "decreaseAllowance(address,uint256)",
  // OpenZeppelin ERC20Burnable
  burn: "burn(uint256)",
  burnFrom: "burnFrom(address,uint256)",
  mint: "mint(address,uint256)",
  // https://eips.ethereum.org/EIPS/eip-165
  supportsInterface: "supportsInterface(bytes4)",
  // https://eips.ethereum.org/EIPS/eip-721
  ownerOf: "ownerOf(uint256)",
  setApprovalForAll: "setApprovalForAll(address,bool)",
  isApprovedForAll: "isApprovedForAll(address,address)",
  // https://eips.ethereum.org/EIPS/eip-4626
  asset: "asset()",
  totalAssets: "totalAssets()",
  convertToAssets: "convertToAssets(uint256)",
  // https://eips.ethereum.org/EIPS/eip-2612
  permit: "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
  nonces: "nonces(address)",
  domainSeparator: "DOMAIN_SEPARATOR()",
  // WETH9
  deposit: "deposit()",
  withdraw: "withdraw(uint256)",
  // https://eips.ethereum.org/EIPS/eip-173 and the getters tokens use in its place
  owner: "owner()",
  getOwner: "getOwner()",
  admin: "admin()",
  governance: "governance()",
  authority: "authority()",
  transferOwnership: "transferOwnership(address)",
  renounceOwnership: "renounceOwnership()",
  // OpenZeppelin Ownable2Step
  pendingOwner: "pendingOwner()",
  acceptOwnership: "acceptOwnership()",
  // OpenZeppelin AccessControl, AccessControlEnumerable, AccessControlDefaultAdminRules
  hasRole: "hasRole(bytes32,address)",
  getRoleAdmin: "getRoleAdmin(bytes32)",
  getRoleMember: "getRoleMember(bytes32,uint256)",
  getRoleMemberCount: "getRoleMemberCount(bytes32)",
  grantRole: "grantRole(bytes32,address)",
  revokeRole: "revokeRole(bytes32,address)",
  renounceRole: "renounceRole(bytes32,address)",
  defaultAdmin: "defaultAdmin()",
  pendingDefaultAdmin: "pendingDefaultAdmin()",
  // OpenZeppelin Pausable
  paused: "paused()",
  pause: "pause()",
  unpause: "unpause()",
  // Circle FiatToken and Tether
  isBlacklisted: "isBlacklisted(address)",
  isBlackListed: "isBlackListed(address)",
  // https://eips.ethereum.org/EIPS/eip-897
  implementation: "implementation()",
  proxyType: "proxyType()",
  // Dharma upgrade beacon
  childImplementation: "childImplementation()",
  // Safe proxy
  masterCopy: "masterCopy()",
  // Compound Unitroller
  comptrollerImplementation: "comptrollerImplementation()",
  // https://eips.ethereum.org/EIPS/eip-2535
  facets: "facets()",
  facetAddresses: "facetAddresses()",
  facetAddress: "facetAddress(bytes4)",
  diamondCut: "diamondCut((address,uint8,bytes4[])[],address,bytes)",
  // https://eips.ethereum.org/EIPS/eip-1822 and OpenZeppelin UUPSUpgradeable
  proxiableUUID: "proxiableUUID()",
  updateCodeAddress: "updateCodeAddress(address)",
  upgradeTo: "upgradeTo(address)",
  upgradeToAndCall: "upgradeToAndCall(address,bytes)",
  upgradeInterfaceVersion: "UPGRADE_INTERFACE_VERSION()",
  // OpenZeppelin ProxyAdmin
  upgrade: "upgrade(address,address)",
  upgradeAndCall: "upgradeAndCall(address,address,bytes)",
  getProxyAdmin: "getProxyAdmin(address)",
  initialize: "initialize()",
  // OpenZeppelin TimelockController, Compound Timelock
  getMinDelay: "getMinDelay()",
  delay: "delay()",
  // DSAuthority, OpenZeppelin AccessManager
  canCall: "canCall(address,address,bytes4)",
  // OpenZeppelin Governor, Compound GovernorBravo
  votingDelay: "votingDelay()",
  votingPeriod: "votingPeriod()",
  timelock: "timelock()",
  // Safe
  getThreshold: "getThreshold()",
  getOwners: "getOwners()",
  version: "VERSION()",
  nonce: "nonce()",
  getModulesPaginated: "getModulesPaginated(address,uint256)",
  getStorageAt: "getStorageAt(uint256,uint256)",
  // Chainalysis sanctions oracle
  isSanctioned: "isSanctioned(address)",
  // https://eips.ethereum.org/EIPS/eip-5805
  delegates: "delegates(address)",
  // Uniswap V2
  getPair: "getPair(address,address)",
  factory: "factory()",
  token0: "token0()",
  token1: "token1()",
  getReserves: "getReserves()",
  weth: "WETH()",
  getAmountsOut: "getAmountsOut(uint256,address[])",
  // Uniswap V3
  getPool: "getPool(address,address,uint24)",
  slot0: "slot0()",
  liquidity: "liquidity()",
  fee: "fee()",
  positions: "positions(uint256)",
  // Multicall3
  aggregate3: "aggregate3((address,bool,bytes)[])",
  getEthBalance: "getEthBalance(address)",
  getCurrentBlockTimestamp: "getCurrentBlockTimestamp()",
  // Permit2 AllowanceTransfer
  permit2Allowance: "allowance(address,address,address)",
  // UNCX liquidity lockers
  getNumLocksForToken: "getNumLocksForToken(address)",
  tokenLocks: "tokenLocks(address,uint256)",
  // PinkLock
  cumulativeLockInfo: "cumulativeLockInfo(address)",
  getLocksForToken: "getLocksForToken(address,uint256,uint256)",
  // Team Finance
  getDepositsByTokenAddress: "getDepositsByTokenAddress(address)",
  getDepositDetails: "getDepositDetails(uint256)",
  // https://eips.ethereum.org/EIPS/eip-1271 and https://eips.ethereum.org/EIPS/eip-4337
  isValidSignature: "isValidSignature(bytes32,bytes)",
  // https://github.com/circlefin/stablecoin-evm/blob/master/contracts/util/SignatureChecker.sol
  isValidSignatureNow: "isValidSignatureNow(address,bytes32,bytes)",
  entryPoint: "entryPoint()"
} as const

/**
 * Selectors of the functions that the engine reads, derived from {@link signatures}.
 *
 * @since 0.1.0
 * @category constructors
 */
export const functions = derive(signatures, selector)

/** The signatures behind {@link topics}. */
const eventSignatures = {
  // https://eips.ethereum.org/EIPS/eip-20 and https://eips.ethereum.org/EIPS/eip-721
  Transfer: "Transfer(address,address,uint256)",
  Approval: "Approval(address,address,uint256)",
  ApprovalForAll: "ApprovalForAll(address,address,bool)",
  // https://eips.ethereum.org/EIPS/eip-1155
  TransferSingle: "TransferSingle(address,address,address,uint256,uint256)",
  TransferBatch: "TransferBatch(address,address,address,uint256[],uint256[])",
  // https://eips.ethereum.org/EIPS/eip-173
  OwnershipTransferred: "OwnershipTransferred(address,address)",
  // OpenZeppelin AccessControl
  RoleGranted: "RoleGranted(bytes32,address,address)",
  RoleRevoked: "RoleRevoked(bytes32,address,address)",
  RoleAdminChanged: "RoleAdminChanged(bytes32,bytes32,bytes32)",
  // https://eips.ethereum.org/EIPS/eip-1967
  Upgraded: "Upgraded(address)",
  AdminChanged: "AdminChanged(address,address)",
  BeaconUpgraded: "BeaconUpgraded(address)",
  // https://eips.ethereum.org/EIPS/eip-2535
  DiamondCut: "DiamondCut((address,uint8,bytes4[])[],address,bytes)",
  // OpenZeppelin Initializable
  Initialized: "Initialized(uint64)",
  InitializedV4: "Initialized(uint8)",
  // OpenZeppelin Pausable
  Paused: "Paused(address)",
  Unpaused: "Unpaused(address)",
  // OpenZeppelin TimelockController
  CallScheduled: "CallScheduled(bytes32,uint256,address,uint256,bytes,bytes32,uint256)",
  CallExecuted: "CallExecuted(bytes32,uint256,address,uint256,bytes)",
  Cancelled: "Cancelled(bytes32)",
  // Safe
  ChangedMasterCopy: "ChangedMasterCopy(address)",
  EnabledModule: "EnabledModule(address)",
  DisabledModule: "DisabledModule(address)",
  ChangedGuard: "ChangedGuard(address)",
  ChangedFallbackHandler: "ChangedFallbackHandler(address)",
  ChangedThreshold: "ChangedThreshold(uint256)",
  AddedOwner: "AddedOwner(address)",
  RemovedOwner: "RemovedOwner(address)",
  // Uniswap V2
  PairCreated: "PairCreated(address,address,address,uint256)",
  Sync: "Sync(uint112,uint112)",
  Swap: "Swap(address,uint256,uint256,uint256,uint256,address)",
  Mint: "Mint(address,uint256,uint256)",
  Burn: "Burn(address,uint256,uint256,address)",
  // Uniswap V3
  PoolCreated: "PoolCreated(address,address,uint24,int24,address)",
  // Permit2 AllowanceTransfer
  Permit2Approval: "Approval(address,address,address,uint160,uint48)",
  Permit2Permit: "Permit(address,address,address,uint160,uint48,uint48)",
  Permit2Lockdown: "Lockdown(address,address,address)"
} as const

/**
 * The functions every ERC-20 token has, in which balances and allowances are expected to move.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 * @since 0.1.0
 * @category models
 */
export const erc20: ReadonlySet<string> = new Set<string>([
  functions.transfer,
  functions.transferFrom,
  functions.approve,
  functions.increaseAllowance,
  functions.decreaseAllowance,
  functions.permit
])

/**
 * First topics of the events that the engine scans for, derived from {@link eventSignatures}.
 *
 * @since 0.1.0
 * @category constructors
 */
export const topics = derive(eventSignatures, topic)

const interfaceId = (members: ReadonlyArray<string>): Hex => {
  let id = 0
  for (const member of members) id ^= Number.parseInt(selector(member).slice(2), 16)
  return `0x${(id >>> 0).toString(16).padStart(8, "0")}`
}

/**
 * EIP-165 interface ids: the XOR of an interface's selectors. `invalid` is the id every contract must deny.
 *
 * @see https://eips.ethereum.org/EIPS/eip-165
 * @since 0.1.0
 * @category constructors
 */
export const interfaceIds = {
  // https://eips.ethereum.org/EIPS/eip-165
  erc165: interfaceId(["supportsInterface(bytes4)"]),
  // https://eips.ethereum.org/EIPS/eip-721
  erc721: interfaceId([
    "balanceOf(address)",
    "ownerOf(uint256)",
    "safeTransferFrom(address,address,uint256,bytes)",
    "safeTransferFrom(address,address,uint256)",
    "transferFrom(address,address,uint256)",
    "approve(address,uint256)",
    "setApprovalForAll(address,bool)",
    "getApproved(uint256)",
    "isApprovedForAll(address,address)"
  ]),
  // https://eips.ethereum.org/EIPS/eip-1155
  erc1155: interfaceId([
    "safeTransferFrom(address,address,uint256,uint256,bytes)",
    "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)",
    "balanceOf(address,uint256)",
    "balanceOfBatch(address[],uint256[])",
    "setApprovalForAll(address,bool)",
    "isApprovedForAll(address,address)"
  ]),
  // OpenZeppelin IAccessControl
  accessControl: interfaceId([
    "hasRole(bytes32,address)",
    "getRoleAdmin(bytes32)",
    "grantRole(bytes32,address)",
    "revokeRole(bytes32,address)",
    "renounceRole(bytes32,address)"
  ]),
  // https://eips.ethereum.org/EIPS/eip-2535#facets
  diamondLoupe: interfaceId([
    "facets()",
    "facetFunctionSelectors(address)",
    "facetAddresses()",
    "facetAddress(bytes4)"
  ]),
  invalid: "0xffffffff" as Hex
} as const

/**
 * A function that a contract's dispatcher answers to. `arguments` (canonical types) and `mutability` are inferred from
 * bytecode and right in about four of five cases: hints, not facts; `offset` is the byte where its body begins.
 *
 * @since 0.1.0
 * @category models
 */
export interface DispatchedFunction {
  readonly selector: Hex
  readonly offset: number
  readonly arguments: string
  readonly mutability: "pure" | "view" | "payable" | "nonpayable"
}

const mutabilities: ReadonlyArray<string> = ["pure", "view", "payable", "nonpayable"]

/**
 * The selectors a runtime code dispatches on, in ascending order; empty for code without a dispatcher (about 0.2 ms).
 *
 * @since 0.1.0
 * @category combinators
 */
export const dispatched = (code: Hex): Effect.Effect<ReadonlyArray<Hex>> =>
  Effect.map(Evmole.load, ({ contractInfo }) =>
    code.length % 2 === 1
      ? []
      : (contractInfo(code, { selectors: true }).functions ?? []).map((found): Hex => `0x${found.selector}`).sort()
  )

/**
 * The functions a runtime code dispatches on, with inferred arguments and mutability (about 6 ms, 120 ms at worst).
 *
 * @since 0.1.0
 * @category combinators
 */
export const describe = (code: Hex): Effect.Effect<ReadonlyArray<DispatchedFunction>> =>
  Effect.map(Evmole.load, ({ contractInfo }) =>
    (contractInfo(code, { selectors: true, arguments: true, stateMutability: true }).functions ?? [])
      .map(
        (found): DispatchedFunction => ({
          selector: `0x${found.selector}`,
          offset: found.bytecodeOffset,
          arguments: found.arguments ?? "",
          mutability: (mutabilities.includes(found.stateMutability ?? "")
            ? found.stateMutability
            : "nonpayable") as DispatchedFunction["mutability"]
        })
      )
      .sort((a, b) => (a.selector < b.selector ? -1 : 1))
  )
