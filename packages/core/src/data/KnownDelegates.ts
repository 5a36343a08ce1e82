import { Option } from "effect"

/**
 * A contract that a wallet's maker publishes for accounts to delegate to, on the chains where it is known to stand. It
 * keeps the keys of the account in power; that is all that being here says.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7702
 * @since 0.1.0
 * @category models
 */
export interface KnownDelegate {
  readonly name: string
  readonly address: `0x${string}`
  readonly chainIds: ReadonlyArray<number>
  readonly source: string
}

/**
 * Delegates by address. Written by hand: no package ships more than its maker's own.
 *
 * @since 0.1.0
 * @category models
 */
export const delegates: ReadonlyArray<KnownDelegate> = [
  {
    name: "MetaMask EIP7702StatelessDeleGator 1.3.0",
    address: "0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B",
    chainIds: [
      1, 10, 56, 97, 100, 130, 137, 143, 146, 1155, 1301, 1328, 1329, 2020, 4114, 4217, 4326, 4663, 5000, 5003, 5115,
      6343, 8453, 10143, 10200, 13579, 14601, 42161, 42170, 42220, 42431, 46630, 57073, 59141, 59144, 80002, 80069,
      80094, 84532, 202601, 421614, 560048, 737373, 747474, 763373, 5042002, 11142220, 11155111, 11155420
    ],
    source: "@metamask/delegation-deployments 2.0.0"
  },
  {
    name: "Uniswap Calibur 1.0.0",
    address: "0x000000009B1D0aF20D8C6d0A44e162d11F9b8f00",
    chainIds: [1],
    source: "github.com/Uniswap/calibur, several public repositories"
  },
  {
    name: "Ambire EIP-7702 account",
    address: "0x5A7FC11397E9a8AD41BF10bf13F22B0a63f96f6d",
    chainIds: [1],
    source: "github.com/walletbeat/walletbeat, data/wallet-contracts/ambire-delegator.ts"
  },
  {
    name: "Simple7702Account 0.8.0",
    address: "0x4Cd241E8d1510e30b2076397afc7508Ae59C66c9",
    chainIds: [1],
    source: "github.com/LedgerHQ/app-ethereum, src/features/signAuthorizationEIP7702/whitelist_7702.c"
  },
  {
    name: "Simple7702Account 0.8.0",
    address: "0xe6Cae83BdE06E4c305530e199D7217f42808555B",
    chainIds: [1],
    source: "github.com/walletbeat/walletbeat, data/wallet-contracts/eth-infinitism-simple-7702.ts"
  }
]

/**
 * Keccak-256 of the runtime code of delegates that have no values of their own in it, so that it is the same wherever it
 * stands.
 *
 * @since 0.1.0
 * @category models
 */
export const runtimes: ReadonlyArray<{
  readonly name: string
  readonly codeHash: `0x${string}`
  readonly source: string
}> = [
  {
    name: "Simple7702Account 0.8.0",
    codeHash: "0xcc7b633aef4b2543cb8f37522adf1a401f910f0f6b2430c1eecc11f401ccfcf3",
    source: "@account-abstraction/contracts 0.8.0, artifacts/Simple7702Account.json"
  }
]

/**
 * The name of the published delegate at an address of a chain, any letter case.
 *
 * @since 0.1.0
 * @category combinators
 */
export const find = (chainId: number, address: string): Option.Option<string> =>
  Option.map(
    Option.fromNullable(
      delegates.find(
        (known) => known.address.toLowerCase() === address.toLowerCase() && known.chainIds.includes(chainId)
      )
    ),
    ({ name }) => name
  )

/**
 * The name of the published delegate with a code hash, wherever that code stands.
 *
 * @since 0.1.0
 * @category combinators
 */
export const findByCodeHash = (codeHash: string): Option.Option<string> =>
  Option.map(
    Option.fromNullable(runtimes.find((known) => known.codeHash === codeHash.toLowerCase())),
    ({ name }) => name
  )
