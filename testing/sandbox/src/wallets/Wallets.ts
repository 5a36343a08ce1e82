import type { Address, Hex } from "viem"
import { concat, encodeFunctionData, getAddress, parseEther, slice } from "viem/utils"
import * as Safe from "../authorities/Safe.js"
import { keyless } from "../chain/Account.js"
import * as Artifact from "../chain/Artifact.js"
import { addresses, artifacts, create2Data } from "../market/Infrastructure.js"
import * as Permit2 from "../market/Permit2.js"
import type { Made, Stage } from "../Stage.js"
import { all, type Claims, no, none, without, yes } from "../truth/Claim.js"

/** The keys of the EIP-7702 accounts, public like those of the mnemonic. */
export const keys = {
  swept: "0x7703770377037703770377037703770377037703770377037703770377037703",
  sweptByReported: "0x7704770477047704770477047704770477047704770477047704770477047704"
} as const satisfies Readonly<Record<string, Hex>>

/** The tokens of other targets that these wallets hold and let others move. */
export interface Surroundings {
  /** Four plain tokens of which the deployer has some left. */
  readonly tokens: readonly [Address, Address, Address, Address]
  /** A plain ERC-721 contract of the sandbox. */
  readonly collectible: Artifact.Artifact
}

const day = 86_400
const year = 31_536_000
const maxUint256 = 2n ** 256n - 1n

const allowances = [
  "allowance.outstanding",
  "allowance.unlimited",
  "allowance.operator",
  "allowance.permit2",
  "allowance.spender-risky"
] as const

const safeClaims = [
  "safe.setup",
  "safe.single-signature",
  "safe.unknown-singleton",
  "safe.modules",
  "safe.guard",
  "safe.weakened"
] as const

/** What is true of a wallet unless it says otherwise. */
export const ordinary: Claims = {
  ...all(allowances, no("it never let anybody move anything")),
  "wallet.delegated": no("its code is no delegation"),
  "wallet.sanctioned": no("the oracle does not list it"),
  "wallet.frozen": no("no issuer froze it"),
  "wallet.poisoned": no("nobody imitates whom it pays"),
  "wallet.activity": yes("it has been used"),
  "wallet.unknown-code": none("it has a key, or is a Safe")
}

/** The same of one that is an account with a key. */
export const account: Claims = {
  ...ordinary,
  ...all(safeClaims, none("it is no Safe")),
  "address.kind": yes("it has no code", { kind: "eoa" })
}

/** An address with the first and last two bytes of another one: what a person compares. */
const lookalike = (of: Address, salt: string): Address =>
  getAddress(concat([slice(of, 0, 2), slice(keyless(salt), 2, 18), slice(of, 18)]))

/** Puts wallets on the chain that others may take from, that others took from, or that are watched. */
export const write = async (stage: Stage, { collectible, tokens }: Surroundings) => {
  const { script, accounts, chainId, approve, delegate } = stage
  const { maker, deployer, issuer, spender, thief, trader1, safeOwner1, safeOwner2, safeOwner3 } = accounts
  const { exposed, permitted, collector, sanctioned, frozen, poisoned, blackListed, usdtOwner } = accounts
  const { usdc, usdt } = addresses
  const shared = artifacts()
  const erc20 = Artifact.own("PlainToken")
  const [first, second, third, fourth] = tokens

  const send = (from: Address, token: Address, to: Address, amount: bigint): void =>
    script.call({ from, to: token, contract: erc20, name: "transfer", args: [to, amount], gas: 200_000n })

  const puller = script.deploy({ from: deployer, contract: Artifact.own("Puller") })
  const upgradeablePullerCode = script.deploy({ from: deployer, contract: Artifact.own("UpgradeablePuller") })
  const upgradeablePuller = script.deploy({
    from: deployer,
    contract: Artifact.openZeppelin("ERC1967Proxy"),
    args: [
      upgradeablePullerCode,
      encodeFunctionData({ abi: Artifact.own("UpgradeablePuller").abi, functionName: "initialize", args: [issuer] })
    ]
  })
  const destroyedPuller = script.deploy({ from: deployer, contract: Artifact.own("Puller") })
  const sweeper = script.deploy({ from: deployer, contract: Artifact.own("Sweeper"), args: [thief] })
  const flowers = script.deploy({
    from: deployer,
    contract: collectible,
    args: ["Pressed Flowers", "FLWR", [collector, collector, accounts.holder]]
  })
  const editions = script.deploy({
    from: deployer,
    contract: Artifact.own("Editions"),
    args: [[collector, accounts.holder]]
  })
  for (const wallet of [exposed, permitted]) {
    for (const token of tokens) send(deployer, token, wallet, parseEther("500"))
  }
  for (const wallet of [exposed, permitted, sanctioned, frozen, poisoned]) send(maker, usdc, wallet, 50_000_000_000n)
  script.seal()

  // An account that has itself delegated is a spender without fixed code.
  const swept = await delegate(keys.swept, sweeper, { from: thief })
  const sweptByReported = await delegate(keys.sweptByReported, addresses.reportedSweeper, { from: thief })
  script.seal()
  for (const wallet of [swept, sweptByReported]) {
    script.send({ label: "pay into a swept account", from: maker, to: wallet, value: parseEther("1") })
  }

  const unusedSpender = keyless("assay sandbox: a spender that was never used")
  approve(exposed, first, spender, maxUint256)
  approve(exposed, second, unusedSpender, maxUint256)
  approve(exposed, third, upgradeablePuller, maxUint256)
  approve(exposed, fourth, destroyedPuller, maxUint256)
  approve(exposed, first, addresses.permit2, maxUint256)
  approve(exposed, second, swept, maxUint256)
  approve(exposed, third, puller, parseEther("10"))
  approve(exposed, usdc, addresses.uniswapV2Router, maxUint256)
  for (const token of tokens) approve(permitted, token, addresses.permit2, maxUint256)
  const from = permitted
  const expiration = script.now() + year
  Permit2.approve(script, { from, token: first, spender })
  Permit2.approve(script, { from, token: second, spender: puller, amount: parseEther("100"), expiration })
  Permit2.approve(script, { from, token: third, spender, expiration: script.now() + day })
  Permit2.approve(script, { from, token: fourth, spender })
  const operate = (collection: Address, operator: Address, approved: boolean): void =>
    script.call({
      from: collector,
      to: collection,
      contract: collectible,
      name: "setApprovalForAll",
      args: [operator, approved]
    })
  operate(flowers, spender, true)
  operate(editions, puller, true)
  operate(editions, spender, true)
  script.call({ from: collector, to: flowers, contract: collectible, name: "approve", args: [issuer, 1n] })
  script.seal(day)

  Permit2.lockdown(script, { from, token: fourth, spender })
  operate(editions, spender, false)
  send(sanctioned, usdc, trader1, 1_000_000n)
  send(frozen, usdc, trader1, 1_000_000n)
  script.call({
    from: accounts.usdcBlacklister,
    to: usdc,
    contract: shared.usdc,
    name: "blacklist",
    args: [frozen]
  })

  send(usdtOwner, usdt, blackListed, 70_000_000_000n)
  script.call({
    from: usdtOwner,
    to: usdt,
    contract: Artifact.own("TetherLike"),
    name: "addBlackList",
    args: [blackListed]
  })

  // Three forms of the same trick, each after the wallet paid whom it imitates.
  const paid = keyless("assay sandbox: whom the poisoned wallet pays")
  const paidToo = keyless("assay sandbox: whom else the poisoned wallet pays")
  const zeroValue = lookalike(paid, "assay sandbox: a look-alike of no value")
  const dust = lookalike(paidToo, "assay sandbox: a look-alike that sends dust")
  const counterfeited = lookalike(paid, "assay sandbox: a look-alike in a counterfeit")
  send(poisoned, usdc, paid, 1_500_000_000n)
  send(poisoned, usdc, paidToo, 900_000_000n)
  send(maker, usdc, dust, 1_000n)
  script.seal()
  script.call({
    from: thief,
    to: usdc,
    contract: erc20,
    name: "transferFrom",
    args: [poisoned, zeroValue, 0n]
  })
  // Nobody has the key of a look-alike here; the chain takes its transaction all the same.
  send(script.unlock(dust, parseEther("1")), usdc, poisoned, 1n)
  const counterfeit = script.deploy({
    from: thief,
    contract: Artifact.own("CounterfeitToken"),
    args: ["USD Coin", "USDС"]
  })
  script.call({
    from: thief,
    to: counterfeit,
    contract: Artifact.own("CounterfeitToken"),
    name: "announce",
    args: [poisoned, counterfeited, 1_500_000_000n]
  })
  script.seal(day)
  send(poisoned, usdc, paid, 1_500_000_000n)

  const owners = [safeOwner1, safeOwner2, safeOwner3]
  const create = (singleton: Address, salt: bigint): Address =>
    Safe.create(script, { from: maker, singleton, owners, threshold: 2n, salt })
  const rogueSingleton = script.deploy({
    from: deployer,
    contract: Artifact.own("RogueSingleton"),
    args: [accounts.keeper]
  })
  const guard = script.deploy({ from: deployer, contract: Artifact.own("OpenGuard") })
  script.seal()
  for (const contract of [shared.earlierSafe, shared.earlierSafeProxyFactory, shared.earlierSafeFallbackHandler])
    script.send({
      label: `new ${contract.name}`,
      from: maker,
      to: addresses.deterministicDeployer,
      data: create2Data(contract),
      gas: 7_000_000n
    })
  script.seal()
  const earlierSafe = Safe.createEarlier(script, {
    from: maker,
    singleton: addresses.earlierSafe,
    owners,
    threshold: 2n,
    salt: 15n
  })
  const strangeSafe = create(rogueSingleton, 11n)
  const guardedSafe = create(addresses.safe, 12n)
  const handlerSafe = create(addresses.safe, 13n)
  const weakenedSafe = create(addresses.safe, 14n)
  script.seal()
  const administer = (safe: Address, name: string, args: ReadonlyArray<unknown>): void =>
    Safe.execute(script, {
      chainId,
      safe,
      nonce: 0n,
      owners: [safeOwner1, safeOwner2],
      to: safe,
      data: encodeFunctionData({ abi: shared.safe.abi, functionName: name, args })
    })
  administer(guardedSafe, "setGuard", [guard])
  administer(handlerSafe, "setFallbackHandler", [puller])
  for (const to of [strangeSafe, guardedSafe, handlerSafe, weakenedSafe, earlierSafe]) {
    script.send({ label: "fund a Safe", from: maker, to, value: parseEther("10") })
  }
  // Code that was there and is no more, as SELFDESTRUCT did before Cancun.
  script.change({ method: "anvil_setCode", params: [destroyedPuller, "0x"] })
  script.seal(day)

  const safeAccount: Claims = {
    ...ordinary,
    "address.kind": yes("a Safe has code", { kind: "contract" }),
    "safe.setup": yes("a Safe 1.4.1, 2 of 3", { threshold: 2, owners }),
    "safe.single-signature": no("two owners sign"),
    "safe.unknown-singleton": no("a canonical singleton"),
    "safe.modules": no("no module is enabled"),
    "safe.guard": no("no guard, and the canonical fallback handler"),
    "safe.weakened": none("nothing says how it was before")
  }
  const delegatedTo = (delegate: Address, label: string | null): Claims => ({
    ...account,
    "address.kind": yes("its code is 0xef0100 and an address", { kind: "delegated_eoa", delegate }),
    "wallet.delegated": yes("an EIP-7702 authorization set its code", { delegate, label })
  })

  return {
    /** Lowers the threshold of `weakenedSafe`, as the last thing that happens. */
    finish: (): void => administer(weakenedSafe, "changeThreshold", [1n]),
    parts: { sweeper, puller, upgradeablePuller, destroyedPuller, rogueSingleton, guard, counterfeit },
    targets: {
      exposed: {
        address: exposed,
        description: "an account that lets all kinds of spenders move its tokens",
        claims: {
          ...without(account, "allowance.unlimited", "allowance.spender-risky"),
          "allowance.outstanding": yes("it has approved spenders of five tokens"),
          [`allowance.unlimited:${first}:${spender}`]: yes("2^256 - 1 to an account with a key"),
          [`allowance.unlimited:${second}:${unusedSpender}`]: yes("2^256 - 1 to an address without code"),
          [`allowance.unlimited:${third}:${upgradeablePuller}`]: yes("2^256 - 1 to a proxy"),
          [`allowance.unlimited:${fourth}:${destroyedPuller}`]: yes("2^256 - 1 to an address without code"),
          [`allowance.unlimited:${first}:${addresses.permit2}`]: yes("2^256 - 1 to Permit2"),
          [`allowance.unlimited:${second}:${swept}`]: yes("2^256 - 1 to an account with a key"),
          [`allowance.unlimited:${third}:${puller}`]: none("the allowance is of 10 tokens"),
          [`allowance.unlimited:${usdc}:${addresses.uniswapV2Router}`]: yes("2^256 - 1 to the router"),
          [`allowance.spender-risky:${first}:${spender}`]: yes("the spender is an account with a key"),
          [`allowance.spender-risky:${second}:${unusedSpender}`]: yes("the spender has no code"),
          [`allowance.spender-risky:${third}:${upgradeablePuller}`]: yes("one key gives the spender other code"),
          [`allowance.spender-risky:${fourth}:${destroyedPuller}`]: yes("the spender had code and has none"),
          [`allowance.spender-risky:${second}:${swept}`]: yes("the spender is an account with a key"),
          [`allowance.spender-risky:${first}:${addresses.permit2}`]: none(
            "everybody knows Permit2, and nobody changes it"
          ),
          [`allowance.spender-risky:${usdc}:${addresses.uniswapV2Router}`]: none(
            "everybody knows it, and nobody changes it"
          ),
          [`allowance.spender-risky:${third}:${puller}`]: none("nobody changes its code, which only serves its caller")
        }
      },
      permitted: {
        address: permitted,
        description: "an account with allowances in Permit2, one of them over",
        claims: {
          ...without(account, "allowance.unlimited", "allowance.permit2", "allowance.spender-risky"),
          "allowance.outstanding": yes("it has approved Permit2 of four tokens"),
          ...Object.fromEntries(
            tokens.map((token) => [`allowance.unlimited:${token}:${addresses.permit2}`, yes("2^256 - 1 to Permit2")])
          ),
          [`allowance.permit2:${first}:${spender}`]: yes("2^160 - 1, without an end"),
          [`allowance.permit2:${second}:${puller}`]: yes("100 tokens, for a year"),
          [`allowance.permit2:${third}:${spender}`]: none("it ended"),
          [`allowance.permit2:${fourth}:${spender}`]: none("it was locked down"),
          [`allowance.spender-risky:${first}:${spender}`]: yes("the spender in Permit2 is an account with a key"),
          [`allowance.spender-risky:${second}:${puller}`]: none("nobody changes its code, which only serves its caller")
        }
      },
      collector: {
        address: collector,
        description: "an account with operators of its collections",
        claims: {
          ...without(account, "allowance.operator", "allowance.spender-risky"),
          "allowance.outstanding": yes("it has operators, and let another account move one item"),
          [`allowance.operator:${flowers}:${spender}`]: yes("setApprovalForAll(spender, true) of an ERC-721"),
          [`allowance.operator:${editions}:${puller}`]: yes("setApprovalForAll(puller, true) of an ERC-1155"),
          [`allowance.operator:${editions}:${spender}`]: none("it was taken back"),
          [`allowance.operator:${flowers}:${issuer}`]: none("it may move one token only"),
          [`allowance.spender-risky:${flowers}:${spender}`]: yes("the operator is an account with a key"),
          [`allowance.spender-risky:${flowers}:${issuer}`]: yes("an account with a key may move one item")
        }
      },
      sanctioned: {
        address: sanctioned,
        description: "an account that the sanctions oracle lists",
        claims: { ...account, "wallet.sanctioned": yes("the oracle lists it") }
      },
      frozen: {
        address: frozen,
        description: "an account that Circle froze",
        claims: { ...account, "wallet.frozen": yes("isBlacklisted of USDC is true for it") }
      },
      blackListed: {
        address: blackListed,
        description: "an account that Tether froze",
        claims: { ...account, "wallet.frozen": yes("isBlackListed of USDT is true for it") }
      },
      poisoned: {
        address: poisoned,
        description: "an account in whose history look-alikes were put",
        claims: { ...account, "wallet.poisoned": yes("three addresses imitate whom it paid") }
      },
      swept: {
        address: swept,
        description: "an account that delegates to code which sends everything on",
        claims: delegatedTo(sweeper, null)
      },
      sweptByReported: {
        address: sweptByReported,
        description: "an account that delegates to a sweeper that was reported",
        claims: delegatedTo(addresses.reportedSweeper, "sweeper of compromised accounts")
      },
      earlierSafe: {
        address: earlierSafe,
        description: "a Safe 1.3.0, 2 of 3",
        claims: {
          ...safeAccount,
          "safe.setup": yes("a Safe 1.3.0, 2 of 3", {
            threshold: 2,
            owners,
            singleton: addresses.earlierSafe,
            version: "1.3.0"
          })
        }
      },
      strangeSafe: {
        address: strangeSafe,
        description: "a Safe whose code Safe did not publish",
        claims: {
          ...safeAccount,
          "safe.setup": no("its code was not published by Safe", { threshold: 2, owners, singleton: rogueSingleton }),
          "safe.single-signature": none("its threshold proves nothing"),
          "safe.unknown-singleton": yes("its code was not published by Safe"),
          "safe.guard": no("its code keeps no handler")
        }
      },
      guardedSafe: {
        address: guardedSafe,
        description: "a Safe 1.4.1, 2 of 3, with a guard",
        claims: { ...safeAccount, "safe.guard": yes("a guard that nobody published is set") }
      },
      handlerSafe: {
        address: handlerSafe,
        description: "a Safe 1.4.1, 2 of 3, with a handler of its own",
        claims: { ...safeAccount, "safe.guard": yes("a fallback handler that nobody published is set") }
      },
      weakenedSafe: {
        address: weakenedSafe,
        description: "a Safe 1.4.1 that went from 2 to 1 of 3",
        claims: {
          ...safeAccount,
          "safe.setup": yes("a Safe 1.4.1, 1 of 3", { threshold: 1, owners }),
          "safe.single-signature": yes("each of three owners is enough", { threshold: 1, owners })
        }
      }
    } satisfies Readonly<Record<string, Made>>
  }
}

/** The name of a target of this module. */
export type Name = keyof Awaited<ReturnType<typeof write>>["targets"]
