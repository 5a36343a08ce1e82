import { Address, type ChangeReport, Checks } from "@assay/core"
import { FaultSweep } from "@assay/core/testing"
import type { SharedSandbox } from "@assay/sandbox"
import { Effect, Layer, ManagedRuntime } from "effect"
import { encodeFunctionData, type Hex, pad, parseAbi } from "viem"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Lookout from "../../../../testing/worlds/src/Lookout.js"
import * as World from "./World.js"

const abi = parseAbi([
  "function approve(address spender, uint256 amount)",
  "function balanceOf(address account) view returns (uint256)",
  "function blacklist(address account)",
  "function burn(address to)",
  "function changeThreshold(uint256 threshold)",
  "function enableModule(address module)",
  "function mint(address to, uint256 amount)",
  "function owner() view returns (address)",
  "function setTax(uint256 bps)",
  "function transfer(address to, uint256 amount)",
  "function transferOwnership(address owner)",
  "function upgradeTo(address implementation)"
])

const newcomer = Address.checksum(`0x${"5b".repeat(20)}`)
const stranger = Address.checksum(`0x${"5a".repeat(20)}`)

describe("a history of a target", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let runtime: ManagedRuntime.ManagedRuntime<Lookout.Lookout, never>
  beforeAll(async () => {
    const world = await World.start()
    sandbox = world.sandbox
    runtime = ManagedRuntime.make(
      Layer.provide(Lookout.layer(world.chain), Layer.provide(FaultSweep.layer(Checks.all), World.http))
    )
  })
  afterAll(async () => {
    await runtime.dispose()
  })

  type Name = keyof SharedSandbox.SharedSandbox["targets"]

  const at = (name: Name) => Address.checksum(sandbox.targets[name].address)

  const seen = (name: Name): Lookout.Seen => ({ kind: sandbox.targets[name].kind, address: at(name) })

  const look = (name: Name) =>
    runtime.runPromise(Effect.flatMap(Lookout.Lookout, (lookout) => lookout.look(seen(name))))

  const read = async (to: string, data: Hex): Promise<Hex> =>
    (await sandbox.rpc.call("eth_call", [{ to, data }, "latest"])) as Hex

  const send = async (from: Hex, to: Hex, data: Hex): Promise<void> => {
    await sandbox.rpc.call("anvil_impersonateAccount", [from])
    await sandbox.rpc.call("anvil_setBalance", [from, "0xde0b6b3a7640000"])
    await sandbox.transact({ from: Address.checksum(from), to: Address.checksum(to), data })
  }

  const ownerOf = async (contract: Hex): Promise<Hex> =>
    `0x${(await read(contract, encodeFunctionData({ abi, functionName: "owner" }))).slice(-40)}`

  const byOwner = async (contract: Hex, data: Hex) => send(await ownerOf(contract), contract, data)

  /** The report about a target when this was done between two executions. */
  const told = async (name: Name, deed: () => Promise<void>): Promise<ChangeReport.ChangeReport> => {
    await look(name)
    await deed()
    await sandbox.rpc.call("anvil_mine", ["0x3"])
    return look(name)
  }

  /** Makes the pool a small part of the supply, so that what comes out of it makes nobody a large holder. */
  const spread = async (): Promise<void> => {
    for (let number = 1; number <= 60; number++)
      await send(
        sandbox.accounts.deployer,
        at("mintable"),
        encodeFunctionData({
          abi,
          functionName: "mint",
          args: [Address.checksum(`0x${String(number).padStart(40, "7")}`), 10n ** 24n]
        })
      )
  }

  const pull = async (tenths: bigint): Promise<void> => {
    const pair = Address.checksum(sandbox.targets.mintable.pair ?? stranger)
    const provider = sandbox.accounts.deployer
    const shares = await read(pair, encodeFunctionData({ abi, functionName: "balanceOf", args: [provider] }))
    const part = (BigInt(shares) * tenths) / 10n
    await send(provider, pair, encodeFunctionData({ abi, functionName: "transfer", args: [pair, part] }))
    await send(provider, pair, encodeFunctionData({ abi, functionName: "burn", args: [provider] }))
  }

  const deeds: ReadonlyArray<{
    readonly title: string
    readonly target: Name
    readonly before?: () => Promise<void>
    readonly deed: () => Promise<void>
    readonly change: Pick<ChangeReport.Change, "id" | "severity" | "direction">
  }> = [
    {
      title: "an upgrade",
      target: "beacon",
      deed: async () => {
        const implementation = Address.checksum(`0x${"1b".repeat(20)}`)
        const code = await sandbox.rpc.call("eth_getCode", [sandbox.parts.logic, "latest"])
        await sandbox.rpc.call("anvil_setCode", [implementation, code])
        for (const slot of openZeppelinInitialised) {
          const word = await sandbox.rpc.call("eth_getStorageAt", [sandbox.parts.logic, slot, "latest"])
          await sandbox.rpc.call("anvil_setStorageAt", [implementation, slot, word])
        }
        await send(
          sandbox.accounts.beaconOwner,
          sandbox.parts.beaconContract,
          encodeFunctionData({ abi, functionName: "upgradeTo", args: [implementation] })
        )
      },
      change: { id: "proxy.kind", severity: "high", direction: "neutral" }
    },
    {
      title: "a new owner",
      target: "pausable",
      deed: async () => {
        // An account with a key, which was paid before.
        await sandbox.rpc.call("anvil_setBalance", [newcomer, "0x1"])
        await byOwner(at("pausable"), encodeFunctionData({ abi, functionName: "transferOwnership", args: [newcomer] }))
      },
      change: { id: "control.owner", severity: "high", direction: "neutral" }
    },
    {
      title: "a lowered threshold of a Safe",
      target: "safe",
      deed: () =>
        send(at("safe"), at("safe"), encodeFunctionData({ abi, functionName: "changeThreshold", args: [1n] })),
      change: { id: "safe.setup", severity: "critical", direction: "worse" }
    },
    {
      title: "a module of a Safe",
      target: "safeWallet",
      deed: () =>
        send(
          at("safeWallet"),
          at("safeWallet"),
          encodeFunctionData({ abi, functionName: "enableModule", args: [stranger] })
        ),
      change: { id: "safe.modules", severity: "critical", direction: "worse" }
    },
    {
      title: "a raised tax",
      target: "taxable",
      deed: () => byOwner(at("taxable"), encodeFunctionData({ abi, functionName: "setTax", args: [500n] })),
      change: { id: "trade.taxed", severity: "high", direction: "worse" }
    },
    {
      title: "liquidity that was pulled",
      target: "mintable",
      before: spread,
      deed: () => pull(9n),
      change: { id: "liquidity.pools", severity: "high", direction: "worse" }
    },
    {
      title: "an approval",
      target: "holder",
      deed: () =>
        send(
          at("holder"),
          at("plain"),
          encodeFunctionData({ abi, functionName: "approve", args: [stranger, 2n ** 256n - 1n] })
        ),
      change: { id: `allowance.spender-risky:PLAIN:${stranger}`, severity: "high", direction: "worse" }
    },
    {
      title: "an entry in a blacklist",
      target: "approver",
      deed: () =>
        send(
          sandbox.accounts.usdcBlacklister,
          at("usdc"),
          encodeFunctionData({ abi, functionName: "blacklist", args: [at("approver")] })
        ),
      change: { id: "wallet.frozen", severity: "high", direction: "worse" }
    }
  ]

  it.each(deeds)(
    "reports $title once, and nothing else but what it does to the risk",
    async ({ before, change, deed, target }) => {
      const untouched = await sandbox.rpc.call("evm_snapshot", [])
      await before?.()
      const report = await told(target, deed)
      await sandbox.rpc.call("evm_revert", [untouched])
      const others = report.changes.filter(({ subject }) => subject !== "risk")
      assert.deepStrictEqual(
        others.map(({ direction, id, severity }) => ({ id, severity, direction })),
        [{ ...change, id: change.id.replace("PLAIN", at("plain")) }],
        report.text
      )
    }
  )

  it("reports fully pulled liquidity once, as the trap that it is, beside what is out of sight", async () => {
    const untouched = await sandbox.rpc.call("evm_snapshot", [])
    await spread()
    const report = await told("mintable", () => pull(10n))
    await sandbox.rpc.call("evm_revert", [untouched])
    const hidden = report.changes.filter(({ kind }) => kind === "visibility_lost")
    const seen = report.changes.filter(({ kind }) => kind !== "visibility_lost")
    assert.deepStrictEqual(
      seen.map(({ direction, id, severity }) => ({ id, severity, direction })),
      [
        { id: "facts.risk", severity: "critical", direction: "worse" },
        { id: `liquidity.withdrawn:${sandbox.targets.mintable.pair}`, severity: "critical", direction: "worse" },
        { id: "liquidity.pools", severity: "high", direction: "worse" }
      ],
      report.text
    )
    assert.includeMembers(
      hidden.map(({ id, severity }) => `${severity} ${id}`),
      ["info trade.honeypot", "info trade.sell-limited", "info trade.taxed"],
      report.text
    )
  })

  it("reports nothing while nothing happens to the target, however often it looks", async () => {
    const meanwhile = Effect.promise(() => sandbox.rpc.call("anvil_mine", ["0x5"]))
    for (const name of ["plain", "safeOwned", "uups", "approver", "timelock"] as const) {
      const found = await runtime.runPromise(Lookout.quiet(seen(name), { looks: 5, meanwhile }))
      assert.deepStrictEqual(found, { looks: 5, unchanged: 5, hidden: 0, failed: 0, told: [] }, name)
    }
  })
})

// OpenZeppelin 5's Initializable keeps its version in one slot of its own (EIP-7201).
// https://eips.ethereum.org/EIPS/eip-7201
const openZeppelinInitialised = ["0xf0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00", pad("0x0")]
