import { Address, type Analysis, Analyzer, Checks, Report } from "@assay/core"
import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import { faultsOf } from "../checks/EvidenceWords.js"
import * as Order from "./Order.js"
import * as TargetsOfRun from "./TargetsOfRun.js"
import * as Upgrade from "./Upgrade.js"
import * as World from "./World.js"

// What the sandbox's table knows and this engine cannot decide yet. Not a word in it may be a contradiction.
const gaps: Readonly<Record<string, string>> = {
  "hookNamed token.blacklistable": "what the function of another contract requires is not followed",
  "hookListing token.blacklistable": "what the function of another contract requires is not followed",
  "hookRenounced token.mintable": "what the answer of another contract does to balances is not followed",
  "hookRenounced token.tax-changeable": "what the answer of another contract does to balances is not followed",
  "hookRenounced token.allowance-bypass": "what the answer of another contract does to balances is not followed",
  "richPool trade.environment-dependent": "trades in the pool as it is do not show what a richer one would do",
  "clock trade.holders-blocked": "two clocks are compared with each other",
  "daiLike control.roles": "the accounts in a mapping of who may call cannot be listed",
  "wealthTrap trade.taxed": "trades are not simulated with every balance of ether",
  "gasLeft trade.taxed": "trades are not simulated with every amount of gas",
  "gasLeft trade.environment-dependent": "trades are not simulated with every amount of gas",
  "tipping trade.environment-dependent": "trades are not simulated with every price of gas",
  "delegateTrap trade.environment-dependent": "trades are not simulated with every code an account may have",
  "lottery trade.environment-dependent": "no number of trades shows what chance does",
  "lentPool token.allowance-bypass": "an account that is kept in a variable may have allowed it",
  "linked token.mintable": "what a linked library does to the storage is not followed",
  "pegged token.balances-seizable": "balances that another contract is asked for are not followed",
  "permitDoor token.allowance-bypass": "who signed is compared with two accounts, of which one is the holder",
  "doubleApproval token.allowance-bypass": "an allowance of the caller's own may be what he meant",
  "diamond control.reclaimable": "a table of facets may have more in it than its loupe lists",
  "facets proxy.upgradeable": "a table of facets that has no loupe is not followed",
  "facade token.mintable": "what is paid with is not known to be worth anything",
  "swapBack token.pausable": "the router that its transfer calls may stop it",
  "swapBack token.blacklistable": "the router that its transfer calls may stop it",
  "swapBack token.whitelist-only": "the router that its transfer calls may stop it",
  "swapBack token.limits-changeable": "the router that its transfer calls may stop it",
  "forwardedBatch token.balances-seizable": "what a contract hands on to itself is not followed",
  "selfRelayed token.balances-seizable": "what a contract passes on to itself is not followed",
  "selfRelayed token.allowance-bypass": "what a contract passes on to itself is not followed",
  "handledOwned control.single-key": "what else a contract that a Safe hands calls on to does is not followed",
  "keptV3 liquidity.held-by-insiders": "who commands a contract that has the position is not followed",
  "seededSafe safe.modules": "who is entered past a list is not found among all accounts there are"
}

const names = [
  "plain",
  "safeOwned",
  "timelockOwned",
  "uups",
  "transparent",
  "beacon",
  "clone",
  "usdc",
  "deflating",
  "honeypot",
  "silentHoneypot",
  "sellTax90",
  "taxable",
  "pausable",
  "hiddenMinter",
  "mintable",
  "blacklist",
  "cooldown",
  "uninitialised",
  "fakeUsdc",
  "hostileName",
  "collectible",
  "diamond",
  "safe",
  "moduleSafe",
  "timelock",
  "destructible",
  "safeWallet",
  "holder",
  "approver",
  "delegated",
  "unused",
  "renouncedTrap",
  "snare",
  "contractTrap",
  "delayedTrap",
  "closingTrap",
  "lateLapse",
  "blockAgeTax",
  "ageTax",
  "clock",
  "grudge",
  "gasPriceTrap",
  "coinbaseTrap",
  "baseFeeTrap",
  "originTrap",
  "wealthTrap",
  "firstSales",
  "salesBudget",
  "growingTax",
  "gasBurner",
  "falseTransfer",
  "members",
  "sellers",
  "tradingSwitch",
  "notLaunched",
  "halfSale",
  "throttle",
  "antiWhale",
  "cappedTax",
  "personalTax",
  "cappedMint",
  "mintedVotes",
  "capReached",
  "capRefilled",
  "mintFinished",
  "mintResumed",
  "seizing",
  "burnAny",
  "dustBurn",
  "ownDust",
  "lateMarket",
  "marketFee",
  "epoch",
  "edition",
  "poolDrain",
  "hiddenOperator",
  "hashedOperator",
  "signedPause",
  "signedMint",
  "reclaimable",
  "allowanceBackdoor",
  "namespaced",
  "roleMinter",
  "hooked",
  "hookOwned",
  "hookAwaited",
  "hookNamed",
  "hookListing",
  "hookFixed",
  "hookRenounced",
  "phantom",
  "rebasing",
  "homoglyph",
  "lure",
  "renouncedPlain",
  "mintOver",
  "fixedFee",
  "counting",
  "fallingTax",
  "noted",
  "tenure",
  "launchTax",
  "burnable",
  "permit",
  "votes",
  "lockedUncx",
  "lockedPink",
  "lockedTeam",
  "lockExpired",
  "lockEnding",
  "lockUnreadable",
  "vestedShares",
  "thinPool",
  "whale",
  "emptied",
  "emptiedTrap",
  "onlyV3",
  "lockedV3",
  "lockEndedV3",
  "fakePool",
  "parkedV3",
  "besideV3",
  "borrowedV3",
  "keptV3",
  "burnedV3",
  "scattered",
  "shadowed",
  "vouchedPool",
  "leakyOwned",
  "adminOwned",
  "idleOwned",
  "moduleOwned",
  "governed",
  "voted",
  "authorityManaged",
  "stewarded",
  "circular",
  "circularDoor",
  "safeUpgraded",
  "timelockUpgraded",
  "upgradedLately",
  "hollow",
  "metamorphic",
  "governanceToken",
  "daiLike",
  "stakedToken",
  "bridgedToken",
  "fundShare",
  "keyMinted",
  "keyPaused",
  "keyUpgraded",
  "keyTaxed",
  "frozenHolders",
  "richPool",
  "bitmap",
  "spenderTrap",
  "pairLiar",
  "sliver",
  "gasLeft",
  "tipping",
  "shrinking",
  "poolBurn",
  "delegateTrap",
  "transientTrap",
  "fuse",
  "receiverGate",
  "lottery",
  "oneSale",
  "hashList",
  "maskedToken",
  "doorClone",
  "leftLocked",
  "etherDoor",
  "approvalDoor",
  "lentPool",
  "divided",
  "counted",
  "turnedAway",
  "steppedFee",
  "lateFee",
  "chosenFee",
  "sentFee",
  "sentMark",
  "sentDelay",
  "openedBySending",
  "unlocked",
  "transientLock",
  "loweredFee",
  "namedOnce",
  "paced",
  "linked",
  "reflecting",
  "pegged",
  "permitDoor",
  "guarded",
  "pendingOwner",
  "doubleApproval",
  "forwarderKey",
  "forwardedNobody",
  "forwarderSetter",
  "forwardedBatch",
  "packedFreeze",
  "facets",
  "queuedUpgrade",
  "launchLimit",
  "lean",
  "seeded",
  "accruing",
  "policy",
  "bridged",
  "treasuryFee",
  "floor",
  "vested",
  "payable",
  "batch",
  "snapshot",
  "flash",
  "authorized",
  "facade",
  "swapBack",
  "forwarded",
  "forwardedRenounced",
  "selfRelayed",
  "longLocked",
  "share",
  "wrapped",
  "weth",
  "usdt",
  "wrapper",
  "governor",
  "leakyTimelock",
  "delegatingVault",
  "exposed",
  "permitted",
  "collector",
  "sanctioned",
  "frozen",
  "blackListed",
  "poisoned",
  "swept",
  "sweptByReported",
  "earlierSafe",
  "strangeSafe",
  "guardedSafe",
  "handlerSafe",
  "weakenedSafe",
  "narrowApproval",
  "deniedApproval",
  "openlyPulled",
  "remotelyPulled",
  "pulledByClone",
  "depositor",
  "flooded",
  "selfApproved",
  "nativelyPermitted",
  "itemApproved",
  "itemLapsed",
  "openlyDriven",
  "remotelyDriven",
  "openWallet",
  "ownedWallet",
  "seededSafe",
  "waitingOwned",
  "patientKey",
  "announcedOwned",
  "hastyOwned",
  "plannedOwned",
  "backdatedOwned",
  "privilegedOwned",
  "exemptOwned",
  "sidesteppedOwned",
  "timelessOwned",
  "oneOfThree",
  "sameKey",
  "nestedKey",
  "jointly",
  "handledOwned",
  "precompiledOwner",
  "selfOwned",
  "pairedTrap",
  "pairedSnare",
  "pairedTax",
  "oneWay",
  "sleeper",
  "unlaunched"
] as const

const contains = (actual: unknown, wanted: unknown): boolean => {
  if (Array.isArray(wanted))
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((member) => actual.some((candidate) => contains(candidate, member)))
    )
  if (typeof wanted === "object" && wanted !== null)
    return (
      typeof actual === "object" &&
      actual !== null &&
      Object.entries(wanted).every(([key, member]) => contains((actual as Record<string, unknown>)[key], member))
    )
  return actual === wanted
}

describe("what is said of the sandbox", () => {
  let world: World.World
  beforeAll(async () => {
    world = await World.start()
  })

  const analyze = (name: (typeof names)[number]) => {
    const { address, kind } = world.sandbox.targets[name]
    return world.run(
      Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
        analyzer.analyze({ kind, address: Address.checksum(address), chain: world.chain })
      )
    )
  }

  it("covers every target", () => {
    assert.deepStrictEqual([...names].sort(), Object.keys(world.sandbox.targets).sort())
  })

  const analyses = new Map<(typeof names)[number], Analysis.Analysis>()

  for (const name of names)
    it.runIf(TargetsOfRun.has(name))(`is true of ${name}`, async () => {
      const analysis = await analyze(name)
      analyses.set(name, analysis)
      const unclear = analysis.evidence.flatMap((item) =>
        faultsOf(item).map((fault) => `${item.id}: ${fault}: ${item.detail}`)
      )
      assert.deepStrictEqual(unclear, [])
      assert.isAtMost(Buffer.byteLength(JSON.stringify(Report.compact(Report.make(analysis)))), 3_072)
      const run = new Set<string>(Checks.all.map((check) => check.id))
      const rows = world.sandbox.truth.filter((row) => row.target === name && run.has(row.evidence.split(":")[0] ?? ""))
      assert.isAbove(rows.length, 0)
      for (const row of rows) {
        const item = analysis.evidence.find((candidate) => candidate.id === row.evidence)
        const said = item?.state ?? "absent"
        const about = `${row.evidence}: ${row.because}; ${item?.detail}`
        // Where a pool stands is not known before the chain is made.
        if (`${name} ${row.evidence.split(":")[0]}` in gaps) {
          assert.strictEqual(said, "unknown", `no gap any more: ${about}`)
          continue
        }
        assert.strictEqual(said, row.state, about)
        if (row.value !== undefined)
          assert.isTrue(contains(item?.value, row.value), `${about} ${JSON.stringify(item?.value)}`)
      }
    })

  it("has the levels and the order of decision 40, but for the misses that it explains", () => {
    assert.strictEqual(Order.rows.length, 40)
    const levelOf = (name: Order.Row["name"]) => analyses.get(name)?.facts.risk?.level
    const scoreOf = (name: Order.Row["name"]) => analyses.get(name)?.facts.risk?.score ?? Number.NaN
    const seen = Order.rows.filter(({ name }) => analyses.has(name))
    assert.deepStrictEqual(
      seen.map(({ name }) => [name, levelOf(name)]),
      seen.map(({ level, name }) => [name, Order.misses[name] ?? level])
    )
    for (const { decision, level } of Order.rows) assert.strictEqual(Order.decisionOf(level), decision)
    const placed = seen.filter(({ name, rank }) => rank !== null && !Order.unplaced.has(name))
    for (const better of placed)
      for (const worse of placed)
        if (better.kind === worse.kind && (better.rank ?? 0) < (worse.rank ?? 0))
          assert.isAbove(scoreOf(better.name), scoreOf(worse.name), `${better.name} before ${worse.name}`)
  })

  it("is reported by watches over an upgrade of every rule as changes of the rules, and of nothing else", async () => {
    const upgraded = Upgrade.over(world.chain)
    for (const [name, analysis] of analyses) {
      const { address, kind } = world.sandbox.targets[name]
      const { again, after } = await upgraded.watch({ kind, address: Address.checksum(address) }, analysis)
      assert.deepStrictEqual(after?.changes, [], name)
      assert.isNull(after?.max_severity, name)
      const told = new Set(after?.ruleset_changes.map(({ id }) => id))
      const known = analysis.evidence.filter(({ state }) => state !== "unknown").map(({ id }) => id)
      assert.deepStrictEqual(
        known.filter((id) => !told.has(id)),
        [],
        name
      )
      assert.deepStrictEqual([again?.changes, again?.ruleset_changes], [[], []], name)
    }
    assert.strictEqual(analyses.size, names.filter(TargetsOfRun.has).length)
  })

  it("is the same when it is repeated at the same block, to the byte that is hashed", async () => {
    const first = await analyze("usdc")
    const second = await analyze("usdc")
    assert.strictEqual(second.content_hash, first.content_hash)
    assert.deepStrictEqual(second.evidence, first.evidence)
  })

  it.each(["usdc", "approver", "moduleSafe"] as const)("can be checked by the reader of %s", async (name) => {
    const { block, evidence, facts } = await analyze(name)
    const ids = evidence.map((item) => item.id)
    assert.deepStrictEqual(ids, [...new Set(ids)].sort())
    for (const item of evidence) {
      assert.notInclude(item.source_url, world.sandbox.url)
      assert.match(item.source_url, /^eip155:31337:0x[0-9a-fA-F]{40}\?block=\d+$/)
      if (item.state === "unknown") assert.isNotNull(item.reason)
      else if (item.id !== "endpoint.capable") assert.strictEqual(item.observation?.block_hash, block.hash, item.id)
    }
    const taken = facts.risk?.signals.reduce((sum, signal) => sum + signal.points, 0)
    assert.strictEqual(taken, 100 - (facts.risk?.score ?? 0))
    for (const signal of facts.risk?.signals ?? []) for (const id of signal.evidence_ids) assert.include(ids, id)
  })

  it("cuts and strips the words of a hostile token wherever they stand", async () => {
    const analysis = await analyze("hostileName")
    assert.isAtMost([...(analysis.facts.token?.name ?? "")].length, 64)
    assert.notMatch(JSON.stringify(analysis), /\p{Cf}|\\u00[01]/u)
  })
})
