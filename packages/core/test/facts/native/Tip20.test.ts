import { Effect, Option } from "effect"
import { Abis, Addresses } from "viem/tempo"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Visibility from "../../../src/changes/Visibility.js"
import * as Address from "../../../src/domain/Address.js"
import type { Evidence } from "../../../src/domain/Evidence.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Implementation from "../../../src/facts/native/Implementation.js"
import * as NativeToken from "../../../src/facts/native/NativeToken.js"
import * as TempoChain from "./TempoChain.js"

const { tip20, tip403Registry: policies } = Abis

const roleNames = {
  DEFAULT_ADMIN_ROLE: TempoChain.admin,
  PAUSE_ROLE: TempoChain.role("PAUSE_ROLE"),
  UNPAUSE_ROLE: TempoChain.role("UNPAUSE_ROLE"),
  ISSUER_ROLE: TempoChain.role("ISSUER_ROLE"),
  BURN_BLOCKED_ROLE: TempoChain.role("BURN_BLOCKED_ROLE")
} as const

const treasury = TempoChain.role("TREASURY_ROLE")

/** How each claim about a power stands after a change; `-` refuted, `?` unknown, else by whom, as indices of accounts. */
interface Powers {
  readonly mint: string
  readonly pause: string
  readonly block: string
  readonly list: string
  readonly burn: string
}

describe("a TIP-20 token on a chain that implements it", () => {
  let chain: TempoChain.TempoChain
  let token: Address.Address
  let other: Address.Address
  beforeAll(async () => {
    chain = await TempoChain.start("tempo")
    const [owner = "0x"] = chain.accounts
    token = await chain.create(owner, "AUSD")
    other = await chain.create(owner, "BUSD")
  }, 60_000)
  afterAll(() => chain.stop())

  const at = (index: number): Address.Address => chain.accounts[index] ?? Address.zero

  /** The same items by the getters, one by one. */
  const byGetters = async (of: Address.Address) => {
    const get = (name: string, args: ReadonlyArray<unknown> = []) => chain.view(of, tip20, name, args)
    const policy = async (id: bigint) => {
      const [type, admin] = (await chain.view(Addresses.tip403Registry, policies, "policyData", [id])) as [number, Hex]
      const kind =
        id === 0n ? "reject_all" : id === 1n ? "allow_all" : (["whitelist", "blacklist", "compound"][type] ?? "unknown")
      return { id: String(id), kind, admin: BigInt(admin) === 0n ? null : Address.checksum(admin) }
    }
    const id = (await get("transferPolicyId")) as bigint
    const own = await policy(id)
    const parts =
      own.kind === "compound"
        ? ((await chain.view(Addresses.tip403Registry, policies, "compoundPolicyData", [id])) as [
            bigint,
            bigint,
            bigint
          ])
        : [id, id, id]
    const [sender, recipient, mintRecipient] = await Promise.all(parts.map(policy))
    const all = { ...roleNames, [treasury]: treasury }
    const roles = await Promise.all(
      Object.entries(all).map(async ([name, hash]) => {
        const has = await Promise.all(chain.accounts.map((account) => get("hasRole", [account, hash])))
        const grantedBy = (await get("getRoleAdmin", [hash])) as Hex
        return {
          role: name,
          granted_by: Object.entries(all).find(([, each]) => each === grantedBy)?.[0] ?? grantedBy,
          members: chain.accounts.filter((_, index) => has[index] === true).sort()
        }
      })
    )
    const [quote, next] = [(await get("quoteToken")) as Hex, (await get("nextQuoteToken")) as Hex]
    return {
      standard: "tip20",
      currency: await get("currency"),
      total_supply: String(await get("totalSupply")),
      supply_cap: String(await get("supplyCap")),
      paused: await get("paused"),
      quote_token: quote,
      next_quote_token: next === quote ? null : next,
      policy: { ...own, sender, recipient, mint_recipient: mintRecipient },
      roles: roles.flatMap(({ members, role }) => members.map((member) => ({ role, member }))),
      grantors: roles.map(({ granted_by, role }) => ({ role, granted_by })),
      complete: true,
      exchange: Address.checksum(Addresses.stablecoinDex)
    }
  }

  const sorted = (value: {
    readonly roles: ReadonlyArray<{ readonly role: string; readonly member: string }>
    readonly grantors: ReadonlyArray<{ readonly role: string; readonly granted_by: string }>
  }) => ({
    ...value,
    roles: [...value.roles].sort((a, b) => (`${a.role} ${a.member}` < `${b.role} ${b.member}` ? -1 : 1)),
    // A role of the token's own is known from the first event that names it.
    grantors: value.grantors.filter(({ role }) => role in roleNames).sort((a, b) => (a.role < b.role ? -1 : 1))
  })

  const shown = (item: Evidence | undefined): string => {
    if (item?.state !== "confirmed") return item?.state === "refuted" ? "-" : item === undefined ? "" : "?"
    const { controllers } = item.value as { readonly controllers: ReadonlyArray<{ readonly address: Hex }> }
    return controllers
      .map(({ address }) => chain.accounts.indexOf(Address.checksum(address)))
      .sort()
      .join()
  }

  const powersOf = (items: ReadonlyMap<string, Evidence>): Powers => ({
    mint: shown(items.get("token.mintable")),
    pause: shown(items.get("token.pausable")),
    block: shown(items.get("token.blacklistable")),
    list: shown(items.get("token.whitelist-only")),
    burn: shown(items.get("token.balances-seizable"))
  })

  const holder = 5
  const ids = { black: 0n, white: 0n, both: 0n }
  const own = (from: number, name: string, args: ReadonlyArray<unknown> = []) =>
    chain.send(at(from), token, tip20, name, args)
  const list = (from: number, name: string, args: ReadonlyArray<unknown>) =>
    chain.send(at(from), Addresses.tip403Registry, policies, name, args)
  const made = async (from: number, name: string, args: ReadonlyArray<unknown>): Promise<bigint> => {
    const id = (await chain.view(Addresses.tip403Registry, policies, "policyIdCounter")) as bigint
    await list(from, name, args)
    return id
  }
  const grant = (from: number, role: Hex, to: number) => own(from, "grantRole", [role, at(to)])

  const changes: ReadonlyArray<readonly [title: string, change: () => Promise<unknown>, powers: Powers]> = [
    [
      "an issuer",
      () => grant(0, roleNames.ISSUER_ROLE, 1),
      { mint: "0,1", pause: "0", block: "0", list: "?", burn: "0" }
    ],
    [
      "a pauser",
      () => grant(0, roleNames.PAUSE_ROLE, 2),
      { mint: "0,1", pause: "0,2", block: "0", list: "?", burn: "0" }
    ],
    [
      "one who unpauses",
      () => grant(0, roleNames.UNPAUSE_ROLE, 3),
      { mint: "0,1", pause: "0,2", block: "0", list: "?", burn: "0" }
    ],
    [
      "one who burns",
      () => grant(0, roleNames.BURN_BLOCKED_ROLE, 3),
      { mint: "0,1", pause: "0,2", block: "0", list: "?", burn: "0,3" }
    ],
    [
      "new tokens",
      () => own(1, "mint", [at(holder), 1_000n]),
      { mint: "0,1", pause: "0,2", block: "0", list: "?", burn: "0,3" }
    ],
    [
      "a supply cap",
      () => own(0, "setSupplyCap", [5_000n]),
      { mint: "0,1", pause: "0,2", block: "0", list: "?", burn: "0,3" }
    ],
    ["a pause", () => own(2, "pause"), { mint: "0,1", pause: "0,2", block: "0", list: "?", burn: "0,3" }],
    ["its end", () => own(3, "unpause"), { mint: "0,1", pause: "0,2", block: "0", list: "?", burn: "0,3" }],
    [
      "a blacklist",
      async () => {
        ids.black = await made(4, "createPolicy", [at(4), 1])
        await own(0, "changeTransferPolicyId", [ids.black])
      },
      { mint: "0,1", pause: "0,2", block: "0,4", list: "?", burn: "0,3" }
    ],
    [
      "a blocked holder",
      () => list(4, "modifyPolicyBlacklist", [ids.black, at(holder), true]),
      { mint: "0,1", pause: "0,2", block: "0,4", list: "?", burn: "0,3" }
    ],
    [
      "burnt tokens of the holder",
      () => own(3, "burnBlocked", [at(holder), 100n]),
      { mint: "0,1", pause: "0,2", block: "0,4", list: "?", burn: "0,3" }
    ],
    [
      "another admin of the blacklist",
      () => list(4, "setPolicyAdmin", [ids.black, at(6)]),
      { mint: "0,1", pause: "0,2", block: "0,6", list: "?", burn: "0,3" }
    ],
    [
      "a whitelist",
      async () => {
        ids.white = await made(4, "createPolicy", [at(4), 0])
        await own(0, "changeTransferPolicyId", [ids.white])
      },
      { mint: "0,1", pause: "0,2", block: "0,4", list: "0,4", burn: "0,3" }
    ],
    [
      "an allowed holder",
      () => list(4, "modifyPolicyWhitelist", [ids.white, at(holder), true]),
      { mint: "0,1", pause: "0,2", block: "0,4", list: "0,4", burn: "0,3" }
    ],
    [
      "a policy for senders and one for recipients",
      async () => {
        ids.both = await made(4, "createCompoundPolicy", [ids.black, ids.white, 1n])
        await own(0, "changeTransferPolicyId", [ids.both])
      },
      { mint: "0,1", pause: "0,2", block: "0,4,6", list: "0,4", burn: "0,3" }
    ],
    [
      "another quote token to come",
      () => own(0, "setNextQuoteToken", [other]),
      { mint: "0,1", pause: "0,2", block: "0,4,6", list: "0,4", burn: "0,3" }
    ],
    [
      "the other quote token",
      () => own(0, "completeQuoteTokenUpdate"),
      { mint: "0,1", pause: "0,2", block: "0,4,6", list: "0,4", burn: "0,3" }
    ],
    [
      "a role that grants another one, with a member",
      async () => {
        await grant(0, treasury, 7)
        await own(0, "setRoleAdmin", [roleNames.ISSUER_ROLE, treasury])
      },
      { mint: "0,1,7", pause: "0,2", block: "0,4,6", list: "0,4", burn: "0,3" }
    ],
    [
      "a revoked role",
      () => own(0, "revokeRole", [roleNames.PAUSE_ROLE, at(2)]),
      { mint: "0,1,7", pause: "0", block: "0,4,6", list: "0,4", burn: "0,3" }
    ],
    [
      "another admin",
      async () => {
        await grant(0, TempoChain.admin, 8)
        await own(0, "renounceRole", [TempoChain.admin])
      },
      { mint: "1,7,8", pause: "8", block: "4,6,8", list: "4,8", burn: "3,8" }
    ],
    [
      "a policy that allows everybody",
      () => own(8, "changeTransferPolicyId", [1n]),
      { mint: "1,7,8", pause: "8", block: "8", list: "?", burn: "3,8" }
    ],
    [
      "a policy that allows nobody",
      () => own(8, "changeTransferPolicyId", [0n]),
      { mint: "1,7,8", pause: "8", block: "8", list: "?", burn: "3,8" }
    ],
    [
      "no admin, with a policy that allows everybody",
      async () => {
        await own(8, "changeTransferPolicyId", [1n])
        await own(8, "renounceRole", [TempoChain.admin])
      },
      // Nobody can be blocked any more, so there is nobody to burn tokens of.
      { mint: "1,7", pause: "-", block: "-", list: "-", burn: "-" }
    ],
    [
      "no issuer",
      async () => {
        await own(7, "renounceRole", [treasury])
        await own(1, "renounceRole", [roleNames.ISSUER_ROLE])
      },
      { mint: "-", pause: "-", block: "-", list: "-", burn: "-" }
    ]
  ]

  it("equals its getters, role by role and list by list, after each of 24 changes, in at most 15 calls", async () => {
    // What an endpoint can do is probed once for all analyses.
    await chain.read((state) => NativeToken.of(state, other))
    for (const [title, change, powers] of changes) {
      await change()
      const truth = sorted(await byGetters(token))
      const { answer, calls } = await chain.counting(() =>
        chain.read((state) => Effect.all([NativeToken.of(state, token), NativeToken.admits(state, token, at(holder))]))
      )
      const [read, admission] = answer
      assert.deepStrictEqual(sorted(Option.getOrThrow(read).value.document), truth as never, title)
      const policyId = await chain.view(token, tip20, "transferPolicyId")
      const [sends, receives] = await Promise.all(
        ["isAuthorizedSender", "isAuthorizedRecipient"].map((name) =>
          chain.view(Addresses.tip403Registry, policies, name, [policyId, at(holder)])
        )
      )
      assert.deepStrictEqual(Option.getOrThrow(admission).value, { sends, receives } as never, title)
      // A scan is one call with a read of its block; the newest blocks are read once for all scans of an analysis.
      const own = calls.filter((method) => method === "eth_call" || method === "eth_getCode").length + 2
      assert.isAtMost(own, 15, `${title}: ${calls.join(" ")}`)
      const items = await chain.analyse(token, "powers")
      assert.deepStrictEqual(powersOf(items), powers, title)
      assert.deepStrictEqual(sorted(items.get("token.native")?.value as never), truth as never, title)
    }
  }, 120_000)

  it("is unknown, and never without powers, where the chain itself made the token and logged no role", async () => {
    const items = await chain.analyse(Address.checksum(Addresses.pathUsd))
    assert.strictEqual(items.get("token.native")?.state, "confirmed")
    assert.include(items.get("token.native")?.detail, "others may exist")
    for (const id of [
      "token.mintable",
      "token.pausable",
      "token.blacklistable",
      "control.roles",
      "control.controllers"
    ])
      assert.notStrictEqual(items.get(id)?.state, "refuted", id)
    assert.include(items.get("token.mintable")?.detail, "the members of its roles were not all read")
  })

  it("is unknown where events were not read, but for what getters say", async () => {
    const items = await chain.refusing(
      (method) => method === "eth_getLogs",
      () => chain.analyse(other)
    )
    assert.strictEqual(items.get("token.native")?.state, "confirmed")
    for (const id of ["token.mintable", "token.pausable", "token.balances-seizable", "control.roles"])
      assert.strictEqual(items.get(id)?.state, "unknown", id)
    // What was not read is no change.
    const whole = (await chain.analyse(other)).get("token.native")
    assert.strictEqual(Visibility.between(whole?.value, items.get("token.native")?.value), "lost")
  })

  it("is frozen for a wallet that its policy does not let send, and for no other", async () => {
    const wallet = at(9)
    await chain.send(at(0), other, tip20, "grantRole", [roleNames.ISSUER_ROLE, wallet])
    await chain.send(wallet, other, tip20, "mint", [wallet, 1_000n])
    const free = (await chain.analyse(wallet, "all", "wallet")).get("wallet.frozen")
    assert.notStrictEqual(free?.state, "confirmed")
    const black = await made(4, "createPolicyWithAccounts", [at(4), 1, [wallet]])
    await chain.send(at(0), other, tip20, "changeTransferPolicyId", [black])
    const item = (await chain.analyse(wallet, "all", "wallet")).get("wallet.frozen")
    assert.strictEqual(item?.state, "confirmed", item?.detail)
    assert.strictEqual(item?.severity, "high")
    assert.deepInclude(item?.value, { tokens: [{ address: other, symbol: null }] })
    assert.include(item?.detail, "the transfer policy does not let the wallet send")
  })

  it("decides nothing by its code: what only code or a trade would show is unknown, with the chain's own exchange", async () => {
    const items = await chain.analyse(other)
    const decided = [...items.values()].filter(({ state }) => state !== "unknown").map(({ id }) => id)
    assert.deepStrictEqual(
      decided.filter((id) => /^(?:contract|proxy|trade|liquidity)\./.test(id)),
      ["contract.provenance"]
    )
    for (const [id, { detail }] of items)
      if (/^(?:trade|liquidity)\./.test(id)) assert.include(detail, Implementation.exchange, id)
      else if (/^(?:contract|proxy)\./.test(id) && id !== "contract.provenance")
        assert.include(detail, "implemented by the chain itself", id)
    for (const id of ["token.tax-changeable", "token.limits-changeable", "token.allowance-bypass"])
      assert.include(items.get(id)?.detail, "implemented by the chain itself", id)
    assert.isAtLeast([...items.keys()].filter((id) => id.startsWith("trade.")).length, 7)
  })
})

describe("what only looks like a token of the chain", () => {
  let chain: TempoChain.TempoChain
  beforeAll(async () => {
    chain = await TempoChain.start("ethereum")
  }, 60_000)
  afterAll(() => chain.stop())

  const token = Address.checksum("0x20c0000000000000000000001234567890abcdef")
  // Answers every call with 1.
  const yes = "0x600160005260206000f3"
  const put = (address: Hex, code: Hex) => chain.rpc("anvil_setCode", [address, code])
  const by = () => chain.read((state) => Implementation.of(state, token))

  it("is a contract where it has code, whatever the factory says", async () => {
    await put(token, yes)
    await put(Implementation.factory, yes)
    assert.strictEqual(await by(), "code")
    const items = await chain.analyse(token)
    assert.isUndefined(items.get("token.native"))
    assert.notInclude(items.get("token.mintable")?.detail, "implemented by the chain itself")
  })

  it("is of nobody where a contract says that it is the factory, and where no EVM runs the factory", async () => {
    await put(token, "0xef")
    for (const code of [yes, "0xef", "0x"] as const) {
      await put(Implementation.factory, code)
      assert.strictEqual(await by(), "unknown", code)
    }
    const items = await chain.analyse(token)
    assert.strictEqual(items.get("token.native")?.state, "unknown")
    const refuted = [...items.values()].filter(({ state }) => state === "refuted").map(({ id }) => id)
    assert.deepStrictEqual(
      refuted.filter((id) => /^(?:contract|proxy|control|trade|liquidity)\./.test(id)),
      []
    )
    for (const id of ["token.mintable", "token.pausable", "control.roles"])
      assert.strictEqual(items.get(id)?.state, "unknown", id)
  })
})
