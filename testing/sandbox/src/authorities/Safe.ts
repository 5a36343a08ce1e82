import type { Address, Hex } from "viem"
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  getCreate2Address,
  hashTypedData,
  keccak256,
  pad
} from "viem/utils"
import { nobody } from "../chain/Account.js"
import type { Artifact } from "../chain/Artifact.js"
import type { Script } from "../chain/Script.js"
import { addresses, artifacts } from "../market/Infrastructure.js"

/** A new Safe, and the code that it has. */
export interface Setup {
  readonly from: Address
  readonly singleton: Address
  readonly owners: ReadonlyArray<Address>
  readonly threshold: bigint
  readonly salt: bigint
  /** What the Safe runs in its own storage when it is set up. */
  readonly initializer?: { readonly to: Address; readonly data: Hex } | undefined
}

interface Release {
  readonly singleton: Artifact
  readonly proxy: Artifact
  readonly factory: Artifact
  readonly factoryAddress: Address
  readonly handler: Address
}

/** Adds a Safe 1.4.1 made by the canonical factory and returns its address. */
export const create = (script: Script, setup: Setup): Address => {
  const { safe, safeProxy, safeProxyFactory } = artifacts()
  return createOf(script, setup, {
    singleton: safe,
    proxy: safeProxy,
    factory: safeProxyFactory,
    factoryAddress: addresses.safeProxyFactory,
    handler: addresses.safeFallbackHandler
  })
}

/** The same of version 1.3.0, which most Safes are of. */
export const createEarlier = (script: Script, setup: Setup): Address => {
  const { earlierSafe, earlierSafeProxy, earlierSafeProxyFactory } = artifacts()
  return createOf(script, setup, {
    singleton: earlierSafe,
    proxy: earlierSafeProxy,
    factory: earlierSafeProxyFactory,
    factoryAddress: addresses.earlierSafeProxyFactory,
    handler: addresses.earlierSafeFallbackHandler
  })
}

const createOf = (script: Script, options: Setup, release: Release): Address => {
  const setup = encodeFunctionData({
    abi: release.singleton.abi,
    functionName: "setup",
    args: [
      options.owners,
      options.threshold,
      options.initializer?.to ?? nobody,
      options.initializer?.data ?? "0x",
      release.handler,
      nobody,
      0n,
      nobody
    ]
  })
  script.call({
    from: options.from,
    to: release.factoryAddress,
    contract: release.factory,
    name: "createProxyWithNonce",
    args: [options.singleton, setup, options.salt]
  })
  return getCreate2Address({
    from: release.factoryAddress,
    salt: keccak256(encodePacked(["bytes32", "uint256"], [keccak256(setup), options.salt])),
    bytecode: concat([release.proxy.bytecode, encodeAbiParameters([{ type: "address" }], [options.singleton])])
  })
}

/** Adds a transaction of a Safe: the first owner executes it, the others approve its hash on chain before. */
export const execute = (
  script: Script,
  options: {
    readonly chainId: number
    readonly safe: Address
    readonly nonce: bigint
    readonly owners: ReadonlyArray<Address>
    readonly to: Address
    readonly data: Hex
  }
): void => {
  const { safe } = artifacts()
  const [executor, ...others] = options.owners
  if (executor === undefined) throw new Error("A Safe transaction needs an owner")
  const hash = hashTypedData({
    domain: { chainId: options.chainId, verifyingContract: options.safe },
    types: {
      SafeTx: [
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "data", type: "bytes" },
        { name: "operation", type: "uint8" },
        { name: "safeTxGas", type: "uint256" },
        { name: "baseGas", type: "uint256" },
        { name: "gasPrice", type: "uint256" },
        { name: "gasToken", type: "address" },
        { name: "refundReceiver", type: "address" },
        { name: "nonce", type: "uint256" }
      ]
    },
    primaryType: "SafeTx",
    message: {
      to: options.to,
      value: 0n,
      data: options.data,
      operation: 0,
      safeTxGas: 0n,
      baseGas: 0n,
      gasPrice: 0n,
      gasToken: nobody,
      refundReceiver: nobody,
      nonce: options.nonce
    }
  })
  for (const owner of others) {
    script.call({ from: owner, to: options.safe, contract: safe, name: "approveHash", args: [hash] })
  }
  // A signature of type 1 says "approved on chain, or the sender"; the Safe wants them sorted by owner.
  const signatures = [...options.owners]
    .sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .map((owner) => concat([pad(owner, { size: 32 }), pad("0x", { size: 32 }), "0x01"]))
  script.call({
    from: executor,
    to: options.safe,
    contract: safe,
    name: "execTransaction",
    args: [options.to, 0n, options.data, 0, 0n, 0n, 0n, nobody, nobody, concat(signatures)]
  })
}
