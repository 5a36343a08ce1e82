import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"

// PUSH1 0 CALLDATALOAD PUSH1 e0 SHR, DUP1 PUSH4 owner() EQ PUSH1 11 JUMPI STOP JUMPDEST STOP
const dispatcher = "0x60003560e01c80638da5cb5b1460115700 5b00".replaceAll(" ", "") as `0x${string}`

describe("Selectors", () => {
  it("derives the selectors that the standards print", () => {
    const printed: Partial<Record<keyof typeof Selectors.functions, string>> = {
      totalSupply: "0x18160ddd",
      balanceOf: "0x70a08231",
      transfer: "0xa9059cbb",
      transferFrom: "0x23b872dd",
      allowance: "0xdd62ed3e",
      supportsInterface: "0x01ffc9a7",
      owner: "0x8da5cb5b",
      getOwner: "0x893d20e8",
      admin: "0xf851a440",
      governance: "0x5aa6e675",
      authority: "0xbf7e214f",
      implementation: "0x5c60da1b",
      childImplementation: "0xda525716",
      masterCopy: "0xa619486e",
      facets: "0x7a0ed627",
      facetAddresses: "0x52ef6b2c",
      diamondCut: "0x1f931c1c",
      comptrollerImplementation: "0xbb82aa5e",
      proxyType: "0x4555d5c9",
      proxiableUUID: "0x52d1902d",
      upgradeTo: "0x3659cfe6",
      upgradeToAndCall: "0x4f1ef286",
      getMinDelay: "0xf27a0c92",
      delay: "0x6a42b8f8",
      getThreshold: "0xe75235b8",
      getOwners: "0xa0e67e2b",
      version: "0xffa1ad74",
      getModulesPaginated: "0xcc2f8452",
      hasRole: "0x91d14854",
      getRoleMember: "0x9010d07c",
      getRoleMemberCount: "0xca15c873",
      isSanctioned: "0xdf592f7d",
      getPair: "0xe6a43905",
      getPool: "0x1698ee82",
      getReserves: "0x0902f1ac",
      aggregate3: "0x82ad56cb",
      getNumLocksForToken: "0x1f2a1d2f",
      cumulativeLockInfo: "0xe1444fd6",
      isBlacklisted: "0xfe575a87",
      isBlackListed: "0xe47d6060",
      pendingOwner: "0xe30c3978",
      defaultAdmin: "0x84ef8ffc",
      domainSeparator: "0x3644e515",
      permit: "0xd505accf",
      asset: "0x38d52e0f",
      convertToAssets: "0x07a2d13a"
    }
    for (const [name, value] of Object.entries(printed)) {
      assert.strictEqual(Selectors.functions[name as keyof typeof Selectors.functions], value, name)
    }
  })

  it("derives the topics that the standards print", () => {
    assert.strictEqual(Selectors.topics.Transfer, "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
    assert.strictEqual(Selectors.topics.Approval, "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925")
    assert.isTrue(
      Selectors.topics.ApprovalForAll.startsWith("0x17307eab") && Selectors.topics.ApprovalForAll.endsWith("6c31")
    )
    assert.isTrue(Selectors.topics.OwnershipTransferred.startsWith("0x8be0079c"))
    assert.isTrue(Selectors.topics.RoleGranted.startsWith("0x2f878811"))
    assert.isTrue(Selectors.topics.RoleRevoked.startsWith("0xf6391f5c"))
    assert.isTrue(Selectors.topics.Upgraded.startsWith("0xbc7cd75a"))
    assert.isTrue(Selectors.topics.PairCreated.startsWith("0x0d3648bd"))
    assert.isTrue(Selectors.topics.PoolCreated.startsWith("0x783cca1c"))
    assert.isTrue(Selectors.topics.CallScheduled.startsWith("0x4cf4410c"))
    assert.isTrue(Selectors.topics.Permit2Approval.startsWith("0xda9fa7c1"))
    assert.isTrue(Selectors.topics.Permit2Permit.startsWith("0xc6a377bf"))
    assert.isTrue(Selectors.topics.Permit2Lockdown.startsWith("0x89b1add1"))
    assert.isTrue(Selectors.topics.Burn.startsWith("0xdccd412f"))
    assert.isTrue(Selectors.topics.EnabledModule.startsWith("0xecdf3a3e"))
  })

  it("derives the interface ids that the standards print", () => {
    assert.strictEqual(Selectors.interfaceIds.erc165, "0x01ffc9a7")
    assert.strictEqual(Selectors.interfaceIds.erc721, "0x80ac58cd")
    assert.strictEqual(Selectors.interfaceIds.erc1155, "0xd9b67a26")
    assert.strictEqual(Selectors.interfaceIds.accessControl, "0x7965db0b")
    assert.strictEqual(Selectors.interfaceIds.diamondLoupe, "0x48e2b093")
  })

  it.effect("finds the selectors of a dispatcher, and none where there is none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Selectors.dispatched(dispatcher), [Selectors.functions.owner])
      assert.deepStrictEqual(yield* Selectors.dispatched("0x"), [])
      const described = yield* Selectors.describe(dispatcher)
      assert.deepStrictEqual(
        described.map((found) => found.selector),
        [Selectors.functions.owner]
      )
    })
  )
})
