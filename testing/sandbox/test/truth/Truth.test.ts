import {
  Account,
  Artifact,
  Authorities,
  FalseAuthorities,
  Infrastructure,
  Pool,
  SharedSandbox,
  Specimens,
  type Targets,
  type Truth
} from "@assay/sandbox"
import { type Address, createPublicClient, encodeFunctionData, type Hex, http, parseAbi, parseEther } from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"

const abi = parseAbi([
  "function owner() view returns (address)",
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
  "function approve(address, uint256) returns (bool)",
  "function transfer(address, uint256) returns (bool)",
  "function getAmountsOut(uint256, address[]) view returns (uint256[])",
  "function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256, address[], address, uint256) payable",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256, uint256, address[], address, uint256)"
])

const deadline = 2n ** 256n - 1n

let sandbox: SharedSandbox.SharedSandbox

const client = () => createPublicClient({ transport: http(sandbox.url) })

const read = async (address: Address, functionName: string, args: ReadonlyArray<unknown> = []): Promise<unknown> =>
  client().readContract({ address, abi, functionName, args } as never)

const balance = async (token: Address, holder: Address): Promise<bigint> =>
  (await read(token, "balanceOf", [holder])) as bigint

const said = (evidence: string, state: Truth.Truth["state"]): ReadonlyArray<Targets.Target> =>
  sandbox.truth
    .filter((truth) => truth.evidence === evidence && truth.state === state)
    .map((truth) => sandbox.targets[truth.target])

const values = (evidence: string) => sandbox.truth.filter((truth) => truth.evidence === evidence)

const ends = new Set([0x00, 0x56, 0xf3, 0xfd, 0xfe, 0xff])
const jumpdest = 0x5b

/**
 * The opcodes of a contract, without the data of its pushes, without what no jump gets to after the end of a block, and
 * without the metadata at its end.
 */
const opcodes = async (address: Address): Promise<ReadonlySet<number>> => {
  const code = Buffer.from(((await client().getCode({ address })) ?? "0x").slice(2), "hex")
  const metadata = code.length > 2 ? code.readUInt16BE(code.length - 2) + 2 : 0
  const end = metadata < code.length && metadata < 100 ? code.length - metadata : code.length
  const found = new Set<number>()
  for (let at = 0; at < end; at++) {
    const opcode = code[at] ?? 0
    found.add(opcode)
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f
    if (ends.has(opcode)) while (at + 1 < end && code[at + 1] !== jumpdest) at++
  }
  return found
}

// When what is true of a token begins, after a purchase.
const begins: Readonly<Record<string, { readonly seconds: number; readonly blocks: number }>> = {
  closingTrap: { seconds: 86_400, blocks: 1 },
  lateLapse: { seconds: 90 * 86_400, blocks: 1 },
  blockAgeTax: { seconds: 12, blocks: 502 },
  ageTax: { seconds: 61 * 86_400, blocks: 1 },
  shrinking: { seconds: 12 * 20_100, blocks: 20_100 }
}

const bps = (expected: bigint, received: bigint): number =>
  Math.round(Number(((expected - received) * 100_000n) / expected) / 10)

beforeAll(async () => {
  sandbox = await SharedSandbox.take()
})

describe("Truth", () => {
  it("says something of every target and nothing twice", () => {
    const keys = sandbox.truth.map(({ target, evidence }) => `${target} ${evidence}`)
    assert.deepStrictEqual(
      keys.filter((key, index) => keys.indexOf(key) !== index),
      []
    )
    for (const name of Object.keys(sandbox.targets)) {
      assert.isTrue(
        sandbox.truth.some(({ target, state }) => target === name && (state === "confirmed" || state === "refuted")),
        name
      )
    }
  })

  it("is right about SELFDESTRUCT and DELEGATECALL", async () => {
    for (const { address, name } of said("contract.selfdestruct-reachable", "refuted")) {
      assert.isFalse((await opcodes(address)).has(0xff), name)
    }
    for (const { address, name } of said("contract.selfdestruct-reachable", "confirmed")) {
      assert.isTrue((await opcodes(address)).has(0xff), name)
    }
    for (const { address, name } of said("proxy.kind", "refuted")) {
      assert.isFalse((await opcodes(address)).has(0xf4), name)
    }
    for (const { address, name } of said("proxy.kind", "confirmed")) {
      assert.isTrue((await opcodes(address)).has(0xf4), name)
    }
  })

  it("is right about owners", async () => {
    for (const { target, state, value } of values("control.owner")) {
      const owner = await read(sandbox.targets[target].address, "owner").catch(() => undefined)
      assert.strictEqual(owner, state === "confirmed" ? value?.owner : undefined, target)
    }
  })

  it("is right about what insiders hold", async () => {
    const { deployer, issuer } = sandbox.accounts
    const share = async (address: Address): Promise<number> => {
      const held = (await balance(address, deployer)) + (await balance(address, issuer))
      return Number((held * 10_000n) / ((await read(address, "totalSupply")) as bigint))
    }
    for (const { address, name } of said("holders.insiders", "confirmed"))
      assert.isAtLeast(await share(address), name.startsWith("emptied") ? 4_000 : 10_000, name)
    for (const { address, name } of said("holders.insiders", "refuted"))
      assert.isAtMost(await share(address), 110, name)
  })

  it("is right about what trading costs, by trading", async () => {
    const { weth, uniswapV2Router: router } = sandbox.infrastructure
    const { trader1: trader, keeper: peer } = sandbox.accounts
    const send = (to: Address, functionName: string, args: ReadonlyArray<unknown>, value = 0n): Promise<void> =>
      sandbox.transact({ from: trader, to, data: encodeFunctionData({ abi, functionName, args } as never), value })
    const quote = async (amount: bigint, path: ReadonlyArray<Address>): Promise<bigint> =>
      ((await read(router, "getAmountsOut", [amount, path])) as ReadonlyArray<bigint>)[1] ?? 0n

    /** A sale in a block that is still to come, which anvil simulates where it would take minutes to get there. */
    const later = async (
      { blocks, seconds }: (typeof begins)[string],
      token: Address,
      pair: Address,
      sold: bigint
    ): Promise<{ readonly fails: boolean; readonly gained: bigint }> => {
      const { number, timestamp } = await client().getBlock()
      const hex = (value: bigint) => `0x${value.toString(16)}`
      const data = encodeFunctionData({
        abi,
        functionName: "swapExactTokensForETHSupportingFeeOnTransferTokens",
        args: [sold, 0n, [token, weth], trader, deadline]
      })
      const count = { to: weth, data: encodeFunctionData({ abi, functionName: "balanceOf", args: [pair] }) }
      const [block] = (await sandbox.rpc.call("eth_simulateV1", [
        {
          blockStateCalls: [
            {
              blockOverrides: { number: hex(number + BigInt(blocks)), time: hex(timestamp + BigInt(seconds)) },
              calls: [count, { from: trader, to: router, data }, count]
            }
          ]
        },
        "latest"
      ])) as ReadonlyArray<{ readonly calls: ReadonlyArray<{ readonly status: string; readonly returnData: Hex }> }>
      const [before, sale, after] = block?.calls ?? []
      return {
        fails: sale?.status !== "0x1",
        gained: BigInt(before?.returnData ?? 0) - BigInt(after?.returnData ?? 0)
      }
    }
    const fails = (transaction: Promise<void>): Promise<boolean> =>
      transaction.then(
        () => false,
        () => true
      )
    const names = (evidence: string) => new Set(said(evidence, "confirmed").map((target) => target.name))
    const honeypots = names("trade.honeypot")
    const closed = names("trade.buy-blocked")
    const piecemeal = names("trade.sell-limited")
    let judged = 0
    // A sweep of a minute and more: half of them at landing.
    for (const { address: token, pair, name } of Draw.portion(said("trade.route", "confirmed"), 5, 3)) {
      if (pair === undefined) continue
      // A pool of half an ether is moved by what a deep one does not notice.
      const spent = parseEther(name === "thinPool" ? "0.001" : "0.1")
      const bought = await quote(spent, [weth, token])
      const held = await balance(token, trader)
      const buy = "swapExactETHForTokensSupportingFeeOnTransferTokens"
      const purchase = send(router, buy, [0n, [weth, token], trader, deadline], spent)
      if (closed.has(name)) {
        assert.isTrue(await fails(purchase), name)
        continue
      }
      await purchase
      const received = (await balance(token, trader)) - held

      const sent = received / 10n
      await send(token, "transfer", [peer, sent])
      const arrived = await balance(token, peer)

      const sold = received / 4n
      await send(token, "approve", [router, received])
      const worth = await quote(sold, [token, weth])
      const sell = (amount: bigint) =>
        send(router, "swapExactTokensForETHSupportingFeeOnTransferTokens", [
          amount,
          0n,
          [token, weth],
          trader,
          deadline
        ])
      if (name === "oneSale") {
        await sell(sold)
        assert.isTrue(await fails(sell(sold)), name)
        continue
      }
      // All of a purchase this small is less than a fiftieth of what there is.
      if (piecemeal.has(name) && !honeypots.has(name) && name !== "salesBudget")
        assert.isTrue(await fails(sell((await balance(token, trader)) - 1n)), name)
      const reserve = await balance(weth, pair)
      const rule = begins[name]
      if (rule !== undefined) {
        await sell(sold)
        const { fails, gained } = await later(rule, token, pair, sold)
        assert.strictEqual(fails, honeypots.has(name), name)
        const taxed = values("trade.taxed").find(({ target }) => target === name)?.value?.sell_tax_bps
        if (!fails) assert.approximately(bps(await quote(sold, [token, weth]), gained), Number(taxed), 5, name)
        continue
      }
      if (honeypots.has(name)) {
        assert.isTrue(await fails(sell(sold)), name)
        continue
      }
      await sell(sold)
      // The purchase refilled its pool, so that what cannot be sold today for want of a pool is sold.
      if (name === "emptied") continue
      const gained = reserve - (await balance(weth, pair))
      const truth = values("trade.taxed").find(({ target }) => target === name)?.value
      // The table may be silent of it, or of a part, as where what a trade costs is a matter of circumstances.
      if (truth === undefined) continue
      judged++
      const { buy_tax_bps: buying, sell_tax_bps: selling, transfer_tax_bps: sending } = truth
      if (buying !== undefined) assert.strictEqual(bps(bought, received), buying, `${name}: buy`)
      if (sending !== undefined) assert.strictEqual(bps(sent, arrived), sending, `${name}: transfer`)
      if (selling !== undefined) assert.approximately(bps(worth, gained), Number(selling), 5, `${name}: sell`)
    }
    assert.isAbove(judged, Tier.all ? 80 : Tier.landing ? 35 : 15)
  })

  it("is right about what can be done, by doing it", async () => {
    const [holder, other] = Specimens.holders as unknown as readonly [Address, Address]
    const refuses = (from: Address, to: Address, data: Hex): Promise<boolean> =>
      sandbox.rpc.call("eth_call", [{ from, to, data }, "latest"]).then(
        () => false,
        () => true
      )
    const transfer = (to: Address): Hex => encodeFunctionData({ abi, functionName: "transfer", args: [to, 10_000n] })
    const frozen = async (of: Targets.Target, from: Address): Promise<boolean> =>
      (await refuses(from, of.address, transfer(other))) ||
      (await refuses(from, of.address, transfer(of.pair ?? other)))
    const arriving = async (of: Targets.Target): Promise<bigint> => {
      const snapshot = await sandbox.rpc.call("evm_snapshot")
      await sandbox.rpc.batch([
        { method: "anvil_impersonateAccount", params: [holder] },
        { method: "anvil_setBalance", params: [holder, "0xde0b6b3a7640000"] }
      ])
      const before = await balance(of.address, other)
      await sandbox.transact({ from: holder, to: of.address, data: transfer(other) })
      const arrived = (await balance(of.address, other)) - before
      await sandbox.rpc.call("evm_revert", [snapshot])
      return arrived
    }
    const supply = async (of: Targets.Target) => (await read(of.address, "totalSupply")) as bigint
    const held = (of: Targets.Target) => balance(of.address, holder)
    const owner = (of: Targets.Target) => read(of.address, "owner")
    const flows = async (of: Targets.Target) => !(await frozen(of, holder)) && !(await frozen(of, other))
    const blocks = async (of: Targets.Target) => (await frozen(of, holder)) && (await frozen(of, other))
    const blocksOne = async (of: Targets.Target) => (await frozen(of, holder)) && !(await frozen(of, other))

    /** What a claim says of the state before, and of the state after the deed. */
    const effect = async (evidence: string, of: Targets.Target): Promise<() => Promise<boolean>> => {
      switch (evidence) {
        case "token.mintable": {
          const before = await supply(of)
          return async () => (await supply(of)) > before
        }
        case "token.balances-seizable":
        case "token.allowance-bypass": {
          const before = await held(of)
          return async () => (await held(of)) < before
        }
        case "token.tax-changeable": {
          assert.strictEqual(await arriving(of), 10_000n, of.name)
          return async () => (await arriving(of)) < 10_000n
        }
        case "token.pausable":
        case "token.limits-changeable":
          assert.isTrue(await flows(of), of.name)
          return () => blocks(of)
        case "token.blacklistable":
          assert.isTrue(await flows(of), of.name)
          return () => blocksOne(of)
        case "control.reclaimable":
          assert.strictEqual(await owner(of), Account.nobody, of.name)
          return async () => (await owner(of)) !== Account.nobody
        default:
          throw new Error(`no effect of ${evidence} is known`)
      }
    }

    const deeds = sandbox.truth.flatMap(({ deed, evidence, target }) =>
      deed === undefined ? [] : [{ ...deed, evidence, of: sandbox.targets[target] }]
    )
    assert.isAbove(deeds.length, 12)
    for (const { by, data, evidence, of } of deeds) {
      const stranger = sandbox.accounts.maker
      assert.isTrue(await refuses(stranger, of.address, data), `${of.name} ${evidence}: a stranger can do it`)
      const snapshot = await sandbox.rpc.call("evm_snapshot")
      const happened = await effect(evidence, of)
      await sandbox.transact({ from: by, to: of.address, data })
      assert.isTrue(await happened(), `${of.name} ${evidence}`)
      await sandbox.rpc.call("evm_revert", [snapshot])
    }
  })

  it("is right about burnt and locked shares, by the records of the lockers", async () => {
    const { uncxLocker, pinkLocker, teamFinanceLocker } = sandbox.infrastructure
    const record = (address: Address, contract: string, functionName: string, args: ReadonlyArray<unknown>) =>
      client().readContract({ address, abi: Artifact.own(contract).abi, functionName, args: [...args] } as never)
    const { number } = sandbox.head
    const now = (await client().getBlock({ blockNumber: BigInt(number) })).timestamp
    const created = (await client().getContractEvents({
      address: teamFinanceLocker,
      abi: Artifact.own("TeamFinanceLocker").abi,
      eventName: "Deposit",
      fromBlock: 0n
    })) as unknown as ReadonlyArray<{ readonly args: { readonly id: bigint; readonly tokenAddress: Address } }>
    /** The amounts that are locked now, with the seconds that they still are. */
    const locks = async (pair: Address): Promise<ReadonlyArray<readonly [bigint, bigint]>> => {
      const found: Array<readonly [bigint, bigint]> = []
      const inUncx = (await record(uncxLocker, "UncxLocker", "getNumLocksForToken", [pair])) as bigint
      for (let index = 0n; index < inUncx; index++) {
        const lock = (await record(uncxLocker, "UncxLocker", "tokenLocks", [pair, index])) as ReadonlyArray<bigint>
        found.push([lock[1] ?? 0n, (lock[3] ?? 0n) - now])
      }
      const inPink = (await record(pinkLocker, "PinkLocker", "totalLockCountForToken", [pair])) as bigint
      if (inPink > 0n) {
        const args = [pair, 0n, inPink - 1n]
        const records = (await record(pinkLocker, "PinkLocker", "getLocksForToken", args)) as ReadonlyArray<{
          readonly amount: bigint
          readonly tgeDate: bigint
        }>
        for (const { amount, tgeDate } of records) found.push([amount, tgeDate - now])
      }
      for (const { args } of created.filter((event) => event.args.tokenAddress === pair)) {
        const details = await record(teamFinanceLocker, "TeamFinanceLocker", "getDepositDetails", [args.id])
        const [, , amount = 0n, until = 0n] = details as ReadonlyArray<bigint>
        found.push([amount, until - now])
      }
      return found
    }
    const share = async (evidence: string, state: Truth.Truth["state"]) => {
      const rows = sandbox.truth.filter(
        (row) =>
          row.evidence.startsWith(`${evidence}:`) &&
          row.state === state &&
          sandbox.targets[row.target].pair !== undefined
      )
      assert.isAbove(rows.length, 0)
      return Promise.all(
        rows.map(async ({ target }) => {
          const pair = sandbox.targets[target].pair as Address
          const all = (await read(pair, "totalSupply")) as bigint
          const burnt = (await balance(pair, Account.burnt)) + (await balance(pair, Account.nobody))
          return { target, all, burnt, locks: await locks(pair) }
        })
      )
    }
    for (const { all, burnt, target } of await share("liquidity.burned", "confirmed"))
      assert.strictEqual(burnt, all, target)
    for (const { burnt, target } of await share("liquidity.burned", "refuted")) assert.isTrue(burnt <= 1_000n, target)
    for (const { all, locks, target } of await share("liquidity.locked", "confirmed")) {
      const locked = locks.reduce((sum, [amount, left]) => (left > 0n ? sum + amount : sum), 0n)
      assert.strictEqual(locked, all - 1_000n, target)
    }
    for (const { locks, target } of await share("liquidity.locked", "refuted"))
      assert.isTrue(
        locks.every(([, left]) => left <= 0n),
        target
      )
    for (const { locks, target } of await share("liquidity.lock-expiring", "confirmed"))
      assert.isTrue(
        locks.some(([, left]) => left <= 3n * 86_400n),
        target
      )
    for (const { locks, target } of await share("liquidity.lock-expiring", "refuted"))
      assert.isTrue(
        locks.every(([, left]) => left > 180n * 86_400n),
        target
      )
    for (const { locks, target } of await share("liquidity.lock-ends", "confirmed"))
      assert.isTrue(
        locks.some(([, left]) => left > 0n),
        target
      )
    for (const { locks, target } of await share("liquidity.lock-ends", "refuted"))
      assert.isTrue(
        locks.every(([, left]) => left <= 0n),
        target
      )
    // Of a pool of positions it is the one position that all of its liquidity is in, and who has that.
    const { uncxPositionLocker, uniswapV3PositionManager, weth } = sandbox.infrastructure
    const placed = (await client().getContractEvents({
      address: uncxPositionLocker,
      abi: Artifact.own("UncxPositionLocker").abi,
      eventName: "onLock",
      fromBlock: 0n
    })) as unknown as ReadonlyArray<{ readonly args: { readonly lock_id: bigint; readonly poolAddress: Address } }>
    const { lockEndedV3, lockedV3, onlyV3 } = sandbox.targets
    for (const [target, state] of [
      [lockedV3, "confirmed"],
      [lockEndedV3, "refuted"],
      [onlyV3, "absent"]
    ] as const) {
      const pool = Pool.v3Address(target.address, weth, 3_000)
      const of = (evidence: string) =>
        sandbox.truth.find((row) => row.target === target.name && row.evidence === `${evidence}:${pool}`)?.state
      assert.strictEqual(of("liquidity.locked"), state)
      const [lock, ...more] = placed.filter(({ args }) => args.poolAddress === pool)
      assert.lengthOf(more, 0)
      assert.strictEqual(lock === undefined, state === "absent", target.name)
      if (lock === undefined) continue
      const { nft_id, owner, unlockDate } = (await record(uncxPositionLocker, "UncxPositionLocker", "getLock", [
        lock.args.lock_id
      ])) as { readonly nft_id: bigint; readonly owner: Address; readonly unlockDate: bigint }
      const [manager, abi] = [uniswapV3PositionManager, Infrastructure.artifacts().v3PositionManager.abi]
      const holder = await client().readContract({ address: manager, abi, functionName: "ownerOf", args: [nft_id] })
      assert.strictEqual(holder, uncxPositionLocker)
      assert.strictEqual(owner, sandbox.accounts.issuer)
      const position = await client().readContract({ address: manager, abi, functionName: "positions", args: [nft_id] })
      const inRange = await client().readContract({
        address: pool,
        abi: parseAbi(["function liquidity() view returns (uint128)"]),
        functionName: "liquidity"
      })
      assert.strictEqual((position as ReadonlyArray<unknown>)[7], inRange)
      assert.strictEqual(unlockDate > now, state === "confirmed", target.name)
      assert.strictEqual(unlockDate - now > 180n * 86_400n, of("liquidity.lock-expiring") === "refuted", target.name)
      assert.strictEqual(unlockDate > now, of("liquidity.lock-ends") === "confirmed", target.name)
      const taken = encodeFunctionData({
        abi: Artifact.own("UncxPositionLocker").abi,
        functionName: "withdraw",
        args: [lock.args.lock_id, owner]
      })
      const refused = await sandbox.rpc
        .call("eth_call", [{ from: owner, to: uncxPositionLocker, data: taken }, "latest"])
        .then(
          () => false,
          () => true
        )
      assert.strictEqual(refused, state === "confirmed", target.name)
    }
    const { fakePool } = sandbox.targets
    const named = await record(fakePool.address, "MispairedToken", "uniswapV2Pair", [])
    assert.notStrictEqual(named, Pool.v2Address(fakePool.address, sandbox.infrastructure.weth))
    assert.strictEqual(
      await record(named as Address, "FakePair", "factory", []),
      sandbox.infrastructure.uniswapV2Factory
    )
  })

  it("is right about who is listed, frozen and imitated", async () => {
    const { sanctionsOracle, usdc, usdt } = sandbox.infrastructure
    const asks = parseAbi([
      "function isSanctioned(address) view returns (bool)",
      "function isBlacklisted(address) view returns (bool)",
      "function isBlackListed(address) view returns (bool)",
      "event Transfer(address indexed from, address indexed to, uint256 value)"
    ])
    const ask = (
      address: Address,
      functionName: "isSanctioned" | "isBlacklisted" | "isBlackListed",
      of: Address
    ): Promise<boolean> => client().readContract({ address, abi: asks, functionName, args: [of] })
    for (const account of Infrastructure.longSanctioned)
      assert.isTrue(await ask(sanctionsOracle, "isSanctioned", account), account)
    for (const state of ["confirmed", "refuted"] as const) {
      for (const { address, name } of said("wallet.sanctioned", state))
        assert.strictEqual(await ask(sanctionsOracle, "isSanctioned", address), state === "confirmed", name)
      for (const { address, name } of said("wallet.frozen", state))
        assert.strictEqual(
          (await ask(usdc, "isBlacklisted", address)) || (await ask(usdt, "isBlackListed", address)),
          state === "confirmed",
          name
        )
    }
    const ends = (address: Address): string => `${address.slice(2, 6)}…${address.slice(-4)}`.toLowerCase()
    const events = await client().getContractEvents({ abi: asks, eventName: "Transfer", fromBlock: 0n })
    for (const state of ["confirmed", "refuted"] as const) {
      for (const { address, name } of said("wallet.poisoned", state)) {
        const others = events.flatMap(({ args: { from, to } }) =>
          from === address && to !== undefined ? [to] : to === address && from !== undefined ? [from] : []
        )
        const alike = others.filter((one) => others.some((two) => one !== two && ends(one) === ends(two)))
        assert.strictEqual(alike.length > 0, state === "confirmed", name)
      }
    }
  })

  it("is right about keys that act alone, by acting with them", async () => {
    const { accounts, parts, targets } = sandbox
    const { keeper } = accounts
    const { innerSteward, outerSteward, adminTimelock, idleTimelock } = parts.authorities
    const call = (contract: string, functionName: string, args: ReadonlyArray<unknown>): Hex =>
      encodeFunctionData({ abi: Artifact.own(contract).abi, functionName, args: [...args] })
    const mint = call("ManagedToken", "mint", [keeper, 1_000n])
    const zero = `0x${"00".repeat(32)}`
    const timelock = Artifact.openZeppelin("TimelockController").abi
    const onTimelock = (functionName: string, args: ReadonlyArray<unknown>): Hex =>
      encodeFunctionData({ abi: timelock, functionName, args: [...args] })
    const { idleOwned, leakyOwned, moduleOwned, stewarded, adminOwned, leakyTimelock, moduleSafe } = targets
    const ways: Readonly<Partial<Record<Targets.Name, ReadonlyArray<readonly [Address, Hex]>>>> = {
      leakyOwned: [[leakyTimelock.address, call("LeakyTimelock", "emergency", [leakyOwned.address, mint])]],
      idleOwned: [
        [idleTimelock, onTimelock("schedule", [idleOwned.address, 0n, mint, zero, zero, 0n])],
        [idleTimelock, onTimelock("execute", [idleOwned.address, 0n, mint, zero, zero])]
      ],
      moduleOwned: [
        [parts.keeperModule, call("KeeperModule", "run", [moduleSafe.address, moduleOwned.address, 0n, mint])]
      ],
      stewarded: [
        [
          outerSteward,
          call("Steward", "execute", [innerSteward, call("Steward", "execute", [stewarded.address, mint])])
        ]
      ],
      circularDoor: [
        [parts.authorities.doorSteward, call("DoorSteward", "assist", [targets.circularDoor.address, mint])]
      ],
      destructible: [[targets.destructible.address, call("Destructible", "end", [])]]
    }
    for (const [name, steps] of Object.entries(ways)) {
      const { address, kind } = targets[name as Targets.Name]
      const held = kind === "token" ? await balance(address, keeper) : 0n
      const snapshot = await sandbox.rpc.call("evm_snapshot")
      const row = sandbox.truth.find(({ evidence, target }) => target === name && evidence === "control.single-key")
      assert.strictEqual(row?.state, "confirmed", name)
      for (const [to, data] of steps) await sandbox.transact({ from: keeper, to, data })
      if (kind === "token") assert.strictEqual(await balance(address, keeper), held + 1_000n, name)
      else assert.strictEqual(await client().getBalance({ address }), 0n, name)
      await sandbox.rpc.call("evm_revert", [snapshot])
    }
    // Who gives out the roles of a timelock can make himself its proposer, and has to wait like any other.
    const snapshot = await sandbox.rpc.call("evm_snapshot")
    for (const role of ["PROPOSER_ROLE", "EXECUTOR_ROLE"]) {
      const id = await client().readContract({ address: adminTimelock, abi: timelock, functionName: role })
      await sandbox.transact({ from: keeper, to: adminTimelock, data: onTimelock("grantRole", [id, keeper]) })
    }
    const schedule = onTimelock("schedule", [adminOwned.address, 0n, mint, zero, zero, BigInt(Authorities.delay)])
    await sandbox.transact({ from: keeper, to: adminTimelock, data: schedule })
    const execute = {
      from: keeper,
      to: adminTimelock,
      data: onTimelock("execute", [adminOwned.address, 0n, mint, zero, zero])
    }
    const refused = await sandbox.transact(execute).then(
      () => false,
      () => true
    )
    assert.isTrue(refused)
    const held = await balance(adminOwned.address, keeper)
    const { timestamp } = await client().getBlock()
    await sandbox.rpc.call("evm_setNextBlockTimestamp", [Number(timestamp) + Authorities.delay])
    await sandbox.transact(execute)
    assert.strictEqual(await balance(adminOwned.address, keeper), held + 1_000n)
    await sandbox.rpc.call("evm_revert", [snapshot])
  })

  it("is right about owners that are less than they say, by minting past them", async () => {
    const { accounts, parts, targets } = sandbox
    for (const [name, steps] of Object.entries(parts.pastOwners)) {
      const { address } = targets[name as Targets.Name]
      const snapshot = await sandbox.rpc.call("evm_snapshot")
      const held = await balance(address, accounts.keeper)
      for (const step of steps) await sandbox.transact(step)
      assert.strictEqual(await balance(address, accounts.keeper), held + FalseAuthorities.minted, name)
      await sandbox.rpc.call("evm_revert", [snapshot])
    }
  })

  it("is right about who takes from wallets, by taking", async () => {
    const { parts, targets } = sandbox
    for (const [name, { data, from, to, token }] of Object.entries(parts.takings)) {
      const { address } = targets[name as Targets.Name]
      const has = (): Promise<bigint> =>
        token === undefined ? client().getBalance({ address }) : balance(token, address)
      const snapshot = await sandbox.rpc.call("evm_snapshot")
      const before = await has()
      assert.isTrue(before > 0n, name)
      await sandbox.transact({ from, to, data })
      assert.strictEqual(await has(), 0n, name)
      await sandbox.rpc.call("evm_revert", [snapshot])
    }
  })

  it("is right about what wallets allowed", async () => {
    const { permit2 } = sandbox.infrastructure
    const asks = parseAbi([
      "function allowance(address, address) view returns (uint256)",
      "function allowance(address, address, address) view returns (uint160, uint48, uint48)",
      "function totalSupply() view returns (uint256)",
      "function isApprovedForAll(address, address) view returns (bool)"
    ])
    const now = (await client().getBlock({ blockNumber: BigInt(sandbox.head.number) })).timestamp
    for (const { evidence, state, target } of sandbox.truth) {
      const [claim, token, spender] = evidence.split(":") as [string, Address | undefined, Address | undefined]
      if (token === undefined || spender === undefined || state === "unknown") continue
      const wallet = sandbox.targets[target].address
      const args = [wallet, spender] as const
      const about = `${target} ${evidence}`
      switch (claim) {
        case "allowance.unlimited": {
          const amount = await client().readContract({ address: token, abi: asks, functionName: "allowance", args })
          const all = await client().readContract({ address: token, abi: asks, functionName: "totalSupply" })
          assert.strictEqual(BigInt(amount as bigint) >= all, state === "confirmed", about)
          break
        }
        case "allowance.operator": {
          const answer = client().readContract({ address: token, abi: asks, functionName: "isApprovedForAll", args })
          assert.strictEqual(await answer, state === "confirmed", about)
          break
        }
        case "allowance.permit2": {
          const [amount, expiration] = (await client().readContract({
            address: permit2,
            abi: asks,
            functionName: "allowance",
            args: [wallet, token, spender]
          })) as unknown as readonly [bigint, number]
          assert.strictEqual(amount > 0n && BigInt(expiration) > now, state === "confirmed", about)
          break
        }
        case "allowance.spender-risky": {
          const code = await client().getCode({ address: spender })
          const upgradeable = spender === sandbox.parts.counterparties.upgradeablePuller
          const isKey = code === undefined || code.startsWith("0xef0100")
          const takes = sandbox.parts.takings[target as keyof typeof sandbox.parts.takings]?.to === spender
          assert.strictEqual(isKey || upgradeable || takes, state === "confirmed", about)
        }
      }
    }
  })
})
