import type { Address, Hex } from "viem"
import { encodeFunctionData, parseEther } from "viem/utils"
import * as Safe from "../authorities/Safe.js"
import { keyless } from "../chain/Account.js"
import * as Artifact from "../chain/Artifact.js"
import { addresses, artifacts } from "../market/Infrastructure.js"
import * as Permit2 from "../market/Permit2.js"
import type { Made, Stage } from "../Stage.js"
import { type Claims, no, none, undecidable, without, yes } from "../truth/Claim.js"
import * as Wallets from "./Wallets.js"

/** The keys of the EIP-7702 accounts, public like those of the mnemonic. */
export const keys = {
  openlyDriven: "0x7705770577057705770577057705770577057705770577057705770577057705",
  remotelyDriven: "0x7706770677067706770677067706770677067706770677067706770677067706"
} as const satisfies Readonly<Record<string, Hex>>

/** A transaction that takes a wallet's balance of a token, or of the chain's coin (none). */
export interface Taking {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  readonly token: Address | undefined
}

const maxUint256 = 2n ** 256n - 1n
const held = parseEther("500")

/**
 * Puts wallets on the chain that can lose tokens in ways that neither an event nor a getter shows: fixed code that
 * serves another account, tokens that say one thing of their allowances and do another, delegates and Safes that others
 * drive.
 */
export const write = async (stage: Stage) => {
  const { script, accounts, delegate } = stage
  const { maker, spender, thief, safeOwner1, safeOwner2, safeOwner3, trader1 } = accounts

  // An address of its own makes all of it, so that no address of another target depends on what is here.
  const enter = (who: string): Address => script.unlock(keyless(`assay sandbox: ${who}`), parseEther("100"))
  const granter = enter("who makes what wallets grant")
  const wallet = (name: string): Address => enter(`a wallet that ${name}`)
  const make = (name: string, ...args: ReadonlyArray<unknown>): Address =>
    script.deploy({ from: granter, contract: Artifact.own(name), args })
  const erc20 = Artifact.own("NarrowToken")
  const items = Artifact.own("Collectible")
  const call = (
    from: Address,
    to: Address,
    contract: Artifact.Artifact,
    name: string,
    ...args: ReadonlyArray<unknown>
  ) => script.call({ from, to, contract, name, args })
  const fund = (token: Address, to: Address): Address => {
    call(granter, token, erc20, "transfer", to, held)
    return to
  }
  const pull = (contract: string, name: string, ...args: ReadonlyArray<unknown>): Hex =>
    encodeFunctionData({ abi: Artifact.own(contract).abi, functionName: name, args: [...args] })

  const narrow = make("NarrowToken")
  const denying = make("DenyingToken")
  const native = make("Permit2Native")
  const spam = make("SpammingToken")
  const openPuller = make("OpenPuller")
  const keyedPuller = make("KeyedPuller", thief)
  const clonedPuller = make("ClonedPuller")
  const clone = script.deploy({ from: granter, contract: Artifact.clone(clonedPuller) })
  call(granter, clone, Artifact.own("ClonedPuller"), "initialize", thief)
  const vault = make("FeeVault", narrow, thief)
  script.seal()

  const approving = (name: string, token: Address, to: Address, amount: bigint): Address => {
    const account = fund(token, wallet(name))
    call(account, token, erc20, "approve", to, amount)
    return account
  }
  const narrowly = approving("lets a key move all that 96 bits say", narrow, spender, maxUint256)
  const denied = approving("is told that it lets nobody", denying, spender, maxUint256)
  const openly = approving("lets code that anybody takes by", narrow, openPuller, maxUint256)
  const remotely = approving("lets code that one key takes by", narrow, keyedPuller, maxUint256)
  const cloned = approving("lets a clone that one key takes by", narrow, clone, maxUint256)
  const depositor = approving("lets a vault that serves its caller", narrow, vault, maxUint256)
  const flooded = approving("is flooded with approvals that it never gave", narrow, spender, parseEther("7"))
  const itself = fund(narrow, wallet("lets itself"))
  call(itself, narrow, erc20, "approve", itself, maxUint256)
  const natively = fund(native, wallet("lets a key by Permit2 alone"))
  Permit2.approve(script, { from: natively, token: native, spender })
  script.seal()
  for (const first of [1n, 2n, 3n])
    script.call({
      from: granter,
      to: spam,
      contract: Artifact.own("SpammingToken"),
      name: "announce",
      args: [flooded, 0xfee1n * 2n ** 140n + first * 2n ** 20n, 450n],
      gas: 4_000_000n
    })

  const shown = wallet("lets a key move one item")
  const lapsed = wallet("had let a key move one item")
  const pictures = make("Collectible", "Sandbox Pictures", "PICT", [shown, lapsed])
  call(shown, pictures, items, "approve", spender, 1n)
  call(lapsed, pictures, items, "approve", spender, 2n)
  script.seal()
  call(lapsed, pictures, items, "transferFrom", lapsed, trader1, 2n)
  script.seal()
  call(trader1, pictures, items, "transferFrom", trader1, lapsed, 2n)
  script.seal()

  const openDelegate = make("OpenDelegate")
  const keyedDelegate = make("KeyedDelegate", thief)
  script.seal()
  const openlyDriven = await delegate(keys.openlyDriven, openDelegate, { from: granter })
  const remotelyDriven = await delegate(keys.remotelyDriven, keyedDelegate, { from: granter })
  const openWallet = make("OpenWallet")
  const ownedWallet = make("OwnedWallet", maker)
  const entry = make("UnlistedEntry")
  script.seal()
  const seededSafe = Safe.create(script, {
    from: granter,
    singleton: addresses.safe,
    owners: [safeOwner1, safeOwner2, safeOwner3],
    threshold: 2n,
    salt: 71n,
    initializer: { to: entry, data: pull("UnlistedEntry", "enter", thief) }
  })
  for (const to of [openlyDriven, remotelyDriven, openWallet, ownedWallet, seededSafe])
    script.send({ label: "fund a wallet", from: granter, to, value: parseEther("1") })
  script.seal()

  const spends = (...ids: ReadonlyArray<string>): Claims => ({
    ...without(Wallets.account, ...ids),
    "allowance.outstanding": yes("it has approved a spender")
  })
  const takenBy = (who: string, token: Address, by: Address): Claims => ({
    ...spends("allowance.unlimited", "allowance.spender-risky"),
    [`allowance.unlimited:${token}:${by}`]: yes("more than there is of the token"),
    [`allowance.spender-risky:${token}:${by}`]: yes(who)
  })
  const contractWallet: Claims = {
    ...Wallets.ordinary,
    "address.kind": yes("it is a contract", { kind: "contract" }),
    "wallet.activity": yes("it has a nonce, as every contract has"),
    "wallet.unknown-code": yes("it was written for the sandbox")
  }
  const drive = (by: string): Hex => pull(by, "execute", thief, parseEther("1"), "0x")

  const targets = {
    narrowApproval: {
      address: narrowly,
      description: "an account whose unlimited allowance its token keeps in 96 bits",
      claims: takenBy("the spender is an account with a key", narrow, spender)
    },
    deniedApproval: {
      address: denied,
      description: "an account with an allowance that its token denies and honours",
      claims: {
        ...without(Wallets.account, "allowance.unlimited", "allowance.spender-risky"),
        "allowance.outstanding": undecidable("the token says that nothing is allowed, and lets it happen"),
        [`allowance.unlimited:${denying}:${spender}`]: undecidable("the token does not say how much"),
        [`allowance.spender-risky:${denying}:${spender}`]: undecidable("the token does not say whether")
      }
    },
    openlyPulled: {
      address: openly,
      description: "an account that approved fixed code by which anybody takes",
      claims: takenBy("anybody says from whom it takes", narrow, openPuller)
    },
    remotelyPulled: {
      address: remotely,
      description: "an account that approved fixed code by which one key takes",
      claims: takenBy("one key says from whom it takes", narrow, keyedPuller)
    },
    pulledByClone: {
      address: cloned,
      description: "an account that approved a clone by which one key takes",
      claims: takenBy("one key says from whom it takes", narrow, clone)
    },
    depositor: {
      address: depositor,
      description: "an account that approved a vault of fixed code, whose owner sets a fee and no more",
      claims: {
        ...spends("allowance.unlimited"),
        [`allowance.unlimited:${narrow}:${vault}`]: yes("more than there is of the token"),
        [`allowance.spender-risky:${narrow}:${vault}`]: none("it takes from who calls it alone")
      }
    },
    flooded: {
      address: flooded,
      description: "an account in whose name a token announced very many approvals after its own",
      claims: {
        ...without(
          Wallets.account,
          "allowance.unlimited",
          "allowance.operator",
          "allowance.permit2",
          "allowance.spender-risky",
          "wallet.poisoned"
        ),
        "allowance.outstanding": yes("it let a key move 7 tokens"),
        [`allowance.spender-risky:${narrow}:${spender}`]: yes("the spender is an account with a key")
      }
    },
    selfApproved: {
      address: itself,
      description: "an account that approved itself",
      claims: Wallets.account
    },
    nativelyPermitted: {
      address: natively,
      description: "an account with a Permit2 allowance of a token that lets Permit2 move everything unasked",
      claims: {
        ...spends("allowance.permit2", "allowance.spender-risky"),
        [`allowance.permit2:${native}:${spender}`]: yes("2^160 - 1, without an end"),
        [`allowance.spender-risky:${native}:${spender}`]: yes("the spender in Permit2 is an account with a key")
      }
    },
    itemApproved: {
      address: shown,
      description: "an account that let a key move one item of a collection",
      claims: {
        ...spends("allowance.spender-risky"),
        [`allowance.spender-risky:${pictures}:${spender}`]: yes("the spender is an account with a key")
      }
    },
    itemLapsed: {
      address: lapsed,
      description: "an account that let a key move one item, and moved it away and back",
      claims: Wallets.account
    },
    openlyDriven: {
      address: openlyDriven,
      description: "an account that delegates to code by which anybody makes it pay",
      claims: {
        ...Wallets.account,
        "address.kind": yes("its code is 0xef0100 and an address", { kind: "delegated_eoa", delegate: openDelegate }),
        "wallet.delegated": yes("an EIP-7702 authorization set its code", { delegate: openDelegate, kind: "open" })
      }
    },
    remotelyDriven: {
      address: remotelyDriven,
      description: "an account that delegates to code by which one key makes it pay",
      claims: {
        ...Wallets.account,
        "address.kind": yes("its code is 0xef0100 and an address", { kind: "delegated_eoa", delegate: keyedDelegate }),
        "wallet.delegated": yes("an EIP-7702 authorization set its code", { delegate: keyedDelegate, kind: "keyed" })
      }
    },
    openWallet: {
      address: openWallet,
      description: "a wallet that does for anybody what it is asked",
      claims: { ...contractWallet, "wallet.open": yes("nothing is asked of who calls") }
    },
    ownedWallet: {
      address: ownedWallet,
      description: "a wallet that does what its owner asks",
      claims: { ...contractWallet, "wallet.open": no("its owner alone makes it pay") }
    },
    seededSafe: {
      address: seededSafe,
      description: "a Safe 1.4.1 in which its setup entered a module and an owner past the lists",
      claims: {
        ...contractWallet,
        "safe.setup": yes("a Safe 1.4.1, 2 of 3 as it says", { threshold: 2 }),
        "safe.single-signature": no("two owners sign, whoever else is one"),
        "safe.unknown-singleton": no("a canonical singleton"),
        "safe.modules": yes("a module is enabled that its list does not name"),
        "safe.guard": no("no guard, and the canonical fallback handler"),
        "safe.weakened": none("nothing says how it was before"),
        "wallet.open": none("it is a Safe"),
        "wallet.unknown-code": none("it is a Safe")
      }
    }
  } satisfies Readonly<Record<string, Made>>

  const takings: Readonly<Partial<Record<keyof typeof targets, Taking>>> = {
    narrowApproval: {
      from: spender,
      to: narrow,
      data: pull("NarrowToken", "transferFrom", narrowly, spender, held),
      token: narrow
    },
    deniedApproval: {
      from: spender,
      to: denying,
      data: pull("DenyingToken", "transferFrom", denied, spender, held),
      token: denying
    },
    openlyPulled: {
      from: trader1,
      to: openPuller,
      data: pull("OpenPuller", "pull", narrow, openly, held),
      token: narrow
    },
    remotelyPulled: {
      from: thief,
      to: keyedPuller,
      data: pull("KeyedPuller", "claim", narrow, remotely, held),
      token: narrow
    },
    pulledByClone: {
      from: thief,
      to: clone,
      data: pull("ClonedPuller", "claim", narrow, cloned, held),
      token: narrow
    },
    openlyDriven: { from: trader1, to: openlyDriven, data: drive("OpenDelegate"), token: undefined },
    remotelyDriven: { from: thief, to: remotelyDriven, data: drive("KeyedDelegate"), token: undefined },
    openWallet: { from: trader1, to: openWallet, data: drive("OpenWallet"), token: undefined },
    seededSafe: {
      from: thief,
      to: seededSafe,
      data: encodeFunctionData({
        abi: artifacts().safe.abi,
        functionName: "execTransactionFromModule",
        args: [thief, parseEther("1"), "0x", 0]
      }),
      token: undefined
    }
  }

  return { targets, takings }
}

/** The name of a target of this module. */
export type Name = keyof Awaited<ReturnType<typeof write>>["targets"]
